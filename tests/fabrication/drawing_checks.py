"""Checks of drawings, made on their SVG text."""

import xml.etree.ElementTree as ElementTree
from itertools import combinations, pairwise

from pond_hw.fabrication.drawing_sheet import MAX_HEIGHT, MIN_LETTER, SHEET_WIDTH, Label, boxes_meet, line_meets_box

SVG = "{http://www.w3.org/2000/svg}"


def list_labels(svg):
    """Return the texts of a drawing."""
    return [
        Label(
            item.text,
            (float(item.get("x")), float(item.get("y"))),
            float(item.get("font-size")),
            item.get("text-anchor"),
            item.get("fill"),
            item.get("font-weight") == "bold",
        )
        for item in ElementTree.fromstring(svg).iter(f"{SVG}text")
    ]


def list_lines(svg, colour=None, width=None):
    """Return the points of all lines and outlines, or of those with a colour and a width."""
    paths = []
    for item in ElementTree.fromstring(svg).iter():
        if item.tag in (f"{SVG}polyline", f"{SVG}polygon"):
            points = [tuple(map(float, point.split(","))) for point in item.get("points").split()]
            closed = points[:1] if item.tag == f"{SVG}polygon" else []
            if colour in (None, item.get("stroke")) and width in (None, float(item.get("stroke-width"))):
                paths.append([*points, *closed])
    return paths


def list_circles(svg):
    circles = ElementTree.fromstring(svg).iter(f"{SVG}circle")
    return [tuple(float(item.get(key)) for key in ("cx", "cy", "r")) for item in circles]


def find_faults(svg):
    """Return the reasons why a drawing can't be read: `size`, or a text and `small`, `page`, `overlap` or `crossed`."""
    page = ElementTree.fromstring(svg)
    width, height = page.get("width"), page.get("height")
    box = [float(number) for number in page.get("viewBox").split()]
    in_mm = width == f"{SHEET_WIDTH:g}mm" and height.endswith("mm") and float(height[:-2]) == box[3]
    faults = [] if in_mm and box[:3] == [0, 0, SHEET_WIDTH] and box[3] <= MAX_HEIGHT else [("", "size")]
    labels = list_labels(svg)
    edges = [edge for path in list_lines(svg) for edge in pairwise(path)]
    edges += [
        ((x + i * r, y + j * r), (x + k * r, y + m * r))
        for x, y, r in list_circles(svg)
        for (i, j), (k, m) in pairwise(
            [(1, 0), (0.7, 0.7), (0, 1), (-0.7, 0.7), (-1, 0), (-0.7, -0.7), (0, -1), (0.7, -0.7), (1, 0)]
        )
    ]
    for label in labels:
        left, top, right, bottom = label.box
        if label.size < MIN_LETTER:
            faults.append((label.text, "small"))
        if left < 0 or right > box[2] or top < 0 or bottom > box[3]:
            faults.append((label.text, "page"))
        if any(line_meets_box(*edge, label.box, gap=0) for edge in edges):
            faults.append((label.text, "crossed"))
    faults += [(one.text, "overlap") for one, other in combinations(labels, 2) if boxes_meet(one.box, other.box, 0)]
    return faults


def find_row_faults(svg, size, cables):
    """Return what is wrong with the drawing of the row boards from below: `view`, or the name of a cable."""
    labels = {label.text: label for label in list_labels(svg)}
    middle = {
        f"{'abcde'[column]}{row}": labels[f"{'abcde'[column]}{row}"].point
        for column in range(size)
        for row in range(1, size + 1)
    }
    is_mirrored = all(middle[f"a{row}"][0] > middle[f"b{row}"][0] > middle["c1"][0] for row in range(1, size + 1))
    is_upright = all(middle[f"a{row}"][1] > middle[f"a{row + 1}"][1] + 5 for row in range(1, size))
    says_so = labels["SEEN FROM BELOW"].size >= 6 if "SEEN FROM BELOW" in labels else False
    faults = [] if is_mirrored and is_upright and says_so else ["view"]
    plugs = {text: label.box for text, label in labels.items() if text[:1] == "J" and text[1:].isdigit()}
    pointers = [path for path in list_lines(svg, width=0.2) if len(path) == 2]
    for text, (left, top, right, bottom) in plugs.items():
        middle_y = (top + bottom) / 2
        ends = [
            end for start, end in pointers if abs(start[1] - middle_y) < 0.1 and left - 1.1 < start[0] < right + 1.1
        ]
        plugs[text] = (*ends[0], *ends[0]) if ends else plugs[text]
    paths = list_lines(svg, "#1756a9", 1.1)
    for cable in cables:
        row_y = middle[f"a{cable.name.removeprefix('row ')}"][1]
        path = next((path for path in paths if abs(path[0][1] - row_y) < 3), None)
        end = min(plugs, key=lambda text: distance_to(plugs[text], path[-1])) if path and plugs else cable.connector
        if path is None or end != cable.connector or f"{cable.name} to {cable.connector}" not in labels:
            faults.append(cable.name)
    return faults


def distance_to(box, point):
    """Return the distance from a box to a point."""
    across = max(box[0] - point[0], 0, point[0] - box[2])
    down = max(box[1] - point[1], 0, point[1] - box[3])
    return (across**2 + down**2) ** 0.5
