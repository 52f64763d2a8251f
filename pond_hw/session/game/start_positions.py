"""Starting positions: standard, with head starts, fair, or set up by hand.

A fair start is a balanced position chosen from a table.
"""

from __future__ import annotations

from functools import cache
from zlib import crc32

from pond_hw.rules import Position, Variant
from pond_hw.session.game.fair_start_table import FAIR_STARTS
from pond_hw.session.game.played_game import PlayedGame
from pond_hw.session.game.settings import cap_head_start


def find_start(variant: Variant, head_starts: tuple[int, int], fair_start: Position | None = None) -> Position | None:
    """Return the starting position of a game with head starts; None for the standard start.

    Head-start pieces come from the spawn. They are limited so that no side starts with a win or without an egg to
    place.
    """
    light, dark = (cap_head_start(variant, pieces) for pieces in head_starts)
    if not (light or dark):
        return fair_start
    start = fair_start or Position.start(variant)
    return start._replace(spawn=(start.spawn[0] - light, start.spawn[1] - dark), scored=(light, dark))


@cache
def list_fair_starts(variant: Variant) -> tuple[Position, ...]:
    """Return all fair starts for a variant; empty if the variant has no name."""
    return tuple(Position.from_notation(line, variant) for line in FAIR_STARTS.get(variant.name, ()))


def is_set_up(start: Position | None) -> bool:
    """Return True if a starting position was set up by hand."""
    if start is None:
        return False
    expected_start = find_start(start.variant, start.scored, find_fair_start(start))
    return start != (expected_start or Position.start(start.variant))


def find_fair_start(start: Position) -> Position | None:
    """Return the fair start from which a position with head starts was made, if there is one."""
    spawn = start.spawn[0] + start.scored[0], start.spawn[1] + start.scored[1]
    fair_start = start._replace(spawn=spawn, scored=(0, 0))
    return fair_start if fair_start in list_fair_starts(start.variant) else None


def draw_fair_start(variant: Variant, instant: float) -> Position | None:
    """Choose a fair start for a variant, if there is one.

    The choice depends only on the time, so replaying the same events gives the same game.
    """
    starts = list_fair_starts(variant)
    return starts[crc32(repr(instant).encode()) % len(starts)] if starts else None


def draw_start(game: PlayedGame, variant: Variant, instant: float) -> Position | None:
    """Return the starting position of the next game under the current settings; None for the standard start."""
    fair_start = draw_fair_start(variant, instant) if game.fair_start else None
    return find_start(variant, _list_head_starts(game), fair_start)


def adapt_start(game: PlayedGame) -> Position | None:
    """Return the starting position of an untouched game after head starts have changed; None for the standard start."""
    return find_start(game.variant, _list_head_starts(game), find_fair_start(game.position))


def _list_head_starts(game: PlayedGame) -> tuple[int, int]:
    light, dark = game.side_helps
    return light.head_start, dark.head_start
