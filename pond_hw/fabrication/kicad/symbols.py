"""Schematic symbols: a box for parts with many pins, the standard shape for parts with two.

      5 V                 a pin has a position in steps from the symbol's middle, to the right and down,
  +----1----+             and a side of the body
--4 DIN     2--
  +----3----+
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from pond_hw.fabrication.kicad.expressions import Place, in_mm, node, place_at, points, quoted, stroke, text_style
from pond_hw.fabrication.netlist import CircuitPart, Pin, PinKind
from pond_hw.fabrication.part_catalogue import PART_TYPES, BoxLayout
from pond_hw.profile import pi_header, pico_header

Side = Literal["left", "right", "up", "down"]

DIRECTIONS: Mapping[Side, Place] = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}

PIN_ANGLES: Mapping[Side, int] = {"left": 0, "right": 180, "up": 270, "down": 90}
"""KiCad's angle for a pin on each side of the body."""

BOX_PIN_LENGTH, ROW_HEIGHT, COLUMN_WIDTH = 2, 2, 6
"""Lengths in steps: the length of a box's pins, the spacing of the pins on its sides, and the spacing of the pins on its
top and bottom.
"""


BOXES: Mapping[str, BoxLayout] = {
    "pi": BoxLayout(24, " ".join(map(str, range(1, 41, 2))), " ".join(map(str, range(2, 41, 2)))),
    "pico": BoxLayout(24, " ".join(map(str, range(1, 21))), " ".join(map(str, range(40, 20, -1)))),
    "supply": BoxLayout(10, "", "A9 B9 . A5 B5 . A12 B12 S1"),
    "supply plug": BoxLayout(6),
    "cut-off transistor": BoxLayout(12, "3", "2", "", "1"),
    "pnp transistor": BoxLayout(12, "1", "", "2", "3"),
    "voltage reference": BoxLayout(14, "2", "", "1", "3"),
    "test point": BoxLayout(4),
    "shifter": BoxLayout(14, "2 1 . 5 4 . 9 10 . 12 13", "3 . . 6 . . 8 . . 11 .", "14", "7"),
    "hall": BoxLayout(12, "", "3", "1", "2"),
    "linear hall": BoxLayout(12, "", "3", "1", "2"),
    "trellis": BoxLayout(18, "3 4", "", "1", "2"),
    "lamp": BoxLayout(10, "4", "2", "1", "3"),
    "plug": BoxLayout(6),
    "row connector": BoxLayout(6),
    "switch row": BoxLayout(18),
    "magnet row": BoxLayout(18),
    **{part_type: entry.box for part_type, entry in PART_TYPES.items() if entry.box},
}

CONNECTOR_TYPES = ("plug", "row connector", "switch row", "magnet row", "supply plug", "test point")
"""Part types with any number of pins, all on the left."""

HEADER_TYPES = ("pi", "pico")
FEEDING_TYPES = (*HEADER_TYPES, "row connector", "supply")
"""Part types with supply pins, of which those with the same name are joined inside."""

PICO_PIN_NAMES = {
    "30": "RUN",
    "34": "GP28",
    "35": "ADC_VREF",
    "36": "3V3_OUT",
    "37": "3V3_EN",
    "39": "VSYS",
    "40": "VBUS",
}
"""Names of the Pico pins that boards cannot use."""

KICAD_KINDS = {
    PinKind.IN: "input",
    PinKind.OUT: "output",
    PinKind.GPIO_OUT: "output",
    PinKind.TRI_STATE: "tri_state",
    PinKind.OPEN: "open_collector",
    PinKind.PASSIVE: "passive",
    PinKind.SUPPLY: "power_out",
    PinKind.FED: "power_in",
    PinKind.GROUND: "power_in",
}


def _corner(name: str, place: Place) -> str:
    return node(name, in_mm(place[0]), in_mm(-place[1]))  # y points up in KiCad's symbols


def _fill(kind: str) -> str:
    return node("fill", node("type", kind))


def draw_line(*places: Place, width: float = 0.25) -> str:
    return node("polyline", points(*((x, -y) for x, y in places)), stroke(width), _fill("none"))


