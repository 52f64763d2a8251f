"""Reader for carrier files (pads, tracks and holes), and rules that KiCad lacks.

It is independent of the code for placement and routing.
"""

import math
import re
from typing import NamedTuple

NUMBER = r"(-?[\d.]+)"
CARRIED = {"5 V", "5 V fused", "5 V lamps", "ground"}
"""Nets that carry the lamp current."""

THICK_WIDTH, PORT_WIDTH = 2.0, 1.0
"""Minimum width in mm of tracks for the lamp current, and the same if a USB port supplies it."""


class Track(NamedTuple):
    net: str
    start: tuple
    end: tuple
    width: float
    layer: str


class Pad(NamedTuple):
    """Pad at a place in mm from the board's far left corner. `drill` is 0 on a pad without a hole."""

    ref: str
    number: str
    net: str
    place: tuple
    size: tuple
    drill: float


class BoardRead(NamedTuple):
    """Board file: its size in mm, pads, tracks without vias, centres of its screw holes, and marks by value."""

    size: tuple
    pads: list
    tracks: list
    holes: list
    marks: dict


def read_board(text):
    corners = re.search(rf"\(gr_rect \(start {NUMBER} {NUMBER}\) \(end {NUMBER} {NUMBER}\)", text).groups()
    left, top, right, bottom = map(float, corners)
    names = dict(re.findall(r'^\(net (\d+) "(.*)"\)$', text, re.MULTILINE))
    pads, marks = [], {}
    for block in re.findall(r"^\(footprint .*$", text, re.MULTILINE):
        ref, value = (re.search(rf'"{key}" "(.*?)"', block)[1] for key in ("Reference", "Value"))
        x, y = map(float, re.search(rf"\(at {NUMBER} {NUMBER}\)", block).groups())
        x, y = round(x - left, 4), round(y - top, 4)
        if "board_only" in block:
            marks.setdefault(value, []).append((x, y))
            continue
        pad = rf'\(pad "(.*?)" \w+ \w+ \(at {NUMBER} {NUMBER}\) \(size {NUMBER} {NUMBER}\)'
        hole = rf"(?: \(drill (?:oval )?{NUMBER}[\d. ]*\))?"
        for number, u, v, width, height, drill, net in re.findall(
            pad + hole + r' \(layers .*?\)(?: \(net \d+ "(.*?)"\))?', block
        ):
            place = round(x + float(u), 4), round(y + float(v), 4)
            pads.append(
                Pad(ref, number, net.removeprefix("/"), place, (float(width), float(height)), float(drill or 0))
            )
    ends = rf"\(start {NUMBER} {NUMBER}\) \(end {NUMBER} {NUMBER}\) \(width {NUMBER}\)"
    tracks = [
        Track(
            names[net].removeprefix("/"),
            (float(a) - left, float(b) - top),
            (float(c) - left, float(d) - top),
            float(width),
            layer,
        )
        for a, b, c, d, width, layer, net in re.findall(
            rf'^\(segment {ends} \(layer "(.*?)"\) \(net (\d+)\)', text, re.MULTILINE
        )
    ]
    return BoardRead((right - left, bottom - top), pads, tracks, marks.get("M3", []), marks)


def board_rules(text, holes_wanted, sinks, width=THICK_WIDTH):
    """Return the kind and the object of each violation of our rules.

    Args:
        text: the board file.
        holes_wanted: centres of the case's standoffs, from the board's near left corner.
        sinks: parts that the lamp current flows through.
        width: minimum width of the tracks for it.
    """
    board = read_board(text)
    depth = board.size[1]
    found = [
        ("no hole over a standoff", (round(x, 2), round(y, 2)))
        for x, y in holes_wanted
        if all(math.dist((x, y), (u, depth - v)) > 0.01 for u, v in board.holes)
    ]
    for net in sorted(CARRIED):
        pads = [
            pad for pad in board.pads if pad.net == net and pad.ref in sinks and (pad.drill or min(pad.size) >= 1.1)
        ]
        thick = [track for track in board.tracks if track.net == net and track.width >= width]
        reached = _reached(thick, pads)
        ends = {(pad.ref, pad.number) for pad in pads} - {(pad.ref, pad.number) for pad in reached}
        found += [("thin way for the lamps' current", f"{ref}.{number}") for ref, number in sorted(ends)]
    for kind, count in (("fiducial", 3), ("tooling hole", 2)):
        if len(board.marks.get(kind, [])) != count:
            found.append((f"wrong number of {kind}s", len(board.marks.get(kind, []))))
    return found + list(_misplaced(board))


def _reached(thick, pads):
    """Return the pads that wide tracks connect to the first pad. Tracks on different layers meet only in holes."""
    if not pads:
        return []
    reached, tracks = [pads[0]], []
    while True:
        new_tracks = [
            track
            for track in thick
            if track not in tracks
            and (
                any(_touch(pad, track) for pad in reached)
                or any(other.layer == track.layer and _cross(other, track) for other in tracks)
            )
        ]
        tracks += new_tracks
        new_pads = [pad for pad in pads if pad not in reached and any(_touch(pad, track) for track in tracks)]
        reached += new_pads
        if not new_tracks and not new_pads:
            return reached


def _touch(pad, track):
    """Return True if a track ends in a pad, or passes through its middle."""
    if not pad.drill and track.layer != "F.Cu":
        return False
    ends_inside = any(
        all(abs(u - v) <= size / 2 for u, v, size in zip(end, pad.place, pad.size, strict=True))
        for end in (track.start, track.end)
    )
    return ends_inside or _distance(pad.place, track) < min(pad.size) / 2


def _cross(one, other):
    ends = (one.start, one.end), (other.start, other.end)
    return any(_distance(place, other) < 0.1 for place in ends[0]) or any(
        _distance(place, one) < 0.1 for place in ends[1]
    )


def _misplaced(board):
    """Yield parts that are in the wrong place: the headers of rows, the USB-C socket, and the resistor at the shifter."""
    width, depth = board.size
    middles = {}
    for pad in board.pads:
        middles.setdefault(pad.ref, []).append(pad.place)
    for ref, places in middles.items():
        if re.fullmatch(r"J1[1-9]", ref) and depth - max(y for _, y in places) > 6:
            yield "header of a row away from the near edge", ref
        if re.fullmatch(r"J[345]", ref) and width - max(x for x, _ in places) > 7:
            yield "header of the panel away from the right edge", ref
    if "J2" in middles and min(min(place) for place in middles["J2"]) > 3.5:
        yield "USB-C socket away from the edge", "J2"
    shifter, resistor = (middles[name] for name in ("U1", "R1"))
    if min(math.dist(one, other) for one in shifter for other in resistor) > 12:
        yield "data resistor away from the level shifter", "R1"


def _distance(place, line):
    (x, y), (x0, y0), (x1, y1) = place, line.start, line.end
    length = math.dist(line.start, line.end)
    along = 0 if not length else max(0, min(1, ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length**2))
    return math.dist(place, (x0 + along * (x1 - x0), y0 + along * (y1 - y0)))
