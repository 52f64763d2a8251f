"""`pond dark`: turn off all lamps on a board."""

from __future__ import annotations

from argparse import Namespace

from pond_hw.commands.arguments import add_board_option, require_unix

add_arguments = add_board_option


def run_command(options: Namespace) -> None:
    require_unix(f"pond {options.command}")
    from pond_hw.profile import load_profile
    from pond_hw.server import board_run

    board_run.darken_board(
        load_profile(options.board, measured=False)
    )  # So that the command works even if the measured values are invalid.
