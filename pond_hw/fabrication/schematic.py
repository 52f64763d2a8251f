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
        svg_text: str = self.drawing.get_imagedata("svg").decode("utf-8")
        return svg_text + "\n"

    def add_part(self, element: Any, start_point: Point, end_point: Point) -> None:
        """A symbol with two ends, from one place to another."""
        self.drawing.add(element.at(start_point).to(end_point))

    def add_line(self, *points: Point) -> None:
        """A wire from place to place."""
        for start_point, end_point in pairwise(points):
            self.add_part(elements.Line(), start_point, end_point)

    def add_dot(self, point: Point) -> None:
        """A place where wires are joined."""
        self.drawing.add(elements.Dot().at(point))

    def add_text(self, point: Point, text: str, text_side: str = "left", **style: Any) -> None:
        """A text that begins, ends or has its middle at a place (`text_side` left, right, center)."""
        style = {"halign": text_side, "valign": "bottom", **style}
        self.drawing.add(elements.Label().at(point).theta(0).label(text, loc="center", ofst=LABEL_OFFSET, **style))

    def add_ground(self, point: Point) -> None:
        """The sign of ground under a place."""
        self.drawing.add(elements.Ground().at(point).theta(0))

    def add_box(self, part: CircuitPart, middle_point: Point, width: float, height: float) -> None:
        """A box around a place, and what it is in it."""
        x, y = middle_point
        low_corner, high_corner = (x - width / 2, y - height / 2), (x + width / 2, y + height / 2)
        self.drawing.add(elements.Rect(corner1=low_corner, corner2=high_corner).at((0, 0)).theta(0))
        part_name = PART_TYPES[part.part_type].short_name.replace(" with ", "\nwith ")
        box_text = "\n".join(text_part for text_part in (part.ref, part_name, part.note or part.value) if text_part)
        label = elements.Label().at(middle_point).theta(0)
        self.drawing.add(label.label(box_text, loc="center", ofst=LABEL_OFFSET, fontsize=LARGE_POINTS))

    def add_pull_up(self, part_pin: PartPin, point: Point) -> None:
        """The pull-up inside what reads, drawn over its wire, if it has one."""
        pin, (x, y) = self.netlist.pin_at(part_pin), point
        if pin.pull_volts:
            ohms = PULL_UP_OHMS["pi" if part_pin.part == "J1" else "mcp23017"]
            self.add_dot(point)
            self.add_part(elements.ResistorIEC().color(INSIDE_COLOUR), point, (x, y + 2.0))
            pull_up_text = f"pull-up inside {part_pin.part},\nsome {ohms / 1000:g} kΩ"
            self.add_text((x + 0.35, y + 0.8), pull_up_text, color=INSIDE_COLOUR)
            rail = elements.Vdd().at((x, y + 2.0)).theta(0).label(f"{pin.pull_volts:g} V")
            self.drawing.add(rail.color(INSIDE_COLOUR))

    def add_reader(self, part_pin: PartPin) -> None:
        """The box of what reads at the left, its wire beginning at x = 3."""
        self.add_box(self.netlist.parts[part_pin.part], (0, 0.0), 3.2, 2.2)
        self.add_line((1.6, 0.0), (3.0, 0.0))
        self.add_text((1.75, 0.1), self.pin_label(part_pin))
        self.add_pull_up(part_pin, (5.0, 0.0))

    def add_switch(self, sensor: CircuitPart, first_net: str | None, y: float) -> PartPin:
        """A button at this height, its leg on a net at the left; its other leg."""
        leg_pins = [PartPin(sensor.ref, leg_number) for leg_number in ("1", "2")]
        first_leg, second_leg = leg_pins if self.netlist.net_of(leg_pins[0]) == first_net else leg_pins[::-1]
        button = elements.Button().at((9.2, y)).to((11.4, y))
        self.drawing.add(button.label(_part_title(sensor), loc="top", ofst=0.35))
        self.add_text((9.2, y - 0.5), f"leg {first_leg.pin}", "center")
        self.add_text((11.4, y - 0.5), f"leg {second_leg.pin}", "center")
        return second_leg

    def pin_label(self, part_pin: PartPin) -> str:
        """A pin as it stands beside a box: `GPIO 6, header pin 31`."""
        pin_name = self.netlist.pin_at(part_pin).name
        if part_pin.part == "J1":
            return f"{pin_name}, header pin {part_pin.pin}"
        return f"{pin_name}, leg {part_pin.pin}" if pin_name != part_pin.pin else f"leg {part_pin.pin}"

    def pins_of_type(self, net_name: str | None, *part_types: str) -> list[PartPin]:
        """The pins of parts of these sorts on a net."""
        return [end for end in self.netlist.ends_on(net_name) if self.netlist.parts[end.part].part_type in part_types]

    def part_beside(self, part_ref: str) -> CircuitPart:
        """The capacitor that stands by a part."""
        return next(part for part in self.netlist.parts_of_type("capacitor") if part.beside == part_ref)


