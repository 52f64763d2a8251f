"""What the terminal board sits down at: a table of our own, or (in far.py) one that is served elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import SystemRandom
from shlex import quote
from typing import Protocol

from pond_hw.blackbox import BlackBox, recorded
from pond_hw.board import Frame
from pond_hw.companion import Clock, Companion, RealClock
from pond_hw.companion.saved_games import open_journal, seats_of_offer, stand_as
from pond_hw.engine import AS_USUAL, HUMAN, NAMELESS, Names, Player, Thinks, player
from pond_hw.journal import Story
from pond_hw.journal.location import usual_folder
from pond_hw.lights import Limiter
from pond_hw.rules import SIZES, Cell, Side, Variant
from pond_hw.session import (
    AgreeDraw,
    AskHint,
    BoardIsRight,
    Choose,
    Mask,
    NewGame,
    Redo,
    Resign,
    Session,
    SetUp,
    Undo,
    Wood,
)
from pond_hw.simulator import SimulatedBoard, SimulatedLamps
from pond_hw.simulator.options import Pieces
from pond_hw.simulator.table import SimulatedTable
from pond_hw.tui.dialogs import Choice
from pond_hw.tui.hand import Hand, OwnHand
from pond_hw.tui.status_text import Played

USUAL_LAMPS = 16
"""Lamps in a cell as long as nobody has said how many there is room for."""

Players = tuple[Player | None, Player | None]

Wish = Undo | Redo | AgreeDraw | Resign | NewGame | SetUp | BoardIsRight | Mask | AskHint | Choose
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

    @property
    def hand(self) -> Hand | None:
        """What holds the pieces; None where there are buttons."""

    @property
    def failure(self) -> str:
        """What has failed in the program, if anything has."""

    def now(self) -> float:
        """Seconds on the table's clock."""

    def fit(self, lamps: int) -> None:
        """Have so many lamps in a cell, for the window has room for them; a table with lamps of its own keeps those."""

    def step(self) -> object:
        """Let happen what is due.

        Raises:
            PondError: the table is no longer there.
        """

    def guard(self, job: Callable[..., object], *arguments: object) -> bool:
        """Do something that may fail and must not end the game."""

    def touch(self, cell: Cell) -> None:
        """A finger comes down on a cell and leaves it at once."""

    def put(self, event: Wish) -> None:
        """Ask for something."""

    def begin(self, choice: Choice) -> Table:
        """Begin another game; at the table that is given back."""

    def leave_offer(self) -> Table:
        """Begin another game than the one that is offered; at the table that is given back."""

    def about_offer(self) -> tuple[str, str]:
        """Who plays if the game that is offered is resumed, and what begins if it is left; nothing if not known."""

    @property
    def farewell(self) -> str:
        """What to say in the shell when everybody has left; nothing if there is nothing to say."""

    def close(self) -> None:
        """Leave."""


