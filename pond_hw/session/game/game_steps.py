"""The steps that `Session.after` takes where another game begins."""

from __future__ import annotations

from dataclasses import replace

from pond_hw.messages.message import Message, PondError
from pond_hw.rules import Position, Variant, explain_invalid_start
from pond_hw.session.game import exercise_steps, session_events
from pond_hw.session.game.session import Session, apply_event
from pond_hw.session.game.start_positions import draw_fair_start, find_start


@apply_event.register
def _apply_new_game(event: session_events.NewGame, session: Session) -> Session:
    return begin_game(session, event.variant, event.instant)


@apply_event.register
def _set_up_game(event: session_events.SetUpGame, session: Session) -> Session:
    position, variant = event.position, event.position.variant
    if variant.size > session.size:
        return begin_game(session, variant, event.instant)  # which says why not
    if reason := explain_invalid_start(position):
        return session.refuse_event(event.instant, reason)
    new_session = begin_game(session, variant, event.instant, position)
    return new_session.with_messages(Message("game.set_up"))


ODDS_NAMES = "help_levels", "head_starts", "hint_limits", "starts_fair"
"""What evens the odds."""

KEPT_NAMES = (
    *ODDS_NAMES,
    "unsaved_reason",
    "permission",
    "granted_number",
    "seat_count",
    "sent_away_count",
    "courses",
)
"""What outlasts a game besides the board: whether it is saved, those who aren't there, and what evens the odds."""


def begin_game(session: Session, variant: Variant, instant: float, position: Position | None = None) -> Session:
    """Another game on the same board: from a position; or as games begin, fair or not, and with head starts.

    Who does an exercise leaves it.
    """
    if position is None:
        fair_start = draw_fair_start(variant, instant) if session.starts_fair else None
        custom_start = find_start(variant, session.head_starts, fair_start)
    else:
        custom_start = None if position == Position.start(variant) else position
    left = exercise_steps.leave_exercise(session, instant) if session.exercise else session
    try:
        begun = Session.start_game(variant, left.size, instant, left.board_state)
    except PondError as error:
        return session.refuse_event(instant, error.message)
    game_started = session_events.GameStarted(variant, custom_start)
    new_session = replace(
        begun,
        **{name: getattr(left, name) for name in KEPT_NAMES},
        custom_start=custom_start,
        game_events=(*left.game_events, *_list_start_events(left, game_started)),
    )
    return new_session.with_messages().update_board_state()


def begin_at_other_table(before: Session, session: Session, instant: float) -> Session:
    """The first game at a table of another size or with other players, with what evened the odds at the one before.

    Args:
        before: the session at the table of before.
        session: the one at the other table, in which nothing has happened; of its board no sensor has been read.
        instant: when, in seconds.
    """
    left = exercise_steps.leave_exercise(before, instant) if before.exercise else before
    moved = replace(session, **{name: getattr(left, name) for name in ODDS_NAMES})
    begun = begin_game(moved, moved.variant, instant)
    return replace(begun, board_state=session.board_state)  # what stands on it has not been read yet


def _list_start_events(
    session: Session, game_started: session_events.GameStarted
) -> tuple[session_events.GameEvent, ...]:
    """What it means for the game that was there; nothing, if nothing has happened in it and it began just so."""
    is_untouched = not (session.turns or session.undone_turns or session.declared_outcome or any(session.hints_given))
    if is_untouched and game_started == session_events.GameStarted(session.variant, session.custom_start):
        return (session_events.GameResumed(),) if session.resume_prompt else ()
    if session.resume_prompt:
        return (session_events.GameDeclined(), game_started)
    return (session_events.GameLeft(), game_started) if session.can_continue else (game_started,)
