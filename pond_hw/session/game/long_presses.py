"""Long presses: how long a finger stays says what it means.

    the key, pressed                              takes a turn back when it comes up
    the key, held                                 begins the same variant again
    a cell of buttons, when the game is over      begins the same variant again
    a cell of buttons where it was refused        asks for a hint, if it stays there alone;
                                                  if it still stays, takes all seats of phones away,
                                                  or opens the menu if there are none
    the key or that cell, in an exercise          asks how to go on with it

Pieces stand on their cells for long, so their sensors know the key only. What hands do with pieces is `pieces.interpreter`.
The fingers are no part of `Session`: nobody is shown that one has come or gone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf

from pond_hw.board import KeyEvent, Touch
from pond_hw.rules import Cell
from pond_hw.session.game.session import Session
from pond_hw.session.game.session_events import AskHint, NewGame, OpenGameMenu, PauseExercise, SendPhonesAway, UndoTurns

LONG_PRESS_SECONDS = 2.0
"""Seconds after which a finger means something else."""

LONGER_PRESS_SECONDS = 6.0
"""Seconds after which it sends all phones away, or opens the menu."""

LongPressEvent = NewGame | AskHint | SendPhonesAway | OpenGameMenu | PauseExercise

FingerTimes = Mapping[Cell | None, float]
"""Since when fingers are on cells, and (None) on the key, in seconds."""


@dataclass(frozen=True, slots=True)
class HeldFingers:
    """The fingers that may be going to stay.

    Attributes:
        restart_since: those on cells of a game that is over, and the one on the key.
        refused_since: the one that is, alone, where it was refused.
        has_hinted: whether that one has asked for a hint already.
    """

    restart_since: FingerTimes = field(default_factory=dict)
    refused_since: FingerTimes = field(default_factory=dict)
    has_hinted: bool = False

    @property
    def next_due(self) -> float:
        """Instant at which a finger will have stayed for long enough, in seconds, or infinity."""
        return min(
            min(self.restart_since.values(), default=inf) + LONG_PRESS_SECONDS,
            min(self.refused_since.values(), default=inf)
            + (LONGER_PRESS_SECONDS if self.has_hinted else LONG_PRESS_SECONDS),
        )

    def after_key(self, key: KeyEvent) -> tuple[HeldFingers, UndoTurns | None]:
        """The fingers after the key has moved, and what it asks for, if it was not held for long."""
        if key.down:
            return HeldFingers({**self.restart_since, None: key.instant}, self.refused_since), None
        undo = UndoTurns(key.instant) if None in self.restart_since else None
        return HeldFingers(_without_finger(self.restart_since, None), self.refused_since), undo

    def before_step(self, event: object, session: Session) -> HeldFingers:
        """The fingers after one has moved; one that comes down when the game is over may begin another."""
        if not isinstance(event, Touch) or session.board_state:
            return self
        restart_since = _without_finger(self.restart_since, event.cell)
        is_busy = session.permission or session.exercise or session.open_menu
        if event.down and session.outcome and not is_busy:
            restart_since[event.cell] = event.instant
        return HeldFingers(restart_since, self.refused_since)

    def after_step(self, event: object, session: Session) -> HeldFingers:
        """The fingers after what has happened: one that has just been refused may ask for a hint, if it stays alone."""
        if not isinstance(event, Touch):
            return HeldFingers(self.restart_since)
        if not event.down:
            return HeldFingers(self.restart_since, _without_finger(self.refused_since, event.cell))
        may_be_hinted = session.game_phase in ("act", "in_hand") and not (session.board_state or session.trouble)
        refusal = session.refusal
        was_refused = may_be_hinted and refusal and (refusal.cell, refusal.instant) == (event.cell, event.instant)
        return HeldFingers(self.restart_since, {event.cell: event.instant} if was_refused else {})

    def after_clock(self, session: Session, now: float) -> tuple[HeldFingers, list[LongPressEvent]]:
        """The fingers at an instant, and what those ask for that have stayed for long enough."""
        fingers, requests = self, list[LongPressEvent]()
        if not session.outcome:  # then the key alone
            key_since: FingerTimes = {place: since for place, since in self.restart_since.items() if place is None}
            fingers = replace(self, restart_since=key_since)
        if _is_long_enough(fingers.restart_since, now):
            fingers = replace(fingers, restart_since={})
            requests.append(PauseExercise(now) if session.exercise else NewGame(session.variant, now))
        if _is_long_enough(fingers.refused_since, now, LONGER_PRESS_SECONDS) and fingers.has_hinted:
            fingers = replace(fingers, refused_since={}, has_hinted=False)
            requests.append(SendPhonesAway(now) if session.seat_count else OpenGameMenu(now))
        elif _is_long_enough(fingers.refused_since, now) and not fingers.has_hinted:
            fingers = replace(fingers, has_hinted=True)
            requests.append(AskHint(now))
        return fingers, requests


def _without_finger(fingers: FingerTimes, lifted_place: Cell | None) -> dict[Cell | None, float]:
    return {other_place: since for other_place, since in fingers.items() if other_place != lifted_place}


def _is_long_enough(fingers: FingerTimes, now: float, seconds: float = LONG_PRESS_SECONDS) -> bool:
    return any(now >= since + seconds for since in fingers.values())
