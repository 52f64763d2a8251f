"""Tests of `pond setup` in a terminal with 80 columns and 24 rows, on a simulated clock."""

import asyncio
import textwrap
from contextlib import asynccontextmanager, closing
from functools import wraps

import pytest
from textual.geometry import Size

from pond_hw.commands import main
from pond_hw.companion import SimulatedClock
from pond_hw.messages.catalogue import BUILDER_LANGUAGES, get_catalogue
from pond_hw.messages.message import Message
from pond_hw.profile import list_shipped
from pond_hw.rules import get_grid
from pond_hw.setup.controller import SetupController
from pond_hw.setup.pages import SetupOption, ShownPage, StepPage
from pond_hw.setup.wiring_findings import LearnedWiring
from pond_hw.setup.wiring_step import WiringStage, WiringStep
from pond_hw.tui import setup_app as app
from pond_hw.tui.setup_app import BOARD_GAP, SetupApp, WorkbenchView, page_fits
from tests.messages.says import text


def async_test(test):
    """Convert an async function to a test."""

    @wraps(test)
    def run(**given):
        asyncio.run(test(**given))

    return run


class SetupScreen:
    """Test driver for the set-up screen."""

    def __init__(self, app, pilot, controller, clock):
        self.app, self.pilot, self.controller, self.clock = app, pilot, controller, clock

    async def press(self, *keys):
        await self.pilot.press(*keys)
        await self.wait(0.05)

    async def wait(self, seconds):
        self.controller.pass_time(seconds, self.clock.advance_to)
        if not self.controller.wizard.over:
            self.app.update_screen()
        await self.pilot.pause()

    def content_of(self, name):
        return str(self.app.query_one(f"#{name}").content)


@asynccontextmanager
async def open_setup_screen(board="direct-4x4", *flaws, size=(80, 24)):
    clock = SimulatedClock()
    with closing(SetupController(board, clock.now, is_simulated=True, flaws=flaws, is_polled=True)) as controller:
        terminal = SetupApp(controller, clock.now)
        async with terminal.run_test(size=size) as pilot:
            await pilot.pause()
            yield SetupScreen(terminal, pilot, controller, clock)
        terminal.update_screen()  # a timer may fire once more after the screen closed


def fits(table):
    """Check that no text is truncated and that the board, if it is shown, fits on the screen."""
    wide, high = table.app.size
    for widget in table.app.query("Static"):
        assert widget.region.bottom <= high
        assert widget.region.right <= wide
        assert widget.virtual_size.height <= widget.region.height or widget.region.height == 0, widget.id
    assert len(table.content_of("title")) <= wide - 2
    if table.app.workbench_view.display:
        assert table.app.workbench_view.region.right <= wide
        assert table.app.workbench_view.region.width == table.app.workbench_view.drawn_columns
        assert table.app.workbench_view.region.bottom <= high


@pytest.mark.slow
@pytest.mark.parametrize("steps", ["17", pytest.param("1234567809", marks=pytest.mark.long)])
@async_test
async def test_every_step_fits_and_invalid_keys_are_ignored(steps):
    async with open_setup_screen("matrix-5x5") as table:
        fits(table)
        for key in steps:
            await table.press(key, "w", "?")
            await table.wait(3.2)
            fits(table)
            await table.press("q")
            assert table.content_of("title").startswith("matrix-5x5: ") is False
        await table.wait(1.0)
        await table.press("q")
        assert table.controller.wizard.over


@pytest.mark.slow
@async_test
async def test_step_result_is_shown_before_the_menu():
    async with open_setup_screen("direct-4x4", "never:a1") as table:
        table.controller.begin_step("sensors", ("a1",))
        press = text(Message("sensor_walk.press.buttons", cell="a1", times=3))
        await table.wait(3.1)
        assert table.content_of("asks") == press
        await table.wait(25)
        assert table.content_of("asks") == press
        await table.press("x", "x")
        await table.wait(3.1)
        assert text(Message("results.title", step="sensors")) in table.content_of("title")
        (finding,) = table.controller.wizard.results["sensors"].findings
        assert (finding.kind, finding.cells) == ("never", ("a1",))
        assert text(finding.message) in " ".join(table.content_of("lines").split())
        assert not table.app.workbench_view.display  # a page without touches uses all columns
        fits(table)
        await table.press("b", "2")
        assert table.controller.wizard.step.queue == ("b2",)
        await table.press("q")
        assert text(Message("steps.left", step="sensors")) in table.content_of("lines")
        assert text(Message("came_of_step.fault", count=1)) in table.content_of("lines")


