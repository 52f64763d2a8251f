"""Learned values of positions, from the files in `learned/`: one for each size of grid, made by `tools.training`."""

from __future__ import annotations

import lzma
from functools import lru_cache
from pathlib import Path

from pond_hw.engine.packed import LearnedEvaluation
from pond_hw.rules import Variant

LEARNED_SIZES = (4, 5)
"""Sizes of grid for which there is a file. A grid of three is searched to its end soon enough."""


def values_path(size: int) -> Path:
    """Where the numbers of a size of grid are kept: as `LearnedEvaluation` takes them, compressed by xz."""
    return Path(__file__).with_name("learned") / f"{size}x{size}.xz"


@lru_cache(maxsize=4)
def learned_evaluation(variant: Variant) -> LearnedEvaluation | None:
    """What was learned for a variant; None for grids that have no file."""
    if variant.size not in LEARNED_SIZES:
        return None
    packed_numbers = lzma.decompress(values_path(variant.size).read_bytes())
    return LearnedEvaluation(variant.size, variant.target, packed_numbers)
