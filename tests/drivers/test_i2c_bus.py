"""Tests of the bus between Adafruit's drivers and smbus2: transfers and errors."""

import errno
import os
import sys
from ctypes import string_at

import pytest

from pond_hw.board import BoardFault
from pond_hw.drivers import i2c_bus
from pond_hw.drivers.i2c_bus import I2cBus, unwrap_bus_errors
from pond_hw.drivers.scan import SensorReadError
from pond_hw.messages.message import Message
from pond_hw.optional_packages import describe_missing_package
from tests.board.i2c import I2C_FUNCS, I2C_RDWR, I2C_TIMEOUT, READ
from tests.conftest import require
from tests.drivers.error_checks import raises, raises_message
from tests.drivers.pis import make_pi

require("smbus2", "our bus uses it")


class Kernel:
    """Simulated kernel for smbus2. It records transfers and raises the requested errors."""

    def __init__(self):
        self.timeouts, self.transfers, self.failures = [], [], []

    def ioctl(self, descriptor, request, argument):
        """Fill every read with 1, 2, 3, ..."""
        if request == I2C_FUNCS:
            argument.value = 1
        elif request == I2C_TIMEOUT:
            self.timeouts.append(argument)
        else:
            assert request == I2C_RDWR
            messages = []
            for number in range(argument.nmsgs):
                message = argument.msgs[number]
                if message.flags & READ:
                    for place in range(message.len):
                        message.buf[place] = bytes([place + 1])
                    messages.append((message.addr, message.len))
                else:
                    messages.append((message.addr, string_at(message.buf, message.len)))
            self.transfers.append(messages)
            if self.failures and (number := self.failures.pop(0)):
                raise OSError(number, os.strerror(number))


@pytest.fixture
def kernel(monkeypatch, tmp_path):
    simulated_kernel = Kernel()
    (tmp_path / "i2c-1").touch()
    monkeypatch.setattr(i2c_bus, "DEVICE_PATH", str(tmp_path / "i2c-{}"))
    monkeypatch.setattr("smbus2.smbus2.ioctl", simulated_kernel.ioctl)
    monkeypatch.setattr("fcntl.ioctl", simulated_kernel.ioctl)
    return simulated_kernel


@pytest.fixture
def bus(kernel):
    i2c_bus = I2cBus(1)
    yield i2c_bus
    i2c_bus.close()
    i2c_bus.close()


def test_kernel_timeout_is_fifty_milliseconds(kernel, bus):
    assert kernel.timeouts == [5]


def test_bus_lock_is_a_no_op(bus):
    assert bus.try_lock()
    assert bus.try_lock()
    bus.unlock()


def test_write_sends_whole_or_part_of_buffer(kernel, bus):
    bus.writeto(0x20, b"\x01\x02\x03")
    bus.writeto(0x21, bytearray(b"\x01\x02\x03"), start=1, end=2)
    bus.writeto(0x21, b"\x01\x02\x03", end=2)
    assert kernel.transfers == [[(0x20, b"\x01\x02\x03")], [(0x21, b"\x02")], [(0x21, b"\x01\x02")]]


def test_empty_write_probes_by_reading_a_byte(kernel, bus):
    bus.writeto(0x20, b"")
    assert kernel.transfers == [[(0x20, 1)]]


def test_read_fills_only_requested_part(kernel, bus):
    buffer = bytearray(b"......")
    bus.readfrom_into(0x20, buffer, start=2, end=4)
    assert buffer == b"..\x01\x02.."
    bus.readfrom_into(0x20, buffer)
    assert buffer == b"\x01\x02\x03\x04\x05\x06"
    assert kernel.transfers == [[(0x20, 2)], [(0x20, 6)]]


def test_write_then_read_is_one_transfer(kernel, bus):
    out, into = b"\x12\x34\x56", bytearray(b"....")
    bus.writeto_then_readfrom(0x20, out, into, out_start=1, out_end=2, in_start=1, in_end=3)
    assert into == b".\x01\x02."
    assert kernel.transfers == [[(0x20, b"\x34"), (0x20, 2)]]


def test_one_buffer_is_used_for_write_and_read(kernel, bus):
    buffer = bytearray(b"\x12..")
    bus.writeto_then_readfrom(0x20, buffer, buffer, out_end=1, in_start=1, in_end=3)
    assert buffer == b"\x12\x01\x02"


def test_unanswered_transfer_is_tried_three_times(kernel, bus):
    kernel.failures = [errno.EREMOTEIO] * 2
    bus.writeto(0x20, b"\x01")
    assert len(kernel.transfers) == 3
    kernel.failures = [errno.EREMOTEIO] * 3
    with raises(SensorReadError, "i2c.no_answer", address="0x20", bus=1, text="Remote I/O error"):
        bus.writeto(0x20, b"\x01")
    assert len(kernel.transfers) == 6


def test_hanging_bus_is_not_retried(kernel, bus):
    kernel.failures = [errno.ETIMEDOUT] * 3
    with raises(SensorReadError, "i2c.hangs", bus=1):
        bus.readfrom_into(0x20, bytearray(1))
    assert len(kernel.transfers) == 1


@pytest.mark.parametrize(
    ("number", "options", "expected"),
    [
        (1, {"devices": ()}, Message("i2c.off", device="/dev/i2c-1", bus=1)),
        (3, {"devices": ()}, Message("i2c.off", device="/dev/i2c-3", bus=3)),
        (1, {"denied": ("i2c-1",)}, Message("device.group", device="/dev/i2c-1", group="i2c")),
        (1, {}, Message("i2c.unusable", bus=1, text="No such file or directory")),
    ],
)
def test_unusable_bus_is_reported_with_reason(monkeypatch, tmp_path, number, options, expected):
    monkeypatch.setattr(i2c_bus, "DEVICE_PATH", str(tmp_path / "nothing" / "i2c-{}"))
    monkeypatch.setattr(i2c_bus, "Machine", lambda: make_pi(tmp_path / "pi", **options))
    with raises_message(BoardFault, expected):
        I2cBus(number)


def test_missing_smbus2_is_reported(monkeypatch):
    monkeypatch.setitem(sys.modules, "smbus2", None)
    with raises_message(BoardFault, describe_missing_package("smbus2", "smbus2")):
        I2cBus(1)


def test_bus_error_replaces_adafruits_value_error():
    def probe():
        try:
            raise SensorReadError(Message("i2c.hangs", bus=1))
        except OSError:
            raise ValueError("No I2C device at address: 0x20")  # noqa: B904 (as Adafruit's does)

    with raises(SensorReadError, "i2c.hangs", bus=1), unwrap_bus_errors():
        probe()
    with pytest.raises(ValueError, match="another"), unwrap_bus_errors():
        raise ValueError("another")
