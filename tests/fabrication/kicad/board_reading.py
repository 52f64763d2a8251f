"""Reader for carrier files (pads, tracks and holes), and rules that KiCad lacks.

It is independent of the code for placement and routing.
"""

import math
import re
from typing import NamedTuple

NUMBER = r"(-?[\d.]+)"
CARRIED = {"5 V", "5 V lamps", "ground"}
"""Nets that carry the lamp current."""


class Line(NamedTuple):
    net: str
    start: tuple
    end: tuple
    width: float
    layer: str


class Pin(NamedTuple):
    ref: str
    number: str
    net: str
    place: tuple
    drill: float


def read_board(text):
    """Return a board's pins, its tracks and vias, and the centres of its unplated holes."""
    names = dict(re.findall(r'^\(net (\d+) "(.*)"\)$', text, re.MULTILINE))
    pins, holes = [], []
    for block in re.findall(r"^\(footprint .*$", text, re.MULTILINE):
        ref = re.search(r'"Reference" "(.*?)"', block)[1]
        x, y = map(float, re.search(rf"\(at {NUMBER} {NUMBER}\)", block).groups())
        pad = (
            rf'\(pad "(.*?)" (\w+) circle \(at {NUMBER} {NUMBER}\) \(size .*?\)(?: \(drill {NUMBER}\))? \(layers .*?\)'
        )
        for number, kind, u, v, drill, net in re.findall(pad + r'(?: \(net \d+ "(.*?)"\))?', block):
            place = round(x + float(u), 4), round(y + float(v), 4)
            if kind == "np_thru_hole":
                holes.append(place)
            else:
                pins.append(Pin(ref, number, net.removeprefix("/"), place, float(drill or 0)))
    ends = rf"\(start {NUMBER} {NUMBER}\) \(end {NUMBER} {NUMBER}\) \(width {NUMBER}\)"
    lines = [
        Line(names[net].removeprefix("/"), (float(a), float(b)), (float(c), float(d)), float(width), layer)
        for a, b, c, d, width, layer, net in re.findall(
            rf'^\(segment {ends} \(layer "(.*?)"\) \(net (\d+)\)', text, re.MULTILINE
        )
    ]
    return pins, lines, holes


def board_rules(text, holes_wanted, source, sinks):
    """Return the kind and the object of each violation of our rules.

    Args:
        text: the board file.
        holes_wanted: centres of the case's standoffs, from the board's near left corner.
        source: part that supplies the lamp current.
        sinks: parts that the current flows through.
    """
    pins, lines, holes = read_board(text)
    found = [("pad without a hole", f"{pin.ref}.{pin.number}") for pin in pins if not pin.drill]
    corners = re.search(rf"\(gr_rect \(start {NUMBER} {NUMBER}\) \(end {NUMBER} {NUMBER}\)", text)
    left, _, _, bottom = map(float, corners.groups())
    for x, y in holes_wanted:
        if all(math.dist((x, y), (u - left, bottom - v)) > 0.01 for u, v in holes):
            found.append(("no hole over a standoff", (round(x, 2), round(y, 2))))
    for net in sorted(CARRIED):
        ends = {pin for pin in pins if pin.net == net and pin.ref in (source, *sinks)}
        reached = _reached([line for line in lines if line.net == net and line.width >= 2], ends, source)
        found += [("thin way for the lamps' current", f"{pin.ref}.{pin.number}") for pin in sorted(ends - reached)]
    return found


def _reached(thick, ends, source):
    """Return the pins that wide tracks connect to a source, or to the first pin if the source has none of them."""
    if not ends:
        return set()
    reached = {pin for pin in ends if pin.ref == source} or {min(ends)}
    places = {pin.place for pin in reached}
    while True:
        more = {
            end
            for line in thick
            for end in (line.start, line.end)
            if any(_distance(place, line) < 1 for place in places)
        } | {
            place
            for place in (pin.place for pin in ends)
            if any(_distance(place, line) < 1 and any(_distance(known, line) < 1 for known in places) for line in thick)
        }
        if more <= places:
            return {pin for pin in ends if pin.place in places or pin in reached}
        places |= more


def _distance(place, line):
    (x, y), (x0, y0), (x1, y1) = place, line.start, line.end
    length = math.dist(line.start, line.end)
    along = 0 if not length else max(0, min(1, ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length**2))
    return math.dist(place, (x0 + along * (x1 - x0), y0 + along * (y1 - y0)))
