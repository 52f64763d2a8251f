"""Sheets of the assembly drawings: shapes and texts in mm, written as SVG.

A sheet is as wide as the text on an A4 page. x points right and y down. Texts are drawn last, on top of all shapes.
`call_out` finds a place for a text and a line to its target, so that neither meets another text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from itertools import pairwise
from typing import NamedTuple

from pond_hw.fabrication.solids.layout import FlatPoint

Box = tuple[float, float, float, float]
"""Left, top, right and bottom of a rectangle, in mm."""

SHEET_WIDTH, MAX_HEIGHT = 180.0, 257.0
"""Size of the sheet in mm: A4 with margins of 15 mm at the sides, and of 20 mm at the top and the bottom."""

MIN_LETTER = 2.5
"""Smallest font size in mm: 7 pt."""

LETTER, TITLE = 2.9, 5.2
"""Font sizes in mm of texts and of the title."""

INK, PALE, MIDDLE_GREY, RED, BLUE = "#111111", "#eeeeee", "#999999", "#c8102e", "#1756a9"

FONT_FAMILY = "Arial, Helvetica, sans-serif"

LINE_STEP = 1.25
"""Distance between lines of a text, in font sizes."""

BOLD_FACTOR = 1.17
"""Width of bold letters relative to normal ones, at most."""

TEXT_GAP = 0.35
"""Minimum distance in mm between a text and a line or another text."""

CALLOUT_GAP = 1.4
"""The same between texts beside a drawing, if there is room."""

_LETTER_WIDTHS = {
    0.33: " ',.IJijl·",
    0.42: "!()-/:;[\\]frt|",
    0.54: '"*?_`sz–',
    0.66: "$0123456789EFKLPSTYabcdeghknopquvxy{}µ",
    0.74: "ABCRUVXZ",
    0.86: "#&+<=>DGHNOQ^w~×Ω→←",
}
_WIDTH_BY_LETTER = {letter: width for width, letters in _LETTER_WIDTHS.items() for letter in letters}
"""Widths in font sizes, rounded up, of DejaVu Sans. It is wider than Arial and Liberation Sans."""


def text_width(text: str, size: float, is_bold: bool = False) -> float:
    """Return the maximum width in mm of a line of text."""
    return sum(_WIDTH_BY_LETTER.get(letter, 1.0) for letter in text) * size * (BOLD_FACTOR if is_bold else 1)


class Label(NamedTuple):
    """Line of text. `point` is on its baseline: at its start, its middle or its end, depending on `anchor`."""

    text: str
    point: FlatPoint
    size: float = LETTER
    anchor: str = "middle"
    colour: str = INK
    is_bold: bool = False

    @property
    def box(self) -> Box:
        width = text_width(self.text, self.size, self.is_bold)
        left = self.point[0] - {"start": 0.0, "middle": 0.5, "end": 1.0}[self.anchor] * width
        return left, self.point[1] - 0.78 * self.size, left + width, self.point[1] + 0.24 * self.size


def boxes_meet(one: Box, other: Box, gap: float = TEXT_GAP) -> bool:
    """Return True if two boxes overlap or are closer than `gap`."""
    return one[0] < other[2] + gap and other[0] < one[2] + gap and one[1] < other[3] + gap and other[1] < one[3] + gap


def line_meets_box(start: FlatPoint, end: FlatPoint, box: Box, gap: float = TEXT_GAP) -> bool:
    """Return True if a line crosses a box or is closer to it than `gap` (Liang and Barsky's algorithm)."""
    low, high = 0.0, 1.0
    for axis in (0, 1):
        delta = end[axis] - start[axis]
        edges = box[axis] - gap - start[axis], box[axis + 2] + gap - start[axis]
        if abs(delta) < 1e-9:
            if edges[0] > 0 or edges[1] < 0:
                return False
            continue
        near, far = sorted(edge / delta for edge in edges)
        low, high = max(low, near), min(high, far)
    return low < high


def _lines_cross(one: tuple[FlatPoint, FlatPoint], other: tuple[FlatPoint, FlatPoint]) -> bool:
    def side(start: FlatPoint, end: FlatPoint, point: FlatPoint) -> float:
        return (end[0] - start[0]) * (point[1] - start[1]) - (end[1] - start[1]) * (point[0] - start[0])

    return side(*one, other[0]) * side(*one, other[1]) < 0 and side(*other, one[0]) * side(*other, one[1]) < 0


class Sheet:
    """Sheet under construction. It begins with its title and an explanation, if there are any."""

    def __init__(self, title: str = "", explanation: str = "") -> None:
        self.title = title
        self.shapes: list[str] = []
        self.edges: list[tuple[FlatPoint, FlatPoint]] = []
        self.pointers: list[tuple[FlatPoint, FlatPoint]] = []
        self.labels: list[Label] = []
        self.top = 0.0  # lower edge of the texts at the top
        if title:
            width = text_width(title, TITLE, is_bold=True)
            self.write(title, (0, TITLE), TITLE * min(1.0, SHEET_WIDTH / width), "start", is_bold=True)
            self.top = 1.5 * TITLE
        if explanation:
            self.top = self.write_lines(explanation, (0, self.top + LETTER))

    # --- Shapes ---

    def line(self, *points: FlatPoint, colour: str = INK, width: float = 0.3, dashes: str = "") -> None:
        """Draw a line through some points."""
        self._add_path(points, False, "none", colour, width, dashes)

    def polygon(
        self, points: Sequence[FlatPoint], fill: str = "none", colour: str = INK, width: float = 0.3, dashes: str = ""
    ) -> None:
        self._add_path(points, True, fill, colour, width, dashes)

    def box(
        self, corner: FlatPoint, other_corner: FlatPoint, fill: str = "none", colour: str = INK, **style: object
    ) -> None:
        (x0, y0), (x1, y1) = corner, other_corner
        self._add_path([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], True, fill, colour, **style)  # type: ignore[arg-type]

    def circle(
        self, middle: FlatPoint, radius: float, fill: str = "none", colour: str = INK, width: float = 0.3
    ) -> None:
        x, y = middle
        style = f'fill="{fill}" stroke="{colour}" stroke-width="{width:g}"'
        self.shapes.append(f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{radius:.2f}" {style}/>')
        corners = [(x + radius * math.cos(i * math.pi / 8), y + radius * math.sin(i * math.pi / 8)) for i in range(17)]
        self.edges += pairwise(corners)

    def dot(self, middle: FlatPoint, radius: float = 0.5, colour: str = INK) -> None:
        self.circle(middle, radius, colour, colour, 0.1)

    def arrow(self, start: FlatPoint, end: FlatPoint, colour: str = INK, width: float = 0.3, head: float = 1.4) -> None:
        """Draw a line with a head at its end."""
        length = math.dist(start, end)
        i, j = (end[0] - start[0]) / length, (end[1] - start[1]) / length
        base = end[0] - head * i, end[1] - head * j
        self.line(start, base, colour=colour, width=width)
        half = head / 2.4
        corners = [end, (base[0] - half * j, base[1] + half * i), (base[0] + half * j, base[1] - half * i)]
        self.polygon(corners, colour, colour, 0.1)

    def cable(self, *points: FlatPoint, colour: str = BLUE, width: float = 1.1) -> None:
        """Draw a cable. A white border shows which of two cables is on top."""
        self.line(*points, colour="#ffffff", width=width + 0.9)
        self.line(*points, colour=colour, width=width)

    def _add_path(
        self, points: Sequence[FlatPoint], closed: bool, fill: str, colour: str, width: float = 0.3, dashes: str = ""
    ) -> None:
        name, corners = ("polygon", [*points, points[0]]) if closed else ("polyline", points)
        places = " ".join(f"{x:.2f},{y:.2f}" for x, y in points)
        dash_style = f' stroke-dasharray="{dashes}"' if dashes else ""
        style = f'fill="{fill}" stroke="{colour}" stroke-width="{width:g}" stroke-linejoin="round"{dash_style}'
        self.shapes.append(f'<{name} points="{places}" {style}/>')
        self.edges += pairwise(corners)

    # --- Texts ---

    def write(
        self,
        text: str,
        point: FlatPoint,
        size: float = LETTER,
        anchor: str = "middle",
        colour: str = INK,
        is_bold: bool = False,
    ) -> None:
        """Write a line of text. `point` is on its baseline."""
        self.labels.append(Label(text, point, size, anchor, colour, is_bold))

    def write_lines(self, text: str, point: FlatPoint, size: float = LETTER, anchor: str = "start") -> float:
        """Write several lines, the first at `point`, and return the lower edge of the last."""
        x, y = point
        for number, line_text in enumerate(text.split("\n")):
            self.write(line_text, (x, y + number * LINE_STEP * size), size, anchor)
        return self.labels[-1].box[3]

    def write_if_free(
        self, text: str, middle: FlatPoint, size: float = LETTER, colour: str = INK, is_bold: bool = False
    ) -> bool:
        """Write a text, which may have several lines, around a point, unless it would meet a line or another text.

        Return True if it was written.
        """
        lines, (x, y) = text.split("\n"), middle
        first_y = y + (0.27 - (len(lines) - 1) * LINE_STEP / 2) * size
        labels = [
            Label(line, (x, first_y + number * LINE_STEP * size), size, "middle", colour, is_bold)
            for number, line in enumerate(lines)
        ]
        if is_free := all(self._is_free(label.box) for label in labels):
            self.labels += labels
        return is_free

    def call_out(self, text: str, targets: Iterable[FlatPoint], span: tuple[float, float]) -> None:
        """Write a text at the left or right edge of the sheet, and draw a line from it to a target.

        Args:
            text: may have several lines.
            targets: points at which the line may end.
            span: extent in y for the text.

        Raises:
            ValueError: there is no room.
        """
        places = []
        for x, anchor in ((0.0, "start"), (SHEET_WIDTH, "end")):
            for target in targets:
                for half_mm in range(round(2 * (span[1] - span[0]))):
                    labels, start = _callout_labels(text, x, span[0] + half_mm / 2, anchor)
                    length = abs(start[0] - target[0]) + 1.5 * abs(start[1] - target[1])
                    places.append((length, labels, start, target))
        places.sort(key=lambda place: place[0])
        for may_cross, gap in ((False, CALLOUT_GAP), (False, TEXT_GAP), (True, TEXT_GAP)):
            for _, labels, start, target in places:
                if labels[-1].box[3] <= span[1] and self._has_room(labels, (start, target), may_cross, gap):
                    self.labels += labels
                    self.pointers.append((start, target))
                    self.line(start, target, width=0.2)
                    self.dot(target, 0.45)
                    return
        raise ValueError(f"no room on the sheet {self.title!r} for {text!r}")

    def _has_room(self, labels: list[Label], pointer: tuple[FlatPoint, FlatPoint], may_cross: bool, gap: float) -> bool:
        return (
            all(self._is_free(label.box, gap) for label in labels)
            and not any(line_meets_box(*pointer, label.box) for label in (*labels, *self.labels))
            and (may_cross or not any(_lines_cross(pointer, other) for other in self.pointers))
        )

    def _is_free(self, box: Box, gap: float = TEXT_GAP) -> bool:
        return (
            box[0] >= 0
            and box[2] <= SHEET_WIDTH
            and box[1] >= 0
            and not any(boxes_meet(box, label.box, gap) for label in self.labels)
            and not any(line_meets_box(*edge, box) for edge in self.edges)
        )

    # --- Output ---

    def to_svg(self) -> str:
        """Return the sheet as SVG. It is as high as its contents."""
        height = max(*(label.box[3] for label in self.labels), *(y for edge in self.edges for _, y in edge)) + 1
        size = f'width="{SHEET_WIDTH:g}mm" height="{height:.1f}mm" viewBox="0 0 {SHEET_WIDTH:g} {height:.1f}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT_FAMILY}">'
        paper = f'<rect width="{SHEET_WIDTH:g}" height="{height:.1f}" fill="#ffffff"/>'
        return "\n".join((head, paper, *self.shapes, *map(_label_item, self.labels), "</svg>")) + "\n"


def _callout_labels(text: str, x: float, y: float, anchor: str) -> tuple[list[Label], FlatPoint]:
    """Return the lines of a text below a height, and the start of its pointer."""
    step = LINE_STEP * LETTER
    labels = [
        Label(line, (x, y + (number + 0.8) * step), LETTER, anchor) for number, line in enumerate(text.split("\n"))
    ]
    inner_edge = max(label.box[2] for label in labels) + 1 if x == 0 else min(label.box[0] for label in labels) - 1
    return labels, (inner_edge, (labels[0].box[1] + labels[-1].box[3]) / 2)


def _label_item(label: Label) -> str:
    (x, y), weight = label.point, ' font-weight="bold"' if label.is_bold else ""
    style = f'font-size="{label.size:g}" text-anchor="{label.anchor}" fill="{label.colour}"{weight}'
    return f'<text x="{x:.2f}" y="{y:.2f}" {style}>{escape(label.text)}</text>'
