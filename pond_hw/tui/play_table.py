"""What the terminal board sits down at: a table of our own, or (in far.py) one that is served elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import SystemRandom
from shlex import quote
from typing import Protocol

from pond_hw.blackbox import BlackBox, record_board
from pond_hw.board import Frame
from pond_hw.companion import Clock, Companion, PlayerPair, RealClock
from pond_hw.companion.saved_games import find_resume_seats, open_journal, place_resumed_pieces
from pond_hw.engine import DEFAULT_THINKING, HUMAN, UNNAMED_PLAYERS, Player, PlayerNames, ThinkingLimits, make_player
from pond_hw.journal.location import default_folder
from pond_hw.lights import CurrentLimiter
from pond_hw.rules import SIZES, Cell, Side, Variant
from pond_hw.session import (
    AgreeDraw,
    AskHint,
    BoardIsRight,
    BoardState,
    ChooseResume,
    MaskSensor,
    NewGame,
    RedoTurns,
    ResignGame,
    Session,
    SetUpGame,
    UndoTurns,
)
from pond_hw.simulator import SimulatedBoard, SimulatedLamps
from pond_hw.simulator.options import PieceOptions
from pond_hw.simulator.table import SimulatedTable
from pond_hw.tui.dialogs import GameChoice
from pond_hw.tui.hand import LocalHand, PieceHand
from pond_hw.tui.status_text import StatusSource

DEFAULT_LAMPS = 16
"""Lamps in a cell as long as nobody has said how many there is room for."""


UserEvent = (
    UndoTurns
    | RedoTurns
    | AgreeDraw
    | ResignGame
    | NewGame
    | SetUpGame
    | BoardIsRight
    | MaskSensor
    | AskHint
    | ChooseResume
)
"""What a person asks for by a key."""


class GameTable(StatusSource, Protocol):
    """A game, its board, and those who play."""

    @property
    def frame(self) -> Frame:
        """What the lamps show."""

    @property
    def limiter(self) -> CurrentLimiter:
        """What made the frame."""

    @property
    def is_local(self) -> bool:
        """Whether the table is cleared when we leave, and we say how large the board is and who else sits there."""

    @property
    def hand(self) -> PieceHand | None:
        """What holds the pieces; None where there are buttons."""

    @property
    def failure(self) -> str:
        """What has failed in the program, if anything has."""

    def now(self) -> float:
        """Seconds on the table's clock."""

    def fit_lamps(self, lamps: int) -> None:
        """Have so many lamps in a cell, for the window has room for them; a table with lamps of its own keeps those."""

    def step(self) -> object:
        """Let happen what is due.

        Raises:
            PondError: the table is no longer there.
        """

    def guard(self, job: Callable[..., object], *arguments: object) -> bool:
        """Do something that may fail and must not end the game."""

    def touch_cell(self, cell: Cell) -> None:
        """A finger comes down on a cell and leaves it at once."""

    def put(self, event: UserEvent) -> None:
        """Ask for something."""

    def begin_game(self, choice: GameChoice) -> GameTable:
        """Begin another game; at the table that is given back."""

    def decline_resume(self) -> GameTable:
        """Begin another game than the one that is offered; at the table that is given back."""

    def describe_resume(self) -> tuple[str, str]:
        """Who plays if the game that is offered is resumed, and what begins if it is left; nothing if not known."""

    @property
    def farewell_message(self) -> str:
        """What to say in the shell when everybody has left; nothing if there is nothing to say."""

    def close(self) -> None:
        """Leave."""


