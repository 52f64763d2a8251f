"""Pictures of a board, read by an independent library."""

from io import BytesIO

from PIL import Image

from pond_hw.mqtt.board_picture import CELL_PIXELS, GAP_PIXELS, draw_board
from pond_hw.rules import Position, parse_variant
from tests.conftest import each

AMBER, AZURE, WHITE = (255, 159, 28), (69, 170, 255), (255, 255, 255)
POSITION = Position.from_notation("..t./.FeE/eT.f/.E.. l 7 9 2 0")


def read_cells(position, *marked):
    """Return the colours in each cell."""
    picture = Image.open(BytesIO(draw_board(position, marked))).convert("RGB")
    step = CELL_PIXELS + GAP_PIXELS
    assert picture.size == (position.grid.size * step + GAP_PIXELS,) * 2
    found = {}
    for y, row in enumerate(position.grid.rows):
        for x, cell in enumerate(row):
            left, top = GAP_PIXELS + x * step, GAP_PIXELS + y * step
            part = picture.crop((left, top, left + CELL_PIXELS, top + CELL_PIXELS))
            found[cell] = {colour: count for count, colour in part.getcolors(1 << 16)}
    return found


def test_owners_are_amber_and_azure():
    cells = read_cells(POSITION)
    assert {cell for cell, colours in cells.items() if AMBER in colours} == {"b1", "b2", "b3", "d3"}
    assert {cell for cell, colours in cells.items() if AZURE in colours} == {"a2", "c3", "c4", "d2"}


def test_symbols_differ():
    cells = read_cells(POSITION)
    assert len({cells[cell][AMBER] for cell in ("b1", "b2", "b3")}) == 3
    assert len({cells[cell][AZURE] for cell in ("a2", "c4", "d2")}) == 3


def test_marked_cells_have_a_rim():
    cells = read_cells(POSITION, "a1", "b2")
    assert {cell for cell, colours in cells.items() if WHITE in colours} == {"a1", "b2"}


@each("rows", [3, 4, 5])
def test_all_sizes(rows):
    eggs = {3: 9, 4: 13, 5: 15}[rows]
    position = Position.start(parse_variant(f"{rows}x{rows}/{eggs}/5"))
    assert len(read_cells(position)) == rows**2
