"""Starting new games and answering the resume prompt."""

from __future__ import annotations

from dataclasses import replace

from pond_hw.messages.message import Message, PondError
from pond_hw.rules import (
    Position,
    Variant,
    explain_invalid_start,
)
from pond_hw.session.game import exercise_play
from pond_hw.session.game import session_events as events
from pond_hw.session.game.link_changes import ask_for_new_game
from pond_hw.session.game.resume_prompt import ResumeChoice
from pond_hw.session.game.session_state import SessionState
from pond_hw.session.game.settings import TABLE_SETTINGS
from pond_hw.session.game.start_positions import draw_start


def start_new_game(event: events.NewGame, session: SessionState) -> SessionState:
    if session.linked_game and not session.resume_prompt:
        return ask_for_new_game(session, event.variant, event.instant)
    return begin_game(session, event.variant, event.instant)


def set_up_game(event: events.SetUpGame, session: SessionState) -> SessionState:
    position, variant = event.position, event.position.variant
    if session.linked_game and not session.resume_prompt:
        return session.refuse_event(event.instant, Message("linked.no_set_up"))
    if variant.size > session.size:
        return begin_game(session, variant, event.instant)  # refuses and gives the reason
    if reason := explain_invalid_start(position):
        return session.refuse_event(event.instant, reason)
    new_session = begin_game(session, variant, event.instant, position)
    return new_session.with_messages(Message("game.set_up"))


def choose_resume(event: events.ChooseResume, session: SessionState) -> SessionState:
    resume_prompt, instant = session.resume_prompt, event.instant
    if not resume_prompt:
        return session.refuse_event(instant, Message("resume.nothing"))
    match event.choice:
        case ResumeChoice.RESUME:
            resumed = replace(session, resume_prompt=None).with_events(events.GameResumed()).after_wakeup(instant)
            return resumed.with_changes(changed_at=instant).with_messages(Message("game.goes_on"))
        case ResumeChoice.LOOK:
            return session.with_resume_message(resume_prompt._replace(is_looking=True, half_touch=None))
    return begin_game(session, resume_prompt.fallback_variant or session.variant, instant)


HANDICAP_FIELDS = ("side_helps", *(setting.name for setting in TABLE_SETTINGS))
"""Session fields for the handicap settings."""


CARRIED_OVER_FIELDS = (
    *HANDICAP_FIELDS,
    "unsaved_reason",
    "permission",
    "granted_number",
    "seat_count",
    "revocation_count",
    "courses",
)
"""Session fields that carry over to the next game. The fields of the board are handled separately."""


def begin_game(
    session: SessionState, variant: Variant, instant: float, position: Position | None = None
) -> SessionState:
    """Start a game on the same board, from a given position or according to the settings. End any exercise."""
    if position is None:
        custom_start = draw_start(session, variant, instant)
    else:
        custom_start = None if position == Position.start(variant) else position
    left = exercise_play.leave_exercise(session, instant) if session.exercise else session
    try:
        begun = session.start_game(variant, left.size, instant, left.board_state)
    except PondError as error:
        return session.refuse_event(instant, error.message)
    game_started = events.GameStarted(variant, custom_start)
    link = left.link._replace(game=None, side=None) if left.link and left.link.running else None
    new_session = replace(
        begun,
        **{name: getattr(left, name) for name in CARRIED_OVER_FIELDS},
        custom_start=custom_start,
        link=link,
        game_events=(*left.game_events, *_list_start_events(left, game_started)),
    )
    return new_session.with_messages().update_board_state()


def _list_start_events(session: SessionState, game_started: events.GameStarted) -> tuple[events.GameEvent, ...]:
    """Return the events for replacing a game; none if it was untouched and the new game starts the same way."""
    is_untouched = not (session.turns or session.undone_turns or session.declared_outcome or any(session.hints_given))
    if is_untouched and game_started == events.GameStarted(session.variant, session.custom_start):
        return (events.GameResumed(),) if session.resume_prompt else ()
    if session.resume_prompt:
        return (events.GameDeclined(), game_started)
    return (events.GameLeft(), game_started) if session.can_continue else (game_started,)
