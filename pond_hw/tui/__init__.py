"""The board in a terminal: its lamps, what happened in words, and keys and a mouse for fingers."""

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
from pond_hw.tui.terminal import need_terminal

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
    """Play on a simulated board in this terminal, until the players leave.

    Args:
        pond: the first game; another one may be chosen in between.
        seated: the players of light and dark, None for a person at this terminal.
        options: the board, and where games are saved.
        language: language of the screens.
        lesson: as in `LocalTable`.
        puzzle: as in `LocalTable`.

    Raises:
        PondError: there is no terminal, or a fault names a cell that the board does not have.
    """
    need_terminal()
    options = replace(options, day=date.today())  # noqa: DTZ011 - the day of the person who sits here
    run_terminal_board(LocalTable(pond, seated, options, lesson=lesson, puzzle=puzzle), language)


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
