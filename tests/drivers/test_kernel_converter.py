"""The message that a converter is read by, before a kernel that does what linux/spi/spidev.h says, in memory.

Whether a real kernel takes it is asked in the simulated Pi: tests/kernel/.
"""

import ctypes

import pytest

from pond_hw.drivers import kernel_converter
from pond_hw.drivers.kernel_converter import TRANSFER, KernelConverter
from tests.board.pins import Converter

MESSAGE_OF_EIGHT = 0x41006B00
"""SPI_IOC_MESSAGE(8), as a C compiler makes it."""


@pytest.fixture
def converter(monkeypatch):
    """A converter, whose kernel starts it anew whenever it was deselected."""
    made, asked = Converter(), []

    def ioctl(_device, request, message):
        assert request >> 16 & 0x3FFF == len(message)
        asked.append(request)
        for number, each in enumerate(TRANSFER.iter_unpack(message), 1):
            sent_at, received_at, length, _hz, _delay, word_bits, deselects = each[:7]
            assert (length, word_bits) == (3, 8)
            assert deselects == (number < len(message) // TRANSFER.size), "or it would stay selected in the end"
            start, command, _ = ctypes.string_at(sent_at, length)
            assert (start, command >> 7) == (1, 1)
            count = made.answer(command >> 4 & 7)
            ctypes.memmove(received_at, bytes([0xFF, 0xF8 | count >> 8, count & 0xFF]), length)

    monkeypatch.setattr(kernel_converter.fcntl, "ioctl", ioctl)
    made.asked = asked
    return made


def test_all_inputs_come_by_one_call_and_all_ten_bits_of_each(converter):
    read = KernelConverter("/dev/null", range(8))
    for start in (0, 3, 511, 512, 1016):
        converter.counts = [start + channel for channel in range(8)]
        assert read.read_counts() == converter.counts
    assert converter.asked == [MESSAGE_OF_EIGHT] * 5
    read.close()


def test_only_the_inputs_that_have_sensors_are_read_in_their_order(converter):
    read = KernelConverter("/dev/null", [7, 0, 3])
    converter.counts[:] = range(100, 108)
    assert read.read_counts() == [107, 100, 103]
    read.close()


def test_closed_it_reads_nothing_and_can_be_closed_again(converter):
    read = KernelConverter("/dev/null", [0])
    read.close()
    read.close()
    with pytest.raises(OSError, match="closed"):
        read.read_counts()
    assert not converter.asked
