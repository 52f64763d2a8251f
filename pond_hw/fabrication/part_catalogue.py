"""The parts that boards are made of, as their data sheets have them.

Every figure has its source beside it. Where a figure is a choice of ours it says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pond_hw.fabrication.netlist import CircuitPart, Pin, PinKind
from pond_hw.profile import pi_header

LOGIC_VOLTS, LAMP_VOLTS = 3.3, 5.0
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

LAMP_HIGH = 0.7 * LAMP_VOLTS
"""V from which a lamp reads high: WS2812B's data sheet, 0.7 of its supply."""

PULL_UP_OHMS = {"pi": 50_000, "i2c": 1_800, "mcp23017": 100_000}
"""Pull-ups: inside a GPIO (50 to 65 kΩ); on the Pi for I2C; inside an MCP23017 (40 to 115 µA at 5 V: some 100 kΩ)."""


class PartType(NamedTuple):
    """What a part is called in a shop.

    Attributes:
        name: as the parts list has it.
        package: its form.
        purpose: what it is there for.
        substitutes: what else will do.
        needs_capacitor: whether its supply needs a capacitor right beside it.
    """

    name: str
    package: str
    purpose: str
    substitutes: str = ""
    needs_capacitor: bool = False


PART_TYPES: Mapping[str, PartType] = {
    "pi": PartType(
        "Raspberry Pi with 40 pins",
        "board",
        "the companion itself",
        "any model with the 40-pin header; `pond doctor` says what suits which",
    ),
    "button": PartType(
        "tactile switch 6 × 6 mm, 4 legs, 5 mm high",
        "through hole, 6.5 × 4.5 mm",
        "feels a finger in a cell",
        "any switch that closes when pressed",
    ),
    "key": PartType(
        "push button, panel, 12 mm", "panel", "undo, and held down the menu", "any switch that closes when pressed"
    ),
    "diode": PartType(
        "1N4148",
        "DO-35",
        "lets current through one way at a crossing, so that three pressed buttons are no fourth",
        "1N914, BAT43",
    ),
    "hall": PartType(
        "DRV5033FA",
        "TO-92",
        "feels a magnet of either pole; pulls its wire to ground",
        "DRV5033AJ (needs twice the field); any omnipolar switch with an open drain for 3.3 V; no latches",
        needs_capacitor=True,
    ),
    "linear hall": PartType(
        "DRV5055A3",
        "TO-92",
        "turns the field of a magnet, with its pole, into a voltage",
        "DRV5055A2 (twice as sensitive: full scale with these magnets), SS49E (check it at 3.3 V)",
        needs_capacitor=True,
    ),
    "expander": PartType(
        "MCP23017-E/SP", "DIP-28", "sixteen inputs on I2C, of which fourteen are used", needs_capacitor=True
    ),
    "converter": PartType("MCP3008-I/P", "DIP-16", "measures eight voltages", needs_capacitor=True),
    "trellis": PartType(
        "Adafruit NeoTrellis 4x4 with its silicone keypad", "board 60 × 60 mm", "keys and lamps in one"
    ),
    "lamp": PartType(
        "WS2812B",
        "strip, 5 V, 10 mm wide",
        "a lamp with its own controller",
        "SK6812 (RGB), WS2812B-V5, on strips of the same spacing",
    ),
    "shifter": PartType(
        "74AHCT125",
        "DIP-14",
        "lifts the data from 3.3 V to 5 V",
        "74HCT125, 74HCT245 (other legs); HCT, not HC",
        needs_capacitor=True,
    ),
    "resistor": PartType("resistor", "axial, 1/4 W", "", "a value of 10 % more or less"),
    "capacitor": PartType("ceramic capacitor", "radial, 2.5 mm", "keeps the supply of a chip still", "10 nF to 1 µF"),
    "reservoir": PartType(
        "electrolytic capacitor", "radial, 10 V or more", "takes up the jolt when the lamps change", "470 to 2200 µF"
    ),
    "fuse": PartType(
        "fuse",
        "5 × 20 mm, with a holder for a board",
        "opens when something is shorted",
        "a resettable one, same current",
    ),
    "supply": PartType("power supply 5 V", "with a 5.5 × 2.1 mm plug, and a socket", "feeds the lamps"),
    "rails": PartType(
        "strip board, some 60 × 80 mm",
        "2.54 mm grid",
        "carries the chips; a rail for ground and one for each supply, from which all wires of these start",
        "a breadboard to try things out",
    ),
    "buzzer": PartType("passive piezo buzzer", "12 to 30 mm", "short tones"),
}
"""All sorts of parts, by what netlists call them."""

