"""Draw docs/pictures/fairness.svg from the table of fair starts in docs/studying.md: `make picture`."""

import re
from html import escape
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parents[1] / "docs"
PICTURE = DOCS / "pictures" / "fairness.svg"

WIDTH, LEFT, RIGHT, TOP, ROW = 640, 110, 610, 66, 44
MIN_PERCENT, MAX_PERCENT = 40, 90
INK, GRID = "#222222", "#d0d0d0"
KINDS = (("from the empty pond", "#e69f00", -8), ("from the fair starts", "#0072b2", 8))
"""Label, colour (from the Okabe-Ito palette) and vertical offset of each kind of start."""


class Share(NamedTuple):
    """Light's share of the points and its confidence interval, in percent."""

    share: int
    low: int
    high: int


def read_table(page: str) -> dict[str, list[Share]]:
    """Return each variant's shares from the empty pond and from the fair starts."""
    cell = r"(\d+) % \((\d+) to (\d+)\)"
    rows = re.findall(rf"^\| (\S+) \| {cell} \| {cell} \|$", page, re.MULTILINE)
    return {pond: [Share(*map(int, found[:3])), Share(*map(int, found[3:]))] for pond, *found in rows}


def place(percent: float) -> float:
    """Return the x coordinate for a percentage."""
    return LEFT + (percent - MIN_PERCENT) * (RIGHT - LEFT) / (MAX_PERCENT - MIN_PERCENT)


def line(x0: float, y0: float, x1: float, y1: float, colour: str, width: float = 1, dashes: str = "") -> str:
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<line x1="{x0:g}" y1="{y0:g}" x2="{x1:g}" y2="{y1:g}" stroke="{colour}" stroke-width="{width:g}"{dashed}/>'


def words(x: float, y: float, text: str, anchor: str = "start") -> str:
    style = f'font-family="sans-serif" font-size="14" text-anchor="{anchor}" fill="{INK}"'
    return f'<text x="{x:g}" y="{y:g}" {style}>{escape(text)}</text>'


def mark(x: float, y: float, colour: str, *, is_square: bool) -> str:
    """Return a disc or a square, so that colour-blind readers can tell them apart."""
    if is_square:
        return f'<rect x="{x - 5:g}" y="{y - 5:g}" width="10" height="10" fill="{colour}"/>'
    return f'<circle cx="{x:g}" cy="{y:g}" r="5.5" fill="{colour}"/>'


def draw(table: dict[str, list[Share]]) -> str:
    bottom = TOP + ROW * len(table)
    parts = [f'<rect width="{WIDTH}" height="{bottom + 44}" fill="#ffffff"/>']
    for index, (name, colour, _) in enumerate(KINDS):
        x = LEFT + 250 * index
        parts += [mark(x + 6, 24, colour, is_square=index == 1), words(x + 20, 29, name)]
    for percent in range(MIN_PERCENT, MAX_PERCENT + 1, 10):
        is_even = percent == 50
        parts.append(
            line(
                place(percent),
                TOP - 14,
                place(percent),
                bottom,
                INK if is_even else GRID,
                dashes="5 4" if is_even else "",
            )
        )
        parts.append(words(place(percent), bottom + 18, f"{percent} %", "middle"))
    parts.append(
        words((LEFT + RIGHT) / 2, bottom + 37, "Light’s share of the points, with its 95 % interval", "middle")
    )
    for row, (pond, shares) in enumerate(table.items()):
        y = TOP + ROW * (row + 0.5)
        parts.append(words(LEFT - 14, y + 5, pond, "end"))
        for (share, low, high), (_, colour, shift) in zip(shares, KINDS, strict=True):
            parts.append(line(place(low), y + shift, place(high), y + shift, colour, 3))
            parts.append(mark(place(share), y + shift, colour, is_square=shift > 0))
    size = f'width="{WIDTH}" height="{bottom + 44}" viewBox="0 0 {WIDTH} {bottom + 44}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n' + "\n".join(parts) + "\n</svg>\n"


if __name__ == "__main__":
    PICTURE.write_text(draw(read_table((DOCS / "studying.md").read_text("utf-8"))), encoding="utf-8")
