"""Rendering of one cell at one instant. A cell starts dark, and each layer is painted over it through a stencil."""

from __future__ import annotations

from functools import cache, lru_cache
from math import inf
from typing import NamedTuple

from pond_hw.lights import animations, palette
from pond_hw.lights.animations import FRAME_SECONDS, LightPattern
from pond_hw.lights.glyphs import edge_progress, glyph_stencil
from pond_hw.lights.palette import BLACK, OWNER_COLOUR, RED, TARGET_HIGH, TARGET_LOW, WHITE, Colour
from pond_hw.rules import LIGHT, Piece, Side
from pond_hw.session import CellRole, CellView, ConfirmWindow, Scene, ShownRefusal

CellLook = tuple[float, ...]
"""Perceived brightness, 0 to 1, of red, green and blue for each lamp in a cell."""


class NextChange:
    """Earliest change among all patterns used while painting.

    Attributes:
        at: time in seconds; infinity if nothing changes.
    """

    def __init__(self) -> None:
        self.at = inf

    def read(self, pattern: LightPattern, now: float, delay: float = 0.0) -> float:
        """Return the level of a pattern delayed by `delay` seconds, and record when it changes next."""
        self.at = min(self.at, pattern.next_change(now - delay) + delay)
        return pattern(now - delay)

    def request_frame(self, now: float) -> float:
        """Request a new frame after `FRAME_SECONDS`, and return `now`."""
        self.at = min(self.at, now + FRAME_SECONDS)
        return now


class RenderContext(NamedTuple):
    """Rendering state shared by all cells.

    Attributes:
        now: time in seconds.
        lamps_per_cell: number of lamps in a cell.
        to_move: side to move, or None.
        next_change: collects the time of the next change.
        confirm_window: start and end of the pending confirmation, or None.
    """

    now: float
    lamps_per_cell: int
    to_move: Side | None
    next_change: NextChange
    confirm_window: ConfirmWindow | None = None

    def read(self, pattern: LightPattern, delay: float = 0.0) -> float:
        """Return the level of a pattern delayed by `delay` seconds, and record when it changes next."""
        return self.next_change.read(pattern, self.now, delay)

    @property
    def dark_look(self) -> CellLook:
        """Look of a dark cell."""
        return solid_look(BLACK, self.lamps_per_cell)

    @property
    def is_single_lamp(self) -> bool:
        """True if cells have one lamp, which cannot show shapes."""
        return self.lamps_per_cell == 1


@cache
def solid_look(colour: Colour, lamps: int) -> CellLook:
    """Return a look with all lamps in one colour."""
    return colour * lamps


