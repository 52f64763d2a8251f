"""Power pages: currents, and the voltage that is left at the lamps."""

import re
from functools import cache

import pytest

from pond_hw.fabrication.cables import list_cables
from pond_hw.fabrication.circuit import make_circuit
from pond_hw.fabrication.power import MIN_LAMP_VOLTS, format_power, typical_lamp_current
from pond_hw.fabrication.row_board import expand_rows
from pond_hw.lights.current_limiter import profile_limiter
from pond_hw.profile import load_profile
from tests.conftest import each
from tests.fabrication.solids.boards import SHIPPED
from tests.fabrication.test_row_board import BUILT

pytestmark = pytest.mark.slow


@cache
def page(name):
    profile = load_profile(name, measured=False)
    netlist = make_circuit(profile)
    return format_power(profile, expand_rows(profile, netlist), list_cables(profile, netlist))


def loads(name):
    """Return typical and maximum current in mA, by load."""
    found = re.findall(r"^\| ([^|]+) \| (\d+) \| (\d+) \|", page(name), re.MULTILINE)
    return {load: (int(typical), int(maximum)) for load, typical, maximum in found}


def voltages(name):
    """Return the drop in mV and the voltage left at each stage, by supply."""
    found = re.findall(r"^\| [^|:]+: ([\d.]+) V \| [^|]+ \| (\d+) \| ([\d.]+) \|$", page(name), re.MULTILINE)
    starts = dict.fromkeys(start for start, _, _ in found)
    return {float(start): [(int(drop), float(left)) for at, drop, left in found if at == start] for start in starts}


@each("name", SHIPPED)
def test_page_is_complete(name):
    assert not re.search(r"[{}]|\bnan\b|\binf\b|None[^ ]", page(name))
    assert f"# {name}: power" in page(name)


@each("name", SHIPPED)
def test_lamps_draw_no_more_than_the_budget(name):
    profile = load_profile(name, measured=False)
    typical, most = loads(name)["lamps, as driven"]
    dark = profile.chain.lamp_count * profile_limiter(profile).idle
    assert dark < typical < most == round(profile.chain.budget_ma)
    assert typical == round(typical_lamp_current(profile))


@each("name, current", [("hall-4x4", 16 * 3.6), ("hall-5x5", 25 * 10.0), ("owner-4x4", 16 * 10.0)])
def test_all_sensors_of_the_row_boards_are_counted(name, current):
    assert loads(name)["hall sensors"][1] == round(current)


@each("name", BUILT)
def test_voltage_falls_by_each_drop(name):
    supplies = voltages(name)
    assert min(supplies) == 4.4  # USB 2.0, 7.2.2
    for start, stages in supplies.items():
        left = start
        for drop, volts in stages:
            assert drop > 0
            left -= drop / 1000
            assert volts == pytest.approx(left, abs=0.01)


@each("name", BUILT)
def test_lamps_light_up_even_from_a_weak_supply(name):
    supplies = voltages(name)
    assert min(supplies[min(supplies)])[1] > 3.7  # WS2812B data sheet
    assert ("That is too little" in page(name)) == (supplies[4.4][-1][1] < MIN_LAMP_VOLTS)


def test_neotrellis_has_no_voltage_table():
    assert voltages("neotrellis-4x4") == {}
