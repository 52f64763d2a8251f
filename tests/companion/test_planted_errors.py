"""Tests that the game goes on when any part of the loop raises an exception.

Only the failing step is lost. The board shows trouble briefly, and then the game continues.
"""

import logging
from contextlib import contextmanager
from inspect import getattr_static
from random import Random

import pytest

from pond_hw.board import Touch
from pond_hw.companion import Companion, lamp_display, loop
from pond_hw.companion.durable_session import DurableSession
from pond_hw.companion.error_barrier import FAILURE_SHOWN_SECONDS, MAX_PAUSE_SECONDS
from pond_hw.companion.lamp_display import SHOW_AGAIN_SECONDS
from pond_hw.engine import make_player
from pond_hw.engine.hints import ImmediateAdviser
from pond_hw.journal import store, stored_game
from pond_hw.journal.folder import read_all_games
from pond_hw.lights import CurrentLimiter
from pond_hw.messages.message import Message
from pond_hw.rules import LIGHT, STANDARD, VARIANTS, Action, Position, legal_actions
from pond_hw.session import (
    AgreeDraw,
    AskHint,
    AskPermission,
    BoardIsRight,
    BoardState,
    ChangeCourse,
    ChangeSetting,
    ChooseExercise,
    ChooseResume,
    ClockTick,
    Course,
    EndTurn,
    ExerciseChoice,
    FollowGame,
    HeldFingers,
    HelpLevel,
    HintFound,
    LinkChanged,
    LinkView,
    MaskSensor,
    NewGame,
    PauseExercise,
    PhoneSign,
    RecallHelp,
    RedoTurns,
    RequestRefused,
    ResignGame,
    ResumeChoice,
    SavingChanged,
    SeatsChanged,
    Session,
    SessionEvent,
    SetUpGame,
    ShowNotice,
    SideHelp,
    SignColour,
    StartExercise,
    TakeAction,
    TroubleChanged,
    UndoTurns,
    View,
    WithdrawRequest,
)
from pond_hw.session.game import session_state, touches, turns, view
from pond_hw.session.game.session_events import OpenGameMenu, SendPhonesAway
from pond_hw.session.game.settings import HINT_LIMIT
from pond_hw.session.pieces import interpreter
from pond_hw.simulator.board_with_pieces import PieceOptions
from tests.conftest import each, limit_frame_rate, long_after_first
from tests.journal.projections import project_session
from tests.journal.simulated_journal import SimulatedJournal
from tests.messages.says import text
from tests.table import Table


def is_failure(message):
    """Return True if a message names the planted error and its location."""
    return (
        message.id == "failure.inside"
        and message.arguments["error"] == "PlantedError"
        and message.arguments["line"] > 0
    )


FRAME_SECONDS = 0.2
"""Frame interval. It only affects how long the tests take."""

MAX_STEPS = 1 / FRAME_SECONDS + 1 / SHOW_AGAIN_SECONDS
"""Maximum number of loop steps per second without events."""


@pytest.fixture(autouse=True)
def _slow_lamps(monkeypatch):
    limit_frame_rate(monkeypatch, FRAME_SECONDS)
    monkeypatch.setattr(loop, "FRAME_SECONDS", FRAME_SECONDS)  # interval of the loop while something fails


class PlantedError(Exception):
    """Exception raised by planted errors."""


class FailingCall:
    """Function wrapper that fails on every call, only for arguments of some types, a number of times, or at random."""

    def __init__(self, function, only=None, times=None, rng=None):
        self.function, self.only, self.left, self.rng = function, only, times, rng
        self.calls = 0

    def __call__(self, *given, **named):
        is_spared = self.only and not any(isinstance(each, self.only) for each in given)
        if is_spared or self.left == 0 or (self.rng and self.rng.random() > 0.1):
            return self.function(*given, **named)
        self.calls += 1
        if self.left:
            self.left -= 1
        raise PlantedError("planted error")


