"""Draw docs/board.svg, the terminal board in the middle of a given game: `make picture`."""

import asyncio
import os
import re
from collections.abc import Iterator
from html import escape, unescape
from pathlib import Path
from unittest.mock import patch

from pond_hw.companion import SimulatedClock
from pond_hw.companion.program_players import PACE_SECONDS
from pond_hw.engine import SeatedPlayers, make_player
from pond_hw.rules import STANDARD, Action
from pond_hw.session import TakeAction
from pond_hw.tui.local_table import LocalTable, TableOptions
from pond_hw.tui.play_app import TerminalBoard

PICTURE = Path(__file__).parents[1] / "docs" / "board.svg"

LIGHT_ACTS = ("@a4", "@d3", "@a2", "@c2", "@a3", "@a2", "@a1", "@c3", "@d2")
DARK_SEED = 7
LIGHT_PRESSES = "a2"  # A frog.
MOMENT = 0.45  # Seconds into the animation, when the targets are bright.

LINE, COLUMN, FIRST = 24.4, 12.2, 1.5  # Units of the SVG: line height, column width, and top of the first line.


def board() -> str:
    """Return the picture as SVG, in full colour regardless of this terminal."""
    with patch.dict(os.environ, {"TERM": "xterm-256color", "COLORTERM": "truecolor"}):
        return _plain(asyncio.run(_screenshot()))


async def _screenshot() -> str:
    clock = SimulatedClock()
    seated = SeatedPlayers((None, make_player("greedy", DARK_SEED)))
    table = LocalTable(STANDARD, seated, TableOptions(clock=clock))
    companion = table.companion
    app = TerminalBoard(table, auto_update=False)
    async with app.run_test(size=(80, 24)) as pilot:
        for action in LIGHT_ACTS:
            companion.put(TakeAction(Action.from_notation(action), clock.now()))
            companion.run_until(clock.now() + PACE_SECONDS + 0.2)
        companion.run_until(int(clock.now()) + 4)
        await pilot.press(*LIGHT_PRESSES, "enter")
        companion.run_until(clock.now() + MOMENT)
        app.update_screen()
        await pilot.pause()
        return app.export_screenshot(title="pond play")


def _plain(svg: str) -> str:
    """Remove web fonts, position each letter so that any font works, and draw blocks as rectangles."""
    svg = re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL).replace("Fira Code, monospace", "monospace")
    svg = svg.replace("font-family: arial", "font-family: sans-serif")
    svg = re.sub(r'<clipPath id="[^"]*-line-\d+">.*?</clipPath>\s*', "", svg, flags=re.DOTALL)
    text = r'<text class="([^"]*)" x="([^"]*)" y="([^"]*)" textLength="[^"]*" clip-path="[^"]*-(\d+)\)">([^<]*)</text>'
    return re.sub(text, lambda found: "".join(_placed(*found.groups())), svg)


def _placed(style: str, x: str, y: str, line: str, text: str) -> Iterator[str]:
    """Yield the words in a part of a line, with a position for each letter."""
    for word in re.finditer(r"[^\s\xa0]+", unescape(text)):
        left = [f"{float(x) + COLUMN * column:.6g}" for column in range(word.start(), word.end())]
        if word[0].strip("▀"):
            yield f'<text class="{style}" x="{" ".join(left)}" y="{y}">{escape(word[0])}</text>'
        else:
            yield (
                f'<rect class="{style}" x="{left[0]}" y="{int(line) * LINE + FIRST:.6g}" '
                f'width="{COLUMN * len(left):.6g}" height="{LINE / 2:g}" shape-rendering="crispEdges"/>'
            )


if __name__ == "__main__":
    PICTURE.write_text(board(), encoding="utf-8")
