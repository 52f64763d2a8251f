"""Tests of SPI pulses for all three kinds of lamps, and of the errors if SPI is unavailable."""

import sys
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pond_hw.board import BoardFault
from pond_hw.drivers.lamp_pulses import ENCODINGS, PACKED
from pond_hw.drivers.spi_lamps import SpiWire
from pond_hw.messages.message import Message
from pond_hw.optional_packages import describe_missing_package
from tests.conftest import require
from tests.drivers.error_checks import raises, raises_message
from tests.drivers.pis import PI_5, make_laptop, make_pi
from tests.drivers.shim import run_on_simulated_pi
from tests.drivers.ws2812 import CHIPS, WS2812B, Rejected, decode, levels, pulses, read_by_sigrok

CLOCK = Fraction(25_000_000, 3)
"""Actual clock on every Pi if SPEED is requested: 120 ns per bit."""

CORE_CLOCKS = {"Zero, 1, 2, or core_freq=250": 250, "Zero 2, 3": 400, "4": 500, "5 (RP1)": 200}
"""Core clocks from which the SPI clock is divided down, in MHz."""

EVERY_BYTE = bytes(range(256)) + bytes(2)  # two more, to complete the last lamp


def encode_line(zero, one, data):
    """Return the levels of a line that sends the data with these patterns."""
    bits = "".join(f"{byte:08b}" for byte in data)
    return "0" * 4000 + "".join(one if bit == "1" else zero for bit in bits) + "0" * 4000


def bit_length_limits(high0, high1, length):
    """Return the shortest and longest SPI bit, in ns, for which a pattern suits all chips, or None.

    A 0 is high for `high0` SPI bits and a 1 for `high1`. The whole pattern is `length` SPI bits long.
    """
    limits = [
        (Fraction(window[0], bits), Fraction(window[1], bits))
        for chip in CHIPS
        for bits, window in (
            (high0, chip.high0), (length - high0, chip.low0), (high1, chip.high1), (length - high1, chip.low1),
        )
    ]  # fmt: skip
    shortest, longest = max(low for low, _ in limits), min(high for _, high in limits)
    return (shortest, longest) if shortest <= longest else None


def test_packed_pattern_is_shortest_within_datasheets():
    fits = [
        (length, high0, high1)
        for length in range(2, 12)
        for high0, high1 in product(range(1, length), repeat=2)
        if bit_length_limits(high0, high1, length)
    ]
    assert fits == [(11, 3, 6)]
    assert (PACKED.zero_bits, PACKED.one_bits) == ("1" * 3 + "0" * 8, "1" * 6 + "0" * 5)


def test_four_bit_pattern_violates_a_datasheet(tmp_path):
    for hz in range(2_000_000, 5_000_000, 50_000):
        line = encode_line("1000", "1100", b"\xff\0\0")
        with pytest.raises(Rejected):
            [decode(line, hz, chip) for chip in CHIPS]
    # Except the last bit: sigrok does not see its end and checks only its high time.
    assert read_by_sigrok(encode_line("1000", "1100", b"\xff\xff\xfe"), Fraction(3_200_000), tmp_path) == ["#000000"]


