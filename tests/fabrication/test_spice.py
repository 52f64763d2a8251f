"""Circuits with the parts and values of our netlists, simulated by ngspice.

Values that the netlist lacks are given here with their sources: driver outputs, wires, diodes.
"""

import re
import subprocess

import pytest

from pond_hw.drivers.lamp_pulses import ENCODINGS
from pond_hw.fabrication.cables import fuse_current, list_cables
from pond_hw.fabrication.circuit import DATA_NET, GROUND_NET, MAX_GPIO_CURRENT_MA, make_circuit
from pond_hw.fabrication.netlist import Netlist, PartPin
from pond_hw.fabrication.part_catalogue import LAMP_VOLTS, LOGIC_VOLTS, PART_TYPES, PULL_UP_OHMS
from pond_hw.fabrication.power import FUSE_COLD_OHMS, FUSE_WARMTH
from pond_hw.fabrication.row_board import expand_rows
from pond_hw.fabrication.wire_tracing import parse_amount
from pond_hw.profile import load_profile
from tests.conftest import require
from tests.drivers.ws2812 import CHIPS
from tests.fabrication.faulty_netlists import swap_pins
from tests.pico.state_machine import firmware_pulses

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
    cable = next(cable for cable in list_cables(profile, netlist) if cable.is_row_cable)
    metres, ohms = metres or cable.length / 1000, ohms or resistance(netlist, "R1")
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


def list_pulses(name):
    """Yield the high times in ns of a 0 and a 1: those of a Pico's firmware, or of each encoding on a Pi.

    An encoding has the shortest and the longest bit time of all models.
    """
    if load_profile(name, measured=False).controller == "pico":
        for kind, pulse in zip(("high0", "high1"), firmware_pulses(), strict=True):
            yield kind, float(pulse.high)
        return
    for encoding, (shortest, longest) in {"packed": (120, 120), "byte": (164, 170)}.items():
        zero, one = (bits.count("1") for bits in (ENCODINGS[encoding].zero_bits, ENCODINGS[encoding].one_bits))
        for tick in {shortest, longest}:
            yield "high0", zero * tick
            yield "high1", one * tick


@pytest.mark.parametrize("name", WITH_LAMPS)
def test_pulses_at_first_lamp_meet_datasheets(tmp_path, name):
    for kind, high in list_pulses(name):
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
    profile = load_profile("matrix-5x5", measured=False)
    netlist = expand_rows(profile, make_circuit(profile))
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


# ---- supply of the lamps: USB-C socket, fuse, diode, cut-off ---------------------------------------------------------

SUPPLIED = ("matrix-5x5", "hall-4x4", "hall-5x5", "owner-4x4", "usb-matrix-5x5")
"""Boards whose lamps have their own supply."""

SUPPLY_MODELS = (
    # SMBJ15A: 1 mA at 16.7 to 18.5 V, 24.4 V at 24.6 A (Littelfuse). SMBJ5.0A: 10 mA at 6.4 to 7.0 V, 9.2 V at 65.2 A.
    ".model tvs15 D(IS=1n N=1.5 RS=.03 BV=17.6 IBV=1m)",
    ".model tvs5 D(IS=1n N=1.5 RS=.035 BV=6.7 IBV=10m)",
    # 15 mΩ at 4.5 V, threshold 1.5 V, 4.2 nF at the gate (Diodes Incorporated, DMP4015SK3).
    ".model pmos PMOS(LEVEL=1 VTO=-1.5 KP=22 CGSO=0 CGDO=0 RD=1m)",
    ".model body D(IS=1n N=1 RS=10m)",
    # The usual model of a 2N3906 in circuit simulators.
    ".model pnp PNP(IS=1.41f BF=180 VAF=18.7 IKF=80m RB=10 RC=2.5 CJE=8p CJC=10p TF=180p TR=34n)",
    ".model led D(IS=1e-20 N=1.8 RS=5)",
)

CABLE_OHMS, CABLE_HENRIES = 0.1, 1e-6
"""Assumed values for the cable of a supply."""

DARK_OHMS, LIT_OHMS = 100.0, 2.1
"""Load of dark lamps, and of lamps that draw the whole budget."""

LAMP_MAX_VOLTS, LAMP_MIN_VOLTS = 6.0, -0.7
"""Limits of the lamps' voltage for a moment; our choice. A WS2812B is rated for 5.3 V, and USB allows 5.5 V. The diodes in a
chip hardly conduct below 0.7 V.
"""