@pytest.mark.slow
@async_test
async def test_lines_are_drawn_between_cells():
    async with open_setup_screen() as table:
        board = table.app.workbench_view
        drawn = [board.render_line(y).text for y in range(board.drawn_lines)]
        assert drawn[0::3][:5] == ["  ┼────┼────┼────┼────┼"] * 5
        assert all([line[x] for x in range(2, 23, 5)] == ["│"] * 5 for y, line in enumerate(drawn[:-1]) if y % 3)
        assert board.display  # beside the list of steps
        assert board.cell_at(3, 1) == "a4"
        assert board.cell_at(21, 11) == "d1"
        fits(table)


@pytest.mark.slow
@async_test
async def test_board_is_shown_beside_touch_step():
    async with open_setup_screen("hall-5x5") as table:
        table.controller.begin_step("calibrate")
        await table.wait(3.2)
        await table.press("enter")
        await table.wait(0.8)
        assert table.content_of("asks") == text(Message("calibrate.take_off", cell="a1"))
        await table.press("enter", "tab")
        await table.wait(0.2)
        await table.press("enter")
        await table.wait(0.8)
        await table.press("enter")
        await table.wait(0.2)
        assert table.content_of("asks") == text(Message("calibrate.put.light", cell="b1"))
        (threshold,) = [
            block for block in table.controller.current_page.drawing
            if isinstance(block, Message) and block.id == "live.threshold"
        ]  # fmt: skip
        assert text(threshold) in table.content_of("lines").replace("\n", " ")
        assert table.app.workbench_view.display
        fits(table)
        await table.press("q", "0")
        await table.wait(0.3)
        wiring = table.controller.profile.sensing.wiring
        messages = [Message(f"live.grid.{kind}") for kind in ("count", "rest", "debounced", "changes")]
        for message in (*messages, Message("live.threshold", on=wiring.on, off=wiring.off)):
            assert text(message) in table.content_of("lines").replace("\n", " ")
        assert table.app.workbench_view.display
        fits(table)


@pytest.mark.long
@async_test
async def test_side_of_held_piece_is_shown():
    async with open_setup_screen("hall-5x5") as table:
        board = table.app.workbench_view
        keys = text(Message("workbench.keys"))
        light, dark = (
            text(Message("workbench.piece", side=side, other=other))
            for side, other in (("light", "dark"), ("dark", "light"))
        )
        assert " ".join(board.touch_hints) == f"{light} {keys}"
        await table.press("tab")
        assert " ".join(board.touch_hints) == f"{dark} {keys}"
        assert (
            max(map(len, table.app.workbench_view.touch_hints)) + app.LABEL_COLUMNS
            <= table.app.workbench_view.drawn_columns
        )
    async with open_setup_screen("direct-4x4") as table:
        hints = table.app.workbench_view.touch_hints
        assert " ".join(hints) == text(Message("workbench.finger", side="light", other="dark"))


@pytest.mark.slow
@pytest.mark.parametrize("board", ["simulated-4x4", "matrix-5x5"])
@async_test
async def test_consent_page_fits(board):
    async with open_setup_screen(board) as table:
        table.controller.begin_step("map")
        profile = table.controller.profile
        sensors = {cell: number for number, cell in enumerate(get_grid(profile.size).cells)}

        class FinishedWiringStep(WiringStep):
            """The wiring step after everything has been learned."""

            def conversation(self):
                self.learned = LearnedWiring(lamps=tuple(reversed(profile.chain.cell_positions)), sensors=sensors)
                self.stage, self.view = WiringStage.CONSENT, "l"
                yield from self._ask_consent()

        table.controller.wizard.step = FinishedWiringStep(profile, table.clock.now())
        await table.wait(0.1)
        fits(table)
        assert text(Message("drawing.lamps.both", colours=profile.chain.colour_order)) in table.content_of(
            "lines"
        ).replace("\n", " ")
        assert table.app.query_one("#choices").region.height == 2
        choices = table.content_of("choices").splitlines()
        assert [line for line in choices if len(line) > 78] == []
        for key, meaning in {"y": "yes", "n": "no_change", "l": "lamps", "f": "found", "q": "menu"}.items():
            assert any(f"{key} {text(Message(f'setup_key.{meaning}'))}" in line for line in choices)


