"""Hints, and warnings before an action counts."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pond_hw.board import Touch
from pond_hw.lights.render import render_scene
from pond_hw.messages.catalogue import LANGUAGES, get_catalogue
from pond_hw.messages.message import Message, as_message
from pond_hw.rules import DARK, LIGHT, Action, IllegalAction, Position, legal_actions, parse_variant, play
from pond_hw.server.protocol import record_message, state_message
from pond_hw.server.view_from_json import InvalidMessage, parse_view
from pond_hw.session import (
    ActionValue,
    AgreeDraw,
    AskHint,
    CellRole,
    ChangeSetting,
    ClockTick,
    HelpLevel,
    HintFound,
    NewGame,
    RedoTurns,
    RequestRefused,
    ResignGame,
    SavingChanged,
    SensorHealth,
    Session,
    ShowNotice,
    TakeAction,
    TroubleChanged,
    UndoTurns,
    describe_preview,
    describe_turn,
)
from pond_hw.session.game.hints_and_warnings import HINT_SECONDS, WIN_GAIN, describe_action_value, find_threat
from pond_hw.session.game.settings import HELP
from tests.messages.says import ids, text
from tests.rules.positions import games, random_game
from tests.session.game.test_turns import play_game
from tests.session.tables import ButtonTable, PiecesTable

THINKING = (Message("hint.thinking"),)
OPENING = "@b2 @b3 @c2 @a3"
"""Light can score three eggs by placing an egg on a2.

4 . . . .
3 e t . .
2 . F E .
1 . . . .
  a b c d