def draw_rectangle(half_width: float, top: float, bottom: float, fill: str = "none") -> str:
    """Draw a rectangle centred on x = 0."""
    corners = _corner("start", (-half_width, top)), _corner("end", (half_width, bottom))
    return node("rectangle", *corners, stroke(0.25), _fill(fill))


def _draw_circle(middle: Place, radius: float) -> str:
    return node("circle", _corner("center", middle), node("radius", in_mm(radius)), stroke(0.25), _fill("none"))


def _draw_arc(start: Place, middle: Place, end: Place) -> str:
    places = _corner("start", start), _corner("mid", middle), _corner("end", end)
    return node("arc", *places, stroke(0.25), _fill("none"))


class Shape(NamedTuple):
    """Shape of a part with two ends. Coordinates are measured from its middle, to the right and down.

    `pin_length` is the distance in steps from an end to the body.
    """

    body: tuple[str, ...]
    ends: tuple[Place, Place]
    pin_length: float


LEVEL_ENDS, UPRIGHT_ENDS, SWITCH_ENDS = ((-3, 0), (3, 0)), ((0, -3), (0, 3)), ((-4, 0), (4, 0))

SWITCH = Shape(
    (
        _draw_circle((-2, 0), 0.4),
        _draw_circle((2, 0), 0.4),
        draw_line((-2, -1), (2, -1)),
        draw_line((0, -1), (0, -1.8)),
    ),
    SWITCH_ENDS,
    1.6,
)

RESERVOIR = Shape(
    (
        draw_rectangle(1.6, -0.8, -0.3),
        draw_rectangle(1.6, 0.3, 0.8, "outline"),
        draw_line((-1.8, -1.6), (-1, -1.6)),
        draw_line((-1.4, -2), (-1.4, -1.2)),
    ),
    UPRIGHT_ENDS,
    2.2,
)

SHAPES: Mapping[str, Shape] = {
    "resistor": Shape((draw_rectangle(2, -0.8, 0.8),), LEVEL_ENDS, 1),
    "resistor upright": Shape((draw_rectangle(0.8, -2, 2),), UPRIGHT_ENDS, 1),
    "fuse": Shape((draw_rectangle(2, -0.8, 0.8), draw_line((-2, 0), (2, 0))), LEVEL_ENDS, 1),
    "diode": Shape(
        (draw_line((-1, -1), (-1, 1), (1, 0), (-1, -1)), draw_line((1, -1), (1, 1))),
        LEVEL_ENDS,
        2,
    ),
    "button": SWITCH,
    "key": SWITCH,
    "turn key": SWITCH,
    "capacitor": Shape(
        (draw_line((-1.6, -0.5), (1.6, -0.5), width=0.5), draw_line((-1.6, 0.5), (1.6, 0.5), width=0.5)),
        UPRIGHT_ENDS,
        2.5,
    ),
    "reservoir": RESERVOIR,
    "row reservoir": RESERVOIR,
    "tvs": Shape(
        (draw_line((-1, 1), (1, 1), (0, -1), (-1, 1)), draw_line((-1, -1), (1, -1))),
        UPRIGHT_ENDS,
        2,
    ),
    "power lamp": Shape(
        (
            draw_line((1, -1), (1, 1), (-1, 0), (1, -1)),
            draw_line((-1, -1), (-1, 1)),
            draw_line((0.2, -1.2), (-0.6, -2)),
            draw_line((1, -1.2), (0.2, -2)),
        ),
        LEVEL_ENDS,
        2,
    ),
    "buzzer": Shape((_draw_arc((-1, -2), (1, 0), (-1, 2)), draw_line((-1, -2), (-1, 2))), ((-3, -1), (-3, 1)), 2),
}

GROUND_BARS, RAIL_BARS = ((1, 1), (1.5, 0.6), (2, 0.2)), ((1, 1),)
"""Bars of the ground and supply symbols: distance from the end of the wire, and half the bar's length."""

FLAG_BODY = (draw_line((0, 0), (0, -1), (-0.8, -1.6), (0, -2.2), (0.8, -1.6), (0, -1)),)


class SymbolPin(NamedTuple):
    """Pin as drawn: where a wire meets it, its side of the body, and its KiCad pin type."""

    number: str
    name: str
    place: Place
    side: Side
    kind: str


