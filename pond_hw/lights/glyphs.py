"""What is drawn in a cell, for every number of lamps it may have.

`#` is a lamp that is lit; letters are lamps that are lit too, where it matters one after the other: a to z, then A
and B. The drawings are the data: to change a shape, change it here. Who looks at a cell may sit on any side of the
board, so no shape may become another one by turning it.

    egg      a small lump in the middle
    tadpole  a head in one corner, a tail towards the opposite one
    frog     seen from above, a leg in every corner
    open     an egg may be placed here
    target   the chosen piece may go here
    wrong    no
    spark    the last action ended here: lit on top of whatever there is, so it keeps to where the glyphs are thin
    edge     something leaves; or, one lamp after the other: time passes, a piece is yet to be turned
    choice   a cell of the menu
    usual    the same, for the game as it is
    lid      an eye that is shut: nobody feels what stands here
    hint     somebody would act here: light that goes from a to b and back
    heart, diamond, club   poison suits of the card game; how many lamps they have tells them apart in small cells
"""

from functools import cache
from itertools import chain
from math import isqrt

LAMP_COUNTS = (1, 4, 9, 16, 25, 36, 49, 64)
"""How many lamps a cell may have: one, or a square of them."""

# One lamp has no shape; there the rhythm tells (see patterns).
_SHEET_1X1 = """
    egg  tadpole  frog  open  target  wrong  spark  edge  choice  usual  lid  hint  heart  diamond  club
    #    #        #     #     #       #      #      a     #       #      #    a     #      #        #
"""

_SHEET_2X2 = """
    egg  tadpole  frog  open  target  wrong  spark  edge  choice  usual  lid  hint  heart  diamond  club
    #.   #.       ##    ##    ##      ##     .#     ab    ##      ##     ##   ab    ##     #.       ##
    ..   .#       ##    ##    ##      ##     ..     dc    ..      #.     ##   ba    ##     .#       #.
"""

_SHEET_3X3 = """
    egg  tadpole  frog  open  target  wrong  spark  edge  choice  usual  lid  hint  heart  diamond  club
    ...  #..      #.#   #.#   .#.     #.#    .#.    abc   ...     ###    ...  a.b   #.#    .#.      .#.
    .#.  .#.      ###   ...   #.#     .#.    ...    h.d   ###     ...    ###  ...   ###    #.#      ###
    ...  ..#      #.#   #.#   .#.     #.#    .#.    gfe   ...     ###    ...  b.a   .#.    .#.      .#.
"""

_SHEET_4X4 = """
    egg   tadpole  frog  open  target  wrong  spark  edge  choice  usual  lid   hint  heart  diamond  club
    ....  ##..     #..#  #..#  .##.    #..#   .##.   abcd  ....    ####   ....  a..b  #..#   .##.     .##.
    .##.  ##..     ####  ....  #..#    .##.   ....   l..e  ####    ....   ####  ....  ####   #..#     ####
    .##.  ..#.     ####  ....  #..#    .##.   ....   k..f  ####    ....   ....  ....  ####   #..#     .##.
    ....  ...#     #..#  #..#  .##.    #..#   .##.   jihg  ....    ####   ....  b..a  .##.   .##.     .##.
"""

_SHEET_5X5 = """
    egg    tadpole  frog   open   target  wrong  spark  edge   choice  usual  lid    hint   heart  diamond  club
    .....  ##...    #...#  #...#  ..#..   #...#  ..#..  abcde  .....   #####  .....  a...b  ##.##  ..#..    ..#..
    ..#..  ##...    #####  .....  .#.#.   .#.#.  .....  p...f  #####   #####  .....  .....  #####  .#.#.    .###.
    .###.  ..#..    .###.  .....  #...#   ..#..  #...#  o...g  #####   .....  #####  .....  #####  #...#    #####
    ..#..  ...#.    #####  .....  .#.#.   .#.#.  .....  n...h  #####   #####  .....  .....  .###.  .#.#.    ..#..
    .....  ....#    #...#  #...#  ..#..   #...#  ..#..  mlkji  .....   #####  .....  b...a  ..#..  ..#..    .###.
"""

_SHEET_8X8 = """
  egg       tadpole   frog      open      target    wrong     spark     edge      choice    usual     lid       hint
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
    """The drawings of one sheet by name, each as its rows from the top. An empty line parts rows of drawings."""
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
    """How many lamps lie along a side of a cell with so many of them.

    Raises:
        ValueError: no cell has so many lamps.
    """
    if lamps not in LAMP_COUNTS:
        raise ValueError(f"A cell has one of {LAMP_COUNTS} lamps, not {lamps!r}.")
    return isqrt(lamps)


def glyph_rows(glyph_name: str, lamps: int) -> tuple[str, ...]:
    """A drawing as rows of its signs from the top, as wide as they are many; `.` is a lamp that is not lit.

    Where none was made for this number of lamps it is the largest one that fits with the same margin all round.

    Raises:
        ValueError: no cell has so many lamps.
    """
    side = lamps_per_side(lamps)
    drawn_side = max(drawn for drawn in _SHEETS_BY_SIDE if drawn <= side and (side - drawn) % 2 == 0)
    margin = (side - drawn_side) // 2
    rows = (f"{'.' * margin}{row}{'.' * margin}" for row in _SHEETS_BY_SIDE[drawn_side][glyph_name])
    return ("." * side,) * margin + tuple(rows) + ("." * side,) * margin


@cache
def edge_progress(lamps: int) -> tuple[float | None, ...]:
    """For each lamp of a cell how far round its edge it lies: 0 for the first, less than 1 for the last, None inside.

    Raises:
        ValueError: no cell has so many lamps.
    """
    lamp_signs = tuple(chain.from_iterable(glyph_rows("edge", lamps)))
    sign_order = sorted({*lamp_signs} - {"."}, key=lambda sign: (sign.isupper(), sign))
    return tuple(None if sign == "." else sign_order.index(sign) / len(sign_order) for sign in lamp_signs)


@cache
def glyph_stencil(glyph_name: str, lamps: int, part_letter: str = "") -> tuple[float, ...]:
    """A drawing as one number a channel (so three a lamp), in the order of a frame: 1 is lit, 0 is not.

    Args:
        glyph_name: which one.
        lamps: lamps in a cell.
        part_letter: the letter of those that are meant; all of them without.

    Raises:
        ValueError: no cell has so many lamps.
    """
    lamp_signs = chain.from_iterable(glyph_rows(glyph_name, lamps))
    return tuple(float(sign == part_letter if part_letter else sign != ".") for sign in lamp_signs for _ in "rgb")
