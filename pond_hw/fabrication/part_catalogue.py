"""The parts that boards are made of, as their data sheets have them.

Every figure has its source beside it. Where a figure is a choice of ours it says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pond_hw.fabrication.netlist import Kind, Part, Pin
from pond_hw.profile import pi_header

LOGIC, LAMPS = 3.3, 5.0
"""V: of the Pi's pins and all that reads or answers them; of the lamps."""

GPIO_HIGH = 2.0
"""V from which a GPIO reads high: the most that the data sheets of the Compute Modules ask for; older chips less."""

GPIO_MOST = 16.0
"""mA that a GPIO may give or take: the strongest setting in Raspberry Pi's description of the pads."""

RAIL_MOST = 500.0
"""mA that boards take of the header's 3.3 V. Raspberry Pi states no limit for models with a switching regulator, whose
chip gives more; this is what is commonly kept to."""

HALL_MOST = 10.0
"""mA of a linear hall sensor at most: DRV5055, supply current 6 typical, 10 at most."""

SWITCH_MOST = 3.6
"""mA of a digital hall sensor at most: DRV5033, supply current 2.7 typical, 3.6 at most."""

LAMP_MOST, LAMP_REST = 60.0, 1.0
"""mA of a lamp at full white and when it is dark: WS2812B's old rule of 20 a colour; later ones take 36."""

LAMP_HIGH = 0.7 * LAMPS
"""V from which a lamp reads high: WS2812B's data sheet, 0.7 of its supply."""

PULL_UP_OHMS = {"pi": 50_000, "i2c": 1_800, "mcp23017": 100_000}
"""Pull-ups: inside a GPIO (50 to 65 kΩ); on the Pi for I2C; inside an MCP23017 (40 to 115 µA at 5 V: some 100 kΩ)."""


class Sort(NamedTuple):
    """What a part is called in a shop.

    Attributes:
        name: as the parts list has it.
        package: its form.
        purpose: what it is there for.
        substitutes: what else will do.
        decoupled: whether its supply needs a capacitor right beside it.
    """

    name: str
    package: str
    purpose: str
    substitutes: str = ""
    decoupled: bool = False


SORTS: Mapping[str, Sort] = {
    "pi": Sort(
        "Raspberry Pi with 40 pins",
        "board",
        "the companion itself",
        "any model with the 40-pin header; `pond doctor` says what suits which",
    ),
    "button": Sort(
        "tactile switch 6 × 6 mm, 4 legs, 5 mm high",
        "through hole, 6.5 × 4.5 mm",
        "feels a finger in a cell",
        "any switch that closes when pressed",
    ),
    "key": Sort(
        "push button, panel, 12 mm", "panel", "undo, and held down the menu", "any switch that closes when pressed"
    ),
    "diode": Sort(
        "1N4148",
        "DO-35",
        "lets current through one way at a crossing, so that three pressed buttons are no fourth",
        "1N914, BAT43",
    ),
    "hall": Sort(
        "DRV5033FA",
        "TO-92",
        "feels a magnet of either pole; pulls its wire to ground",
        "DRV5033AJ (needs twice the field); any omnipolar switch with an open drain for 3.3 V; no latches",
        decoupled=True,
    ),
    "linear hall": Sort(
        "DRV5055A3",
        "TO-92",
        "turns the field of a magnet, with its pole, into a voltage",
        "DRV5055A2 (twice as sensitive: full scale with these magnets), SS49E (check it at 3.3 V)",
        decoupled=True,
    ),
    "expander": Sort("MCP23017-E/SP", "DIP-28", "sixteen inputs on I2C, of which fourteen are used", decoupled=True),
    "converter": Sort("MCP3008-I/P", "DIP-16", "measures eight voltages", decoupled=True),
    "trellis": Sort("Adafruit NeoTrellis 4x4 with its silicone keypad", "board 60 × 60 mm", "keys and lamps in one"),
    "lamp": Sort(
        "WS2812B",
        "strip, 5 V, 10 mm wide",
        "a lamp with its own controller",
        "SK6812 (RGB), WS2812B-V5, on strips of the same spacing",
    ),
    "shifter": Sort(
        "74AHCT125",
        "DIP-14",
        "lifts the data from 3.3 V to 5 V",
        "74HCT125, 74HCT245 (other legs); HCT, not HC",
        decoupled=True,
    ),
    "resistor": Sort("resistor", "axial, 1/4 W", "", "a value of 10 % more or less"),
    "capacitor": Sort("ceramic capacitor", "radial, 2.5 mm", "keeps the supply of a chip still", "10 nF to 1 µF"),
    "reservoir": Sort(
        "electrolytic capacitor", "radial, 10 V or more", "takes up the jolt when the lamps change", "470 to 2200 µF"
    ),
    "fuse": Sort(
        "fuse",
        "5 × 20 mm, with a holder for a board",
        "opens when something is shorted",
        "a resettable one, same current",
    ),
    "supply": Sort("power supply 5 V", "with a 5.5 × 2.1 mm plug, and a socket", "feeds the lamps"),
    "rails": Sort(
        "strip board, some 60 × 80 mm",
        "2.54 mm grid",
        "carries the chips; a rail for ground and one for each supply, from which all wires of these start",
        "a breadboard to try things out",
    ),
    "buzzer": Sort("passive piezo buzzer", "12 to 30 mm", "short tones"),
}
"""All sorts of parts, by what netlists call them."""