class OwnTable(Companion):
    """A companion, and the simulated board that just fits the game.

    Args:
        pond: the first game.
        players: who plays light and dark, None for a person at this terminal.
        lamps: lamps in a cell; None: as many as the window has room for, which may change.
        clock: by default real time.
        pieces: what the board is played with; None for buttons.
        wooden: a board for it on which pieces may stand, if there is one already.
        box: where all that is felt and shown is noted, if anywhere.
        folder: where games are kept, if anywhere.
        names: what the people at light and dark are called there.
        thinks: what levels that sit down later may take for their thinking.
        offers: whether a game that was not finished is offered first; then the board just fits that one.
        threaded: whether the journal is written aside.

    Attributes:
        hand: what holds the pieces; None where there are buttons.
    """

    ours = True

    def __init__(
        self,
        pond: Variant,
        players: Players,
        lamps: int | None,
        clock: Clock | None = None,
        pieces: Pieces | None = None,
        wooden: SimulatedTable | None = None,
        box: BlackBox | None = None,
        folder: Path | None = None,
        names: Names = NAMELESS,
        thinks: Thinks = AS_USUAL,
        *,
        offers: bool = True,
        threaded: bool = True,
    ) -> None:
        clock = clock or RealClock()
        self._lamps, self._pieces, self._box, self._folder = lamps, pieces, box, folder
        self._thinks = thinks
        self._asked_for = Choice(pond, _called(players))
        self._threaded = threaded
        journal = open_journal(
            folder,
            SIZES[-1],
            board="terminal",
            pieces=pieces is not None,
            players=players,
            names=names,
            threaded=threaded,
        )
        if journal and not offers:
            journal.last = None
        if journal and journal.last:
            pond = journal.last.story.pond
        if journal:
            journal.about(size=pond.size)
        lamps = lamps or USUAL_LAMPS
        self._buttons: SimulatedBoard | None = None
        self.hand: OwnHand | None = None
        if pieces:
            wood = Wood() if wooden else pieces.wood()
            wooden = wooden or pieces.table(pond.size, lamps, clock.now)
            self.hand = OwnHand(wooden, clock.now)
            board, session = wooden.board(), Session.start(pond, at=clock.now(), wood=wood)
        else:
            self._buttons = SimulatedBoard(pond.size, lamps, clock.now)
            board, session = self._buttons.board(), Session.start(pond, at=clock.now())
        now, resumes = clock.now(), seats_of_offer(journal, thinks)
        session = journal.offered(session, now) if journal else session
        if self.hand:
            stand_as(session, self.hand.table)
        board = recorded(board, box, clock.now)
        super().__init__(board, session, clock, players, journal=journal, names=names, resumes=resumes)

    def now(self) -> float:
        """Seconds on the companion's clock."""
        return self.clock.now()

    def fit(self, lamps: int) -> None:
        """Have so many lamps in a cell, unless their number was asked for, or a recording says how many there are."""
        shown = self.board.lamps
        if self._lamps is None and lamps != self.frame.lamps and isinstance(shown, SimulatedLamps):
            shown.fit(lamps)
            self.frame = shown.frame
            self.limiter = Limiter.for_lamps(self.board.size**2 * lamps)
            self._next_frame = self.now()  # or they would be dark for a moment

    def step(self) -> float:
        """Let happen what is due, at the table too."""
        if not self.hand:
            return super().step()
        self.hand.step()
        return min(super().step(), self.hand.due)

    def touch(self, cell: Cell) -> None:
        """A finger comes down on a cell and leaves it at once."""
        if self._buttons:
            self._buttons.touch(cell)

    def begin(self, choice: Choice) -> OwnTable:
        """Begin another game, here if board and players stay the same."""
        light, dark = (self._player(side, choice.players[side]) for side in Side)
        if choice.pond.size == self.board.size and (light, dark) == self.players:
            self.put(NewGame(choice.pond, self.now()))
            return self
        self.part()
        self.close()
        kept = self.hand.table if self.hand and choice.pond.size == self.board.size else None
        ours = (self._lamps, self.clock, self._pieces, kept, self._box, self._folder, self.names, self._thinks)
        return OwnTable(choice.pond, (light, dark), *ours, offers=False, threaded=self._threaded)

    def leave_offer(self) -> OwnTable:
        """Begin what was asked for, with those who were."""
        return self.begin(self._asked_for)

    def about_offer(self) -> tuple[str, str]:
        """Who plays if the game that is offered is resumed, and what begins if it is left."""
        pond, players = self._asked_for
        asked = _against(players, self.names)
        played = _against(_called(self.resumes.players), self.resumes.names) if self.resumes else asked
        return played, f"{pond}, {asked}"

    @property
    def farewell(self) -> str:
        """That the game is saved and can be resumed, if it is and can."""
        session = self.session
        if self._journal is None or self._journal.trouble or session.unsaved or not Story.of(session).open:
            return ""
        pieces = " --pieces" if self._pieces else ""
        there = "" if self._folder == usual_folder() else f" --journal {quote(str(self._folder))}"
        return f"Saved. `pond play{pieces}{there}` continues this game."

    def _player(self, side: Side, name: str) -> Player | None:
        """Who plays a side under this name: whoever sits there already, or somebody new."""
        if name == seat(self, side):
            return self.players[side]
        return player(name, SystemRandom().getrandbits(32), self._thinks)


def _called(players: Players) -> tuple[str, str]:
    light, dark = (each.name if each else HUMAN for each in players)
    return light, dark


def _against(players: tuple[str, str], names: Names) -> str:
    light, dark = (name if name and player == HUMAN else player for player, name in zip(players, names, strict=True))
    return f"{light} (light) against {dark} (dark)"


def seat(table: Table, side: Side) -> str:
    """The name of who plays a side."""
    seated = table.players[side]
    return seated.name if seated else HUMAN


def people(table: Table) -> tuple[Side, ...]:
    """The sides that people play."""
    return tuple(side for side in Side if table.players[side] is None)
