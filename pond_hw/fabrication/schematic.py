"""Circuits of one cell and of the lamp feed, drawn with schemdraw.

    cell   the sensor, the pin or chip that reads it, and the parts next to it
    feed   supply -> fuse -> 1000 µF -> lamps;  GPIO -> 74AHCT125 -> 330 Ω -> first lamp -> next

The layout is in schematic.txt; pins and values come from the netlist.
"""

from __future__ import annotations

import re
from functools import partial, reduce
from itertools import pairwise
from operator import add
from typing import Any
from xml.etree.ElementTree import register_namespace

import schemdraw
import schemdraw.elements
from schemdraw.backends import svg

from pond_hw.fabrication.circuit import FIVE_VOLT_NET, GROUND_NET
from pond_hw.fabrication.guide_pages import choose_lines, header_word, read_sections
from pond_hw.fabrication.netlist import CircuitPart, Netlist, PartPin, find_pin
from pond_hw.fabrication.part_catalogue import PART_TYPES, PULL_UP_OHMS
from pond_hw.fabrication.wire_tracing import cell_sensor, sensor_routes
from pond_hw.profile.board_profile import Profile

EXAMPLE_CELL = "b2"

FONT_FAMILY = "Arial, Helvetica, sans-serif"
MARGIN = 1.0

SMALL_POINTS, LARGE_POINTS = 11, 13
"""Text sizes in points: beside wires, and in boxes."""

INSIDE_COLOUR = "#555555"
"""Colour of a chip's internal parts, which are not soldered."""

LABEL_OFFSET = (-0.1, -0.1)
"""Correction to schemdraw's text position."""

Point = tuple[float, float]

elements: Any = schemdraw.elements  # has only partial type hints

TWO_ENDED_ELEMENTS = {
    "button": elements.Button,
    "capacitor": elements.Capacitor,
    "diode": elements.Diode,
    "fuse": elements.Fuse,
    "line": elements.Line,
    "reservoir": partial(elements.Capacitor, polar=True),
    "resistor": elements.ResistorIEC,
}
"""Schemdraw elements with two ends."""

ONE_ENDED_ELEMENTS = {
    "dot": elements.Dot,
    "ground": partial(elements.Ground, theta=0),
    "rail": partial(elements.Vdd, theta=0),
}
"""Schemdraw elements with one end."""


def draw_cell(netlist: Netlist) -> str:
    if module := next(netlist.parts_of_type("trellis"), None):
        words = {}
        for pin in module.pins.values():
            header_pins = [end for end in netlist.ends_on(netlist.pin_net(module, pin.name)) if end.part == "J1"]
            pin_numbers = " or ".join(part_pin.pin for part_pin in header_pins)
            words[f"to {pin.name}"] = f"{netlist.pin_at(header_pins[0]).name}, header pin {pin_numbers}"
        return _draw_section("module", netlist, words)
    sensor, route = cell_sensor(netlist, EXAMPLE_CELL), sensor_routes(netlist)[EXAMPLE_CELL]
    read_pin, driven_pin = route.input_pins[-1], route.input_pins[0]
    words = {"reader": read_pin.part, "read pin": _pin_label(netlist, read_pin)}
    if sensor.part_type != "button":
        words["supply net"] = str(netlist.pin_net(sensor, "VCC"))
        return _draw_section("hall", netlist, words, read_pin)
    read_net, driven_net = netlist.net_of(read_pin), netlist.net_of(driven_pin)
    words |= {"read net": str(read_net), "driven net": str(driven_net), "driven pin": _pin_label(netlist, driven_pin)}
    is_turned = netlist.net_of(PartPin(sensor.ref, "1")) != read_net
    words["first leg"], words["second leg"] = "21" if is_turned else "12"
    return _draw_section("crossing" if driven_pin != read_pin else "button", netlist, words, read_pin)


def draw_feed(profile: Profile, netlist: Netlist) -> str:
    source_pins = [end for end in netlist.ends_on(FIVE_VOLT_NET) if end.part in ("J1", "J2")]
    source_ref, pin_numbers = source_pins[0].part, " and ".join(part_pin.pin for part_pin in source_pins)
    pin_word = header_word(netlist) if source_ref == "J1" else "pin"
    pins_text = f"{pin_word}{'s' * (len(source_pins) > 1)} {pin_numbers}"
    on_ground, shifter = netlist.ends_on(GROUND_NET), netlist.parts["U1"]
    used_pins = (find_pin(shifter, "1OE"), find_pin(shifter, "GND"))
    idle_legs = sorted(int(end.pin) for end in on_ground if end.part == "U1" and end not in used_pins)
    words = {
        "source": source_ref,
        "source pins": f"{netlist.pin_at(source_pins[0]).name}, {pins_text}",
        "source ground": netlist.pin_at(next(end for end in on_ground if end.part == source_ref)).name,
        "reservoir": _part_title(netlist.parts["C1"]).replace("capacitor ", "\ncapacitor "),
        "data pin": _pin_label(netlist, next(end for end in netlist.ends_on("data") if end.part == "J1")),
        "idle legs": ", ".join(map(str, idle_legs)),
        "last lamp": f"D{profile.chain.lamp_count - 1}",
        "row count": str(profile.size),
    }
    return _draw_section("feed", netlist, words)


