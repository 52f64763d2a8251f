"""`pond setup --headless`: set-up led by JSON lines (docs/protocol.md).

On a pretended board time is simulated: the same lines in give the same lines out, byte for byte. On a real one it is
real, and lines come whenever there is something to say.
"""

from __future__ import annotations

import queue
import sys
import threading
import time
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
from pond_hw.server.headless import read_lines
from pond_hw.server.protocol import ProtocolError
from pond_hw.server.waker import catch_end_signals
from pond_hw.setup.controller import SetupController
from pond_hw.setup.results_store import finding_to_json
from pond_hw.setup.step import StepReply
from pond_hw.setup.wizard import KINDS
from pond_hw.simulator.workbench import Workbench

TOUCH_HOLD_SECONDS = 0.15
"""How long a finger stays in a touch, and how long it is away afterwards."""

MAX_QUOTE_LENGTH = 20
"""Letters of what was said that an error repeats."""


class RealSetupClock(RealClock):
    """The time that people live in, from 0 on."""

    sleep = staticmethod(time.sleep)


class SimulatedSetupClock(SimulatedClock):
    """Time that passes only when it is told to."""

    def sleep(self, seconds: float) -> None:
        """Let so many pass."""
        self._now += seconds


class SetupLines:
    """Reads lines, leads the tour, writes what came of it.

    Args:
        lead: the tour on its board; a pretended one is polled.
        clock: the time it lives in.
        write: takes one line out.
    """

    def __init__(
        self, lead: SetupController, clock: RealSetupClock | SimulatedSetupClock, write: Callable[[str], None]
    ) -> None:
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
        controller = self._setup_controller
        for step_name, result in controller.wizard.results.items():
            if self._sent_results.get(step_name) is not result:
                is_saved = result.changes and controller.saved_file
                self._send_message(
                    {
                        "type": "result",
                        "step": step_name,
                        "findings": [finding_to_json(finding) for finding in result.findings],
                        "changes": dict(result.changes),
                        "saved": str(controller.saved_file) if is_saved else None,
                        "note": controller.result_note,
                    }
                )
        self._sent_results = dict(controller.wizard.results)

    def send_page(self) -> None:
        """What is asked now, and what an eye sees on the board."""
        controller, bench = self._setup_controller, self._setup_controller.workbench
        page, lamps_by_part = controller.current_page, {}
        if bench:
            cells = get_grid(controller.profile.size).cells
            lamps_by_part = {**{cell: bench.seen_lamps(cell) for cell in cells}, **bench.seen_strips}
        message = {
            "type": "page",
            "t": protocol.round_instant(self._clock.now()),
            "step": controller.wizard.name or None,
            "title": page.title,
            "lines": list(page.lines),
            "asks": page.prompt,
            "choices": [{"key": choice.key, "says": choice.label} for choice in page.choices],
            "done": list(page.step_progress),
            "current_ma": round(controller.lamp_milliamps, 1),
            "seen": lamps_by_part,
            "over": controller.wizard.over,
        }
        self._send_message(message | ({"trouble": controller.lamp_trouble} if controller.lamp_trouble else {}))

    def _run_request(self, request: Mapping[str, Any]) -> None:
        controller, bench = self._setup_controller, self._setup_controller.workbench
        match request:
            case {"step": str(step_name), **rest} if rest.keys() <= {"cells"}:
                controller.begin_step(step_name, _parse_cells(rest.get("cells", [])))
            case {"guide": True, **rest} if not rest:
                controller.begin_guided()
            case {"reply": str(key), **rest} if not rest:
                self._put_reply(key)
            case {"ask": "page", **rest} if not rest:
                pass
            case _ if not (bench and self._use_bench(request, bench)):
                bench_lines = ', {"press":…}, {"release":…}, {"touch":…}, {"wait":…}' if bench else ""
                known_lines = f'{{"step":…}}, {{"guide":true}}, {{"reply":…}}{bench_lines} and {{"ask":"page"}}'
                raise ProtocolError(f"This line is not understood here. There are {known_lines}.")
        controller.process_events()

    def _put_reply(self, key: str) -> None:
        keys = [choice.key for choice in self._setup_controller.current_page.choices]
        if key not in keys:
            there_are = f"There are {', '.join(keys)}." if keys else "The board is waited for."
            raise ProtocolError(f"{_quote_value(key)} is no answer now. {there_are}")
        self._setup_controller.put_event(StepReply(key, self._clock.now()))

    def _use_bench(self, request: Mapping[str, Any], bench: Workbench) -> bool:
        """Do on a simulated board what hands do on a real one; whether it is that what is asked for."""
        match request:
            case {"press": str(cell), **rest} if rest.keys() <= {"owner"}:
                bench.press(_shorten_cell(cell), _parse_owner(rest))
            case {"release": str(cell), **rest} if not rest:
                bench.release(_shorten_cell(cell))
            case {"touch": str(cell), **rest} if rest.keys() <= {"owner"}:
                bench.press(_shorten_cell(cell), _parse_owner(rest))
                self._pass_time(TOUCH_HOLD_SECONDS)
                bench.release(cell)
                self._pass_time(TOUCH_HOLD_SECONDS)
            case {"wait": float() | int() as seconds, **rest} if not rest and not isinstance(seconds, bool):
                self._pass_time(protocol.parse_seconds(seconds, _quote_value))
            case _:
                return False
        return True

    def _pass_time(self, seconds: float) -> None:
        self._setup_controller.pass_time(seconds, self._clock.sleep)

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
    clock = SimulatedSetupClock()
    with closing(
        SetupController(wanted, clock.now, pretend=pretend, flaws=flaws, seed=seed, polled=True, box=box)
    ) as controller:
        setup_lines = _begin_lines(controller, clock)
        for line in read_lines(sys.stdin.buffer):
            setup_lines.handle_line(line)
            if controller.wizard.over:
                return


