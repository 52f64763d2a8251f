"""A side that wants to be warned: before an action counts after which the other side could win or score much."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pond_hw.lights.render import render_scene
from pond_hw.messages.message import Message
from pond_hw.rules import DARK, LIGHT, Action, Position, legal_actions, parse_variant, play
from pond_hw.server.decoding import InvalidMessage, parse_view
from pond_hw.server.protocol import record_message, state_message
from pond_hw.session import CellRole, ChangeSetting, HelpLevel, TakeAction, find_threat
from pond_hw.session.game.hints_and_warnings import WON_GAME
from pond_hw.session.game.settings import HELP
from tests.messages.says import ids
from tests.rules.positions import random_game
from tests.session.table import Table
from tests.session.wooden import Wooden

OPENING = "@b1 @d4 @d1 @c1 @a3 @d3 @c2 @d2"
"""Light is to move. After an egg on a1, or c2c1, dark scores three with an egg on d1; after one on d1 it can't."""

CAREFUL = Message("threat.gain", side="dark", cell="d1", count=3)
AGAIN = Message("threat.again")


@pytest.fixture
def table():
    table = Table()
    table.play(OPENING)
    table.does(ChangeSetting, setting=HELP, side=LIGHT, value=HelpLevel.WARNINGS)
    return table


@pytest.fixture
def wooden(table):
    wooden = Wooden.at(table.session.position)
    wooden.after(ChangeSetting(HELP, LIGHT, HelpLevel.WARNINGS, wooden.time))
    return wooden


def roles(session, role):
    return {cell for cell, shown in session.view.cells.items() if shown.role is role}


def last_action(session):
    return str(session.turns[-1].action)


def test_an_action_that_gives_much_away_waits_for_a_second_press(table):
    table.press("a1")
    assert (last_action(table.session), table.session.messages) == ("@d2", (CAREFUL, AGAIN))
    assert roles(table.session, CellRole.WARNED) == {"a1"}
    table.press("a1")
    assert last_action(table.session) == "@a1"
    assert table.session.warned_action is None


def test_its_cell_breathes_until_then(table):
    table.press("a1")
    scene = table.session.view.scene
    looks = {render_scene(scene, table.time + tenth / 10, 1)[:3] for tenth in range(30)}  # a1 comes first
    assert len(looks) > 5


def test_another_press_is_another_action_and_the_first_is_forgotten(table):
    table.press("a1", "d1")
    assert last_action(table.session) == "@d1"
    assert ids(table.session.messages)[0] == "turn.place"


def test_the_piece_that_would_move_stays_chosen_and_can_be_let_go(table):
    table.press("c2", "c1")
    assert table.session.messages == (CAREFUL, AGAIN)
    assert (table.session.selected_cell, roles(table.session, CellRole.WARNED)) == ("c2", {"c1"})
    table.press("c2")
    assert (table.session.selected_cell, table.session.warned_action) == (None, None)
    table.press("c2", "c1", "c1")
    assert last_action(table.session) == "c2c1"


def test_a_refusal_in_between_makes_the_warning_be_said_again(table):
    table.press("a1", "d4", "a1")
    assert (last_action(table.session), table.session.messages) == ("@d2", (CAREFUL, AGAIN))


@pytest.mark.parametrize("level", [HelpLevel.FULL, HelpLevel.TARGETS, HelpLevel.NONE])
def test_nobody_else_is_warned(table, level):
    table.does(ChangeSetting, setting=HELP, side=LIGHT, value=level)
    table.press("a1")
    assert last_action(table.session) == "@a1"


def test_the_other_side_is_not_warned_by_it(table):
    table.press("d1")
    table.press("a1")
    assert last_action(table.session) == "@a1"


def test_who_wants_warnings_has_hints_and_previews_too(table):
    assert table.session.explain_no_advice() is None


