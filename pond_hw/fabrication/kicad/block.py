"""Schematic block: symbols, wires between them, and net labels.

A line joins two pins only if both are on the same net, and every group of joined pins has a label or a power symbol for
that net. This way, KiCad finds exactly the nets in the netlist.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from pond_hw.fabrication.kicad.expressions import STEP, Place
from pond_hw.fabrication.kicad.symbols import (
    CONNECTOR_TYPES,
    DIRECTIONS,
    HEADER_TYPES,
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
"""Letter heights in mm, for a block's text and for its title."""

LETTER_WIDTH = 0.9
"""Width of a letter in steps, rounded up."""

FLAG_NAME = "PWR_FLAG"

OPPOSITE_SIDES: dict[Side, Side] = {"left": "right", "right": "left"}

UNNAMED_TYPES = ("pi", "lamp", "button", "key", "turn key", "buzzer", "hall", "linear hall")
"""Part types drawn without a value, because the block's title or the symbol's shape identifies them."""


class Box(NamedTuple):
    """Bounding box in steps."""

    left: float
    top: float
    right: float
    bottom: float


class PlacedText(NamedTuple):
    """Text or net label. It starts on the baseline at `place` and extends towards `side`. `size` is the letter height in mm."""

    text: str
    place: Place
    side: Side = "right"
    size: float = LETTER_SIZE
    is_label: bool = False

    @property
    def box(self) -> Box:
        (x, y), (along_x, along_y) = self.place, DIRECTIONS[self.side]
        length, height = len(self.text) * LETTER_WIDTH * self.size / LETTER_SIZE, 1.2 * self.size / STEP
        xs = sorted((x, x + along_x * length if along_x else x - height))
        ys = sorted((y, y + along_y * length if along_y else y - height))
        return Box(xs[0], ys[0], xs[1], ys[1])


class SymbolText(NamedTuple):
    """Text of a symbol: the property name, the text and its position."""

    name: str
    text: str
    place: Place


class PlacedSymbol(NamedTuple):
    """Symbol on the page: a part, or a power symbol that names a rail."""

    symbol: Symbol
    place: Place
    part: CircuitPart | None = None
    rail_name: str = ""

    @property
    def value(self) -> str:
        """Value of the part or name of the rail: `330 Ω`, `74AHCT125`, `5 V lamps`."""
        return part_value(self.part) if self.part else self.rail_name

    @property
    def shown_texts(self) -> list[SymbolText]:
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
        (x, y), (half_width, half_height) = self.place, self.symbol.half_size
        return Box(x - half_width, y - half_height, x + half_width, y + half_height)


