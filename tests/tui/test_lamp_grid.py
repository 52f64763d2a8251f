"""Tests of drawing a board: number of lamps, cells, and terminals with few colours."""

import asyncio
import re
from contextlib import closing
from itertools import product

import pytest
from textual.color import Color
from textual.geometry import Size

from pond_hw.blackbox import BlackBox, read_box
from pond_hw.blackbox.format import FrameShown
from pond_hw.board import Frame
from pond_hw.companion import SimulatedClock
from pond_hw.engine import SeatedPlayers
from pond_hw.lights import CurrentLimiter, render_scene
from pond_hw.lights.palette import AMBER, AZURE, OPEN_BRIGHTNESS, RED, REST_BRIGHTNESS, TARGET_LOW, WHITE
from pond_hw.rules import LIGHT, PIECES, STANDARD, Record, get_grid
from pond_hw.session import CellRole, CellView, Scene
from pond_hw.simulator.board_with_pieces import PieceOptions
from pond_hw.tui.cell_drawing import lamp_colour
from pond_hw.tui.colours import GAP_COLOUR, GLASS_COLOUR, TILE_COLOUR
from pond_hw.tui.lamp_grid import CellCursor, LampGrid, lamp_count_for_pitch
from pond_hw.tui.local_table import LocalTable, TableOptions
from pond_hw.tui.play_app import TerminalBoard
from pond_hw.tui.replay_app import ReplayApp
from pond_hw.tui.terminal import colour_number
from tests.conftest import require
from tests.tui.terminal_table import run_terminal, terminal_test

# Number of lamps


@pytest.mark.slow
@terminal_test()
async def test_larger_window_adds_lamps_during_game(table):
    await table.play("@b2", "@d4", "@b3")
    for size, lamps in (((80, 24), 16), ((120, 40), 64), ((62, 20), 4), ((100, 30), 25), ((80, 24), 16)):
        await table.pilot.resize_terminal(*size)
        await table.wait(0)
        await table.wait(1)
        frame = table.app.game_table.frame
        assert frame.lamps_per_cell == len(table.board["b2"].lamp_colours) == lamps
        assert any(max(lamp) > 0 for lamp in frame["b2"])
        assert table.board["b2"].letter == "T"
        assert table.app.game_table.limiter == CurrentLimiter.for_lamps(16 * lamps)
    await table.play("@a1")
    assert len(table.session.turns) == 4


