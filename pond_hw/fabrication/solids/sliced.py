"""What a slicer made of printed parts: time and plastic, by what is in their files.

`sliced.toml` holds it for the boards that ship; `python -m tests.fabrication.slicer` makes it again with PrusaSlicer and
the settings in `hardware/slicer.ini`. Of other parts nothing is known: building a board needs no slicer.
"""

from __future__ import annotations

import hashlib
import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from manifold3d import Manifold

from pond_hw.fabrication.solids.mesh import to_stl


class SlicedPart(NamedTuple):
    """What one copy of a part takes: g of plastic, and minutes of the printer."""

    grams: float
    minutes: int

    def __str__(self) -> str:
        hours, minutes = divmod(self.minutes, 60)
        return f"{self.grams:.3g} g and {f'{hours} h {minutes} min' if hours else f'{minutes} min'}"


def solid_key(solid: Manifold) -> str:
    """What distinguishes the file of a part from all others."""
    return hashlib.sha256(to_stl(solid)).hexdigest()[:16]


def find_sliced(solid: Manifold) -> SlicedPart | None:
    """What a part takes, if it was sliced."""
    entry = _read_table().get(solid_key(solid))
    return SlicedPart(entry["grams"], round(entry["minutes"])) if entry else None


@cache
def _read_table() -> dict[str, dict[str, float]]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
