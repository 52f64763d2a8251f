"""Rendering of the whole board: a scene becomes a picture.

Most cells are independent. The exceptions are the turn animation, the winner's wave, refusals, the bright cell for
granting a remote request, the dimming of an unsaved game, and the cross shown while sensors are lost.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from math import isqrt
from typing import NamedTuple

from pond_hw.lights import animations, cell_lamps
from pond_hw.lights.animations import soft_bump, soft_slope
from pond_hw.lights.cell_lamps import CellLook, NextChange, RenderContext, paint_look, piece_look
from pond_hw.lights.glyphs import glyph_stencil, lamps_per_side
from pond_hw.lights.palette import BLACK, FAINT_BRIGHTNESS, OWNER_COLOUR, RED, SIGN_COLOUR, WHITE
from pond_hw.rules import LIGHT, Cell, Outcome, Piece, Side, Turn, get_grid
from pond_hw.session import CellRole, CellView, Scene

Picture = tuple[float, ...]
"""Perceived brightness, 0 to 1, of each lamp's channels, before gamma, in the order of `Frame.data`."""

CellLooks = dict[Cell, CellLook]
"""Looks by cell."""

_REQUEST_CELL = CellView(role=CellRole.DEFAULT_CHOICE)

# End times of a turn's phases, in seconds after it was taken.
PLACED_SECONDS = 0.3  # the acted piece is in its new place
DEVELOPED_SECONDS = 0.8  # the neighbours have developed
SCORED_SECONDS = 1.6  # the sets are gone

WAVE_PERIOD_SECONDS = 6.0  # between the starts of two waves, including more than 3 s without a wave
WAVE_ROWS_PER_SECOND = 3.0  # speed of the wave
WAVE_REACH_ROWS = 0.8  # half-width of the crest


class DrawnScene(NamedTuple):
    """Picture of a scene and the time of its next change.

    Attributes:
        picture: picture of the scene.
        next_change: time in seconds of the next visible change, or infinity.
    """

    picture: Picture
    next_change: float


def render_scene(scene: Scene, now: float, lamps: int, strip_lamps: int = 0, key_lamps: int = 0) -> Picture:
    """Return the picture of a scene at a time in seconds; see `draw_scene`."""
    return draw_scene(scene, now, lamps, strip_lamps, key_lamps).picture


def draw_scene(scene: Scene, now: float, lamps: int, strip_lamps: int = 0, key_lamps: int = 0) -> DrawnScene:
    """Render a scene at a time in seconds.

    Args:
        scene: scene to draw.
        now: time in seconds, on the clock of `scene.changed_at`.
        lamps: number of lamps per cell, one of `LAMP_COUNTS`.
        strip_lamps: number of lamps in each score strip; 0 without strips.
        key_lamps: number of lamps in turn keys: 2, 1 in a shared key, or 0.

    Returns:
        (size * size * lamps + 2 * strip + keys) * 3 numbers, and the next change: 1/20 s ahead during repeating
        patterns, one frame ahead during other motion.

    Raises:
        ValueError: this number of lamps is not supported.
    """
    passed_seconds = now - scene.changed_at
    context = RenderContext(now, lamps, None, NextChange())
    next_change = context.next_change
    if scene.played_turn and passed_seconds < turn_duration(scene.played_turn):
        next_change.request_frame(now)
        looks = _looks_during_turn(scene, scene.played_turn, passed_seconds, context)
    else:
        resting = context._replace(to_move=scene.to_move, confirm_window=scene.confirm_window)
        place = get_grid(scene.size).cell_coordinates
        looks = {
            cell: cell_lamps.cell_look(cell_view, resting, is_odd=sum(place(cell)) % 2 == 1)
            for cell, cell_view in scene.cell_views.items()
        }
        if scene.outcome:
            looks = _looks_after_game(looks, scene, scene.outcome, passed_seconds - SCORED_SECONDS, context)
    if scene.refusal and (cell := scene.refusal.cell):
        looks[cell] = cell_lamps.refused_look(looks[cell], scene.refusal, context)
    if scene.asked_cell:
        # Everything else is faint. The cell looks like the default choice of a menu, in the colour of the sign.
        looks = {cell: _dim_look(look, FAINT_BRIGHTNESS) for cell, look in looks.items()}
        white_look = cell_lamps.cell_look(_REQUEST_CELL, context, is_odd=False)
        sign_colour = cell_lamps.solid_look(SIGN_COLOUR[scene.asked_colour], lamps)
        looks[scene.asked_cell] = tuple([share * value for share, value in zip(white_look, sign_colour, strict=True)])
    if scene.is_unsaved:
        brightness = context.read(animations.unsaved_brightness)
        looks = {cell: _dim_look(look, brightness) for cell, look in looks.items()}
    if scene.has_trouble:
        looks = _trouble_looks(looks, scene.size, context.read(animations.trouble_pulse))
    strips = [cell_lamps.score_look(scene, side, strip_lamps) for side in Side if strip_lamps]
    key_sides = Side if key_lamps == len(Side) else (None,) * key_lamps
    keys = [cell_lamps.turn_key_look(scene, side, context) for side in key_sides]
    picture = tuple(chain.from_iterable([*(looks[cell] for cell in get_grid(scene.size).cells), *strips, *keys]))
    return DrawnScene(picture, next_change.at)


def turn_duration(turn: Turn) -> float:
    """Return the duration of a turn's animation in seconds."""
    return SCORED_SECONDS if turn.sets else DEVELOPED_SECONDS if turn.developed_pieces else 0.0


