"""`pond dark`: a board whose lamps are dark."""

from __future__ import annotations

from argparse import Namespace

from pond_hw.commands.board_options import add_board_option
from pond_hw.commands.command import CommandEntry
from pond_hw.commands.platform_check import require_unix

COMMAND = CommandEntry(
    "dark", "Leave the lamps of a board dark, whatever was left on them.", "--board direct-4x4", prints=False
)
add_arguments = add_board_option


def run_command(options: Namespace) -> None:
    """Leave the lamps dark."""
    require_unix("")
    from pond_hw.profile import load_profile
    from pond_hw.server import serve

    serve.darken_board(load_profile(options.board, measured=False))  # which holds however badly that was edited
