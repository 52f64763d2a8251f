"""How a face has its games kept: the journal is opened, and what it holds unfinished is offered first."""

from __future__ import annotations

from pathlib import Path

from pond_hw import __version__
from pond_hw.drivers.simulated.table import SimulatedTable
from pond_hw.journal import Journal
from pond_hw.players import Player
from pond_hw.session import Session

Names = tuple[str | None, str | None]
"""What the people at light and dark are called; None: they have not said."""

NAMELESS: Names = (None, None)


def take_up(
    folder: Path | None,
    session: Session,
    now: float,
    *,
    board: str,
    built: str = "",
    players: tuple[Player | None, Player | None] = (None, None),
    names: Names = NAMELESS,
    threaded: bool = True,
) -> tuple[Session, Journal | None]:
    """Open the journal in a folder and look for a game that was not finished.

    Args:
        folder: where games are kept; None: nowhere.
        session: how the board would begin without it.
        now: the instant, in seconds.
        board: the name of the board's profile.
        built: the version of the board's own file.
        players: who plays light and dark; None is a person.
        names: what the people at light and dark are called.
        threaded: whether the journal is written aside.

    Returns:
        The session to begin with, and the journal.
    """
    if folder is None:
        return session, None
    light, dark = (player.name if player else name for player, name in zip(players, names, strict=True))
    about = {
        "board": board,
        "built": built,
        "size": session.size,
        "pieces": session.wood is not None,
        "light": light,
        "dark": dark,
        "program": __version__,
    }
    journal = Journal(folder, about, threaded=threaded)
    journal.open()
    return journal.offered(session, now), journal


def stand_as(session: Session, table: SimulatedTable) -> None:
    """Put on a simulated table what would stand on a real one: the pieces of the game that is offered."""
    if session.offer:
        for cell, piece in session.position.pieces.items():
            table.drop(cell, piece.owner).face = piece.symbol.value
