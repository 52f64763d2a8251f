"""Tests of linear hall sensors on MCP3008s: gpiozero's real classes with simulated converters."""

import ctypes
import warnings

import pytest
from gpiozero import Device, DigitalInputDevice
from gpiozero.pins.data import SPI_HARDWARE_PINS
from gpiozero.pins.local import LocalPiHardwareSPI
from gpiozero.pins.mock import MockSPIInterface

from pond_hw.board import BoardFault
from pond_hw.drivers import mcp3008
from pond_hw.drivers.mcp3008 import BIT_BANGED_INTERVAL, TRANSFER, AnalogReader, KernelConverter
from pond_hw.drivers.scan import SensorReadError
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import AnalogWiring
from pond_hw.profile.chips import MCP3008, AdcChannel, AdcPins
from pond_hw.rules import get_grid
from tests.board.pins import Converter, ConverterOnPins, SpiDev, SpiFactory
from tests.drivers.error_checks import raises
from tests.drivers.pis import make_pi

CELLS = get_grid(3).cells
CHIPS = {"A": AdcPins(21, 20, 19, 18), "B": AdcPins(21, 20, 19, 16), "C": AdcPins(5, 6, 13, 26)}
CHANNELS = [AdcChannel("A", 0), AdcChannel("A", 7), AdcChannel("A", 3), AdcChannel("B", 5), AdcChannel("B", 2)]
CHANNELS += [AdcChannel("C", 0), AdcChannel("C", 7), AdcChannel("C", 4), AdcChannel("C", 1)]
RESTS = [500, 505, 510, 515, 520, 525, 530, 535, 540]
WIRING = AnalogWiring(
    MCP3008,
    CHIPS,
    dict(zip(CELLS, CHANNELS, strict=True)),
    dict(zip(CELLS, RESTS, strict=True)),
    on=60,
    off=30,
    light=1,
)


@pytest.fixture
def converters(monkeypatch):
    """Three converters, two of which are on the kernel's SPI buses."""
    factory = SpiFactory(hardware=True)
    monkeypatch.setattr(Device, "pin_factory", factory)
    by_letter = {letter: Converter() for letter in CHIPS}
    ConverterOnPins(CHIPS["C"], by_letter["C"], factory)
    found = {(1, 0): by_letter["A"], (1, 2): by_letter["B"]}
    monkeypatch.setattr("gpiozero.pins.local.SpiDev", type("Found", (SpiDev,), {"converters": found}))
    for (letter, channel), rest in zip(CHANNELS, RESTS, strict=True):
        by_letter[letter].counts[channel] = rest
    yield by_letter
    factory.reset()


@pytest.fixture
def reader(converters):
    analog_reader = AnalogReader(WIRING)
    analog_reader.open()
    yield analog_reader
    analog_reader.close()


def count_reads(converters):
    """Start counting the readings of each converter's inputs."""
    asked = dict.fromkeys(converters, 0)

    def count(letter, answer):
        def answered(channel):
            asked[letter] += 1
            return answer(channel)

        return answered

    for letter, converter in converters.items():
        converter.answer = count(letter, converter.answer)
    return asked


def read_settled(reader):
    for _ in range(BIT_BANGED_INTERVAL):
        levels = reader.read_levels()
    return levels


def test_each_cell_reads_its_own_input(converters, reader):
    assert read_settled(reader) == (0,) * 9
    assert reader.raw_values == tuple(RESTS)
    for number, ((letter, channel), rest) in enumerate(zip(CHANNELS, RESTS, strict=True)):
        for pole in (1, -1):
            converters[letter].counts[channel] = rest + 60 * pole
            assert read_settled(reader) == tuple(pole * (each == number) for each in range(9))
            assert reader.raw_values[number] == rest + 60 * pole
        converters[letter].counts[channel] = rest
        assert read_settled(reader) == (0,) * 9


@pytest.mark.parametrize("count", [3, 255, 256, 511, 512, 1020])
def test_counts_have_ten_bits(converters, reader, count):
    converters["A"].counts[7] = converters["C"].counts[7] = count
    reader.read_levels()
    assert (reader.raw_values[1], reader.raw_values[6]) == (count, count)


def test_sensors_start_at_rest():
    assert AnalogReader(WIRING).raw_values == tuple(RESTS)