"""


def table_with_hint(opening=OPENING, action="@a2"):
    """Return a table with a hint on display."""
    table = ButtonTable()
    table.play(opening)
    table.send(AskHint)
    table.send(HintFound, action=Action.from_notation(action), action_value=ActionValue(1.9))
    return table


SIDES = {"side": "light", "other": "dark"}


def hinted_cells(session):
    return [cell for cell, sight in session.view.cells.items() if sight.role is CellRole.HINT]


def test_hint_describes_consequences_and_value():
    session = table_with_hint().session
    assert session.messages == (
        Message("hint.place", side="light", cell="a2"),
        Message("preview.develop.egg", cells=("b2",), count=1),
        Message("preview.develop.tadpole", cells=("a3",), count=1),
        Message("preview.set.egg", cells=("a2", "b2", "c2"), count=3),
        Message("preview.gain", side="light", count=3),
        Message("value.good", side="light", other="dark"),
    )
    assert hinted_cells(session) == ["a2"]


def test_move_hint_lights_source_and_target():
    session = table_with_hint(action="b2b4").session
    assert hinted_cells(session) == ["b2", "b4"]
    assert session.view.cells["b2"].piece == session.position.piece_at("b2")
    assert session.messages == (
        Message("hint.move.frog", side="light", source="b2", target="b4"),
        Message("preview.develop.frog", cells=("b3",), count=1),
        Message("value.good", side="light", other="dark"),
    )


def test_no_cell_is_lit_while_hint_is_computed():
    table = ButtonTable()
    table.play(OPENING)
    session = table.send(AskHint)
    assert session.messages == THINKING
    assert not hinted_cells(session)


def test_hint_does_not_change_the_game():
    table = ButtonTable()
    before = table.play(OPENING)
    after = table_with_hint().session
    assert (after.turns, after.undone_turns, after.allowed_actions, after.position) == (
        before.turns,
        before.undone_turns,
        before.allowed_actions,
        before.position,
    )
    assert str(after.record) == str(before.record)


@pytest.mark.parametrize("waited", [True, False])
@pytest.mark.parametrize(
    ("event", "fields"),
    [
        (Touch, {"cell": "c2", "down": True}),
        (Touch, {"cell": "b2", "down": True}),
        (Touch, {"cell": "d4", "down": True}),
        (TakeAction, {"action": Action.from_notation("@d4")}),
        (TakeAction, {"action": Action.from_notation("@c2")}),
        (UndoTurns, {}),
        (NewGame, {"variant": parse_variant("mini")}),
        (ResignGame, {}),
        (AgreeDraw, {}),
        (TroubleChanged, {"message": as_message("The sensors do not answer.")}),
        (RequestRefused, {"message": as_message("Not now.")}),
    ],
)
def test_any_player_event_removes_hint(event, fields, waited):
    table = table_with_hint()
    if waited:  # a late result is ignored
        table.session = replace(table.session, hint=None).after(AskHint(table.time))
    session = table.send(event, **fields)
    assert session.hint is None
    assert not hinted_cells(session)
    assert not any(message_id.startswith("hint.") for message_id in ids(session.messages))
    assert table.send(HintFound, action=Action.from_notation("@d1"), action_value=ActionValue(0)) is session  # too late


def test_hint_expires_and_prompt_returns():
    table = table_with_hint()
    shown = table.session
    assert shown.next_due == table.time + HINT_SECONDS
    assert shown.after(ClockTick(shown.next_due - 0.1)) is shown
    faded = shown.after(ClockTick(shown.next_due))
    assert (faded.hint, hinted_cells(faded)) == (None, [])
    assert faded.messages == (Message("prompt.buttons.place_or_move", side="light"),)


def test_second_request_extends_hint():
    table = table_with_hint()
    until = table.session.next_due
    table.time += 10
    assert table.send(AskHint).next_due == until + 11  # this table adds a second for each event
    assert hinted_cells(table.session) == ["a2"]


def test_notice_does_not_remove_hint():
    table, weak = table_with_hint(), as_message("The supply is weak.")
    for event, fields in (
        (ShowNotice, {"messages": (weak,)}),
        (SavingChanged, {"trouble": as_message("The disk is full.")}),
    ):
        assert hinted_cells(table.send(event, **fields)) == ["a2"]
    faded = table.session.after(ClockTick(table.session.next_due))
    assert faded.messages == (weak,)  # which is unrelated to the hint


def test_releasing_button_does_not_remove_hint():
    table = table_with_hint()
    assert table.send(Touch, cell="a1", down=False).hint


def test_hint_request_deselects_piece():
    table = ButtonTable()
    table.play(OPENING)
    table.press("b2")
    assert table.send(AskHint).selected_cell is None


def test_hint_is_refused_after_the_end():
    table = ButtonTable()
    table.play(OPENING)
    table.send(ResignGame)
    session = table.send(AskHint)
    assert session.hint is None
    assert session.messages == (
        Message("illegal.game_over"),
        Message("outcome.resignation", winner="dark", loser="light"),
    )
    assert table.send(HintFound, action=Action.from_notation("@a2"), action_value=ActionValue(0)) is session


def test_hint_is_refused_while_resume_prompt_is_open():
    played = ButtonTable().play(OPENING)
    offered = Session.start_game(played.variant).with_resume_prompt(played.variant, None, played.turns)
    session = offered.after(AskHint(1.0))
    assert session.hint is None
    assert session.messages[0] == Message("resume.choose_first")
    with pytest.raises(IllegalAction) as refused:
        offered.preview_action(Action.from_notation("@a2"))
    assert refused.value.message == Message("resume.choose_first")


def test_unrequested_hint_is_not_shown():
    table = ButtonTable()
    table.play(OPENING)
    before = table.session
    assert table.send(HintFound, action=Action.from_notation("@a2"), action_value=ActionValue(0)) is before


@pytest.mark.parametrize(
    ("worth", "message"),
    [
        (ActionValue(0.1), Message("value.even", **SIDES)),
        (ActionValue(-0.7), Message("value.even", **SIDES)),
        (ActionValue(1.04), Message("value.good", **SIDES)),
        (ActionValue(2.1), Message("value.very_good", **SIDES)),
        (ActionValue(-2.06), Message("value.behind", **SIDES)),
        (ActionValue(199.7, 3), Message("value.won", count=1, **SIDES)),
        (ActionValue(199.5, 5), Message("value.won", count=2, **SIDES)),
        (ActionValue(-199.4, 6), Message("value.lost", **SIDES)),
    ],
)
def test_hint_describes_value_in_words(worth, message):
    assert describe_action_value(LIGHT, worth) == message


def test_hint_describes_value_without_numbers():
    for language in LANGUAGES:
        for value in (-3.14, -0.14, 0.86, 2.14):
            shown_text = get_catalogue(language).text(describe_action_value(LIGHT, ActionValue(value)))
            assert not any(letter.isdigit() for letter in shown_text)


class TestWithPieces:
    """Hints on a board with pieces, which change only the lamps and the messages."""

    def table(self):
        return PiecesTable.at(ButtonTable().play(OPENING).position)

    def ask(self, table, action):
        table.session = table.session.after(AskHint(table.time))
        table.session = table.session.after(HintFound(Action.from_notation(action), ActionValue(0.5), table.time))
        return table

    def test_hint_is_lit_and_described(self):
        table = self.ask(self.table(), "b2b4")
        assert table.shown(CellRole.HINT) == ["b2", "b4"]
        assert table.messages[0] == Message("hint.move.frog", side="light", source="b2", target="b4")
        assert table.session.game_phase == "act"

    def test_lifted_piece_removes_hint(self):
        with_hint, without = self.ask(self.table(), "b2b4"), self.table()
        for table in (with_hint, without):
            table.touch("b2", False).wait(0.5)
        assert with_hint.session.hint is None
        assert (with_hint.phase, with_hint.messages) == ("in_hand", without.messages)
        for table in (with_hint, without):
            table.touch("d2", True).wait(0.5)
        assert with_hint.session == without.session

    def test_hint_works_with_piece_in_hand(self):
        table = self.table().touch("b2", False).wait(0.5)
        self.ask(table, "b2b4")
        assert table.shown(CellRole.HINT) == ["b2", "b4"]
        table.wait(HINT_SECONDS + 1)
        assert not table.shown(CellRole.HINT)
        assert table.messages == (Message("chosen.frog", cell="b2", cells=("b1", "a2", "d2", "b4")),)

    def test_hint_keeps_hand_tasks_visible(self):
        table = self.table()
        table.session = table.session.after(TakeAction(Action.from_notation("@a2"), table.time))
        table.touch("a2", True).wait(0.5)
        assert {"b2", "c2"} <= set(table.shown(CellRole.TAKE_OFF))
        self.ask(table, "@b2")
        assert "b2" in table.shown(CellRole.TAKE_OFF)
        assert table.messages[0] == Message("hint.place", side="dark", cell="b2")

    def test_hint_is_refused_while_board_differs(self):
        table = self.table().touch("c2", False).wait(0.5)
        assert table.session.game_phase == "differs"
        messages = table.messages
        table.session = table.session.after(AskHint(table.time))
        assert table.session.hint is None
        assert table.messages == (Message("hint.not_yet"), *messages)

    def test_known_bad_sensor_does_not_remove_hint(self):
        table = self.table()
        board_state = replace(table.session.board_state, sensors=SensorHealth(known_bad=frozenset({"d4"})))
        table.session = replace(table.session, board_state=board_state)
        self.ask(table, "b2b4")
        table.touch("d4", True)
        assert table.shown(CellRole.HINT) == ["b2", "b4"]


@given(games(), st.data())
def test_preview_equals_turn(game, data):
    session = play_game(game)
    if not session.allowed_actions:
        with pytest.raises(IllegalAction):
            session.preview_action(Action(None, "a1"))
        return
    action = data.draw(st.sampled_from(session.allowed_actions))
    would = session.preview_action(action)
    done = session.after(TakeAction(action, 0.0))
    assert would == done.turns[-1]
    assert (would.after, would.outcome) == (done.position, done.outcome)
    preview, happened = describe_preview(would), describe_turn(done.turns[-1])
    assert preview[0].arguments == happened[0].arguments
    foreseen = [message for message in preview[1:] if message.id.startswith("preview.")] if happened[1:] else []
    assert [(message.id.replace("preview.", "turn."), message.arguments) for message in foreseen] == [
        (message.id, message.arguments) for message in happened[1:]
    ]
    assert (Message("preview.nothing") in preview) == (len(happened) == 1)
    assert (preview[-1].id.startswith("outcome.")) == (would.outcome is not None)


@given(games(), st.data())
def test_illegal_action_preview_gives_reason(game, data):
    session = play_game(game)
    cells = (*session.position.grid.cells, "e5")
    action = data.draw(st.builds(Action, st.none() | st.sampled_from(cells), st.sampled_from(cells)))
    if action in session.allowed_actions:
        assert session.preview_action(action) == play(session.position, action)
    else:
        with pytest.raises(IllegalAction) as refused:
            session.preview_action(action)
        assert text(refused.value.message).endswith(".")
        assert session.after(TakeAction(action, 0.0)).turns == session.turns


@given(games(), st.data())
def test_hint_lights_exactly_the_action_cells(game, data):
    session = play_game(game)
    if not session.allowed_actions:
        return
    action = data.draw(st.sampled_from(session.allowed_actions))
    shown = session.after(AskHint(0.0)).after(HintFound(action, ActionValue(0.0), 0.0))
    assert set(hinted_cells(shown)) == {cell for cell in action if cell}
    assert shown.messages[0].id.startswith("hint.")
    assert text(*shown.messages).startswith("Hint: ")
    gone = shown.after(ClockTick(shown.next_due))
    assert replace(gone, messages=()) == replace(session, messages=(), refusal=None)
    assert session.after(RedoTurns(0.0)).hint is None


def test_second_request_waits_for_same_hint():
    session = Session.start_game(parse_variant("standard")).after(AskHint(1.0))
    again = session.after(AskHint(1.3))
    assert again.hint is session.hint
    assert again.messages == THINKING


THREATENED = "@b1 @d4 @d1 @c1 @a3 @d3 @c2 @d2"
"""Light is to move. After @a1 or c2c1, Dark can score three with an egg on d1. After @d1, it can't."""

