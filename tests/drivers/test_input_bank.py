"""Tests of reading pins in one kernel request. lgpio and gpiod are simulated here; tests/kernel uses the real ones."""

import errno
import logging
import sys
from types import ModuleType, SimpleNamespace

import pytest
from gpiozero import Device

from pond_hw.board import BoardFault
from pond_hw.drivers import input_bank
from pond_hw.drivers.gpio import DirectReader
from pond_hw.drivers.scan import SensorReadError
from pond_hw.profile.board_profile import DirectWiring
from tests.board.pins import WiredFactory, WiredPin
from tests.drivers.error_checks import raises

WIRING = DirectWiring({"a1": 17, "b1": 4, "a2": 22, "b2": 27})


class Kernel(ModuleType):
    """Simulated gpiod and kernel.

    Attributes:
        low: lines at ground.
        claimed: lines that lgpio claimed individually.
        requests: settings of each request, by line.
        next_errors: errors raised by the next requests, in order; None for a request that succeeds.
        calls: number of times that all lines were read.
    """

    LineSettings = SimpleNamespace
    line = SimpleNamespace(
        Direction=SimpleNamespace(INPUT="input"),
        Bias=SimpleNamespace(PULL_UP="up", PULL_DOWN="down", DISABLED="none"),
        Edge=SimpleNamespace(BOTH="both", NONE="none"),
        Value=SimpleNamespace(ACTIVE=object(), INACTIVE=object()),
    )
    fd = 99

    def __init__(self):
        super().__init__("gpiod")
        self.low, self.claimed, self.requests, self.next_errors, self.calls, self.fault = set(), set(), [], [], 0, None

    def request_lines(self, path, *, consumer, config):
        assert (path, consumer) == ("/dev/gpiochip4", "pond")
        assert not self.claimed & set(config), "busy"
        self.requests.append(config)
        if self.next_errors and (refusal := self.next_errors.pop(0)):
            raise refusal
        self.claimed |= set(config)
        return self

    def get_values(self):
        self.calls += 1
        if self.fault:
            raise self.fault
        value = self.line.Value
        return [value.ACTIVE if line in self.low else value.INACTIVE for line in self.requests[-1]]

    def release(self):
        self.claimed -= set(self.requests[-1])


class LgpioPin(WiredPin):
    """Pin that is claimed individually from its creation until it is closed."""

    def __init__(self, factory, info):
        super().__init__(factory, info)
        self._claim()

    def _claim(self):
        self.factory.kernel.claimed.add(int(self.info.name.removeprefix("GPIO")))

    def close(self):
        self._claim()
        super().close()


class LgpioFactory(WiredFactory):
    chip, _handle = 4, 1

    def __init__(self, kernel):
        self.kernel = kernel
        super().__init__()
        self.pin_class = LgpioPin


@pytest.fixture
def kernel(monkeypatch):
    simulated_kernel, lgpio = Kernel(), ModuleType("lgpio")
    lgpio.error = RuntimeError
    lgpio.gpio_free = lambda handle, line: simulated_kernel.claimed.remove(line)
    monkeypatch.setitem(sys.modules, "gpiod", simulated_kernel)
    monkeypatch.setitem(sys.modules, "lgpio", lgpio)
    monkeypatch.setattr(input_bank, "is_lgpio", lambda factory: isinstance(factory, LgpioFactory))
    monkeypatch.setattr(Device, "pin_factory", LgpioFactory(simulated_kernel))
    return simulated_kernel


@pytest.fixture
def reader(kernel):
    direct_reader = DirectReader(WIRING)
    direct_reader.open()
    yield direct_reader
    direct_reader.close()


def test_one_call_reads_all_pins_in_order(kernel, reader):
    assert reader.read_levels() == (0, 0, 0, 0)
    kernel.low = {4, 27}
    assert reader.read_levels() == (0, 1, 0, 1)
    assert kernel.calls == 2


def test_kernel_lines_keep_pulls_and_report_edges(kernel, reader):
    (request,) = kernel.requests
    assert list(request) == [17, 4, 22, 27]
    expected = {"direction": "input", "bias": "up", "edge_detection": "both", "active_low": True}
    assert [vars(settings) for settings in request.values()] == [expected] * 4
    assert reader.edge_fd == Kernel.fd


def test_close_returns_lines_to_gpiozero(kernel, reader):
    reader.close()
    assert reader.edge_fd is None
    assert kernel.claimed == {17, 4, 22, 27}
    reader.open()
    reader.open()
    assert reader.read_levels() == (0, 0, 0, 0)
    assert len(kernel.requests) == 3


@pytest.mark.parametrize("refusal", [OSError(errno.ENXIO, "No such device"), ValueError(22, "Invalid argument")])
def test_lines_without_edges_are_read_in_one_call(kernel, refusal, caplog):
    kernel.next_errors = [refusal]
    reader = DirectReader(WIRING)
    with caplog.at_level(logging.WARNING):
        reader.open()
    assert refusal.args[1] in caplog.text
    assert reader.edge_fd is None
    assert {settings.edge_detection for settings in kernel.requests[-1].values()} == {"none"}
    assert reader.read_levels() == (0, 0, 0, 0)
    reader.close()


def test_lines_taken_by_another_program_are_a_fault(kernel):
    busy = OSError(errno.EBUSY, "Device or resource busy")
    kernel.next_errors = [busy, busy]
    with raises(BoardFault, "pin.busy", user="a1-b2", pins=("17", "4", "22", "27"), count=4):
        DirectReader(WIRING).open()
    reader = DirectReader(WIRING)
    reader.open()
    reader.close()


@pytest.mark.parametrize("module", [None, ModuleType("gpiod")], ids=["missing", "older than version 2"])
def test_pins_are_read_individually_without_gpiod(kernel, monkeypatch, caplog, module):
    monkeypatch.setitem(sys.modules, "gpiod", module)
    reader = DirectReader(WIRING)
    with caplog.at_level(logging.WARNING):
        reader.open()
    assert "gpiod" in caplog.text
    Device.pin_factory.grounded = {4}
    assert (reader.read_levels(), reader.edge_fd) == ((0, 1, 0, 0), None)
    assert kernel.requests == []
    reader.close()


def test_unresponsive_lines_can_be_retried(kernel, reader):
    kernel.fault = OSError(errno.EIO, "Input/output error")
    with raises(SensorReadError, "gpio.unreadable", text="Input/output error"):
        reader.read_levels()
    kernel.fault = None
    assert reader.read_levels() == (0, 0, 0, 0)
