"""The circuit of one cell, and of what feeds the lamps, drawn by schemdraw.

    cell   the sensor, what reads it, and what stands beside it
    feed   supply -> fuse -> 1000 µF -> lamps;  GPIO -> 74AHCT125 -> 330 Ω -> first lamp -> next

Every pin and every value is looked up in the netlist.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from pond_hw.fabrication.circuit import FIVE_VOLT_NET, GROUND_NET, LAMP_SUPPLY_NET
from pond_hw.fabrication.netlist import CircuitPart, Netlist, PartPin, find_pin
from pond_hw.fabrication.part_catalogue import PART_TYPES, PULL_UP_OHMS
from pond_hw.fabrication.wire_tracing import SENSOR_TYPES, cell_sensor, lamp_chain, sensor_routes
from pond_hw.fabrication.wires import lamp_strips
from pond_hw.installing import format_install_command
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


def draw_cell(profile: Profile, netlist: Netlist) -> str:
    """The circuit of cell b2 as SVG.

    Raises:
        PondError: schemdraw is not installed, or the sensors are simulated.
    """
    drawing, elm = _new_drawing()
    sensor = next(iter(netlist.parts_of_type(*SENSOR_TYPES)), None)
    if module := next(iter(netlist.parts_of_type("trellis")), None):
        _draw_module(drawing, elm, netlist, module)
    elif sensor is None:
        raise PondError(f"The sensors of {profile.name} are simulated: there is no cell to draw.")
    elif sensor.part_type != "button":
        _draw_hall(drawing, elm, netlist, cell_sensor(netlist, EXAMPLE_CELL))
    elif any(netlist.parts_of_type("diode")):
        _draw_crossing(drawing, elm, netlist, cell_sensor(netlist, EXAMPLE_CELL))
    else:
        _draw_button(drawing, elm, netlist, cell_sensor(netlist, EXAMPLE_CELL))
    return _to_svg(drawing)


def draw_feed(profile: Profile, netlist: Netlist) -> str:
    """What feeds the lamps, and what brings them their data, as SVG.

    Raises:
        PondError: schemdraw is not installed, or the board has no chain of lamps.
    """
    drawing, elm = _new_drawing()
    _, lamps = lamp_chain(netlist)
    if not lamps:
        raise PondError(f"{profile.name} has no chain of lamps: there is no feed to draw.")
    _draw_power(drawing, elm, netlist)
    _draw_data(drawing, elm, netlist, lamps, len(lamp_strips(profile, netlist)))
    return _to_svg(drawing)


def _new_drawing() -> tuple[Any, Any]:
    try:
        import schemdraw
        from schemdraw import elements
        from schemdraw.backends import svg
    except ImportError as error:
        raise PondError(
            f"Schematics are drawn by schemdraw. Install it with: {format_install_command('hardware')}"
        ) from error
    svg.config.text = "text"  # as letters, with or without the package that would turn them into outlines
    drawing = schemdraw.Drawing(canvas="svg", show=False)
    drawing.config(fontsize=SMALL_POINTS, font=FONT_FAMILY, lw=1.5, unit=2.5, bgcolor="white")
    return drawing, elements


def _to_svg(drawing: Any) -> str:
    text: str = drawing.get_imagedata("svg").decode("utf-8")
    return text + "\n"


def _part_title(part: CircuitPart) -> str:
    """`SW_b2, tactile switch`; `F1, fuse 2 A`."""
    name = PART_TYPES[part.part_type].name.partition(",")[0]
    return f"{part.ref}, {name} {part.value}".rstrip()


def _pin_label(netlist: Netlist, end: PartPin) -> str:
    """A pin as it stands beside a box: `GPIO 6, header pin 31`."""
    name = netlist.pin_at(end).name
    if end.part == "J1":
        return f"{name}, header pin {end.pin}"
    return f"{name}, leg {end.pin}" if name != end.pin else f"leg {end.pin}"


def _leg_label(end: PartPin) -> str:
    return f"leg {end.pin}"


def _pins_of_type(netlist: Netlist, net: str | None, *sorts: str) -> list[PartPin]:
    """The pins of parts of these sorts on a net."""
    return [end for end in netlist.nets.get(net or "", ()) if netlist.parts[end.part].part_type in sorts]


def _draw_box(drawing: Any, elm: Any, part: CircuitPart, at: tuple[float, float], size: tuple[float, float]) -> None:
    """A box with its middle at a place, and what it is in it."""
    x, y = at
    wide, high = size
    corners = (x - wide / 2, y - high / 2), (x + wide / 2, y + high / 2)
    drawing.add(elm.Rect(corner1=corners[0], corner2=corners[1]).at((0, 0)).theta(0))
    name = PART_TYPES[part.part_type].name.partition(",")[0].replace(" with ", "\nwith ")
    words = "\n".join(word for word in (part.ref, name, part.note or part.value) if word)
    drawing.add(elm.Label().at((x, y)).theta(0).label(words, loc="center", ofst=LABEL_OFFSET, fontsize=LARGE_POINTS))


def _draw_line(drawing: Any, elm: Any, *spots: tuple[float, float]) -> None:
    for one, other in pairwise(spots):
        drawing.add(elm.Line().at(one).to(other))


def _draw_text(drawing: Any, elm: Any, at: tuple[float, float], text: str, side: str = "left", **more: Any) -> None:
    """A text that begins, ends or has its middle at a place (`side` left, right, center)."""
    drawing.add(
        elm.Label().at(at).theta(0).label(text, loc="center", ofst=LABEL_OFFSET, halign=side, valign="bottom", **more)
    )


def _draw_ground(drawing: Any, elm: Any, at: tuple[float, float]) -> None:
    drawing.add(elm.Ground().at(at).theta(0))


def _draw_rail(drawing: Any, elm: Any, at: tuple[float, float], name: str) -> None:
    drawing.add(elm.Vdd().at(at).theta(0).label(name))


def _draw_pull_up(drawing: Any, elm: Any, netlist: Netlist, end: PartPin, at: tuple[float, float]) -> None:
    """The pull-up inside what reads, drawn over its wire, if it has one."""
    pin = netlist.pin_at(end)
    if not pin.pull_volts:
        return
    ohms = PULL_UP_OHMS["pi" if end.part == "J1" else "mcp23017"]
    x, y = at
    drawing.add(elm.Dot().at(at))
    up = elm.ResistorIEC().at(at).to((x, y + 2.0)).color(INSIDE_COLOUR)
    drawing.add(up)
    _draw_text(
        drawing, elm, (x + 0.35, y + 0.8), f"pull-up inside {end.part},\nsome {ohms / 1000:g} kΩ", color=INSIDE_COLOUR
    )
    drawing.add(elm.Vdd().at((x, y + 2.0)).theta(0).label(f"{pin.pull_volts:g} V").color(INSIDE_COLOUR))


def _draw_button(drawing: Any, elm: Any, netlist: Netlist, sensor: CircuitPart) -> None:
    """What reads it at the left, the button to ground at the right."""
    read = sensor_routes(netlist)[EXAMPLE_CELL].input_pins[0]
    leg = next(end for end in (PartPin(sensor.ref, "1"), PartPin(sensor.ref, "2")) if netlist.net_of(end) != GROUND_NET)
    _draw_reader(drawing, elm, netlist, read)
    _draw_line(drawing, elm, (3.0, 0), (9.2, 0))
    drawing.add(elm.Button().at((9.2, 0)).to((11.4, 0)).label(_part_title(sensor), loc="top", ofst=0.35))
    _draw_text(drawing, elm, (9.2, -0.5), _leg_label(leg), "center")
    _draw_text(drawing, elm, (11.4, -0.5), _leg_label(netlist.other_pin(leg) or leg), "center")
    _draw_line(drawing, elm, (11.4, 0), (12.4, 0), (12.4, -0.6))
    _draw_ground(drawing, elm, (12.4, -0.6))


def _draw_reader(drawing: Any, elm: Any, netlist: Netlist, end: PartPin, y: float = 0.0) -> None:
    """The box of what reads or drives at the left, its wire beginning at x = 3."""
    _draw_box(drawing, elm, netlist.parts[end.part], (0, y), (3.2, 2.2))
    _draw_line(drawing, elm, (1.6, y), (3.0, y))
    _draw_text(drawing, elm, (1.75, y + 0.1), _pin_label(netlist, end))
    _draw_pull_up(drawing, elm, netlist, end, (5.0, y))


def _draw_crossing(drawing: Any, elm: Any, netlist: Netlist, sensor: CircuitPart) -> None:
    """The two lines at the left, from the one that is read through button and diode to the one that is driven."""
    drive, sense = sensor_routes(netlist)[EXAMPLE_CELL].input_pins
    first = next(
        end
        for end in (PartPin(sensor.ref, "1"), PartPin(sensor.ref, "2"))
        if netlist.net_of(end) == netlist.net_of(sense)
    )
    second = netlist.other_pin(first) or first
    anode = _pins_of_type(netlist, netlist.net_of(second), "diode")[0]
    band = netlist.other_pin(anode) or anode
    top, low = 1.2, -1.2
    _draw_box(drawing, elm, netlist.parts[sense.part], (0, 0), (3.2, 3.8))
    for end, height in ((sense, top), (drive, low)):
        _draw_line(drawing, elm, (1.6, height), (9.2, height))
        _draw_text(drawing, elm, (1.75, height + 0.1), _pin_label(netlist, end))
        _draw_text(drawing, elm, (1.75, height - 0.5), f"the line {netlist.net_of(end)}")
    _draw_pull_up(drawing, elm, netlist, sense, (5.1, top))
    drawing.add(elm.Button().at((9.2, top)).to((11.4, top)).label(_part_title(sensor), loc="top", ofst=0.35))
    _draw_text(drawing, elm, (9.2, top - 0.5), _leg_label(first), "center")
    _draw_text(drawing, elm, (11.4, top - 0.5), _leg_label(second), "center")
    _draw_line(drawing, elm, (11.4, top), (13.2, top), (13.2, low), (11.4, low))
    drawing.add(elm.Diode().at((11.4, low)).to((9.2, low)))
    _draw_text(drawing, elm, (10.3, low + 0.5), _part_title(netlist.parts[anode.part]), "center")
    _draw_text(drawing, elm, (9.4, low - 0.55), netlist.pin_at(band).name, "center")
    _draw_text(drawing, elm, (11.2, low - 0.55), netlist.pin_at(anode).name, "center")


def _draw_hall(drawing: Any, elm: Any, netlist: Netlist, sensor: CircuitPart) -> None:
    """What reads it at the left, the sensor in the middle, its capacitor at the right."""
    route = sensor_routes(netlist)[EXAMPLE_CELL]
    plus, minus, out = (find_pin(sensor, name) for name in ("VCC", "GND", "OUT"))
    beside = next(part for part in netlist.parts_of_type("capacitor") if part.beside == sensor.ref)
    _draw_reader(drawing, elm, netlist, route.input_pins[0])
    _draw_line(drawing, elm, (3.0, 0), (8.4, 0))
    _draw_box(drawing, elm, sensor, (10.0, 0), (3.2, 2.2))
    _draw_text(drawing, elm, (8.3, 0.1), _pin_label(netlist, out), "right")
    high, low = 2.0, -2.0
    _draw_line(drawing, elm, (10.0, 1.1), (10.0, high), (13.4, high), (13.4, 0.9))
    drawing.add(elm.Capacitor().at((13.4, 0.9)).to((13.4, -0.9)))
    _draw_line(drawing, elm, (13.4, -0.9), (13.4, low), (10.0, low), (10.0, -1.1))
    _draw_text(drawing, elm, (13.75, -0.35), f"{_part_title(beside)},\nright beside {sensor.ref}")
    _draw_text(drawing, elm, (10.15, 1.3), _pin_label(netlist, plus))
    _draw_text(drawing, elm, (10.15, -1.6), _pin_label(netlist, minus))
    for y in (high, low):
        drawing.add(elm.Dot().at((10.0, y)))
    _draw_rail(drawing, elm, (10.0, high), str(netlist.net_of(plus)))
    _draw_ground(drawing, elm, (10.0, low))


def _draw_module(drawing: Any, elm: Any, netlist: Netlist, module: CircuitPart) -> None:
    """The header at the left, the module at the right, four wires between them."""
    high = 1.1 * len(module.pins)
    _draw_box(drawing, elm, netlist.parts["J1"], (0, 0), (3.2, high))
    _draw_box(drawing, elm, module, (12.0, 0), (5.2, high))
    for number, pin in enumerate(module.pins):
        end = PartPin(module.ref, pin)
        y = (high - 1.1) / 2 - 1.1 * number
        there = _pins_of_type(netlist, netlist.net_of(end), "pi")
        header = f"{netlist.pin_at(there[0]).name}, header pin " + " or ".join(other.pin for other in there)
        _draw_line(drawing, elm, (1.6, y), (9.4, y))
        _draw_text(drawing, elm, (1.75, y + 0.1), header)
        _draw_text(drawing, elm, (9.25, y + 0.1), f"{module.pins[pin].name}, pin {pin}", "right")


def _draw_power(drawing: Any, elm: Any, netlist: Netlist) -> None:
    """From what feeds, through the fuse, to the rail of the lamps."""
    source = _pins_of_type(netlist, FIVE_VOLT_NET, "supply", "pi")
    part = netlist.parts[source[0].part]
    fuse, reservoir = next(iter(netlist.parts_of_type("fuse"))), next(iter(netlist.parts_of_type("reservoir")))
    y = RAIL_Y
    _draw_box(drawing, elm, part, (0, y - 0.6), (3.4, 2.4))
    names = f"{netlist.pin_at(source[0]).name}, " + ("header pins " if part.part_type == "pi" else "pin ")
    _draw_line(drawing, elm, (1.7, y), (5.2, y))
    _draw_text(drawing, elm, (1.85, y + 0.1), names + " and ".join(end.pin for end in source))
    drawing.add(elm.Fuse().at((5.2, y)).to((7.2, y)))
    _draw_text(drawing, elm, (6.2, y - 0.75), _part_title(fuse), "center")
    _draw_line(drawing, elm, (7.2, y), (RAIL_START_X, y))
    grounds = [end for end in _pins_of_type(netlist, GROUND_NET, part.part_type) if end.part == part.ref]
    _draw_line(drawing, elm, (1.7, y - 1.2), (3.2, y - 1.2), (3.2, y - 1.5))
    _draw_text(drawing, elm, (1.85, y - 1.1), f"{netlist.pin_at(grounds[0]).name}")
    _draw_ground(drawing, elm, (3.2, y - 1.5))
    drawing.add(elm.Dot().at((8.4, y)))
    drawing.add(elm.Capacitor(polar=True).at((8.4, y)).to((8.4, y - 1.7)))
    _draw_text(drawing, elm, (8.75, y - 1.25), _part_title(reservoir).replace("capacitor ", "\ncapacitor "))
    _draw_ground(drawing, elm, (8.4, y - 1.7))
    _draw_text(drawing, elm, (11.0, y + 0.1), f"the net {LAMP_SUPPLY_NET}")


def _draw_data(drawing: Any, elm: Any, netlist: Netlist, lamps: list[CircuitPart], strips: int) -> None:
    """From the header through the gate and the resistor into the lamps, under the rail."""
    shifter = next(iter(netlist.parts_of_type("shifter")))
    given, open_, out, plus, minus = (find_pin(shifter, name) for name in ("1A", "1OE", "1Y", "VCC", "GND"))
    gpio = _pins_of_type(netlist, netlist.net_of(given), "pi")[0]
    down = netlist.parts[_pins_of_type(netlist, netlist.net_of(given), "resistor")[0].part]
    series = netlist.parts[_pins_of_type(netlist, netlist.net_of(out), "resistor")[0].part]
    beside = next(part for part in netlist.parts_of_type("capacitor") if part.beside == shifter.ref)

    _draw_box(drawing, elm, netlist.parts[gpio.part], (0, 0), (3.4, 2.2))
    _draw_line(drawing, elm, (1.7, 0), (12.0, 0))
    _draw_text(drawing, elm, (1.85, 0.1), _pin_label(netlist, gpio))
    drawing.add(elm.Dot().at((7.4, 0)))
    drawing.add(elm.ResistorIEC().at((7.4, 0)).to((7.4, -2.2)))
    _draw_text(drawing, elm, (7.75, -1.35), _part_title(down))
    _draw_ground(drawing, elm, (7.4, -2.2))

    _draw_box(drawing, elm, shifter, (13.6, 0), (3.2, 2.2))
    _draw_text(drawing, elm, (11.85, 0.1), _pin_label(netlist, given), "right")
    _draw_text(drawing, elm, (15.35, 0.1), _pin_label(netlist, out))
    for end, x, side in ((open_, 12.9, "right"), (minus, 14.3, "left")):
        _draw_line(drawing, elm, (x, -1.1), (x, -1.9))
        _draw_text(drawing, elm, (x + (0.15 if side == "left" else -0.15), -1.6), _pin_label(netlist, end), side)
        _draw_ground(drawing, elm, (x, -1.9))
    idle = [end for end in _pins_of_type(netlist, GROUND_NET, "shifter") if end not in (open_, minus)]
    legs = ", ".join(end.pin for end in sorted(idle, key=lambda end: int(end.pin)))
    _draw_text(drawing, elm, (13.6, -3.1), f"on ground too, so that the other gates stand still: legs {legs}", "center")

    drawing.add(elm.Dot().at((13.6, RAIL_Y)))
    _draw_line(drawing, elm, (13.6, RAIL_Y), (13.6, 1.1))
    _draw_text(drawing, elm, (13.45, 1.3), _pin_label(netlist, plus), "right")
    drawing.add(elm.Dot().at((13.6, 3.4)))
    _draw_line(drawing, elm, (13.6, 3.4), (15.4, 3.4))
    drawing.add(elm.Capacitor().at((15.4, 3.4)).to((15.4, 1.9)))
    _draw_text(drawing, elm, (15.75, 2.15), f"{_part_title(beside)},\nright beside {shifter.ref}")
    _draw_ground(drawing, elm, (15.4, 1.9))

    _draw_line(drawing, elm, (15.2, 0), (17.2, 0))
    drawing.add(elm.ResistorIEC().at((17.2, 0)).to((19.4, 0)))
    _draw_text(drawing, elm, (18.3, -0.75), _part_title(series), "center")
    x = 19.4
    for lamp in lamps[:2]:
        _draw_line(drawing, elm, (x, 0), (x + 1.6, 0))
        x += 1.6
        _draw_box(drawing, elm, lamp, (x + 1.3, 0), (2.6, 1.8))
        _draw_text(drawing, elm, (x - 0.15, 0.1), "DIN", "right")
        drawing.add(elm.Dot().at((x + 1.3, RAIL_Y)))
        _draw_line(drawing, elm, (x + 1.3, RAIL_Y), (x + 1.3, 0.9))
        _draw_text(drawing, elm, (x + 1.45, 1.1), netlist.pin_at(find_pin(lamp, "5 V")).name)
        _draw_line(drawing, elm, (x + 1.3, -0.9), (x + 1.3, -1.9))
        _draw_text(drawing, elm, (x + 1.45, -1.5), "GND")
        _draw_ground(drawing, elm, (x + 1.3, -1.9))
        x += 2.6
        _draw_line(drawing, elm, (x, 0), (x + 1.2, 0))
        _draw_text(drawing, elm, (x + 0.15, 0.1), "DOUT")
        x += 1.2
    if len(lamps) > 2:
        _draw_text(drawing, elm, (x + 0.2, -0.15), f"... to {lamps[-1].ref}")
    if strips > 1:
        words = f"5 V and ground also to the left end\nof each of the {strips} pieces of strip"
        _draw_text(drawing, elm, (x, RAIL_Y - 1.2), words, "left")
    _draw_line(drawing, elm, (RAIL_START_X, RAIL_Y), (x + 1.2, RAIL_Y))
