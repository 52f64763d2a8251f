"""Long presses of keys and buttons, whose meaning depends on their duration.

    undo key, pressed                             undo on release
    undo key, held                                restart the same variant
    button, held after the end of the game        restart the same variant
    refused button, held alone                    hint; if held longer, take away the phones' seats,
                                                  or open the menu if there are none
    undo key or that button, in an exercise       ask how to continue

On a board with pieces, the pieces stay on their cells, so only the key can be held. Gestures with pieces are handled in
`pieces.interpreter`. Held fingers are not part of `Session`, because they are never displayed.
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
"""Minimum duration of a long press, in seconds."""

LONGER_PRESS_SECONDS = 6.0
"""Seconds after which a long press takes away the phones' seats or opens the menu."""

LongPressEvent = NewGame | AskHint | SendPhonesAway | OpenGameMenu | PauseExercise

FingerTimes = Mapping[Cell | None, float]
"""Time in seconds at which each finger came down, by cell (None for the key)."""


@dataclass(frozen=True, slots=True)
class HeldFingers:
    """Fingers that are down and may become long presses.

    Attributes:
        restart_since: Fingers that may restart the game, including any finger on the key.
        refused_since: The finger on a cell whose press was refused, if no other finger is down.
    """

    restart_since: FingerTimes = field(default_factory=dict)
    refused_since: FingerTimes = field(default_factory=dict)
    has_hinted: bool = False

    @property
    def next_due(self) -> float:
        """Time in seconds at which the next press becomes long, or infinity."""
        return min(
            min(self.restart_since.values(), default=inf) + LONG_PRESS_SECONDS,
            min(self.refused_since.values(), default=inf)
            + (LONGER_PRESS_SECONDS if self.has_hinted else LONG_PRESS_SECONDS),
        )

    def after_key(self, key: KeyEvent) -> tuple[HeldFingers, UndoTurns | None]:
        """Apply a key event. Also return an undo if a short press has ended."""
        if key.down:
            return HeldFingers({**self.restart_since, None: key.instant}, self.refused_since), None
        undo = UndoTurns(key.instant) if None in self.restart_since else None
        return HeldFingers(_without_finger(self.restart_since, None), self.refused_since), undo

    def before_step(self, event: object, session: Session) -> HeldFingers:
        """Apply an event before the session handles it. After the end of a game, a held finger may restart it."""
        if not isinstance(event, Touch) or session.board_state:
            return self
        restart_since = _without_finger(self.restart_since, event.cell)
        is_busy = session.permission or session.exercise or session.open_menu
        if event.down and session.outcome and not is_busy:
            restart_since[event.cell] = event.instant
        return HeldFingers(restart_since, self.refused_since)

    def after_step(self, event: object, session: Session) -> HeldFingers:
        """Apply an event after the session has handled it. A finger held on a refused cell may request a hint."""
        if not isinstance(event, Touch):
            return HeldFingers(self.restart_since)
        if not event.down:
            return HeldFingers(self.restart_since, _without_finger(self.refused_since, event.cell))
        may_be_hinted = session.game_phase in ("act", "in_hand") and not (session.board_state or session.trouble)
        refusal = session.refusal
        was_refused = may_be_hinted and refusal and (refusal.cell, refusal.instant) == (event.cell, event.instant)
        return HeldFingers(self.restart_since, {event.cell: event.instant} if was_refused else {})

    def after_clock(self, session: Session, now: float) -> tuple[HeldFingers, list[LongPressEvent]]:
        """Advance to the time `now`. Also return the events for all presses that have become long."""
        fingers, requests = self, list[LongPressEvent]()
        if not session.outcome:  # during a game only the key restarts
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
