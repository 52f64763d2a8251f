"""Test drivers that operate a terminal board with keys and a mouse on a simulated clock."""

import asyncio
from contextlib import nullcontext
from unittest.mock import patch

from textual._compositor import Compositor
from textual.events import Key, MouseDown, MouseMove, MouseUp
from textual.geometry import Offset

from pond_hw.companion import SimulatedClock
from pond_hw.engine import SeatedPlayers, make_player, make_simulated_player
from pond_hw.messages.message import Message
from pond_hw.rules import Action, parse_variant
from pond_hw.session import TakeAction
from pond_hw.tui.lamp_grid import LampGrid
from pond_hw.tui.local_table import LocalTable, TableOptions
from pond_hw.tui.play_app import TerminalBoard
from tests.conftest import IN_CI
from tests.messages.says import text

CHARACTERS = {"question_mark": "?", "slash": "/", "space": " "}
KEYS = {character: key for key, character in CHARACTERS.items()}


class AppDriver:
    """Test driver for a terminal app."""

    def __init__(self, app, pilot, clock):
        self.app, self.pilot, self.clock = app, pilot, clock

    async def settle(self):
        """Wait until all messages have been processed, including those that they cause.

        `Pilot` would wait until the app is idle.
        """
        for _ in range(3):
            await self.pilot.pause(0)

    async def press(self, *keys):
        for key in keys:
            self.app.post_message(Key(key, CHARACTERS.get(key, key if len(key) == 1 else None)))
            await self.settle()


class TerminalTable(AppDriver):
    """Test driver for a terminal board."""

    async def type(self, text):
        await self.press(*(KEYS.get(letter, letter) for letter in text))

    async def touch(self, cell):
        await self.press(*cell, "enter")

    async def click(self, cell, board=None):
        await self.mouse(MouseDown, self.screen_position(cell, board))
        await self.mouse(MouseUp, self.screen_position(cell, board))

    async def click_in_dialog(self, cell):
        await self.click(cell, self.app.screen.query_one(LampGrid))

    async def click_hand_text(self):
        place = self.app._hand_text.region.offset
        await self.mouse(MouseDown, place)
        await self.mouse(MouseUp, place)

    async def drag(self, source, target=None):
        """Drag a piece to another cell, or off the board."""
        await self.mouse(MouseDown, self.screen_position(source))
        await self.hover(target)
        await self.release(target)

    async def hover(self, target=None):
        """Move the mouse over a cell, or off the board."""
        await self.mouse(MouseMove, self.screen_position(target))

    async def release(self, target=None):
        """Release the mouse button over a cell, or beside the board."""
        await self.mouse(MouseUp, self.screen_position(target))

    async def right_click(self, cell):
        await self.mouse(MouseDown, self.screen_position(cell), button=3)
        await self.mouse(MouseUp, self.screen_position(cell), button=3)

    async def mouse(self, event_type, position, button=1):
        x, y = position
        self.app.post_message(event_type(None, x, y, 0, 0, button, False, False, False, x, y))
        await self.settle()

    def screen_position(self, cell, board=None):
        """Return the screen column and row of a cell's letter, or of a point beside the board if the cell is None."""
        if cell is None:
            return self.app.query_one("#words").region.offset + Offset(2, 2)
        board = board or self.board
        x, y = board.cell_corner(cell)
        return board.region.offset + Offset(x + board.pitch // 2, y + board.pitch // 4)

    def board_position(self, cell):
        """Return the column and row of a cell's letter in the board widget."""
        x, y = self.board.cell_corner(cell)
        return x + self.board.pitch // 2, y + self.board.pitch // 4

    async def play(self, *actions):
        """Play turns directly, without keys or mouse."""
        for action in actions:
            self.app.game_table.put(TakeAction(Action.from_notation(action), self.clock.now()))
            self.app.update_screen()
        await self.settle()

    async def wait(self, seconds):
        run_table(self.app.game_table, self.clock, seconds)
        self.app.update_screen()
        await self.settle()

    @property
    def session(self):
        return self.app.game_table.companion.session

    @property
    def view(self):
        return self.app.game_table.view

    @property
    def board(self):
        return self.app._lamp_grid

    @property
    def hand(self):
        return self.app.game_table.hand

    @property
    def standing(self):
        """Letters of the pieces on the board, by cell."""
        return {cell: piece.letter for cell, piece in self.hand.standing_pieces.items()}

    @property
    def hand_text(self):
        """Text about the held pieces."""
        return widget_text(self.app._hand_text)

    @property
    def position(self):
        return self.session.position.notation_line.split()[0]

    @property
    def status_text(self):
        """Text beside the board as a single line."""
        return widget_text(self.app._status_text)

    def board_lines(self):
        """Lines of the board as plain text."""
        return [self.board.render_line(y).text for y in range(self.board.size.height)]


def run_table(table, clock, seconds):
    """Run the table of a terminal board for some time."""
    until = clock.now() + seconds
    while True:
        due = table.step()
        if clock.now() >= until:
            return
        clock.wait(min(due, until), table.companion._arrival_flag)


def widget_text(widget):
    """Return the wrapped text of a widget as a single line."""
    return " ".join(" ".join(widget.render_line(y).text for y in range(widget.size.height)).split())


def without_painting():
    """Skip composing the screen, which takes a third of the time.

    The layout is still computed, and a widget is rendered when a test reads it.
    """

    def nothing(compositor, **_):
        compositor._dirty_regions.clear()

    return patch.object(Compositor, "render_update", nothing)


def run_terminal(
    play,
    pond="standard",
    *,
    light="human",
    dark="human",
    lamps=None,
    size=(80, 24),
    pieces=None,
    painted=IN_CI,
    folder=None,
    names=(None, None),
    catalogue=None,
    day=None,
    **begins_with,
):
    """Run a terminal board. If `painted` is True, which is the default in CI, also compose whole screens."""

    async def run():
        clock = SimulatedClock()
        seated = SeatedPlayers((make_player(light, 1), make_player(dark, 2)), names)
        options = TableOptions(
            lamps, clock, pieces, folder=folder, make_opponent=make_simulated_player, threaded=False, day=day
        )
        table = LocalTable(parse_variant(pond), seated, options, **begins_with)
        app = TerminalBoard(table, catalogue, auto_update=False)
        async with app.run_test(size=size) as pilot:
            table = TerminalTable(app, pilot, clock)
            await table.settle()
            await play(table)
        app.update_screen()  # a timer may fire once more after the screen closed
        return app

    with nullcontext() if painted else without_painting():
        return asyncio.run(run())


def terminal_test(pond="standard", **table):
    """Convert a coroutine that takes a table to a test."""

    def test(play):
        def sit():
            run_terminal(play, pond, **table)

        sit.__name__, sit.__doc__ = play.__name__, play.__doc__
        return sit

    return test


def key_bar(*keys):
    """Return the footer text for some keys, each given as a key and the name of its message."""
    parted = [key.rsplit(maxsplit=1) for key in keys]
    return " ".join(f"{key} {text(Message(f'key.{name}'))}" for key, name in parted)


PLAY_KEYS = (
    *("Enter press", "u undo", "h hint", "n new_game", "f lessons"),
    *("? help", "q quit", "^p commands"),
)
GAME_OVER_KEYS = key_bar(
    "↑↓←→ move", "u undo", "r rematch", "n new_game", "f lessons", "? help", "q quit", "^p commands"
)
