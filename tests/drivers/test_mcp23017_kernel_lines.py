"""Tests of an expander driven by the kernel. gpiod is simulated here; tests/kernel uses the real one."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

from pond_hw.board import BoardFault
from pond_hw.drivers import mcp23017
from pond_hw.drivers.mcp23017 import ExpanderLines, find_chip_number
from pond_hw.drivers.scan import SensorReadError
from tests.drivers.error_checks import raises


class Chip(ModuleType):
    """Simulated gpiod with one chip of sixteen lines.

    Attributes:
        levels: levels of its lines; the lowest bit is the first line.
        fault: errno to raise, by operation.
        reads: number of readings.
        open: paths of the chips in use.
    """

    LineSettings = SimpleNamespace
    line = SimpleNamespace(
        Direction=SimpleNamespace(INPUT="input", OUTPUT="output"),
        Value=SimpleNamespace(ACTIVE=object(), INACTIVE=object()),
    )

    def __init__(self):
        super().__init__("gpiod")
        self.levels, self.fault, self.lines, self.reads, self.open = 0, {}, {}, 0, []

    def _answer(self, operation):
        if operation in self.fault:
            raise OSError(self.fault[operation])

    def request_lines(self, path, *, consumer, config):
        assert consumer == "pond"
        self._answer("claim")
        self.open.append(path)
        self.lines = config
        for line, settings in config.items():
            if settings.direction == "output":
                self.levels |= (settings.output_value is self.line.Value.ACTIVE) << line
        return self

    def get_values(self):
        self._answer("read")
        self.reads += 1
        value = self.line.Value
        return [value.ACTIVE if self.levels >> line & 1 else value.INACTIVE for line in self.lines]

    def release(self):
        self.open.clear()


@pytest.fixture
def chip(monkeypatch):
    simulated_chip = Chip()
    monkeypatch.setitem(sys.modules, "gpiod", simulated_chip)
    return simulated_chip


def test_gpiochip_is_found_by_its_i2c_address(tmp_path, monkeypatch):
    monkeypatch.setattr(mcp23017, "I2C_DEVICES", tmp_path)
    (tmp_path / "1-0020" / "gpiochip12").mkdir(parents=True)
    (tmp_path / "1-0021").mkdir()
    assert find_chip_number(1, 0x20) == 12
    assert find_chip_number(1, 0x21) is find_chip_number(1, 0x22) is find_chip_number(0, 0x20) is None


def test_levels_form_one_word(chip):
    lines = ExpanderLines(2, {7: 1, 15: 0})
    assert lines.gpio == 0x0080
    for line in set(range(16)) - {7, 15}:
        chip.levels = 0x0080 | 1 << line
        assert lines.gpio == chip.levels
    assert chip.reads == 15, "one each time"
    assert {line for line, settings in chip.lines.items() if settings.direction == "output"} == {7, 15}


def test_unresponsive_chip_can_be_retried(chip):
    lines = ExpanderLines(2, {7: 1, 15: 0})
    chip.fault["read"] = "Connection timed out"
    with raises(SensorReadError, "expander.unreached", chip=2, text="Connection timed out"):
        _ = lines.gpio
    del chip.fault["read"]
    assert lines.gpio == 0x0080


def test_busy_lines_are_a_fault(chip):
    chip.fault["claim"] = "Device or resource busy"
    with raises(BoardFault, "expander.taken", chip=2, text="Device or resource busy"):
        ExpanderLines(2, {7: 1, 15: 0})
    assert chip.open == []


def test_closing_twice_is_allowed(chip):
    lines = ExpanderLines(2, {7: 1, 15: 0})
    assert chip.open == ["/dev/gpiochip2"]
    lines.close()
    lines.close()
    assert chip.open == []


def test_missing_gpiod_is_reported(chip, monkeypatch):
    monkeypatch.setitem(sys.modules, "gpiod", None)
    with pytest.raises(BoardFault) as fault:
        ExpanderLines(2, {7: 1, 15: 0})
    assert fault.value.message.id == "install.missing_package"