def test_kernel_reads_converters_on_spi1(reader):
    kinds = [type(each._spi) for each in reader._held]
    assert all(issubclass(kind, LocalPiHardwareSPI) for kind in kinds[:5])
    assert all(issubclass(kind, MockSPIInterface) for kind in kinds[5:])
    assert SPI_HARDWARE_PINS[0]["clock"] == "GPIO11", "gpiozero's pins of SPI0 are unchanged"


@pytest.mark.parametrize("letter", ["A", "B", "C"])
@pytest.mark.parametrize(("level", "kind"), [(0, "zero"), (1, "ones")])
def test_converter_at_rail_is_named_with_miso(converters, reader, letter, level, kind):
    before = reader.read_levels()
    counts = reader.raw_values
    converters[letter].stuck = level
    with raises(SensorReadError, f"converter.stuck.{kind}", chip=letter, miso=CHIPS[letter].miso):
        for _ in range(BIT_BANGED_INTERVAL):  # C, whose bits gpiozero moves, is not read every time
            reader.read_levels()
    with raises(SensorReadError, f"converter.stuck.{kind}", chip=letter, miso=CHIPS[letter].miso):
        reader.read_levels()
    assert reader.raw_values == counts
    converters[letter].stuck = None
    assert reader.read_levels() == before


@pytest.mark.parametrize(("low", "is_valid"), [(0, False), (2, False), (3, True), (1020, True), (1021, False)])
def test_rail_counts_are_outside_sensor_range(converters, reader, low, is_valid):
    converters["B"].counts[5] = converters["B"].counts[2] = low
    if is_valid:
        reader.read_levels()
    else:
        with pytest.raises(SensorReadError):
            reader.read_levels()


def test_slow_converter_is_read_every_third_time(converters, reader):
    asked = count_reads(converters)
    for _ in range(30):
        reader.read_levels()
    assert asked == {"A": 90, "B": 60, "C": 40}


def test_movement_at_slow_converter_is_reread_at_once(converters, reader):
    reader.read_levels()
    converters["C"].counts[7] += 60
    levels = [reader.read_levels()[6] for _ in range(BIT_BANGED_INTERVAL)]
    assert levels == [0, 0, 1]


def test_moving_piece_reads_all_converters(converters, reader):
    reader.read_levels()
    asked = count_reads(converters)
    for step in range(1, 11):
        converters["A"].counts[0] = RESTS[0] + 30 * step
        reader.read_levels()
    assert asked["C"] >= 40


def test_single_wrong_count_changes_nothing(converters, reader):
    reader.read_levels()
    normal_answer = converters["A"].answer
    wrong_counts = [900]
    converters["A"].answer = lambda channel: wrong_counts.pop() if wrong_counts else normal_answer(channel)
    assert [reader.read_levels() for _ in range(4)] == [(0,) * 9] * 4
    assert not wrong_counts


def test_single_sensor_at_rail_is_accepted(converters, reader):
    converters["A"].counts[0], converters["A"].counts[7] = 0, 1023
    assert read_settled(reader)[:3] == (-1, 1, 0)


def test_converter_without_sensors_is_not_read(converters):
    chips = {**CHIPS, "D": AdcPins(22, 23, 24, 25)}
    reader = AnalogReader(AnalogWiring(MCP3008, chips, WIRING.channels, WIRING.rest, on=60, off=30, light=1))
    reader.open()
    assert read_settled(reader) == (0,) * 9
    reader.close()


def test_reopening_keeps_poles_and_closing_forgets_them(converters, reader):
    converters["A"].counts[0] = RESTS[0] + 70
    read_settled(reader)
    converters["A"].counts[0] = RESTS[0] + 40
    assert read_settled(reader)[0] == 1
    reader.open()
    assert read_settled(reader)[0] == 1
    reader.close()
    reader.open()
    assert read_settled(reader)[0] == 0
    assert reader.is_configured()


def test_reader_can_be_closed_and_reopened(converters, reader):
    for _ in range(5):
        reader.close()
        reader.close()
        reader.open()
        assert read_settled(reader) == (0,) * 9


def test_unreadable_converters_can_be_retried(reader, monkeypatch):
    def fails(device, words):
        raise OSError("Input/output error")

    monkeypatch.setattr(SpiDev, "xfer2", fails)
    with raises(SensorReadError, "converter.unreadable", text="Input/output error"):
        reader.read_levels()


def open_error(wiring=WIRING):
    with pytest.raises(BoardFault) as refused:
        AnalogReader(wiring).open()
    return refused.value.message


