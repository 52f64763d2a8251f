"""What is drawn in a cell, for every number of lamps it may have.

`#` is a lamp that is lit. The drawings are the data: to change a shape, change it here. Who looks at a cell may sit
on any side of the board, so no shape may become another one by turning it.

    egg      a small lump in the middle
    tadpole  a head in one corner, a tail towards the opposite one
    frog     seen from above, a leg in every corner
    open     an egg may be placed here
    target   the chosen piece may go here
    wrong    no
    spark    the last action ended here: lit on top of whatever there is, so it keeps to where the glyphs are thin
"""

from functools import cache
from math import isqrt

LAMPS = (1, 4, 9, 16, 25, 36, 49, 64)
"""How many lamps a cell may have: one, or a square of them."""

# One lamp has no shape; there the rhythm tells (see patterns).
_ONE = """
    egg  tadpole  frog  open  target  wrong  spark
    #    #        #     #     #       #      #
"""

_TWO = """
    egg  tadpole  frog  open  target  wrong  spark
    #.   #.       ##    ##    ##      ##     .#
    ..   .#       ##    ##    ##      ##     ..
"""

_THREE = """
    egg  tadpole  frog  open  target  wrong  spark
    ...  #..      #.#   #.#   .#.     #.#    .#.
    .#.  .#.      ###   ...   #.#     .#.    ...
    ...  ..#      #.#   #.#   .#.     #.#    .#.
"""

_FOUR = """
    egg   tadpole  frog  open  target  wrong  spark
    ....  ##..     #..#  #..#  .##.    #..#   .##.
    .##.  ##..     ####  ....  #..#    .##.   ....
    .##.  ..#.     ####  ....  #..#    .##.   ....
    ....  ...#     #..#  #..#  .##.    #..#   .##.
"""

_FIVE = """
    egg    tadpole  frog   open   target  wrong  spark
    .....  ##...    #...#  #...#  ..#..   #...#  ..#..
    ..#..  ##...    #####  .....  .#.#.   .#.#.  .....
    .###.  ..#..    .###.  .....  #...#   ..#..  #...#
    ..#..  ...#.    #####  .....  .#.#.   .#.#.  .....
    .....  ....#    #...#  #...#  ..#..   #...#  ..#..
"""

_EIGHT = """
    egg       tadpole   frog      open      target    wrong     spark
    ........  .##.....  #......#  ##....##  ...##...  ##....##  ...##...
    ...##...  ####....  ##.##.##  #......#  ..#..#..  .##..##.  ...##...
    ..####..  ####....  ########  ........  .#....#.  ..####..  ........
    ..####..  .###....  .######.  ........  #......#  ...##...  ........
    ..####..  ...##...  .######.  ........  #......#  ...##...  ........
    ..####..  ....##..  ########  ........  .#....#.  ..####..  ........
    ...##...  .....##.  ##....##  #......#  ..#..#..  .##..##.  ...##...
    ........  ......##  #......#  ##....##  ...##...  ##....##  ...##...
"""


def _read(sheet: str) -> dict[str, tuple[str, ...]]:
    """The drawings of one sheet by name, each as its rows from the top."""
    names, *rows = (line.split() for line in sheet.strip().splitlines())
    return dict(zip(names, zip(*rows, strict=True), strict=True))


_SHEETS = {isqrt(len("".join(sheet["egg"]))): sheet for sheet in map(_read, (_ONE, _TWO, _THREE, _FOUR, _FIVE, _EIGHT))}

NAMES = tuple(_SHEETS[1])
"""Everything that is drawn."""


def lamps_a_side(lamps: int) -> int:
    """How many lamps lie along a side of a cell with so many of them.

    Raises:
        ValueError: no cell has so many lamps.
    """
    if lamps not in LAMPS:
        raise ValueError(f"A cell has {', '.join(map(str, LAMPS[:-1]))} or {LAMPS[-1]} lamps, not {lamps!r}.")
    return isqrt(lamps)


def drawing(name: str, lamps: int) -> tuple[str, ...]:
    """A drawing as rows of `#` and `.` from the top, as wide as they are many.

    Where none was made for this number of lamps it is the largest one that fits with the same margin all round.

    Raises:
        ValueError: no cell has so many lamps.
    """
    side = lamps_a_side(lamps)
    drawn = max(size for size in _SHEETS if size <= side and (side - size) % 2 == 0)
    margin = (side - drawn) // 2
    rows = (f"{'.' * margin}{row}{'.' * margin}" for row in _SHEETS[drawn][name])
    return ("." * side,) * margin + tuple(rows) + ("." * side,) * margin


@cache
def stencil(name: str, lamps: int) -> tuple[float, ...]:
    """A drawing as one number a channel (so three a lamp), in the order of a frame: 1 is lit, 0 is not.

    Raises:
        ValueError: no cell has so many lamps.
    """
    return tuple(float(lamp == "#") for row in drawing(name, lamps) for lamp in row for _ in "rgb")
