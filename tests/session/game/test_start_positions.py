"""Head starts and fair starts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pond_hw.messages.message import Message
from pond_hw.rules import DARK, LIGHT, VARIANTS, Position, explain_invalid_start, parse_variant
from pond_hw.server.protocol import record_message, state_message
from pond_hw.server.view_from_json import parse_view
from pond_hw.session import ChangeSetting, GameStarted, NewGame, SetUpGame, prompt_turn
from pond_hw.session.game.fair_start_table import FAIR_STARTS
from pond_hw.session.game.settings import FAIR_START, HEAD_START, MAX_HEAD_START
from pond_hw.session.game.start_positions import draw_fair_start, find_start
from tests.messages.says import ids
from tests.session.tables import ButtonTable, PiecesTable, values_by_side


@pytest.mark.parametrize("name", VARIANTS)
def test_fair_starts_have_four_eggs_and_light_to_move(name):
    variant = VARIANTS[name]
    starts = [Position.from_notation(line, variant) for line in FAIR_STARTS[name]]
    assert len(set(starts)) == len(starts) >= 8
    for start in starts:
        assert explain_invalid_start(start) is None
        assert (start.to_move, start.scored, len(start.pieces)) == (LIGHT, (0, 0), 4)
        assert start.spawn == (variant.spawn - 2, variant.spawn - 2)


def test_fair_start_applies_immediately_before_first_action():
    table = ButtonTable()
    table.send(ChangeSetting, setting=FAIR_START, side=None, value=True)
    assert table.session.position.notation_line in FAIR_STARTS["standard"]
    assert ids(table.session.messages)[0] == "fair_start.on.now"
    table.send(ChangeSetting, setting=FAIR_START, side=None, value=False)
    assert table.session.position == Position.start(table.session.variant)
    assert ids(table.session.messages)[0] == "fair_start.off.now"


def test_fair_start_set_during_game_applies_to_next():
    table = ButtonTable()
    table.play("@b2 @c3")
    table.send(ChangeSetting, setting=FAIR_START, side=None, value=True)
    assert len(table.session.turns) == 2
    assert ids(table.session.messages)[0] == "fair_start.on.next"
    drawn = set()
    for _ in range(40):
        table.send(NewGame, variant=parse_variant("mini"))
        assert table.session.position.notation_line in FAIR_STARTS["mini"]
        assert table.session.messages == (prompt_turn(table.session.position),)
        drawn.add(table.session.position)
        table.play(str(table.session.allowed_actions[0]))
    assert len(drawn) > 5


def test_lamps_ask_for_fair_start_eggs():
    pieces_table = PiecesTable.at(Position.start(parse_variant("standard")))
    pieces_table.after(ChangeSetting(FAIR_START, None, True, pieces_table.time)).wait(2.0)
    for cell in pieces_table.session.position.pieces:
        pieces_table.drop(cell).wait(1.0)
    assert pieces_table.session.view.game_phase == "act"
    assert not pieces_table.session.turns


def test_unnamed_variant_has_no_fair_start():
    table = ButtonTable("3x3/9/5")
    table.send(ChangeSetting, setting=FAIR_START, side=None, value=True)
    assert table.session.position == Position.start(table.session.variant)
    assert ids(table.session.messages)[0] == "fair_start.none"
    assert not table.session.fair_start
    assert draw_fair_start(parse_variant("3x3/9/5"), 1.0) is None


def test_set_up_position_survives_end_of_fair_start():
    table = ButtonTable()
    table.send(ChangeSetting, setting=FAIR_START, side=None, value=True)
    position = Position.from_notation("..../.f../..F./.... l 12 12 0 0", table.session.variant)
    table.send(SetUpGame, position=position)
    table.send(ChangeSetting, setting=FAIR_START, side=None, value=False)
    assert table.session.position == position
    assert ids(table.session.messages)[0] == "fair_start.off.next"


def test_head_start_keeps_fair_start_eggs():
    table = ButtonTable()
    table.send(ChangeSetting, setting=FAIR_START, side=None, value=True)
    fair_start = table.session.position
    table.send(ChangeSetting, setting=HEAD_START, side=LIGHT, value=2)
    assert table.session.position == fair_start._replace(scored=(2, 0), spawn=(9, 11))
    assert ids(table.session.messages)[0] == "head_start.now"
    assert not table.session.can_continue  # nothing has happened yet
    table.send(ChangeSetting, setting=HEAD_START, side=LIGHT, value=0)
    assert table.session.position == fair_start
    table.send(ChangeSetting, setting=HEAD_START, side=LIGHT, value=2)
    table.send(ChangeSetting, setting=FAIR_START, side=None, value=False)
    assert table.session.position == Position.start(table.session.variant)._replace(scored=(2, 0), spawn=(11, 13))


def test_set_up_empty_pond_stays_empty():
    table = ButtonTable()
    table.send(ChangeSetting, setting=FAIR_START, side=None, value=True)
    table.send(ChangeSetting, setting=HEAD_START, side=LIGHT, value=2)
    table.send(SetUpGame, position=Position.start(table.session.variant))
    assert table.session.position == Position.start(table.session.variant)


def test_state_message_contains_fair_start():
    table = ButtonTable()
    table.send(ChangeSetting, setting=FAIR_START, side=None, value=True)
    view = table.session.view
    state = state_message(view, table.time)
    assert state["fair_start"] is True
    assert parse_view(record_message(view, table.time), state).fair_start


def test_head_start_applies_immediately_before_first_action():
    table = ButtonTable()
    table.send(ChangeSetting, setting=HEAD_START, side=DARK, value=3)
    position = table.session.position
    assert (position.scored, position.spawn, position.to_move) == ((0, 3), (13, 10), LIGHT)
    assert ids(table.session.messages)[0] == "head_start.now"
    assert table.session.game_events == (GameStarted(table.session.variant, position),)


def test_head_start_set_during_game_applies_to_next():
    table = ButtonTable()
    table.play("@b2 @c3")
    table.send(ChangeSetting, setting=HEAD_START, side=LIGHT, value=2)
    assert (table.session.position.scored, len(table.session.turns)) == ((0, 0), 2)
    assert ids(table.session.messages)[0] == "head_start.next"
    table.send(NewGame, variant=table.session.variant)
    assert table.session.position.scored == (2, 0)
    table.play("@b2 @c3")
    table.send(NewGame, variant=parse_variant("mini"))
    assert (table.session.position.scored, table.session.position.spawn) == ((2, 0), (8, 10))


def test_head_start_message_shows_capped_value():
    table = ButtonTable("3x3/5/3")
    table.send(ChangeSetting, setting=HEAD_START, side=LIGHT, value=5)
    assert table.session.position.scored == (2, 0)
    assert table.session.messages[0] == Message("head_start.now", side="light", count=2)


def test_head_start_can_be_removed():
    table = ButtonTable()
    table.send(ChangeSetting, setting=HEAD_START, side=DARK, value=3)
    table.send(ChangeSetting, setting=HEAD_START, side=LIGHT, value=1)
    assert table.session.position.scored == (1, 3)
    table.send(ChangeSetting, setting=HEAD_START, side=DARK, value=0)
    table.send(ChangeSetting, setting=HEAD_START, side=LIGHT, value=0)
    assert table.session.custom_start is None
    assert table.session.position == Position.start(table.session.variant)


def test_head_start_waits_after_undone_action():
    table = ButtonTable()
    table.play("@b2")
    table.session = table.session.after(NewGame(table.session.variant, 5.0))
    table.send(ChangeSetting, setting=HEAD_START, side=DARK, value=1)
    assert table.session.position.scored == (0, 1)


def test_head_start_does_not_change_set_up_position():
    table = ButtonTable()
    position = Position.from_notation("..../.f../..F./.... l 12 12 0 0", table.session.variant)
    table.send(SetUpGame, position=position)
    table.send(ChangeSetting, setting=HEAD_START, side=DARK, value=3)
    assert table.session.position == position
    assert ids(table.session.messages)[0] == "head_start.next"


def test_head_start_brings_win_closer():
    table = ButtonTable("4x4/6/4")
    table.send(ChangeSetting, setting=HEAD_START, side=LIGHT, value=3)
    table.play("@b2 @d4 @b3 @d1")
    while not table.session.outcome:
        table.play(str(table.session.allowed_actions[-1]))
    assert table.session.position.scored[LIGHT] >= 3


def test_head_start_needs_no_hand_tasks():
    pieces_table = PiecesTable.at(Position.start(parse_variant("standard")))
    pieces_table.after(ChangeSetting(HEAD_START, DARK, 2, pieces_table.time)).wait(5.0)
    assert pieces_table.session.position.scored == (0, 2)
    assert pieces_table.session.view.game_phase == "act"
    pieces_table.drop("b2").wait(1.0)
    assert len(pieces_table.session.turns) == 1


def test_state_message_and_record_contain_head_start():
    table = ButtonTable()
    table.send(ChangeSetting, setting=HEAD_START, side=DARK, value=4)
    view = table.session.view
    state = state_message(view, table.time)
    assert state["head_start"] == {"light": 0, "dark": 4}
    assert values_by_side(parse_view(record_message(view, table.time), state), HEAD_START) == (0, 4)
    assert "[Position" in str(view.record)


@given(st.sampled_from([*VARIANTS.values(), parse_variant("3x3/1/1"), parse_variant("3x3/9/2")]), st.data())
def test_every_head_start_is_a_valid_start(variant, data):
    pieces = st.integers(0, MAX_HEAD_START)
    start = find_start(variant, (data.draw(pieces), data.draw(pieces)))
    if start is None:
        return
    assert explain_invalid_start(start) is None
    assert all(spawn >= 1 for spawn in start.spawn)


@pytest.mark.parametrize("pond", ["3x3/1/1"])
def test_tiny_pond_allows_no_head_start(pond):
    assert find_start(parse_variant(pond), (5, 5)) is None