def test_somebody_on_the_page_is_warned_and_a_program_is_not(table):
    action = Action.from_notation("@a1")
    table.does(TakeAction, action=action, side=LIGHT)
    assert table.session.messages == (CAREFUL, AGAIN)
    page = table.session
    table.does(TakeAction, action=action, side=LIGHT)
    assert last_action(table.session) == "@a1"
    table.session = page
    table.does(TakeAction, action=action)
    assert last_action(table.session) == "@a1"


def test_another_screen_shows_the_same(table):
    table.press("a1")
    view = table.session.view
    state = state_message(view, table.time)
    assert state["warned"] == "@a1"
    again = parse_view(record_message(view, table.time), state)
    assert (again.warned_action, again.cells) == (view.warned_action, view.cells)
    state["warned"] = "d4a1"
    with pytest.raises(InvalidMessage):
        parse_view(record_message(view, table.time), state)


def test_a_piece_that_gives_much_away_counts_only_after_six_seconds(wooden):
    wooden.drop("a1").wait(1.0)
    assert not wooden.session.turns
    assert CAREFUL in wooden.session.messages
    assert roles(wooden.session, CellRole.PENDING) == {"a1"}
    wooden.wait(4.0)
    assert not wooden.session.turns
    wooden.wait(2.0)
    assert last_action(wooden.session) == "@a1"


def test_meanwhile_the_piece_may_be_put_back(wooden):
    wooden.drop("a1").wait(2.0)
    wooden.lift("a1").wait(20.0)
    assert not wooden.session.turns
    wooden.drop("d1").wait(1.0)
    assert last_action(wooden.session) == "@d1"


def test_a_piece_that_may_be_moved_back_is_too(wooden):
    wooden.lift("c2").wait(0.5)
    wooden.drop("c1").wait(1.0)
    assert not wooden.session.turns
    wooden.lift("c1").wait(0.5)
    wooden.drop("c2").wait(20.0)
    assert not wooden.session.turns
    assert wooden.session.view.game_phase == "act"


def gains(turn):
    """What the next turns of the other side are worth to it, by the score alone; winning is worth most."""
    if turn.outcome:
        return [WON_GAME] if turn.outcome.winner is turn.side.other_side else [0]
    side, before = turn.after.to_move, turn.after.scored
    found = []
    for action in legal_actions(turn.after):
        reply = play(turn.after, action)
        scored = [now - then for now, then in zip(reply.after.scored, before, strict=True)]
        has_won = reply.outcome is not None and reply.outcome.winner is side
        found.append(WON_GAME if has_won else scored[side] - scored[side.other_side])
    return found


@given(st.integers(0, 10_000), st.sampled_from(["mini", "3x3/9/5", "3x3/4/3"]))
def test_a_warning_is_right_and_another_action_would_be_better(seed, pond):
    turns = random_game(seed, parse_variant(pond)).turns
    turn = turns[seed % len(turns)]
    worst = {action: max(gains(play(turn.before, action))) for action in legal_actions(turn.before)}
    threat = find_threat(turn.before, turn.action)
    is_bad, has_better = worst[turn.action] >= 2, min(worst.values()) < 2
    assert (threat is not None) == (is_bad and has_better)
    if threat:
        assert (threat.gain, threat.side) == (worst[turn.action], turn.side.other_side)


@pytest.mark.slow
def test_a_game_that_is_given_away_at_once_is_called_what_it_is():
    found = {}
    for seed in range(300):
        for turn in random_game(seed, parse_variant("3x3/4/3")).turns:
            threat = find_threat(turn.before, turn.action)
            if threat and threat.gain == WON_GAME:
                found[threat.describe().id] = threat.side
    assert found.keys() == {"threat.win", "threat.lost"}
    assert set(found.values()) <= {LIGHT, DARK}


def test_at_the_beginning_there_is_nothing_to_warn_of():
    start = Position.start(parse_variant("standard"))
    assert [find_threat(start, action) for action in legal_actions(start)] == [None] * 16