@pytest.mark.long
@async_test
async def test_narrower_terminal_is_redrawn():
    async with open_setup_screen("matrix-5x5", size=(120, 30)) as table:
        assert table.app.query_one("#choices").region.height == 1
        await table.pilot.resize_terminal(80, 24)
        await table.wait(0.1)
        assert table.app.query_one("#choices").region.height == 2
        assert max(map(len, table.content_of("choices").splitlines())) <= 78


@pytest.mark.slow
@async_test
async def test_narrow_title_omits_current_and_name():
    async with open_setup_screen("matrix-5x5", size=(60, 24)) as table:
        table.controller.begin_step("map")
        await table.wait(0.1)
        assert table.content_of("title") == f"matrix-5x5: {text(Message('map_walk.title'))}   0/31"
    page = ShownPage("Sensors", (), "", (), (1, 16))
    assert (
        app.format_step_title("kitchen: ", page, "   lamps 9 of 400 mA", 43)
        == "kitchen: Sensors   1/16   lamps 9 of 400 mA"
    )
    assert app.format_step_title("kitchen: ", page, "   lamps 9 of 400 mA", 42) == "kitchen: Sensors   1/16"
    assert app.format_step_title("kitchen: ", page, "   lamps 9 of 400 mA", 22) == "Sensors   1/16"


@pytest.mark.slow
@async_test
async def test_text_wraps_beside_board_but_drawings_do_not():
    async with open_setup_screen("hall-5x5") as table:
        table.controller.begin_step("map")
        await table.wait(21)
        note = text(Message("map_walk.nobody", seconds=20))
        room = 80 - 2 - app.BOARD_GAP - table.app.workbench_view.drawn_columns
        assert " ".join(table.content_of("lines").split()) == note
        table.controller.begin_step("calibrate")
        await table.wait(4)
        heading, *drawing = table.controller.show_page().lines
        assert table.app.workbench_view.display
        assert table.content_of("lines").splitlines() == [*textwrap.wrap(heading, room), *drawing]


@async_test
async def test_timer_after_exit_does_nothing():
    async with open_setup_screen() as table:
        for widget in table.app.query("Static"):
            await widget.remove()
        table.app.update_screen()


@pytest.mark.long
@async_test
async def test_space_touches_and_enter_holds_cells(monkeypatch):
    monkeypatch.setattr(app, "TOUCH_SECONDS", 1000.0)  # the terminal's own timer, in real time
    async with open_setup_screen() as table:
        await table.press("0", "up", "enter", "right", "enter")
        assert table.app.workbench_view.pressed_cells == ("a2", "b2")
        await table.wait(0.3)
        assert table.content_of("lines").splitlines()[3].split()[:2] == ["#", "#"]
        await table.press("enter")
        assert table.app.workbench_view.pressed_cells == ("a2",)
        await table.press("right", "space")
        assert table.app.workbench_view.pressed_cells == ("a2", "c2")


@pytest.mark.long
@async_test
async def test_short_answer_waits_for_possible_longer_answer():
    async with open_setup_screen() as table:
        sent = []
        table.controller.put_event = lambda reply: sent.append(reply.key)
        page = table.controller.wizard.page
        from pond_hw.setup import wizard

        keys = [SetupOption("a", Message("setup_key.none")), SetupOption("a1"), SetupOption("b2")]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(wizard.SetupWizard, "page", property(lambda _: StepPage(page.title, choices=tuple(keys))))
            await table.wait(0.05)
            await table.press("a")
            assert (sent, table.content_of("asks").strip()) == ([], "a_")
            await table.press("1")
            assert sent == ["a1"]
            await table.press("a")
            await table.wait(1)
            await table.press("b", "a", "enter")
            assert sent == ["a1", "a", "a"]
            await table.press("b", "x", "2", "b", "2")
            assert sent[3:] == ["b2"]


