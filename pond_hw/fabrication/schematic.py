"""The circuit of one cell, and of what feeds the lamps, drawn by schemdraw.

    cell   the sensor, what reads it, and what stands beside it
    feed   supply -> fuse -> 1000 µF -> lamps;  GPIO -> 74AHCT125 -> 330 Ω -> first lamp -> next

Every pin and every value is looked up in the netlist.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import schemdraw
import schemdraw.elements
from schemdraw.backends import svg

from pond_hw.fabrication.circuit import FIVE_VOLT_NET, GROUND_NET, LAMP_SUPPLY_NET
from pond_hw.fabrication.netlist import CircuitPart, Netlist, PartPin, find_pin
from pond_hw.fabrication.part_catalogue import PART_TYPES, PULL_UP_OHMS
from pond_hw.fabrication.wire_tracing import SENSOR_TYPES, cell_sensor, lamp_chain, sensor_routes
from pond_hw.fabrication.wires import lamp_strips
from pond_hw.profile.board_profile import Profile
from pond_hw.rules import PondError

EXAMPLE_CELL = "b2"
"""The cell that is drawn; every grid has it."""

RAIL_Y, RAIL_START_X = 5.0, 10.0
"""How high the lamps' rail is drawn, and up to where with what feeds it; all places are in units of the drawing."""

FONT_FAMILY = "Arial, Helvetica, sans-serif"
SMALL_POINTS, LARGE_POINTS = 11, 13
"""Points of text: beside wires, and in boxes."""

INSIDE_COLOUR = "#555555"
"""The colour of what is inside a chip and is not soldered."""

LABEL_OFFSET = (-0.1, -0.1)
"""From where schemdraw puts a text to where it was asked to put it."""

Point = tuple[float, float]

elements: Any = schemdraw.elements  # its types are there only in part


def draw_cell(profile: Profile, netlist: Netlist) -> str:
    """The circuit of cell b2 as SVG.

    Raises:
        PondError: the sensors are simulated.
    """
    sheet = _Sheet(netlist)
    if module := next(netlist.parts_of_type("trellis"), None):
        _draw_module(sheet, module)
    elif not netlist.has_type(*SENSOR_TYPES):
        raise PondError(f"The sensors of {profile.name} are simulated: there is no cell to draw.")
    elif not netlist.has_type("button"):
        _draw_hall(sheet, cell_sensor(netlist, EXAMPLE_CELL))
    elif netlist.has_type("diode"):
        _draw_crossing(sheet, cell_sensor(netlist, EXAMPLE_CELL))
    else:
        _draw_button(sheet, cell_sensor(netlist, EXAMPLE_CELL))
    return sheet.format_svg()


def draw_feed(profile: Profile, netlist: Netlist) -> str:
    """What feeds the lamps, and what brings them their data, as SVG.

    Raises:
        PondError: the board has no chain of lamps.
    """
    _, lamps = lamp_chain(netlist)
    if not lamps:
        raise PondError(f"{profile.name} has no chain of lamps: there is no feed to draw.")
    sheet = _Sheet(netlist)
    _draw_power(sheet)
    _draw_shifter(sheet)
    _draw_lamps(sheet, lamps, len(lamp_strips(profile, netlist)))
    return sheet.format_svg()