def _looks_during_turn(scene: Scene, turn: Turn, passed_seconds: float, context: RenderContext) -> CellLooks:
    """Return how each cell looks during a turn animation. All pieces are bright, even those of the side that is not to move."""
    new_pieces = turn.pieces_after_develop
    old_pieces = new_pieces | {each.cell: Piece(each.owner, each.old_symbol) for each in turn.developed_pieces}
    scored_cells = set(chain.from_iterable(turn.sets))
    flip_share = soft_slope((passed_seconds - PLACED_SECONDS) / (DEVELOPED_SECONDS - PLACED_SECONDS))
    removal_share = (passed_seconds - DEVELOPED_SECONDS) / (SCORED_SECONDS - DEVELOPED_SECONDS)
    looks = dict.fromkeys(scene.cell_views, context.dark_look)
    for cell, piece in new_pieces.items():
        look = piece_look(piece, context)
        if old_pieces[cell] != piece:
            # The old face fades out before the new one fades in, so that a single lamp can show both.
            face = piece_look(old_pieces[cell], context) if flip_share < 0.5 else look
            look = _dim_look(face, abs(2 * flip_share - 1))
        looks[cell] = _scored_look(look, piece, removal_share, context.lamps_per_cell) if cell in scored_cells else look
    return looks


def _scored_look(look: CellLook, piece: Piece, removal_share: float, lamps: int) -> CellLook:
    """Return the look of a scored piece while `removal_share` goes from 0 to 1: one flash, followed by a fade."""
    flash_share, glyph = soft_bump((removal_share - 0.25) / 0.25), glyph_stencil(piece.symbol.value, lamps)
    flash_look = paint_look(look, glyph, WHITE, flash_share)
    return _dim_look(flash_look, 1 - soft_slope((removal_share - 0.3) / 0.7))


def _trouble_looks(looks: CellLooks, size: int, share: float) -> CellLooks:
    """Return faint looks, with a slowly pulsing cross from corner to corner."""
    faint_looks = {cell: _dim_look(look, FAINT_BRIGHTNESS) for cell, look in looks.items()}
    for cell, look in faint_looks.items():
        x, y = get_grid(size).cell_coordinates(cell)
        if x in (y, size - 1 - y):
            faint_looks[cell] = paint_look(look, (1.0,) * len(look), RED, share)
    return faint_looks


def _dim_look(look: CellLook, share: float) -> CellLook:
    return tuple([value * share for value in look])


def _looks_after_game(
    looks: CellLooks, scene: Scene, outcome: Outcome, seconds: float, context: RenderContext
) -> CellLooks:
    """Return the looks after a game, `seconds` after the last animation: every 6 s, a wave shows the winner."""
    wave_seconds = seconds % WAVE_PERIOD_SECONDS
    if seconds < 0 or wave_seconds > (scene.size + 3 * WAVE_REACH_ROWS) / WAVE_ROWS_PER_SECOND:
        next_wave_in = -seconds if seconds < 0 else WAVE_PERIOD_SECONDS - wave_seconds
        context.next_change.request_frame(context.now + next_wave_in)
        return looks
    context.next_change.request_frame(context.now)
    return _wave_looks(looks, scene, outcome, wave_seconds, lamps_per_side(context.lamps_per_cell))


def _wave_looks(looks: CellLooks, scene: Scene, outcome: Outcome, seconds: float, lamps_per_side: int) -> CellLooks:
    """Return the looks with a wave in the winner's hue, `seconds` after its start.

    Its direction shows the winner without hue: light sits at row 1, dark on the opposite side. After a draw, waves come
    from both sides.

        light wins     dark wins      a draw
        . . . .        | | | |        | | | |
        . . . .        v v v v        v v v v
        ^ ^ ^ ^        . . . .        ^ ^ ^ ^
        | | | |        . . . .        | | | |

    A dark edge runs ahead of the crest, so that the wave is visible on a board full of the winner's pieces.
    """
    wave_colour = WHITE if outcome.winner is None else OWNER_COLOUR[outcome.winner]
    place = get_grid(scene.size).cell_coordinates
    variant_cells = [cell for cell, cell_view in scene.cell_views.items() if cell_view.role is not CellRole.OUTSIDE]
    row_count = isqrt(len(variant_cells))
    wave_front = seconds * WAVE_ROWS_PER_SECOND - 2 * WAVE_REACH_ROWS
    edges, crests = [], []
    for row in range(row_count):
        heights = [row + 1 - (i + 0.5) / lamps_per_side for i in range(lamps_per_side)]
        ahead = [_wave_distance(height, row_count, outcome.winner) - wave_front for height in heights]
        edges.append(_row_stencil(soft_bump(way / WAVE_REACH_ROWS - 1) for way in ahead))
        crests.append(_row_stencil(soft_bump(way / WAVE_REACH_ROWS) for way in ahead))
    wave_looks = dict(looks)
    for cell in variant_cells:
        row = place(cell)[1]
        wave_looks[cell] = paint_look(paint_look(looks[cell], edges[row], BLACK, 1.0), crests[row], wave_colour, 1.0)
    return wave_looks


def _wave_distance(height: float, row_count: int, winner: Side | None) -> float:
    """Return the distance in rows from the start of the wave to a lamp at this height."""
    if winner is None:
        return min(height, row_count - height)
    return height if winner is LIGHT else row_count - height


def _row_stencil(shares: Iterable[float]) -> tuple[float, ...]:
    """Return the stencil of a cell from one number per row of lamps, top row first."""
    by_row = tuple(shares)
    return tuple(share for share in by_row for _ in range(3 * len(by_row)))
