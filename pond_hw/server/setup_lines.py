"""`pond setup --headless`: set-up led by JSON lines (docs/protocol.md).

On a pretended board time is simulated: the same lines in give the same lines out, byte for byte. On a real one it is
real, and lines come whenever there is something to say.
"""

from __future__ import annotations

import queue
import signal
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any

from pond_hw import __version__
from pond_hw.blackbox import BlackBox
from pond_hw.companion import RealClock, SimulatedClock
from pond_hw.drivers.shutdown import exit_now
from pond_hw.profile import load_profile
from pond_hw.profile.board_profile import SimulatedWiring
from pond_hw.rules import PondError, Side, get_grid
from pond_hw.server import protocol
from pond_hw.server.headless import read_lines as lines_of
from pond_hw.server.protocol import MAX_WAIT_SECONDS, ProtocolError
from pond_hw.setup.controller import SetupController
from pond_hw.setup.results_store import finding_to_json
from pond_hw.setup.step import StepReply
from pond_hw.setup.wizard import KINDS

TOUCH_HOLD_SECONDS = 0.15
"""How long a finger stays in a touch, and how long it is away afterwards."""

MAX_QUOTE_LENGTH = 20
"""Letters of what was said that an error repeats."""


class SetupLines:
    """Reads lines, leads the tour, writes what came of it.

    Args:
        lead: the tour on its board; a pretended one is polled.
        clock: the time it lives in.
        write: takes one line out.
    """

    def __init__(self, lead: SetupController, clock: RealClock | SimulatedClock, write: Callable[[str], None]) -> None:
        self._setup_controller, self._clock, self._write = lead, clock, write
        self._sent_results = dict(lead.wizard.results)

    def send_hello(self) -> None:
        """The first line."""
        profile = self._setup_controller.profile
        steps = [kind.name for kind in KINDS if kind.fits(profile)]
        hello = {"type": "hello", "protocol": 1, "program": "pond", "version": __version__, "setup": profile.name}
        pretended = self._setup_controller.workbench is not None
        board = {"size": profile.size, "lamps": profile.chain.lamps_per_cell, "pretended": pretended}
        self._send_message(hello | board | {"steps": steps})

    def handle_line(self, line: bytes) -> None:
        """Do what a line says, and say what came of it; what is not understood is said, and nothing is done."""
        try:
            self._run_request(protocol.parse_object(line))
        except (ProtocolError, PondError) as error:
            self._send_message(protocol.error_message(str(error)))
            return
        self.send_results()
        self.send_page()

    def send_results(self) -> None:
        """What came of the steps that have been done since the last time."""
        for name, result in self._setup_controller.wizard.results.items():
            if self._sent_results.get(name) is not result:
                saved = (
                    str(self._setup_controller.saved_file)
                    if result.changes and self._setup_controller.saved_file
                    else None
                )
                findings = [finding_to_json(each) for each in result.findings]
                told = {"type": "result", "step": name, "findings": findings, "changes": dict(result.changes)}
                self._send_message(told | {"saved": saved, "note": self._setup_controller.result_note})
        self._sent_results = dict(self._setup_controller.wizard.results)

    def send_page(self) -> None:
        """What is asked now, and what an eye sees on the board."""
        lead = self._setup_controller
        page, tour = lead.current_page, lead.wizard
        seen = {}
        if lead.workbench:
            cells = get_grid(lead.profile.size).cells
            parts = {**{cell: lead.workbench.seen_lamps(cell) for cell in cells}, **lead.workbench.seen_strips}
            seen = {part: [list(lamp) for lamp in lamps] for part, lamps in parts.items()}
        told = {
            "type": "page",
            "t": protocol.round_instant(self._clock.now()),
            "step": tour.name or None,
            "title": page.title,
            "lines": list(page.lines),
            "asks": page.prompt,
            "choices": [{"key": choice.key, "says": choice.label} for choice in page.choices],
            "done": list(page.step_progress),
            "current_ma": round(lead.lamp_milliamps, 1),
            "seen": seen,
            "over": tour.over,
        }
        self._send_message(told | ({"trouble": lead.lamp_trouble} if lead.lamp_trouble else {}))

    def _run_request(self, told: Mapping[str, Any]) -> None:
        lead, bench = self._setup_controller, self._setup_controller.workbench
        match told:
            case {"step": str(name), **rest} if rest.keys() <= {"cells"}:
                lead.begin_step(name, _parse_cells(rest.get("cells", [])))
            case {"guide": True, **rest} if not rest:
                lead.begin_guided()
            case {"reply": str(key), **rest} if not rest:
                keys = [choice.key for choice in lead.current_page.choices]
                if key not in keys:
                    there_are = f"There are {', '.join(keys)}." if keys else "The board is waited for."
                    raise ProtocolError(f"{_quote_value(key)} is no answer now. {there_are}")
                lead.put_event(StepReply(key, self._clock.now()))
            case {"press": str(cell), **rest} if bench and rest.keys() <= {"owner"}:
                bench.press(_shorten_cell(cell), _parse_owner(rest))
            case {"release": str(cell), **rest} if bench and not rest:
                bench.release(_shorten_cell(cell))
            case {"touch": str(cell), **rest} if bench and rest.keys() <= {"owner"}:
                bench.press(_shorten_cell(cell), _parse_owner(rest))
                self._pass_time(TOUCH_HOLD_SECONDS)
                bench.release(cell)
                self._pass_time(TOUCH_HOLD_SECONDS)
            case {"wait": float() | int() as seconds, **rest} if bench and not rest and not isinstance(seconds, bool):
                if not 0 <= seconds <= MAX_WAIT_SECONDS:
                    raise ProtocolError(
                        f"A wait is a number of seconds from 0 to {MAX_WAIT_SECONDS:g}, not {_quote_value(seconds)}."
                    )
                self._pass_time(float(seconds))
            case {"ask": "page", **rest} if not rest:
                pass
            case _:
                hands = ', {"press":…}, {"release":…}, {"touch":…}, {"wait":…}' if bench else ""
                there_are = f'{{"step":…}}, {{"guide":true}}, {{"reply":…}}{hands} and {{"ask":"page"}}'
                raise ProtocolError(f"This line is not understood here. There are {there_are}.")
        lead.process_events()

    def _pass_time(self, seconds: float) -> None:
        assert isinstance(self._clock, SimulatedClock)
        self._setup_controller.pass_time(seconds, self._clock.advance_to)

    def _send_message(self, told: Mapping[str, object]) -> None:
        self._write(protocol.format_message(told))


