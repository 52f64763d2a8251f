"""A person in front of the terminal board: keys, a mouse and eyes, on a clock that only moves when told to."""

import asyncio

from textual.events import Key

from pond_hw.companion import SimulatedClock
from pond_hw.faces.tui.app import TerminalBoard
from pond_hw.faces.tui.table import OwnTable
from pond_hw.players import player
from pond_hw.rules import Action, variant
from pond_hw.session import Act

CHARACTERS = {"question_mark": "?", "slash": "/", "space": " "}
KEYS = {character: key for key, character in CHARACTERS.items()}


class Table:
    """A terminal board that runs, and what a person does and sees there."""

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

    async def type(self, text):
        await self.press(*(KEYS.get(letter, letter) for letter in text))

    async def touch(self, cell):
        """Press a cell by keys."""
        await self.press(*cell, "enter")

    async def click(self, cell):
        """Click into the middle of a cell."""
        await self.pilot.click(self.board, offset=self.middle(cell))
        await self.settle()

    def middle(self, cell):
        """Column and row of the board where a cell's letter stands."""
        x, y = self.board.corner(cell)
        return x + self.board.pitch // 2, y + self.board.pitch // 4

    async def play(self, *actions):
        """Take turns without keys and mouse."""
        for action in actions:
            self.app.companion.put(Act(Action.read(action), self.clock.now()))
            self.app.look()
        await self.settle()

    async def wait(self, seconds):
        self.app.companion.run_until(self.clock.now() + seconds)
        self.app.look()
        await self.settle()

    @property
    def session(self):
        return self.app.companion.session

    @property
    def board(self):
        return self.app._board

    @property
    def position(self):
        return self.session.position.line.split()[0]

    @property
    def words(self):
        """The words beside the board as they stand on the screen, lines joined."""
        return shown(self.app._words)

    def drawn(self):
        """The characters of the board."""
        return [self.board.render_line(y).text for y in range(self.board.size.height)]


def shown(widget):
    """The text of a widget, as it is wrapped, with its lines joined again."""
    return " ".join(" ".join(widget.render_line(y).text for y in range(widget.size.height)).split())


def at(play, pond="standard", *, light="human", dark="human", lamps=4, size=(80, 24)):
    """Sit down at a table, play, get up."""

    async def sit():
        clock = SimulatedClock()
        table = OwnTable(variant(pond), (player(light, 1), player(dark, 2)), lamps, clock)
        app = TerminalBoard(table, lives=False)
        async with app.run_test(size=size) as pilot:
            table = Table(app, pilot, clock)
            await table.settle()
            await play(table)
        return app

    return asyncio.run(sit())


def seated(pond="standard", **table):
    """Make a test of what a person does at a table."""

    def test(play):
        def sit():
            at(play, pond, **table)

        sit.__name__, sit.__doc__ = play.__name__, play.__doc__
        return sit

    return test
