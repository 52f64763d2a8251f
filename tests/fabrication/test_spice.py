"""Three circuits with the parts and values of our netlists, simulated by ngspice.

Values that the netlist lacks are given here with their sources: driver outputs, wires, diodes.
"""

import re
import subprocess

import pytest

from pond_hw.drivers.lamp_pulses import ENCODINGS
from pond_hw.fabrication.circuit import DATA_NET, MAX_GPIO_CURRENT_MA, make_circuit
from pond_hw.fabrication.part_catalogue import LAMP_VOLTS, LOGIC_VOLTS, PART_TYPES, PULL_UP_OHMS
from pond_hw.fabrication.wire_tracing import parse_amount
from pond_hw.fabrication.wires import list_wires
from pond_hw.profile import load_profile
from tests.conftest import require
from tests.drivers.ws2812 import CHIPS

pytestmark = pytest.mark.slow

WITH_LAMPS = (
    "direct-4x4",
    "matrix-5x5",
    "hall-4x4",
    "hall-5x5",
    "owner-4x4",
    "usb-direct-4x4",
    "usb-hall-4x4",
    "usb-matrix-5x5",
)

SHIFTER_OHMS = 70.0
"""Output resistance: the output loses 0.56 V at 8 mA (TI, SN74AHCT125: V_OH at least 3.94 V of 4.5 V)."""

SHIFTER_FARADS = 10e-12
"""Maximum input capacitance (TI, SN74AHCT125)."""

LAMP_FARADS = 15e-12
"""Maximum input capacitance of a lamp (Worldsemi, WS2812B)."""

WIRE_FARADS, WIRE_HENRIES = 60e-12, 1e-6
"""Assumed values for a metre of loose hook-up wire next to its ground wire."""

LAMP_LOW_SHARE = 0.3
"""Fraction of its supply up to which a lamp reads its input as low (Worldsemi, WS2812B)."""

GPIO_OHMS = 30.0
"""Output resistance at the strongest drive setting, assuming a drop of half a volt at 16 mA."""

GPIO_LOW = 0.8
"""Voltage up to which a GPIO reads low (Raspberry Pi Ltd, data sheets of the Compute Modules)."""

DIODE_1N4148 = ".model d1n4148 D(IS=2.52n RS=.568 N=1.752 CJO=4p M=.4 TT=20n)"
"""Standard diode model in circuit simulators."""

DARK_LAMPS_OHMS = 100.0
"""Load that unpowered lamps and a discharged capacitor put on another source: nearly a short."""


@pytest.fixture(autouse=True)
def ngspice():
    require("ngspice", "it simulates the circuits independently")


def run_spice(folder, *lines):
    """Return the results of a circuit's .meas lines by name."""
    file = folder / "circuit.cir"
    file.write_text("\n".join(["a circuit", *lines, ".end", ""]), encoding="utf-8")
    done = subprocess.run(["ngspice", "-b", file], capture_output=True, text=True, timeout=60, check=False)
    found = {name: float(value) for name, value in re.findall(r"^(\w+)\s+=\s+(\S+)", done.stdout, re.MULTILINE)}
    assert found, done.stdout + done.stderr
    return found


def resistance(netlist, ref):
    return parse_amount(netlist.parts[ref].value)


# ---- the data edge: level shifter, wire, resistor, first lamp -------------------------------------------------------


def pulse_at_lamp(folder, name, high_ns, *, ohms=None, metres=None):
    """Return the shortest and longest time in ns for which the first lamp reads a pulse as high, and its rise time."""
    profile = load_profile(name, measured=False)
    netlist = make_circuit(profile)
    wire = next(
        w for w in list_wires(profile, netlist) if w.end_pin.part == "D0" and w.net not in ("5 V lamps", "ground")
    )
    metres, ohms = metres or wire.length / 1000, ohms or resistance(netlist, "R1")
    lamp = PART_TYPES["lamp"].pins["4"]
    high, low = lamp.high_volts, LAMP_LOW_SHARE * LAMP_VOLTS
    found = run_spice(
        folder,
        f"V1 out 0 PULSE(0 {LAMP_VOLTS} 100n 4n 4n {high_ns}n 5u)",
        f"R0 out shifter {SHIFTER_OHMS}",
        f"R1 shifter wire {ohms}",  # at either end of the wire; here the wire's capacitance is behind it
        f"C1 wire 0 {WIRE_FARADS * metres / 2}",
        f"L1 wire lamp {WIRE_HENRIES * metres}",
        f"C2 lamp 0 {WIRE_FARADS * metres / 2 + LAMP_FARADS}",
        ".tran 0.5n 4u",
        f".meas tran shortest TRIG v(lamp) VAL={high} RISE=1 TARG v(lamp) VAL={high} FALL=1",
        f".meas tran longest TRIG v(lamp) VAL={low} RISE=1 TARG v(lamp) VAL={low} FALL=1",
        f".meas tran rise TRIG v(lamp) VAL={low} RISE=1 TARG v(lamp) VAL={high} RISE=1",
        ".meas tran top MAX v(lamp)",
    )
    shortest, longest, rise = (
        found.get(what, 0) * 1e9 for what in ("shortest", "longest", "rise")
    )  # missing: never high
    return shortest, longest, rise, found["top"]


