"""Glyphs: drawings for each number of lamps in a cell.

`#` and letters are lit lamps. Letters give an order: a to z, then A and B. The board is seen from all sides, so
no glyph may look like a rotated version of another.

    egg      a small lump in the middle
    tadpole  a head in one corner, a tail towards the opposite corner
    frog     seen from above, a leg in every corner
    open     an egg may be placed here
    target   the chosen piece may go here
    wrong    refused
    spark    target of the last action; drawn over other glyphs where they have no lamps
    edge     a piece to be removed; lit in order, it is a countdown, or a spot around a piece to be turned over
    choice   a menu choice
    default  the default menu choice
    lid      a closed eye: the sensor is masked
    hint     a suggested action; light moves from a to b and back
    heart, diamond, club   poison suits in the card game; in small cells they differ by the number of lamps
"""

from functools import cache
from itertools import chain
from math import isqrt

LAMP_COUNTS = (1, 4, 9, 16, 25, 36, 49, 64)
"""Supported numbers of lamps per cell: one, or a square."""

# One lamp has no shape and shows symbols by rhythm (see animations).
_SHEET_1X1 = """
    egg  tadpole  frog  open  target  wrong  spark  edge  choice  default  lid  hint  heart  diamond  club
    #    #        #     #     #       #      #      a     #       #        #    a     #      #        #
"""

_SHEET_2X2 = """
    egg  tadpole  frog  open  target  wrong  spark  edge  choice  default  lid  hint  heart  diamond  club
    #.   #.       ##    ##    ##      ##     .#     ab    ##      ##       ##   ab    ##     #.       ##
    ..   .#       ##    ##    ##      ##     ..     dc    ..      #.       ##   ba    ##     .#       #.
"""

_SHEET_3X3 = """
    egg  tadpole  frog  open  target  wrong  spark  edge  choice  default  lid  hint  heart  diamond  club
    ...  #..      #.#   #.#   .#.     #.#    .#.    abc   ...     ###      ...  a.b   #.#    .#.      .#.
    .#.  .#.      ###   ...   #.#     .#.    ...    h.d   ###     ...      ###  ...   ###    #.#      ###
    ...  ..#      #.#   #.#   .#.     #.#    .#.    gfe   ...     ###      ...  b.a   .#.    .#.      .#.
"""

_SHEET_4X4 = """
    egg   tadpole  frog  open  target  wrong  spark  edge  choice  default  lid   hint  heart  diamond  club
    ....  ##..     #..#  #..#  .##.    #..#   .##.   abcd  ....    ####     ....  a..b  #..#   .##.     .##.
    .##.  ##..     ####  ....  #..#    .##.   ....   l..e  ####    ....     ####  ....  ####   #..#     ####
    .##.  ..#.     ####  ....  #..#    .##.   ....   k..f  ####    ....     ....  ....  ####   #..#     .##.
    ....  ...#     #..#  #..#  .##.    #..#   .##.   jihg  ....    ####     ....  b..a  .##.   .##.     .##.
"""

_SHEET_5X5 = """
    egg    tadpole  frog   open   target  wrong  spark  edge   choice  default  lid    hint   heart  diamond  club
    .....  ##...    #...#  #...#  ..#..   #...#  ..#..  abcde  .....   #####    .....  a...b  ##.##  ..#..    ..#..
    ..#..  ##...    #####  .....  .#.#.   .#.#.  .....  p...f  #####   #####    .....  .....  #####  .#.#.    .###.
    .###.  ..#..    .###.  .....  #...#   ..#..  #...#  o...g  #####   .....    #####  .....  #####  #...#    #####
    ..#..  ...#.    #####  .....  .#.#.   .#.#.  .....  n...h  #####   #####    .....  .....  .###.  .#.#.    ..#..
    .....  ....#    #...#  #...#  ..#..   #...#  ..#..  mlkji  .....   #####    .....  b...a  ..#..  ..#..    .###.
"""

