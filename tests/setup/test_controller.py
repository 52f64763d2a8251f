"""Tests of saving and of interruptions, which must leave earlier settings unchanged to the byte."""

import errno
import json
import os
import signal
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pond_hw.companion import SimulatedClock
from pond_hw.messages.message import Message
from pond_hw.profile import calibration_store, load_profile
from pond_hw.profile.calibration_store import save_calibration
from pond_hw.rules import PondError
from pond_hw.server.setup_lines import SetupLines
from pond_hw.setup.controller import SetupController
from tests.conftest import long_after_first
from tests.messages.says import text
from tests.server.test_board_run import MOCKED

pytestmark = pytest.mark.slow

NOW = datetime(2026, 1, 2, tzinfo=UTC)

BRIGHTER = [{"step": "bright"}, *[{"reply": "+"}] * 6, {"reply": "y"}]

SCRIPT = [
    *[line for step in ("lamps", "rows", "cells") for line in ({"step": step}, {"reply": "x"}, {"touch": "a1"})],
    {"step": "break"}, {"reply": "y"}, {"reply": "n"}, {"wait": 9},
    {"step": "map"}, {"touch": "a1"}, {"wait": 1}, {"touch": "d1"}, {"wait": 1}, {"touch": "a4"},
    {"step": "sensors"}, {"wait": 3.1}, {"touch": "a1"}, {"press": "a1"}, {"wait": 1}, {"release": "a1"},
    {"step": "timing"}, {"wait": 3.1}, {"touch": "a1"},
    {"step": "live"}, {"press": "b2"}, {"wait": 0.5}, {"reply": "z"},
    {"step": "sensors", "cells": ["b2"]}, {"wait": 3.1}, {"touch": "b2"},
    *BRIGHTER[:-1],
]  # fmt: skip
"""Lines that begin every step but finish none."""


@pytest.fixture
def own(folder, monkeypatch):
    """Return the content of a board's calibration file."""
    boards = folder / "boards"
    boards.mkdir()
    monkeypatch.setenv("POND_BOARDS", str(boards))
    save_calibration("simulated-4x4", {"lamps.brightness": 0.3}, by="a test", why="as it was", now=NOW)
    return boards / "simulated-4x4.measured.toml"


