"""What the terminal board sits down at: a table of our own, or (in far.py) one that is served elsewhere."""

from __future__ import annotations

from random import SystemRandom
from typing import Protocol

from pond_hw.board import Frame
from pond_hw.companion import Clock, Companion, RealClock
from pond_hw.drivers.simulated import SimulatedBoard
from pond_hw.faces.tui.dialogs import Choice
from pond_hw.faces.tui.words import Played
from pond_hw.lights import Limiter
from pond_hw.players import HUMAN, Player, player
from pond_hw.rules import Cell, Side, Variant
from pond_hw.session import AgreeDraw, NewGame, Redo, Resign, Session, Undo

Players = tuple[Player | None, Player | None]

Wish = Undo | Redo | AgreeDraw | Resign | NewGame
"""What a person asks for by a key."""


class Table(Played, Protocol):
    """A game, its board, and those who play."""

    @property
    def frame(self) -> Frame:
        """What the lamps show."""

    @property
    def limiter(self) -> Limiter:
        """What made the frame."""

    @property
    def ours(self) -> bool:
        """Whether the table is cleared when we leave, and we say how large the board is and who else sits there."""

    def now(self) -> float:
        """Seconds on the table's clock."""

    def step(self) -> object:
        """Let happen what is due.

        Raises:
            PondError: the table is no longer there.
        """

    def touch(self, cell: Cell) -> None:
        """A finger comes down on a cell and leaves it at once."""

    def put(self, event: Wish) -> None:
        """Ask for something."""

    def begin(self, choice: Choice) -> Table:
        """Begin another game; at the table that is given back."""

    def close(self) -> None:
        """Leave."""


class OwnTable(Companion):
    """A companion, and the simulated board that just fits the game.

    Args:
        pond: the first game.
        players: who plays light and dark, None for a person at this terminal.
        lamps: lamps in a cell.
        clock: by default real time.
    """

    ours = True

    def __init__(self, pond: Variant, players: Players, lamps: int, clock: Clock | None = None) -> None:
        clock = clock or RealClock()
        self._hands = SimulatedBoard(pond.size, lamps, clock.now)
        super().__init__(self._hands.board(), Session.start(pond, at=clock.now()), clock, players)

    def now(self) -> float:
        """Seconds on the companion's clock."""
        return self.clock.now()

    def touch(self, cell: Cell) -> None:
        """A finger comes down on a cell and leaves it at once."""
        self._hands.touch(cell)

    def begin(self, choice: Choice) -> OwnTable:
        """Begin another game, here if board and players stay the same."""
        light, dark = (self._player(side, choice.players[side]) for side in Side)
        if choice.pond.size == self.board.size and (light, dark) == self.players:
            self.put(NewGame(choice.pond, self.now()))
            return self
        self.close()
        return OwnTable(choice.pond, (light, dark), self._hands.lamps, self.clock)

    def _player(self, side: Side, name: str) -> Player | None:
        """Who plays a side under this name: whoever sits there already, or somebody new."""
        return self.players[side] if name == seat(self, side) else player(name, SystemRandom().getrandbits(32))


def seat(table: Table, side: Side) -> str:
    """The name of who plays a side."""
    seated = table.players[side]
    return seated.name if seated else HUMAN


def people(table: Table) -> tuple[Side, ...]:
    """The sides that people play."""
    return tuple(side for side in Side if table.players[side] is None)