FIELD_NEEDED = 7.0
"""mT at which a digital sensor is sure to feel a magnet: twice what a DRV5033FA typically needs, 3.5."""

SENSITIVITY = 15.0
"""mV for each mT: DRV5055A3 at 3.3 V, which goes to 88 mT; a piece in the middle of its cell gives nearly that."""


def rails() -> dict[str, Pin]:
    """The pins of the Pi's header that supply and ground are taken from, by their numbers."""
    pins = {"1": Pin("3.3 V", Kind.SUPPLY, LOGIC, most=RAIL_MOST)}
    pins |= {number: Pin("5 V", Kind.SUPPLY, LAMPS, most=pi_header.FROM_THE_PINS) for number in ("2", "4")}
    return pins | {number: Pin("ground", Kind.GROUND) for number in ("6", "9")}


def reads(gpio: int) -> Pin:
    """A GPIO that is read, with its pull-up."""
    return Pin(f"GPIO {gpio}", Kind.IN, LOGIC, GPIO_HIGH, pull=LOGIC)


def drives(gpio: int) -> Pin:
    """A GPIO that drives a line high and low; until a program runs it is pulled, 0 to 8 up, the others down."""
    return Pin(f"GPIO {gpio}", Kind.TURN, LOGIC, most=GPIO_MOST, pull=LOGIC if gpio <= 8 else 0.0)


def pulls(gpio: int) -> Pin:
    """A GPIO that pulls a line to ground or lets it go: the lines of a matrix, and I2C."""
    return Pin(
        f"GPIO {gpio}", Kind.OPEN, LOGIC, most=GPIO_MOST, pull=LOGIC if gpio in pi_header.FIXED_PULL_UPS else None
    )


def two(ref: str, sort: str, one: str = "1", other: str = "2", **more: str | None) -> Part:
    """A part with two ends."""
    pins = {"1": Pin(one, Kind.PASSIVE), "2": Pin(other, Kind.PASSIVE)}
    return Part(ref, sort, pins, **more)  # type: ignore[arg-type]


def hall(cell: str, *, linear: bool) -> Part:
    """A hall sensor; legs as on both data sheets, seen from the marked side: 1 supply, 2 ground, 3 output."""
    if linear:
        output = Pin("OUT", Kind.OUT, LOGIC, most=1.0)
        feed = Pin("VCC", Kind.FED, LOGIC, 3.0, most=HALL_MOST)  # bears 5.5; its output would go up with it
        return Part(f"U_{cell}", "linear hall", _sensor(feed, output), cell=cell)
    feed = Pin("VCC", Kind.FED, 38.0, 2.7, most=SWITCH_MOST)
    return Part(f"U_{cell}", "hall", _sensor(feed, Pin("OUT", Kind.OPEN, 38.0, most=30.0)), cell=cell)


def _sensor(feed: Pin, output: Pin) -> dict[str, Pin]:
    return {"1": feed, "2": Pin("GND", Kind.GROUND), "3": output}


def expander(address: int) -> Part:
    """An MCP23017, its legs by the data sheet; every input has the chip's own pull-up, which the driver turns on.

    It bears 5.5 V, but on more than 3.3 V it would read high only from beyond what the Pi's wires reach.
    Its inputs bear no more than what it is fed with.
    """
    pins = {str(1 + bit): _port("B", bit) for bit in range(8)}
    high = 0.8 * LOGIC
    pins |= {"9": Pin("VDD", Kind.FED, LOGIC, 1.8, most=1.0), "10": Pin("VSS", Kind.GROUND)}
    pins |= {"12": Pin("SCL", Kind.IN, LOGIC, high), "13": Pin("SDA", Kind.OPEN, LOGIC, most=3.0)}
    for bit in range(3):
        lies = LOGIC if address >> bit & 1 else 0.0
        pins[str(15 + bit)] = Pin(f"A{bit}", Kind.IN, LOGIC, high, lies=lies)
    pins |= {"18": Pin("RESET", Kind.IN, LOGIC, high, lies=LOGIC)}
    pins |= {str(21 + bit): _port("A", bit) for bit in range(8)}
    return Part(f"U{address:02x}", "expander", pins, note=f"0x{address:02x}")