def snapshot(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def start_setup(board="simulated-4x4"):
    command = [sys.executable, "-m", "pond_hw", "setup", "--headless", "--board", board]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    # Restore SIGHUP as in a terminal: under nohup, all child processes ignore it.

    def restore_sighup():
        signal.signal(signal.SIGHUP, signal.SIG_DFL)

    return subprocess.Popen(command, preexec_fn=restore_sighup, **pipes)  # noqa: PLW1509 - no thread runs here


def send_lines(process, lines):
    """Send messages and wait for their answers."""
    for line in lines:
        process.stdin.write(json.dumps(line).encode() + b"\n")
        process.stdin.flush()
        while b'"type":"page"' not in (answer := process.stdout.readline()):
            assert answer, process.stderr.read().decode()


ENDINGS = {
    "killed": lambda process: process.kill(),
    "SIGTERM": lambda process: process.send_signal(signal.SIGTERM),
    "Ctrl-C": lambda process: process.send_signal(signal.SIGINT),
    "terminal closed": lambda process: process.send_signal(signal.SIGHUP),
    "input ends": lambda process: process.stdin.close(),
}


EACH_LINE = [
    pytest.param(count, ending, marks=pytest.mark.long) for count in range(len(SCRIPT) + 1) for ending in ENDINGS
]


@pytest.mark.parametrize(("count", "ending"), [(20, "Ctrl-C"), *EACH_LINE])
def test_interruption_changes_nothing(own, count, ending):
    before = snapshot(own.parent)
    process = start_setup()
    try:
        for _ in range(2):
            process.stdout.readline()
        send_lines(process, SCRIPT[:count])
        ENDINGS[ending](process)
        process.wait(20)
    finally:
        process.kill()
        with process:
            errors = process.stderr.read().decode()
    assert "Traceback" not in errors
    assert snapshot(own.parent) == before


# Saving


def writing_calls():
    """Return the system calls that may fail during saving."""
    return [
        *[(calibration_store.os, name) for name in ("open", "write", "fsync", "fchmod", "close", "chown")],
        (Path, "replace"), (Path, "unlink"), (Path, "mkdir"),
    ]  # fmt: skip


class Failing:
    """Makes the n-th system call fail."""

    def __init__(self, monkeypatch, fails_at, error):
        self.calls, self.fails_at, self.error = -sys.maxsize, fails_at, error
        for owner, name in writing_calls():
            monkeypatch.setattr(owner, name, self._counted(getattr(owner, name)))

    def begin(self):
        self.calls = 0

    def _counted(self, call):
        def counted(*given, **named):
            self.calls += 1
            if self.calls == self.fails_at:
                raise self.error
            return call(*given, **named)

        return counted


def save_brightness(before_the_last=lambda: None):
    """Finish a step that saves, and return its messages."""
    messages, clock = [], SimulatedClock()
    with closing(SetupController("simulated-4x4", clock.now, lambda: NOW, is_polled=True)) as controller:
        lines = SetupLines(controller, clock, lambda line: messages.append(json.loads(line)))
        for line in BRIGHTER[:-1]:
            lines.handle_line(json.dumps(line).encode())
        before_the_last()
        lines.handle_line(json.dumps(BRIGHTER[-1]).encode())
    return messages


def test_accepted_changes_are_saved_and_used(own):
    messages = save_brightness()
    [result] = [line for line in messages if line["type"] == "result"]
    assert result["saved"] == str(own)
    saved = Message("setup.saved", file=str(own))
    assert (result["note"], result["said"]) == (text(saved), [saved.to_json()])
    assert load_profile("simulated-4x4").chain.brightness == 0.7
    assert " ".join(messages[-1]["lines"]).endswith(result["note"])


@pytest.mark.parametrize("number", long_after_first([errno.ENOSPC, errno.EIO]), ids=["disk full", "disk broken"])
def test_disk_errors_leave_the_old_or_new_file(own, monkeypatch, number):
    before, refused, fails_at = own.read_bytes(), 0, 0
    while True:
        fails_at += 1
        for each in own.parent.iterdir():
            each.unlink()
        own.write_bytes(before)
        with monkeypatch.context() as patch:
            fault = OSError(number, os.strerror(number))
            disk = Failing(patch, fails_at, fault)
            messages = save_brightness(disk.begin)
        if disk.calls < fails_at:
            break
        [result] = [line for line in messages if line["type"] == "result"]
        now = own.read_bytes()
        assert load_profile("simulated-4x4").chain.brightness in (0.3, 0.7)
        if now == before:
            refused += 1
            assert result["saved"] is None
            assert result["note"].startswith(text(Message("setup.not_saved", reason="")))
        else:
            assert b"brightness = 0.7" in now
        if result["saved"] is None:
            assert " ".join(messages[-1]["lines"]).endswith(result["note"])
    assert refused >= 5
    assert fails_at > 10


@pytest.mark.parametrize("interruption", long_after_first([KeyboardInterrupt, SystemExit]))
def test_interrupted_saving_leaves_the_old_or_new_file(own, monkeypatch, interruption):
    before, seen, fails_at = own.read_bytes(), set(), 0
    while True:
        fails_at += 1
        own.write_bytes(before)
        with monkeypatch.context() as patch:
            try:
                save_brightness(Failing(patch, fails_at, interruption()).begin)
            except interruption:
                pass
            else:
                break
        seen.add(load_profile("simulated-4x4").chain.brightness)
        if own.read_bytes() != before:
            assert load_profile("simulated-4x4").chain.brightness == 0.7
    assert seen == {0.3, 0.7}


def test_unwritable_folder_is_reported(own, monkeypatch):
    """Root may write everywhere, so the error is simulated."""
    access = os.access

    def may(path, mode):
        return mode != os.W_OK | os.X_OK and access(path, mode)

    messages = save_brightness(lambda: monkeypatch.setattr(os, "access", may))
    [result] = [line for line in messages if line["type"] == "result"]
    with pytest.raises(PondError) as refused:
        save_calibration("simulated-4x4", {"lamps.brightness": 0.7}, by="a test", why="", now=NOW)
    assert str(own.parent) in text(refused.value.message)
    reason = refused.value.message
    assert result["note"] == text(
        Message("setup.not_saved", reason=reason), Message("setup.findings_not_kept", reason=reason)
    )
    assert result["saved"] is None
    assert load_profile("simulated-4x4").chain.brightness == 0.3


def test_unsaved_results_keep_accepted_changes(own, monkeypatch):
    from pond_hw.setup import saved_results

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    messages = save_brightness(lambda: monkeypatch.setattr(saved_results, "save_result", full))
    [result] = [line for line in messages if line["type"] == "result"]
    assert result["saved"] == str(own)
    assert result["note"].endswith(text(Message("setup.findings_not_kept", reason="No space left on device.")))
    assert load_profile("simulated-4x4").chain.brightness == 0.7


# A board of mock pins, in real time


REAL = (
    MOCKED.partition("with MockPins()")[0].replace(
        "board_run.build_board = build_mocked_board",
        """
from pond_hw.setup import controller
board_run.build_board = controller.build_board = build_mocked_board
""",
    )
    + """
with MockPins():
    sys.exit(cli.main(["setup", "--headless", "--board", "direct-4x4"]))
"""
)


@pytest.mark.parametrize("ending", long_after_first(["Ctrl-C", "SIGTERM", "terminal closed", "input ends"]))
def test_real_board_is_dark_afterwards(folder, ending):
    outside = os.environ | {"POND_BOARDS": str(folder / "own")}
    process = subprocess.Popen(
        [sys.executable, "-c", REAL, str(folder)], env=outside,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        hello = json.loads(process.stdout.readline())
        assert (hello["setup"], hello["pretended"]) == ("direct-4x4", False)
        process.stdout.readline()
        send_lines(process, [{"step": "rows"}, {"reply": "n"}])
        process.stdin.write(b'{"wait":1}\n{"touch":"a1"}\n')
        process.stdin.flush()
        assert [json.loads(process.stdout.readline())["type"] for _ in range(2)] == ["error", "error"]
        while not any((folder / "lamps").read_bytes()):
            send_lines(process, [{"ask": "page"}])
        ENDINGS[ending](process)
        assert process.wait(20) == (0 if ending == "input ends" else 130)
    finally:
        process.kill()
        with process:
            errors = process.stderr.read().decode()
    assert "Traceback" not in errors
    assert (folder / "lamps").read_bytes() == bytes(192)
    assert not (folder / "own").exists()


def test_unplugged_bus_during_a_step_changes_nothing(own):
    before, messages, clock = snapshot(own.parent), [], SimulatedClock()
    with closing(SetupController("hall-4x4", clock.now, lambda: NOW, is_simulated=True, is_polled=True)) as controller:
        lines = SetupLines(controller, clock, lambda line: messages.append(json.loads(line)))

        def says(*asked):
            for line in asked:
                lines.handle_line(json.dumps(line).encode())
            return messages[-1]

        for step in ("map", "sensors", "timing", "live"):
            says({"step": step}, {"wait": 3.1}, {"touch": "a1"}, {"wait": 1})
            controller.workbench.flaws["a1"] = "dead-chip"
            page = says({"wait": 1.0})
            assert "chip answers at 0x21" in " ".join([*page["lines"], page["asks"]])
            controller.workbench.flaws.clear()
            page = says({"wait": 1.5})
            assert "chip" not in " ".join([*page["lines"], page["asks"]])
            assert says({"reply": "q"})["step"] is None
    assert snapshot(own.parent) == before
