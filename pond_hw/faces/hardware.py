"""`pond hardware build`: the files from which a person builds a board."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from time import monotonic

from pond_hw.profile import load
from pond_hw.rules import PondError

NEEDED = {"manifold3d": "manifold3d", "numpy": "numpy", "PIL": "pillow", "schemdraw": "schemdraw", "wireviz": "wireviz"}
"""What is imported, and what brings it."""


def make(board: str, folder: str | None) -> None:
    """Make a board's files, and say where they are.

    What was measured on a board is left out: its files are those of the profile.

    Raises:
        PondError: there is no such board, it cannot be built, or something is missing here.
    """
    if lacking := [package for module, package in NEEDED.items() if find_spec(module) is None]:
        raise PondError(
            f"To make these files {' and '.join(lacking)} must be installed. In a clone of the project: "
            "make hardware; elsewhere: pip install 'pond-hw[hardware]'"
        )
    from pond_hw.workshop.folder import build

    profile = load(board, measured=False)
    where = Path(folder) if folder else Path("hardware") / profile.name
    begun = monotonic()
    count = build(profile, where)
    print(f"{count} files in {where}, in {monotonic() - begun:.0f} s. Begin with {where / 'assembly.md'}.")