def _begin_lines(controller: SetupController, clock: RealSetupClock | SimulatedSetupClock) -> SetupLines:
    setup_lines = SetupLines(controller, clock, lambda line: print(line, flush=True))
    setup_lines.send_hello()
    setup_lines.send_page()
    return setup_lines


def _run_real(wanted: str, flaws: Sequence[str], box: BlackBox | None) -> None:
    """In real time: a page comes whenever it has changed."""
    arrived, end_signals, clock = threading.Event(), catch_end_signals(), RealSetupClock()
    with closing(SetupController(wanted, clock.now, flaws=flaws, arrived=arrived.set, box=box)) as controller:
        setup_lines = _begin_lines(controller, clock)
        typed_lines: queue.SimpleQueue[bytes | PondError | None] = queue.SimpleQueue()
        threading.Thread(target=_read_input, args=(typed_lines, arrived), name="pond lines", daemon=True).start()
        page, has_ended = controller.current_page, False
        while not (end_signals or has_ended or controller.wizard.over):
            arrived.clear()
            while not (typed_lines.empty() or has_ended or controller.wizard.over):
                line = typed_lines.get()
                if isinstance(line, PondError):
                    raise line
                has_ended = line is None
                if line is not None:
                    setup_lines.handle_line(line)
                    page = controller.current_page
            next_due = controller.process_events()
            setup_lines.send_results()
            if controller.current_page != page:
                page = controller.current_page
                setup_lines.send_page()
            arrived.wait(max(0.0, next_due - clock.now()))
    if controller.bus_hung:
        exit_now(None)
    if end_signals:
        raise KeyboardInterrupt


def _read_input(typed: queue.SimpleQueue[bytes | PondError | None], arrived: threading.Event) -> None:
    """Hand over the lines of standard input, and None in the end."""
    try:
        # Not sys.stdin itself: Python ends with a crash while another thread waits in that.
        with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as source:
            for line in read_lines(source):
                typed.put(line)
                arrived.set()
        typed.put(None)
    except PondError as error:
        typed.put(error)
    arrived.set()


def _parse_cells(told: object) -> tuple[str, ...]:
    if not isinstance(told, list) or not all(isinstance(cell, str) for cell in told):
        raise ProtocolError('Cells are a list, such as {"step":"sensors","cells":["b2","c3"]}.')
    return tuple(told)


def _shorten_cell(text: str) -> str:
    """A cell as it was told; the board says whether it has it, in a sentence that is short."""
    return text if len(text) <= MAX_QUOTE_LENGTH else f"{text[:MAX_QUOTE_LENGTH]}..."


def _parse_owner(told: Mapping[str, object]) -> Side:
    """Whose piece it is; light's, if nothing is said."""
    owner = next((side for side in Side if str(side) == told.get("owner", "light")), None)
    if owner is None:
        raise ProtocolError('An owner is "light" or "dark".')
    return owner


def _quote_value(value: object) -> str:
    text = repr(value)
    return text if len(text) <= MAX_QUOTE_LENGTH else f"{text[:MAX_QUOTE_LENGTH]}..."
