"""S-expressions, the syntax of KiCad files: (label "a1" (at 25.4 50.8 0) ...)."""

from __future__ import annotations

from uuid import NAMESPACE_DNS, uuid5

STEP = 1.27
"""KiCad's 50 mil grid in mm. Positions in schematics are counted in these steps."""

Place = tuple[float, float]
"""Position in steps, to the right and down."""


def node(name: str, *values: object) -> str:
    """Format an expression. Strings must already be quoted."""
    return f"({' '.join(map(str, (name, *values)))})"


def quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def in_mm(steps: float) -> float:
    """Convert steps to mm, without floating-point noise."""
    return round(steps * STEP, 4)


def place_at(place: Place, *angle: int) -> str:
    return node("at", *map(in_mm, place), *angle)


def points(*places: Place) -> str:
    return node("pts", *(node("xy", *map(in_mm, place)) for place in places))


def text_style(*justify: str, size: float = 1.27, is_hidden: bool = False, is_bold: bool = False) -> str:
    font = node("font", node("size", size, size), *["(bold yes)"] * is_bold)
    justified = [node("justify", *justify)] if justify else []
    return node("effects", font, *justified, *["(hide yes)"] * is_hidden)


def stroke(width: float = 0, kind: str = "default") -> str:
    """Format a line width; 0 means KiCad's default."""
    return node("stroke", node("width", width), node("type", kind))


def uuid_text(*names: str) -> str:
    """Return an identifier derived from names, so that builds are reproducible."""
    return str(uuid5(uuid5(NAMESPACE_DNS, "pond-hw"), "/".join(names)))


def uuid_node(*names: str) -> str:
    return node("uuid", quoted(uuid_text(*names)))
