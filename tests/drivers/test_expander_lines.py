"""An expander that the kernel drives. lgpio is made up here; the real one is asked in the simulated Pi."""

from types import ModuleType

import pytest

from pond_hw.board import BoardFault
from pond_hw.drivers import mcp23017
from pond_hw.drivers.mcp23017 import ExpanderLines, find_chip_number
from pond_hw.drivers.scan import SensorReadError
from tests.drivers.refusals import raises


class Chip(ModuleType):
    """lgpio, with one chip of sixteen lines.

    Attributes:
        levels: what its lines are at, the first one the lowest bit.
        fault: what it says instead of doing what it is told, by the name of what it is told.
        open: the chips that are held.
    """

    class error(Exception):  # noqa: N801 - lgpio calls it so
        pass

    def __init__(self):
        super().__init__("lgpio")
        self.levels, self.fault, self.groups, self.open = 0, {}, {}, []

    def _told(self, what):
        if what in self.fault:
            raise self.error(self.fault[what])

    def gpiochip_open(self, number):
        self._told("open")
        self.open.append(number)
        return number

    def gpiochip_close(self, handle):
        self.open.remove(handle)

    def group_claim_output(self, handle, lines, levels):
        self.groups[lines[0]] = lines
        self.levels |= sum(level << line for line, level in zip(lines, levels, strict=True))

    def group_claim_input(self, handle, lines):
        self._told("claim")
        self.groups[lines[0]] = lines

    def group_read(self, handle, first):
        self._told("read")
        lines = self.groups[first]
        return len(lines), sum((self.levels >> line & 1) << place for place, line in enumerate(lines))


@pytest.fixture
def chip(monkeypatch):
    made = Chip()
    monkeypatch.setattr(mcp23017, "load_lgpio", lambda: made)
    return made


def test_a_chip_is_the_kernels_if_its_address_has_a_gpiochip(tmp_path, monkeypatch):
    monkeypatch.setattr(mcp23017, "I2C_DEVICES", tmp_path)
    (tmp_path / "1-0020" / "gpiochip12").mkdir(parents=True)
    (tmp_path / "1-0021").mkdir()
    assert find_chip_number(1, 0x20) == 12
    assert find_chip_number(1, 0x21) is find_chip_number(1, 0x22) is find_chip_number(0, 0x20) is None


def test_all_sixteen_levels_come_in_one_word_with_each_line_at_its_bit(chip):
    lines = ExpanderLines(2, {7: 1, 15: 0})
    assert lines.gpio == 0x0080
    for line in set(range(16)) - {7, 15}:
        chip.levels = 0x0080 | 1 << line
        assert lines.gpio == chip.levels


def test_a_chip_that_does_not_answer_is_an_error_to_try_again(chip):
    lines = ExpanderLines(2, {7: 1, 15: 0})
    chip.fault["read"] = "bad GPIO read"
    with raises(SensorReadError, "expander.unreached", chip=2, text="bad GPIO read"):
        _ = lines.gpio
    del chip.fault["read"]
    assert lines.gpio == 0x0080


def test_lines_that_another_program_has_are_a_fault_and_nothing_is_held(chip):
    chip.fault["claim"] = "GPIO busy"
    with raises(BoardFault, "expander.taken", chip=2, text="GPIO busy"):
        ExpanderLines(2, {7: 1, 15: 0})
    assert chip.open == []


def test_closing_twice_is_no_fault(chip):
    lines = ExpanderLines(2, {7: 1, 15: 0})
    assert chip.open == [2]
    lines.close()
    lines.close()
    assert chip.open == []
