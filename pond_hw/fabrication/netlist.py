"""Electrical model of a board: parts, their pins, and the nets that join them.

J1 (the Pi)          SW_a1 (a button)           a net joins pins:  "a1"   J1.7  SW_a1.1
  7  GPIO 4  in -------- 1      2 ------ ground                    "GND"  J1.9  SW_a1.2  ...
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from pond_hw.messages.terminal_output import align_columns
from pond_hw.rules import Cell

SWITCHED_PATH = {"source": "drain", "drain": "source"}
"""Names of the pins between which a transistor switches a current."""


class PinKind(StrEnum):
    """Effect of a pin on its net."""

    IN = "in"  # reads it
    OUT = "out"  # always drives it high or low
    GPIO_OUT = "gpio_out"  # drives it high or low once a program runs
    TRI_STATE = "tri_state"  # drives it while its chip is selected
    OPEN = "open"  # pulls it to ground or releases it
    PASSIVE = "passive"  # one end of a switch, a resistor, a diode, a capacitor, a fuse
    SUPPLY = "supply"  # feeds it
    FED = "fed"  # is powered by it
    GROUND = "ground"  # is the reference for all voltages


@dataclass(frozen=True, slots=True)
class Pin:
    """One pin of a part.

    Attributes:
        name: name printed on the part or given in its data sheet, such as `GPIO 17` or `GPB2`.
        pin_kind: effect on its net.
        volts: maximum voltage (in, fed); output or supply voltage (outputs, supply).
        high_volts: minimum voltage that reads as high (in) or that powers the part (fed).
        max_current: maximum current in mA (outputs, supply), or current drawn (fed).
        pull_volts: voltage to which its internal resistor pulls it; None if it has no such resistor.
        required_rail: voltage of the rail that it must be connected to; None if any rail will do.
    """

    name: str
    pin_kind: PinKind
    volts: float = 0.0
    high_volts: float = 0.0
    max_current: float = 0.0
    pull_volts: float | None = None
    required_rail: float | None = None


@dataclass(frozen=True, slots=True)
class CircuitPart:
    """One part to buy and fit.

    Attributes:
        ref: reference on this board, such as `SW_a1`.
        part_type: name in the catalogue.
        pins: pins by number.
        value: value to order, such as `330 Ω`.
        cell: the cell it belongs to.
        index: position of a lamp within its cell, in frame order.
        beside: the part that this capacitor or resistor is next to.
        note: setting or purpose, such as `0x21`.
    """

    ref: str
    part_type: str
    pins: Mapping[str, Pin]
    value: str = ""
    cell: Cell | None = None
    index: int = 0
    beside: str = ""
    note: str = ""


class PartPin(NamedTuple):
    """Pin of a part, by reference and number. `str()` formats it as in the tables."""

    part: str
    pin: str

    def __str__(self) -> str:
        return f"{self.part}.{self.pin}"


def find_pin(part: CircuitPart, pin_name: str) -> PartPin:
    """Return the pin of a part that has this name.

    Raises:
        KeyError: the part has no pin with this name.
    """
    for leg_number, pin in part.pins.items():
        if pin.name == pin_name:
            return PartPin(part.ref, leg_number)
    raise KeyError(f"{part.ref} has no pin {pin_name}")


@dataclass(frozen=True)
class Netlist:
    """Netlist of a whole board: parts by reference, and joined pins by net name."""

    parts: Mapping[str, CircuitPart]
    nets: Mapping[str, tuple[PartPin, ...]]

    @cached_property
    def _net_by_pin(self) -> dict[PartPin, str]:
        return {part_pin: net_name for net_name, part_pins in self.nets.items() for part_pin in part_pins}

    @cached_property
    def neighbours(self) -> dict[str, list[tuple[str, str]]]:
        """Two-pin parts on each net, as pairs of the part type and the net at the other end."""
        neighbours_by_net: dict[str, list[tuple[str, str]]] = {net_name: [] for net_name in self.nets}
        for part_pin, net_name in self._net_by_pin.items():
            if (other_pin := self.other_pin(part_pin)) and other_pin in self._net_by_pin:
                neighbours_by_net[net_name].append((self.parts[part_pin.part].part_type, self._net_by_pin[other_pin]))
        return neighbours_by_net

    def pin_at(self, part_pin: PartPin) -> Pin:
        return self.parts[part_pin.part].pins[part_pin.pin]

    def net_of(self, part_pin: PartPin) -> str | None:
        return self._net_by_pin.get(part_pin)

    def pin_net(self, part: CircuitPart, pin_name: str) -> str | None:
        return self.net_of(find_pin(part, pin_name))

    def part_nets(self, part: CircuitPart, *kinds: PinKind) -> list[str | None]:
        return [
            self.net_of(PartPin(part.ref, leg)) for leg, pin in part.pins.items() if not kinds or pin.pin_kind in kinds
        ]

    def ends_on(self, net_name: str | None) -> tuple[PartPin, ...]:
        return self.nets.get(net_name or "", ())

    def pins_on(self, net_name: str | None, *kinds: PinKind) -> Iterator[PartPin]:
        return (part_pin for part_pin in self.ends_on(net_name) if self.pin_at(part_pin).pin_kind in kinds)

    def parts_of_type(self, *part_types: str) -> Iterator[CircuitPart]:
        return (part for part in self.parts.values() if part.part_type in part_types)

    def has_type(self, *part_types: str) -> bool:
        return any(self.parts_of_type(*part_types))

    def other_pin(self, end: PartPin) -> PartPin | None:
        """Return the other end of a part with two pins, or of a transistor's switched path."""
        pins = self.parts[end.part].pins
        if far_name := SWITCHED_PATH.get(pins[end.pin].name):
            return find_pin(self.parts[end.part], far_name)
        return next((PartPin(end.part, pin) for pin in pins if pin != end.pin), None) if len(pins) == 2 else None


def format_netlist(netlist: Netlist) -> str:
    """Format the netlist as text: a line for each part, then a line for each net.

    The line of a part has its name, type, value and place. The line of a net has its name and its pins.
    """
    all_parts = netlist.parts.values()
    part_rows = [(part.ref, part.part_type, part.value or "-", part.cell or part.beside or "-") for part in all_parts]
    netlist_lines = ["# part, what it is, value, cell or the part that it stands by", *align_columns(part_rows, "llll")]
    netlist_lines += ["", "# net: the pins that it joins"]
    for net_name, part_pins in netlist.nets.items():
        netlist_lines += wrap_net(net_name, part_pins, 110)
    return "\n".join(netlist_lines) + "\n"


def wrap_net(net_name: str, part_pins: Iterable[PartPin], width: int) -> list[str]:
    """Format a net and its pins as wrapped lines: `ground: J1.6 U1.7 ...`."""
    net_text = f"{net_name}: {' '.join(map(str, part_pins))}"
    return textwrap.wrap(net_text, width, subsequent_indent="    ", break_on_hyphens=False)
