"""A head start: pieces that a side has scored before the first action, so that a child and an adult can play on equal terms."""

from __future__ import annotations

from pond_hw.messages.message import Message
from pond_hw.rules import Position, Side, Variant

HeadStarts = tuple[int, int]
"""For light and for dark, in scored pieces."""

NO_HEAD_STARTS: HeadStarts = (0, 0)

MOST_HEAD_START = 5


def find_start(variant: Variant, head_starts: HeadStarts, fair_start: Position | None = None) -> Position | None:
    """Where a game begins with such head starts, as near to them as the variant allows; None if as ever.

    The pieces come from the spawn. Neither side has won before it has done anything, and each keeps an egg to place.

    Args:
        variant: the variant.
        head_starts: for light and dark.
        fair_start: where it begins without them; None: with an empty pond.
    """
    light, dark = (cap_head_start(variant, pieces) for pieces in head_starts)
    if not (light or dark):
        return fair_start
    start = fair_start or Position.start(variant)
    return start._replace(spawn=(start.spawn[0] - light, start.spawn[1] - dark), scored=(light, dark))


def cap_head_start(variant: Variant, pieces: int) -> int:
    """A head start, or the largest that a variant allows."""
    return min(pieces, variant.target - 1, variant.spawn - 1)


def describe_head_start(side: Side, pieces: int, *, is_now: bool) -> Message:
    """What a side begins with from now on, or from the next game on."""
    return Message("head_start.now" if is_now else "head_start.next", side=str(side), count=pieces)
