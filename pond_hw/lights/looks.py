"""One cell at one instant: a sight becomes lamps.

Everything is painted: a look begins dark, and each thing to be told is laid over it with a stencil.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from pond_hw.lights import patterns
from pond_hw.lights.glyphs import stencil
from pond_hw.lights.palette import AT_REST, BECKON, BLACK, CALL, GLOW, IN_REACH, OWNER, RED, WHITE, Colour
from pond_hw.rules import LIGHT, Piece, Side
from pond_hw.session.scene import Role, Sight

Look = tuple[float, ...]
"""The lamps of one cell, red, green, blue of each in turn: perceived brightness, 0 to 1."""


class Moment(NamedTuple):
    """What all cells share: the instant in seconds, the lamps in a cell, and whose turn it is (None: nobody's)."""

    now: float
    lamps: int
    to_move: Side | None


@cache
def flood(colour: Colour, lamps: int) -> Look:
    """Every lamp of a cell in one colour."""
    return colour * lamps


def dark(lamps: int) -> Look:
    """A cell in which nothing is lit."""
    return flood(BLACK, lamps)


def paint(look: Look, through: tuple[float, ...], colour: Colour, share: float) -> Look:
    """A look blended with a colour, 0 not at all to 1 covered by it, where the stencil lets it through."""
    if not share:
        return look
    paints = flood(colour, len(look) // 3)
    return tuple([old + share * open_ * (new - old) for old, open_, new in zip(look, through, paints, strict=True)])


def piece_look(piece: Piece, moment: Moment) -> Look:
    """A piece: its owner is the hue, its symbol the shape, or the rhythm where there is one lamp."""
    bright = 1.0 if moment.to_move in (None, piece.owner) else AT_REST
    if moment.lamps == 1:
        bright *= patterns.RHYTHM[piece.symbol](moment.now)
    return _glyph(piece, moment.lamps, bright)


def refused_look(look: Look, seconds: float) -> Look:
    """A cell, whatever it looks like, on which something was refused so many seconds ago."""
    if not 0 <= seconds < patterns.REFUSAL_SECONDS:
        return look
    lamps = len(look) // 3
    return paint(dark(lamps), stencil("wrong", lamps), RED, patterns.refusal(seconds))


def cell_look(sight: Sight, moment: Moment, odd: bool) -> Look:
    """A cell at rest; `odd` are the cells of one colour of a chessboard."""
    piece, role, last = sight
    if role is Role.OUTSIDE:
        return dark(moment.lamps)
    if role is Role.CHOSEN and piece:
        look = _chosen_look(piece, moment)
    else:
        look = piece_look(piece, moment) if piece else dark(moment.lamps)
    if role is Role.TARGET:
        beckoning = BECKON + (CALL - BECKON) * patterns.target(moment.now)
        look = paint(look, stencil("target", moment.lamps), WHITE, beckoning)
    elif role is Role.OPEN and moment.to_move is not None:
        look = _open_look(moment.to_move, moment, odd)
    return _sparked(look, moment) if last else look


def score_look(side: Side, scored: int, target: int, strip: int) -> Look:
    """A score strip of so many lamps, from the first point on: a lamp a point, or all of it when the target is reached.

    A strip shorter than the target shares the points out: its last lamp is then as bright as the part it has earned.
    """
    lit = scored * min(1.0, strip / target)
    shares = [min(1.0, max(0.0, lit - number)) for number in range(strip)]
    return tuple([part * share * AT_REST for share in shares for part in OWNER[side]])


def _glyph(piece: Piece, lamps: int, bright: float) -> Look:
    return paint(dark(lamps), stencil(piece.symbol.value, lamps), OWNER[piece.owner], bright)


def _chosen_look(piece: Piece, moment: Moment) -> Look:
    pattern = patterns.CHOSEN_RHYTHM[piece.symbol] if moment.lamps == 1 else patterns.chosen
    look = _glyph(piece, moment.lamps, IN_REACH)
    return paint(look, stencil(piece.symbol.value, moment.lamps), WHITE, pattern(moment.now))


def _sparked(look: Look, moment: Moment) -> Look:
    where = stencil("spark", moment.lamps)
    hushed = paint(look, where, BLACK, patterns.hush(moment.now))
    return paint(hushed, where, WHITE, patterns.spark(moment.now))


def _open_look(mover: Side, moment: Moment, odd: bool) -> Look:
    tide = patterns.tide_as_one(moment.now) if mover is LIGHT else patterns.tide_in_turns(moment.now, odd)
    return paint(dark(moment.lamps), stencil("open", moment.lamps), OWNER[mover], GLOW * tide)
