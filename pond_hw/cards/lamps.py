"""Rendering of a card scene as lamp brightness, by pure functions.

The first side is amber and the other azure, like Light and Dark in the board game. Suits can be recognised without
colour: with one lamp per cell, hearts are steady, diamonds breathe and clubs blink twice; with more lamps, each suit
has a shape. Nothing flashes more than three times a second.
"""

from __future__ import annotations

from itertools import chain

from pond_hw.cards import scene as card_scene
from pond_hw.cards.rules.card import POISON_SUITS, Category
from pond_hw.cards.scene import CardScene, Stage
from pond_hw.lights import animations, palette
from pond_hw.lights.cell_lamps import CellLook, paint_look, solid_look
from pond_hw.lights.glyphs import glyph_stencil
from pond_hw.lights.palette import AMBER, AZURE, BLACK, RED, WHITE, Colour
from pond_hw.lights.render import Picture
from pond_hw.rules import EGG, FROG, TADPOLE, Cell, get_grid

SIDE_COLOURS: tuple[Colour, Colour] = (AMBER, AZURE)

SUIT_GLYPHS = {1: "heart", 2: "diamond", 3: "club"}
SUIT_RHYTHMS = {
    suit: animations.PIECE_RHYTHM[symbol] for suit, symbol in zip(POISON_SUITS, (EGG, TADPOLE, FROG), strict=True)
}

CARDS_PER_CELL = 4
"""Number of cards per cell, where the board shows the cards left in a hand."""

TRICKS_PER_CELL = 2

ROW_POINTS = 320
"""Total in points that fills a row of four cells, or a strip."""

WAITING_BRIGHTNESS, MOVER_BRIGHTNESS = 0.3, 0.85
"""Brightness of a waiting seat, and of the seat to move."""

CARDS_LEFT_BRIGHTNESS = 0.3
"""Brightness of the cells that show the cards left in a hand. Low, because white uses all three colour channels."""

CATEGORY_SHARES = {Category.PROFIT: 1.0, Category.FACE: 0.6, Category.NUMBER: 0.3, Category.ACE: 0.15}
"""Lit share of each category's cell. The cell for poison shows the suit instead."""


def render_card_scene(scene: CardScene, now: float, lamps: int, strip_lamps: int = 0) -> Picture:
    """Render a card scene at one instant.

    Args:
        scene: the scene.
        now: time in seconds.
        lamps: number of lamps per cell, one of `LAMP_COUNTS`.
        strip_lamps: number of lamps per strip; 0 without strips.

    Returns:
        (size * size * lamps + 2 * strip_lamps) * 3 values of perceived brightness, in the order of `Frame.data`.

    Raises:
        ValueError: the number of lamps per cell is not supported.
    """
    painter = {
        Stage.POISON: _paint_choices,
        Stage.ROUND: _paint_round,
        Stage.COUNT: _paint_count,
        Stage.TOTALS: _paint_totals,
    }[scene.stage]
    looks = dict.fromkeys(get_grid(scene.size).cells, solid_look(BLACK, lamps)) | painter(scene, now, lamps)
    strips = [_row_look(scene, side, now, strip_lamps) for side in (0, 1) if strip_lamps]
    return tuple(chain.from_iterable([*(looks[cell] for cell in get_grid(scene.size).cells), *strips]))


def _paint_choices(scene: CardScene, now: float, lamps: int) -> dict[Cell, CellLook]:
    looks = _total_rows(scene, now, lamps, card_scene.TOTAL_ROWS)
    for side, cells in enumerate(card_scene.CHOICE_CELLS):
        for cell, suit in zip(cells, POISON_SUITS, strict=True):
            chosen = scene.poison[side]
            brightness = 0.9 if chosen == suit else 0.12 if chosen is not None else palette.REST_BRIGHTNESS
            looks[cell] = _suit_look(suit, side, now, lamps, brightness)
    return looks


def _paint_round(scene: CardScene, now: float, lamps: int) -> dict[Cell, CellLook]:
    looks: dict[Cell, CellLook] = {}
    for side, suit in enumerate(scene.poison):
        if suit is not None:
            looks[card_scene.POISON_CELLS[side]] = _suit_look(suit, side, now, lamps, 0.7)
        for place, cell in enumerate(card_scene.TRICK_CELLS[side]):
            share = (scene.tricks[side] - place * TRICKS_PER_CELL) / TRICKS_PER_CELL
            looks[cell] = _filled_look(share, SIDE_COLOURS[side], 0.8, lamps)
    for place, cell in enumerate(card_scene.CARDS_LEFT_CELLS):
        share = (scene.cards_left - place * CARDS_PER_CELL) / CARDS_PER_CELL
        swell = 0.5 + 0.5 * animations.choice_swell(now) if scene.has_trap else 1.0
        looks[cell] = _filled_look(share, WHITE, CARDS_LEFT_BRIGHTNESS * (swell + 0.4 * scene.has_trap), lamps)
    for seat, cell in enumerate(card_scene.SEAT_CELLS[scene.seats]):
        looks[cell] = _seat_look(scene, seat, now, lamps)
    return looks


