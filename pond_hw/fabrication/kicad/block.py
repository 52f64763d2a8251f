"""A block of a schematic: symbols, the wires between them, and what names the net of each pin.

No wire is drawn that the netlist does not have: two pins are joined by a line only if one net has both, and every group
of pins that lines join has a label or a sign of that net. So KiCad reads the same nets, whatever the board is.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from pond_hw.fabrication.kicad.expressions import STEP, Place
from pond_hw.fabrication.kicad.symbols import (
    DIRECTIONS,
    Side,
    Symbol,
    SymbolPin,
    flag_symbol,
    part_symbol,
    power_symbol,
)
from pond_hw.fabrication.netlist import CircuitPart, Netlist, PartPin, PinKind
from pond_hw.fabrication.netlist_checks import STRONG_KINDS, rail_volts
from pond_hw.fabrication.part_catalogue import PART_TYPES

LETTER_SIZE, TITLE_SIZE = 1.27, 2.0
"""mm: the height of letters, and of those of a block's title."""

LETTER_WIDTH = 0.9
"""Steps that a letter takes, rather more than less."""

FLAG_NAME = "PWR_FLAG"

OPPOSITE_SIDES: dict[Side, Side] = {"left": "right", "right": "left"}

UNNAMED_TYPES = ("pi", "lamp", "button", "key", "turn key", "buzzer", "hall", "linear hall")
"""Sorts of parts whose value is not written beside them: the block's title says it, or the shape."""


class Box(NamedTuple):
    """The room that something takes, in steps."""

    left: float
    top: float
    right: float
    bottom: float


class PlacedText(NamedTuple):
    """A label, which names a net, or a text for people.

    Attributes:
        text: what is written.
        place: where it begins, on the line below it.
        side: to which side it goes on from there.
        size: of its letters in mm.
        is_label: whether it names a net.
    """

    text: str
    place: Place
    side: Side = "right"
    size: float = LETTER_SIZE
    is_label: bool = False

    @property
    def box(self) -> Box:
        """The room it takes."""
        (x, y), (along_x, along_y) = self.place, DIRECTIONS[self.side]
        length, height = len(self.text) * LETTER_WIDTH * self.size / LETTER_SIZE, 1.2 * self.size / STEP
        xs = sorted((x, x + along_x * length if along_x else x - height))
        ys = sorted((y, y + along_y * length if along_y else y - height))
        return Box(xs[0], ys[0], xs[1], ys[1])


class SymbolText(NamedTuple):
    """A text that belongs to a symbol: which of its properties, and where it stands."""

    name: str
    text: str
    place: Place


class PlacedSymbol(NamedTuple):
    """A symbol in its place: of a part, or a sign with the name of a rail."""

    symbol: Symbol
    place: Place
    part: CircuitPart | None = None
    rail_name: str = ""

    @property
    def value(self) -> str:
        """What it is: `330 Ω`, `74AHCT125`, `5 V lamps`."""
        return part_value(self.part) if self.part else self.rail_name

    @property
    def shown_texts(self) -> list[SymbolText]:
        """What is written beside it."""
        reference = note = ""
        value, part = self.value, self.part
        if part is None:
            value = "" if self.symbol.name.startswith("ground") else value
        else:
            reference, value = part.ref, "" if part.part_type in UNNAMED_TYPES else value
            note = (part.cell or "") if part.part_type == "lamp" else part.note if self.symbol.is_box else ""
        x, y = self.place
        texts = zip(("Reference", "Value", "Note"), (reference, value, note), self.symbol.text_places, strict=True)
        return [SymbolText(name, text, (x + far_x, y + far_y)) for name, text, (far_x, far_y) in texts if text]

    @property
    def body_box(self) -> Box:
        """The room that its body takes."""
        (x, y), (half_width, half_height) = self.place, self.symbol.half_size
        return Box(x - half_width, y - half_height, x + half_width, y + half_height)


