"""Tests of failing steps and random input. Set-up reports errors and continues."""

import json
from contextlib import suppress
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.pilot import OutOfBounds

from pond_hw.board import BoardFault
from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message
from pond_hw.profile import load_profile
from pond_hw.rules import get_grid
from pond_hw.setup import step_table
from pond_hw.setup.wiring_step import WiringStep
from pond_hw.setup.wizard import ResultPages
from tests.messages.says import text
from tests.setup.setup_session import open_session
from tests.tui.test_setup_app import async_test, open_setup_screen


def inject_error(monkeypatch, of, name):
    """Make this method of a step fail from now on."""

    def fails(*_):
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(of, name, fails if name == "after" else property(fails))


@pytest.mark.parametrize("name", ["after", "page", "lit_lamps", "due", "result"])
@pytest.mark.parametrize("step", step_table.STEPS)
def test_failing_step_returns_to_the_menu(monkeypatch, step, name):
    board = "usb-hall-4x4" if step == "keys" else "hall-5x5"
    with open_session(board) as table:
        table.send({"step": step}, {"wait": 0.2})
        inject_error(monkeypatch, type(step_table.begin_step(load_profile(board), step, 0.0)), name)
        table.send({"press": "b2"}, {"wait": 0.3}, {"release": "b2"}, {"reply": "y"}, {"wait": 0.3})
        assert table.send({"ask": "page"})["step"] is None
        stopped, again = table.controller.current_page.text
        assert (stopped.id, stopped.arguments["step"]) == ("steps.failed", step)
        assert stopped.arguments["place"].startswith("ZeroDivisionError, test_step_errors.py line ")
        assert again == Message("steps.try_again")
        assert "test_step_errors.py" in " ".join(table.page["lines"])
        assert "planted" in table.controller.failure_trace
        assert not any(max(lamp) for lamps in table.page["seen"].values() for lamp in lamps)
        other = "live" if step != "live" else "bright"
        assert table.send({"step": other}, {"wait": 0.2})["step"] == other


@pytest.mark.parametrize("name", ["after", "page", "lit_lamps", "due"])
def test_failing_guided_step_ends_setup(monkeypatch, name):
    with open_session("pwm-4x4") as table:
        table.send({"guide": True}, {"wait": 0.2})
        inject_error(monkeypatch, WiringStep, name)
        table.send({"touch": "a1"}, {"ask": "page"})
        assert table.page["over"]


def test_failing_result_returns_to_the_menu(monkeypatch):
    with open_session("pwm-4x4") as table:
        table.send({"step": "break"}, *[{"reply": "y"}] * 5)
        assert table.page["step"] == "found"
        inject_error(monkeypatch, ResultPages, "page")
        assert table.send({"ask": "page"})["step"] is None


@pytest.mark.slow
@async_test
async def test_failing_step_in_terminal_returns_to_the_menu():
    async with open_setup_screen("pwm-4x4") as table:
        await table.press("6")
        with pytest.MonkeyPatch.context() as planted:
            inject_error(planted, WiringStep, "page")
            await table.wait(0.3)
            assert [each.id for each in table.controller.wizard.notes] == ["steps.failed", "steps.try_again"]
            assert "test_step_errors.py" in table.content_of("lines")
        await table.press("6")
        assert text(Message("map_touch.left_corner", cell="a1")) in table.content_of("asks")


@async_test
async def test_lost_board_ends_the_screen_cleanly():
    async with open_setup_screen("pwm-4x4") as table:
        table.controller.process_events = lambda: (_ for _ in ()).throw(BoardFault("The cable is off."))
        table.app.update_screen()
        await table.pilot.pause()
        assert to_english(table.app.lost_error.message) == "The cable is off."
        assert table.app._exception is None
        del table.controller.process_events


@pytest.mark.slow
@pytest.mark.parametrize("size", [(20, 5), (10, 3), (28, 24)])
@async_test
async def test_tiny_window_does_not_end_setup(size):
    async with open_setup_screen("pwm-4x4", size=size) as table:
        for key in "67":
            await table.press(key)
            await table.press("q")
        assert table.app._exception is None


