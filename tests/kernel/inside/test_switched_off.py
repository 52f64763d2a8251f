"""A Pi as it comes, with SPI and I2C switched off: the simulated Pi without a board's overlays."""

from pathlib import Path

import pytest

from pond_hw.messages.message import Message
from tests.kernel.inside.house import House
from tests.messages.says import text


def test_a_pi_whose_spi_is_switched_off_says_so_and_how_to_switch_it_on(board):
    if Path("/dev/spidev0.0").exists():
        pytest.skip("this simulated Pi has SPI; another one is started without")
    with House(board) as house:
        told = house.refused()
    assert "Traceback" not in told
    assert text(Message("spi.off", device="/dev/spidev0.0")) in told