@pytest.mark.parametrize("core", CORE_CLOCKS.values(), ids=CORE_CLOCKS)
def test_spi_clock_is_the_same_on_every_pi(core):
    divisor = -(-core * 1_000_000 // PACKED.spi_hz)
    divisor += divisor % 2  # the kernel rounds up to an even number, on older models and on the 5
    assert Fraction(core * 1_000_000, divisor) == CLOCK


@pytest.mark.parametrize("chip", CHIPS, ids=str)
@pytest.mark.parametrize("hz", [CLOCK, PACKED.spi_hz], ids=["as on a Pi", "as requested"])
def test_every_byte_is_within_the_datasheets(chip, hz):
    assert decode(levels(PACKED.encode(EVERY_BYTE)), hz, chip) == [EVERY_BYTE]


@given(st.lists(st.binary(min_size=3, max_size=3), min_size=1, max_size=30).map(b"".join))
def test_any_bytes_arrive_unchanged(data):
    line = levels(PACKED.encode(data))
    assert [decode(line, CLOCK, chip) for chip in CHIPS] == [[data]] * 3


def test_frame_is_latched_before_the_next():
    line = levels(PACKED.encode(b"abc") + PACKED.encode(b"def"))
    assert [decode(line, CLOCK, chip) for chip in CHIPS] == [[b"abc", b"def"]] * 3


def test_reset_before_and_after_frame():
    for hz in (CLOCK, PACKED.spi_hz):
        lead, found = pulses(levels(PACKED.encode(b"abc")), hz)
        assert lead >= 300_000
        assert found[-1].low >= 300_000


def test_line_resting_high_is_harmless():
    line = "1" * 50 + levels(PACKED.encode(b"abc"))
    lead, found = pulses(line, CLOCK)
    assert (lead, found[0].low >= 300_000) == (0, True)  # the reset discards what the first high sent
    assert decode(line[50:], CLOCK, WS2812B) == [b"abc"]


def test_each_byte_takes_eleven_spi_bytes():
    assert len(PACKED.encode(bytes(16 * 3))) == 2 * len(PACKED.reset_bytes) + 16 * 33
    assert len(PACKED.reset_bytes) == 315


@pytest.mark.slow
def test_sigrok_decodes_the_same_colours(tmp_path):
    lamps = [bytes((green, red, 0x55)) for green, red in product((0, 1, 0x7F, 0x80, 0xFE, 0xFF), repeat=2)]
    expected = [f"#{red:02x}{green:02x}{blue:02x}" for green, red, blue in lamps]
    assert read_by_sigrok(levels(PACKED.encode(b"".join(lamps))), CLOCK, tmp_path) == expected


@pytest.mark.parametrize("chip", CHIPS, ids=str)
def test_half_clock_violates_datasheet(chip):
    line = levels(PACKED.encode(b"abc"))
    with pytest.raises(Rejected, match="pulse 0 is 720 ns high and 1920 ns low"):
        decode(line, CLOCK / 2, chip)


def test_sigrok_and_datasheets_judge_differently(tmp_path):
    # so both decoders are needed
    assert read_by_sigrok(levels(PACKED.encode(b"\xff\0\xff")), CLOCK / 2, tmp_path) == ["#00ffff"]
    line = encode_line("11000000", "11110000", b"\xff\0\xfe")  # 320 and 640 ns high
    assert [decode(line, 6_250_000, chip) for chip in CHIPS[1:]] == [[b"\xff\0\xfe"]] * 2
    assert read_by_sigrok(line, Fraction(6_250_000), tmp_path) == ["#000000"]


def test_decoder_rejects_invalid_pulses():
    line = levels(PACKED.encode(b"abc"))
    start = line.index("1")
    with pytest.raises(Rejected, match="no whole number of lamps"):
        decode(line[: start + 11 * 23] + "0" * 4000, CLOCK, WS2812B)
    with pytest.raises(Rejected, match="is not followed by 50000 ns of low"):
        decode(line[: start + 11 * 24], CLOCK, WS2812B)
    with pytest.raises(Rejected, match="pulse 3 is 360 ns high and 1560 ns low"):
        decode(line[: start + 11 * 4] + "0" * 5 + line[start + 11 * 4 :], CLOCK, WS2812B)
    with pytest.raises(Rejected, match="pulse 3 is 1320 ns high"):
        decode(line[: start + 11 * 3] + "1" * 8 + line[start + 11 * 3 :], CLOCK, WS2812B)


class FakeSpi:
    """Simulated spidev that records all calls."""

    def __init__(self, fails=None):
        self.calls, self.fails = [], fails or {}

    def SpiDev(self):  # noqa: N802
        return self

    def open(self, bus, device):
        if "open" in self.fails:
            raise self.fails["open"]
        self.calls.append(("open", bus, device))

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if name in {"mode", "max_speed_hz"}:
            self.calls.append((name, value))

    def writebytes2(self, data):
        self.calls.append(("writebytes2", data))

    def close(self):
        self.calls.append(("close",))


@pytest.fixture
def spidev(monkeypatch):
    fake = FakeSpi()
    monkeypatch.setitem(sys.modules, "spidev", fake)
    return fake


def test_frame_is_one_write_to_spidev(spidev, tmp_path):
    wire = SpiWire(1, PACKED, make_pi(tmp_path))
    wire.open()
    wire.send_bytes(b"abc")
    wire.close()
    wire.close()
    expected = [
        ("open", 0, 0),
        ("mode", 0),
        ("max_speed_hz", PACKED.spi_hz),
        ("writebytes2", PACKED.encode(b"abc")),
        ("close",),
    ]
    assert spidev.calls == expected


def test_closed_wire_sends_nothing(spidev, tmp_path):
    wire = SpiWire(1, PACKED, make_pi(tmp_path))
    wire.close()
    with pytest.raises(OSError, match="SPI is not open"):
        wire.send_bytes(b"abc")
    assert spidev.calls == []


@pytest.mark.parametrize(("bufsiz", "max_lamps"), [(4096, 105), (4095, 105), (65536, 1966)])
def test_number_of_lamps_per_transfer_is_limited(spidev, tmp_path, bufsiz, max_lamps):
    machine = make_pi(tmp_path, bufsiz=bufsiz)
    SpiWire(max_lamps, PACKED, machine).open()
    with pytest.raises(BoardFault) as fault:
        SpiWire(max_lamps + 1, PACKED, machine).open()
    assert fault.value.message.id in ("spi.small_buffer", "spi.too_many_lamps")
    assert fault.value.message.arguments["lamps"] == max_lamps + 1
    assert len(PACKED.encode(bytes(max_lamps * 3))) <= min(bufsiz, 65532) < len(PACKED.encode(bytes(max_lamps * 3 + 3)))


def test_small_kernel_buffer_is_reported(spidev, tmp_path):
    with raises(BoardFault, "spi.small_buffer", lamps=114, needed=4392, allowed=4096):
        SpiWire(114, PACKED, make_pi(tmp_path)).open()
    needed = len(PACKED.encode(bytes(6000)))
    with raises(BoardFault, "spi.too_many_lamps", lamps=2000, needed=needed, most=65532):
        SpiWire(2000, PACKED, make_pi(tmp_path, bufsiz=262144)).open()
    assert spidev.calls == []


def test_unknown_kernel_buffer_is_assumed_default_size(spidev, tmp_path):
    machine = make_pi(tmp_path)
    (tmp_path / "sys/module/spidev/parameters/bufsiz").unlink()
    SpiWire(105, PACKED, machine).open()
    needed = len(PACKED.encode(bytes(106 * 3)))
    with raises(BoardFault, "spi.small_buffer", lamps=106, needed=needed, allowed=4096):
        SpiWire(106, PACKED, machine).open()


SWITCHED_OFF = Message("spi.off", device="/dev/spidev0.0")
NO_DEVICE = Message("spi.no_device", device="/dev/spidev0.0")
DENIED = Message("device.group", device="/dev/spidev0.0", group="spi")
REFUSALS = {
    "switched off": ({"devices": (), "spi": "disabled"}, SWITCHED_OFF),
    "switched off on a Pi 5": ({"devices": (), "spi": "disabled", "kind": PI_5}, SWITCHED_OFF),
    "enabled but device missing": ({"devices": ()}, NO_DEVICE),
    "enabled but device missing on a Pi 5": ({"devices": (), "kind": PI_5}, NO_DEVICE),
    "permission denied": ({"denied": ("spidev0.0",)}, DENIED),
}


@pytest.mark.parametrize(("machine", "message"), REFUSALS.values(), ids=REFUSALS)
def test_unavailable_spi_is_explained(spidev, tmp_path, machine, message):
    with raises_message(BoardFault, message):
        SpiWire(16, PACKED, make_pi(tmp_path, **machine)).open()
    assert spidev.calls == []


def test_other_machine_is_reported(spidev, tmp_path):
    with raises(BoardFault, "spi.no_pi", device="/dev/spidev0.0"):
        SpiWire(16, PACKED, make_laptop(tmp_path)).open()


def test_missing_package_is_reported(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "spidev", None)
    with raises_message(BoardFault, describe_missing_package("spidev", "spidev")):
        SpiWire(16, PACKED, make_pi(tmp_path)).open()


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(16, "Device or resource busy"), Message("spi.busy", device="/dev/spidev0.0")),
        (
            OSError(25, "Inappropriate ioctl"),
            Message("spi.unopened", device="/dev/spidev0.0", text="Inappropriate ioctl"),
        ),
    ],
)
def test_unopenable_device_is_reported_and_closed(monkeypatch, tmp_path, error, message):
    fake = FakeSpi({"open": error})
    monkeypatch.setitem(sys.modules, "spidev", fake)
    wire = SpiWire(16, PACKED, make_pi(tmp_path))
    with raises_message(BoardFault, message):
        wire.open()
    assert fake.calls == [("close",)]
    with pytest.raises(OSError, match="not open"):
        wire.send_bytes(bytes(48))


