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
from pond_hw.simulator.workbench import Workbench

TOUCH_HOLD_SECONDS = 0.15
"""How long a finger stays in a touch, and how long it is away afterwards."""

MAX_QUOTE_LENGTH = 20
"""Letters of what was said that an error repeats."""


class SetupLines:
    """Reads lines, leads set-up, writes what came of it.

    Args:
        controller: set-up on its board; a pretended one is polled.
        clock: the time it lives in.
        write_line: takes one line out.
    """

    def __init__(
        self, controller: SetupController, clock: RealClock | SimulatedClock, write_line: Callable[[str], None]
    ) -> None:
        self._controller, self._clock, self._write_line = controller, clock, write_line
        self._sent_results = dict(controller.wizard.results)

    def send_hello(self) -> None:
        """The first line."""
        profile = self._controller.profile
        step_names = [kind.name for kind in KINDS if kind.fits(profile)]
        hello = {"type": "hello", "protocol": 1, "program": "pond", "version": __version__, "setup": profile.name}
        is_pretended = self._controller.workbench is not None
        board = {"size": profile.size, "lamps": profile.chain.lamps_per_cell, "pretended": is_pretended}
        self._send_message(hello | board | {"steps": step_names})

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
        for step_name, result in self._controller.wizard.results.items():
            if self._sent_results.get(step_name) is not result:
                saved_file = self._controller.saved_file if result.changes else None
                findings = [finding_to_json(finding) for finding in result.findings]
                message = {"type": "result", "step": step_name, "findings": findings, "changes": dict(result.changes)}
                saved_name = str(saved_file) if saved_file else None
                self._send_message(message | {"saved": saved_name, "note": self._controller.result_note})
        self._sent_results = dict(self._controller.wizard.results)

    def send_page(self) -> None:
        """What is asked now, and what an eye sees on the board."""
        controller = self._controller
        page, seen_lamps = controller.current_page, {}
        if bench := controller.workbench:
            cells = get_grid(controller.profile.size).cells
            board_parts = {**{cell: bench.seen_lamps(cell) for cell in cells}, **bench.seen_strips}
            seen_lamps = {part: [list(lamp) for lamp in lamps] for part, lamps in board_parts.items()}
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
            "seen": seen_lamps,
            "over": controller.wizard.over,
        }
        self._send_message(message | ({"trouble": controller.lamp_trouble} if controller.lamp_trouble else {}))

    def _run_request(self, request: Mapping[str, Any]) -> None:
        bench = self._controller.workbench
        if not (self._run_step_request(request) or (bench and self._run_hand_request(bench, request))):
            hands = ', {"press":…}, {"release":…}, {"touch":…}, {"wait":…}' if bench else ""
            there_are = f'{{"step":…}}, {{"guide":true}}, {{"reply":…}}{hands} and {{"ask":"page"}}'
            raise ProtocolError(f"This line is not understood here. There are {there_are}.")
        self._controller.process_events()

    def _run_step_request(self, request: Mapping[str, Any]) -> bool:
        """Do what leads a step; whether it does."""
        controller = self._controller
        match request:
            case {"step": str(name), **rest} if rest.keys() <= {"cells"}:
                controller.begin_step(name, _parse_cells(rest.get("cells", [])))
            case {"guide": True, **rest} if not rest:
                controller.begin_guided()
            case {"reply": str(key), **rest} if not rest:
                keys = [choice.key for choice in controller.current_page.choices]
                if key not in keys:
                    there_are = f"There are {', '.join(keys)}." if keys else "The board is waited for."
                    raise ProtocolError(f"{_quote_value(key)} is no answer now. {there_are}")
                controller.put_event(StepReply(key, self._clock.now()))
            case {"ask": "page", **rest} if not rest:
                pass
            case _:
                return False
        return True

    def _run_hand_request(self, bench: Workbench, request: Mapping[str, Any]) -> bool:
        """Do what a hand does at a pretended board, or wait; whether it is that."""
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
                if not 0 <= seconds <= MAX_WAIT_SECONDS:
                    wanted = f"A wait is a number of seconds from 0 to {MAX_WAIT_SECONDS:g}"
                    raise ProtocolError(f"{wanted}, not {_quote_value(seconds)}.")
                self._pass_time(float(seconds))
            case _:
                return False
        return True

    def _pass_time(self, seconds: float) -> None:
        assert isinstance(self._clock, SimulatedClock)
        self._controller.pass_time(seconds, self._clock.advance_to)

    def _send_message(self, message: Mapping[str, object]) -> None:
        self._write_line(protocol.format_message(message))