def _part_title(part: CircuitPart) -> str:
    """`SW_b2, tactile switch`; `F1, fuse 2 A`."""
    return f"{part.ref}, {PART_TYPES[part.part_type].short_name} {part.value}".rstrip()


def _draw_button(sheet: _Sheet, sensor: CircuitPart) -> None:
    """What reads it at the left, the button to ground at the right."""
    reading_pin = sensor_routes(sheet.netlist)[EXAMPLE_CELL].input_pins[0]
    sheet.add_reader(reading_pin)
    sheet.add_line((3.0, 0), (9.2, 0))
    sheet.add_switch(sensor, sheet.netlist.net_of(reading_pin), 0)
    sheet.add_line((11.4, 0), (12.4, 0), (12.4, -0.6))
    sheet.add_ground((12.4, -0.6))


def _draw_crossing(sheet: _Sheet, sensor: CircuitPart) -> None:
    """The two lines at the left, from the one that is read through button and diode to the one that is driven."""
    netlist, sense_y, drive_y = sheet.netlist, 1.2, -1.2
    drive_pin, sense_pin = sensor_routes(netlist)[EXAMPLE_CELL].input_pins
    sheet.add_box(netlist.parts[sense_pin.part], (0, 0), 3.2, 3.8)
    for part_pin, y in ((sense_pin, sense_y), (drive_pin, drive_y)):
        sheet.add_line((1.6, y), (9.2, y))
        sheet.add_text((1.75, y + 0.1), sheet.pin_label(part_pin))
        sheet.add_text((1.75, y - 0.5), f"the line {netlist.net_of(part_pin)}")
    sheet.add_pull_up(sense_pin, (5.1, sense_y))
    second_leg = sheet.add_switch(sensor, netlist.net_of(sense_pin), sense_y)
    anode_pin = sheet.pins_of_type(netlist.net_of(second_leg), "diode")[0]
    band_pin = netlist.other_pin(anode_pin) or anode_pin
    sheet.add_line((11.4, sense_y), (13.2, sense_y), (13.2, drive_y), (11.4, drive_y))
    sheet.add_part(elements.Diode(), (11.4, drive_y), (9.2, drive_y))
    sheet.add_text((10.3, drive_y + 0.5), _part_title(netlist.parts[anode_pin.part]), "center")
    sheet.add_text((9.4, drive_y - 0.55), netlist.pin_at(band_pin).name, "center")
    sheet.add_text((11.2, drive_y - 0.55), netlist.pin_at(anode_pin).name, "center")


def _draw_hall(sheet: _Sheet, sensor: CircuitPart) -> None:
    """What reads it at the left, the sensor in the middle, its capacitor at the right."""
    supply_pin, ground_pin, output_pin = (find_pin(sensor, pin_name) for pin_name in ("VCC", "GND", "OUT"))
    sheet.add_reader(sensor_routes(sheet.netlist)[EXAMPLE_CELL].input_pins[0])
    sheet.add_line((3.0, 0), (8.4, 0))
    sheet.add_box(sensor, (10.0, 0), 3.2, 2.2)
    sheet.add_text((8.3, 0.1), sheet.pin_label(output_pin), "right")
    rail_y, ground_y = 2.0, -2.0
    sheet.add_line((10.0, 1.1), (10.0, rail_y), (13.4, rail_y), (13.4, 0.9))
    sheet.add_part(elements.Capacitor(), (13.4, 0.9), (13.4, -0.9))
    sheet.add_line((13.4, -0.9), (13.4, ground_y), (10.0, ground_y), (10.0, -1.1))
    sheet.add_text((13.75, -0.35), f"{_part_title(sheet.part_beside(sensor.ref))},\nright beside {sensor.ref}")
    sheet.add_text((10.15, 1.3), sheet.pin_label(supply_pin))
    sheet.add_text((10.15, -1.6), sheet.pin_label(ground_pin))
    sheet.add_dot((10.0, rail_y))
    sheet.add_dot((10.0, ground_y))
    sheet.drawing.add(elements.Vdd().at((10.0, rail_y)).theta(0).label(str(sheet.netlist.net_of(supply_pin))))
    sheet.add_ground((10.0, ground_y))


def _draw_module(sheet: _Sheet, module: CircuitPart) -> None:
    """The header at the left, the module at the right, four wires between them."""
    netlist, height = sheet.netlist, 1.1 * len(module.pins)
    sheet.add_box(netlist.parts["J1"], (0, 0), 3.2, height)
    sheet.add_box(module, (12.0, 0), 5.2, height)
    for row_number, (leg_number, pin) in enumerate(module.pins.items()):
        y = (height - 1.1) / 2 - 1.1 * row_number
        at_header = sheet.pins_of_type(netlist.net_of(PartPin(module.ref, leg_number)), "pi")
        header_pins = " or ".join(part_pin.pin for part_pin in at_header)
        sheet.add_line((1.6, y), (9.4, y))
        sheet.add_text((1.75, y + 0.1), f"{netlist.pin_at(at_header[0]).name}, header pin {header_pins}")
        sheet.add_text((9.25, y + 0.1), f"{pin.name}, pin {leg_number}", "right")