@contextmanager
def plant_errors(*where, **how):
    """Replace functions, given as `(owner, name)`, with failing ones."""
    with pytest.MonkeyPatch.context() as patch:
        calls = []
        for owner, name in where:
            target = getattr_static(owner, name)
            if isinstance(target, property):
                calls.append(FailingCall(target.fget, **how))
                patch.setattr(owner, name, property(lambda itself, call=calls[-1]: call(itself)))
            elif isinstance(target, classmethod):
                calls.append(FailingCall(target.__func__, **how))
                patch.setattr(owner, name, classmethod(lambda *given, call=calls[-1]: call(*given)))
            else:
                calls.append(FailingCall(target, **how))
                patch.setattr(owner, name, lambda *given, call=calls[-1], **named: call(*given, **named))
        yield calls


class FailingTable(Table):
    """A table with planted errors. Counts the steps of the loop."""

    def __init__(self, *, pieces=False, **options):
        self.has_pieces, self.steps = pieces, 0
        pieces = PieceOptions(seed=1) if pieces else None
        super().__init__(pieces=pieces, adviser=ImmediateAdviser(max_nodes=50), **options)
        self.wait(1.5)

    def wait(self, seconds):
        """Advance the time as `Companion.run_until` does, and count the steps."""
        end = self.clock.now() + seconds
        while True:
            due = self.companion.step()
            self.steps += 1
            if self.clock.now() >= end:
                return
            self.clock.wait(min(due, end), self.companion._arrival_flag)

    def act(self, text):
        """Play an action with buttons or pieces, and wait briefly."""
        source, target = Action.from_notation(text)
        if self.has_pieces:
            if source:
                self.hands.lift(source)
            self.hands.drop(target, self.session.position.to_move)
            self.wait(0.3)
            return
        for cell in (source, target):
            if cell:
                self.hands.touch(cell)
                self.wait(0.1)

    def continues(self, within=MAX_PAUSE_SECONDS + FAILURE_SHOWN_SECONDS + 2):
        """Return True if the game goes on normally."""
        self.wait(within)
        if self.session.trouble:
            return False
        if self.session.resume_prompt:
            self.send(ChooseResume, choice=ResumeChoice.RESUME)
            self.wait(1.5)
        if self.session.outcome:
            self.send(NewGame, variant=STANDARD)
        before = len(self.session.turns)
        pieces = self.session.position.pieces
        free = next(cell for cell in ("d4", "a4", "d1", "c4", "a1") if cell not in pieces)
        self.act(f"@{free}")
        return len(self.session.turns) == before + 1


def game(session):
    """Return the state of a game without its messages."""
    return project_session(session)


def shows_cross(frame):
    """Return True if a frame shows the red cross that signals trouble."""
    red = {cell: max(lamp[0] - max(lamp[1:]) for lamp in lamps) for cell, lamps in frame.colours_by_cell.items()}
    return all(red[cell] > 20 for cell in ("a1", "b2", "c3", "d4", "a4", "b3", "c2", "d1"))


# One failing event


KINDS = {
    ChangeCourse: {"course": Course("puzzles", tuple)},
    TakeAction: {"action": Action.from_notation("@c3")},
    UndoTurns: {},
    RedoTurns: {},
    NewGame: {"variant": VARIANTS["mini"]},
    SetUpGame: {"position": Position.from_notation("..../.e../.T../.... l 12 12 0 0")},
    BoardIsRight: {},
    EndTurn: {},
    MaskSensor: {"cell": "c3"},
    AskHint: {},
    HintFound: {"action": Action.from_notation("@c3"), "action_value": (0.0, None)},
    ChooseResume: {"choice": ResumeChoice.LOOK},
    SavingChanged: {"trouble": Message("saving.slow")},
    ResignGame: {},
    AgreeDraw: {},
    RequestRefused: {"message": Message("hint.none")},
    ShowNotice: {"messages": (Message("supply.weak"),)},
    AskPermission: {
        "purpose": Message("permission.draw"),
        "cells": ("b2",),
        "number": 1,
        "sign": PhoneSign(SignColour.GREEN, 27),
    },
    WithdrawRequest: {"number": 1},
    SeatsChanged: {"seat_count": 1},
    SendPhonesAway: {},
    ChangeSetting: {"setting": HINT_LIMIT, "side": LIGHT, "value": 3},
    RecallHelp: {"side": LIGHT, "side_help": SideHelp(HelpLevel.NONE, 2, 3), "name": "Ada"},
    OpenGameMenu: {},
    StartExercise: {"course_name": "lessons"},
    PauseExercise: {},
    LinkChanged: {"link": LinkView(running=True)},
    FollowGame: {
        "game": "0123456789abcdef",
        "side": LIGHT,
        "variant": STANDARD,
        "turn": 0,
        "keep": 0,
        "actions": (),
        "outcome": None,
    },
    ChooseExercise: {"choice": ExerciseChoice.LEAVE},
}


