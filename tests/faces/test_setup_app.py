"""`pond setup` in a terminal of 80 columns and 24 rows: what is seen, typed and touched. The clock is the test's."""

import asyncio
from contextlib import asynccontextmanager, closing
from functools import wraps

import pytest

from pond_hw.faces import cli
from pond_hw.faces.setup import app
from pond_hw.faces.setup.app import SetUpApp
from pond_hw.faces.setup.lead import Lead
from pond_hw.faces.setup.lines import Simulated


def at_the_table(test):
    """A test that is a conversation with a running terminal."""

    @wraps(test)
    def run(**given):
        asyncio.run(test(**given))

    return run


class Table:
    """The terminal, and a person at it."""

    def __init__(self, app, pilot, lead, clock):
        self.app, self.pilot, self.lead, self.clock = app, pilot, lead, clock

    async def types(self, *keys):
        await self.pilot.press(*keys)
        await self.passes(0.05)

    async def passes(self, seconds):
        self.lead.pass_time(seconds, self.clock.sleep)
        if not self.lead.tour.over:
            self.app.bring_up_to_date()
        await self.pilot.pause()

    def shows(self, name):
        return str(self.app.query_one(f"#{name}").content)


@asynccontextmanager
async def sitting(board="direct-4x4", *flaws, size=(80, 24)):
    clock = Simulated()
    with closing(Lead(board, clock.now, pretend=True, flaws=flaws, polled=True)) as lead:
        terminal = SetUpApp(lead, clock.now)
        async with terminal.run_test(size=size) as pilot:
            await pilot.pause()
            yield Table(terminal, pilot, lead, clock)


def fits(table):
    """Whether nothing is cut off: every line of text, and the board if it is shown, lie on the screen."""
    wide, high = table.app.size
    for widget in table.app.query("Static"):
        assert widget.region.bottom <= high
        assert widget.region.right <= wide
        assert widget.virtual_size.height <= widget.region.height or widget.region.height == 0, widget.id
    if table.app.board.display:
        assert table.app.board.region.right <= wide
        assert table.app.board.region.width == table.app.board.columns
        assert table.app.board.region.bottom <= high


@pytest.mark.parametrize("steps", ["17", pytest.param("1234567809", marks=pytest.mark.long)])
@at_the_table
async def test_every_step_fits_and_nonsense_does_nothing(steps):
    async with sitting("matrix-5x5") as table:
        fits(table)
        for key in steps:
            await table.types(key, "w", "?")
            await table.passes(3.2)
            fits(table)
            await table.types("q")
            assert table.shows("title").startswith("matrix-5x5: ") is False
        await table.types("q")
        assert table.lead.tour.over


@at_the_table
async def test_what_came_of_a_step_is_read_before_the_menu_comes_back():
    async with sitting("direct-4x4", "never:a1") as table:
        table.lead.begin("sensors", ("a1",))
        await table.passes(3.1)
        assert "Press a1" in table.shows("asks")
        await table.passes(25)
        assert "What came of the step sensors" in table.shows("title")
        assert "a1 was asked for and nothing answered" in table.shows("lines")
        fits(table)
        await table.types("b", "2")
        assert table.lead.tour.step.queue == ("b2",)
        await table.types("q")
        assert "The step sensors was left; nothing has changed." in table.shows("lines")
        assert "1 fault" in table.shows("lines")


@at_the_table
async def test_space_touches_and_enter_holds_as_many_cells_as_one_likes(monkeypatch):
    monkeypatch.setattr(app, "FINGER_SECONDS", 1000.0)  # the terminal's own timer, which no clock of ours rules
    async with sitting() as table:
        await table.types("0", "up", "enter", "right", "enter")
        assert table.app.board.down == ("a2", "b2")
        await table.passes(0.3)
        assert table.shows("lines").splitlines()[3].split()[:2] == ["#", "#"]
        await table.types("enter")
        assert table.app.board.down == ("a2",)
        await table.types("right", "space")
        assert table.app.board.down == ("a2", "c2")


@at_the_table
async def test_an_answer_that_may_become_a_longer_one_waits_for_it_a_little():
    async with sitting() as table:
        sent = []
        table.lead.put = lambda reply: sent.append(reply.key)
        page = table.lead.tour.page
        from pond_hw.setup import tour
        from pond_hw.setup.step import Choice, Page

        keys = [Choice("a", "none"), *(Choice(cell, "") for cell in ("a1", "b2"))]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tour.Tour, "page", property(lambda _: Page(page.title, choices=tuple(keys))))
            await table.types("a")
            assert (sent, table.shows("asks").strip()) == ([], "a_")
            await table.types("1")
            assert sent == ["a1"]
            await table.types("a")
            await table.passes(1)
            await table.types("b", "a", "enter")
            assert sent == ["a1", "a", "a"]
            await table.types("b", "x", "2", "b", "2")
            assert sent[3:] == ["b2"]


@at_the_table
async def test_a_wide_terminal_shows_lines_and_board_beside_each_other():
    async with sitting("matrix-5x5", "never:a1", size=(120, 40)) as table:
        fits(table)
        assert table.app.board.display


def test_without_a_terminal_it_says_what_needs_none(capsys):
    assert cli.main(["setup", "--board", "direct-4x4", "--pretend"]) == 2
    assert "needs a terminal; `pond setup --headless` does not." in capsys.readouterr().err
