"""`pond hardware build`: generate the files for building a board."""

from __future__ import annotations

import shlex
from argparse import ArgumentParser, Namespace
from importlib.util import find_spec
from pathlib import Path
from time import monotonic

from pond_hw.commands.command_output import print_lines
from pond_hw.commands.progress_line import ProgressLine
from pond_hw.interrupts import exit_on_interrupt
from pond_hw.messages.message import Message
from pond_hw.optional_packages import format_install_command
from pond_hw.profile import load_profile
from pond_hw.rules import PondError

NEEDED = {"manifold3d": "manifold3d", "numpy": "numpy", "PIL": "pillow", "schemdraw": "schemdraw"}
"""Required modules and the packages that provide them."""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("what", metavar="build", choices=("build",), help="generate all files for building a board")
    parser.add_argument(
        "board", metavar="PROFILE", help="a name that `pond boards` lists, or the path of your own .toml"
    )
    parser.add_argument(
        "-o", metavar="FOLDER", dest="folder", help="folder for the files (hardware/NAME in the current folder)"
    )


def run_command(options: Namespace) -> None:
    """Generate the files for a board from its profile, without measured values."""
    profile = load_profile(options.board, measured=False)
    if missing := [package for module_name, package in NEEDED.items() if find_spec(module_name) is None]:
        command = _install_command(options.board, options.folder)
        raise PondError(Message("build.missing_packages", packages=tuple(missing), command=command))
    with exit_on_interrupt():
        from pond_hw.fabrication.build_folder import build_folder

    folder = Path(options.folder) if options.folder else Path("hardware") / profile.name
    started = monotonic()
    with ProgressLine() as progress:
        progress.show_state(Message("build.begun", board=profile.name))
        count = build_folder(profile, folder, lambda name: progress.show_state(Message("build.made", file=name)))
    guide, seconds = str(folder / "assembly.md"), monotonic() - started
    print_lines(Message("build.done", count=count, folder=str(folder), seconds=seconds, guide=guide))


def _install_command(board: str, folder_name: str | None) -> str:
    """Return the command that installs the missing packages. In a clone, the command also generates the files."""
    if Path(board).suffix:
        board = str(Path(board).absolute())  # `make` may run in another folder
    make_variables = f"BOARDS={shlex.quote(shlex.quote(board))}"
    if folder_name:
        make_variables += f" ARGS={shlex.quote(f'-o {shlex.quote(str(Path(folder_name).absolute()))}')}"
    return format_install_command("hardware", make_variables)