def paint_look(look: CellLook, stencil: tuple[float, ...], colour: Colour, share: float) -> CellLook:
    """Blend a colour into a look through a stencil. With share 1 the colour replaces the look; with 0 nothing changes."""
    if not share:
        return look
    paints = solid_look(colour, len(look) // 3)
    return tuple([old + share * opacity * (new - old) for old, opacity, new in zip(look, stencil, paints, strict=True)])


def _draw_glyph(look: CellLook, glyph_name: str, context: RenderContext, colour: Colour, share: float) -> CellLook:
    return paint_look(look, glyph_stencil(glyph_name, context.lamps_per_cell), colour, share)


def piece_look(piece: Piece, context: RenderContext) -> CellLook:
    """Return the look of a piece: its owner's hue, and its symbol's shape (or rhythm, on a single lamp)."""
    brightness = _piece_brightness(piece, context)
    if context.is_single_lamp:
        brightness *= context.read(animations.PIECE_RHYTHM[piece.symbol])
    return _glyph_look(piece, context, brightness)


def refused_look(look: CellLook, refusal: ShownRefusal, context: RenderContext) -> CellLook:
    """Return the look of a cell during a refusal. The refusal hides everything else."""
    seconds = context.now - refusal.instant
    if not 0 <= seconds < animations.REFUSAL_SECONDS:
        return look
    context.next_change.request_frame(context.now)
    lamps = len(look) // 3
    level = animations.refusal_pattern(seconds) * animations.refusal_level(refusal.repeats)
    return paint_look(solid_look(BLACK, lamps), glyph_stencil("wrong", lamps), RED, level)


def cell_look(cell_view: CellView, context: RenderContext, is_odd: bool) -> CellLook:
    """Return the look of a cell outside turn animations. `is_odd` selects one of the two colours of a chessboard."""
    piece, role, is_last, is_masked = cell_view
    if role is CellRole.OUTSIDE:
        return context.dark_look
    is_task = role not in _GAME_ROLES
    look = _task_look(piece, role, context) if is_task else _game_look(piece, role, context, is_odd)
    if is_last and not is_task:  # no spark while the player has something to do here
        look = _draw_glyph(look, "spark", context, BLACK, context.read(animations.spark_shadow))
        look = _draw_glyph(look, "spark", context, WHITE, context.read(animations.last_turn_spark))
    return _masked_look(look, piece, context) if is_masked and role not in _URGENT_ROLES else look


def _game_look(piece: Piece | None, role: CellRole, context: RenderContext, is_odd: bool) -> CellLook:
    """Return the look of a cell in normal play."""
    mover = context.to_move
    if role is CellRole.CHOSEN and piece:
        pattern = animations.CHOSEN_RHYTHM[piece.symbol] if context.is_single_lamp else animations.chosen_pattern
        look = _glyph_look(piece, context, palette.CHOSEN_BRIGHTNESS)
        return _draw_glyph(look, piece.symbol.value, context, WHITE, context.read(pattern))
    if role is CellRole.OPEN and mover is not None:
        dark_tide = animations.dark_tide_between if is_odd else animations.dark_tide
        tide_share = context.read(animations.light_tide if mover is LIGHT else dark_tide)
        return _draw_glyph(
            context.dark_look, "open", context, OWNER_COLOUR[mover], palette.OPEN_BRIGHTNESS * tide_share
        )
    look = piece_look(piece, context) if piece else context.dark_look
    return _target_look(look, context) if role is CellRole.TARGET else look


def _task_look(piece: Piece | None, role: CellRole, context: RenderContext) -> CellLook:
    """Return the look of a cell where the player should or may do something."""
    dark = context.dark_look
    match role:
        case CellRole.TAKE_OFF:  # the whole edge flashes and fades, with the scored piece behind it
            look = _glyph_look(piece, context, palette.REST_BRIGHTNESS)
            return _draw_glyph(look, "edge", context, WHITE, context.read(animations.removal_fade))
        case CellRole.PUT if piece:  # the missing piece fades in, again and again
            is_single = context.is_single_lamp
            pattern = animations.SWELLING_RHYTHM[piece.symbol] if is_single else animations.missing_piece_swell
            return _glyph_look(piece, context, context.read(pattern))
        case CellRole.PUT:  # a missing piece of unknown kind
            return _target_look(dark, context)
        case CellRole.FLIP:
            return _flip_look(piece, context) if piece else dark
        case CellRole.PENDING:
            return _pending_look(piece, context)
        case CellRole.WARNED:
            swell = context.read(animations.choice_swell)
            brightness = palette.FAINT_BRIGHTNESS + (1.0 - palette.FAINT_BRIGHTNESS) * swell
            return _draw_glyph(_glyph_look(piece, context, brightness), "edge", context, WHITE, TARGET_LOW * swell)
        case CellRole.CHOICE:
            return _draw_glyph(
                dark, "choice", context, WHITE, _attention_brightness(context.read(animations.choice_swell))
            )
        case CellRole.DEFAULT_CHOICE:
            return _draw_glyph(
                dark, "default", context, WHITE, TARGET_HIGH * context.read(animations.default_choice_dip)
            )
    return _hint_look(piece, context)


def score_look(scene: Scene, side: Side, strip_lamps: int) -> CellLook:
    """Return the look of a score strip with one lamp per point. It is full when the target is reached.

    If the strip has fewer lamps than the target, its last lamp is partly lit.
    """
    lit_lamps = scene.scored[side] * min(1.0, strip_lamps / scene.target_score)
    shares = [min(1.0, max(0.0, lit_lamps - number)) for number in range(strip_lamps)]
    return tuple([part * share * palette.REST_BRIGHTNESS for share in shares for part in OWNER_COLOUR[side]])


def turn_key_look(scene: Scene, side: Side | None, context: RenderContext) -> CellLook:
    """Return the look of the lamp in a side's turn key. `side` is None for a key shared by both sides.

    The lamp is lit for the side to move, and shows refusals that do not belong to a cell.
    """
    is_lit = scene.turn_key is not None and side in (None, scene.turn_key) and not scene.has_trouble
    look = OWNER_COLOUR[scene.turn_key] if is_lit and scene.turn_key is not None else BLACK
    if scene.refusal and scene.refusal.cell is None:
        return refused_look(look, scene.refusal, context)
    return look


def _piece_brightness(piece: Piece, context: RenderContext) -> float:
    return 1.0 if context.to_move in (None, piece.owner) else palette.REST_BRIGHTNESS


def _attention_brightness(swell: float) -> float:
    return TARGET_LOW + (TARGET_HIGH - TARGET_LOW) * swell


def _glyph_look(piece: Piece | None, context: RenderContext, brightness: float) -> CellLook:
    """Return a piece's shape in its owner's hue, or a dark cell."""
    if piece is None:
        return context.dark_look
    return _draw_glyph(context.dark_look, piece.symbol.value, context, OWNER_COLOUR[piece.owner], brightness)


def _target_look(look: CellLook, context: RenderContext) -> CellLook:
    return _draw_glyph(look, "target", context, WHITE, _attention_brightness(context.read(animations.target_pulse)))


def _masked_look(look: CellLook, piece: Piece | None, context: RenderContext) -> CellLook:
    """Paint the look of a masked sensor: an eye that closes now and then. Empty cells show only the eyelid."""
    closed_share = context.read(animations.eye_closing)
    if not closed_share:
        return look
    look = paint_look(look, solid_look(WHITE, context.lamps_per_cell), BLACK, closed_share)
    if piece:
        return look
    return _draw_glyph(
        look, "lid", context, WHITE, palette.SECONDARY_BRIGHTNESS * context.read(animations.eyelid_glimmer)
    )


def _flip_look(piece: Piece, context: RenderContext) -> CellLook:
    """Return the look of a piece to be turned over: a spot circles it, dark on the piece and faint around it.

    A single lamp turns pale and back while keeping its rhythm.
    """
    brightness, lamps, glyph_name = _piece_brightness(piece, context), context.lamps_per_cell, piece.symbol.value
    if not context.is_single_lamp:
        faint, shade = palette.SECONDARY_BRIGHTNESS * brightness, palette.SPOT_SHADE
        spots = _flip_spot_stencil(context.next_change.request_frame(context.now), lamps)
        channels = zip(piece_look(piece, context), glyph_stencil(glyph_name, lamps), spots, strict=True)
        return tuple([lit * (1 - shade * spot) if inside else faint * spot for lit, inside, spot in channels])
    whitening = context.read(animations.flip_whitening)
    red, green, blue = _draw_glyph(OWNER_COLOUR[piece.owner], glyph_name, context, WHITE, whitening)
    brightness *= context.read(animations.PIECE_RHYTHM[piece.symbol])
    return _draw_glyph(context.dark_look, glyph_name, context, (red, green, blue), brightness)


def _pending_look(piece: Piece | None, context: RenderContext) -> CellLook:
    """Return a dim preview of the piece with a white border that gradually fills in.

    If the cell has only one lamp, it pulses faster and faster instead.
    """
    confirm_window = context.confirm_window or ConfirmWindow(
        context.now, context.now + 1
    )  # default: nothing has elapsed
    if context.now < confirm_window.until:
        context.next_change.request_frame(context.now)
    if context.is_single_lamp:
        brightness = _attention_brightness(animations.confirm_pulse(context.now, *confirm_window))
        return _draw_glyph(_glyph_look(piece, context, palette.FAINT_BRIGHTNESS), "edge", context, WHITE, brightness)
    edge_stencil = _confirm_edge_stencil(context.now, confirm_window, context.lamps_per_cell)
    return paint_look(_glyph_look(piece, context, palette.CHOSEN_BRIGHTNESS), edge_stencil, WHITE, TARGET_HIGH)


def _hint_look(piece: Piece | None, context: RenderContext) -> CellLook:
    """Return the look of a hint: white light that moves between two pairs of corners, over the piece if there is one."""
    look = _glyph_look(piece, context, palette.CHOSEN_BRIGHTNESS)
    if context.is_single_lamp:
        swell = animations.HINT_RHYTHM[piece.symbol if piece else None]
        return _draw_glyph(look, "hint", context, WHITE, TARGET_HIGH * context.read(swell))
    for part, delay in (("a", 0.0), ("b", 0.75)):
        share = TARGET_HIGH * context.read(animations.hint_swell, delay)
        look = paint_look(look, glyph_stencil("hint", context.lamps_per_cell, part), WHITE, share)
    return look


_GAME_ROLES = frozenset({CellRole.PLAIN, CellRole.OPEN, CellRole.CHOSEN, CellRole.TARGET})
"""Cell roles in normal play."""

_URGENT_ROLES = frozenset(
    {CellRole.CHOSEN, CellRole.TAKE_OFF, CellRole.PUT, CellRole.PENDING, CellRole.WARNED, CellRole.HINT}
)
"""Roles that the masked-sensor animation must not disturb."""


@lru_cache(maxsize=2)
def _flip_spot_stencil(now: float, lamps: int) -> CellLook:
    """Return the stencil of the circling spot. It is cached because all cells of a picture share it."""
    shares = [0.0 if place is None else animations.flip_spot(now, place) for place in edge_progress(lamps)]
    return tuple([share for share in shares for _ in "rgb"])


@lru_cache(maxsize=2)
def _confirm_edge_stencil(now: float, confirm_window: ConfirmWindow, lamps: int) -> CellLook:
    """Return the stencil of the filling edge. It is cached because all cells of a picture share it."""
    edge_shares = edge_progress(lamps)
    edge_lamps = len(edge_shares) - edge_shares.count(None)
    passed = animations.confirm_progress(now, *confirm_window) * edge_lamps
    faint = TARGET_LOW / TARGET_HIGH
    shares = [0.0 if place is None else max(faint, min(1.0, passed - place * edge_lamps)) for place in edge_shares]
    return tuple([share for share in shares for _ in "rgb"])