def run(board_name: str, *, pretend: bool, flaws: Sequence[str], seed: int, box: BlackBox | None = None) -> None:
    """Lead set-up by the lines of standard input, until they end or somebody leaves.

    Raises:
        PondError: the board cannot be opened, or the input cannot be read.
        KeyboardInterrupt: it was told to end.
    """
    if pretend or isinstance(load_profile(board_name).sensing.wiring, SimulatedWiring):
        _run_simulated(board_name, pretend=pretend, flaws=flaws, seed=seed, box=box)
    else:
        _run_real(board_name, flaws, box)


def _run_simulated(board_name: str, *, pretend: bool, flaws: Sequence[str], seed: int, box: BlackBox | None) -> None:
    clock = SimulatedClock()
    with closing(
        SetupController(
            board_name,
            clock.now,
            is_pretended=pretend,
            planted_flaws=flaws,
            chance_seed=seed,
            is_polled=True,
            black_box=box,
        )
    ) as controller:
        setup_lines = SetupLines(controller, clock, _write_line)
        setup_lines.send_hello()
        setup_lines.send_page()
        for line in lines_of(sys.stdin.buffer):
            setup_lines.handle_line(line)
            if controller.wizard.over:
                return


def _run_real(board_name: str, flaws: Sequence[str], box: BlackBox | None) -> None:
    """In real time: a page comes whenever it has changed."""
    arrived, end_signals = threading.Event(), list[int]()
    for signal_number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(signal_number) is not signal.SIG_IGN:
            signal.signal(signal_number, lambda signal_number, _: end_signals.append(signal_number))
    clock = RealClock()
    with closing(
        SetupController(board_name, clock.now, planted_flaws=flaws, on_arrival=arrived.set, black_box=box)
    ) as controller:
        setup_lines = SetupLines(controller, clock, _write_line)
        setup_lines.send_hello()
        setup_lines.send_page()
        typed_lines: queue.SimpleQueue[bytes | PondError | None] = queue.SimpleQueue()
        threading.Thread(target=_read_input, args=(typed_lines, arrived), name="pond lines", daemon=True).start()
        last_page, input_ended = controller.current_page, False
        while not (end_signals or input_ended or controller.wizard.over):
            arrived.clear()
            while not (typed_lines.empty() or input_ended or controller.wizard.over):
                line = typed_lines.get()
                if isinstance(line, PondError):
                    raise line
                input_ended = line is None
                if line is not None:
                    setup_lines.handle_line(line)
                    last_page = controller.current_page
            due_time = controller.process_events()
            setup_lines.send_results()
            if controller.current_page != last_page:
                last_page = controller.current_page
                setup_lines.send_page()
            clock.wait(due_time, arrived)
    if controller.bus_hung:
        exit_now(None)
    if end_signals:
        raise KeyboardInterrupt


def _read_input(typed_lines: queue.SimpleQueue[bytes | PondError | None], arrived: threading.Event) -> None:
    """Hand over the lines of standard input, and None in the end."""
    try:
        # Not sys.stdin itself: Python ends with a crash while another thread waits in that.
        with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as source:
            for line in lines_of(source):
                typed_lines.put(line)
                arrived.set()
        typed_lines.put(None)
    except PondError as error:
        typed_lines.put(error)
    arrived.set()


def _write_line(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _parse_cells(cell_list: object) -> tuple[str, ...]:
    if not isinstance(cell_list, list) or not all(isinstance(cell, str) for cell in cell_list):
        raise ProtocolError('Cells are a list, such as {"step":"sensors","cells":["b2","c3"]}.')
    return tuple(cell_list)


def _shorten_cell(cell_name: str) -> str:
    """A cell as it was told; the board says whether it has it, in a sentence that is short."""
    return cell_name if len(cell_name) <= MAX_QUOTE_LENGTH else f"{cell_name[:MAX_QUOTE_LENGTH]}..."


def _parse_owner(request_rest: Mapping[str, object]) -> Side:
    """Whose piece it is; light's, if nothing is said."""
    owner_name = request_rest.get("owner", "light")
    for side in Side:
        if str(side) == owner_name:
            return side
    raise ProtocolError('An owner is "light" or "dark".')


def _quote_value(quoted_value: object) -> str:
    value_text = repr(quoted_value)
    return value_text if len(value_text) <= MAX_QUOTE_LENGTH else f"{value_text[:MAX_QUOTE_LENGTH]}..."