class Block:
    """Block under construction. Coordinates are relative, so that the page can move the whole block.

    Attributes:
        frames: rectangles around parts of the block.
        crosses: pins that are deliberately unconnected.
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
        """Place a part centred on a point. Do nothing if the board does not have the part."""
        if (part := self.netlist.parts.get(part_ref)) is None:
            return
        symbol = part_symbol(part, is_upright)
        self.symbols.append(PlacedSymbol(symbol, (x, y), part))
        for pin in symbol.pins:
            part_pin = PartPin(part_ref, pin.number)
            self._pins[part_pin] = pin._replace(place=(x + pin.place[0], y + pin.place[1]))
            self._groups[part_pin] = {part_pin}

    def place_of(self, part_ref: str, pin_number: str) -> Place:
        return self._pins[PartPin(part_ref, pin_number)].place

    def connect(self, first: tuple[str, str], second: tuple[str, str], is_labelled: bool = False) -> None:
        """Draw a line from one pin to another, first along x, then along y, with an optional net label.

        If the pins are on different nets, label them on opposite sides instead, where the labels cannot touch.
        """
        first_pin, second_pin = PartPin(*first), PartPin(*second)
        if not {first_pin, second_pin} <= self._pins.keys():
            return
        net_name = self.netlist.net_of(first_pin)
        if net_name is None or net_name != self.netlist.net_of(second_pin):
            self.label_pin(*first_pin, "up")
            self.label_pin(*second_pin, "down")
            return
        start, end = self._pins[first_pin].place, self._pins[second_pin].place
        self._add_line(start, (end[0], start[1]), end)
        group = self._groups[first_pin] | self._groups[second_pin]
        self._groups.update(dict.fromkeys(group, group))
        if is_labelled:
            self.texts.append(PlacedText(net_name, start, is_label=True))
            self._named_pins |= group

    def label_pin(self, part_ref: str, pin_number: str, side: Side | None = None, length: int = 1) -> None:
        """Label a pin's net at the end of a line of `length` steps.

        A label to the left or right sits above the line, which is made long enough for it. A pin that may stay unconnected gets
        a cross instead.
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

    def label_remaining_pins(self) -> None:
        """Label all remaining pins. The labels on one side of a part line up."""
        lengths = Counter[tuple[str, Side]]()
        rest = [part_pin for part_pin in self._pins if part_pin not in self._named_pins]
        for part_pin in rest:
            net_name, line = self.netlist.net_of(part_pin), (part_pin.part, self._pins[part_pin].side)
            if net_name and line[1] in ("left", "right") and not is_rail(self.netlist, net_name):
                lengths[line] = max(lengths[line], label_length(net_name))
        for part_pin in rest:
            self.label_pin(*part_pin, length=lengths[part_pin.part, self._pins[part_pin].side] or 1)

    def add_flag(self, part_ref: str, pin_number: str, steps_right: int) -> None:
        """Draw KiCad's power flag to the right of a pin that is fed through a fuse."""
        part_pin = PartPin(part_ref, pin_number)
        if part_pin in self._pins and self.netlist.net_of(part_pin) in _nets_behind_fuse(self.netlist):
            start = self._pins[part_pin].place
            end = _move(start, "right", steps_right)
            self._add_line(start, end)
            self.symbols.append(PlacedSymbol(flag_symbol(), end, rail_name=FLAG_NAME))

    def _add_line(self, *corners: Place) -> None:
        self.wires += [(start, end) for start, end in pairwise(corners) if start != end]

    def _may_be_open(self, part_pin: PartPin) -> bool:
        """Return True if a pin may stay unconnected: of a header or a connector, or a spare pin of a chip."""
        part = self.netlist.parts[part_pin.part]
        pin = part.pins.get(part_pin.pin)
        if pin is None or part.part_type in HEADER_TYPES:
            return pin is None
        if part.part_type in CONNECTOR_TYPES:
            return True
        return pin.pin_kind in STRONG_KINDS or (pin.pin_kind is PinKind.IN and pin.pull_volts is not None)

    def list_junctions(self) -> list[Place]:
        ends = Counter(place for wire in self.wires for place in wire)
        ends.update(pin.place for pin in self._pins.values())
        ends.update(placed.place for placed in self.symbols if placed.part is None)
        return [place for place, count in ends.items() if count > 2]

    def text_boxes(self) -> Iterator[tuple[str, Box]]:
        yield from ((text.text, text.box) for text in self.texts)
        for placed in self.symbols:
            for _, text, (x, y) in placed.shown_texts:
                width, side = len(text) * LETTER_WIDTH, placed.symbol.text_side
                left = x if side == "left" else x - width if side == "right" else x - width / 2
                yield text, Box(left, y - 0.6, left + width, y + 0.6)

    def bounds(self) -> Box:
        title = PlacedText(self.title, (0, 0), size=TITLE_SIZE).box
        boxes = [box for _, box in self.text_boxes()] + [placed.body_box for placed in self.symbols] + self.frames
        ends = [place for wire in self.wires for place in wire]
        left = math.floor(min([box.left for box in boxes] + [x for x, _ in ends]))
        top = math.floor(min([box.top for box in boxes] + [y for _, y in ends]))
        right = max([box.right for box in boxes] + [x for x, _ in ends] + [left + title.right])
        bottom = max([box.bottom for box in boxes] + [y for _, y in ends])
        return Box(left, top, math.ceil(right), math.ceil(bottom))


def part_value(part: CircuitPart) -> str:
    """Return a part's value on a schematic: the value to order, or else its name."""
    return part.value or PART_TYPES[part.part_type].short_name


def label_length(net_name: str) -> int:
    return math.ceil(len(net_name) * LETTER_WIDTH) + 1


def is_rail(netlist: Netlist, net_name: str) -> bool:
    is_fed = any(netlist.pins_on(net_name, PinKind.SUPPLY, PinKind.GROUND))
    return is_fed or net_name in _nets_behind_fuse(netlist)


def _nets_behind_fuse(netlist: Netlist) -> list[str]:
    """Return the supply nets that are fed through a fuse."""
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