class Symbol(NamedTuple):
    """Schematic symbol, stored in the schematic itself.

    Attributes:
        pin_length: steps from a pin's end to the body.
        text_places: positions of the reference, value and note.
        text_side: text alignment, `left` or `right`; centred if empty.
        is_box: True if pin names and numbers are shown.
        is_power: True for a rail instead of a part.
    """

    name: str
    pins: tuple[SymbolPin, ...]
    body: tuple[str, ...]
    half_size: Place = (2, 2)
    pin_length: float = 0
    text_places: tuple[Place, Place, Place] = ((0, -2.5), (0, 2.5), (0, 4))
    text_side: str = ""
    is_box: bool = False
    is_power: bool = False


def part_symbol(part: CircuitPart, is_upright: bool = False) -> Symbol:
    if part.part_type in BOXES:
        return _box_symbol(part)
    name = f"{part.part_type} upright" if is_upright else part.part_type
    shape, kinds = SHAPES[name], _pin_kinds(part)
    (first_x, first_y), (other_x, _) = shape.ends
    is_level = first_y == 0
    sides: tuple[Side, Side] = ("left", "right") if is_level else ("left", "left") if first_x else ("up", "down")
    pins = tuple(
        SymbolPin(number, part.pins[number].name, place, side, kinds[number])
        for number, place, side in zip(part.pins, shape.ends, sides, strict=True)
    )
    symbol = Symbol(name, pins, shape.body, pin_length=shape.pin_length)
    if first_x == other_x == 0:
        return symbol._replace(text_places=((2, -1), (2, 1), (2, 3)), text_side="left")
    return symbol if is_level else symbol._replace(text_places=((0, -3), (0, 3), (0, 4.5)))


def power_symbol(is_ground: bool, side: Side) -> Symbol:
    (along_x, along_y), (across_x, across_y) = (
        DIRECTIONS[side],
        DIRECTIONS["up" if side in ("left", "right") else "left"],
    )

    def place(along: float, across: float) -> Place:
        return along_x * along + across_x * across, along_y * along + across_y * across

    bars = GROUND_BARS if is_ground else RAIL_BARS
    body = [draw_line((0, 0), place(1, 0))]
    body += [draw_line(place(far, -wide), place(far, wide)) for far, wide in bars]
    text_side = {"left": "right", "right": "left"}.get(side, "")
    text_place = place(1.6 if text_side else 1.9, 0)
    pin = SymbolPin("1", "", (0, 0), side, "power_in")
    name = f"{'ground' if is_ground else 'rail'} {side}"
    return Symbol(name, (pin,), tuple(body), text_places=(text_place,) * 3, text_side=text_side, is_power=True)


def flag_symbol() -> Symbol:
    """Return KiCad's power flag for a net that is fed through a part, such as a fuse."""
    pin = SymbolPin("1", "", (0, 0), "down", "power_out")
    return Symbol("fed", (pin,), FLAG_BODY, text_places=((0, -3),) * 3, is_power=True)


def _box_symbol(part: CircuitPart) -> Symbol:
    layout, kinds = BOXES[part.part_type], _pin_kinds(part)
    if part.part_type in CONNECTOR_TYPES:
        layout = layout._replace(left=" ".join(part.pins))
    rows = max(len(layout.left.split()), len(layout.right.split()))
    half_width, half_height = layout.width // 2, max(rows, 3) + 1
    points: dict[str, tuple[Place, Side]] = {}
    row_sides: tuple[tuple[Side, str], ...] = ("left", layout.left), ("right", layout.right)
    column_sides: tuple[tuple[Side, str], ...] = ("up", layout.up), ("down", layout.down)
    for row_side, numbers in row_sides:
        x = DIRECTIONS[row_side][0] * (half_width + BOX_PIN_LENGTH)
        for row, number in enumerate(numbers.split()):
            points[number] = (x, 1 - rows + ROW_HEIGHT * row), row_side
    for column_side, numbers in column_sides:
        y = DIRECTIONS[column_side][1] * (half_height + BOX_PIN_LENGTH)
        first_x = -(len(numbers.split()) - 1) * COLUMN_WIDTH / 2
        for column, number in enumerate(numbers.split()):
            points[number] = (first_x + COLUMN_WIDTH * column, y), column_side
    drawn_pins = _header_pins(part) if part.part_type in HEADER_TYPES else part.pins
    pins = tuple(
        SymbolPin(number, _short_name(part, pin), *points[number], kinds.get(number, "passive"))
        for number, pin in drawn_pins.items()
    )
    above, below = -half_height - 1, half_height + 1
    value_x = len(layout.up.split()) * COLUMN_WIDTH / 2 - 1.5 if layout.up else 4 - half_width
    note_x = max(1.5, len(layout.down.split()) * COLUMN_WIDTH / 2 - 1.5)
    return Symbol(
        part.part_type,
        pins,
        (draw_rectangle(half_width, -half_height, half_height, "background"),),
        half_size=(half_width, half_height),
        pin_length=BOX_PIN_LENGTH,
        text_places=((-half_width, above), (value_x, above), (note_x, below)),
        text_side="left",
        is_box=True,
    )


