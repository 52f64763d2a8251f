"""The whole board at one instant: a scene becomes a picture.

At most times that is every cell for itself. Five things concern the board as a whole: a turn that is played out,
the wave that tells a winner, a refusal, which is shown over that, the shutting of a board whose game is not saved,
and the cross of one that cannot feel.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import chain
from math import isqrt

from pond_hw.lights import animations
from pond_hw.lights.animations import bump, slope
from pond_hw.lights.cell_lamps import Look, Moment, cell_look, dark, paint, piece_look, refused_look, score_look
from pond_hw.lights.glyphs import lamps_a_side, stencil
from pond_hw.lights.palette import BLACK, FAINT, OWNER, RED, WHITE
from pond_hw.rules import LIGHT, Cell, Outcome, Piece, Side, Turn, grid
from pond_hw.session.scene import Role, Scene

Picture = tuple[float, ...]
"""Perceived brightness, 0 to 1, of every channel of every lamp, before gamma, in the order of `Frame.data`."""

# When each part of a turn is over, in seconds after it was taken.
PLACED = 0.3  # the acted piece is in its new place, and nothing else has happened
DEVELOPED = 0.8  # the pieces beside it have turned over
SCORED = 1.6  # the sets have gone

WAVE_EVERY = 6.0  # seconds from one wave to the next; for more than three of them it is away
WAVE_SPEED = 3.0  # rows in a second
WAVE_REACH = 0.8  # rows that the crest lights to either side of it


def render(scene: Scene, now: float, lamps: int, strip: int = 0) -> Picture:
    """What there is to see in a scene at an instant.

    Args:
        scene: what there is to see, by meaning.
        now: the instant in seconds, on the clock of `scene.since`.
        lamps: lamps in a cell, one of `LAMPS`.
        strip: lamps in each score strip; 0 without them.

    Returns:
        (size * size * lamps + 2 * strip) * 3 numbers.

    Raises:
        ValueError: no cell has so many lamps.
    """
    side = lamps_a_side(lamps)
    passed = now - scene.since
    if scene.turn and passed < turn_seconds(scene.turn):
        looks = _turn_played(scene, scene.turn, passed, Moment(now, lamps, None))
    else:
        looks = _at_rest(scene, Moment(now, lamps, scene.to_move, scene.hold))
        if scene.outcome and passed >= SCORED:
            looks = _under_wave(looks, scene, scene.outcome, (passed - SCORED) % WAVE_EVERY, side)
    if scene.wrong and scene.wrong.cell:
        looks[scene.wrong.cell] = refused_look(looks[scene.wrong.cell], now - scene.wrong.at)
    cells = grid(scene.size).cells
    if scene.unsaved:
        looks = {cell: _dimmed(look, animations.not_saved(now)) for cell, look in looks.items()}
    if scene.trouble:
        looks = _in_trouble(looks, scene.size, animations.alarm(now))
    strips = [score_look(side, scene.scored[side], scene.target, strip) for side in Side] if strip else []
    return tuple(chain(chain.from_iterable(looks[cell] for cell in cells), *strips))


def turn_seconds(turn: Turn) -> float:
    """How long a turn is played out in light."""
    return SCORED if turn.sets else DEVELOPED if turn.developed else 0.0


def _at_rest(scene: Scene, moment: Moment) -> dict[str, Look]:
    place = grid(scene.size).place
    return {cell: cell_look(sight, moment, sum(place(cell)) % 2 == 1) for cell, sight in scene.sights.items()}


def _turn_played(scene: Scene, turn: Turn, passed: float, moment: Moment) -> dict[str, Look]:
    """The board while a turn happens. It is nobody's move until it is over, so no piece is at rest."""
    turned = turn.standing
    unturned = turned | {d.cell: Piece(d.owner, d.before) for d in turn.developed}
    taken = set(chain.from_iterable(turn.sets))
    over = slope((passed - PLACED) / (DEVELOPED - PLACED))
    gone = (passed - DEVELOPED) / (SCORED - DEVELOPED)
    looks = dict.fromkeys(scene.sights, dark(moment.lamps))
    for cell, piece in turned.items():
        look = _turning(unturned[cell], piece, over, moment)
        looks[cell] = _leaving(look, piece, gone, moment.lamps) if cell in taken else look
    return looks


