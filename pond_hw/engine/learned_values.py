"""Learned evaluation tables in `learned/`, one file per grid size, created by `tools.training`."""

from __future__ import annotations

import lzma
from functools import lru_cache
from pathlib import Path

from pond_hw.engine.packed import LearnedEvaluation
from pond_hw.rules import Variant

LEARNED_SIZES = (4, 5)
"""Grid sizes that have a file. Size 3 does not need one, because it can be searched exhaustively."""


def values_path(size: int) -> Path:
    """Return the path of the file for a grid size. It contains the numbers for `LearnedEvaluation`, compressed with xz."""
    return Path(__file__).with_name("learned") / f"{size}x{size}.xz"


@lru_cache(maxsize=4)
def learned_evaluation(variant: Variant) -> LearnedEvaluation | None:
    if variant.size not in LEARNED_SIZES:
        return None
    packed_numbers = lzma.decompress(values_path(variant.size).read_bytes())
    return LearnedEvaluation(variant.size, variant.target, packed_numbers)
