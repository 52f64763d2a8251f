"""Tests of both lamp encodings with pauses between SPI bytes. Only the byte encoding tolerates pauses.

Results are checked against the times in the data sheets, and with sigrok, which measures how long a line is high and low.
"""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pond_hw.drivers.lamp_pulses import BYTE_ALIGNED, ENCODINGS, PACKED
from pond_hw.profile.fields import LAMP_ENCODINGS
from tests.drivers.test_spi_lamps import CORE_CLOCKS, EVERY_BYTE
from tests.drivers.ws2812 import (
    CHIPS,
    HELD,
    HIGH,
    LOW,
    SK6812,
    WS2812B,
    WS2812B_V5,
    Rejected,
    decode,
    levels,
    levels_with_pauses,
    measure_by_sigrok,
    pulses,
    read_by_sigrok,
)

PARTS = 4
"""Number of parts per bit time, since a pause need not be a whole number of bit times."""

MAX_PAUSE = 4
"""Longest pause in bit times."""

LAMPS = st.lists(st.binary(min_size=3, max_size=3), min_size=1, max_size=8).map(b"".join)
PAUSE = st.tuples(st.integers(0, MAX_PAUSE * PARTS), st.sampled_from([LOW, HELD]))


def clock_of(encoding, core_mhz):
    """Return the actual clock of an encoding. The kernel divides its clock by an even number and never exceeds the request."""
    divisor = -(-core_mhz * 1_000_000 // encoding.spi_hz)
    return Fraction(core_mhz * 1_000_000, divisor + divisor % 2)


CLOCKS = {name: clock_of(BYTE_ALIGNED, core) for name, core in CORE_CLOCKS.items()}


def decode_or_reason(line, hz, chip):
    """Return the frames that a lamp decodes, or the reason why it may fail."""
    try:
        return decode(line, hz, chip)
    except Rejected as why:
        return str(why)


def pause_after_every_byte(encoding, data, pause):
    """Return a frame with the same pause after every byte."""
    stream = encoding.encode(data)
    return levels_with_pauses(stream, dict.fromkeys(range(len(stream)), pause), PARTS)


def test_profile_names_each_encoding():
    assert set(LAMP_ENCODINGS) == {"auto", *ENCODINGS}


def test_spi_clock_of_each_pi():
    assert {name: round(Fraction(10**9) / hz) for name, hz in CLOCKS.items()} == {
        "Zero, 1, 2, or core_freq=250": 168, "Zero 2, 3": 165, "4": 164, "5 (RP1)": 170,
    }  # fmt: skip


def test_byte_encoding_is_fastest_within_datasheets():
    fits = {}
    for high0, high1 in product(range(1, 8), repeat=2):
        shortest = max(
            Fraction(least, bits)
            for chip in CHIPS
            for bits, (least, _) in (
                (high0, chip.high0), (8 - high0, chip.low0), (high1, chip.high1), (8 - high1, chip.low1),
            )
        )  # fmt: skip
        longest = min(Fraction(c.high0[1], high0) for c in CHIPS), min(Fraction(c.high1[1], high1) for c in CHIPS)
        if shortest <= min(longest):
            fits[high0, high1] = shortest, min(longest)
    assert min(fits, key=fits.get) == (2, 4)
    assert (BYTE_ALIGNED.zero_bits, BYTE_ALIGNED.one_bits) == ("11000000", "11110000")
    for hz in CLOCKS.values():
        assert fits[2, 4][0] <= Fraction(10**9) / hz <= fits[2, 4][1]


def test_only_two_low_times_exceed_datasheets():
    excess_ns = {}
    for name, hz in CLOCKS.items():
        (one, zero) = (pulses(levels(BYTE_ALIGNED.encode(bytes([byte] * 3))), hz)[1][0] for byte in (255, 0))
        for chip in CHIPS:
            for window, time in ((chip.high0, zero.high), (chip.high1, one.high)):
                assert window[0] <= time <= window[1]
            for of, window, time in (("0", chip.low0, zero.low), ("1", chip.low1, one.low)):
                assert time >= window[0]
                if time > window[1]:
                    excess_ns.setdefault((chip.name, of), {})[name] = round(time) - window[1]
    assert excess_ns == {
        ("WS2812B", "0"): {"Zero, 1, 2, or core_freq=250": 8, "5 (RP1)": 20},
        ("WS2812B-V5", "0"): {"Zero, 1, 2, or core_freq=250": 8, "5 (RP1)": 20},
        ("WS2812B", "1"): {"Zero, 1, 2, or core_freq=250": 72, "Zero 2, 3": 60, "4": 56, "5 (RP1)": 80},
    }


@pytest.mark.parametrize("hz", CLOCKS.values(), ids=CLOCKS)
def test_bytes_arrive_without_pauses(hz):
    line = levels(BYTE_ALIGNED.encode(EVERY_BYTE))
    assert [decode(line, hz, chip.pause_tolerant) for chip in CHIPS] == [[EVERY_BYTE]] * 3
    assert decode(line, hz, SK6812) == [EVERY_BYTE]  # within its data sheet


@pytest.mark.slow
@pytest.mark.parametrize("hz", CLOCKS.values(), ids=CLOCKS)
@pytest.mark.parametrize("kind", [LOW, HELD], ids=["low", "held"])
def test_bytes_arrive_despite_any_regular_pause(hz, kind):
    for length in range(MAX_PAUSE * PARTS + 1):
        line = pause_after_every_byte(BYTE_ALIGNED, EVERY_BYTE, (length, kind))
        assert [decode(line, hz * PARTS, chip.pause_tolerant) for chip in CHIPS] == [[EVERY_BYTE]] * 3


@given(LAMPS, st.data(), st.sampled_from([*CLOCKS.values()]))
def test_any_bytes_arrive_despite_random_pauses(data, drawn, hz):
    stream = BYTE_ALIGNED.encode(data)
    pauses = drawn.draw(st.dictionaries(st.integers(0, len(stream) - 1), PAUSE, max_size=60))
    line = levels_with_pauses(stream, pauses, PARTS)
    assert [decode(line, hz * PARTS, chip.pause_tolerant) for chip in CHIPS] == [[data]] * 3


@pytest.mark.slow
def test_single_pause_corrupts_packed_bits():
    hz, data = clock_of(PACKED, 500), b"\xff\x00\x55" * 4
    stream, corrupt_count = PACKED.encode(data), 0
    first, behind = len(PACKED.reset_bytes), len(stream) - len(PACKED.reset_bytes)
    for number in range(first, behind):
        line = levels_with_pauses(stream, {number: (PARTS, LOW)}, PARTS)
        corrupt_count += any(decode_or_reason(line, hz * PARTS, chip.pause_tolerant) != [data] for chip in CHIPS)
    assert corrupt_count > (behind - first) / 4
    assert [decode(levels(stream), hz, chip) for chip in CHIPS] == [[data]] * 3


def test_regular_pauses_corrupt_packed_bits():
    hz, data = clock_of(PACKED, 500), bytes(range(0, 240, 5))
    for chip in CHIPS:
        assert decode_or_reason(
            pause_after_every_byte(PACKED, data, (PARTS, LOW)), hz * PARTS, chip.pause_tolerant
        ) != [data]
        assert decode_or_reason(
            pause_after_every_byte(PACKED, data, (2 * PARTS, HELD)), hz * PARTS, chip.pause_tolerant
        ) != [data]
        assert decode(pause_after_every_byte(PACKED, data, (0, LOW)), hz * PARTS, chip) == [data]


@pytest.mark.parametrize("kind", [LOW, HELD], ids=["low", "held"])
@pytest.mark.parametrize("length", [0, 1, MAX_PAUSE * PARTS])
def test_pauses_do_not_affect_sigrok_high_times(tmp_path, kind, length):
    data = bytes((0, 255, 0x55, 0xAA, 1, 0x80, 0x7F, 0xFE, 0x33))
    hz = CLOCKS["5 (RP1)"] * PARTS
    highs, lows = measure_by_sigrok(pause_after_every_byte(BYTE_ALIGNED, data, (length, kind)), hz, tmp_path)
    bits = "".join("1" if all(chip.high1[0] <= high <= chip.high1[1] for chip in CHIPS) else "0" for high in highs)
    assert int(bits, 2).to_bytes(len(bits) // 8) == data
    for bit, high, low in zip(bits, highs, lows, strict=False):  # the last low has no end
        assert all(chip.high0[0] <= high <= chip.high0[1] for chip in CHIPS) == (bit == "0")
        assert low >= max((chip.low0, chip.low1)[int(bit)][0] for chip in CHIPS)


def test_pauses_change_sigrok_packed_high_times(tmp_path):
    data, hz = b"\xff\x00\x55", clock_of(PACKED, 500) * PARTS
    whole, _ = measure_by_sigrok(pause_after_every_byte(PACKED, data, (0, LOW)), hz, tmp_path)
    cut, _ = measure_by_sigrok(pause_after_every_byte(PACKED, data, (PARTS, LOW)), hz, tmp_path)
    held, _ = measure_by_sigrok(pause_after_every_byte(PACKED, data, (2 * PARTS, HELD)), hz, tmp_path)
    assert set(whole) == {360, 720}
    assert len(cut) > len(whole) == len(held)
    assert max(held) > max(chip.high1[1] for chip in (WS2812B, SK6812))


@pytest.mark.slow
def test_sigrok_decoder_misreads_long_low_times(tmp_path):
    # sigrok reads any pulse that is high for more than half its time as 1, however long. No lamp does so.
    line = levels(BYTE_ALIGNED.encode(b"\xff\xff\xfe"))
    assert read_by_sigrok(line, CLOCKS["4"], tmp_path) == ["#000000"]


def test_line_rising_during_pause_breaks_byte_encoding():
    for chip in CHIPS:  # the high of a 0 would have to last four bit times more
        shortest_bit = Fraction(chip.high0[0] + chip.low0[0], 8)
        assert MAX_PAUSE * shortest_bit > chip.high0[1] - chip.high0[0]
    line = pause_after_every_byte(BYTE_ALIGNED, b"abc", (2 * PARTS, HIGH))
    for chip in CHIPS:
        assert decode_or_reason(line, CLOCKS["5 (RP1)"] * PARTS, chip.pause_tolerant) != [b"abc"]


def test_reset_before_and_after_frame():
    for hz in CLOCKS.values():
        lead, found = pulses(levels(BYTE_ALIGNED.encode(b"abc")), hz)
        assert min(lead, found[-1].low) >= 300_000 > max(chip.reset for chip in (WS2812B, WS2812B_V5, SK6812))


def test_bytes_per_lamp():
    for encoding, each, reset in ((BYTE_ALIGNED, 24, 229), (PACKED, 33, 315)):
        assert len(encoding.reset_bytes) == reset
        for count in (1, 16, 100):
            assert encoding.frame_bytes(count) == len(encoding.encode(bytes(3 * count))) == 2 * reset + each * count
