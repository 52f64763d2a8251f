"""Boards in a terminal: lamps, status text, keys and a mouse."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path

from pond_hw.engine import SeatedPlayers
from pond_hw.rules import Variant
from pond_hw.session import Exercise
from pond_hw.tui.local_table import LocalTable, TableOptions
from pond_hw.tui.play_app import run_terminal_board
from pond_hw.tui.terminal import require_terminal

__all__ = ["TableOptions", "play_connected", "play_simulated"]


def play_simulated(
    pond: Variant,
    seated: SeatedPlayers,
    options: TableOptions,
    language: str = "en",
    *,
    lesson: str | Exercise | None = None,
    puzzle: str | None = None,
) -> None:
    """Play on a simulated board in this terminal until the players leave.

    The first game is `pond`; players can choose another one later. `seated` has None for a person at this terminal.

    Raises:
        PondError: there is no terminal, or a simulated fault names a cell that the board does not have.
    """
    require_terminal()
    options = replace(options, day=date.today())  # noqa: DTZ011 - local date of the player
    run_terminal_board(LocalTable(pond, seated, options, lesson=lesson, puzzle=puzzle), language)


def play_connected(paths: Sequence[Path], language: str = "en") -> None:
    """Play on a board that is served at one of these sockets, until the user leaves.

    Raises:
        PondError: there is no terminal, no board answers at any of the paths, or the connection is lost.
    """
    from pond_hw.tui.remote_table import RemoteTable

    require_terminal()
    with closing(RemoteTable(paths)) as table:
        run_terminal_board(table, language)
