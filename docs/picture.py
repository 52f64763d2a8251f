"""Draws docs/board.svg: the terminal board in the middle of a game, the same one every time.

python docs/picture.py
"""

import asyncio
import re
from pathlib import Path

from pond_hw.companion import PACE_SECONDS, SimulatedClock
from pond_hw.faces.tui.app import TerminalBoard
from pond_hw.faces.tui.table import OwnTable
from pond_hw.players import player
from pond_hw.rules import STANDARD, Action
from pond_hw.session import Act

LIGHT_ACTS = ("@a4", "@d3", "@a2", "@c2", "@a3", "@a2", "@a1", "@c3", "@d2")
DARK_SEED = 7
LIGHT_PRESSES = "d3"  # a frog
MOMENT = 0.45  # of a second: the targets are bright, the frog flashes

LINE, FIRST = 24.4, 1.5  # of a screenshot: the height of a line, and where the first one begins


def board() -> str:
    """The picture as SVG."""
    return _plain(asyncio.run(_screenshot()))


async def _screenshot() -> str:
    clock = SimulatedClock()
    app = TerminalBoard(OwnTable(STANDARD, (None, player("greedy", DARK_SEED)), 4, clock), lives=False)
    async with app.run_test(size=(80, 24)) as pilot:
        for action in LIGHT_ACTS:
            app.companion.put(Act(Action.read(action), clock.now()))
            app.companion.run_until(clock.now() + PACE_SECONDS + 0.2)
        app.companion.run_until(int(clock.now()) + 4)
        await pilot.press(*LIGHT_PRESSES, "enter")
        app.companion.run_until(clock.now() + MOMENT)
        app.look()
        await pilot.pause()
        return app.export_screenshot(title="pond play")


def _plain(svg: str) -> str:
    """Without fonts from elsewhere, and with half blocks as rectangles: in another font they would not meet."""
    svg = re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL).replace("Fira Code, monospace", "monospace")
    return re.sub(
        r'<text class="([^"]*)" x="([^"]*)" y="[^"]*" textLength="([^"]*)" clip-path="[^"]*line-(\d+)\)">▀+</text>',
        lambda text: (
            f'<rect class="{text[1]}" x="{text[2]}" y="{int(text[4]) * LINE + FIRST:g}" '
            f'width="{text[3]}" height="{LINE / 2:g}" shape-rendering="crispEdges"/>'
        ),
        svg,
    )


if __name__ == "__main__":
    (Path(__file__).parent / "board.svg").write_text(board(), encoding="utf-8")