class _Sheet:
    """A drawing of parts of a netlist."""

    def __init__(self, netlist: Netlist) -> None:
        svg.config.text = "text"  # as letters, with or without the package that would turn them into outlines
        self.netlist = netlist
        self.drawing = schemdraw.Drawing(canvas="svg", show=False)
        self.drawing.config(fontsize=SMALL_POINTS, font=FONT_FAMILY, lw=1.5, unit=2.5, bgcolor="white")

    def format_svg(self) -> str:
        """The drawing as SVG."""
        text: str = self.drawing.get_imagedata("svg").decode("utf-8")
        return text + "\n"

    def add_part(self, part: Any, start: Point, end: Point) -> None:
        """A symbol with two ends, from one place to another."""
        self.drawing.add(part.at(start).to(end))

    def add_line(self, *points: Point) -> None:
        """A wire from place to place."""
        for start, end in pairwise(points):
            self.add_part(elements.Line(), start, end)

    def add_dot(self, point: Point) -> None:
        """A place where wires are joined."""
        self.drawing.add(elements.Dot().at(point))

    def add_text(self, point: Point, text: str, side: str = "left", **style: Any) -> None:
        """A text that begins, ends or has its middle at a place (`side` left, right, center)."""
        style = {"halign": side, "valign": "bottom", **style}
        self.drawing.add(elements.Label().at(point).theta(0).label(text, loc="center", ofst=LABEL_OFFSET, **style))

    def add_ground(self, point: Point) -> None:
        """The sign of ground under a place."""
        self.drawing.add(elements.Ground().at(point).theta(0))

    def add_box(self, part: CircuitPart, middle: Point, width: float, height: float) -> None:
        """A box around a place, and what it is in it."""
        x, y = middle
        low, high = (x - width / 2, y - height / 2), (x + width / 2, y + height / 2)
        self.drawing.add(elements.Rect(corner1=low, corner2=high).at((0, 0)).theta(0))
        name = PART_TYPES[part.part_type].short_name.replace(" with ", "\nwith ")
        words = "\n".join(word for word in (part.ref, name, part.note or part.value) if word)
        label = elements.Label().at(middle).theta(0)
        self.drawing.add(label.label(words, loc="center", ofst=LABEL_OFFSET, fontsize=LARGE_POINTS))

    def add_pull_up(self, end: PartPin, point: Point) -> None:
        """The pull-up inside what reads, drawn over its wire, if it has one."""
        pin, (x, y) = self.netlist.pin_at(end), point
        if pin.pull_volts:
            ohms = PULL_UP_OHMS["pi" if end.part == "J1" else "mcp23017"]
            self.add_dot(point)
            self.add_part(elements.ResistorIEC().color(INSIDE_COLOUR), point, (x, y + 2.0))
            words = f"pull-up inside {end.part},\nsome {ohms / 1000:g} kΩ"
            self.add_text((x + 0.35, y + 0.8), words, color=INSIDE_COLOUR)
            rail = elements.Vdd().at((x, y + 2.0)).theta(0).label(f"{pin.pull_volts:g} V")
            self.drawing.add(rail.color(INSIDE_COLOUR))

    def add_reader(self, end: PartPin) -> None:
        """The box of what reads at the left, its wire beginning at x = 3."""
        self.add_box(self.netlist.parts[end.part], (0, 0.0), 3.2, 2.2)
        self.add_line((1.6, 0.0), (3.0, 0.0))
        self.add_text((1.75, 0.1), self.pin_label(end))
        self.add_pull_up(end, (5.0, 0.0))

    def add_switch(self, sensor: CircuitPart, first_net: str | None, y: float) -> PartPin:
        """A button at this height, its leg on a net at the left; its other leg."""
        legs = [PartPin(sensor.ref, leg) for leg in ("1", "2")]
        first, second = legs if self.netlist.net_of(legs[0]) == first_net else legs[::-1]
        button = elements.Button().at((9.2, y)).to((11.4, y))
        self.drawing.add(button.label(_part_title(sensor), loc="top", ofst=0.35))
        self.add_text((9.2, y - 0.5), f"leg {first.pin}", "center")
        self.add_text((11.4, y - 0.5), f"leg {second.pin}", "center")
        return second

    def pin_label(self, end: PartPin) -> str:
        """A pin as it stands beside a box: `GPIO 6, header pin 31`."""
        name = self.netlist.pin_at(end).name
        if end.part == "J1":
            return f"{name}, header pin {end.pin}"
        return f"{name}, leg {end.pin}" if name != end.pin else f"leg {end.pin}"

    def pins_of_type(self, net: str | None, *part_types: str) -> list[PartPin]:
        """The pins of parts of these sorts on a net."""
        return [end for end in self.netlist.ends_on(net) if self.netlist.parts[end.part].part_type in part_types]

    def part_beside(self, ref: str) -> CircuitPart:
        """The capacitor that stands by a part."""
        return next(part for part in self.netlist.parts_of_type("capacitor") if part.beside == ref)


def _part_title(part: CircuitPart) -> str:
    """`SW_b2, tactile switch`; `F1, fuse 2 A`."""
    return f"{part.ref}, {PART_TYPES[part.part_type].short_name} {part.value}".rstrip()


def _draw_button(sheet: _Sheet, sensor: CircuitPart) -> None:
    """What reads it at the left, the button to ground at the right."""
    reader = sensor_routes(sheet.netlist)[EXAMPLE_CELL].input_pins[0]
    sheet.add_reader(reader)
    sheet.add_line((3.0, 0), (9.2, 0))
    sheet.add_switch(sensor, sheet.netlist.net_of(reader), 0)
    sheet.add_line((11.4, 0), (12.4, 0), (12.4, -0.6))
    sheet.add_ground((12.4, -0.6))


