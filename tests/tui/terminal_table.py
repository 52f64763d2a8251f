"""A person in front of the terminal board: keys, a mouse and eyes, on a clock that only moves when told to."""

import asyncio
from contextlib import nullcontext
from unittest.mock import patch

from textual._compositor import Compositor
from textual.events import Key, MouseDown, MouseMove, MouseUp
from textual.geometry import Offset

from pond_hw.companion import SimulatedClock
from pond_hw.engine import SeatedPlayers, make_player
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


class Typist:
    """Somebody at the keys of a terminal app that runs."""

    def __init__(self, app, pilot, clock):
        self.app, self.pilot, self.clock = app, pilot, clock

    async def settle(self):
        """Until everything that was said has been heard, and what was said about that. (Pilot waits for idleness.)"""
        for _ in range(3):
            await self.pilot.pause(0)

    async def press(self, *keys):
        for key in keys:
            self.app.post_message(Key(key, CHARACTERS.get(key, key if len(key) == 1 else None)))
            await self.settle()


class TerminalTable(Typist):
    """A terminal board that runs, and what a person does and sees there."""

    async def type(self, text):
        await self.press(*(KEYS.get(letter, letter) for letter in text))

    async def touch(self, cell):
        """Press a cell by keys."""
        await self.press(*cell, "enter")

    async def click(self, cell, board=None):
        """Click into the middle of a cell."""
        await self.mouse(MouseDown, self.seen(cell, board))
        await self.mouse(MouseUp, self.seen(cell, board))

    async def click_in_dialog(self, cell):
        """Click into the middle of a cell of the board that a dialog shows."""
        await self.click(cell, self.app.screen.query_one(LampGrid))

    async def click_beside(self):
        """Click on the words that tell what is in the hand."""
        place = self.app._hand_text.region.offset
        await self.mouse(MouseDown, place)
        await self.mouse(MouseUp, place)

    async def drag(self, source, target=None):
        """Take a piece with the mouse, and let it go over another cell, or beside the board."""
        await self.mouse(MouseDown, self.seen(source))
        await self.hover(target)
        await self.let_go(target)

    async def hover(self, target=None):
        """Move the mouse over a cell, or beside the board."""
        await self.mouse(MouseMove, self.seen(target))

    async def let_go(self, target=None):
        """Let the mouse go there."""
        await self.mouse(MouseUp, self.seen(target))

    async def right(self, cell):
        """Click into a cell with the right button."""
        await self.mouse(MouseDown, self.seen(cell), button=3)
        await self.mouse(MouseUp, self.seen(cell), button=3)

    async def mouse(self, what, place, button=1):
        """What a terminal tells of a mouse."""
        x, y = place
        self.app.post_message(what(None, x, y, 0, 0, button, False, False, False, x, y))
        await self.settle()

    def seen(self, cell, board=None):
        """Column and row of the screen where a cell's letter stands; None is beside the board."""
        if cell is None:
            return self.app.query_one("#words").region.offset + Offset(2, 2)
        board = board or self.board
        x, y = board.cell_corner(cell)
        return board.region.offset + Offset(x + board.pitch // 2, y + board.pitch // 4)

    def middle(self, cell):
        """Column and row of the board where a cell's letter stands."""
        x, y = self.board.cell_corner(cell)
        return x + self.board.pitch // 2, y + self.board.pitch // 4

    async def play(self, *actions):
        """Take turns without keys and mouse."""
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
        """What stands on the board, as letters by cell."""
        return {cell: piece.letter for cell, piece in self.hand.standing_pieces.items()}

    @property
    def beside(self):
        """The words about the hand."""
        return shown(self.app._hand_text)

    @property
    def position(self):
        return self.session.position.notation_line.split()[0]

    @property
    def words(self):
        """The words beside the board as they stand on the screen, lines joined."""
        return shown(self.app._status_text)

    def drawn(self):
        """The characters of the board."""
        return [self.board.render_line(y).text for y in range(self.board.size.height)]


def run_table(table, clock, seconds):
    """Let time pass at a table in a terminal."""
    until = clock.now() + seconds
    while True:
        due = table.step()
        if clock.now() >= until:
            return
        clock.wait(min(due, until), table.companion._arrival_flag)


def shown(widget):
    """The text of a widget, as it is wrapped, with its lines joined again."""
    return " ".join(" ".join(widget.render_line(y).text for y in range(widget.size.height)).split())


def unpainted():
    """Nothing is put together for a screen that nobody looks at, which is a third of all the work.

    Everything is laid out as ever, and what a widget shows is drawn when somebody looks at that widget.
    """

    def nothing(compositor, **_):
        compositor._dirty_regions.clear()

    return patch.object(Compositor, "render_update", nothing)


def at(
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
    """Sit down at a table, play, get up; whole screens are drawn if it is `painted`, as all are in CI."""

    async def run():
        clock = SimulatedClock()
        seated = SeatedPlayers((make_player(light, 1), make_player(dark, 2)), names)
        options = TableOptions(lamps, clock, pieces, folder=folder, threaded=False, day=day)
        table = LocalTable(parse_variant(pond), seated, options, **begins_with)
        app = TerminalBoard(table, catalogue, lives=False)
        async with app.run_test(size=size) as pilot:
            table = TerminalTable(app, pilot, clock)
            await table.settle()
            await play(table)
        app.update_screen()  # the clock may tick once more when the screen has gone
        return app

    with nullcontext() if painted else unpainted():
        return asyncio.run(run())


def seated(pond="standard", **table):
    """Make a test of what a person does at a table."""

    def test(play):
        def sit():
            at(play, pond, **table)

        sit.__name__, sit.__doc__ = play.__name__, play.__doc__
        return sit

    return test


def key_bar(*keys):
    """What the keys at the bottom say: each is the key itself and the name of a message."""
    parted = [key.rsplit(maxsplit=1) for key in keys]
    return " ".join(f"{key} {text(Message(f'key.{name}'))}" for key, name in parted)


PLAY_KEYS = (
    *("Enter press", "u undo", "h hint", "n new_game", "f lessons"),
    *("? help", "q quit", "^p commands"),
)
KEYS_AT_THE_END = key_bar(
    "↑↓←→ move", "u undo", "r rematch", "n new_game", "f lessons", "? help", "q quit", "^p commands"
)