def _port(port: str, bit: int) -> Pin:
    if bit == 7:  # by the data sheet of 2022 an output only, and left open
        return Pin(f"GP{port}{bit}", Kind.TURN, LOGIC, most=25.0)
    return Pin(f"GP{port}{bit}", Kind.IN, LOGIC, 0.8 * LOGIC, pull=LOGIC)


def converter(letter: str) -> Part:
    """An MCP3008, its legs by the data sheet. It bears 5.5 V, but what it sends would go up with it."""
    pins = {str(1 + number): Pin(f"CH{number}", Kind.IN, LOGIC) for number in range(8)}
    pins |= {"9": Pin("DGND", Kind.GROUND), "14": Pin("AGND", Kind.GROUND)}
    high = 0.7 * LOGIC
    pins |= {number: Pin(name, Kind.IN, LOGIC, high) for number, name in (("10", "CS"), ("11", "DIN"), ("13", "CLK"))}
    pins |= {"12": Pin("DOUT", Kind.PICKED, LOGIC, most=1.0)}
    pins |= {"15": Pin("VREF", Kind.FED, LOGIC, 0.25, most=0.15), "16": Pin("VDD", Kind.FED, LOGIC, 2.7, most=0.55)}
    in_order = dict(sorted(pins.items(), key=lambda pin: int(pin[0])))
    return Part(f"U_{letter}", "converter", in_order, note=f"chip {letter}")


def trellis(address: int, current: float) -> Part:
    """A NeoTrellis on 3.3 V, where its own pull-ups cannot lift the Pi's pins any higher."""
    pins = {
        "1": Pin("VIN", Kind.FED, LOGIC, 3.0, most=current),
        "2": Pin("GND", Kind.GROUND),
        "3": Pin("SDA", Kind.OPEN, LOGIC, most=3.0, pull=LOGIC),
        "4": Pin("SCL", Kind.IN, LOGIC, 0.7 * LOGIC, pull=LOGIC),
    }
    return Part("M1", "trellis", pins, note=f"0x{address:02x}")


def lamp(number: int, cell: str | None, index: int) -> Part:
    """A lamp of the chain. On a strip each has its capacitor beside it."""
    pins = {
        "1": Pin("5 V", Kind.FED, 5.3, 3.7, most=LAMP_MOST),
        "2": Pin("DOUT", Kind.OUT, LAMPS, most=1.0),
        "3": Pin("GND", Kind.GROUND),
        "4": Pin("DIN", Kind.IN, LAMPS + 0.5, LAMP_HIGH),
    }
    return Part(f"D{number}", "lamp", pins, cell=cell, index=index)


SHIFTER_LEGS = ("1OE", "1A", "1Y", "2OE", "2A", "2Y", "GND", "3Y", "3A", "3OE", "4Y", "4A", "4OE", "VCC")
"""The legs of a 74AHCT125 from 1 on."""


def shifter() -> Part:
    """A 74AHCT125 on 5 V: it reads high from 2.0 V on. One of its four gates is used; the others stand still."""
    pins = {}
    for number, name in enumerate(SHIFTER_LEGS, 1):
        if name == "GND":
            pins[str(number)] = Pin(name, Kind.GROUND)
        elif name == "VCC":
            pins[str(number)] = Pin(name, Kind.FED, 5.5, 4.5, most=2.0)
        elif name.endswith("Y"):
            pins[str(number)] = Pin(name, Kind.OUT, LAMPS, most=8.0)
        else:
            pins[str(number)] = Pin(name, Kind.IN, 5.5, 2.0, lies=0.0 if name == "1OE" else None)
    return Part("U1", "shifter", pins)


def supply(current: float) -> Part:
    """A supply of 5 V for the lamps alone."""
    pins = {"1": Pin("+", Kind.SUPPLY, LAMPS, most=current), "2": Pin("-", Kind.GROUND)}
    return Part("J2", "supply", pins, f"5 V, {current / 1000:g} A or more")
