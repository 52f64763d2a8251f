"""A head start: a child begins with some scored pieces, and its grandmother with none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pond_hw.messages.message import Message
from pond_hw.rules import DARK, LIGHT, VARIANTS, Position, explain_invalid_start, parse_variant
from pond_hw.server.decoding import parse_view
from pond_hw.server.protocol import record_message, state_message
from pond_hw.session import ChangeSetting, GameStarted, NewGame, SetUpGame, find_start
from pond_hw.session.game.settings import HEAD_START, MAX_HEAD_START
from tests.messages.says import ids
from tests.session.table import Table, of_sides
from tests.session.wooden import Wooden


def test_before_the_first_action_it_counts_at_once():
    table = Table()
    table.does(ChangeSetting, setting=HEAD_START, side=DARK, value=3)
    position = table.session.position
    assert (position.scored, position.spawn, position.to_move) == ((0, 3), (13, 10), LIGHT)
    assert ids(table.session.messages)[0] == "head_start.now"
    assert table.session.game_events == (GameStarted(table.session.variant, position),)


def test_a_game_that_is_on_stays_as_it_is_and_the_next_one_has_it():
    table = Table()
    table.play("@b2 @c3")
    table.does(ChangeSetting, setting=HEAD_START, side=LIGHT, value=2)
    assert (table.session.position.scored, len(table.session.turns)) == ((0, 0), 2)
    assert ids(table.session.messages)[0] == "head_start.next"
    table.does(NewGame, variant=table.session.variant)
    assert table.session.position.scored == (2, 0)
    table.play("@b2 @c3")
    table.does(NewGame, variant=parse_variant("mini"))
    assert (table.session.position.scored, table.session.position.spawn) == ((2, 0), (8, 10))


def test_what_is_said_is_what_a_small_pond_allows():
    table = Table("3x3/5/3")
    table.does(ChangeSetting, setting=HEAD_START, side=LIGHT, value=5)
    assert table.session.position.scored == (2, 0)
    assert table.session.messages[0] == Message("head_start.now", side="light", count=2)


def test_it_is_taken_back_as_it_was_given():
    table = Table()
    table.does(ChangeSetting, setting=HEAD_START, side=DARK, value=3)
    table.does(ChangeSetting, setting=HEAD_START, side=LIGHT, value=1)
    assert table.session.position.scored == (1, 3)
    table.does(ChangeSetting, setting=HEAD_START, side=DARK, value=0)
    table.does(ChangeSetting, setting=HEAD_START, side=LIGHT, value=0)
    assert table.session.custom_start is None
    assert table.session.position == Position.start(table.session.variant)


def test_after_an_action_that_was_taken_back_the_game_has_begun():
    table = Table()
    table.play("@b2")
    table.session = table.session.after(NewGame(table.session.variant, 5.0))
    table.does(ChangeSetting, setting=HEAD_START, side=DARK, value=1)
    assert table.session.position.scored == (0, 1)


def test_a_position_that_was_set_up_is_nobodys_head_start():
    table = Table()
    position = Position.from_notation("..../.f../..F./.... l 12 12 0 0", table.session.variant)
    table.does(SetUpGame, position=position)
    table.does(ChangeSetting, setting=HEAD_START, side=DARK, value=3)
    assert table.session.position == position
    assert ids(table.session.messages)[0] == "head_start.next"


def test_whoever_is_ahead_wins_sooner():
    table = Table("4x4/6/4")
    table.does(ChangeSetting, setting=HEAD_START, side=LIGHT, value=3)
    table.play("@b2 @d4 @b3 @d1")
    while not table.session.outcome:
        table.play(str(table.session.allowed_actions[-1]))
    assert table.session.position.scored[LIGHT] >= 3


def test_with_pieces_nobody_has_to_move_a_piece_for_it():
    wooden = Wooden.at(Position.start(parse_variant("standard")))
    wooden.after(ChangeSetting(HEAD_START, DARK, 2, wooden.time)).wait(5.0)
    assert wooden.session.position.scored == (0, 2)
    assert wooden.session.view.game_phase == "act"
    wooden.drop("b2").wait(1.0)
    assert len(wooden.session.turns) == 1


def test_another_screen_and_the_record_have_it_too():
    table = Table()
    table.does(ChangeSetting, setting=HEAD_START, side=DARK, value=4)
    view = table.session.view
    state = state_message(view, table.time)
    assert state["head_start"] == {"light": 0, "dark": 4}
    assert of_sides(parse_view(record_message(view, table.time), state), HEAD_START) == (0, 4)
    assert "[Position" in str(view.record)


@given(st.sampled_from([*VARIANTS.values(), parse_variant("3x3/1/1"), parse_variant("3x3/9/2")]), st.data())
def test_every_head_start_is_a_position_that_a_game_can_begin_from(variant, data):
    pieces = st.integers(0, MAX_HEAD_START)
    start = find_start(variant, (data.draw(pieces), data.draw(pieces)))
    if start is None:
        return
    assert explain_invalid_start(start) is None
    assert all(spawn >= 1 for spawn in start.spawn)


@pytest.mark.parametrize("pond", ["3x3/1/1"])
def test_where_there_is_no_room_for_one_there_is_none(pond):
    assert find_start(parse_variant(pond), (5, 5)) is None