def list_pulses():
    """Return the high times in ns of a 0 and a 1 in each encoding, at the shortest and longest bit time of all models."""
    for name, (shortest, longest) in {"packed": (120, 120), "byte": (164, 170)}.items():
        zero, one = (bits.count("1") for bits in (ENCODINGS[name].zero_bits, ENCODINGS[name].one_bits))
        for tick in {shortest, longest}:
            yield "high0", zero * tick
            yield "high1", one * tick


@pytest.mark.parametrize("name", WITH_LAMPS)
def test_pulses_at_first_lamp_meet_datasheets(tmp_path, name):
    for kind, high in list_pulses():
        shortest, longest, rise, top = pulse_at_lamp(tmp_path, name, high)
        for chip in CHIPS:
            least, most = getattr(chip, kind)
            assert least <= shortest <= longest <= most, (chip, kind, high)
        assert rise < 50
        assert top < PART_TYPES["lamp"].pins["4"].volts + 0.5


def test_large_data_resistor_distorts_pulses(tmp_path):
    shortest, *_ = pulse_at_lamp(tmp_path, "hall-4x4", 340, ohms=3300, metres=3)
    assert shortest < min(chip.high0[0] for chip in CHIPS)


# ---- one supply off: current from the Pi into the level shifter -----------------------------------------------------


def shifter_current(folder, name, *, clamp, series=0.001):
    """Return the peak and the final current in mA from GPIO 10 while the lamp supply is off."""
    netlist = make_circuit(load_profile(name, measured=False))
    assert {end.part for end in netlist.nets[DATA_NET]} >= {"J1", "U1", "R2"}
    found = run_spice(
        folder,
        f"V1 pin 0 PULSE(0 {LOGIC_VOLTS} 1u 5n 5n 1 2)",
        f"R0 pin gpio {GPIO_OHMS}",
        f"R9 gpio in {series}",
        f"R2 in 0 {resistance(netlist, 'R2')}",
        f"C1 in 0 {SHIFTER_FARADS}",
        *(["D1 in rail dclamp", f"R5 rail 0 {DARK_LAMPS_OHMS}"] if clamp else []),
        ".model dclamp D(IS=1e-14 RS=10)",
        ".tran 1n 20u",
        ".meas tran most MIN i(V1) FROM=1.2u TO=20u",
        ".meas tran last FIND i(V1) AT=19u",
    )
    return -found["most"] * 1000, -found["last"] * 1000


@pytest.mark.parametrize("name", WITH_LAMPS)
def test_no_current_flows_into_unpowered_shifter(tmp_path, name):
    most, last = shifter_current(tmp_path, name, clamp=False)
    assert max(most, last) < 1 < MAX_GPIO_CURRENT_MA


def test_clamp_diode_overloads_gpio(tmp_path):
    most, _ = shifter_current(tmp_path, "hall-4x4", clamp=True)
    assert most > MAX_GPIO_CURRENT_MA
    limited, _ = shifter_current(tmp_path, "hall-4x4", clamp=True, series=1000)
    assert limited < 4


# ---- pressed line of the diode matrix --------------------------------------------------------------------------------


def pressed_line_level(folder, *, pull_ohms, diode="anode", pressed=1):
    """Return the voltage of a read line with this many buttons pressed on the driven line."""
    netlist = make_circuit(load_profile("matrix-5x5", measured=False))
    part = netlist.parts["D_b2"]
    assert [pin.name for pin in part.pins.values()] == ["anode", "band"]
    ends = ("cell", "drive") if diode == "anode" else ("drive", "cell")
    return run_spice(
        folder,
        DIODE_1N4148,
        f"V1 rail 0 {LOGIC_VOLTS}",
        f"R1 rail sense {pull_ohms}",
        *(f"R{10 + number} sense cell 0.1" for number in range(pressed)),
        f"D1 {' '.join(ends)} d1n4148",
        f"R2 drive 0 {GPIO_OHMS}",
        ".tran 1u 10u",
        ".meas tran level FIND v(sense) AT=9u",
    )["level"]


@pytest.mark.parametrize(
    "pull_ohms", [PULL_UP_OHMS["pi"], PULL_UP_OHMS["i2c"]], ids=["internal pull-up", "GPIO 2 and 3"]
)
def test_pressed_matrix_line_reads_low(tmp_path, pull_ohms):
    level = pressed_line_level(tmp_path, pull_ohms=pull_ohms)
    assert 0.2 < level < GPIO_LOW


def test_reversed_diode_reads_high(tmp_path):
    assert pressed_line_level(tmp_path, pull_ohms=PULL_UP_OHMS["pi"], diode="band") > 2.0
