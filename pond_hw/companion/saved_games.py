"""How a board has its games kept: the journal is opened, and what it holds unfinished is offered first."""

from __future__ import annotations

from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING, Any

from pond_hw import __version__
from pond_hw.companion.players import PlayerPair, name_seats
from pond_hw.engine import (
    DEFAULT_THINKING,
    PLAYER_NAMES,
    UNNAMED_PLAYERS,
    PlayerNames,
    SeatedPlayers,
    ThinkingLimits,
    make_player,
)
from pond_hw.journal import Journal
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.rules import Side
from pond_hw.session import Session

if TYPE_CHECKING:
    from pond_hw.simulator.table import SimulatedTable


def open_with_resume_prompt(
    folder: Path | None, session: Session, now: float, **journal_options: Any
) -> tuple[Session, Journal | None]:
    """Open the journal in a folder and look for a game that was not finished.

    It is offered if this board is large enough for it.

    Args:
        folder: where games are kept; None: nowhere.
        session: how the board would begin without it.
        now: the instant, in seconds.
        journal_options: what else `open_journal` takes.

    Returns:
        The session to begin with, and the journal.
    """
    journal = open_journal(folder, session.size, pieces=session.board_state is not None, **journal_options)
    return (journal.offer_unfinished(session, now) if journal else session), journal


def open_journal(
    folder: Path | None,
    size: int,
    *,
    board: str,
    built: str = "",
    pieces: bool = False,
    players: PlayerPair = (None, None),
    names: PlayerNames = UNNAMED_PLAYERS,
    threaded: bool = True,
) -> Journal | None:
    """Open the journal in a folder.

    Args:
        folder: where games are kept; None: nowhere, and there is no journal.
        size: rows and columns of the board.
        board: the name of the board's profile.
        built: the version of the board's own file.
        pieces: whether the board has pieces.
        players: who plays light and dark; None is a person.
        names: what the people at light and dark are called.
        threaded: whether the journal is written aside.
    """
    if folder is None:
        return None
    board_facts = {"board": board, "built": built, "size": size, "pieces": pieces}
    journal = Journal(folder, board_facts | name_seats(players, names) | {"program": __version__}, threaded=threaded)
    journal.open()
    return journal


def find_resume_seats(
    journal: Journal | None, thinking_limits: ThinkingLimits = DEFAULT_THINKING
) -> SeatedPlayers | None:
    """Who played the unfinished game that a journal offers, and plays it again if it is resumed.

    The journal has kept a program by its name, and a person by theirs if they had said it.

    Args:
        journal: it is open; None if nothing is kept.
        thinking_limits: what levels may take for their thinking.

    Returns:
        None if no game is offered.
    """
    if journal is None or journal.unfinished_game is None:
        return None
    stored_names = [journal.unfinished_game.facts.get(str(side)) for side in Side]
    names = [replace_unprintable(name) if isinstance(name, str) and name else None for name in stored_names]
    seed = SystemRandom().getrandbits(32)
    light, dark = (make_player(name, seed, thinking_limits) if name in PLAYER_NAMES else None for name in names)
    light_name, dark_name = (None if name in PLAYER_NAMES else name for name in names)
    return SeatedPlayers((light, dark), (light_name, dark_name))


def place_resumed_pieces(session: Session, simulated_table: SimulatedTable) -> None:
    """Put on a simulated table what would stand on a real one: the pieces of the game that is offered."""
    if session.resume_prompt:
        for cell, piece in session.position.pieces.items():
            simulated_table.drop(cell, piece.owner).face = piece.symbol.value