SOURCE_LIMIT = 3.0
"""Current limit in A of the supply, which most have."""


def supply_lines(netlist, diode_model="tvs15"):
    """Return the elements of a board's supply as the netlist joins them."""

    def node(ref, name):
        net = netlist.pin_net(netlist.parts[ref], name)
        return "0" if net == GROUND_NET else net.replace(" ", "_")

    lines = []
    for ref, part in netlist.parts.items():
        match part.part_type:
            case "fuse":
                ohms = FUSE_COLD_OHMS[fuse_current(netlist) / 1000] * FUSE_WARMTH
                lines += [f"Vfuse {node(ref, '1')} fuse_in 0", f"R{ref} fuse_in {node(ref, '2')} {ohms}"]
            case "tvs":
                lines.append(f"D{ref} {node(ref, 'anode')} {node(ref, 'band')} {diode_model}")
            case "cut-off transistor":
                drain, gate, source = (node(ref, name) for name in ("drain", "gate", "source"))
                lines += [f"M{ref} {drain} {gate} {source} {source} pmos W=1 L=1", f"D{ref} {drain} {source} body"]
                lines += [f"Cgs {gate} {source} 4n", f"Cgd {gate} {drain} .2n"]
            case "pnp transistor":
                lines.append(f"Q{ref} {node(ref, 'collector')} {node(ref, 'base')} {node(ref, 'emitter')} pnp")
            case "voltage reference":
                cathode, reference = node(ref, "cathode"), node(ref, "reference")
                # It conducts from 2.495 V, with at least 2 V across it, after about 0.5 µs.
                sink = f"min(0.1, 5*max(0, V({reference})-2.495))*min(1, max(0, V({cathode})-2))"
                lines += [f"B{ref} {cathode} 0 I={sink}", f"C{ref} {reference} 0 100p"]
                lines += [f"Cstray{number} {name} 0 20p" for number, name in enumerate((cathode, "base", "gate"))]
            case "reservoir":
                lines += [f"R{ref} {node(ref, '+')} bulk 0.05", f"C{ref} bulk 0 {resistance(netlist, ref)}"]
            case "power lamp":
                lines.append(f"D{ref} {node(ref, 'anode')} {node(ref, 'band')} led")
            case "resistor" if ref in ("R6", "R7", "R8") or (ref.startswith("R2") and len(ref) == 3):
                lines.append(f"{ref} {node(ref, '1')} {node(ref, '2')} {resistance(netlist, ref)}")
    return lines


def plug_in(folder, netlist, volts, *, load=DARK_OHMS, before=0.0, diode_model="tvs15"):
    """Plug in a supply, and return what the lamps and the fuse see. `before` is its voltage before that."""
    limited = f"max(-{SOURCE_LIMIT}, min({SOURCE_LIMIT}, (V(set)-V(plug))/0.01))"
    return run_spice(
        folder,
        *SUPPLY_MODELS,
        f"Vset set 0 PULSE({before} {volts} 20m 2u 2u 1 2)",
        f"B1 0 plug I={limited}",
        "C9 plug 0 10u",
        f"R0 plug cable {CABLE_OHMS}",
        f"L0 cable 5_V {CABLE_HENRIES}",
        *supply_lines(netlist, diode_model),
        f"Rload 5_V_lamps 0 {load}",
        ".options reltol=1e-3 abstol=1e-8 itl4=100",
        ".tran 2u 60m 0 2u",
        ".meas tran lamp_max MAX v(5_V_lamps)",
        ".meas tran lamp_min MIN v(5_V_lamps)",
        ".meas tran lamp_last FIND v(5_V_lamps) AT=59m",
        ".meas tran fuse_last FIND i(Vfuse) AT=59m",
        ".meas tran fused_last FIND v(5_V_fused) AT=59m",
    )


def without(netlist, *refs):
    parts = {ref: part for ref, part in netlist.parts.items() if ref not in refs}
    nets = {name: tuple(end for end in ends if end.part not in refs) for name, ends in netlist.nets.items()}
    return Netlist(parts, nets)


def supplied(name="hall-5x5"):
    return make_circuit(load_profile(name, measured=False))


