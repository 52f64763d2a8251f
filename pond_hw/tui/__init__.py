"""The board in a terminal: its lamps, what happened in words, and keys and a mouse for fingers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

from pond_hw.companion import PlayerPair
from pond_hw.rules import Variant
from pond_hw.tui.local_table import LocalTable
from pond_hw.tui.play_app import run_terminal_board
from pond_hw.tui.terminal import need_terminal

__all__ = ["play_connected", "play_simulated"]


def play_simulated(
    pond: Variant, players: PlayerPair, lamps: int | None, language: str = "en", **table_options: Any
) -> None:
    """Play on a simulated board in this terminal, until the players leave.

    Args:
        pond: the first game; another one may be chosen in between.
        players: who plays light and dark, None for a person at this terminal.
        lamps: lamps in a cell; None: as many as the window has room for.
        language: of the screens.
        table_options: what else `LocalTable` takes.

    Raises:
        PondError: there is no terminal, or a fault names a cell that the board has not.
    """
    need_terminal()
    today = date.today()  # noqa: DTZ011 - the day of whoever sits here
    run_terminal_board(LocalTable(pond, players, lamps, day=today, **table_options), language)


def play_connected(paths: Sequence[Path], language: str = "en") -> None:
    """Play on a board that is served on this machine, until we leave it.

    Args:
        paths: where its socket may be.
        language: of the screens.

    Raises:
        PondError: there is no terminal, or no board at any of the paths, or it has gone.
    """
    from pond_hw.tui.remote_table import RemoteTable

    need_terminal()
    with closing(RemoteTable(paths)) as table:
        run_terminal_board(table, language)