def _turning(old: Piece, new: Piece, over: float, moment: Moment) -> Look:
    """A piece that is turned over: the old face goes, then the new one comes, so that one lamp can tell it as well."""
    if old == new:
        return piece_look(new, moment)
    return _dimmed(piece_look(old if over < 0.5 else new, moment), abs(2 * over - 1))


def _leaving(look: Look, piece: Piece, gone: float, lamps: int) -> Look:
    """A scored piece: from 0, when the turning is over, to 1, when it has left, it flashes once and fades."""
    flash = paint(look, stencil(piece.symbol.value, lamps), WHITE, bump((gone - 0.25) / 0.25))
    return _dimmed(flash, 1 - slope((gone - 0.3) / 0.7))


def _in_trouble(looks: dict[Cell, Look], size: int, share: float) -> dict[Cell, Look]:
    """The board as it stands, faint, and over it a cross from corner to corner that slowly comes and goes."""
    hushed = {cell: _dimmed(look, FAINT) for cell, look in looks.items()}
    for cell in _cross(size):
        hushed[cell] = paint(hushed[cell], (1.0,) * len(hushed[cell]), RED, share)
    return hushed


@cache
def _cross(size: int) -> tuple[Cell, ...]:
    places = {cell: grid(size).place(cell) for cell in grid(size).cells}
    return tuple(cell for cell, (x, y) in places.items() if x in (y, size - 1 - y))


def _dimmed(look: Look, share: float) -> Look:
    return tuple([value * share for value in look])


def _under_wave(looks: dict[str, Look], scene: Scene, outcome: Outcome, passed: float, side: int) -> dict[str, Look]:
    """A wave over the pond in the winner's hue, so many seconds after it set out.

    Where it comes from tells the winner without hue: light sits at row 1, dark opposite. A draw comes from both sides.

        light wins     dark wins      a draw
        . . . .        | | | |        | | | |
        . . . .        v v v v        v v v v
        ^ ^ ^ ^        . . . .        ^ ^ ^ ^
        | | | |        . . . .        | | | |

    A dark edge runs ahead of the crest, so that it is seen on a board full of the winner's pieces too.
    """
    colour = WHITE if outcome.winner is None else OWNER[outcome.winner]
    place = grid(scene.size).place
    pond = [cell for cell, sight in scene.sights.items() if sight.role is not Role.OUTSIDE]
    rows = isqrt(len(pond))
    front = passed * WAVE_SPEED - 2 * WAVE_REACH
    edges, crests = [], []
    for row in range(rows):
        ahead = [_way(row + 1 - (i + 0.5) / side, rows, outcome.winner) - front for i in range(side)]
        edges.append(_across(bump(way / WAVE_REACH - 1) for way in ahead))
        crests.append(_across(bump(way / WAVE_REACH) for way in ahead))
    washed = dict(looks)
    for cell in pond:
        row = place(cell)[1]
        washed[cell] = paint(paint(looks[cell], edges[row], BLACK, 1.0), crests[row], colour, 1.0)
    return washed


def _way(height: float, rows: int, winner: Side | None) -> float:
    """How far the wave has to run, in rows, to a lamp so many rows above the lower edge."""
    if winner is None:
        return min(height, rows - height)
    return height if winner is LIGHT else rows - height


def _across(shares: Iterable[float]) -> tuple[float, ...]:
    """A stencil of a cell from one number for each row of its lamps, from the top."""
    by_row = tuple(shares)
    return tuple(share for share in by_row for _ in range(3 * len(by_row)))