@pytest.mark.parametrize("name", SUPPLIED)
def test_lamps_get_their_voltage_from_a_good_supply(tmp_path, name):
    found = plug_in(tmp_path, supplied(name), 5.0, load=LIT_OHMS)
    assert 4.4 < found["lamp_last"] < 5.0
    assert found["fuse_last"] == pytest.approx(found["lamp_last"] / LIT_OHMS, abs=0.02)


@pytest.mark.parametrize("volts", [4.4, 5.5])
def test_every_voltage_that_usb_allows_reaches_the_lamps(tmp_path, volts):
    assert plug_in(tmp_path, supplied(), volts)["lamp_last"] > volts - 0.1


@pytest.mark.parametrize("volts", [6.0, 9.0, 12.0])
@pytest.mark.parametrize("before", [0.0, 5.0])
def test_too_many_volts_never_reach_the_lamps(tmp_path, volts, before):
    found = plug_in(tmp_path, supplied(), volts, before=before)
    assert found["lamp_max"] < LAMP_MAX_VOLTS
    assert found["lamp_last"] < 5.0
    assert found["fuse_last"] < 0.05  # nothing gets hot


def test_reversed_supply_hardly_reaches_the_lamps(tmp_path):
    for volts in (-5.0, -12.0):
        found = plug_in(tmp_path, supplied(), volts)
        assert found["lamp_min"] > LAMP_MIN_VOLTS
        assert found["fuse_last"] == pytest.approx(-SOURCE_LIMIT, abs=0.1)  # a short circuit: supplies shut down


def test_reversed_supply_needs_the_diode(tmp_path):
    assert plug_in(tmp_path, without(supplied(), "TVS1"), -5.0)["lamp_min"] < -3.0


def test_turned_diode_shorts_the_supply(tmp_path):
    netlist = swap_pins(supplied(), PartPin("TVS1", "1"), PartPin("TVS1", "2"))
    found = plug_in(tmp_path, netlist, 5.0)
    assert found["lamp_last"] < 2.0
    assert found["fuse_last"] > 2.9


def test_diode_alone_is_not_enough_at_12_volts(tmp_path):
    """A diode for 5 V, the usual choice, lets too many volts through and gets hot; the fuse holds 3 A for hours."""
    netlist = swap_pins(supplied(), PartPin("Q2", "1"), PartPin("Q2", "2"))  # no cut-off
    found = plug_in(tmp_path, netlist, 12.0, diode_model="tvs5")
    assert found["lamp_max"] > LAMP_MAX_VOLTS
    assert found["fuse_last"] * found["fused_last"] > 15  # watts


@pytest.mark.parametrize("ref", ["Q2", "U2", "R23", "R24"])
def test_missing_part_of_cut_off_lets_12_volts_through(tmp_path, ref):
    assert plug_in(tmp_path, without(supplied(), ref), 12.0)["lamp_max"] > 10


# ---- USB-C: voltage at the CC pins ----

OPEN_CC_VOLTS = 2.75
"""Voltage at CC above which a supply sees nothing plugged in (USB Type-C specification, vOPEN with a pull-up for 3 A)."""


def cc_volts(folder, netlist, pin_name):
    """Return the voltage at a CC pin of a supply that offers 3 A: 10 kΩ to 5 V (USB Type-C specification, Rp)."""
    node = netlist.pin_net(netlist.parts["J2"], pin_name)
    lines = [line for line in supply_lines(netlist) if line.startswith(("R6 ", "R7 "))]
    return run_spice(
        folder,
        "V1 source 0 5",
        f"Rp source {node} 10k",
        "Rleak source 0 1meg",
        *lines,
        ".tran 1u 10u",
        f".meas tran level FIND v({node}) AT=9u",
    )["level"]


@pytest.mark.parametrize("name", SUPPLIED)
def test_usb_c_supply_finds_the_board(tmp_path, name):
    for pin_name in ("CC1", "CC2"):
        assert 1.31 < cc_volts(tmp_path, supplied(name), pin_name) < 2.04  # vRd for a supply of 3 A


def test_usb_c_supply_does_not_find_a_board_without_resistor(tmp_path):
    assert cc_volts(tmp_path, without(supplied(), "R7"), "CC2") > OPEN_CC_VOLTS
    assert cc_volts(tmp_path, without(supplied(), "R7"), "CC1") < OPEN_CC_VOLTS
