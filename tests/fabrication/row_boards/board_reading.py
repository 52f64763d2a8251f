"""Reader for the files of row boards, and rules that KiCad lacks. It shares no code with the layout."""

import csv
import io
import itertools
import math
import re
from collections import Counter, defaultdict
from typing import NamedTuple

import numpy as np

SHEET_OHMS = 0.0172e-6 / 35e-6
"""Resistance of a square of copper 35 µm thick."""

PITCH, MARGIN, DEPTH, END_GAP = 33.3, 8.5, 33.0, 0.17
WALL, GUSSET, WINDOW = 1.0, 4.0, 14.0
"""Half the thickness of a wall, legs of a gusset, and half the window for pins below a cell, in mm."""

NUMBER = r"(-?[\d.]+)"


class Pad(NamedTuple):
    ref: str
    number: str
    net: str
    x: float
    y: float
    width: float
    height: float
    drill: float


class Mark(NamedTuple):
    name: str
    x: float
    y: float


class Track(NamedTuple):
    net: str
    layer: str
    start: tuple
    end: tuple
    width: float


class BoardRead(NamedTuple):
    """A board file in mm from its far left corner: size, pads, tracks (vias have no layer), marks and outlines of parts."""

    size: tuple
    places: dict
    sides: dict
    pads: list
    tracks: list
    marks: list


def read_row_board(text):
    left, top, right, bottom = map(
        float, re.search(rf"\(gr_rect \(start {NUMBER} {NUMBER}\) \(end {NUMBER} {NUMBER}\)", text).groups()
    )

    def shift(x, y):
        return round(float(x) - left, 4), round(float(y) - top, 4)

    names = dict(re.findall(r'^\(net (\d+) "(.*)"\)$', text, re.MULTILINE))
    places, sides, pads, marks = {}, {}, [], []
    for block in re.findall(r"^\(footprint .*$", text, re.MULTILINE):
        ref = re.search(r'"Reference" "(.*?)"', block)[1]
        x, y = shift(*re.search(rf"\(at {NUMBER} {NUMBER}\)", block).groups())
        if "board_only" in block:
            marks.append(Mark(re.search(r'"Value" "(.*?)"', block)[1], x, y))
            continue
        places[ref], sides[ref] = (x, y), re.search(r'\(layer "(.*?)"\)', block)[1]
        pad = (
            rf'\(pad "(.*?)" \w+ \w+ \(at {NUMBER} {NUMBER}\) \(size {NUMBER} {NUMBER}\)(?: \(drill {NUMBER}\))? '
            r'\(layers .*?\) \(net \d+ "(.*?)"\)'
        )
        for number, u, v, width, height, drill, net in re.findall(pad, block):
            at = round(x + float(u), 4), round(y + float(v), 4)
            pads.append(Pad(ref, number, _net(net), *at, float(width), float(height), float(drill or 0)))
    ends = rf"^\(segment \(start {NUMBER} {NUMBER}\) \(end {NUMBER} {NUMBER}\)"
    segment = rf'{ends} \(width {NUMBER}\) \(layer "(.*?)"\) \(net (\d+)\)'
    tracks = [
        Track(_net(names[net]), layer, shift(a, b), shift(c, d), float(width))
        for a, b, c, d, width, layer, net in re.findall(segment, text, re.MULTILINE)
    ]
    via = rf"^\(via \(at {NUMBER} {NUMBER}\) \(size {NUMBER}\).*?\(net (\d+)\)"
    tracks += [
        Track(_net(names[net]), "", shift(a, b), shift(a, b), float(size))
        for a, b, size, net in re.findall(via, text, re.MULTILINE)
    ]
    return BoardRead((right - left, bottom - top), places, sides, pads, tracks, marks)


def _net(name):
    return name.removeprefix("/")


def joined_pins(board):
    """Return the pins by net."""
    joined = defaultdict(set)
    for pad in board.pads:
        joined[pad.net].add((pad.ref, pad.number))
    return dict(joined)


def cell_middle(column):
    return MARGIN + (column + 0.5) * PITCH, DEPTH / 2


def place_faults(board, size):
    """Return lamps, sensors and connectors that are not where the case expects them."""
    wanted = {"J1": (MARGIN + PITCH / 2 - PITCH / 2 - 4.75, DEPTH / 2 - 11.25)}
    for column in range(size):
        x, y = cell_middle(column)
        wanted |= {ref: (x, y) for ref in (f"SW{column + 1}", f"U{column + 1}") if ref in board.places}
        far, near = (2 * column + 1, 2 * column + 2), (4 * size - 2 * column, 4 * size - 2 * column - 1)
        for numbers, dy in ((far, -PITCH / 4), (near, PITCH / 4)):
            wanted |= {
                f"LED{number}": (x + dx, y + dy) for number, dx in zip(numbers, (-PITCH / 4, PITCH / 4), strict=True)
            }
    first_pin = next(pad for pad in board.pads if (pad.ref, pad.number) == ("J1", "1"))
    places = board.places | {"J1": (first_pin.x, first_pin.y)}
    return sorted(ref for ref, place in wanted.items() if math.dist(places[ref], place) > 0.001)


