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
    """Draw a diode between a switch and the common line of a row board."""
    yield from (line(x, 60, x + 260, 60, COPPER), words(x + 130, 50, "common line"))
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


def lamp(x: float, is_right: bool) -> Iterator[str]:
    """Draw a lamp with wires that lies on a row board. The flat place at its rim belongs at the printed line."""
    yield from (box(x + 20, 50, 230, 165, "#dfe8df"), line(x + 160, 68, x + 200, 68, RED, 4))
    yield words(x + 208, 73, "flat", 14, "start", RED)
    for i in range(4):
        yield from (
            dot(x + 180, 90 + 30 * i, 8, COPPER),
            line(x + 130, 105 + 20 * i, x + 180, 90 + 30 * i, "#888888", 4),
        )
    yield box(x + 50, 92, 70, 86, "#f6ecc8", 34)
    yield box(x + 84, 92, 36, 86, "#f6ecc8", 0)
    rim_top = 92 if is_right else 84
    yield box(x + 112, rim_top, 18, 94, "#f6ecc8", 0)
    flat_y = 92 if is_right else 178
    yield line(x + 108, flat_y, x + 134, flat_y, RED, 5)
    yield words(x + 121, 82 if is_right else 200, "flat place", 12, colour=RED)


def cables(x: float, is_right: bool) -> Iterator[str]:
    """Draw the cables from the carrier board to two row boards."""
    rows, plugs = ((2, 75), (1, 165)), ((12, 75), (11, 165))
    yield from (box(x + 5, 50, 70, 160), words(x + 40, 44, "carrier board", 13))
    for (number, row_y), (plug, plug_y) in zip(rows, plugs, strict=True):
        yield from (box(x + 170, row_y - 20, 85, 40, "#dfe8df"), words(x + 216, row_y + 5, f"row {number}", 14))
        yield from (box(x + 62, plug_y - 12, 18, 24, "#ffffff"), words(x + 36, plug_y + 5, f"J{plug}", 14))
        end_y = row_y if is_right else 240 - row_y
        yield line(x + 80, plug_y, x + 170, end_y, COPPER, 6)


PICTURES = {"diode": diode, "chip": chip, "ribbon": ribbon, "lamp": lamp, "cables": cables}


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