_SHEET_8X8 = """
  egg       tadpole   frog      open      target    wrong     spark     edge      choice    default   lid       hint
  ........  .##.....  #......#  ##....##  ...##...  ##....##  ...##...  abcdefgh  ........  ########  ........  aa....bb
  ...##...  ####....  ##.##.##  #......#  ..#..#..  .##..##.  ...##...  B......i  ........  ########  ........  a......b
  ..####..  ####....  ########  ........  .#....#.  ..####..  ........  A......j  ########  ########  ........  ........
  ..####..  .###....  .######.  ........  #......#  ...##...  ........  z......k  ########  ........  .######.  ........
  ..####..  ...##...  .######.  ........  #......#  ...##...  ........  y......l  ########  ........  .######.  ........
  ..####..  ....##..  ########  ........  .#....#.  ..####..  ........  x......m  ########  ########  ........  ........
  ...##...  .....##.  ##....##  #......#  ..#..#..  .##..##.  ...##...  w......n  ........  ########  ........  b......a
  ........  ......##  #......#  ##....##  ...##...  ##....##  ...##...  vutsrqpo  ........  ########  ........  bb....aa

  heart     diamond   club
  .##..##.  ...##...  ...##...
  ########  ..#..#..  ..####..
  ########  .#....#.  ...##...
  ########  #......#  .##..##.
  .######.  #......#  ########
  ..####..  .#....#.  .##..##.
  ...##...  ..#..#..  ...##...
  ........  ...##...  ..####..
"""


def _parse_sheet(sheet: str) -> dict[str, tuple[str, ...]]:
    """Parse a sheet into drawings by name, each a tuple of rows from the top. Empty lines separate blocks."""
    drawings: dict[str, tuple[str, ...]] = {}
    for block in sheet.strip().split("\n\n"):
        names, *glyph_rows_text = (line.split() for line in block.splitlines())
        drawings |= zip(names, zip(*glyph_rows_text, strict=True), strict=True)
    return drawings


_SHEETS_BY_SIDE = {
    isqrt(len("".join(sheet["egg"]))): sheet
    for sheet in map(_parse_sheet, (_SHEET_1X1, _SHEET_2X2, _SHEET_3X3, _SHEET_4X4, _SHEET_5X5, _SHEET_8X8))
}


def lamps_per_side(lamps: int) -> int:
    """Return the number of lamps along a side of a cell.

    Raises:
        ValueError: this number of lamps is not supported.
    """
    if lamps not in LAMP_COUNTS:
        raise ValueError(f"A cell has one of {LAMP_COUNTS} lamps, not {lamps!r}.")
    return isqrt(lamps)


def glyph_rows(glyph_name: str, lamps: int) -> tuple[str, ...]:
    """Return the square drawing of a glyph as rows from the top; `.` is a dark lamp.

    A size without a drawing uses the largest smaller drawing that fits with an equal margin on all sides.

    Raises:
        ValueError: this number of lamps is not supported.
    """
    side = lamps_per_side(lamps)
    drawn_side = max(drawn for drawn in _SHEETS_BY_SIDE if drawn <= side and (side - drawn) % 2 == 0)
    margin = (side - drawn_side) // 2
    rows = (f"{'.' * margin}{row}{'.' * margin}" for row in _SHEETS_BY_SIDE[drawn_side][glyph_name])
    return ("." * side,) * margin + tuple(rows) + ("." * side,) * margin


@cache
def edge_progress(lamps: int) -> tuple[float | None, ...]:
    """Return the position of each lamp along the edge of a cell, from 0 to less than 1, or None for inner lamps.

    Raises:
        ValueError: this number of lamps is not supported.
    """
    lamp_signs = tuple(chain.from_iterable(glyph_rows("edge", lamps)))
    sign_order = sorted({*lamp_signs} - {"."}, key=lambda sign: (sign.isupper(), sign))
    return tuple(None if sign == "." else sign_order.index(sign) / len(sign_order) for sign in lamp_signs)


@cache
def glyph_stencil(glyph_name: str, lamps: int, part_letter: str = "") -> tuple[float, ...]:
    """Return a glyph as one number per channel (three per lamp) in frame order: 1 is lit, 0 is dark.

    Args:
        glyph_name: name of the glyph.
        lamps: number of lamps in a cell.
        part_letter: letter of the lamps to include; all lit lamps by default.

    Raises:
        ValueError: this number of lamps is not supported.
    """
    lamp_signs = chain.from_iterable(glyph_rows(glyph_name, lamps))
    return tuple(float(sign == part_letter if part_letter else sign != ".") for sign in lamp_signs for _ in "rgb")