@pytest.mark.slow
@each("kind, pieces", [(kind, pieces) for kind in KINDS for pieces in (False, True)])
def test_failing_event_changes_nothing_and_shows_trouble(kind, pieces):
    table = FailingTable(pieces=pieces)
    table.act("@b2")
    before = game(table.session)
    with plant_errors((Session, "after"), only=kind, times=1) as [planted]:
        table.send(kind, **KINDS[kind])
        assert planted.calls == 1
    assert game(table.session) == before
    assert is_failure(table.companion.barrier.last_failure)
    assert table.session.trouble == Message("failure.trouble", failure=table.companion.barrier.last_failure)
    assert table.companion.barrier.failure_count == 1
    seen = []
    for _ in range(int(FAILURE_SHOWN_SECONDS / 0.1)):
        seen.append(shows_cross(table.companion.frame))
        table.wait(0.1)
    assert any(seen)
    table.wait(0.3)
    assert table.session.trouble is None
    assert table.continues(within=1.5)
    assert table.companion.barrier.failure_count == 1


def test_every_event_kind_is_covered():
    assert set(KINDS) | {Touch, ClockTick, TroubleChanged} == set(SessionEvent.__args__)


@each("pieces", [False, True])
def test_failed_press_is_lost_but_piece_is_remembered(pieces):
    table = FailingTable(pieces=pieces)
    table.act("@b2")
    with plant_errors((Session, "after"), only=Touch, times=1):
        table.act("@b3")
    assert table.played == ["@b2"]
    assert table.session.trouble
    table.wait(FAILURE_SHOWN_SECONDS + 2)
    if pieces:
        assert table.session.board_state.occupancy.occupied_cells == {"b2", "b3"}  # the game does not have it yet
        table.hands.lift("b3")
        table.wait(1)
    assert table.session.trouble is None
    table.act("@b3")
    assert table.played == ["@b2", "@b3"]


def test_trouble_is_applied_after_its_event_fails_once():
    table, trouble = FailingTable(), Message("sensors.lost", reason=Message("i2c.hangs", bus=1))
    with plant_errors((Session, "after"), only=TroubleChanged, times=1):
        table.report_health(trouble)
    table.wait(FAILURE_SHOWN_SECONDS + 1)
    assert table.session.trouble == trouble
    table.report_health(None)
    assert table.continues()


def test_lamps_show_trouble_when_every_event_fails():
    table = FailingTable()
    with plant_errors((Session, "after")):
        table.act("@b2")
        seen = []
        for _ in range(20):
            seen.append(shows_cross(table.companion.frame))
            table.wait(0.1)
    assert any(seen)
    assert table.continues()


def test_trouble_ends_even_if_its_end_event_fails():
    table = FailingTable()
    with plant_errors((Session, "after"), only=UndoTurns, times=1):
        table.send(UndoTurns)
    assert table.session.trouble
    with plant_errors((Session, "after"), only=TroubleChanged):
        table.wait(FAILURE_SHOWN_SECONDS + 1)
    assert table.session.trouble is None
    assert table.continues()


# Repeated failures


PURE = [
    (Session, "after"),
    (Session, "view"),
    (View, "scene"),
    (Session, "next_due"),
    (touches, "look_at_board"),
    (lamp_display, "draw_scene"),
    (CurrentLimiter, "limit_frame"),
    (stored_game, "format_events"),
    (session_state, "describe_hint"),
    (Session, "is_undecided"),
    (Session, "outcome"),
    (Session, "position"),
    (Session, "record"),
    (Session, "game_phase"),
    (Session, "allowed_actions"),
    (Session, "legal_targets"),
    (turns, "play"),
    (turns, "describe_turn"),
    (session_state, "prompt_turn"),
    (touches, "describe_interpretation"),
    (session_state, "view_occupancy"),
    (view, "occupancy_overlay"),
    (touches, "find_refused_cell"),
    (interpreter, "interpret_occupancy"),
    (BoardState, "find_difference"),
    (BoardState, "after_touch"),
    (BoardState, "next_due"),
    (BoardState, "after_wakeup"),
    (BoardState, "after_turns"),
    (stored_game, "list_entries"),
    (loop, "adapt_event"),
    (HeldFingers, "before_step"),
    (HeldFingers, "after_step"),
    (HeldFingers, "after_clock"),
    (Companion, "_apply_long_presses"),
    (DurableSession, "check_disk"),
    (Companion, "_schedule_next_step"),
]