FIELD_NEEDED = 7.0
"""mT at which a digital sensor is sure to feel a magnet: twice what a DRV5033FA typically needs, 3.5."""

HALL_SENSITIVITY = 15.0
"""mV for each mT: DRV5055A3 at 3.3 V, which goes to 88 mT; a piece in the middle of its cell gives nearly that."""


def header_rails() -> dict[str, Pin]:
    """The pins of the Pi's header that supply and ground are taken from, by their numbers."""
    pins = {"1": Pin("3.3 V", PinKind.SUPPLY, LOGIC_VOLTS, max_current=RAIL_MOST)}
    pins |= {
        number: Pin("5 V", PinKind.SUPPLY, LAMP_VOLTS, max_current=pi_header.HEADER_CURRENT_MA) for number in ("2", "4")
    }
    return pins | {number: Pin("ground", PinKind.GROUND) for number in ("6", "9")}


def input_gpio(gpio: int) -> Pin:
    """A GPIO that is read, with its pull-up."""
    return Pin(f"GPIO {gpio}", PinKind.IN, LOGIC_VOLTS, GPIO_HIGH, pull_volts=LOGIC_VOLTS)


def output_gpio(gpio: int) -> Pin:
    """A GPIO that drives a line high and low; until a program runs it is pulled, 0 to 8 up, the others down."""
    return Pin(
        f"GPIO {gpio}", PinKind.TURN, LOGIC_VOLTS, max_current=GPIO_MOST, pull_volts=LOGIC_VOLTS if gpio <= 8 else 0.0
    )


def open_drain_gpio(gpio: int) -> Pin:
    """A GPIO that pulls a line to ground or lets it go: the lines of a matrix, and I2C."""
    return Pin(
        f"GPIO {gpio}",
        PinKind.OPEN,
        LOGIC_VOLTS,
        max_current=GPIO_MOST,
        pull_volts=LOGIC_VOLTS if gpio in pi_header.FIXED_PULL_UPS else None,
    )


def two_pin_part(ref: str, sort: str, one: str = "1", other: str = "2", **more: str | None) -> CircuitPart:
    """A part with two ends."""
    pins = {"1": Pin(one, PinKind.PASSIVE), "2": Pin(other, PinKind.PASSIVE)}
    return CircuitPart(ref, sort, pins, **more)  # type: ignore[arg-type]


def hall_sensor(cell: str, *, linear: bool) -> CircuitPart:
    """A hall sensor; legs as on both data sheets, seen from the marked side: 1 supply, 2 ground, 3 output."""
    if linear:
        output = Pin("OUT", PinKind.OUT, LOGIC_VOLTS, max_current=1.0)
        feed = Pin(
            "VCC", PinKind.FED, LOGIC_VOLTS, 3.0, max_current=HALL_MOST
        )  # bears 5.5; its output would go up with it
        return CircuitPart(f"U_{cell}", "linear hall", _sensor_pins(feed, output), cell=cell)
    feed = Pin("VCC", PinKind.FED, 38.0, 2.7, max_current=SWITCH_MOST)
    return CircuitPart(
        f"U_{cell}", "hall", _sensor_pins(feed, Pin("OUT", PinKind.OPEN, 38.0, max_current=30.0)), cell=cell
    )


def _sensor_pins(feed: Pin, output: Pin) -> dict[str, Pin]:
    return {"1": feed, "2": Pin("GND", PinKind.GROUND), "3": output}


def expander_part(address: int) -> CircuitPart:
    """An MCP23017, its legs by the data sheet; every input has the chip's own pull-up, which the driver turns on.

    It bears 5.5 V, but on more than 3.3 V it would read high only from beyond what the Pi's wires reach.
    Its inputs bear no more than what it is fed with.
    """
    pins = {str(1 + bit): _port_pin("B", bit) for bit in range(8)}
    high = 0.8 * LOGIC_VOLTS
    pins |= {"9": Pin("VDD", PinKind.FED, LOGIC_VOLTS, 1.8, max_current=1.0), "10": Pin("VSS", PinKind.GROUND)}
    pins |= {
        "12": Pin("SCL", PinKind.IN, LOGIC_VOLTS, high),
        "13": Pin("SDA", PinKind.OPEN, LOGIC_VOLTS, max_current=3.0),
    }
    for bit in range(3):
        lies = LOGIC_VOLTS if address >> bit & 1 else 0.0
        pins[str(15 + bit)] = Pin(f"A{bit}", PinKind.IN, LOGIC_VOLTS, high, required_rail=lies)
    pins |= {"18": Pin("RESET", PinKind.IN, LOGIC_VOLTS, high, required_rail=LOGIC_VOLTS)}
    pins |= {str(21 + bit): _port_pin("A", bit) for bit in range(8)}
    return CircuitPart(f"U{address:02x}", "expander", pins, note=f"0x{address:02x}")