class LocalTable(Companion):
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

    is_local = True

    def __init__(
        self,
        pond: Variant,
        players: PlayerPair,
        lamps: int | None,
        clock: Clock | None = None,
        pieces: PieceOptions | None = None,
        wooden: SimulatedTable | None = None,
        box: BlackBox | None = None,
        folder: Path | None = None,
        names: PlayerNames = UNNAMED_PLAYERS,
        thinks: ThinkingLimits = DEFAULT_THINKING,
        *,
        offers: bool = True,
        threaded: bool = True,
    ) -> None:
        clock = clock or RealClock()
        self._requested_lamps, self._piece_options, self._black_box, self._journal_folder = lamps, pieces, box, folder
        self._thinking_limits = thinks
        self._requested_game = GameChoice(pond, _player_names(players))
        self._journal_threaded = threaded
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
            journal.unfinished_game = None
        if journal and journal.unfinished_game:
            pond = journal.unfinished_game.projection.variant
        if journal:
            journal.update_facts(size=pond.size)
        lamps = lamps or DEFAULT_LAMPS
        self._button_board: SimulatedBoard | None = None
        self.hand: LocalHand | None = None
        if pieces:
            wood = BoardState() if wooden else pieces.initial_board_state()
            wooden = wooden or pieces.make_table(pond.size, lamps, clock.now)
            self.hand = LocalHand(wooden, clock.now)
            board, session = wooden.to_board(), Session.start_game(pond, at=clock.now(), wood=wood)
        else:
            self._button_board = SimulatedBoard(pond.size, lamps, clock.now)
            board, session = self._button_board.to_board(), Session.start_game(pond, at=clock.now())
        now, resumes = clock.now(), find_resume_seats(journal, thinks)
        session = journal.offer_unfinished(session, now) if journal else session
        if self.hand:
            place_resumed_pieces(session, self.hand.simulated_table)
        board = record_board(board, box, clock.now)
        super().__init__(board, session, clock, players, journal=journal, names=names, resumes=resumes)

    def now(self) -> float:
        """Seconds on the companion's clock."""
        return self.clock.now()

    def fit_lamps(self, lamps: int) -> None:
        """Have so many lamps in a cell, unless their number was asked for, or a recording says how many there are."""
        shown = self.board.lamps
        if self._requested_lamps is None and lamps != self.frame.lamps_per_cell and isinstance(shown, SimulatedLamps):
            shown.set_lamp_count(lamps)
            self.frame = shown.frame
            self.limiter = CurrentLimiter.for_lamps(self.board.size**2 * lamps)
            self._next_frame = self.now()  # or they would be dark for a moment

    def step(self) -> float:
        """Let happen what is due, at the table too."""
        if not self.hand:
            return super().step()
        self.hand.step()
        return min(super().step(), self.hand.due_instant)

    def touch_cell(self, cell: Cell) -> None:
        """A finger comes down on a cell and leaves it at once."""
        if self._button_board:
            self._button_board.touch(cell)

    def begin_game(self, choice: GameChoice) -> LocalTable:
        """Begin another game, here if board and players stay the same."""
        light, dark = (self._seat_player(side, choice.player_names[side]) for side in Side)
        if choice.variant.size == self.board.size and (light, dark) == self.players:
            self.put(NewGame(choice.variant, self.now()))
            return self
        self.leave_game()
        self.close()
        kept = self.hand.simulated_table if self.hand and choice.variant.size == self.board.size else None
        ours = (
            self._requested_lamps,
            self.clock,
            self._piece_options,
            kept,
            self._black_box,
            self._journal_folder,
            self.names,
            self._thinking_limits,
        )
        return LocalTable(choice.variant, (light, dark), *ours, offers=False, threaded=self._journal_threaded)

    def decline_resume(self) -> LocalTable:
        """Begin what was asked for, with those who were."""
        return self.begin_game(self._requested_game)

    def describe_resume(self) -> tuple[str, str]:
        """Who plays if the game that is offered is resumed, and what begins if it is left."""
        pond, players = self._requested_game
        asked = _format_pairing(players, self.names)
        played = (
            _format_pairing(_player_names(self.resume_seats.players), self.resume_seats.names)
            if self.resume_seats
            else asked
        )
        return played, f"{pond}, {asked}"

    @property
    def farewell_message(self) -> str:
        """That the game is saved and can be resumed, if it is and can."""
        session = self.session
        if self._journal is None or self._journal.trouble or session.unsaved_reason or not session.can_continue:
            return ""
        pieces = " --pieces" if self._piece_options else ""
        there = "" if self._journal_folder == default_folder() else f" --journal {quote(str(self._journal_folder))}"
        return f"Saved. `pond play{pieces}{there}` continues this game."

    def _seat_player(self, side: Side, name: str) -> Player | None:
        """Who plays a side under this name: whoever sits there already, or somebody new."""
        if name == seat_name(self, side):
            return self.players[side]
        return make_player(name, SystemRandom().getrandbits(32), self._thinking_limits)


def _player_names(players: PlayerPair) -> tuple[str, str]:
    light, dark = (each.name if each else HUMAN for each in players)
    return light, dark


def _format_pairing(players: tuple[str, str], names: PlayerNames) -> str:
    light, dark = (name if name and player == HUMAN else player for player, name in zip(players, names, strict=True))
    return f"{light} (light) against {dark} (dark)"


def seat_name(table: GameTable, side: Side) -> str:
    """The name of who plays a side."""
    seated = table.players[side]
    return seated.name if seated else HUMAN


def human_sides(table: GameTable) -> tuple[Side, ...]:
    """The sides that people play."""
    return tuple(side for side in Side if table.players[side] is None)