@pytest.mark.slow
@pytest.mark.parametrize("share", long_after_first([slice(0, 8), slice(8, 20), slice(20, None)], 1))
@pytest.mark.parametrize("pieces", [False, True])
def test_repeated_failure_keeps_board_lit_and_log_short(pieces, share, tmp_path, caplog):
    for number, (owner, name) in enumerate(PURE[share]):
        caplog.clear()
        table = FailingTable(pieces=pieces, folder=tmp_path / str(number))
        table.act("@b2")
        lit = [cell for cell, lamps in table.companion.frame.colours_by_cell.items() if max(map(max, lamps))]
        assert lit
        with plant_errors((owner, name)) as [planted], caplog.at_level(logging.ERROR, "pond"):
            table.steps = 0
            table.hands.lift("b2") if pieces else table.hands.touch("b2")
            table.send(AskHint)
            table.send(UndoTurns)
            table.wait(20)
            assert table.steps <= 20 * MAX_STEPS + 100, (name, "busy loop")
            assert table.companion.display.shown_count
            assert any(max(map(max, lamps)) for lamps in table.companion.frame.colours_by_cell.values()), name
            assert planted.calls <= 400, name
            assert len(caplog.records) <= 40, (name, [record.getMessage() for record in caplog.records])
        if pieces and not table.hands.standing_pieces.get("b2"):
            table.wait(MAX_PAUSE_SECONDS + FAILURE_SHOWN_SECONDS)  # otherwise the board processes it too early
            table.hands.drop("b2", LIGHT)
        assert table.continues(), (name, table.session.messages)
        assert table.journal.trouble is None
        table.companion.close()
        [*_, saved] = read_all_games(tmp_path / str(number))[0]
        assert saved.projection == game(table.session), name
        assert sum(entry.kind == "note" for entry, _ in saved.entries) <= 20, name


@pytest.mark.slow
def test_failure_at_every_tick_is_logged_less_and_less(caplog):
    table = FailingTable(pieces=True)
    table.act("@b2")
    with plant_errors((touches, "look_at_board")), caplog.at_level(logging.ERROR, "pond"):
        table.hands.lift("b2")
        table.wait(300)
    assert 5 <= len(caplog.records) <= 15
    assert 30 < table.companion.barrier.failure_count < 100
    assert "It has happened 32 times." in caplog.text
    assert caplog.records[0].exc_info, "the log entry has no traceback"


def test_undo_leaves_a_failing_position():
    table = FailingTable()
    table.act("@b2")
    table.act("@b3")
    bad = table.session.position

    def fails(view):
        if view.position == bad and view.in_hand:
            raise PlantedError
        return scene(view)

    scene = View.scene.fget
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(View, "scene", property(fails))
        table.act("@b2")  # a tadpole is chosen, which cannot be shown
        assert table.session.selected_cell is None
        table.wait(FAILURE_SHOWN_SECONDS + 0.1)
        table.send(UndoTurns)
        assert table.played == ["@b2"]


# Players and advisers


class FailingPlayer:
    """Player that raises an exception when asked to move."""

    name = "fails"

    def request_action(self, game, answer):
        raise PlantedError

    stop = close = lambda self: None


class CheatingPlayer(FailingPlayer):
    """Player that answers with illegal actions."""

    name = "cheats"

    def request_action(self, game, answer):
        answer(Action.from_notation("@b2"))


@each("player", [FailingPlayer, CheatingPlayer])
def test_failing_or_cheating_player_still_plays_legally(player):
    table = FailingTable(dark=player())
    for turn in range(3):
        action = next(each for each in table.session.allowed_actions if each.source is None)
        table.act(str(action) if turn else "@b2")
        assert table.session.trouble or turn
        table.wait(8)
        assert len(table.played) == 2 * turn + 2
    assert table.steps < 40 * MAX_STEPS


