"""A hand at a board that is served elsewhere and simulated: it can only say what it does, and hope that it was done.

What stands there is known as far as it is felt. What is in the hand is known as far as nobody else has lifted anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pond_hw.rules import Cell, Piece, PondError, Side, Symbol, grid
from pond_hw.tui.hand import TURN_SECONDS, Wooden

Say = Callable[[dict[str, Any]], None]


class _Held(NamedTuple):
    """A piece that was lifted from a cell, or (None) one of that side that is ready to be put down as a new one."""

    cell: Cell | None
    owner: Side | None = None


class FarHand:
    """A hand that acts by lines.

    Args:
        size: rows of the board.
        say: sends a line.
        now: the clock that turning takes its time by, in seconds.

    Attributes:
        felt: where a piece is felt, as we were told last, and changed by what we have done since.
    """

    def __init__(self, size: int, say: Say, now: Callable[[], float]) -> None:
        self.felt: frozenset[Cell] = frozenset()
        self._told: frozenset[Cell] = frozenset()
        self._size, self._say, self._now = size, say, now
        self._held: list[_Held] = []
        self._turned: list[Cell] = []
        self._turned_until = 0.0
        self._complaint = ""

    @property
    def standing(self) -> Mapping[Cell, Wooden]:
        """The wood on the board."""
        return dict.fromkeys(sorted(self.felt), Wooden())

    @property
    def held(self) -> tuple[Wooden, ...]:
        """The wood in the hand."""
        return tuple(Wooden(held.owner) for held in self._held)

    def step(self) -> None:
        """Put back what has been turned over; what was lifted last first."""
        if self._turned and self._now() >= self._turned_until:
            while self._turned:
                self._say({"drop": self._turned.pop()})

    def hear(self, felt: frozenset[Cell]) -> None:
        """We are told where a piece is felt."""
        self.felt = self._told = felt

    def refused(self, sentence: str) -> None:
        """Something was not done there. What is in the hand is not known any more, and so: nothing."""
        self._complaint = sentence
        self.felt = self._told
        self._held.clear()
        self._turned.clear()

    def complaint(self) -> str:
        """Why something was not done after all; once."""
        told, self._complaint = self._complaint, ""
        return told

    def lift(self, cell: Cell) -> None:
        """Take the piece that stands there."""
        self._must_be_still()
        self._must_stand(cell)
        self._say({"lift": cell})
        self._held.append(_Held(cell))
        self.felt -= {cell}

    def drop(self, cell: Cell) -> None:
        """Put down the piece that was taken last."""
        self._must_be_still()
        self._must_hold()
        self._must_be_free(cell)
        owner = self._held.pop().owner
        self._say({"drop": cell, "owner": str(owner)} if owner is not None else {"drop": cell})
        self.felt |= {cell}

    def place(self, cell: Cell, piece: Piece) -> None:
        """Put a new piece of that side down."""
        self._must_be_still()
        self._must_be_free(cell)
        self._say({"drop": cell, "owner": str(piece.owner)})
        self.felt |= {cell}

    def fetch(self, piece: Piece) -> None:
        """Have a new piece of that side ready."""
        self._held.append(_Held(None, piece.owner))

    def swap(self) -> None:
        """Have one of the other side ready."""
        self._must_hold()
        owner = self._held[-1].owner
        if owner is None:
            raise PondError("Put down what is in the hand first.")
        self._held[-1] = _Held(None, owner.other)

    def turn(self, cell: Cell, face: Symbol | None) -> None:  # noqa: ARG002 - nobody sees faces from here
        """Take the piece that stands there, turn it over, and put it back in a moment."""
        if self._held:
            raise PondError("Put down what is in the hand first.")
        self._must_stand(cell)
        self._say({"lift": cell})
        self._turned.append(cell)
        self._turned_until = self._now() + TURN_SECONDS

    def flip(self) -> None:
        """Turn the piece in the hand over: nobody sees it from here."""
        self._must_hold()

    def lay_aside(self) -> None:
        """Lay all that is in the hand beside the board. No line does that; but one takes a piece off a cell."""
        self._must_be_still()
        self._must_hold()
        while self._held:
            cell, owner = self._held.pop()
            if owner is None:
                free = next((free for free in (cell, *grid(self._size).cells) if free and free not in self.felt), None)
                if free is None:
                    raise PondError("There is no room on the board: put the piece back where it came from.")
                self._say({"drop": free})
                self._say({"take": free})

    def take_off(self, cell: Cell) -> None:
        """Take the piece that stands there and lay it beside the board."""
        self._must_be_still()
        self._must_stand(cell)
        self._say({"take": cell})
        self.felt -= {cell}

    def put_back(self) -> None:
        """Put all that is in the hand back where it came from."""
        self._must_hold()
        while self._held:
            cell = self._held[-1].cell
            if cell is None:
                self._held.pop()
            else:
                self.drop(cell)

    def sweep(self) -> None:
        """Take everything that stands on the board."""
        if not self.felt:
            raise PondError("There is nothing on the board to take off.")
        for cell in sorted(self.felt):
            self.lift(cell)

    def _must_be_still(self) -> None:
        if self._turned:
            raise PondError("A piece is being turned over: wait a moment.")

    def _must_hold(self) -> None:
        if not self._held:
            raise PondError("There is nothing in the hand.")

    def _must_stand(self, cell: Cell) -> None:
        if cell not in self.felt:
            raise PondError(f"No piece is felt on {cell}.")

    def _must_be_free(self, cell: Cell) -> None:
        if cell in self.felt:
            raise PondError(f"A piece stands on {cell} already: lift that first.")
