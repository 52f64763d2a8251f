"""Tests of pauses between the bytes that the simulated Pi sends, with both encodings, data sheets and sigrok."""

import pytest

from pond_hw.drivers.lamp_pulses import BYTE_ALIGNED
from tests.drivers.ws2812 import CHIPS, HELD, LOW, Rejected, decode, levels_with_pauses, measure_by_sigrok
from tests.kernel.breadboard import SPI, read_journal
from tests.kernel.inside.lamps import SPI0_0, draw_signal, example_frame, profile_with, read_transfers, run_program
from tests.kernel.inside.test_lamps import chain_bytes


@pytest.fixture(autouse=True)
def clear_journal():
    """Discard earlier transfers."""
    read_journal()


@pytest.mark.parametrize("kind", [LOW, HELD], ids=["low", "held"])
def test_byte_encoding_survives_pauses(tmp_path, kind):
    code = "from tests.kernel.inside.lamps import show_test_colours; show_test_colours('spi', 10, encoding='byte')"
    assert run_program(code) == (0, "")
    frames = read_transfers(SPI, SPI0_0)
    expected = chain_bytes(example_frame(), profile_with("spi", 10).chain)
    dark = bytes(len(expected))
    (hz,) = {draw_signal([each]).hz for each in frames}
    assert BYTE_ALIGNED.spi_hz * 0.96 < hz <= BYTE_ALIGNED.spi_hz
    for length in range(5):
        for each, data in zip(frames, (dark, expected, dark, dark), strict=True):
            drawn = levels_with_pauses(each.data, dict.fromkeys(range(len(each.data)), (length, kind)), parts=1)
            assert [decode(drawn, hz, chip.pause_tolerant) for chip in CHIPS] == [[data]] * len(CHIPS)
            highs, _ = measure_by_sigrok(drawn, hz, tmp_path)
            bits = "".join(
                "1" if all(chip.high1[0] <= high <= chip.high1[1] for chip in CHIPS) else "0" for high in highs
            )
            assert int(bits, 2).to_bytes(len(bits) // 8) == data


def test_packed_encoding_fails_with_pauses():
    assert run_program("from tests.kernel.inside.lamps import show_test_colours; show_test_colours('spi', 10)") == (
        0,
        "",
    )
    _, shown, *_ = read_transfers(SPI, SPI0_0)
    pauses = dict.fromkeys(range(len(shown.data)), (1, LOW))
    drawn, hz = levels_with_pauses(shown.data, pauses, parts=1), draw_signal([shown]).hz
    expected = chain_bytes(example_frame(), profile_with("spi", 10).chain)
    for chip in CHIPS:
        try:
            assert decode(drawn, hz, chip.pause_tolerant) != [expected]
        except Rejected:
            continue
