"""The board in a terminal: its lamps, what happened in words, and keys and a mouse for fingers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from pond_hw.blackbox import BlackBox
from pond_hw.companion import PlayerPair
from pond_hw.engine import DEFAULT_THINKING, UNNAMED_PLAYERS, PlayerNames, ThinkingLimits
from pond_hw.rules import Variant
from pond_hw.simulator.options import PieceOptions
from pond_hw.tui.play_app import run_terminal_board
from pond_hw.tui.play_table import LocalTable
from pond_hw.tui.terminal import need_terminal

__all__ = ["play_connected", "play_simulated"]


def play_simulated(
    pond: Variant,
    players: PlayerPair,
    lamps: int | None,
    pieces: PieceOptions | None = None,
    box: BlackBox | None = None,
    folder: Path | None = None,
    names: PlayerNames = UNNAMED_PLAYERS,
    thinks: ThinkingLimits = DEFAULT_THINKING,
) -> None:
    """Play on a simulated board in this terminal, until the players leave.

    Args:
        pond: the first game; another one may be chosen in between.
        players: who plays light and dark, None for a person at this terminal.
        lamps: lamps in a cell; None: as many as the window has room for.
        pieces: what is played with; None for buttons.
        box: where all that is felt and shown is noted, if anywhere.
        folder: where games are kept, if anywhere.
        names: what the people at light and dark are called there.
        thinks: what levels that sit down later may take for their thinking.

    Raises:
        PondError: there is no terminal, or a fault names a cell that the board has not.
    """
    need_terminal()
    run_terminal_board(
        LocalTable(pond, players, lamps, pieces=pieces, box=box, folder=folder, names=names, thinking_limits=thinks)
    )


def play_connected(paths: Sequence[Path]) -> None:
    """Play on a board that is served on this machine, until we leave it.

    Args:
        paths: where its socket may be.

    Raises:
        PondError: there is no terminal, or no board at any of the paths, or it has gone.
    """
    from pond_hw.tui.remote_table import RemoteTable

    need_terminal()
    with closing(RemoteTable(paths)) as table:
        run_terminal_board(table)