def _short_name(part: CircuitPart, pin: Pin) -> str:
    """Remove spaces, which KiCad would replace; return an empty name if the label beside the pin already shows it."""
    return "" if part.part_type == "row connector" else pin.name.replace(" ", "")


def _header_pins(header: CircuitPart) -> dict[str, Pin]:
    """Return all pins of the Pi's header or of a Pico in order, used or not."""
    names = {str(number): f"GPIO {gpio}" for gpio, number in pi_header.HEADER_PINS.items()}
    names |= {"1": "3.3 V", "17": "3.3 V", "2": "5 V", "4": "5 V"}
    if header.part_type == "pico":
        names = {str(number): f"GP{gpio}" for gpio, number in pico_header.PICO_PINS.items()} | PICO_PIN_NAMES
    numbers = map(str, range(1, 41))
    return {number: header.pins.get(number, Pin(names.get(number, "ground"), PinKind.PASSIVE)) for number in numbers}


def _pin_kinds(part: CircuitPart) -> dict[str, str]:
    """Return the KiCad pin types of a part's pins.

    An input with a pull-up counts as driving its net. Header pins with the same name are joined inside the Pi, so only the
    first of its ground pins is a source.
    """
    kinds, seen_names = {}, set[str]()
    for number, pin in part.pins.items():
        kinds[number] = KICAD_KINDS[pin.pin_kind]
        if pin.pull_volts is not None and pin.pin_kind in (PinKind.IN, PinKind.OPEN):
            kinds[number] = "bidirectional"
        if part.part_type in FEEDING_TYPES:
            is_ground, is_first = pin.pin_kind is PinKind.GROUND, pin.name not in seen_names
            is_ground = is_ground and part.part_type != "supply"
            kinds[number] = "passive" if not is_first else "power_out" if is_ground else kinds[number]
        seen_names.add(pin.name)
    return kinds


def library_entry(symbol: Symbol) -> str:
    hidden = [] if symbol.is_box else ["(hide yes)"]
    numbers = [node("pin_numbers", *hidden)] if hidden else []
    fields = {"Reference": "#PWR" if symbol.is_power else "U", "Value": symbol.name, "Footprint": ""}
    style = text_style(size=1.0)
    pins = [
        node(
            "pin",
            pin.kind,
            "line",
            place_at((pin.place[0], -pin.place[1]), PIN_ANGLES[pin.side]),
            node("length", in_mm(symbol.pin_length)),
            node("name", quoted(pin.name), style),
            node("number", quoted(pin.number), style),
        )
        for pin in symbol.pins
    ]
    return node(
        "symbol",
        quoted(f"pond:{symbol.name}"),
        *["(power)"] * symbol.is_power,
        *numbers,
        node("pin_names", node("offset", 0.5), *hidden),
        "(exclude_from_sim no) (in_bom yes) (on_board yes)",
        *(
            node("property", quoted(name), quoted(text), place_at((0, 0), 0), text_style(is_hidden=True))
            for name, text in fields.items()
        ),
        node("symbol", quoted(f"{symbol.name}_0_1"), *symbol.body),
        node("symbol", quoted(f"{symbol.name}_1_1"), *pins),
    )
