"""Parts, their pins, and the nets that join these: what a board is, electrically.

J1 (the Pi)          SW_a1 (a button)           a net joins pins:  "a1"   J1.7  SW_a1.1
  7  GPIO 4  in -------- 1      2 ------ ground                    "GND"  J1.9  SW_a1.2  ...
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

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


def find_pin(part: CircuitPart, name: str) -> PartPin:
    """The end of a part whose pin has this name.

    Raises:
        KeyError: it has none.
    """
    for number, pin in part.pins.items():
        if pin.name == name:
            return PartPin(part.ref, number)
    raise KeyError(f"{part.ref} has no pin {name}")


@dataclass(frozen=True)
class Netlist:
    """A whole board.

    Attributes:
        parts: by their names.
        nets: the pins that are joined, by the name of the net.
    """

    parts: Mapping[str, CircuitPart]
    nets: Mapping[str, tuple[PartPin, ...]]
    _net_by_pin: dict[PartPin, str] = field(init=False, repr=False, compare=False)
    _neighbours: dict[str, list[tuple[str, str]]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        found = {end: name for name, ends in self.nets.items() for end in ends}
        object.__setattr__(self, "_net_by_pin", found)
        ways: dict[str, list[tuple[str, str]]] = {name: [] for name in self.nets}
        for end, name in found.items():
            if (other := self.other_pin(end)) and other in found:
                ways[name].append((self.parts[end.part].part_type, found[other]))
        object.__setattr__(self, "_neighbours", ways)

    def pin_at(self, end: PartPin) -> Pin:
        """The pin at an end."""
        return self.parts[end.part].pins[end.pin]

    def net_of(self, end: PartPin) -> str | None:
        """The net that a pin is on; None if nothing is soldered to it."""
        return self._net_by_pin.get(end)

    def pins_on(self, net: str | None, *kinds: PinKind) -> Iterator[PartPin]:
        """The pins of these kinds on a net."""
        return (end for end in self.nets.get(net or "", ()) if self.pin_at(end).pin_kind in kinds)

    def parts_of_type(self, *sorts: str) -> Iterator[CircuitPart]:
        """The parts of these sorts, in their order."""
        return (part for part in self.parts.values() if part.part_type in sorts)

    def other_pin(self, end: PartPin) -> PartPin | None:
        """The other end of a part with two pins."""
        pins = self.parts[end.part].pins
        return next((PartPin(end.part, pin) for pin in pins if pin != end.pin), None) if len(pins) == 2 else None

    def neighbour_nets(self, net: str) -> list[tuple[str, str]]:
        """The parts with two pins that lead away from a net: what each is, and the net beyond it."""
        return self._neighbours[net]


class NetlistBuilder:
    """A netlist while it is being put together."""

    def __init__(self) -> None:
        self.parts: dict[str, CircuitPart] = {}
        self.nets: dict[str, list[PartPin]] = {}

    def add_part(self, part: CircuitPart) -> CircuitPart:
        """Add a part.

        Raises:
            ValueError: there is one of that name.
        """
        if part.ref in self.parts:
            raise ValueError(f"There is a part {part.ref} already.")
        self.parts[part.ref] = part
        return part

    def join_pins(self, net: str, *ends: tuple[CircuitPart, str] | PartPin) -> None:
        """Solder these pins to a net; a pin of a part is given by its name."""
        found = self.nets.setdefault(net, [])
        found += (end if isinstance(end, PartPin) else find_pin(*end) for end in ends)

    def build_netlist(self) -> Netlist:
        """The board."""
        return Netlist(self.parts, {name: tuple(ends) for name, ends in self.nets.items()})


def format_netlist(netlist: Netlist) -> str:
    """The netlist as text: a line for each part and for each net.

    A part: its name, its sort, its value, what it belongs to. A net: its name, then its pins.
    """
    every = netlist.parts.values()
    parts = [(part.ref, part.part_type, part.value or "-", part.cell or part.beside or "-") for part in every]
    wide = [max(map(len, column)) for column in zip(*parts, strict=True)]
    lines = ["# part, what it is, value, cell or the part that it stands by"]
    lines += ["  ".join(f"{word:<{width}}" for word, width in zip(part, wide, strict=True)).rstrip() for part in parts]
    lines += ["", "# net: the pins that it joins"]
    for name, ends in netlist.nets.items():
        lines += _wrap_words(f"{name}:", (str(end) for end in ends))
    return "\n".join(lines) + "\n"


def _wrap_words(head: str, words: Iterable[str], wide: int = 110) -> Iterator[str]:
    line = head
    for word in words:
        if len(line) + 1 + len(word) > wide:
            yield line
            line = "   "
        line += f" {word}"
    yield line