PRESSED = (*"1234567890qynxsrcmlfba+-z?", "up", "down", "left", "right", "space", "enter", "tab", "escape", "f1")


@pytest.mark.long
@pytest.mark.parametrize("seed", range(8))
@async_test
async def test_screen_survives_random_keys_clicks_and_resizes(seed):
    rng = Random(seed)
    board, flaws = rng.choice([("pwm-4x4", ("chatter:b2",)), ("hall-5x5", ()), ("simulated-5x5", ())])
    async with open_setup_screen(board, *flaws) as table:
        for _ in range(70):
            what = rng.random()
            if what < 0.75:
                await table.pilot.press(rng.choice(PRESSED))
            elif what < 0.85:
                with suppress(OutOfBounds):
                    await table.pilot.click(offset=(rng.randrange(80), rng.randrange(24)))
            elif what < 0.9:
                await table.pilot.resize_terminal(rng.choice([20, 80, 100]), rng.choice([5, 24, 40]))
            else:
                await table.wait(rng.choice([0.1, 0.5, 3.2]))
            if table.controller.wizard.over:
                break
        assert (table.controller.failure_trace, table.app._exception) == ("", None)


BOARDS = ("pwm-4x4", "matrix-5x5", "hall-5x5", "neotrellis-4x4", "simulated-5x5")
CELLS = st.sampled_from([*get_grid(5).cells, "z9", "", "a1" * 30, "\ud800"])
KEYS = st.sampled_from([*"ynxsrcabmqlf123+-z", "a2", "c3", "", "\udfff"])
ODD = st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=4), st.lists, max_leaves=3)
LINES = st.one_of(
    st.builds(lambda name: {"step": name}, st.sampled_from([*step_table.STEPS, "nope"])),
    st.builds(
        lambda name, some: {"step": name, "cells": some},
        st.sampled_from([*step_table.STEPS]),
        st.lists(CELLS, max_size=3),
    ),
    st.builds(lambda key: {"reply": key}, KEYS),
    st.builds(lambda cell: {"touch": cell}, CELLS),
    st.builds(lambda cell, owner: {"press": cell, "owner": owner}, CELLS, st.sampled_from(["light", "dark", "both"])),
    st.builds(lambda cell: {"release": cell}, CELLS),
    st.builds(lambda seconds: {"wait": seconds}, st.sampled_from([0, 0.3, 0.6, 3.2, -1, 1e9])),
    st.just({"guide": True}),
    st.just({"ask": "page"}),
    st.dictionaries(st.sampled_from(["step", "reply", "press", "touch", "wait", "cells", "ask", "owner"]), ODD),
)


def send_all(board, lines):
    """Send lines and check that each is answered with a page or an error."""
    with open_session(board) as table:
        write = table.lines._write_line
        table.lines._write_line = lambda line: write(line.encode("utf-8").decode("utf-8"))
        for line in lines:
            if table.page["over"]:
                return
            before = len(table.messages)
            raw = line if isinstance(line, bytes) else json.dumps(line).encode("utf-8", "surrogatepass")
            last = table.send(raw)
            assert len(table.messages) > before
            assert last["type"] in ("page", "error")
            assert len(table.page["lines"]) <= 16
            assert not table.controller.failure_trace, table.controller.failure_trace


@pytest.mark.slow
@pytest.mark.parametrize("board", BOARDS)
@settings(max_examples=6)
@given(lines=st.lists(LINES, max_size=25))
def test_random_lines_are_answered(board, lines):
    send_all(board, lines)


@pytest.mark.long
@pytest.mark.parametrize("board", BOARDS)
@settings(max_examples=300, deadline=None)
@given(lines=st.lists(LINES | st.binary(max_size=30), max_size=60))
def test_many_random_lines_are_answered(board, lines):
    send_all(board, lines)


def test_step_that_fails_to_begin_is_reported(monkeypatch):
    def fails(*_):
        raise ZeroDivisionError("planted")

    with open_session("pwm-4x4") as table:
        monkeypatch.setitem(step_table.STEPS, "map", step_table.STEPS["map"]._replace(start=fails))
        assert table.send({"step": "map"})["step"] is None
        assert [each.id for each in table.controller.current_page.text] == ["steps.failed", "steps.try_again"]