@pytest.mark.slow
@async_test
async def test_wide_terminal_shows_text_beside_board():
    async with open_setup_screen("matrix-5x5", "never:a1", size=(120, 40)) as table:
        fits(table)
        board = table.app.workbench_view
        assert board.display
        assert [board.render_line(y).text for y in range(0, 16, 3)] == ["  ┼────┼────┼────┼────┼────┼"] * 6
        await table.pilot.resize_terminal(80, 24)
        await table.wait(0.1)
        assert "┼" not in board.render_line(0).text
        fits(table)


@pytest.mark.parametrize("language", BUILDER_LANGUAGES)
@pytest.mark.parametrize("board", list_shipped())
def test_menu_leaves_room_for_the_board(board, language):
    with closing(SetupController(board, SimulatedClock().now, is_simulated=True, is_polled=True)) as controller:
        controller.catalogue = get_catalogue(language)
        view = WorkbenchView(controller.workbench, controller.catalogue)
        view.fit_window(Size(80, 24))
        assert page_fits(controller.show_page(), 78 - BOARD_GAP - view.drawn_columns)


def test_missing_terminal_is_reported(capsys):
    assert main.main(["setup", "--board", "direct-4x4", "--pretend"]) == 2
    assert text(Message("terminal.needed", command="pond setup --headless")) in capsys.readouterr().err


@pytest.mark.slow
@async_test
async def test_score_strips_are_drawn_above_and_below_cells():
    async with open_setup_screen("simulated-5x5") as table:
        table.controller.begin_step("break")
        for _ in range(3):
            await table.wait(0.3)
            await table.press("y")
        await table.wait(0.3)
        fits(table)
        board = table.app.workbench_view
        assert text(Message("lamp.look_at.dark")) in table.content_of("asks")
        above, below = ([segment.style.color for segment in board.render_line(y) if segment.style] for y in (0, 12))
        assert len(above) == len(below) == 10
        assert len({*above}) == 2  # one of them is lit
        assert len({*below}) == 1
        assert board.cell_at(3, 0) is None
        assert board.cell_at(3, 1) == "a5"


@pytest.mark.slow
@async_test
async def test_pressing_q_twice_leaves_only_the_step():
    async with open_setup_screen("direct-4x4") as table:
        assert table.content_of("choices").endswith(f"q {text(Message('setup_key.leave'))}")
        await table.press("6")
        assert table.content_of("choices").endswith(f"q {text(Message('setup_key.menu'))}")
        await table.press("q")
        await table.press("q")
        assert not table.controller.wizard.over
        assert table.content_of("title").startswith("Set-up of direct-4x4")
        assert table.content_of("asks") == text(Message("setup_screen.quit_again"))
        await table.wait(0.4)
        await table.press("q")
        assert table.controller.wizard.over


@pytest.mark.slow
@async_test
async def test_held_q_does_not_leave_set_up():
    async with open_setup_screen("direct-4x4") as table:
        await table.press("6")
        await table.press("q")
        await table.wait(0.4)
        for _ in range(5):
            await table.press("q")
        assert not table.controller.wizard.over
        await table.press("6")  # any other key cancels the question
        assert "bottom left corner" in table.content_of("asks")


@async_test
async def test_q_in_menu_quits():
    async with open_setup_screen("direct-4x4") as table:
        await table.press("q")
        assert table.controller.wizard.over


@async_test
async def test_page_keys_press_simulated_turn_keys():
    async with open_setup_screen("usb-hall-4x4") as table:
        await table.press("k")
        board = table.app.workbench_view
        assert text(Message("workbench.keys")) in " ".join(board.touch_hints)
        for key, lit in (("pagedown", ["(●)", *"abc", "d(○)"]), ("pageup", ["(○)", *"abc", "d(●)"])):
            await table.wait(0.3)
            assert board.render_line(board.drawn_lines - 1).text.split() == lit
            await table.press(key)
            await table.wait(0.3)
            await asyncio.sleep(app.TOUCH_SECONDS + 0.05)
        assert [finding.grade for finding in table.controller.wizard.results["keys"].findings] == ["good", "good"]


@async_test
async def test_page_keys_do_nothing_without_turn_keys():
    async with open_setup_screen() as table:
        await table.press("0", "pagedown", "pageup")
        assert table.controller.wizard.name == "live"
