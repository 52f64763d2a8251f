"""Draw docs/pictures/mistake-*.svg: five common mistakes, each beside its correct version (`make picture`)."""

from collections.abc import Iterator
from html import escape
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"

WIDTH, HEIGHT, HALF = 640, 230, 320
INK, COPPER, RED, GREEN, GREY = "#222222", "#c08030", "#c02020", "#208040", "#e4e4e4"


def line(x0: float, y0: float, x1: float, y1: float, colour: str = INK, width: float = 3) -> str:
    return f'<line x1="{x0:g}" y1="{y0:g}" x2="{x1:g}" y2="{y1:g}" stroke="{colour}" stroke-width="{width:g}"/>'


def box(x: float, y: float, width: float, height: float, fill: str = GREY, corner: float = 3) -> str:
    """Return a part as seen from above."""
    size = f'width="{width:g}" height="{height:g}" rx="{corner:g}"'
    return f'<rect x="{x:g}" y="{y:g}" {size} fill="{fill}" stroke="{INK}" stroke-width="2"/>'


def dot(x: float, y: float, radius: float = 4, fill: str = INK) -> str:
    """Return a pin or a mark."""
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}"/>'


def words(x: float, y: float, text: str, size: int = 15, anchor: str = "middle", colour: str = INK) -> str:
    style = f'font-family="sans-serif" font-size="{size}" text-anchor="{anchor}" fill="{colour}"'
    return f'<text x="{x:g}" y="{y:g}" {style}>{escape(text)}</text>'


def diode(x: float, is_right: bool) -> Iterator[str]:
    """Draw a diode between a switch and a driven line."""
    yield from (line(x, 60, x + 260, 60, COPPER), words(x + 130, 50, "driven line"))
    yield from (line(x + 130, 60, x + 130, 175), box(x + 115, 85, 30, 60, "#d98c5f"))
    yield box(x + 115, 92 if is_right else 127, 30, 10, INK, 0)
    yield from (box(x + 95, 175, 70, 40), words(x + 130, 200, "switch"))
    yield words(x + 155, 101 if is_right else 136, "band", 14, "start")


def chip(x: float, is_right: bool) -> Iterator[str]:
    """Draw a chip in its socket, with the notch up."""
    yield from (box(x + 85, 50, 90, 150, "#ffffff"), dot(x + 130, 50, 9, "#ffffff"))
    yield from (box(x + 100, 60, 60, 130, "#555555"), dot(x + 130, 66 if is_right else 184, 6, "#ffffff"))
    for i in range(7):
        yield from (dot(x + 92, 72 + 18 * i, 3), dot(x + 168, 72 + 18 * i, 3))
    yield from (words(x + 70, 77, "1", 14), words(x + 200, 52, "notch of the", 13, "start"))
    yield words(x + 200, 68, "socket", 13, "start")


def ribbon(x: float, is_right: bool) -> Iterator[str]:
    """Draw a ribbon cable on the Pi's header, with pin 1 on the right."""
    moved = 0 if is_right else -22
    for i in range(9):
        yield from (dot(x + 50 + 22 * i, 90, 5, COPPER), dot(x + 50 + 22 * i, 112, 5, COPPER))
    yield box(x + 36 + moved, 78, 204, 46, "none")
    for i in range(9):
        yield line(x + 50 + 22 * i + moved, 124, x + 50 + 22 * i + moved, 200, RED if i == 8 else "#888888", 5)
    yield from (words(x + 250, 96, "pin 1", 14, "start"), words(x + 250, 170, "wire 1", 14, "start", RED))
    yield words(x + 138, 66, "the Pi's header")


def strip(x: float, is_right: bool) -> Iterator[str]:
    """Draw the first lamp of a strip, with the arrow and the data wire."""
    yield from (box(x + 30, 80, 200, 70, "#ffffff"), box(x + 110, 95, 40, 40), dot(x + 130, 115, 11, "#f0d060"))
    for label, y in (("5 V", 95), ("D", 115), ("GND", 135)):
        left, right = ("DIN", "DO") if label == "D" else (label, label)
        yield from (words(x + 56, y + 5, left, 12), words(x + 206, y + 5, right, 12))
    yield from (line(x + 75, 165, x + 180, 165), line(x + 180, 165, x + 168, 158), line(x + 180, 165, x + 168, 172))
    yield words(x + 130, 185, "arrow on the strip", 13)
    ends = (x - 5, x + 30) if is_right else (x + 230, x + 265)
    yield from (line(ends[0], 115, ends[1], 115, GREEN, 5), words(sum(ends) / 2, 70, "data", 14, "middle", GREEN))


def grounds(x: float, is_right: bool) -> Iterator[str]:
    """Draw the grounds of the Pi and of the lamps' supply."""
    yield from (
        box(x + 10, 60, 80, 50),
        words(x + 50, 90, "Pi"),
        box(x + 10, 150, 80, 50),
        words(x + 50, 180, "supply"),
    )
    yield from (box(x + 170, 90, 90, 80), words(x + 215, 135, "lamps"))
    yield from (
        line(x + 90, 75, x + 190, 75, GREEN),
        line(x + 190, 75, x + 190, 90, GREEN),
        words(x + 130, 68, "data", 13),
    )
    yield from (line(x + 90, 165, x + 170, 165, RED), words(x + 130, 160, "5 V", 13))
    yield from (line(x + 90, 190, x + 215, 190), line(x + 215, 190, x + 215, 170), words(x + 150, 208, "ground", 13))
    if is_right:
        yield from (line(x + 70, 110, x + 70, 150), words(x + 78, 135, "ground", 13, "start"))


PICTURES = {"diode": diode, "chip": chip, "ribbon": ribbon, "data": strip, "grounds": grounds}


def draw(name: str) -> str:
    shapes = [f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>', line(HALF, 10, HALF, HEIGHT - 10, GREY, 2)]
    for x, is_right in ((25, False), (HALF + 25, True)):
        colour, title = (GREEN, "right") if is_right else (RED, "wrong")
        shapes += [words(x, 28, title, 20, "start", colour), *PICTURES[name](x, is_right)]
    view = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    return "\n".join((f'<svg xmlns="http://www.w3.org/2000/svg" {view}>', *shapes, "</svg>")) + "\n"


if __name__ == "__main__":
    for picture in PICTURES:
        (FOLDER / f"mistake-{picture}.svg").write_text(draw(picture), encoding="utf-8")
