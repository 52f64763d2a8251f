"""Tests of starting, failing and stopping the firmware, on a simulated chip."""

import json
import runpy
import sys
import traceback
from binascii import b2a_base64

import pytest

from pond_hw.drivers.usb_config import make_board_config
from pond_hw.profile import load_profile
from tests.pico.cable import FIRMWARE
from tests.pico.chip import PWRON_RESET, WDT_RESET, Reset
from tests.pico.logic import add_crc

CONFIG = make_board_config(load_profile("usb-direct-4x4", measured=False)).text
LIT = bytes([9] * 3 * 64)

FRAME = add_crc(b"frame 0 " + b2a_base64(LIT, newline=False))


class PowerCut(BaseException):
    """Loss of power, which ends a run."""


@pytest.fixture
def start(chip, tmp_path, monkeypatch):
    """Start the firmware as MicroPython does. Return how it ended: `prompt`, `reset` or `power cut`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        sys, "print_exception", lambda error, file: traceback.print_exception(error, file=file), raising=False
    )
    (tmp_path / "config.json").write_bytes(CONFIG)

    def start():
        sys.modules.pop("pond_start", None)
        try:
            for script in ("boot.py", "main.py"):
                runpy.run_path(str(FIRMWARE / script))
        except Reset:
            return "reset"
        except PowerCut:
            return "power cut"
        return "prompt"

    return start


@pytest.fixture
def fail_with(monkeypatch):
    """Make the board's loop raise an error."""

    def fail_with(error):
        from pico_hardware import PicoHardware

        def now(self):
            raise error

        monkeypatch.setattr(PicoHardware, "now", now)

    return fail_with


@pytest.fixture
def stop_after(monkeypatch):
    """Make the board's loop raise an error after some steps."""

    def stop_after(steps, error):
        from pico_hardware import PicoHardware

        count, now = 0, PicoHardware.now

        def counted_now(self):
            nonlocal count
            count += 1
            if count % steps == 0:
                raise error
            return now(self)

        monkeypatch.setattr(PicoHardware, "now", counted_now)

    return stop_after


def test_firmware_stops_at_the_prompt_after_three_failed_starts(chip, start, fail_with, tmp_path):
    fail_with(AttributeError("no such pin"))
    assert [start() for _ in range(4)] == ["reset", "reset", "reset", "prompt"]
    assert "AttributeError: no such pin" in (tmp_path / "error.txt").read_text()
    assert chip.was_lit_at_resets == [False] * 3
    assert (chip.usb, chip.watchdog_ms) == (None, None)  # MicroPython's own port, and nothing interrupts the prompt


def test_ctrl_c_works_after_three_failed_starts(chip, start, fail_with):
    fail_with(MemoryError())
    for _ in range(3):
        start()
    chip.interrupts.clear()
    assert start() == "prompt"
    assert chip.interrupts == []


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
    assert [start() for _ in range(2)] == ["power cut"] * 2
    chip.glow[:] = bytes([9] * 600)  # the hang left the lamps lit
    assert start() == "prompt"
    assert not any(chip.glow[:192])


@pytest.mark.parametrize("missing", ["micropython", "rp2"])
def test_missing_module_is_named_in_the_error_file(chip, start, monkeypatch, tmp_path, missing):
    for module in ("game_port", "pico_hardware"):
        sys.modules.pop(module, None)
    monkeypatch.setitem(sys.modules, missing, None)
    assert [start() for _ in range(4)] == ["reset", "reset", "reset", "prompt"]
    assert missing in (tmp_path / "error.txt").read_text()


def test_failures_after_a_long_run_do_not_add_up(chip, start, stop_after):
    stop_after(12, OSError(5))
    chip.ms_per_clock_read = 1000
    assert [start() for _ in range(9)] == ["reset"] * 9


def test_ctrl_c_stops_at_the_prompt_with_lamps_off(chip, start, stop_after):
    lit = []
    chip.cause = WDT_RESET
    stop_after(3, KeyboardInterrupt())
    for _ in range(5):  # stopping it is not a failure
        chip.received = FRAME
        chip.frames.clear()
        assert start() == "prompt"
        assert LIT in chip.frames
        lit.append(any(chip.glow))
    assert lit == [False] * 5
    assert chip.watchdog_ms is None  # it would restart the board after four seconds
    assert chip.interrupts[-1] == -1  # a second Ctrl-C does not interrupt this
    assert chip.usb  # the game's port stays, and so does mpremote's connection


def test_current_is_declared_to_the_computer(chip, start, fail_with):
    fail_with(PowerCut())
    start()
    assert chip.usb.declared_ma == json.loads(CONFIG)["usb_ma"] == 450


def test_board_without_configuration_declares_the_default_current(chip, start, fail_with, tmp_path):
    (tmp_path / "config.json").unlink()
    fail_with(PowerCut())
    assert start() == "power cut"
    assert chip.usb.declared_ma == 250
    assert not (tmp_path / "error.txt").exists()


def test_wrong_configuration_file_is_explained_and_replaceable(chip, start, tmp_path):
    (tmp_path / "config.json").write_bytes(CONFIG.replace(b'"gpio"', b'"spi"'))
    chip.received = add_crc(b"config " + CONFIG)
    assert start() == "reset"
    assert "read must be gpio, matrix or mcp23017." in (tmp_path / "error.txt").read_text()
    assert (tmp_path / "config.json").read_bytes() == CONFIG


def test_shorter_chain_leaves_no_lamp_lit(chip, start, tmp_path):
    """Lamps beyond the new end would otherwise keep their last frame."""
    shorter = CONFIG.replace(b'"lamps":64', b'"lamps":4')
    assert shorter != CONFIG
    chip.received = FRAME + add_crc(b"config " + shorter)
    assert start() == "reset"
    assert LIT in chip.frames
    assert chip.was_lit_at_resets == [False]
    assert (tmp_path / "config.json").read_bytes() == shorter
