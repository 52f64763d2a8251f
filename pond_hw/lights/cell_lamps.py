"""One cell at one instant: a sight becomes lamps.

Everything is painted: a look begins dark, and each thing to be told is laid over it with a stencil.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import NamedTuple

from pond_hw.lights import animations
from pond_hw.lights.glyphs import stencil, way_round
from pond_hw.lights.palette import (
    ASIDE,
    AT_REST,
    BECKON,
    BLACK,
    CALL,
    FAINT,
    GLOW,
    IN_REACH,
    OWNER,
    RED,
    SHADE,
    WHITE,
    Colour,
)
from pond_hw.rules import LIGHT, Piece, Side
from pond_hw.session.scene import Hold, Role, Sight

Look = tuple[float, ...]
"""The lamps of one cell, red, green, blue of each in turn: perceived brightness, 0 to 1."""


class Moment(NamedTuple):
    """What all cells share.

    Attributes:
        now: the instant in seconds.
        lamps: lamps in a cell.
        to_move: whose turn it is (None: nobody's).
        hold: since when and until when something is announced, or None.
    """

    now: float
    lamps: int
    to_move: Side | None
    hold: Hold | None = None


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
    bright = _rest(piece, moment)
    if moment.lamps == 1:
        bright *= animations.RHYTHM[piece.symbol](moment.now)
    return _glyph(piece, moment.lamps, bright)


def refused_look(look: Look, seconds: float) -> Look:
    """A cell, whatever it looks like, on which something was refused so many seconds ago."""
    if not 0 <= seconds < animations.REFUSAL_SECONDS:
        return look
    lamps = len(look) // 3
    return paint(dark(lamps), stencil("wrong", lamps), RED, animations.refusal(seconds))


def cell_look(sight: Sight, moment: Moment, odd: bool) -> Look:
    """A cell at rest; `odd` are the cells of one colour of a chessboard."""
    role = sight.role
    if role is Role.OUTSIDE:
        return dark(moment.lamps)
    by_hand = _BY_HAND.get(role)
    look = by_hand(sight.piece, moment) if by_hand else _game_look(sight, moment, odd)
    return _shut(look, sight.piece, moment) if sight.masked and role not in _PRESSING else look


def _game_look(sight: Sight, moment: Moment, odd: bool) -> Look:
    """A cell in which hands have nothing to do but to play."""
    piece, role, last, _ = sight
    if role is Role.CHOSEN and piece:
        look = _chosen_look(piece, moment)
    else:
        look = piece_look(piece, moment) if piece else dark(moment.lamps)
    if role is Role.TARGET:
        look = _beckoning(look, moment)
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


def _rest(piece: Piece, moment: Moment) -> float:
    return 1.0 if moment.to_move in (None, piece.owner) else AT_REST


def _glyph(piece: Piece, lamps: int, bright: float) -> Look:
    return paint(dark(lamps), stencil(piece.symbol.value, lamps), OWNER[piece.owner], bright)


def _chosen_look(piece: Piece, moment: Moment) -> Look:
    pattern = animations.CHOSEN_RHYTHM[piece.symbol] if moment.lamps == 1 else animations.chosen
    look = _glyph(piece, moment.lamps, IN_REACH)
    return paint(look, stencil(piece.symbol.value, moment.lamps), WHITE, pattern(moment.now))


def _beckoning(look: Look, moment: Moment) -> Look:
    beckoning = BECKON + (CALL - BECKON) * animations.target(moment.now)
    return paint(look, stencil("target", moment.lamps), WHITE, beckoning)


def _sparked(look: Look, moment: Moment) -> Look:
    where = stencil("spark", moment.lamps)
    hushed = paint(look, where, BLACK, animations.hush(moment.now))
    return paint(hushed, where, WHITE, animations.spark(moment.now))


def _open_look(mover: Side, moment: Moment, odd: bool) -> Look:
    tide = animations.tide_as_one(moment.now) if mover is LIGHT else animations.tide_in_turns(moment.now, odd)
    return paint(dark(moment.lamps), stencil("open", moment.lamps), OWNER[mover], GLOW * tide)


def _shut(look: Look, piece: Piece | None, moment: Moment) -> Look:
    """A cell whose sensor is known to be bad: an eye that shuts now and then. Of an empty one its lid is seen."""
    shut = animations.shutting(moment.now)
    if not shut:
        return look
    closed = paint(look, flood(WHITE, moment.lamps), BLACK, shut)
    return (
        closed if piece else paint(closed, stencil("lid", moment.lamps), WHITE, ASIDE * animations.glimmer(moment.now))
    )


def _take_off_look(piece: Piece | None, moment: Moment) -> Look:
    """All of its edge is bright at once and falls away; behind it is seen what has scored."""
    look = _glyph(piece, moment.lamps, AT_REST) if piece else dark(moment.lamps)
    return paint(look, stencil("edge", moment.lamps), WHITE, animations.falling(moment.now))


def _put_look(piece: Piece | None, moment: Moment) -> Look:
    """A piece that is not there: it comes up from nothing, again and again. Whatever it is, is a target."""
    if piece is None:
        return _beckoning(dark(moment.lamps), moment)
    pattern = animations.SWELLING_RHYTHM[piece.symbol] if moment.lamps == 1 else animations.swelling
    return _glyph(piece, moment.lamps, pattern(moment.now))


def _turn_look(piece: Piece | None, moment: Moment) -> Look:
    """A piece and a spot that goes round it: a shadow on the piece, a faint light beside it, so that the shape stays.

    A single lamp goes pale, in its rhythm, and back to its hue.
    """
    if piece is None:
        return dark(moment.lamps)
    if moment.lamps > 1:
        faint = ASIDE * _rest(piece, moment)
        shape, spot = stencil(piece.symbol.value, moment.lamps), _spot(moment.now, moment.lamps)
        lamps = zip(piece_look(piece, moment), shape, spot, strict=True)
        return tuple([lit * (1 - SHADE * there) if inside else faint * there for lit, inside, there in lamps])
    bright = _rest(piece, moment) * animations.RHYTHM[piece.symbol](moment.now)
    pale = paint(OWNER[piece.owner], stencil(piece.symbol.value, 1), WHITE, animations.paling(moment.now))
    return paint(dark(1), stencil(piece.symbol.value, 1), (pale[0], pale[1], pale[2]), bright)


def _about_look(piece: Piece | None, moment: Moment) -> Look:
    """What will be here, low, and over it light that fills its edge; a single lamp pulses, and ever quicker."""
    low = IN_REACH if moment.lamps > 1 else FAINT
    look = _glyph(piece, moment.lamps, low) if piece else dark(moment.lamps)
    hold = moment.hold or Hold(moment.now, moment.now + 1)  # nothing has passed of it
    if moment.lamps > 1:
        return paint(look, _filled(moment.now, hold, moment.lamps), WHITE, CALL)
    beating = BECKON + (CALL - BECKON) * animations.hastening(moment.now, *hold)
    return paint(look, stencil("edge", 1), WHITE, beating)


def _choice_look(_piece: Piece | None, moment: Moment) -> Look:
    share = BECKON + (CALL - BECKON) * animations.coming(moment.now)
    return paint(dark(moment.lamps), stencil("choice", moment.lamps), WHITE, share)


def _hint_look(piece: Piece | None, moment: Moment) -> Look:
    """White that goes from one pair of corners to the other and back, over the piece if there is one."""
    look = _glyph(piece, moment.lamps, IN_REACH) if piece else dark(moment.lamps)
    if moment.lamps == 1:
        swell = animations.HINT_RHYTHM[piece.symbol if piece else None]
        return paint(look, stencil("hint", 1), WHITE, CALL * swell(moment.now))
    for part, behind in (("a", 0.0), ("b", 0.75)):
        share = CALL * animations.hinting(moment.now - behind)
        look = paint(look, stencil("hint", moment.lamps, part), WHITE, share)
    return look


def _usual_look(_piece: Piece | None, moment: Moment) -> Look:
    return paint(dark(moment.lamps), stencil("usual", moment.lamps), WHITE, CALL * animations.staying(moment.now))


_BY_HAND: dict[Role, Callable[[Piece | None, Moment], Look]] = {
    Role.TAKE_OFF: _take_off_look,
    Role.PUT: _put_look,
    Role.TURN: _turn_look,
    Role.ABOUT: _about_look,
    Role.CHOICE: _choice_look,
    Role.USUAL: _usual_look,
    Role.HINT: _hint_look,
}
"""Cells where hands have something to do, or might. The last turn's spark waits until it is done."""

_PRESSING = frozenset({Role.CHOSEN, Role.TAKE_OFF, Role.PUT, Role.ABOUT, Role.HINT})
"""What is told undisturbed by a remark about the sensor."""


@lru_cache(maxsize=2)
def _spot(now: float, lamps: int) -> Look:
    """A stencil: a spot on its way round the cell. All cells of a picture share it."""
    shares = [0.0 if place is None else animations.turning(now, place) for place in way_round(lamps)]
    return tuple([share for share in shares for _ in "rgb"])


@lru_cache(maxsize=2)
def _filled(now: float, hold: Hold, lamps: int) -> Look:
    """A stencil: the edge of a cell, faint, and full as far as the hold has passed. All cells of a picture share it."""
    way = way_round(lamps)
    count = len(way) - way.count(None)
    passed = animations.held(now, *hold) * count
    faint = BECKON / CALL
    shares = [0.0 if place is None else max(faint, min(1.0, passed - place * count)) for place in way]
    return tuple([share for share in shares for _ in "rgb"])
