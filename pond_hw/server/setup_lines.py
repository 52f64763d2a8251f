"""`pond setup --headless`: set-up led by JSON lines (docs/protocol.md).

On a pretended board time is simulated: the same lines in give the same lines out, byte for byte. On a real one it is
real, and lines come whenever there is something to say.
"""

from __future__ import annotations

import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any, Protocol

from pond_hw import __version__
from pond_hw.blackbox import BlackBox
from pond_hw.drivers.shutdown import leave_at_once
from pond_hw.profile import load
from pond_hw.profile.board_profile import Pretended
from pond_hw.rules import PondError, Side, grid
from pond_hw.server import protocol
from pond_hw.server.headless import lines as lines_of
from pond_hw.server.protocol import LONGEST_WAIT, BadLine
from pond_hw.setup.controller import Lead
from pond_hw.setup.results_store import finding
from pond_hw.setup.step import Reply
from pond_hw.setup.wizard import KINDS

TOUCH_SECONDS = 0.15
"""How long a finger stays in a touch, and how long it is away afterwards."""

LONGEST_QUOTE = 20
"""Letters of what was said that an error repeats."""


class Clock(Protocol):
    """What time it is, and how to let it pass."""

    def now(self) -> float:
        """Seconds since some beginning."""

    def sleep(self, seconds: float) -> None:
        """Let so many pass."""


