"""Terminal user interface: play on simulated or served boards with the keyboard or mouse."""

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
    """Play on a simulated board in this terminal until the players quit.

    The first game uses the variant `pond`; players can choose another one later. In `seated`, None stands for a person
    at this terminal.

    Raises:
        PondError: if there is no terminal, or if a simulated fault names a cell that the board does not have.
    """
    require_terminal()
    options = replace(options, day=date.today())  # noqa: DTZ011 - local date of the player
    run_terminal_board(LocalTable(pond, seated, options, lesson=lesson, puzzle=puzzle), language)


def play_connected(paths: Sequence[Path], language: str = "en") -> None:
    """Connect to the first socket that answers, and play on its board until the user quits.

    Raises:
        PondError: if there is no terminal, if no board answers at any of the paths, or if the connection is lost.
    """
    from pond_hw.tui.remote_table import RemoteTable

    require_terminal()
    with closing(RemoteTable(paths)) as table:
        run_terminal_board(table, language)