def _seat_look(scene: CardScene, seat: int, now: float, lamps: int) -> CellLook:
    """Paint a seat in its side's colour. The leader blinks white every second; the dealer twinkles every four seconds."""
    brightness = MOVER_BRIGHTNESS if seat == scene.to_move else WAITING_BRIGHTNESS
    colour = SIDE_COLOURS[seat % 2]
    look = paint_look(solid_look(BLACK, lamps), glyph_stencil("egg", lamps), colour, brightness)
    if seat == scene.leader:
        blip = animations.target_pulse(now)
        brightness = palette.TARGET_LOW + (palette.TARGET_HIGH - palette.TARGET_LOW) * blip
        look = paint_look(look, glyph_stencil("target", lamps), WHITE, brightness)
    if seat == scene.dealer:
        look = paint_look(look, glyph_stencil("spark", lamps), BLACK, animations.spark_shadow(now))
        look = paint_look(look, glyph_stencil("spark", lamps), WHITE, animations.last_turn_spark(now))
    return look


def _paint_count(scene: CardScene, now: float, lamps: int) -> dict[Cell, CellLook]:
    assert scene.counting is not None
    side, looks = scene.counting % 2, dict[Cell, CellLook]()
    colour, suit = SIDE_COLOURS[side], scene.poison[side]
    for category, cell in zip(Category, card_scene.CATEGORY_CELLS, strict=True):
        if category is Category.POISON:
            looks[cell] = _suit_look(suit or POISON_SUITS[0], side, now, lamps, 0.7)
        else:
            looks[cell] = _filled_look(CATEGORY_SHARES[category], colour, 0.7, lamps)
    for place, cell in enumerate(card_scene.OUTER_ROWS[side]):
        looks[cell] = _filled_look(scene.counted * 4 - place, WHITE, CARDS_LEFT_BRIGHTNESS, lamps)
    dark = solid_look(BLACK, lamps)
    looks[card_scene.UNDO_CELL] = paint_look(dark, glyph_stencil("wrong", lamps), RED, 0.5)
    dip = animations.default_choice_dip(now)
    looks[card_scene.NEXT_CELL] = paint_look(dark, glyph_stencil("default", lamps), WHITE, palette.TARGET_HIGH * dip)
    return looks


def _paint_totals(scene: CardScene, now: float, lamps: int) -> dict[Cell, CellLook]:
    looks = _total_rows(scene, now, lamps, card_scene.TOTAL_ROWS)
    if scene.winner is not None:
        for cell in card_scene.OUTER_ROWS[scene.winner]:
            swell = 0.2 + 0.7 * animations.choice_swell(now)
            looks[cell] = solid_look(_dim(SIDE_COLOURS[scene.winner], swell), lamps)
    return looks


def _total_rows(scene: CardScene, now: float, lamps: int, rows: tuple[tuple[Cell, ...], ...]) -> dict[Cell, CellLook]:
    looks: dict[Cell, CellLook] = {}
    for side, cells in enumerate(rows):
        row = _row_look(scene, side, now, lamps * len(cells))
        looks |= {cell: row[place * lamps * 3 : (place + 1) * lamps * 3] for place, cell in enumerate(cells)}
    return looks


def _row_look(scene: CardScene, side: int, now: float, lamps: int) -> CellLook:
    """Paint a side's total as a bar of lamps, which breathes if the total is negative."""
    total = scene.totals[side]
    brightness = 0.8 if total >= 0 else 0.15 + 0.4 * animations.choice_swell(now)
    lit = min(1.0, abs(total) / ROW_POINTS) * lamps
    colour = SIDE_COLOURS[side]
    shares = [min(1.0, max(0.0, lit - number)) * brightness for number in range(lamps)]
    return tuple(chain.from_iterable(_dim(colour, share) for share in shares))


def _suit_look(suit: int, side: int, now: float, lamps: int, brightness: float) -> CellLook:
    """Paint a suit in a side's colour: as a shape, or as a rhythm on a single lamp."""
    if lamps == 1:
        brightness *= SUIT_RHYTHMS[suit](now)
    stencil = glyph_stencil(SUIT_GLYPHS[suit], lamps)
    return paint_look(solid_look(BLACK, lamps), stencil, SIDE_COLOURS[side], brightness)


def _filled_look(share: float, colour: Colour, brightness: float, lamps: int) -> CellLook:
    """Light a share of a cell's lamps, starting at the top left. A single lamp is dimmed instead."""
    lit = min(1.0, max(0.0, share)) * lamps
    shares = [min(1.0, max(0.0, lit - number)) for number in range(lamps)]
    return tuple(chain.from_iterable(_dim(colour, brightness * part) for part in shares))


def _dim(colour: Colour, share: float) -> Colour:
    red, green, blue = colour
    return red * share, green * share, blue * share