CAREFUL = Message("threat.gain", side="dark", cell="d1", count=3)
AGAIN = Message("threat.again")


@pytest.fixture
def table():
    table = ButtonTable()
    table.play(THREATENED)
    table.send(ChangeSetting, setting=HELP, side=LIGHT, value=HelpLevel.WARNINGS)
    return table


@pytest.fixture
def pieces_table(table):
    pieces_table = PiecesTable.at(table.session.position)
    pieces_table.after(ChangeSetting(HELP, LIGHT, HelpLevel.WARNINGS, pieces_table.time))
    return pieces_table


def roles(session, role):
    return {cell for cell, shown in session.view.cells.items() if shown.role is role}


def last_action(session):
    return str(session.turns[-1].action)


def test_warned_action_needs_second_press(table):
    table.press("a1")
    assert (last_action(table.session), table.session.messages) == ("@d2", (CAREFUL, AGAIN))
    assert roles(table.session, CellRole.WARNED) == {"a1"}
    table.press("a1")
    assert last_action(table.session) == "@a1"
    assert table.session.warned_action is None


def test_cell_with_warning_pulses(table):
    table.press("a1")
    scene = table.session.view.scene
    looks = {render_scene(scene, table.time + tenth / 10, 1)[:3] for tenth in range(30)}  # a1 comes first
    assert len(looks) > 5