def _draw_section(section_name: str, netlist: Netlist, words: dict[str, str], read_pin: PartPin | None = None) -> str:
    def look_up(word_match: re.Match[str]) -> str:
        if word_match[1] in words:
            return words[word_match[1]]
        part_ref, _, pin_name = word_match[1].partition(".")
        part = netlist.parts[part_ref]
        return _pin_label(netlist, find_pin(part, pin_name)) if pin_name else _part_title(part)

    register_namespace("", "http://www.w3.org/2000/svg")  # again, because other libraries change the prefix, too
    svg.config.text = "text"  # even if the package that would turn text into outlines is installed
    drawing = schemdraw.Drawing(canvas="svg", show=False)
    # Reserve room in case the viewer substitutes a wider font.
    drawing.config(fontsize=SMALL_POINTS, font=FONT_FAMILY, lw=1.5, unit=2.5, bgcolor="white", margin=MARGIN)
    facts = {"own-supply" if netlist.has_type("supply") else "header-supply"}
    for section_line in choose_lines(read_sections("schematic.txt")[section_name], facts).splitlines():
        instruction, _, text = section_line.partition(" | ")
        text = re.sub(r"\{(.+?)\}", look_up, text).replace("\\n", "\n")
        kind, *numbers = instruction.split()
        text_side = numbers.pop() if kind == "text" else ""
        coordinates = [reduce(add, map(float, number.split("+"))) for number in numbers]
        points = list(zip(coordinates[::2], coordinates[1::2], strict=True))
        match kind:
            case "text":
                drawn = [_make_text(points[0], text, text_side)]
            case "box":
                drawn = _make_box(netlist.parts[text], *points)
            case "pull-up":
                pull_volts = netlist.pin_at(read_pin).pull_volts if read_pin else None
                drawn = []
                if read_pin and pull_volts:
                    part_type = netlist.parts[read_pin.part].part_type
                    drawn = _make_pull_up(read_pin.part, part_type, points[0], pull_volts)
            case _ if kind in ONE_ENDED_ELEMENTS:
                element = ONE_ENDED_ELEMENTS[kind]().at(points[0])
                drawn = [element.label(text) if text else element]
            case _:
                drawn = [
                    TWO_ENDED_ELEMENTS[kind]().at(start_point).to(end_point)
                    for start_point, end_point in pairwise(points)
                ]
                drawn = [symbol.label(text, loc="top", ofst=0.35) if text else symbol for symbol in drawn]
        for element in drawn:
            drawing.add(element)
    svg_text: str = drawing.get_imagedata("svg").decode("utf-8")
    return svg_text + "\n"


def _make_text(point: Point, text: str, text_side: str, **style: Any) -> Any:
    style = {"halign": text_side, "valign": "bottom", **style}
    return elements.Label().at(point).theta(0).label(text, loc="center", ofst=LABEL_OFFSET, **style)


def _make_box(part: CircuitPart, middle_point: Point, size: Point) -> list[Any]:
    (x, y), (width, height) = middle_point, size
    low_corner, high_corner = (x - width / 2, y - height / 2), (x + width / 2, y + height / 2)
    part_name = PART_TYPES[part.part_type].short_name.replace(" with ", "\nwith ")
    box_text = "\n".join(text_part for text_part in (part.ref, part_name, part.note or part.value) if text_part)
    label = elements.Label().at(middle_point).theta(0)
    label.label(box_text, loc="center", ofst=LABEL_OFFSET, fontsize=LARGE_POINTS)
    return [elements.Rect(corner1=low_corner, corner2=high_corner).at((0, 0)).theta(0), label]


def _make_pull_up(part_ref: str, part_type: str, point: Point, pull_volts: float) -> list[Any]:
    (x, y), ohms = point, PULL_UP_OHMS[part_type]
    resistor = elements.ResistorIEC().color(INSIDE_COLOUR).at(point).to((x, y + 2.0))
    pull_up_text = f"pull-up inside {part_ref},\nabout {ohms / 1000:g} kΩ"
    text = _make_text((x + 0.35, y + 0.8), pull_up_text, "left", color=INSIDE_COLOUR)
    rail = elements.Vdd().at((x, y + 2.0)).theta(0).label(f"{pull_volts:g} V")
    return [elements.Dot().at(point), resistor, text, rail.color(INSIDE_COLOUR)]


def _pin_label(netlist: Netlist, part_pin: PartPin) -> str:
    """Format a pin label beside a box: `GPIO 6, header pin 31`."""
    return f"{netlist.pin_at(part_pin).name}, {header_word(netlist) if part_pin.part == 'J1' else 'pin'} {part_pin.pin}"


def _part_title(part: CircuitPart) -> str:
    return f"{part.ref}, {PART_TYPES[part.part_type].short_name} {part.value}".rstrip()