class Real:
    """The time that people live in, from 0 on."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    def now(self) -> float:
        """Seconds since this clock was made."""
        return time.monotonic() - self._start

    sleep = staticmethod(time.sleep)


class Simulated:
    """Time that passes only when it is told to."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        """Seconds that have passed."""
        return self._now

    def sleep(self, seconds: float) -> None:
        """Let so many pass."""
        self._now += seconds


class Lines:
    """Reads lines, leads the tour, writes what came of it.

    Args:
        lead: the tour on its board; a pretended one is polled.
        clock: the time it lives in.
        write: takes one line out.
    """

    def __init__(self, lead: Lead, clock: Clock, write: Callable[[str], None]) -> None:
        self._lead, self._clock, self._write = lead, clock, write
        self._results = dict(lead.tour.results)

    def hello(self) -> None:
        """The first line."""
        profile = self._lead.profile
        steps = [kind.name for kind in KINDS if kind.fits(profile)]
        hello = {"type": "hello", "protocol": 1, "program": "pond", "version": __version__, "setup": profile.name}
        pretended = self._lead.bench is not None
        board = {"size": profile.size, "lamps": profile.chain.per_cell, "pretended": pretended}
        self._say(hello | board | {"steps": steps})

    def take(self, line: bytes) -> None:
        """Do what a line says, and say what came of it; what is not understood is said, and nothing is done."""
        try:
            self._do(protocol.read_object(line))
        except (BadLine, PondError) as error:
            self._say(protocol.error(str(error)))
            return
        self.tell_results()
        self.tell_page()

    def tell_results(self) -> None:
        """What came of the steps that have been done since the last time."""
        for name, result in self._lead.tour.results.items():
            if self._results.get(name) is not result:
                saved = str(self._lead.saved) if result.changes and self._lead.saved else None
                findings = [finding(each) for each in result.findings]
                told = {"type": "result", "step": name, "findings": findings, "changes": dict(result.changes)}
                self._say(told | {"saved": saved, "note": self._lead.note})
        self._results = dict(self._lead.tour.results)

    def tell_page(self) -> None:
        """What is asked now, and what an eye sees on the board."""
        lead = self._lead
        page, tour = lead.page, lead.tour
        seen = {}
        if lead.bench:
            cells = grid(lead.profile.size).cells
            parts = {**{cell: lead.bench.seen(cell) for cell in cells}, **lead.bench.seen_strips}
            seen = {part: [list(lamp) for lamp in lamps] for part, lamps in parts.items()}
        told = {
            "type": "page",
            "t": protocol.instant(self._clock.now()),
            "step": tour.name or None,
            "title": page.title,
            "lines": list(page.lines),
            "asks": page.asks,
            "choices": [choice._asdict() for choice in page.choices],
            "done": list(page.done),
            "current_ma": round(lead.current, 1),
            "seen": seen,
            "over": tour.over,
        }
        self._say(told | ({"trouble": lead.lamps_say} if lead.lamps_say else {}))

    def _do(self, told: Mapping[str, Any]) -> None:
        lead, bench = self._lead, self._lead.bench
        match told:
            case {"step": str(name), **rest} if rest.keys() <= {"cells"}:
                lead.begin(name, _cells(rest.get("cells", [])))
            case {"guide": True, **rest} if not rest:
                lead.guide()
            case {"reply": str(key), **rest} if not rest:
                keys = [choice.key for choice in lead.page.choices]
                if key not in keys:
                    there_are = f"There are {', '.join(keys)}." if keys else "The board is waited for."
                    raise BadLine(f"{_quoted(key)} is no answer now. {there_are}")
                lead.put(Reply(key, self._clock.now()))
            case {"press": str(cell), **rest} if bench and rest.keys() <= {"owner"}:
                bench.press(_cell(cell), _owner(rest))
            case {"release": str(cell), **rest} if bench and not rest:
                bench.release(_cell(cell))
            case {"touch": str(cell), **rest} if bench and rest.keys() <= {"owner"}:
                bench.press(_cell(cell), _owner(rest))
                self._pass(TOUCH_SECONDS)
                bench.release(cell)
                self._pass(TOUCH_SECONDS)
            case {"wait": float() | int() as seconds, **rest} if bench and not rest and not isinstance(seconds, bool):
                if not 0 <= seconds <= LONGEST_WAIT:
                    raise BadLine(f"A wait is a number of seconds from 0 to {LONGEST_WAIT:g}, not {_quoted(seconds)}.")
                self._pass(float(seconds))
            case {"ask": "page", **rest} if not rest:
                pass
            case _:
                hands = ', {"press":…}, {"release":…}, {"touch":…}, {"wait":…}' if bench else ""
                there_are = f'{{"step":…}}, {{"guide":true}}, {{"reply":…}}{hands} and {{"ask":"page"}}'
                raise BadLine(f"This line is not understood here. There are {there_are}.")
        lead.go_on()

    def _pass(self, seconds: float) -> None:
        self._lead.pass_time(seconds, self._clock.sleep)

    def _say(self, told: Mapping[str, object]) -> None:
        self._write(protocol.write(told))


def run(wanted: str, *, pretend: bool, flaws: Sequence[str], seed: int, box: BlackBox | None = None) -> None:
    """Lead set-up by the lines of standard input, until they end or somebody leaves.

    Raises:
        PondError: the board cannot be opened, or the input cannot be read.
        KeyboardInterrupt: it was told to end.
    """
    if pretend or isinstance(load(wanted).sensing.wiring, Pretended):
        _pretended(wanted, pretend=pretend, flaws=flaws, seed=seed, box=box)
    else:
        _real(wanted, flaws, box)


def _pretended(wanted: str, *, pretend: bool, flaws: Sequence[str], seed: int, box: BlackBox | None) -> None:
    clock = Simulated()
    with closing(Lead(wanted, clock.now, pretend=pretend, flaws=flaws, seed=seed, polled=True, box=box)) as lead:
        lines = Lines(lead, clock, _written)
        lines.hello()
        lines.tell_page()
        for line in lines_of(sys.stdin.buffer):
            lines.take(line)
            if lead.tour.over:
                return


def _real(wanted: str, flaws: Sequence[str], box: BlackBox | None) -> None:
    """In real time: a page comes whenever it has changed."""
    arrived, told = threading.Event(), list[int]()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, _: told.append(number))
    clock = Real()
    with closing(Lead(wanted, clock.now, flaws=flaws, arrived=arrived.set, box=box)) as lead:
        lines = Lines(lead, clock, _written)
        lines.hello()
        lines.tell_page()
        typed: queue.SimpleQueue[bytes | PondError | None] = queue.SimpleQueue()
        threading.Thread(target=_read, args=(typed, arrived), name="pond lines", daemon=True).start()
        page, ended = lead.page, False
        while not (told or ended or lead.tour.over):
            arrived.clear()
            while not (typed.empty() or ended or lead.tour.over):
                line = typed.get()
                if isinstance(line, PondError):
                    raise line
                ended = line is None
                if line is not None:
                    lines.take(line)
                    page = lead.page
            due = lead.go_on()
            lines.tell_results()
            if lead.page != page:
                page = lead.page
                lines.tell_page()
            arrived.wait(max(0.0, due - clock.now()))
    if lead.hangs:
        leave_at_once(None)
    if told:
        raise KeyboardInterrupt


def _read(typed: queue.SimpleQueue[bytes | PondError | None], arrived: threading.Event) -> None:
    """Hand over the lines of standard input, and None in the end."""
    try:
        # Not sys.stdin itself: Python ends with a crash while another thread waits in that.
        with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as source:
            for line in lines_of(source):
                typed.put(line)
                arrived.set()
        typed.put(None)
    except PondError as error:
        typed.put(error)
    arrived.set()


def _written(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _cells(told: object) -> tuple[str, ...]:
    if not isinstance(told, list) or not all(isinstance(cell, str) for cell in told):
        raise BadLine('Cells are a list, such as {"step":"sensors","cells":["b2","c3"]}.')
    return tuple(told)


def _cell(text: str) -> str:
    """A cell as it was told; the board says whether it has it, in a sentence that is short."""
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}..."


def _owner(told: Mapping[str, object]) -> Side:
    """Whose piece it is; light's, if nothing is said."""
    named = told.get("owner", "light")
    for side in Side:
        if str(side) == named:
            return side
    raise BadLine('An owner is "light" or "dark".')


def _quoted(value: object) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}..."