def test_another_press_replaces_warned_action(table):
    table.press("a1", "d1")
    assert last_action(table.session) == "@d1"
    assert ids(table.session.messages)[0] == "turn.place"


def test_warned_move_keeps_piece_selected(table):
    table.press("c2", "c1")
    assert table.session.messages == (CAREFUL, AGAIN)
    assert (table.session.selected_cell, roles(table.session, CellRole.WARNED)) == ("c2", {"c1"})
    table.press("c2")
    assert (table.session.selected_cell, table.session.warned_action) == (None, None)
    table.press("c2", "c1", "c1")
    assert last_action(table.session) == "c2c1"


def test_warning_is_repeated_after_refusal(table):
    table.press("a1", "d4", "a1")
    assert (last_action(table.session), table.session.messages) == ("@d2", (CAREFUL, AGAIN))


@pytest.mark.parametrize("level", [HelpLevel.FULL, HelpLevel.TARGETS, HelpLevel.NONE])
def test_lower_help_levels_give_no_warning(table, level):
    table.send(ChangeSetting, setting=HELP, side=LIGHT, value=level)
    table.press("a1")
    assert last_action(table.session) == "@a1"


def test_other_side_is_not_warned(table):
    table.press("d1")
    table.press("a1")
    assert last_action(table.session) == "@a1"


