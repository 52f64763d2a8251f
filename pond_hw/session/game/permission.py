"""Requests of people who are not at the board, and how a hand at the board allows them.

A cell lights up, and whoever is at the board presses it; for more important things several cells, one after the other.
With pieces a cell is tapped: what stands on it is lifted and put back there, or something is put there and taken off
again. Any other touch says no, and is what it would be otherwise: nobody is kept from playing by being asked.
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
"""Seconds that the board asks."""

UNSEEN_SECONDS = 0.7
"""A touch so soon after a request was on its way before anybody saw the light: it is no answer."""

MAX_TAP_SECONDS = 3.0
"""From one half of a tap to the other, at the most: a piece that stays away or stays there is part of the game."""


class PermissionView(NamedTuple):
    """View of a request.

    Attributes:
        cell: the cell that is lit and to be pressed.
        pressed_count: how many cells have been pressed already.
        cell_count: how many there are to press.
        until: how long the board asks, in seconds.
        sign: of the phone that asks.
    """

    cell: Cell
    pressed_count: int
    cell_count: int
    until: float
    sign: PhoneSign


class PermissionRequest(NamedTuple):
    """A request that waits for an answer.

    Attributes:
        asked: what was asked for, when and by whom, and the cells to press.
        pressed_count: how many of them have been pressed.
        half_tap: with pieces, the first half of a tap on the next cell.
    """

    asked: AskPermission
    pressed_count: int = 0
    half_tap: Touch | None = None

    @property
    def lit_cell(self) -> Cell:
        """The cell that is to be pressed next."""
        return self.asked.cells[self.pressed_count]

    @property
    def is_granted(self) -> bool:
        """True if all cells have been pressed."""
        return self.pressed_count == len(self.asked.cells)

    @property
    def until(self) -> float:
        """Instant until which the board asks, in seconds."""
        return self.asked.instant + PERMISSION_SECONDS

    @property
    def next_due(self) -> float:
        """Instant at which something has to happen if nothing is touched, in seconds."""
        return min(self.until, self.half_tap.instant + MAX_TAP_SECONDS) if self.half_tap else self.until

    @property
    def view(self) -> PermissionView:
        """View of the request."""
        return PermissionView(self.lit_cell, self.pressed_count, len(self.asked.cells), self.until, self.asked.sign)

    def is_answer(self, touch: Touch) -> bool:
        """True if a touch is on the lit cell, and was not on its way already when it lit up."""
        return touch.cell == self.lit_cell and touch.instant >= self.asked.instant + UNSEEN_SECONDS

    def after_press(self, touch: Touch) -> PermissionRequest | None:
        """After a finger on a board with buttons; None: it said no."""
        if not touch.down:
            return self
        return self._replace(pressed_count=self.pressed_count + 1) if self.is_answer(touch) else None

    def after_tap(self, touch: Touch) -> PermissionRequest | None:
        """After a change under a piece; None: a hand does something else."""
        if not self.is_answer(touch):
            return None
        if self.half_tap is None:
            return self._replace(half_tap=touch)
        is_flicker = touch.instant - self.half_tap.instant < MIN_TOUCH_SECONDS
        return self._replace(pressed_count=self.pressed_count + (not is_flicker), half_tap=None)

    def describe(self, *, has_pieces: bool) -> tuple[Message, ...]:
        """Return what is requested, by which phone, and how to allow it."""
        board_kind, cell_count = "pieces" if has_pieces else "buttons", len(self.asked.cells)
        how = Message(f"permission.press_one.{board_kind}")
        if cell_count > 1:
            how = Message(f"permission.press.{board_kind}", count=cell_count - self.pressed_count)
        return self.asked.purpose, self.asked.sign.message, how