@pytest.mark.slow
@pytest.mark.parametrize("pond", ["3x3/9/5", "standard", "big"])
def test_every_automatic_lamp_is_visible(pond):
    async def look(table):
        size = table.session.size
        for wide in range(62, 200, 6):
            board = LampGrid(size, 4, CurrentLimiter(), free_columns=36)
            board.get_content_width(Size(wide, wide // 3), Size(wide, wide // 3))
            assert lamp_count_for_pitch(board.pitch) in (4, 9, 16, 25, 64)
            assert (board.pitch - 1) // lamp_count_for_pitch(board.pitch) ** 0.5 >= 2

    run_terminal(look, pond)


@pytest.mark.slow
@terminal_test(lamps=9)
async def test_requested_lamp_count_is_kept(table):
    for size in ((120, 40), (62, 20)):
        await table.pilot.resize_terminal(*size)
        await table.wait(1)
        assert table.app.game_table.frame.lamps_per_cell == 9


@pytest.mark.slow
@terminal_test("big")
async def test_lamp_count_changes_with_board_size(table):
    await table.wait(1)
    assert table.app.game_table.frame.lamps_per_cell == 9
    await table.press("n", "enter")
    await table.wait(1)
    board = table.board
    assert (
        table.app.game_table.frame.lamps_per_cell == lamp_count_for_pitch(board.pitch) == len(board["a1"].lamp_colours)
    )


@pytest.mark.slow
def test_recorded_board_keeps_its_lamp_count(tmp_path):
    async def play():
        clock = SimulatedClock()
        table = LocalTable(STANDARD, SeatedPlayers(), TableOptions(clock=clock, box=box))
        app = TerminalBoard(table, auto_update=False)
        async with app.run_test(size=(80, 24)) as pilot:
            for size in ((120, 40), (62, 20)):
                await pilot.resize_terminal(*size)
                await pilot.pause(0)
                table.companion.run_until(clock.now() + 1)
                app.update_screen()
                assert len(app._lamp_grid["a1"].lamp_colours) == 16

    with closing(BlackBox(tmp_path / "box", "play")) as box:
        asyncio.run(play())
    frames = [note.frame for note in read_box(tmp_path / "box").notes if isinstance(note, FrameShown)]
    assert {frame.lamps_per_cell for frame in frames} == {16}


@pytest.mark.slow
@pytest.mark.parametrize(("lamps", "seen"), [(None, (16, 64)), (4, (4, 4))])
def test_replay_lamp_count_depends_on_window(lamps, seen):
    async def step():
        app = ReplayApp(Record(STANDARD, ()), lamps, now=lambda: 1.0, auto_update=False)
        async with app.run_test(size=(80, 24)) as pilot:
            for size, each in zip(((80, 24), (120, 40)), seen, strict=True):
                await pilot.resize_terminal(*size)
                await pilot.pause(0)
                app.update_screen()
                assert len(app._lamp_grid["a1"].lamp_colours) == each

    asyncio.run(step())


# Cells


@pytest.mark.slow
@pytest.mark.parametrize("window", [(62, 20), (80, 24), (120, 40)])
def test_empty_board_is_drawn_as_separate_tiles(window):
    async def look(table):
        await table.press("1", "a")
        board, colours = table.board, pixels(table.board)
        for cell in get_grid(4).cells:
            x, y = board.cell_corner(cell)
            inside = {colours[2 * y + v][x + u] for u in range(1, board.pitch) for v in range(1, board.pitch)}
            assert GAP_COLOUR not in inside
            if cell != "a1":
                edge = {colours[2 * y + v][x] for v in range(1, board.pitch)}
                assert edge <= {GAP_COLOUR, "#ffffff"}
        assert (
            brightness(GAP_COLOUR) + 30
            <= brightness(TILE_COLOUR)
            <= brightness(GLASS_COLOUR)
            <= brightness(TILE_COLOUR) + 12
        )

    run_terminal(look, size=window, light="human", dark="human")


@pytest.mark.slow
@terminal_test()
async def test_piece_shapes_are_connected(table):
    await table.play("@b2", "@d4", "@b3", "@c4", "@a2")
    assert {cell: piece.notation_letter for cell, piece in table.session.position.pieces.items()}["b2"] == "F"
    await table.wait(2.6)
    colours, board = pixels(table.board), table.board
    for cell in ("a2", "b3", "b2"):
        x, y = board.cell_corner(cell)
        lit = {(u, v) for u in range(board.pitch) for v in range(board.pitch) if hue(colours[2 * y + v][x + u])}
        assert len(lit) >= 10
        assert connected(lit), cell


def hue(colour):
    red, _, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return abs(red - blue) > 60


def connected(spots):
    """Return True if all pixels are connected, including diagonally."""
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
    """Return the pixel colours of a board, two rows per line. Letters are replaced with their background."""
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


# Text beside the board


@pytest.mark.slow
@pytest.mark.parametrize("pieces", [None, PieceOptions()])
@pytest.mark.parametrize("window", [(62, 20), (80, 24), (120, 40)])
def test_text_has_a_margin(window, pieces):
    async def look(table):
        await table.play("@b2", "@d4")
        await table.press("i")
        await table.wait(0.5)
        lines = ["".join(segment.text for segment in strip) for strip in screen(table.app)][: window[1] - 1]
        assert any(len(line.rstrip()) > window[0] - 9 for line in lines)
        assert not any(line[window[0] - 1 :].strip() for line in lines)

    run_terminal(look, size=window, pieces=pieces, painted=True)


# Few colours


VGA = (0x000000, 0xAA0000, 0x00AA00, 0xAA5500, 0x0000AA, 0xAA00AA, 0x00AAAA, 0xAAAAAA)
VGA += (0x555555, 0xFF5555, 0x55FF55, 0xFFFF55, 0x5555FF, 0xFF55FF, 0x55FFFF, 0xFFFFFF)
"""The sixteen colours of the Linux console."""


def lamp(colour, share):
    """Return the ANSI colour of a lamp at a given brightness from 0 to 1."""
    red, green, blue = (share * part for part in colour)
    return colour_number(*(int(lamp_colour(red, green, blue)[i : i + 2], 16) for i in (1, 3, 5)))


def test_sixteen_colours_keep_meanings_distinct():
    meant = {
        "unlit": lamp(WHITE, 0),
        "light's": lamp(AMBER, 1),
        "light's, dimmed": lamp(AMBER, REST_BRIGHTNESS),
        "dark's": lamp(AZURE, 1),
        "dark's, dimmed": lamp(AZURE, REST_BRIGHTNESS),
        "no": lamp(RED, 1),
        "yours": lamp(WHITE, 1),
    }
    assert len(set(meant.values())) == len(meant)
    assert meant["unlit"] == 0
    assert (
        len({each % 8 for what, each in meant.items() if not what.endswith("dimmed")}) == 5
    )  # eight colours are enough
    assert lamp(AMBER, OPEN_BRIGHTNESS) == lamp(AZURE, OPEN_BRIGHTNESS) == lamp(WHITE, TARGET_LOW) == 8


@pytest.mark.parametrize("sight", ["all", "protan", "deutan", "tritan"])
def test_sixteen_colours_are_distinct_for_colour_blind_people(sight):
    require("coloraide", "simulates how colour-blind people see, and measures how far apart colours are")
    from coloraide import Color

    def seen(which):
        colour = Color(f"#{VGA[which]:06x}")
        return colour if sight == "all" else colour.filter(sight)

    light, dark = ([lamp(colour, share) for share in (1, REST_BRIGHTNESS)] for colour in (AMBER, AZURE))
    for one, other in [*product(light, dark), light, dark, *product([*light, *dark], [0])]:
        assert seen(one).delta_e(seen(other), method="ok") >= 0.2, (one, other)


FEW = [("linux", {"TERM": "linux"}), ("16 colours", {"TERM": "xterm-16color"})]


@pytest.fixture(params=[variables for _, variables in FEW], ids=[name for name, _ in FEW])
def few_colours(request, monkeypatch):
    """Simulate a terminal with few colours."""
    monkeypatch.delenv("COLORTERM")
    for name, value in request.param.items():
        monkeypatch.setenv(name, value)
    return request.param["TERM"]


@pytest.mark.slow
@pytest.mark.parametrize("window", [(62, 20), (80, 24), (120, 40)])
def test_few_colours_keep_cells_distinct(few_colours, window):
    async def look(table):
        board, app = table.board, table.app
        await table.play("@b2")
        drawn = {}
        for name, sight in SIGHTS.items():
            sights = dict.fromkeys(get_grid(4).cells, CellView())
            sights |= {"b2": sight}
            scene = Scene(4, sights, LIGHT, None, None, None, 0.0)
            limiter = CurrentLimiter(budget=1e6, slew=1e6)
            lamps = lamp_count_for_pitch(board.pitch)
            now = 9.5  # open water is bright
            frame = limiter.limit_frame(render_scene(scene, now, lamps), Frame.dark_frame(4, lamps))
            board.show_frame(frame, scene, now, "d4")
            drawn[name] = tuple(escape_codes(app, board, "b2"))
        assert len(set(drawn.values())) == len(SIGHTS)

    run_terminal(look, size=window)


SIGHTS = {str(piece): CellView(piece) for piece in PIECES.values()} | {
    "empty": CellView(),
    "open": CellView(role=CellRole.OPEN),
    "target": CellView(role=CellRole.TARGET),
    "chosen": CellView(PIECES["F"], CellRole.CHOSEN),
    "hint": CellView(role=CellRole.HINT),
    "menu": CellView(role=CellRole.CHOICE),
    "as ever": CellView(role=CellRole.DEFAULT_CHOICE),
}
SIGHTS |= {
    f"{role} {letter}": CellView(PIECES[letter], role)
    for role, letter in product((CellRole.FLIP, CellRole.PUT, CellRole.TAKE_OFF, CellRole.PENDING, CellRole.HINT), "et")
}


def escape_codes(app, board, cell):
    """Return the escape codes for a cell and the gap to its right, line by line."""
    x, y = board.cell_corner(cell)
    for line in range(board.pitch // 2):
        strip = board.render_line(y + line).crop(x, x + board.pitch + 1)
        for line_filter in app.get_line_filters():
            strip = strip.apply_filter(line_filter, Color(0, 0, 0))
        yield strip.render(app.console)


@pytest.mark.slow
def test_few_colours_send_only_supported_codes(few_colours):
    async def look(table):
        await table.play("@b2", "@d4", "@b3", "@c4", "@a2")
        for key in ("i", "n", "escape", "p") if few_colours == "linux" else ("i",):
            await table.press(key)
            await table.wait(0.5)
            sent = "".join(strip.render(table.app.console) for strip in screen(table.app))
            assert not re.findall(r"[34]8[;:][25]|\x1b\[(?:\d+;)*10[0-7]", sent)
            assert re.findall(r"\x1b\[[0-9;]*m", sent)
            if few_colours == "linux":
                letters = set(re.sub(r"\x1b\[[0-9;]*m", "", sent))
                assert {letter for letter in letters if ord(letter) > 126} <= set("─│┼┌┐└┘█░▒←↑→↓▶•·■")

    run_terminal(look, painted=True)


def screen(app):
    return app.screen._compositor.render_strips()


@pytest.mark.slow
def test_true_colour_terminal_keeps_all_colours():
    async def look(table):
        await table.play("@b2")
        await table.wait(1)
        sent = "".join(strip.render(table.app.console) for strip in screen(table.app))
        assert "2;255;148;0" in sent
        assert not table.app.has_few_colours

    run_terminal(look, painted=True)


def test_new_pitch_repaints_the_whole_board(monkeypatch):
    grid, window, repaints = LampGrid(4, 4, CurrentLimiter()), Size(80, 24), []
    monkeypatch.setattr(grid, "refresh", lambda *regions, **_: repaints.append(regions))
    grid.get_content_height(window, window, 80)
    grid.get_content_height(window, window, 80)
    assert repaints == [()]


# The cursor


class Cursor(CellCursor):
    cursor = "b2"
    board_grid = get_grid(3)
    drawn = 0

    def show_cursor(self):
        self.drawn += 1


def test_arrows_stop_at_the_edge():
    cursor = Cursor()
    for _ in range(3):
        cursor.action_go(1, 0)
    cursor.action_go(0, -1)
    assert (cursor.cursor, cursor.drawn) == ("c1", 2)


def test_letter_and_digit_keys_move_the_cursor():
    cursor = Cursor()
    cursor.action_column(0)
    cursor.action_row(2)
    cursor.action_row(4)
    assert (cursor.cursor, cursor.drawn) == ("a3", 2)