def keep_out_faults(board, size):
    """Return pads and holes on walls or gussets, and through-hole pads outside the windows of the tray.

    The connector is to the left of the cells.
    """
    found = set()
    for pad in board.pads:
        x, y = pad.x, pad.y
        if pad.ref == "J1":
            if x + pad.width / 2 > MARGIN - WALL or not 0.5 < y < DEPTH - 0.5:
                found.add(("wall", pad.ref))
            continue
        column = min(max(math.floor((x - MARGIN) / PITCH), 0), size - 1)
        middle_x, middle_y = cell_middle(column)
        far_x, far_y = abs(x - middle_x) + pad.width / 2, abs(y - middle_y) + pad.height / 2
        free_x, free_y = PITCH / 2 - WALL, DEPTH / 2 - WALL
        if far_x > free_x or far_y > free_y:
            found.add(("wall", pad.ref))
        elif far_x + far_y > free_x + free_y - GUSSET:
            found.add(("gusset", pad.ref))
        if pad.drill and max(far_x, far_y) > WINDOW:
            found.add(("window", pad.ref))
    return sorted(found)


def bottom_parts(board):
    return sorted(ref for ref, side in board.sides.items() if side == "B.Cu")


def supply_drop(board, net, lamp_amperes):
    """Return the largest voltage drop in V from the connector to a lamp on a net, if every lamp draws this current."""
    nodes, edges = {}, []

    def node(layer, place):
        return nodes.setdefault((layer, place), len(nodes))

    own_pads = [pad for pad in board.pads if pad.net == net]
    own_tracks = [track for track in board.tracks if track.net == net and track.layer]
    points = {place for track in own_tracks for place in (track.start, track.end)} | {
        (pad.x, pad.y) for pad in own_pads
    }
    for track in own_tracks:
        on_track = sorted(
            (math.dist(track.start, point), point) for point in points if _is_on(point, track.start, track.end)
        )
        for (start, one), (end, other) in itertools.pairwise(on_track):
            ohms = max(end - start, 1e-6) / track.width * SHEET_OHMS
            edges.append((node(track.layer, one), node(track.layer, other), ohms))
    plated = [(pad.x, pad.y) for pad in own_pads if pad.drill]
    edges += [(node("F.Cu", place), node("B.Cu", place), 1e-5) for place in plated]
    lamp_number = "1" if net == "5 V lamps" else "3"
    feed = next(pad for pad in own_pads if pad.ref == "J1")
    sinks = [pad for pad in own_pads if pad.ref.startswith("LED") and pad.number == lamp_number and not pad.drill]
    matrix, currents = np.zeros((len(nodes), len(nodes))), np.zeros(len(nodes))
    for one, other, ohms in edges:
        matrix[one, one] += 1 / ohms
        matrix[other, other] += 1 / ohms
        matrix[one, other] -= 1 / ohms
        matrix[other, one] -= 1 / ohms
    for pad in sinks:
        currents[node("F.Cu", (pad.x, pad.y))] -= lamp_amperes
    source = node("F.Cu", (feed.x, feed.y))
    kept = [index for index in range(len(nodes)) if index != source]
    volts = np.linalg.solve(matrix[np.ix_(kept, kept)], currents[kept])
    return -float(volts.min())


def _is_on(point, start, end):
    return abs(math.dist(start, point) + math.dist(point, end) - math.dist(start, end)) < 1e-4


def read_rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def bom_faults(bom, placement, board):
    """Return what is wrong in a parts list: missing or repeated parts, wrong quantities, or no part number."""
    rows = read_rows(bom)
    found = [
        ("number", row["Designator"]) for row in rows if not (row["MPN"] and row["Manufacturer"] and row["Comment"])
    ]
    found += [
        ("quantity", row["Designator"]) for row in rows if int(row["Quantity"]) != len(row["Designator"].split(","))
    ]
    listed = Counter(ref for row in rows for ref in row["Designator"].split(","))
    placed = {row["Designator"] for row in read_rows(placement)}
    found += [("repeated", ref) for ref, count in listed.items() if count > 1]
    return found + [("missing", ref) for ref in sorted(listed.keys() ^ placed | placed ^ board.places.keys())]
