"""Tests of `make bench`."""

import pytest

from pond_hw.rules import VARIANTS, Position
from tests.conftest import require
from tests.rules.positions import perft
from tools import c_perft
from tools.bench import count_sequences, play_all
from tools.black_box_sizes import EVENINGS, measure_hour


@pytest.mark.parametrize("name", ["standard", "big"])
def test_counting_methods_agree(name):
    start = Position.start(VARIANTS[name])
    assert count_sequences(start, 3) == play_all(start, 3) == perft(start, 3)


@pytest.mark.slow
def test_c_perft_reports_its_rate():
    require("cc", "it compiles the yardstick")
    assert c_perft.measure_perft(c_perft.find_compiler(), VARIANTS["standard"], 6, "counted") > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", EVENINGS)
def test_black_box_size_is_reproducible(name):
    assert measure_hour(EVENINGS[name], 20) == measure_hour(EVENINGS[name], 20) > 10_000