@pytest.mark.parametrize(("name", "max_lamps"), [("packed", 105), ("byte", 151)])
def test_real_spidev_sends_frame_in_one_transfer(tmp_path, name, max_lamps):
    encoding = ENCODINGS[name]
    assert encoding.frame_bytes(max_lamps) <= 4096 < encoding.frame_bytes(max_lamps + 1)
    data = bytes(number % 251 for number in range(max_lamps * 3))
    require("spidev", "it sends the lamps' bytes on a Pi")
    make_pi(tmp_path / "pi")
    result = run_on_simulated_pi(
        tmp_path,
        f"""
from tests.drivers.pis import Machine
from pond_hw.drivers.lamp_pulses import ENCODINGS
from pond_hw.drivers.spi_lamps import SpiWire

wire = SpiWire({max_lamps}, ENCODINGS[{name!r}], Machine(Path({str(tmp_path / "pi")!r})))
wire.open()
wire.send_bytes({data!r})
broken.touch()
try:
    wire.send_bytes(bytes({max_lamps * 3}))
except OSError as error:
    print("failed:", error.strerror)
wire.close()
""",
    )
    assert (result.status, result.printed) == (0, "failed: Input/output error\n")
    (transfer,) = result.transfers
    assert (transfer.hz, transfer.mode) == (encoding.spi_hz, 0)
    hz = CLOCK if encoding is PACKED else Fraction(200_000_000, 34)
    assert [decode(levels(transfer.data), hz, chip.pause_tolerant) for chip in CHIPS] == [[data]] * 3


def test_real_spidev_splits_oversized_data(tmp_path):  # so the driver must refuse it
    require("spidev", "it sends the lamps' bytes on a Pi")
    result = run_on_simulated_pi(
        tmp_path,
        """
import spidev

spi = spidev.SpiDev()
spi.open(0, 0)
spi.writebytes2(bytes(4097))
""",
    )
    assert [len(transfer.data) for transfer in result.transfers] == [4096, 1]


def test_fake_spi_matches_spidev():
    require("spidev", "the fake must match the real one")
    import spidev

    assert {"open", "mode", "max_speed_hz", "writebytes2", "close"} <= set(dir(spidev.SpiDev))