def run(wanted: str, *, pretend: bool, flaws: Sequence[str], seed: int, box: BlackBox | None = None) -> None:
    """Lead set-up by the lines of standard input, until they end or somebody leaves.

    Raises:
        PondError: the board cannot be opened, or the input cannot be read.
        KeyboardInterrupt: it was told to end.
    """
    if pretend or isinstance(load_profile(wanted).sensing.wiring, SimulatedWiring):
        _run_simulated(wanted, pretend=pretend, flaws=flaws, seed=seed, box=box)
    else:
        _run_real(wanted, flaws, box)


def _run_simulated(wanted: str, *, pretend: bool, flaws: Sequence[str], seed: int, box: BlackBox | None) -> None:
    clock = SimulatedClock()
    with closing(
        SetupController(
            wanted,
            clock.now,
            is_pretended=pretend,
            planted_flaws=flaws,
            chance_seed=seed,
            is_polled=True,
            black_box=box,
        )
    ) as lead:
        lines = SetupLines(lead, clock, _write_line)
        lines.send_hello()
        lines.send_page()
        for line in lines_of(sys.stdin.buffer):
            lines.handle_line(line)
            if lead.wizard.over:
                return


def _run_real(wanted: str, flaws: Sequence[str], box: BlackBox | None) -> None:
    """In real time: a page comes whenever it has changed."""
    arrived, told = threading.Event(), list[int]()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, _: told.append(number))
    clock = RealClock()
    with closing(
        SetupController(wanted, clock.now, planted_flaws=flaws, on_arrival=arrived.set, black_box=box)
    ) as lead:
        lines = SetupLines(lead, clock, _write_line)
        lines.send_hello()
        lines.send_page()
        typed: queue.SimpleQueue[bytes | PondError | None] = queue.SimpleQueue()
        threading.Thread(target=_read_input, args=(typed, arrived), name="pond lines", daemon=True).start()
        page, ended = lead.current_page, False
        while not (told or ended or lead.wizard.over):
            arrived.clear()
            while not (typed.empty() or ended or lead.wizard.over):
                line = typed.get()
                if isinstance(line, PondError):
                    raise line
                ended = line is None
                if line is not None:
                    lines.handle_line(line)
                    page = lead.current_page
            due = lead.process_events()
            lines.send_results()
            if lead.current_page != page:
                page = lead.current_page
                lines.send_page()
            clock.wait(due, arrived)
    if lead.bus_hung:
        exit_now(None)
    if told:
        raise KeyboardInterrupt


def _read_input(typed: queue.SimpleQueue[bytes | PondError | None], arrived: threading.Event) -> None:
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


def _write_line(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _parse_cells(told: object) -> tuple[str, ...]:
    if not isinstance(told, list) or not all(isinstance(cell, str) for cell in told):
        raise ProtocolError('Cells are a list, such as {"step":"sensors","cells":["b2","c3"]}.')
    return tuple(told)


def _shorten_cell(text: str) -> str:
    """A cell as it was told; the board says whether it has it, in a sentence that is short."""
    return text if len(text) <= MAX_QUOTE_LENGTH else f"{text[:MAX_QUOTE_LENGTH]}..."


def _parse_owner(told: Mapping[str, object]) -> Side:
    """Whose piece it is; light's, if nothing is said."""
    named = told.get("owner", "light")
    for side in Side:
        if str(side) == named:
            return side
    raise ProtocolError('An owner is "light" or "dark".')


def _quote_value(value: object) -> str:
    text = repr(value)
    return text if len(text) <= MAX_QUOTE_LENGTH else f"{text[:MAX_QUOTE_LENGTH]}..."