def test_warnings_level_includes_hints_and_previews(table):
    assert table.session.explain_no_advice() is None


def test_remote_player_is_warned_but_program_is_not(table):
    action = Action.from_notation("@a1")
    table.send(TakeAction, action=action, side=LIGHT)
    assert table.session.messages == (CAREFUL, AGAIN)
    page = table.session
    table.send(TakeAction, action=action, side=LIGHT)
    assert last_action(table.session) == "@a1"
    table.session = page
    table.send(TakeAction, action=action)
    assert last_action(table.session) == "@a1"


def test_state_message_contains_warning(table):
    table.press("a1")
    view = table.session.view
    state = state_message(view, table.time)
    assert state["warned"] == "@a1"
    again = parse_view(record_message(view, table.time), state)
    assert (again.warned_action, again.cells) == (view.warned_action, view.cells)
    state["warned"] = "d4a1"
    with pytest.raises(InvalidMessage):
        parse_view(record_message(view, table.time), state)


def test_warned_placement_counts_after_six_seconds(pieces_table):
    pieces_table.drop("a1").wait(1.0)
    assert not pieces_table.session.turns
    assert CAREFUL in pieces_table.session.messages
    assert roles(pieces_table.session, CellRole.PENDING) == {"a1"}
    pieces_table.wait(4.0)
    assert not pieces_table.session.turns
    pieces_table.wait(2.0)
    assert last_action(pieces_table.session) == "@a1"


def test_warned_placement_can_be_taken_back(pieces_table):
    pieces_table.drop("a1").wait(2.0)
    pieces_table.lift("a1").wait(20.0)
    assert not pieces_table.session.turns
    pieces_table.drop("d1").wait(1.0)
    assert last_action(pieces_table.session) == "@d1"


def test_warned_move_can_be_taken_back(pieces_table):
    pieces_table.lift("c2").wait(0.5)
    pieces_table.drop("c1").wait(1.0)
    assert not pieces_table.session.turns
    pieces_table.lift("c1").wait(0.5)
    pieces_table.drop("c2").wait(20.0)
    assert not pieces_table.session.turns
    assert pieces_table.session.view.game_phase == "act"


def gains(turn):
    """Return the other side's score gain for each of its possible replies. A win is the highest gain."""
    if turn.outcome:
        return [WIN_GAIN] if turn.outcome.winner is turn.side.other_side else [0]
    side, before = turn.after.to_move, turn.after.scored
    found = []
    for action in legal_actions(turn.after):
        reply = play(turn.after, action)
        scored = [now - then for now, then in zip(reply.after.scored, before, strict=True)]
        has_won = reply.outcome is not None and reply.outcome.winner is side
        found.append(WIN_GAIN if has_won else scored[side] - scored[side.other_side])
    return found


@given(st.integers(0, 10_000), st.sampled_from(["mini", "3x3/9/5", "3x3/4/3"]))
def test_threat_is_found_only_if_avoidable(seed, pond):
    turns = random_game(seed, parse_variant(pond)).turns
    turn = turns[seed % len(turns)]
    worst = {action: max(gains(play(turn.before, action))) for action in legal_actions(turn.before)}
    threat = find_threat(turn.before, turn.action)
    is_bad, has_better = worst[turn.action] >= 2, min(worst.values()) < 2
    assert (threat is not None) == (is_bad and has_better)
    if threat:
        assert (threat.gain, threat.side) == (worst[turn.action], turn.side.other_side)


@pytest.mark.slow
def test_action_that_loses_immediately_gives_warning():
    found = {}
    for seed in range(300):
        for turn in random_game(seed, parse_variant("3x3/4/3")).turns:
            threat = find_threat(turn.before, turn.action)
            if threat and threat.gain == WIN_GAIN:
                found[threat.describe().id] = threat.side
    assert found.keys() == {"threat.win", "threat.lost"}
    assert set(found.values()) <= {LIGHT, DARK}


def test_no_threat_is_found_in_empty_pond():
    start = Position.start(parse_variant("standard"))
    assert [find_threat(start, action) for action in legal_actions(start)] == [None] * 16
