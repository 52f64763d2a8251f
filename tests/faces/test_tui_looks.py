"""How the board looks in a terminal: as many lamps as there is room for, cells with borders, and few colours."""

import asyncio
from contextlib import closing

import pytest
from textual.geometry import Size

from pond_hw.companion import SimulatedClock
from pond_hw.drivers.blackbox import BlackBox, read_box
from pond_hw.drivers.blackbox.form import Shown
from pond_hw.faces.stepping.app import SteppingBoard
from pond_hw.faces.tui.app import TerminalBoard
from pond_hw.faces.tui.lamps import LampGrid, lamps_for
from pond_hw.faces.tui.style import GAP, GLASS, TILE
from pond_hw.faces.tui.table import OwnTable
from pond_hw.lights import Limiter
from pond_hw.rules import STANDARD, Record, grid
from tests.faces.tui_table import at, seated

# As many lamps as there is room for


@seated()
async def test_a_larger_window_gives_a_cell_more_lamps_in_the_middle_of_a_game(table):
    await table.play("@b2", "@d4", "@b3")
    for size, lamps in (((80, 24), 16), ((120, 40), 64), ((62, 20), 4), ((100, 30), 25), ((80, 24), 16)):
        await table.pilot.resize_terminal(*size)
        await table.wait(0)
        await table.wait(1)
        frame = table.app.companion.frame
        assert frame.lamps == len(table.board["b2"].lamps) == lamps
        assert any(max(lamp) > 0 for lamp in frame["b2"])
        assert table.board["b2"].letter == "T"
        assert table.app.companion.limiter == Limiter.for_lamps(16 * lamps)
    await table.play("@a1")
    assert len(table.session.turns) == 4


@pytest.mark.parametrize("pond", ["3x3/9/5", "standard", "big"])
def test_every_lamp_that_is_chosen_by_itself_is_seen(pond):
    async def look(table):
        size = table.session.size
        for wide in range(62, 200, 6):
            board = LampGrid(size, 4, Limiter(), room=36)
            board.get_content_width(Size(wide, wide // 3), Size(wide, wide // 3))
            assert lamps_for(board.pitch) in (4, 9, 16, 25, 64)
            assert (board.pitch - 1) // lamps_for(board.pitch) ** 0.5 >= 2

    at(look, pond)


@seated(lamps=9)
async def test_a_number_of_lamps_that_was_asked_for_stays(table):
    for size in ((120, 40), (62, 20)):
        await table.pilot.resize_terminal(*size)
        await table.wait(1)
        assert table.app.companion.frame.lamps == 9


@seated("big")
async def test_another_pond_has_the_lamps_that_fit_it(table):
    await table.wait(1)
    assert table.app.companion.frame.lamps == 9
    await table.press("n", "enter")
    await table.wait(1)
    board = table.board
    assert table.app.companion.frame.lamps == lamps_for(board.pitch) == len(board["a1"].lamps)


def test_a_recording_has_one_number_of_lamps_however_the_window_changes(tmp_path):
    async def play():
        clock = SimulatedClock()
        table = OwnTable(STANDARD, (None, None), None, clock, box=box)
        app = TerminalBoard(table, lives=False)
        async with app.run_test(size=(80, 24)) as pilot:
            for size in ((120, 40), (62, 20)):
                await pilot.resize_terminal(*size)
                await pilot.pause(0)
                table.run_until(clock.now() + 1)
                app.look()
                assert len(app._board["a1"].lamps) == 16

    with closing(BlackBox(tmp_path / "box", "play")) as box:
        asyncio.run(play())
    frames = [note.frame for note in read_box(tmp_path / "box").notes if isinstance(note, Shown)]
    assert {frame.lamps for frame in frames} == {16}


@pytest.mark.parametrize(("lamps", "seen"), [(None, (16, 64)), (4, (4, 4))])
def test_a_game_that_is_gone_through_has_the_lamps_that_fit_too(lamps, seen):
    async def step():
        app = SteppingBoard(Record(STANDARD, ()), lamps, now=lambda: 1.0, lives=False)
        async with app.run_test(size=(80, 24)) as pilot:
            for size, each in zip(((80, 24), (120, 40)), seen, strict=True):
                await pilot.resize_terminal(*size)
                await pilot.pause(0)
                app.look()
                assert len(app._board["a1"].lamps) == each

    asyncio.run(step())


# Cells


@pytest.mark.parametrize("window", [(62, 20), (80, 24), (120, 40)])
def test_an_empty_board_is_as_many_tiles_as_it_has_cells_with_gaps_between_them(window):
    async def look(table):
        await table.press("1", "a")
        board, colours = table.board, pixels(table.board)
        for cell in grid(4).cells:
            x, y = board.corner(cell)
            inside = {colours[2 * y + v][x + u] for u in range(1, board.pitch) for v in range(1, board.pitch)}
            assert GAP not in inside
            if cell != "a1":
                edge = {colours[2 * y + v][x] for v in range(1, board.pitch)}
                assert edge <= {GAP, "#ffffff"}
        assert brightness(GAP) + 30 <= brightness(TILE) <= brightness(GLASS) <= brightness(TILE) + 12

    at(look, size=window, light="human", dark="human")


@seated()
async def test_an_egg_a_tadpole_and_a_frog_are_shapes_without_holes(table):
    await table.play("@b2", "@d4", "@b3", "@c4", "@a2")
    assert {cell: piece.letter for cell, piece in table.session.position.pieces.items()}["b2"] == "F"
    await table.wait(2.6)
    colours, board = pixels(table.board), table.board
    for cell in ("a2", "b3", "b2"):
        x, y = board.corner(cell)
        lit = {(u, v) for u in range(board.pitch) for v in range(board.pitch) if hue(colours[2 * y + v][x + u])}
        assert len(lit) >= 10
        assert connected(lit), cell


def hue(colour):
    red, _, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return abs(red - blue) > 60


def connected(spots):
    """Whether all of them are reached from any one, a step at a time, slantwise too."""
    found, ahead = set(), [next(iter(spots))]
    while ahead:
        x, y = ahead.pop()
        if (x, y) in spots and (x, y) not in found:
            found.add((x, y))
            ahead += [(x + u, y + v) for u in (-1, 0, 1) for v in (-1, 0, 1)]
    return found == spots


def brightness(colour):
    return sum(int(colour[i : i + 2], 16) for i in (1, 3, 5)) / 3


def pixels(board):
    """The colours of a board, two rows of them for each line of characters; letters count as their paper."""
    rows = []
    for y in range(board.size.height):
        above, below = [], []
        for segment in board.render_line(y):
            ink, paper = (getattr(segment.style, part).name for part in ("color", "bgcolor"))
            for character in segment.text:
                above.append(ink if character == "▀" else paper)
                below.append(paper)
        rows += [above, below]
    return rows