class Block:
    """One block while it is drawn. Places count from anywhere, as the page moves the whole of it.

    Attributes:
        title: what is written above it.
        symbols, wires, texts: what is drawn.
        frames: rectangles around parts of it.
        crosses: pins that are meant to be on no net.
    """

    def __init__(self, title: str, netlist: Netlist) -> None:
        self.title, self.netlist = title, netlist
        self.symbols: list[PlacedSymbol] = []
        self.wires: list[tuple[Place, Place]] = []
        self.texts: list[PlacedText] = []
        self.frames: list[Box] = []
        self.crosses: list[Place] = []
        self._pins: dict[PartPin, SymbolPin] = {}
        self._groups: dict[PartPin, set[PartPin]] = {}
        self._named_pins = set[PartPin]()

    def add_part(self, part_ref: str, x: float, y: float, is_upright: bool = False) -> None:
        """Put a part with its middle at a place; nothing if the board has none of that name."""
        if (part := self.netlist.parts.get(part_ref)) is None:
            return
        symbol = part_symbol(part, is_upright)
        self.symbols.append(PlacedSymbol(symbol, (x, y), part))
        for pin in symbol.pins:
            part_pin = PartPin(part_ref, pin.number)
            self._pins[part_pin] = pin._replace(place=(x + pin.place[0], y + pin.place[1]))
            self._groups[part_pin] = {part_pin}

    def place_of(self, part_ref: str, pin_number: str) -> Place:
        """Where a pin of a part that is drawn here ends."""
        return self._pins[PartPin(part_ref, pin_number)].place

    def connect(self, one: tuple[str, str], other: tuple[str, str], is_labelled: bool = False) -> None:
        """Draw a line from a pin along x and then along y to another, if one net has both; perhaps with its name.

        If two nets have them, each is named across the way to the other, where its label cannot touch that.
        """
        one_pin, other_pin = PartPin(*one), PartPin(*other)
        if not {one_pin, other_pin} <= self._pins.keys():
            return
        net_name = self.netlist.net_of(one_pin)
        if net_name is None or net_name != self.netlist.net_of(other_pin):
            self.name_pin(*one_pin, "up")
            self.name_pin(*other_pin, "down")
            return
        start, end = self._pins[one_pin].place, self._pins[other_pin].place
        self._add_line(start, (end[0], start[1]), end)
        group = self._groups[one_pin] | self._groups[other_pin]
        self._groups.update(dict.fromkeys(group, group))
        if is_labelled:
            self.texts.append(PlacedText(net_name, start, is_label=True))
            self._named_pins |= group

    def name_pin(self, part_ref: str, pin_number: str, side: Side | None = None, length: int = 1) -> None:
        """Name the net of a pin at the end of a line of some steps, to the side where it stands or to another.

        To the left and the right a label stands above its line, which is then at least as long. A pin that may be on no
        net gets a cross.
        """
        part_pin = PartPin(part_ref, pin_number)
        if (pin := self._pins.get(part_pin)) is None or part_pin in self._named_pins:
            return
        side, net_name = side or pin.side, self.netlist.net_of(part_pin)
        if net_name is None:
            self.crosses += [pin.place] * self._may_be_open(part_pin)
            return
        if is_rail(self.netlist, net_name):
            end = _move(pin.place, side, length)
            is_ground = any(self.netlist.pins_on(net_name, PinKind.GROUND))
            self.symbols.append(PlacedSymbol(power_symbol(is_ground, side), end, rail_name=net_name))
        elif side in ("left", "right"):
            end = _move(pin.place, side, max(length, label_length(net_name)))
            self.texts.append(PlacedText(net_name, end, OPPOSITE_SIDES[side], is_label=True))
        else:
            end = _move(pin.place, side, length)
            self.texts.append(PlacedText(net_name, end, side, is_label=True))
        self._add_line(pin.place, end)
        self._named_pins |= self._groups[part_pin]

    def name_rest(self) -> None:
        """Name what has no name yet, all on one side of a part equally far from it."""
        lengths = Counter[tuple[str, Side]]()
        rest = [part_pin for part_pin in self._pins if part_pin not in self._named_pins]
        for part_pin in rest:
            net_name, line = self.netlist.net_of(part_pin), (part_pin.part, self._pins[part_pin].side)
            if net_name and line[1] in ("left", "right") and not is_rail(self.netlist, net_name):
                lengths[line] = max(lengths[line], label_length(net_name))
        for part_pin in rest:
            self.name_pin(*part_pin, length=lengths[part_pin.part, self._pins[part_pin].side] or 1)

    def add_flag(self, part_ref: str, pin_number: str, steps_right: int) -> None:
        """KiCad's sign that a net is fed, to the right of a pin, if it is fed by way of another part."""
        part_pin = PartPin(part_ref, pin_number)
        if part_pin in self._pins and self.netlist.net_of(part_pin) in _nets_behind_fuse(self.netlist):
            start = self._pins[part_pin].place
            end = _move(start, "right", steps_right)
            self._add_line(start, end)
            self.symbols.append(PlacedSymbol(flag_symbol(), end, rail_name=FLAG_NAME))

    def _add_line(self, *corners: Place) -> None:
        self.wires += [(start, end) for start, end in pairwise(corners) if start != end]

    def _may_be_open(self, part_pin: PartPin) -> bool:
        """Whether a pin may be on no net: unused ones of the header, and what a chip has to spare."""
        pin = self.netlist.parts[part_pin.part].pins.get(part_pin.pin)
        if pin is None or part_pin.part == "J1":
            return pin is None
        return pin.pin_kind in STRONG_KINDS or (pin.pin_kind is PinKind.IN and pin.pull_volts is not None)

    def list_junctions(self) -> list[Place]:
        """Where three or more lines meet, those of pins counted."""
        ends = Counter(place for wire in self.wires for place in wire)
        ends.update(pin.place for pin in self._pins.values())
        ends.update(placed.place for placed in self.symbols if placed.part is None)
        return [place for place, count in ends.items() if count > 2]

    def text_boxes(self) -> Iterator[tuple[str, Box]]:
        """Each text, and the room it takes."""
        yield from ((text.text, text.box) for text in self.texts)
        for placed in self.symbols:
            for _, text, (x, y) in placed.shown_texts:
                width, side = len(text) * LETTER_WIDTH, placed.symbol.text_side
                left = x if side == "left" else x - width if side == "right" else x - width / 2
                yield text, Box(left, y - 0.6, left + width, y + 0.6)

    def bounds(self) -> Box:
        """The room that all of it takes, in whole steps."""
        title = PlacedText(self.title, (0, 0), size=TITLE_SIZE).box
        boxes = [box for _, box in self.text_boxes()] + [placed.body_box for placed in self.symbols] + self.frames
        ends = [place for wire in self.wires for place in wire]
        left = math.floor(min([box.left for box in boxes] + [x for x, _ in ends]))
        top = math.floor(min([box.top for box in boxes] + [y for _, y in ends]))
        right = max([box.right for box in boxes] + [x for x, _ in ends] + [left + title.right])
        bottom = max([box.bottom for box in boxes] + [y for _, y in ends])
        return Box(left, top, math.ceil(right), math.ceil(bottom))


def part_value(part: CircuitPart) -> str:
    """What a schematic calls the value of a part: as it is ordered, or its name."""
    return part.value or PART_TYPES[part.part_type].short_name


def label_length(net_name: str) -> int:
    """How many steps long a line is whose name stands above it."""
    return math.ceil(len(net_name) * LETTER_WIDTH) + 1


def is_rail(netlist: Netlist, net_name: str) -> bool:
    """Whether a net is ground or a supply, which a sign stands for."""
    is_fed = any(netlist.pins_on(net_name, PinKind.SUPPLY, PinKind.GROUND))
    return is_fed or net_name in _nets_behind_fuse(netlist)


def _nets_behind_fuse(netlist: Netlist) -> list[str]:
    """The nets that feed something and are themselves fed by way of a fuse."""
    return [
        net_name
        for net_name in netlist.nets
        if any(netlist.pins_on(net_name, PinKind.FED))
        and not any(netlist.pins_on(net_name, PinKind.SUPPLY, PinKind.GROUND))
        and rail_volts(netlist, net_name)
    ]


def _move(place: Place, side: Side, steps: float) -> Place:
    along_x, along_y = DIRECTIONS[side]
    return place[0] + along_x * steps, place[1] + along_y * steps
