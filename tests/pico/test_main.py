"""Tests of starting, failing and stopping the firmware, on a simulated chip."""

import runpy
import sys
import traceback

import pytest

from pond_hw.drivers.usb_config import make_board_config
from pond_hw.profile import load_profile
from tests.pico.cable import FIRMWARE
from tests.pico.chip import PWRON_RESET, WDT_RESET, Reset

CONFIG = make_board_config(load_profile("usb-direct-4x4", measured=False)).text


class PowerCut(BaseException):
    """Loss of power, which ends a run."""


@pytest.fixture
def start(chip, tmp_path, monkeypatch):
    """Start the firmware. Return how it ended: `prompt`, `reset` or `power cut`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        sys, "print_exception", lambda error, file: traceback.print_exception(error, file=file), raising=False
    )
    (tmp_path / "config.json").write_bytes(CONFIG)
    from pico_hardware import PicoHardware

    monkeypatch.setattr(PicoHardware, "receive", lambda self: b"")

    def start():
        try:
            runpy.run_path(str(FIRMWARE / "main.py"))
        except Reset:
            return "reset"
        except PowerCut:
            return "power cut"
        return "prompt"

    return start


@pytest.fixture
def fail_with(monkeypatch):
    """Make the board's loop raise an error."""
    from pico_hardware import PicoHardware

    def fail_with(error):
        def now(self):
            raise error

        monkeypatch.setattr(PicoHardware, "now", now)

    return fail_with


def test_firmware_stops_at_the_prompt_after_three_failed_starts(chip, start, fail_with, tmp_path):
    fail_with(AttributeError("no such pin"))
    assert [start() for _ in range(4)] == ["reset", "reset", "reset", "prompt"]
    assert "AttributeError: no such pin" in (tmp_path / "error.txt").read_text()
    assert chip.shown_at_resets == [bytes(48)] * 3


def test_ctrl_c_works_at_the_prompt(chip, start, fail_with):
    fail_with(MemoryError())
    for _ in range(3):
        start()
    chip.interrupts.clear()
    fed = chip.fed
    assert start() == "prompt"
    assert (chip.interrupts, chip.fed) == ([], fed)  # Ctrl-C works, and no watchdog runs


def test_power_on_gives_firmware_three_more_starts(chip, start, fail_with):
    fail_with(OSError(5))
    for _ in range(2):
        assert start() == "reset"
    chip.cause = PWRON_RESET
    assert [start() for _ in range(4)] == ["reset", "reset", "reset", "prompt"]
    chip.cause = PWRON_RESET
    assert start() == "reset"


def test_firmware_hanging_at_start_stops_at_the_prompt(chip, start, fail_with):
    fail_with(PowerCut())  # the firmware hangs, which raises no error
    assert start() == "power cut"
    chip.cause = WDT_RESET
    assert [start() for _ in range(3)] == ["power cut", "power cut", "prompt"]


def test_failures_after_a_long_run_do_not_add_up(chip, start, monkeypatch, tmp_path):
    from pico_hardware import PicoHardware

    looks = 0
    now = PicoHardware.now

    def fail_after_11_s(self):
        nonlocal looks
        looks += 1
        if looks % 12 == 0:
            raise OSError(5)
        return now(self)

    monkeypatch.setattr(PicoHardware, "now", fail_after_11_s)
    chip.ms_per_clock_read = 1000
    assert [start() for _ in range(9)] == ["reset"] * 9


def test_requested_prompt_appears_once(chip, start, fail_with, tmp_path):
    fail_with(PowerCut())
    (tmp_path / "prompt-once").touch()
    assert [start(), start()] == ["prompt", "power cut"]


def test_keyboard_interrupt_stops_at_the_prompt(start, fail_with):
    fail_with(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        start()


def test_shorter_chain_leaves_no_lamp_lit(chip, start, monkeypatch, tmp_path):
    """Lamps beyond the new end would otherwise keep their last frame."""
    from pico_hardware import PicoHardware

    from tests.pico.logic import add_crc

    shorter = CONFIG.replace(b'"lamps":16', b'"lamps":4')
    assert shorter != CONFIG
    incoming = [b"", add_crc(b"config " + shorter)]
    monkeypatch.setattr(PicoHardware, "receive", lambda self: incoming.pop() if incoming else b"")
    assert start() == "reset"
    assert chip.shown_at_resets == [bytes(48)]
    assert (tmp_path / "config.json").read_bytes() == shorter