@pytest.mark.parametrize(
    ("devices", "denied", "expected"),
    [
        ((), (), Message("spi.off_spi1", device="/dev/spidev1.0", overlay="spi1-3cs")),
        (("spidev1.0",), ("spidev1.0",), Message("device.group", device="/dev/spidev1.0", group="spi")),
    ],
)
def test_disabled_spi1_is_reported(converters, monkeypatch, tmp_path, devices, denied, expected):
    monkeypatch.setattr("gpiozero.pins.local.SpiDev", SpiDev)  # without a device
    SpiDev.converters = {}
    monkeypatch.setattr(mcp3008, "Machine", lambda: make_pi(tmp_path, devices=devices, denied=denied))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert open_error() == expected


def test_other_spi_errors_are_quoted(converters, monkeypatch, tmp_path):
    monkeypatch.setattr("gpiozero.pins.local.SpiDev", None)
    monkeypatch.setattr(mcp3008, "Machine", lambda: make_pi(tmp_path, devices=("spidev1.0",)))
    text = "failed to initialize hardware SPI, falling back to software (error was: failed to import spidev)"
    assert open_error() == Message("spi.unusable", device="/dev/spidev1.0", text=text)


def test_disabled_spi0_is_reported(converters, monkeypatch, tmp_path):
    monkeypatch.setattr("gpiozero.pins.local.SpiDev", SpiDev)
    SpiDev.converters = {}
    monkeypatch.setattr(mcp3008, "Machine", lambda: make_pi(tmp_path, devices=()))
    chips = {**CHIPS, "A": AdcPins(11, 10, 9, 7)}
    wiring = AnalogWiring(MCP3008, chips, WIRING.channels, WIRING.rest, on=60, off=30, light=1)
    assert open_error(wiring) == Message("spi.off", device="/dev/spidev0.1")


@pytest.mark.parametrize("pin", [20, 16, 13])
def test_busy_pin_is_reported_and_others_released(converters, pin):
    (letter,) = {"A" if pin == 20 else "B" if pin == 16 else "C"}
    with DigitalInputDevice(pin):
        user = Message("pin_user.converter", chip=letter)
        assert open_error() == Message("pin.used_twice", user=user, pins=tuple(map(str, CHIPS[letter])), count=4)
    reader = AnalogReader(WIRING)
    reader.open()
    assert read_settled(reader) == (0,) * 9
    reader.close()


MESSAGE_OF_EIGHT = 0x41006B00
"""SPI_IOC_MESSAGE(8), as a C compiler computes it."""


@pytest.fixture
def converter(monkeypatch):
    """Converter on a simulated kernel, which starts a conversion at each deselection, as linux/spi/spidev.h says.

    tests/kernel checks that a real kernel accepts these messages.
    """
    simulated_converter, asked = Converter(), []

    def ioctl(_device, request, message):
        assert request >> 16 & 0x3FFF == len(message)
        asked.append(request)
        for number, each in enumerate(TRANSFER.iter_unpack(message), 1):
            sent_at, received_at, length, _hz, _delay, word_bits, deselects = each[:7]
            assert (length, word_bits) == (3, 8)
            assert deselects == (number < len(message) // TRANSFER.size), "otherwise it would stay selected"
            start, command, _ = ctypes.string_at(sent_at, length)
            assert (start, command >> 7) == (1, 1)
            count = simulated_converter.answer(command >> 4 & 7)
            ctypes.memmove(received_at, bytes([0xFF, 0xF8 | count >> 8, count & 0xFF]), length)

    monkeypatch.setattr(mcp3008.fcntl, "ioctl", ioctl)
    simulated_converter.asked = asked
    return simulated_converter


def test_one_call_reads_all_inputs(converter):
    read = KernelConverter("/dev/null", range(8))
    for start in (0, 3, 511, 512, 1016):
        converter.counts = [start + channel for channel in range(8)]
        assert read.read_counts() == converter.counts
    assert converter.asked == [MESSAGE_OF_EIGHT] * 5
    read.close()


def test_only_inputs_with_sensors_are_read(converter):
    read = KernelConverter("/dev/null", [7, 0, 3])
    converter.counts[:] = range(100, 108)
    assert read.read_counts() == [107, 100, 103]
    read.close()


def test_closed_converter_reads_nothing(converter):
    read = KernelConverter("/dev/null", [0])
    read.close()
    read.close()
    with pytest.raises(OSError, match="closed"):
        read.read_counts()
    assert not converter.asked