def _port_pin(port: str, bit: int) -> Pin:
    if bit == 7:  # by the data sheet of 2022 an output only, and left open
        return Pin(f"GP{port}{bit}", PinKind.TURN, LOGIC_VOLTS, max_current=25.0)
    return Pin(f"GP{port}{bit}", PinKind.IN, LOGIC_VOLTS, 0.8 * LOGIC_VOLTS, pull_volts=LOGIC_VOLTS)


def converter_part(letter: str) -> CircuitPart:
    """An MCP3008, its legs by the data sheet. It bears 5.5 V, but what it sends would go up with it."""
    pins = {str(1 + number): Pin(f"CH{number}", PinKind.IN, LOGIC_VOLTS) for number in range(8)}
    pins |= {"9": Pin("DGND", PinKind.GROUND), "14": Pin("AGND", PinKind.GROUND)}
    high = 0.7 * LOGIC_VOLTS
    pins |= {
        number: Pin(name, PinKind.IN, LOGIC_VOLTS, high)
        for number, name in (("10", "CS"), ("11", "DIN"), ("13", "CLK"))
    }
    pins |= {"12": Pin("DOUT", PinKind.PICKED, LOGIC_VOLTS, max_current=1.0)}
    pins |= {
        "15": Pin("VREF", PinKind.FED, LOGIC_VOLTS, 0.25, max_current=0.15),
        "16": Pin("VDD", PinKind.FED, LOGIC_VOLTS, 2.7, max_current=0.55),
    }
    in_order = dict(sorted(pins.items(), key=lambda pin: int(pin[0])))
    return CircuitPart(f"U_{letter}", "converter", in_order, note=f"chip {letter}")


def trellis_part(address: int, current: float) -> CircuitPart:
    """A NeoTrellis on 3.3 V, where its own pull-ups cannot lift the Pi's pins any higher."""
    pins = {
        "1": Pin("VIN", PinKind.FED, LOGIC_VOLTS, 3.0, max_current=current),
        "2": Pin("GND", PinKind.GROUND),
        "3": Pin("SDA", PinKind.OPEN, LOGIC_VOLTS, max_current=3.0, pull_volts=LOGIC_VOLTS),
        "4": Pin("SCL", PinKind.IN, LOGIC_VOLTS, 0.7 * LOGIC_VOLTS, pull_volts=LOGIC_VOLTS),
    }
    return CircuitPart("M1", "trellis", pins, note=f"0x{address:02x}")


def lamp_part(number: int, cell: str | None, index: int) -> CircuitPart:
    """A lamp of the chain. On a strip each has its capacitor beside it."""
    pins = {
        "1": Pin("5 V", PinKind.FED, 5.3, 3.7, max_current=LAMP_MOST),
        "2": Pin("DOUT", PinKind.OUT, LAMP_VOLTS, max_current=1.0),
        "3": Pin("GND", PinKind.GROUND),
        "4": Pin("DIN", PinKind.IN, LAMP_VOLTS + 0.5, LAMP_HIGH),
    }
    return CircuitPart(f"D{number}", "lamp", pins, cell=cell, index=index)


SHIFTER_LEGS = ("1OE", "1A", "1Y", "2OE", "2A", "2Y", "GND", "3Y", "3A", "3OE", "4Y", "4A", "4OE", "VCC")
"""The legs of a 74AHCT125 from 1 on."""


def shifter_part() -> CircuitPart:
    """A 74AHCT125 on 5 V: it reads high from 2.0 V on. One of its four gates is used; the others stand still."""
    pins = {}
    for number, name in enumerate(SHIFTER_LEGS, 1):
        if name == "GND":
            pins[str(number)] = Pin(name, PinKind.GROUND)
        elif name == "VCC":
            pins[str(number)] = Pin(name, PinKind.FED, 5.5, 4.5, max_current=2.0)
        elif name.endswith("Y"):
            pins[str(number)] = Pin(name, PinKind.OUT, LAMP_VOLTS, max_current=8.0)
        else:
            pins[str(number)] = Pin(name, PinKind.IN, 5.5, 2.0, required_rail=0.0 if name == "1OE" else None)
    return CircuitPart("U1", "shifter", pins)


def supply_part(current: float) -> CircuitPart:
    """A supply of 5 V for the lamps alone."""
    pins = {"1": Pin("+", PinKind.SUPPLY, LAMP_VOLTS, max_current=current), "2": Pin("-", PinKind.GROUND)}
    return CircuitPart("J2", "supply", pins, f"5 V, {current / 1000:g} A or more")