def _draw_power(sheet: _Sheet) -> None:
    """From what feeds, through the fuse, to the rail of the lamps."""
    netlist, y = sheet.netlist, RAIL_Y
    source_pins = sheet.pins_of_type(FIVE_VOLT_NET, "supply", "pi")
    source_part = netlist.parts[source_pins[0].part]
    fuse, reservoir = next(netlist.parts_of_type("fuse")), next(netlist.parts_of_type("reservoir"))
    sheet.add_box(source_part, (0, y - 0.6), 3.4, 2.4)
    pin_numbers = " and ".join(part_pin.pin for part_pin in source_pins)
    pins_text = f"header pins {pin_numbers}" if source_part.part_type == "pi" else f"pin {pin_numbers}"
    sheet.add_line((1.7, y), (5.2, y))
    sheet.add_text((1.85, y + 0.1), f"{netlist.pin_at(source_pins[0]).name}, {pins_text}")
    sheet.add_part(elements.Fuse(), (5.2, y), (7.2, y))
    sheet.add_text((6.2, y - 0.75), _part_title(fuse), "center")
    sheet.add_line((7.2, y), (RAIL_START_X, y))
    ground_pin = next(part_pin for part_pin in netlist.ends_on(GROUND_NET) if part_pin.part == source_part.ref)
    sheet.add_line((1.7, y - 1.2), (3.2, y - 1.2), (3.2, y - 1.5))
    sheet.add_text((1.85, y - 1.1), netlist.pin_at(ground_pin).name)
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
    data_in, enable_pin, data_out, supply_pin, ground_pin = (
        find_pin(shifter, pin_name) for pin_name in ("1A", "1OE", "1Y", "VCC", "GND")
    )
    gpio_pin = sheet.pins_of_type(netlist.net_of(data_in), "pi")[0]
    pull_down, series_resistor = (
        netlist.parts[sheet.pins_of_type(netlist.net_of(end), "resistor")[0].part] for end in (data_in, data_out)
    )
    sheet.add_box(netlist.parts[gpio_pin.part], (0, 0), 3.4, 2.2)
    sheet.add_line((1.7, 0), (12.0, 0))
    sheet.add_text((1.85, 0.1), sheet.pin_label(gpio_pin))
    sheet.add_dot((7.4, 0))
    sheet.add_part(elements.ResistorIEC(), (7.4, 0), (7.4, -2.2))
    sheet.add_text((7.75, -1.35), _part_title(pull_down))
    sheet.add_ground((7.4, -2.2))

    sheet.add_box(shifter, (13.6, 0), 3.2, 2.2)
    sheet.add_text((11.85, 0.1), sheet.pin_label(data_in), "right")
    sheet.add_text((15.35, 0.1), sheet.pin_label(data_out))
    for end, x, shift, text_side in ((enable_pin, 12.9, -0.15, "right"), (ground_pin, 14.3, 0.15, "left")):
        sheet.add_line((x, -1.1), (x, -1.9))
        sheet.add_text((x + shift, -1.6), sheet.pin_label(end), text_side)
        sheet.add_ground((x, -1.9))
    idle_legs = [
        int(end.pin) for end in sheet.pins_of_type(GROUND_NET, "shifter") if end not in (enable_pin, ground_pin)
    ]
    idle_note = f"on ground too, so that the other gates stand still: legs {', '.join(map(str, sorted(idle_legs)))}"
    sheet.add_text((13.6, -3.1), idle_note, "center")

    sheet.add_dot((13.6, RAIL_Y))
    sheet.add_line((13.6, RAIL_Y), (13.6, 1.1))
    sheet.add_text((13.45, 1.3), sheet.pin_label(supply_pin), "right")
    sheet.add_dot((13.6, 3.4))
    sheet.add_line((13.6, 3.4), (15.4, 3.4))
    sheet.add_part(elements.Capacitor(), (15.4, 3.4), (15.4, 1.9))
    sheet.add_text((15.75, 2.15), f"{_part_title(sheet.part_beside(shifter.ref))},\nright beside {shifter.ref}")
    sheet.add_ground((15.4, 1.9))

    sheet.add_line((15.2, 0), (17.2, 0))
    sheet.add_part(elements.ResistorIEC(), (17.2, 0), (19.4, 0))
    sheet.add_text((18.3, -0.75), _part_title(series_resistor), "center")


def _draw_lamps(sheet: _Sheet, lamps: list[CircuitPart], strip_count: int) -> None:
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
    if strip_count > 1:
        supply_note = f"5 V and ground also to the left end\nof each of the {strip_count} pieces of strip"
        sheet.add_text((x, RAIL_Y - 1.2), supply_note, "left")
    sheet.add_line((RAIL_START_X, RAIL_Y), (x + 1.2, RAIL_Y))