def _draw_crossing(sheet: _Sheet, sensor: CircuitPart) -> None:
    """The two lines at the left, from the one that is read through button and diode to the one that is driven."""
    netlist, top, low = sheet.netlist, 1.2, -1.2
    drive, sense = sensor_routes(netlist)[EXAMPLE_CELL].input_pins
    sheet.add_box(netlist.parts[sense.part], (0, 0), 3.2, 3.8)
    for end, y in ((sense, top), (drive, low)):
        sheet.add_line((1.6, y), (9.2, y))
        sheet.add_text((1.75, y + 0.1), sheet.pin_label(end))
        sheet.add_text((1.75, y - 0.5), f"the line {netlist.net_of(end)}")
    sheet.add_pull_up(sense, (5.1, top))
    second_leg = sheet.add_switch(sensor, netlist.net_of(sense), top)
    anode = sheet.pins_of_type(netlist.net_of(second_leg), "diode")[0]
    band = netlist.other_pin(anode) or anode
    sheet.add_line((11.4, top), (13.2, top), (13.2, low), (11.4, low))
    sheet.add_part(elements.Diode(), (11.4, low), (9.2, low))
    sheet.add_text((10.3, low + 0.5), _part_title(netlist.parts[anode.part]), "center")
    sheet.add_text((9.4, low - 0.55), netlist.pin_at(band).name, "center")
    sheet.add_text((11.2, low - 0.55), netlist.pin_at(anode).name, "center")


def _draw_hall(sheet: _Sheet, sensor: CircuitPart) -> None:
    """What reads it at the left, the sensor in the middle, its capacitor at the right."""
    plus, minus, out = (find_pin(sensor, pin_name) for pin_name in ("VCC", "GND", "OUT"))
    sheet.add_reader(sensor_routes(sheet.netlist)[EXAMPLE_CELL].input_pins[0])
    sheet.add_line((3.0, 0), (8.4, 0))
    sheet.add_box(sensor, (10.0, 0), 3.2, 2.2)
    sheet.add_text((8.3, 0.1), sheet.pin_label(out), "right")
    high, low = 2.0, -2.0
    sheet.add_line((10.0, 1.1), (10.0, high), (13.4, high), (13.4, 0.9))
    sheet.add_part(elements.Capacitor(), (13.4, 0.9), (13.4, -0.9))
    sheet.add_line((13.4, -0.9), (13.4, low), (10.0, low), (10.0, -1.1))
    sheet.add_text((13.75, -0.35), f"{_part_title(sheet.part_beside(sensor.ref))},\nright beside {sensor.ref}")
    sheet.add_text((10.15, 1.3), sheet.pin_label(plus))
    sheet.add_text((10.15, -1.6), sheet.pin_label(minus))
    sheet.add_dot((10.0, high))
    sheet.add_dot((10.0, low))
    sheet.drawing.add(elements.Vdd().at((10.0, high)).theta(0).label(str(sheet.netlist.net_of(plus))))
    sheet.add_ground((10.0, low))


def _draw_module(sheet: _Sheet, module: CircuitPart) -> None:
    """The header at the left, the module at the right, four wires between them."""
    netlist, height = sheet.netlist, 1.1 * len(module.pins)
    sheet.add_box(netlist.parts["J1"], (0, 0), 3.2, height)
    sheet.add_box(module, (12.0, 0), 5.2, height)
    for number, (leg, pin) in enumerate(module.pins.items()):
        y = (height - 1.1) / 2 - 1.1 * number
        at_header = sheet.pins_of_type(netlist.net_of(PartPin(module.ref, leg)), "pi")
        header_pins = " or ".join(end.pin for end in at_header)
        sheet.add_line((1.6, y), (9.4, y))
        sheet.add_text((1.75, y + 0.1), f"{netlist.pin_at(at_header[0]).name}, header pin {header_pins}")
        sheet.add_text((9.25, y + 0.1), f"{pin.name}, pin {leg}", "right")


def _draw_power(sheet: _Sheet) -> None:
    """From what feeds, through the fuse, to the rail of the lamps."""
    netlist, y = sheet.netlist, RAIL_Y
    sources = sheet.pins_of_type(FIVE_VOLT_NET, "supply", "pi")
    source = netlist.parts[sources[0].part]
    fuse, reservoir = next(netlist.parts_of_type("fuse")), next(netlist.parts_of_type("reservoir"))
    sheet.add_box(source, (0, y - 0.6), 3.4, 2.4)
    pins = ("header pins " if source.part_type == "pi" else "pin ") + " and ".join(end.pin for end in sources)
    sheet.add_line((1.7, y), (5.2, y))
    sheet.add_text((1.85, y + 0.1), f"{netlist.pin_at(sources[0]).name}, {pins}")
    sheet.add_part(elements.Fuse(), (5.2, y), (7.2, y))
    sheet.add_text((6.2, y - 0.75), _part_title(fuse), "center")
    sheet.add_line((7.2, y), (RAIL_START_X, y))
    ground = next(end for end in netlist.ends_on(GROUND_NET) if end.part == source.ref)
    sheet.add_line((1.7, y - 1.2), (3.2, y - 1.2), (3.2, y - 1.5))
    sheet.add_text((1.85, y - 1.1), netlist.pin_at(ground).name)
    sheet.add_ground((3.2, y - 1.5))
    sheet.add_dot((8.4, y))
    sheet.add_part(elements.Capacitor(polar=True), (8.4, y), (8.4, y - 1.7))
    sheet.add_text((8.75, y - 1.25), _part_title(reservoir).replace("capacitor ", "\ncapacitor "))
    sheet.add_ground((8.4, y - 1.7))
    sheet.add_text((11.0, y + 0.1), f"the net {LAMP_SUPPLY_NET}")


