"""Table of handlers for session events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from pond_hw.board import Touch
from pond_hw.messages.message import Message
from pond_hw.session.game import exercise_play, follow_game, help_requests, new_game, touches, turns
from pond_hw.session.game import session_events as events
from pond_hw.session.game.session_state import SessionState

Event = TypeVar("Event")
Handler = Callable[[Event, SessionState], SessionState]


def _row(event_type: type[Event], handler: Handler[Event]) -> tuple[type[Event], Handler[Any]]:
    """Return a table row. The signature lets the type checker match the handler to its event type."""
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
        _row(Touch, touches.handle_touch),
        _row(events.ClockTick, touches.pass_time),
        _row(events.BoardIsRight, touches.accept_board),
        _row(events.EndTurn, touches.end_turn),
        _row(events.MaskSensor, touches.mask_sensor),
        _row(events.OpenGameMenu, touches.open_menu),
        _row(events.TakeAction, turns.take_requested_action),
        _row(events.UndoTurns, turns.undo_turns),
        _row(events.RedoTurns, turns.redo_turns),
        _row(events.ResignGame, turns.end_game),
        _row(events.AgreeDraw, turns.end_game),
        _row(events.NewGame, new_game.start_new_game),
        _row(events.SetUpGame, new_game.set_up_game),
        _row(events.ChooseResume, new_game.choose_resume),
        _row(events.StartExercise, exercise_play.start_exercise),
        _row(events.PauseExercise, exercise_play.pause_exercise),
        _row(events.ChooseExercise, exercise_play.choose_exercise),
        _row(events.ChangeCourse, exercise_play.change_course),
        _row(events.AskHint, help_requests.ask_hint),
        _row(events.HintFound, help_requests.show_found_hint),
        _row(events.ChangeSetting, help_requests.change_setting),
        _row(events.RecallHelp, help_requests.recall_help),
        _row(events.AskPermission, touches.ask_permission),
        _row(events.WithdrawRequest, touches.withdraw_request),
        _row(events.SeatsChanged, touches.change_seats),
        _row(events.SendPhonesAway, touches.send_phones_away),
        _row(events.LinkChanged, follow_game.change_link),
        _row(events.FollowGame, follow_game.follow_game),
        _row(events.TroubleChanged, _change_trouble),
        _row(events.SavingChanged, _change_saving),
        _row(events.ShowNotice, _show_notice),
        _row(events.RequestRefused, _refuse_request),
    )
)
