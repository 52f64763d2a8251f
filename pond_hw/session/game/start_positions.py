"""Positions in which games begin: as ever, with head starts, fair, or set up by hand.

A fair start is a position from which neither side is better off, drawn from a table.
"""

from __future__ import annotations

from functools import cache
from zlib import crc32

from pond_hw.rules import Position, Variant
from pond_hw.session.game.fair_start_table import FAIR_STARTS
from pond_hw.session.game.played_game import PlayedGame
from pond_hw.session.game.settings import cap_head_start


def find_start(variant: Variant, head_starts: tuple[int, int], fair_start: Position | None = None) -> Position | None:
    """Return where a game with these head starts begins, as near to them as the variant allows; None if as ever.

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


@cache
def list_fair_starts(variant: Variant) -> tuple[Position, ...]:
    """All fair starts of a variant; none of one that has no name."""
    return tuple(Position.from_notation(line, variant) for line in FAIR_STARTS.get(variant.name, ()))


def is_set_up(start: Position | None) -> bool:
    """True if a game begins where somebody has set it up by hand: neither as ever, nor fair, nor with a head start."""
    if start is None:
        return False
    usual_start = find_start(start.variant, start.scored, find_fair_start(start))
    return start != (usual_start or Position.start(start.variant))


def find_fair_start(start: Position) -> Position | None:
    """The fair start that a start is, but for head starts; None if it is none."""
    spawn = start.spawn[0] + start.scored[0], start.spawn[1] + start.scored[1]
    fair_start = start._replace(spawn=spawn, scored=(0, 0))
    return fair_start if fair_start in list_fair_starts(start.variant) else None


def draw_fair_start(variant: Variant, instant: float) -> Position | None:
    """One of the fair starts of a variant; None if it has none.

    Which one follows from the instant, and nobody can tell beforehand: so the same events give the same game.
    """
    starts = list_fair_starts(variant)
    return starts[crc32(repr(instant).encode()) % len(starts)] if starts else None


def draw_start(game: PlayedGame, variant: Variant, instant: float) -> Position | None:
    """Return where the next game begins, as the settings of this one say; None if as ever."""
    fair_start = draw_fair_start(variant, instant) if game.fair_start else None
    return find_start(variant, _list_head_starts(game), fair_start)


def adapt_start(game: PlayedGame) -> Position | None:
    """Return where a game in which nothing has happened begins with the head starts of now; None if as ever."""
    return find_start(game.variant, _list_head_starts(game), find_fair_start(game.position))


def _list_head_starts(game: PlayedGame) -> tuple[int, int]:
    light, dark = game.side_helps
    return light.head_start, dark.head_start