def _draw_shifter(sheet: _Sheet) -> None:
    """From the header through the gate and the resistor, under the rail."""
    netlist = sheet.netlist
    shifter = next(netlist.parts_of_type("shifter"))
    data_in, opens, data_out, plus, minus = (find_pin(shifter, name) for name in ("1A", "1OE", "1Y", "VCC", "GND"))
    gpio = sheet.pins_of_type(netlist.net_of(data_in), "pi")[0]
    pull_down, series = (
        netlist.parts[sheet.pins_of_type(netlist.net_of(end), "resistor")[0].part] for end in (data_in, data_out)
    )
    sheet.add_box(netlist.parts[gpio.part], (0, 0), 3.4, 2.2)
    sheet.add_line((1.7, 0), (12.0, 0))
    sheet.add_text((1.85, 0.1), sheet.pin_label(gpio))
    sheet.add_dot((7.4, 0))
    sheet.add_part(elements.ResistorIEC(), (7.4, 0), (7.4, -2.2))
    sheet.add_text((7.75, -1.35), _part_title(pull_down))
    sheet.add_ground((7.4, -2.2))

    sheet.add_box(shifter, (13.6, 0), 3.2, 2.2)
    sheet.add_text((11.85, 0.1), sheet.pin_label(data_in), "right")
    sheet.add_text((15.35, 0.1), sheet.pin_label(data_out))
    for end, x, text_x, side in ((opens, 12.9, 12.9 - 0.15, "right"), (minus, 14.3, 14.3 + 0.15, "left")):
        sheet.add_line((x, -1.1), (x, -1.9))
        sheet.add_text((text_x, -1.6), sheet.pin_label(end), side)
        sheet.add_ground((x, -1.9))
    idle = [int(end.pin) for end in sheet.pins_of_type(GROUND_NET, "shifter") if end not in (opens, minus)]
    words = f"on ground too, so that the other gates stand still: legs {', '.join(map(str, sorted(idle)))}"
    sheet.add_text((13.6, -3.1), words, "center")

    sheet.add_dot((13.6, RAIL_Y))
    sheet.add_line((13.6, RAIL_Y), (13.6, 1.1))
    sheet.add_text((13.45, 1.3), sheet.pin_label(plus), "right")
    sheet.add_dot((13.6, 3.4))
    sheet.add_line((13.6, 3.4), (15.4, 3.4))
    sheet.add_part(elements.Capacitor(), (15.4, 3.4), (15.4, 1.9))
    sheet.add_text((15.75, 2.15), f"{_part_title(sheet.part_beside(shifter.ref))},\nright beside {shifter.ref}")
    sheet.add_ground((15.4, 1.9))

    sheet.add_line((15.2, 0), (17.2, 0))
    sheet.add_part(elements.ResistorIEC(), (17.2, 0), (19.4, 0))
    sheet.add_text((18.3, -0.75), _part_title(series), "center")


def _draw_lamps(sheet: _Sheet, lamps: list[CircuitPart], strips: int) -> None:
    """The first two lamps under the rail, and how it goes on."""
    x = 19.4
    for lamp in lamps[:2]:
        sheet.add_line((x, 0), (x + 1.6, 0))
        x += 1.6
        sheet.add_box(lamp, (x + 1.3, 0), 2.6, 1.8)
        sheet.add_text((x - 0.15, 0.1), "DIN", "right")
        sheet.add_dot((x + 1.3, RAIL_Y))
        sheet.add_line((x + 1.3, RAIL_Y), (x + 1.3, 0.9))
        sheet.add_text((x + 1.45, 1.1), sheet.netlist.pin_at(find_pin(lamp, "5 V")).name)
        sheet.add_line((x + 1.3, -0.9), (x + 1.3, -1.9))
        sheet.add_text((x + 1.45, -1.5), "GND")
        sheet.add_ground((x + 1.3, -1.9))
        x += 2.6
        sheet.add_line((x, 0), (x + 1.2, 0))
        sheet.add_text((x + 0.15, 0.1), "DOUT")
        x += 1.2
    if len(lamps) > 2:
        sheet.add_text((x + 0.2, -0.15), f"... to {lamps[-1].ref}")
    if strips > 1:
        words = f"5 V and ground also to the left end\nof each of the {strips} pieces of strip"
        sheet.add_text((x, RAIL_Y - 1.2), words, "left")
    sheet.add_line((RAIL_START_X, RAIL_Y), (x + 1.2, RAIL_Y))
