"""Fixtures for the simulated chip."""

import pytest

from tests.pico.chip import simulated_chip


@pytest.fixture
def chip():
    with simulated_chip() as running:
        yield running
