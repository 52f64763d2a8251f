"""Permission requests from phones, answered at the board.

A cell lights up, and a player at the board presses it. Important requests need several cells, one after another. On a
board with pieces, players tap a cell: they lift its piece and put it back, or put a piece there and remove it again.
Any other touch refuses the request and is handled normally, so a request never blocks the game.
"""

from __future__ import annotations

from typing import NamedTuple

from pond_hw.board import Touch
from pond_hw.messages.message import Message
from pond_hw.rules import Cell
from pond_hw.session.game.resume_prompt import MIN_TOUCH_SECONDS
from pond_hw.session.game.session_events import AskPermission
from pond_hw.session.scene import PhoneSign

PERMISSION_SECONDS = 60.0
"""Seconds before a request expires."""

UNSEEN_SECONDS = 0.7
"""Seconds after a request during which touches do not count as answers, because the light is not visible yet."""

MAX_TAP_SECONDS = 3.0
"""Maximum seconds between the two halves of a tap. Anything slower is part of the game."""


class PermissionView(NamedTuple):
    """View of a request; `until` is the time in seconds at which it expires."""

    cell: Cell
    pressed_count: int
    cell_count: int
    until: float
    sign: PhoneSign


class PermissionRequest(NamedTuple):
    """A pending request; `half_tap` is the first half of a tap on a board with pieces."""

    event: AskPermission
    pressed_count: int = 0
    half_tap: Touch | None = None

    @property
    def lit_cell(self) -> Cell:
        return self.event.cells[self.pressed_count]

    @property
    def is_granted(self) -> bool:
        return self.pressed_count == len(self.event.cells)

    @property
    def until(self) -> float:
        return self.event.instant + PERMISSION_SECONDS

    @property
    def next_due(self) -> float:
        """Time in seconds at which something changes if nothing is touched."""
        return min(self.until, self.half_tap.instant + MAX_TAP_SECONDS) if self.half_tap else self.until

    @property
    def view(self) -> PermissionView:
        return PermissionView(self.lit_cell, self.pressed_count, len(self.event.cells), self.until, self.event.sign)

    def is_answer(self, touch: Touch) -> bool:
        """Return True if a touch is on the lit cell and came after the light was visible."""
        return touch.cell == self.lit_cell and touch.instant >= self.event.instant + UNSEEN_SECONDS

    def after_press(self, touch: Touch) -> PermissionRequest | None:
        """Return the request after a button press; None if the request is refused."""
        if not touch.down:
            return self
        return self._replace(pressed_count=self.pressed_count + 1) if self.is_answer(touch) else None

    def after_tap(self, touch: Touch) -> PermissionRequest | None:
        """Return the request after a piece was lifted or put down; None if the request is refused."""
        if not self.is_answer(touch):
            return None
        if self.half_tap is None:
            return self._replace(half_tap=touch)
        is_flicker = touch.instant - self.half_tap.instant < MIN_TOUCH_SECONDS
        return self._replace(pressed_count=self.pressed_count + (not is_flicker), half_tap=None)

    def describe(self, *, has_pieces: bool) -> tuple[Message, ...]:
        board_kind, cell_count = "pieces" if has_pieces else "buttons", len(self.event.cells)
        instruction = Message(f"permission.press_one.{board_kind}")
        if cell_count > 1:
            instruction = Message(f"permission.press.{board_kind}", count=cell_count - self.pressed_count)
        sign = (self.event.sign.message,) if self.event.from_phone else ()
        return self.event.purpose, *sign, instruction
