"""Tests with random keys, clicks, drags and window sizes, which arrive faster than screens open.

The program must not crash, and afterwards it must still be possible to play.
"""

import asyncio
from random import Random

import pytest
from textual.events import Key, MouseDown, MouseMove, MouseScrollDown, MouseScrollUp, MouseUp
from textual.widgets import Button, OptionList

from pond_hw.engine.hints import ImmediateAdviser
from pond_hw.rules import parse_record
from pond_hw.simulator.board_with_pieces import PieceOptions
from pond_hw.tui import replay_app
from pond_hw.tui.dialogs import ResumeDialog
from tests.conftest import long_after_first
from tests.tui.terminal_table import CHARACTERS, run_terminal, without_painting

KEYS = (
    *"abcde12345uhrwsilnxtvogymfzpkjq?yn",
    *("enter", "space", "escape", "tab", "shift+tab", "up", "down", "left", "right"),
    *("pageup", "pagedown", "backspace", "home", "end", "f1", "ctrl+p", "ctrl+q", "delete", "minus", "equals_sign"),
)

SIZES = ((80, 24), (120, 40), (62, 20), (61, 20), (40, 10), (200, 60))

OPENERS = ("n", "x", "?", "p", "q", "ctrl+p", "f1")
"""Keys that open a screen. Random keys alone would rarely do so."""


class RandomUser:
    """Source of random input."""

    def __init__(self, table, seed):
        self.table, self.rng = table, Random(seed)
        self.log = []

    async def play(self, steps):
        """Send bursts of input without waiting for screens, with pauses between the bursts."""
        self.table.app.exit = lambda *_, **__: self.log.append("exit")  # the program would quit at once
        for _ in range(steps):
            for _ in range(self.rng.choice((1, 1, 2, 3, 8))):
                self.send_random_input()
            if self.rng.random() < 0.5:
                await self.table.pilot.pause(0)
            if self.rng.random() < 0.1:
                await self.table.wait(self.rng.choice((0.1, 0.5, 3)))
            if self.rng.random() < 0.02:
                await self.table.pilot.resize_terminal(*self.rng.choice(SIZES))
        await self.table.settle()
        if error := self.table.app._exception:
            raise AssertionError(f"after {self.log[-12:]}") from error

    def send_random_input(self):
        """Post one random event without waiting for it to be processed."""
        kind = self.rng.random()
        if kind < 0.15:
            self.key(self.rng.choice(OPENERS))
        elif kind < 0.6:
            self.key(self.rng.choice(KEYS))
        elif kind < 0.75:
            self.mouse(*self.random_point())
        elif kind < 0.85:
            self.press_buttons_and_key()
        elif kind < 0.95:
            self.drag()
        else:
            self.post(self.rng.choice((MouseScrollDown, MouseScrollUp)), *self.random_point())

    def key(self, key):
        self.log.append(key)
        names = {character: name for name, character in CHARACTERS.items()}
        self.table.app.post_message(Key(names.get(key, key), key if len(key) == 1 else CHARACTERS.get(key)))

    def press_buttons_and_key(self):
        """Click two buttons, possibly the same one, and press a key before any of these events is processed."""
        buttons = [*self.table.app.screen.query(Button)]
        if not buttons:
            return
        for _ in range(2):
            button = self.rng.choice(buttons)
            self.log.append(f"#{button.id}")
            button.press()
        self.key(self.rng.choice(("escape", "enter", "y", "n")))

    def mouse(self, x, y):
        button = self.rng.choice((1, 1, 1, 3))
        self.post(MouseDown, x, y, button)
        if self.rng.random() < 0.9:
            self.post(MouseUp, x, y, button)

    def drag(self):
        self.post(MouseDown, *self.random_point())
        self.post(MouseMove, *self.random_point())
        self.post(MouseUp, *self.random_point())

    def post(self, event_type, x, y, button=1):
        self.log.append(f"{event_type.__name__} {x},{y}")
        self.table.app.post_message(event_type(None, x, y, 0, 0, button, False, False, False, x, y))

    def random_point(self):
        """Return a point in the window, preferably on something that can be clicked."""
        screen = self.table.app.screen
        targets = [*screen.query(Button), *screen.query(OptionList), *screen.query("LampGrid")]
        targets = [widget for widget in targets if widget.region.area]
        if targets and self.rng.random() < 0.7:
            region = self.rng.choice(targets).region
            return self.rng.randrange(region.x, region.right), self.rng.randrange(region.y, region.bottom)
        size = self.table.app.size
        return self.rng.randrange(size.width), self.rng.randrange(size.height)


TABLES = {
    "buttons": {},
    "against greedy": {"dark": "greedy"},
    "a small pond that is soon over": {"pond": "3x3/9/1", "light": "random"},
    "pieces": {"pieces": PieceOptions(turned=True)},
    "pieces, owners sensed": {"pieces": PieceOptions(colours=True), "dark": "random"},
}


@pytest.mark.slow
@pytest.mark.parametrize("how", long_after_first(TABLES, 1))
def test_random_input_does_not_crash_the_table(how):
    run_random_user(how, seed=1, steps=60)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("how", TABLES)
def test_hour_of_random_input_does_not_crash(how, seed):
    run_random_user(how, seed, steps=300)


def run_random_user(how, seed, steps):
    async def play(table):
        table.app.game_table.companion._adviser_question.adviser = ImmediateAdviser(50)
        user = RandomUser(table, seed)
        await user.play(steps)
        for _ in range(10):
            if len(table.app.screen_stack) > 1:  # in an exercise Escape opens a dialog, too
                await table.press("escape")
        assert len(table.app.screen_stack) == 1, user.log[-12:]

    run_terminal(play, **TABLES[how])


@pytest.mark.slow
@pytest.mark.parametrize("seed", long_after_first(range(8)))
def test_random_input_at_resume_prompt_does_not_crash(tmp_path, seed):
    async def leave(table):
        await table.touch("b2")

    async def play(table):
        table.app.game_table.companion._adviser_question.adviser = ImmediateAdviser(50)
        assert isinstance(table.app.screen, ResumeDialog)
        await RandomUser(table, seed).play(40)

    run_terminal(leave, pond="3x3/9/2", folder=tmp_path / "games")
    run_terminal(play, pond="3x3/9/2", folder=tmp_path / "games")


class Screen:
    """Test driver for a replay with random input."""

    def __init__(self, app, pilot):
        self.app, self.pilot = app, pilot

    async def settle(self):
        for _ in range(3):
            await self.pilot.pause(0)

    async def wait(self, seconds):
        self.app.now += seconds
        self.app.update_screen()
        await self.settle()


@pytest.mark.slow
@pytest.mark.parametrize("seed", long_after_first(range(8)))
def test_random_input_does_not_crash_replay(seed, monkeypatch):
    monkeypatch.setattr(replay_app.BackgroundReview, "start_review", lambda review: None)  # no process
    record = parse_record('[Variant "standard"]\n[Result "*"]\n\n1. @b2 @b3 2. @c2 @a3\n')

    async def play():
        app = replay_app.ReplayApp(record, 4, now=lambda: app.now, auto_update=False)
        app.now = 0.0
        async with app.run_test(size=(80, 24)) as pilot:
            await RandomUser(Screen(app, pilot), seed).play(60)

    with without_painting():
        asyncio.run(play())
