"""Test of a Pi as delivered, with SPI and I2C disabled: the simulated Pi without a board's overlays."""

from pathlib import Path

import pytest

from pond_hw.messages.message import Message
from tests.kernel.inside.installation import Installation
from tests.messages.says import text


def test_disabled_spi_is_reported_with_remedy(board):
    if Path("/dev/spidev0.0").exists():
        pytest.skip("this simulated Pi has SPI; another one is started without")
    with Installation(board) as installation:
        log = installation.check_refusal()
    assert "Traceback" not in log
    assert text(Message("spi.off", device="/dev/spidev0.0")) in log
