"""One cell at one instant: a sight becomes lamps.

Everything is painted: a look begins dark, and each thing to be told is laid over it with a stencil.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import NamedTuple

from pond_hw.lights import animations
from pond_hw.lights.glyphs import edge_progress, glyph_stencil
from pond_hw.lights.palette import (
    BLACK,
    CHOSEN_BRIGHTNESS,
    FAINT_BRIGHTNESS,
    OPEN_BRIGHTNESS,
    OWNER_COLOUR,
    RED,
    REMARK_BRIGHTNESS,
    REST_BRIGHTNESS,
    SPOT_SHADE,
    TARGET_HIGH,
    TARGET_LOW,
    WHITE,
    Colour,
)
from pond_hw.rules import LIGHT, Piece, Side
from pond_hw.session.scene import CellRole, CellView, ConfirmWindow

CellLook = tuple[float, ...]
"""The lamps of one cell, red, green, blue of each in turn: perceived brightness, 0 to 1."""


class CellMoment(NamedTuple):
    """What all cells share.

    Attributes:
        now: the instant in seconds.
        lamps_per_cell: lamps in a cell.
        to_move: whose turn it is (None: nobody's).
        confirm_window: since when and until when something is announced, or None.
    """

    now: float
    lamps_per_cell: int
    to_move: Side | None
    confirm_window: ConfirmWindow | None = None


@cache
def flood_look(colour: Colour, lamps: int) -> CellLook:
    """Every lamp of a cell in one colour."""
    return colour * lamps


def dark_look(lamps: int) -> CellLook:
    """A cell in which nothing is lit."""
    return flood_look(BLACK, lamps)


def paint_look(look: CellLook, through: tuple[float, ...], colour: Colour, share: float) -> CellLook:
    """A look blended with a colour, 0 not at all to 1 covered by it, where the stencil lets it through."""
    if not share:
        return look
    paints = flood_look(colour, len(look) // 3)
    return tuple([old + share * open_ * (new - old) for old, open_, new in zip(look, through, paints, strict=True)])


def piece_look(piece: Piece, moment: CellMoment) -> CellLook:
    """A piece: its owner is the hue, its symbol the shape, or the rhythm where there is one lamp."""
    bright = _piece_brightness(piece, moment)
    if moment.lamps_per_cell == 1:
        bright *= animations.PIECE_RHYTHM[piece.symbol](moment.now)
    return _glyph_look(piece, moment.lamps_per_cell, bright)


def refused_look(look: CellLook, seconds: float) -> CellLook:
    """A cell, whatever it looks like, on which something was refused so many seconds ago."""
    if not 0 <= seconds < animations.REFUSAL_SECONDS:
        return look
    lamps = len(look) // 3
    return paint_look(dark_look(lamps), glyph_stencil("wrong", lamps), RED, animations.refusal_pattern(seconds))


def cell_look(sight: CellView, moment: CellMoment, odd: bool) -> CellLook:
    """A cell at rest; `odd` are the cells of one colour of a chessboard."""
    role = sight.role
    if role is CellRole.OUTSIDE:
        return dark_look(moment.lamps_per_cell)
    by_hand = _HAND_LOOKS.get(role)
    look = by_hand(sight.piece, moment) if by_hand else _game_look(sight, moment, odd)
    return _masked_look(look, sight.piece, moment) if sight.is_masked and role not in _URGENT_ROLES else look


def _game_look(sight: CellView, moment: CellMoment, odd: bool) -> CellLook:
    """A cell in which hands have nothing to do but to play."""
    piece, role, last, _ = sight
    if role is CellRole.CHOSEN and piece:
        look = _chosen_look(piece, moment)
    else:
        look = piece_look(piece, moment) if piece else dark_look(moment.lamps_per_cell)
    if role is CellRole.TARGET:
        look = _target_look(look, moment)
    elif role is CellRole.OPEN and moment.to_move is not None:
        look = _open_look(moment.to_move, moment, odd)
    return _last_turn_look(look, moment) if last else look


def score_look(side: Side, scored: int, target: int, strip: int) -> CellLook:
    """A score strip of so many lamps, from the first point on: a lamp a point, or all of it when the target is reached.

    A strip shorter than the target shares the points out: its last lamp is then as bright as the part it has earned.
    """
    lit = scored * min(1.0, strip / target)
    shares = [min(1.0, max(0.0, lit - number)) for number in range(strip)]
    return tuple([part * share * REST_BRIGHTNESS for share in shares for part in OWNER_COLOUR[side]])


def _piece_brightness(piece: Piece, moment: CellMoment) -> float:
    return 1.0 if moment.to_move in (None, piece.owner) else REST_BRIGHTNESS


def _glyph_look(piece: Piece, lamps: int, bright: float) -> CellLook:
    return paint_look(dark_look(lamps), glyph_stencil(piece.symbol.value, lamps), OWNER_COLOUR[piece.owner], bright)


def _chosen_look(piece: Piece, moment: CellMoment) -> CellLook:
    pattern = animations.CHOSEN_RHYTHM[piece.symbol] if moment.lamps_per_cell == 1 else animations.chosen_pattern
    look = _glyph_look(piece, moment.lamps_per_cell, CHOSEN_BRIGHTNESS)
    return paint_look(look, glyph_stencil(piece.symbol.value, moment.lamps_per_cell), WHITE, pattern(moment.now))


def _target_look(look: CellLook, moment: CellMoment) -> CellLook:
    beckoning = TARGET_LOW + (TARGET_HIGH - TARGET_LOW) * animations.target_blip(moment.now)
    return paint_look(look, glyph_stencil("target", moment.lamps_per_cell), WHITE, beckoning)


def _last_turn_look(look: CellLook, moment: CellMoment) -> CellLook:
    where = glyph_stencil("spark", moment.lamps_per_cell)
    hushed = paint_look(look, where, BLACK, animations.spark_shadow(moment.now))
    return paint_look(hushed, where, WHITE, animations.last_turn_spark(moment.now))


def _open_look(mover: Side, moment: CellMoment, odd: bool) -> CellLook:
    tide = animations.light_tide(moment.now) if mover is LIGHT else animations.dark_tide(moment.now, odd)
    return paint_look(
        dark_look(moment.lamps_per_cell),
        glyph_stencil("open", moment.lamps_per_cell),
        OWNER_COLOUR[mover],
        OPEN_BRIGHTNESS * tide,
    )


def _masked_look(look: CellLook, piece: Piece | None, moment: CellMoment) -> CellLook:
    """A cell whose sensor is known to be bad: an eye that shuts now and then. Of an empty one its lid is seen."""
    shut = animations.eye_shutting(moment.now)
    if not shut:
        return look
    closed = paint_look(look, flood_look(WHITE, moment.lamps_per_cell), BLACK, shut)
    return (
        closed
        if piece
        else paint_look(
            closed,
            glyph_stencil("lid", moment.lamps_per_cell),
            WHITE,
            REMARK_BRIGHTNESS * animations.eyelid_glimmer(moment.now),
        )
    )


def _take_off_look(piece: Piece | None, moment: CellMoment) -> CellLook:
    """All of its edge is bright at once and falls away; behind it is seen what has scored."""
    look = _glyph_look(piece, moment.lamps_per_cell, REST_BRIGHTNESS) if piece else dark_look(moment.lamps_per_cell)
    return paint_look(look, glyph_stencil("edge", moment.lamps_per_cell), WHITE, animations.removal_fade(moment.now))


def _put_look(piece: Piece | None, moment: CellMoment) -> CellLook:
    """A piece that is not there: it comes up from nothing, again and again. Whatever it is, is a target."""
    if piece is None:
        return _target_look(dark_look(moment.lamps_per_cell), moment)
    pattern = animations.SWELLING_RHYTHM[piece.symbol] if moment.lamps_per_cell == 1 else animations.missing_piece_swell
    return _glyph_look(piece, moment.lamps_per_cell, pattern(moment.now))


def _flip_look(piece: Piece | None, moment: CellMoment) -> CellLook:
    """A piece and a spot that goes round it: a shadow on the piece, a faint light beside it, so that the shape stays.

    A single lamp goes pale, in its rhythm, and back to its hue.
    """
    if piece is None:
        return dark_look(moment.lamps_per_cell)
    if moment.lamps_per_cell > 1:
        faint = REMARK_BRIGHTNESS * _piece_brightness(piece, moment)
        shape, spot = (
            glyph_stencil(piece.symbol.value, moment.lamps_per_cell),
            _flip_spot_stencil(moment.now, moment.lamps_per_cell),
        )
        lamps = zip(piece_look(piece, moment), shape, spot, strict=True)
        return tuple([lit * (1 - SPOT_SHADE * there) if inside else faint * there for lit, inside, there in lamps])
    bright = _piece_brightness(piece, moment) * animations.PIECE_RHYTHM[piece.symbol](moment.now)
    pale = paint_look(
        OWNER_COLOUR[piece.owner], glyph_stencil(piece.symbol.value, 1), WHITE, animations.flip_paling(moment.now)
    )
    return paint_look(dark_look(1), glyph_stencil(piece.symbol.value, 1), (pale[0], pale[1], pale[2]), bright)


def _pending_look(piece: Piece | None, moment: CellMoment) -> CellLook:
    """What will be here, low, and over it light that fills its edge; a single lamp pulses, and ever quicker."""
    low = CHOSEN_BRIGHTNESS if moment.lamps_per_cell > 1 else FAINT_BRIGHTNESS
    look = _glyph_look(piece, moment.lamps_per_cell, low) if piece else dark_look(moment.lamps_per_cell)
    hold = moment.confirm_window or ConfirmWindow(moment.now, moment.now + 1)  # nothing has passed of it
    if moment.lamps_per_cell > 1:
        return paint_look(look, _confirm_edge_stencil(moment.now, hold, moment.lamps_per_cell), WHITE, TARGET_HIGH)
    beating = TARGET_LOW + (TARGET_HIGH - TARGET_LOW) * animations.confirm_pulse(moment.now, *hold)
    return paint_look(look, glyph_stencil("edge", 1), WHITE, beating)


def _choice_look(_piece: Piece | None, moment: CellMoment) -> CellLook:
    share = TARGET_LOW + (TARGET_HIGH - TARGET_LOW) * animations.choice_swell(moment.now)
    return paint_look(dark_look(moment.lamps_per_cell), glyph_stencil("choice", moment.lamps_per_cell), WHITE, share)


def _hint_look(piece: Piece | None, moment: CellMoment) -> CellLook:
    """White that goes from one pair of corners to the other and back, over the piece if there is one."""
    look = _glyph_look(piece, moment.lamps_per_cell, CHOSEN_BRIGHTNESS) if piece else dark_look(moment.lamps_per_cell)
    if moment.lamps_per_cell == 1:
        swell = animations.HINT_RHYTHM[piece.symbol if piece else None]
        return paint_look(look, glyph_stencil("hint", 1), WHITE, TARGET_HIGH * swell(moment.now))
    for part, behind in (("a", 0.0), ("b", 0.75)):
        share = TARGET_HIGH * animations.hint_swell(moment.now - behind)
        look = paint_look(look, glyph_stencil("hint", moment.lamps_per_cell, part), WHITE, share)
    return look


def _default_choice_look(_piece: Piece | None, moment: CellMoment) -> CellLook:
    return paint_look(
        dark_look(moment.lamps_per_cell),
        glyph_stencil("usual", moment.lamps_per_cell),
        WHITE,
        TARGET_HIGH * animations.default_choice_dip(moment.now),
    )


_HAND_LOOKS: dict[CellRole, Callable[[Piece | None, CellMoment], CellLook]] = {
    CellRole.TAKE_OFF: _take_off_look,
    CellRole.PUT: _put_look,
    CellRole.FLIP: _flip_look,
    CellRole.PENDING: _pending_look,
    CellRole.CHOICE: _choice_look,
    CellRole.DEFAULT_CHOICE: _default_choice_look,
    CellRole.HINT: _hint_look,
}
"""Cells where hands have something to do, or might. The last turn's spark waits until it is done."""

_URGENT_ROLES = frozenset({CellRole.CHOSEN, CellRole.TAKE_OFF, CellRole.PUT, CellRole.PENDING, CellRole.HINT})
"""What is told undisturbed by a remark about the sensor."""


@lru_cache(maxsize=2)
def _flip_spot_stencil(now: float, lamps: int) -> CellLook:
    """A stencil: a spot on its way round the cell. All cells of a picture share it."""
    shares = [0.0 if place is None else animations.flip_spot(now, place) for place in edge_progress(lamps)]
    return tuple([share for share in shares for _ in "rgb"])


@lru_cache(maxsize=2)
def _confirm_edge_stencil(now: float, hold: ConfirmWindow, lamps: int) -> CellLook:
    """A stencil: the edge of a cell, faint, and full as far as the hold has passed. All cells of a picture share it."""
    way = edge_progress(lamps)
    count = len(way) - way.count(None)
    passed = animations.confirm_progress(now, *hold) * count
    faint = TARGET_LOW / TARGET_HIGH
    shares = [0.0 if place is None else max(faint, min(1.0, passed - place * count)) for place in way]
    return tuple([share for share in shares for _ in "rgb"])
