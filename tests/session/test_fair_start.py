"""A fair start: neither side is better off when the game begins."""

import pytest

from pond_hw.rules import LIGHT, VARIANTS, Position, explain_invalid_start, parse_variant
from pond_hw.server.decoding import parse_view
from pond_hw.server.protocol import record_message, state_message
from pond_hw.session import ChangeSetting, NewGame, SetUpGame, prompt_turn
from pond_hw.session.game.fair_start_table import FAIR_STARTS
from pond_hw.session.game.settings import FAIR_START, HEAD_START
from pond_hw.session.game.start_positions import draw_fair_start
from tests.messages.says import ids
from tests.session.table import Table
from tests.session.wooden import Wooden


@pytest.mark.parametrize("name", VARIANTS)
def test_every_fair_start_is_a_position_after_four_eggs_with_light_to_move(name):
    variant = VARIANTS[name]
    starts = [Position.from_notation(line, variant) for line in FAIR_STARTS[name]]
    assert len(set(starts)) == len(starts) >= 8
    for start in starts:
        assert explain_invalid_start(start) is None
        assert (start.to_move, start.scored, len(start.pieces)) == (LIGHT, (0, 0), 4)
        assert start.spawn == (variant.spawn - 2, variant.spawn - 2)


def test_before_the_first_action_it_counts_at_once_and_can_be_taken_back():
    table = Table()
    table.does(ChangeSetting, setting=FAIR_START, side=None, value=True)
    assert table.session.position.notation_line in FAIR_STARTS["standard"]
    assert ids(table.session.messages)[0] == "fair_start.on.now"
    table.does(ChangeSetting, setting=FAIR_START, side=None, value=False)
    assert table.session.position == Position.start(table.session.variant)
    assert ids(table.session.messages)[0] == "fair_start.off.now"


def test_a_game_that_is_on_stays_and_the_next_ones_begin_fair():
    table = Table()
    table.play("@b2 @c3")
    table.does(ChangeSetting, setting=FAIR_START, side=None, value=True)
    assert len(table.session.turns) == 2
    assert ids(table.session.messages)[0] == "fair_start.on.next"
    drawn = set()
    for _ in range(40):
        table.does(NewGame, variant=parse_variant("mini"))
        assert table.session.position.notation_line in FAIR_STARTS["mini"]
        assert table.session.messages == (prompt_turn(table.session.position),)
        drawn.add(table.session.position)
        table.play(str(table.session.allowed_actions[0]))
    assert len(drawn) > 5


def test_with_pieces_the_lamps_ask_for_the_eggs():
    wooden = Wooden.at(Position.start(parse_variant("standard")))
    wooden.after(ChangeSetting(FAIR_START, None, True, wooden.time)).wait(2.0)
    for cell in wooden.session.position.pieces:
        wooden.drop(cell).wait(1.0)
    assert wooden.session.view.game_phase == "act"
    assert not wooden.session.turns


def test_a_pond_of_ones_own_has_none_and_begins_as_ever():
    table = Table("3x3/9/5")
    table.does(ChangeSetting, setting=FAIR_START, side=None, value=True)
    assert table.session.position == Position.start(table.session.variant)
    assert ids(table.session.messages)[0] == "fair_start.none"
    assert not table.session.fair_start
    assert draw_fair_start(parse_variant("3x3/9/5"), 1.0) is None


def test_a_position_that_was_set_up_stays_when_games_are_no_longer_to_begin_fair():
    table = Table()
    table.does(ChangeSetting, setting=FAIR_START, side=None, value=True)
    position = Position.from_notation("..../.f../..F./.... l 12 12 0 0", table.session.variant)
    table.does(SetUpGame, position=position)
    table.does(ChangeSetting, setting=FAIR_START, side=None, value=False)
    assert table.session.position == position
    assert ids(table.session.messages)[0] == "fair_start.off.next"


def test_a_head_start_comes_on_top_of_it_and_the_eggs_stay_where_they_are():
    table = Table()
    table.does(ChangeSetting, setting=FAIR_START, side=None, value=True)
    fair_start = table.session.position
    table.does(ChangeSetting, setting=HEAD_START, side=LIGHT, value=2)
    assert table.session.position == fair_start._replace(scored=(2, 0), spawn=(9, 11))
    assert ids(table.session.messages)[0] == "head_start.now"
    assert not table.session.can_continue  # nothing has been done yet
    table.does(ChangeSetting, setting=HEAD_START, side=LIGHT, value=0)
    assert table.session.position == fair_start
    table.does(ChangeSetting, setting=HEAD_START, side=LIGHT, value=2)
    table.does(ChangeSetting, setting=FAIR_START, side=None, value=False)
    assert table.session.position == Position.start(table.session.variant)._replace(scored=(2, 0), spawn=(11, 13))


def test_an_empty_pond_that_was_set_up_is_empty():
    table = Table()
    table.does(ChangeSetting, setting=FAIR_START, side=None, value=True)
    table.does(ChangeSetting, setting=HEAD_START, side=LIGHT, value=2)
    table.does(SetUpGame, position=Position.start(table.session.variant))
    assert table.session.position == Position.start(table.session.variant)


def test_another_screen_knows_of_it():
    table = Table()
    table.does(ChangeSetting, setting=FAIR_START, side=None, value=True)
    view = table.session.view
    state = state_message(view, table.time)
    assert state["fair_start"] is True
    assert parse_view(record_message(view, table.time), state).fair_start
