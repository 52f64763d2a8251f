"""`pond hardware build`: the files from which a person builds a board."""

from __future__ import annotations

import shlex
from importlib.util import find_spec
from pathlib import Path
from time import monotonic

from pond_hw.commands.progress import Progress
from pond_hw.installing import how_to_install
from pond_hw.profile import load
from pond_hw.profile.faults import listed
from pond_hw.rules import PondError

NEEDED = {"manifold3d": "manifold3d", "numpy": "numpy", "PIL": "pillow", "schemdraw": "schemdraw", "wireviz": "wireviz"}
"""What is imported, and what brings it."""


def make(board: str, folder: str | None) -> None:
    """Make a board's files, and say where they are.

    What was measured on a board is left out: its files are those of the profile.

    Raises:
        PondError: there is no such board, it cannot be built, or something is missing here.
    """
    profile = load(board, measured=False)
    if lacking := [package for module, package in NEEDED.items() if find_spec(module) is None]:
        raise PondError(f"These files need {listed(lacking)}. Run: {_make_instead(board, folder)}")
    from pond_hw.fabrication.build_folder import build

    where = Path(folder) if folder else Path("hardware") / profile.name
    begun = monotonic()
    with Progress() as progress:
        progress.tell(f"making the files of {profile.name}")
        count = build(profile, where, lambda name: progress.tell(f"{name} is made"))
    print(f"{count} files in {where}, in {monotonic() - begun:.0f} s. Begin with {where / 'assembly.md'}.")


def _make_instead(board: str, folder: str | None) -> str:
    """The command that installs what is missing; in a clone it makes the files, too."""
    if Path(board).suffix:
        board = str(Path(board).absolute())  # make may run in another folder
    variables = f"BOARDS={shlex.quote(shlex.quote(board))}"
    if folder:
        variables += f" ARGS={shlex.quote(f'-o {shlex.quote(str(Path(folder).absolute()))}')}"
    return how_to_install("hardware", variables)
