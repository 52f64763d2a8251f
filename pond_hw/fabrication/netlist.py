"""Parts, their pins, and the nets that join these: what a board is, electrically.

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


class PinKind(StrEnum):
    """What a pin does to its net."""

    IN = "in"  # reads it
    OUT = "out"  # drives it high or low, always
    TURN = "turn"  # drives it high or low, once a program runs
    PICKED = "picked"  # drives it only while its chip is selected
    OPEN = "open"  # pulls it to ground, or lets go
    PASSIVE = "passive"  # one end of a switch, a resistor, a diode, a capacitor, a fuse
    SUPPLY = "supply"  # feeds it
    FED = "fed"  # is fed by it
    GROUND = "ground"  # is what all the others are measured against


@dataclass(frozen=True, slots=True)
class Pin:
    """One pin of a part.

    Attributes:
        name: what is printed beside it, or in the data sheet, such as `GPIO 17` or `GPB2`.
        pin_kind: what it does to its net.
        volts: what it bears at most (in, fed); what it drives or feeds its net to (out, turn, picked, supply).
        high_volts: from this voltage on it reads high (in); it works (fed).
        max_current: the current that it may give or take, in mA (out, turn, picked, open, supply); what it takes (fed).
        pull_volts: the voltage to which a resistor of its own pulls it; None without.
        required_rail: the voltage of the rail that it must be soldered to, for the chip to be set up as it is; None if free.
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
    """One thing that is bought and put in.

    Attributes:
        ref: its name on this board, such as `SW_a1`.
        part_type: what it is, by its name in the catalogue.
        pins: its pins by number.
        value: as it is ordered: `330 Ω`.
        cell: the cell that it belongs to.
        index: of lamps, which of those in the cell (or the strip) it is, in the order of a frame.
        beside: the part that it stands by: a chip's capacitor.
        note: how this one is set, or what it is for: `0x21`.
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
    """A pin of a part, by their names. `str` is as tables have it."""

    part: str
    pin: str

    def __str__(self) -> str:
        return f"{self.part}.{self.pin}"


def find_pin(part: CircuitPart, pin_name: str) -> PartPin:
    """The end of a part whose pin has this name.

    Raises:
        KeyError: it has none.
    """
    for leg_number, pin in part.pins.items():
        if pin.name == pin_name:
            return PartPin(part.ref, leg_number)
    raise KeyError(f"{part.ref} has no pin {pin_name}")


@dataclass(frozen=True)
class Netlist:
    """A whole board.

    Attributes:
        parts: by their names.
        nets: the pins that are joined, by the name of the net.
    """

    parts: Mapping[str, CircuitPart]
    nets: Mapping[str, tuple[PartPin, ...]]

    @cached_property
    def _net_by_pin(self) -> dict[PartPin, str]:
        return {part_pin: net_name for net_name, part_pins in self.nets.items() for part_pin in part_pins}

    @cached_property
    def neighbours(self) -> dict[str, list[tuple[str, str]]]:
        """The parts with two pins that lead away from each net: what each is, and the net beyond it."""
        neighbours_by_net: dict[str, list[tuple[str, str]]] = {net_name: [] for net_name in self.nets}
        for part_pin, net_name in self._net_by_pin.items():
            if (other_pin := self.other_pin(part_pin)) and other_pin in self._net_by_pin:
                neighbours_by_net[net_name].append((self.parts[part_pin.part].part_type, self._net_by_pin[other_pin]))
        return neighbours_by_net

    def pin_at(self, part_pin: PartPin) -> Pin:
        """The pin at an end."""
        return self.parts[part_pin.part].pins[part_pin.pin]

    def net_of(self, part_pin: PartPin) -> str | None:
        """The net that a pin is on; None if nothing is soldered to it."""
        return self._net_by_pin.get(part_pin)

    def pin_net(self, part: CircuitPart, pin_name: str) -> str | None:
        """The net that the pin of this name is on."""
        return self.net_of(find_pin(part, pin_name))

    def part_nets(self, part: CircuitPart, *kinds: PinKind) -> list[str | None]:
        """The net of each of a part's pins, or of those of these kinds."""
        return [
            self.net_of(PartPin(part.ref, leg)) for leg, pin in part.pins.items() if not kinds or pin.pin_kind in kinds
        ]

    def ends_on(self, net_name: str | None) -> tuple[PartPin, ...]:
        """The ends of pins that are joined by a net."""
        return self.nets.get(net_name or "", ())

    def pins_on(self, net_name: str | None, *kinds: PinKind) -> Iterator[PartPin]:
        """The pins of these kinds on a net."""
        return (part_pin for part_pin in self.ends_on(net_name) if self.pin_at(part_pin).pin_kind in kinds)

    def parts_of_type(self, *part_types: str) -> Iterator[CircuitPart]:
        """The parts of these sorts, in their order."""
        return (part for part in self.parts.values() if part.part_type in part_types)

    def has_type(self, *part_types: str) -> bool:
        """Whether there is any part of these sorts."""
        return any(self.parts_of_type(*part_types))

    def other_pin(self, end: PartPin) -> PartPin | None:
        """The other end of a part with two pins."""
        pins = self.parts[end.part].pins
        return next((PartPin(end.part, pin) for pin in pins if pin != end.pin), None) if len(pins) == 2 else None


def format_netlist(netlist: Netlist) -> str:
    """The netlist as text: a line for each part and for each net.

    A part: its name, its sort, its value, what it belongs to. A net: its name, then its pins.
    """
    all_parts = netlist.parts.values()
    part_rows = [(part.ref, part.part_type, part.value or "-", part.cell or part.beside or "-") for part in all_parts]
    netlist_lines = ["# part, what it is, value, cell or the part that it stands by", *align_columns(part_rows, "llll")]
    netlist_lines += ["", "# net: the pins that it joins"]
    for net_name, part_pins in netlist.nets.items():
        netlist_lines += wrap_net(net_name, part_pins, 110)
    return "\n".join(netlist_lines) + "\n"


def wrap_net(net_name: str, part_pins: Iterable[PartPin], width: int) -> list[str]:
    """A net and what it joins, in lines of at most this width: `ground: J1.6 B1.1 ...`."""
    net_text = f"{net_name}: {' '.join(map(str, part_pins))}"
    return textwrap.wrap(net_text, width, subsequent_indent="    ", break_on_hyphens=False)
