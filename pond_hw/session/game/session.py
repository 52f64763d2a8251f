"""The conversation between a board and the rules: an event comes in, the next session comes out.

A `Session` never changes. `session.after(event)` is the session after that event; what cannot be
done leaves the game as it was and says why. There is no clock, thread, file or device here:
every event carries the instant at which it happened.

`EVENT_HANDLERS` is the table of who handles which event.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from pond_hw.board import Touch
from pond_hw.messages.message import Message
from pond_hw.session.game import exercise_play, help_requests, new_game, touches, turns
from pond_hw.session.game import session_events as events
from pond_hw.session.game.session_state import SessionState

Event = TypeVar("Event")
Handler = Callable[[Event, SessionState], SessionState]


def _row(event_type: type[Event], handler: Handler[Event]) -> tuple[type[Event], Handler[Any]]:
    """Return a row of the table; that the handler takes this event is checked as a type."""
    return event_type, handler


def _change_trouble(event: events.TroubleChanged, session: SessionState) -> SessionState:
    if event.message == session.trouble:
        return session
    messages = (event.message,) if event.message else (Message("trouble.over"), *session.describe_next())
    changed_session = replace(session, trouble=event.message, messages=messages, refusal=None, turn_is_fresh=False)
    return changed_session.after_wakeup(event.instant)


def _refuse_request(event: events.RequestRefused, session: SessionState) -> SessionState:
    return session.refuse_event(event.instant, event.message, cell=event.cell)


def _show_notice(event: events.ShowNotice, session: SessionState) -> SessionState:
    return replace(session, messages=event.messages)


def _change_saving(event: events.SavingChanged, session: SessionState) -> SessionState:
    return session if event.trouble == session.unsaved_reason else replace(session, unsaved_reason=event.trouble)


EVENT_HANDLERS: dict[type, Handler[Any]] = dict(
    (
        # At the board
        _row(Touch, touches.handle_touch),
        _row(events.ClockTick, touches.pass_time),
        _row(events.BoardIsRight, touches.accept_board),
        _row(events.MaskSensor, touches.mask_sensor),
        _row(events.OpenGameMenu, touches.open_menu),
        # Turns
        _row(events.TakeAction, turns.take_named_action),
        _row(events.UndoTurns, turns.undo_turns),
        _row(events.RedoTurns, turns.redo_turns),
        _row(events.ResignGame, turns.end_game),
        _row(events.AgreeDraw, turns.end_game),
        # Games
        _row(events.NewGame, new_game.start_new_game),
        _row(events.SetUpGame, new_game.set_up_game),
        _row(events.ChooseResume, new_game.choose_resume),
        # Exercises
        _row(events.StartExercise, exercise_play.start_exercise),
        _row(events.PauseExercise, exercise_play.pause_exercise),
        _row(events.ChooseExercise, exercise_play.choose_exercise),
        _row(events.ChangeCourse, exercise_play.change_course),
        # Hints, and settings that even the odds
        _row(events.AskHint, help_requests.ask_hint),
        _row(events.HintFound, help_requests.show_found_hint),
        _row(events.ChangeSetting, help_requests.change_setting),
        _row(events.RecallHelp, help_requests.recall_help),
        # People who are not at the board
        _row(events.AskPermission, touches.ask_permission),
        _row(events.WithdrawRequest, touches.withdraw_request),
        _row(events.SeatsChanged, touches.change_seats),
        _row(events.SendPhonesAway, touches.send_phones_away),
        # Notices
        _row(events.TroubleChanged, _change_trouble),
        _row(events.SavingChanged, _change_saving),
        _row(events.ShowNotice, _show_notice),
        _row(events.RequestRefused, _refuse_request),
    )
)


@dataclass(frozen=True, slots=True)
class Session(SessionState):
    """One game in progress on one board: takes events."""

    def after(self, event: events.SessionEvent) -> Session:
        """The session after an event; the very same session, if the event changes nothing."""
        cleared_session = replace(self, game_events=()) if self.game_events else self
        if self.trouble and not isinstance(event, events.AlwaysTaken):
            session = cleared_session.refuse_event(event.instant, self.trouble)
        elif isinstance(event, events.MayNeedExercise) and event.in_exercise and not self.exercise:
            session = cleared_session.refuse_event(event.instant, Message("exercise.not_going_on"))
        elif self.resume_prompt and isinstance(event, events.NeedsResumeChoice):
            how_to_choose = self.describe_resume_prompt()[-1]
            session = cleared_session.refuse_event(event.instant, Message("resume.choose_first"), how_to_choose)
        else:
            session = cast("Session", EVENT_HANDLERS[type(event)](event, cleared_session))
        if session is cleared_session:
            return self
        if session.exercise and session.game_events:  # the journal has the game that waits
            session = replace(session, game_events=())
        if session.hint is None or session.hint is not self.hint or cleared_session._keeps_hint(event, session):
            return session
        return session.without_hint(self)

    def _keeps_hint(self, event: events.SessionEvent, session: Session) -> bool:
        """True if what has happened leaves the hint where it is: nobody has done anything."""
        if session.turns is not self.turns or session.game_phase not in ("act", "take_off", "in_hand"):
            return False
        if isinstance(event, Touch):  # a sensor that flickers, and no hand
            return self.board_state is not None and event.cell in self.board_state.sensors.masked_cells
        return isinstance(event, events.KeepsHint)


def begin_at_other_table(before: Session, session: Session, instant: float) -> Session:
    """The first game at a table of another size or with other players, with what evened the odds at the one before.

    Args:
        before: the session at the table of before.
        session: the one at the other table, in which nothing has happened; of its board no sensor has been read.
        instant: when, in seconds.
    """
    left = exercise_play.leave_exercise(before, instant) if before.exercise else before
    moved = replace(session, **{name: getattr(left, name) for name in new_game.ODDS_NAMES})
    begun = cast("Session", new_game.begin_game(moved, moved.variant, instant))
    return replace(begun, board_state=session.board_state)  # what stands on it has not been read yet
