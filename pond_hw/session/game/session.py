"""Immutable game sessions. Each event produces a new session.

An event that cannot be applied leaves the game unchanged and adds a message with the reason. Events carry their own
timestamps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from pond_hw.board import Touch
from pond_hw.messages.message import Message
from pond_hw.session.game import exercise_play, new_game
from pond_hw.session.game import session_events as events
from pond_hw.session.game.event_handlers import EVENT_HANDLERS
from pond_hw.session.game.session_state import SessionState


@dataclass(frozen=True, slots=True)
class Session(SessionState):
    """A game in progress on a board."""

    def after(self, event: events.SessionEvent) -> Session:
        """Return the session after an event, or this same object if nothing changes."""
        cleared_session = replace(self, game_events=()) if self.game_events else self
        if self.trouble and not isinstance(event, events.AlwaysAccepted):
            session = cleared_session.refuse_event(event.instant, self.trouble)
        elif isinstance(event, events.MayNeedExercise) and event.in_exercise and not self.exercise:
            session = cleared_session.refuse_event(event.instant, Message("exercise.not_going_on"))
        elif self.resume_prompt and isinstance(event, events.BlockedByResumePrompt):
            how_to_choose = self.describe_resume_prompt()[-1]
            session = cleared_session.refuse_event(event.instant, Message("resume.choose_first"), how_to_choose)
        else:
            session = cast("Session", EVENT_HANDLERS[type(event)](event, cleared_session))
        if session is cleared_session:
            return self
        if session.exercise and session.game_events:  # the journal records the paused game
            session = replace(session, game_events=())
        if session.hint is None or session.hint is not self.hint or cleared_session._keeps_hint(event, session):
            return session
        return session.without_hint(self)

    def _keeps_hint(self, event: events.SessionEvent, session: Session) -> bool:
        """Return True if no player caused the event, so the hint stays visible."""
        if session.turns is not self.turns or session.game_phase not in ("act", "take_off", "in_hand"):
            return False
        if isinstance(event, Touch):  # a flickering sensor is not a player's action
            return self.board_state is not None and event.cell in self.board_state.sensors.masked_cells
        return isinstance(event, events.KeepsHint)


def begin_on_other_board(before: Session, session: Session, instant: float) -> Session:
    """Start the first game on another board, using an unused session. Carry over the handicap settings."""
    left = exercise_play.leave_exercise(before, instant) if before.exercise else before
    moved = replace(session, **{name: getattr(left, name) for name in new_game.HANDICAP_FIELDS})
    begun = cast("Session", new_game.begin_game(moved, moved.variant, instant))
    return replace(begun, board_state=session.board_state)  # its sensors have not been read yet
