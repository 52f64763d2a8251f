"""S-expressions, which KiCad's files are written in: (label "a1" (at 25.4 50.8 0) ...)."""

from __future__ import annotations

from uuid import NAMESPACE_DNS, uuid5

STEP = 1.27
"""mm: KiCad's grid of 50 mil, on which everything lies. Places in schematics are counted in its steps."""

Place = tuple[float, float]
"""To the right and down, in steps."""


def node(name: str, *values: object) -> str:
    """An expression with these values; texts among them must be quoted already."""
    return f"({' '.join(map(str, (name, *values)))})"


def quoted(text: str) -> str:
    """A text in quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def in_mm(steps: float) -> float:
    """So many steps in mm, without what binary fractions add."""
    return round(steps * STEP, 4)


def place_at(place: Place, *angle: int) -> str:
    """Where something is, and by how many degrees it is turned."""
    return node("at", *map(in_mm, place), *angle)


def points(*places: Place) -> str:
    """The corners of a line."""
    return node("pts", *(node("xy", *map(in_mm, place)) for place in places))


def text_style(*justify: str, size: float = 1.27, is_hidden: bool = False, is_bold: bool = False) -> str:
    """How a text is written: the height of its letters in mm, and which of its ends its place is."""
    font = node("font", node("size", size, size), *["(bold yes)"] * is_bold)
    justified = [node("justify", *justify)] if justify else []
    return node("effects", font, *justified, *["(hide yes)"] * is_hidden)


def stroke(width: float = 0, kind: str = "default") -> str:
    """How a line is drawn; a width of 0 is KiCad's own."""
    return node("stroke", node("width", width), node("type", kind))


def uuid_text(*names: str) -> str:
    """An identifier that follows from names, so that a board has the same ones every time it is made."""
    return str(uuid5(uuid5(NAMESPACE_DNS, "pond-hw"), "/".join(names)))


def uuid_node(*names: str) -> str:
    """That identifier as an expression."""
    return node("uuid", quoted(uuid_text(*names)))