def test_unstoppable_player_does_not_stop_game():
    class UnstoppablePlayer(FailingPlayer):
        def request_action(self, game, answer):
            pass

        def stop(self):
            raise PlantedError

    table = FailingTable(dark=UnstoppablePlayer())
    table.act("@b2")
    table.send(UndoTurns)
    table.wait(5)
    assert table.played == []
    assert table.session.trouble is None


def test_failing_adviser_gives_no_hint_until_it_works():
    table = FailingTable()
    with plant_errors((ImmediateAdviser, "request_advice")):
        table.send(AskHint)
        table.wait(5)
    assert table.session.hint is None
    assert table.session.trouble is None
    table.send(AskHint)
    table.wait(0.1)
    assert table.session.hint.action


def test_failing_lamp_driver_is_retried():
    table = FailingTable()
    lamps = table.companion.board.lamps
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lamps, "show", FailingCall(lamps.show))
        frames = table.companion.display.shown_count
        table.wait(5)
        assert table.companion.display.shown_count > frames
    assert table.continues()


# Journal


def test_unwritable_turn_is_not_played(tmp_path):
    table = FailingTable(folder=tmp_path)
    table.act("@b2")
    with plant_errors((stored_game, "format_events"), times=1):
        table.act("@c3")
    assert table.played == ["@b2"]
    table.wait(FAILURE_SHOWN_SECONDS + 1)
    table.act("@c3")
    table.companion.close()
    [saved] = read_all_games(tmp_path)[0]
    assert [str(turn.action) for turn in saved.projection.turns] == ["@b2", "@c3"]
    [note] = [entry.value for entry, _ in saved.entries if entry.kind == "note"]
    before, after = text(Message("failure.inside", error="PlantedError", file="|", line=0)).split("|")
    assert note.startswith(before)
    assert note.endswith(after[-2:])


def test_journal_exception_becomes_unsaved_reason(tmp_path):
    table = FailingTable(folder=tmp_path)
    with plant_errors((store, "_insert_games")):
        table.act("@b2")
        assert table.session.unsaved_reason == Message("saving.bug", error="PlantedError")
    table.wait(3)
    assert table.session.unsaved_reason is None
    table.companion.close()
    [saved] = read_all_games(tmp_path)[0]
    assert [str(turn.action) for turn in saved.projection.turns] == ["@b2"]


def test_failing_progress_report_blocks_nothing():
    table = FailingTable(journal=SimulatedJournal()).touch("b2")
    assert table.played == []
    with plant_errors((Session, "after"), only=SavingChanged):
        table.journal.report()
        table.companion.step()
    assert table.played == ["@b2"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", long_after_first(range(100), 6))
def test_journal_and_game_agree_after_any_failure(seed, tmp_path):
    rng = Random(seed)
    pieces = bool(seed % 2)
    table = FailingTable(pieces=pieces, folder=tmp_path, dark=make_player("random", seed) if seed % 3 == 2 else None)
    for _ in range(12):
        where = [place for place in PURE if place != (Session, "allowed_actions")]
        with plant_errors(*rng.sample(where, 3), rng=rng):
            for _ in range(rng.randrange(1, 5)):
                match rng.randrange(8):
                    case 0:
                        table.send(UndoTurns)
                    case 1:
                        table.send(RedoTurns)
                    case 2:
                        table.send(AskHint)
                    case 3 if rng.random() < 0.2:
                        table.send(NewGame, variant=STANDARD)
                    case 4 if pieces:
                        cell = rng.choice(table_position(table).grid.cells)
                        table.hands.lift(cell) if cell in table.hands.standing_pieces else table.hands.drop(cell, LIGHT)
                    case _:
                        action = rng.choice(legal_actions(table_position(table)) or [Action.from_notation("@b2")])
                        table.send(TakeAction, action=action) if pieces else table.hands.touch(action.target)
                table.wait(rng.choice([0.0, 0.5, 4.0]))
    table.wait(30)
    assert table.session.trouble is None
    assert table.companion.durable.latest is table.session
    projection = game(table.session)
    table.companion.close()
    saved = [each for each in read_all_games(tmp_path)[0] if each.projection.can_continue]
    assert saved[-1].projection == projection if projection.can_continue else not saved


def table_position(table):
    """Return the position, even if `Session.position` fails."""
    turns = table.session.turns
    return turns[-1].after if turns else Position.start(table.session.variant)
