"""`pond setup --headless`: set-up over JSON lines; see docs/protocol.md.

With a simulated board, time is simulated, and the same input gives the same output byte for byte. With a real board,
pages are sent whenever they change.
"""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from typing import Any

from pond_hw import __version__
from pond_hw.companion import RealClock, SimulatedClock
from pond_hw.interrupts import catch_end_signals, exit_without_cleanup
from pond_hw.messages.catalogue import LANGUAGES, get_catalogue
from pond_hw.messages.message import Message
from pond_hw.rules import LIGHT, PondError, Side, get_grid
from pond_hw.server import protocol
from pond_hw.server.headless import read_lines
from pond_hw.server.parse_requests import (
    ProtocolError,
    parse_language,
    parse_object,
    parse_owner,
    parse_seconds,
    quote_value,
)
from pond_hw.server.protocol import round_instant, text_fields
from pond_hw.setup.controller import SetupController
from pond_hw.setup.pages import page_to_json
from pond_hw.setup.saved_results import finding_to_json
from pond_hw.setup.step import StepReply
from pond_hw.setup.step_table import STEPS
from pond_hw.simulator.board_with_faults import FaultyBoard

TOUCH_HOLD_SECONDS = 0.15
"""Duration in seconds of a simulated touch, and of the pause after it."""

LINE_NAMES = ("step", "guide", "reply", "ask", "command")
BENCH_LINE_NAMES = ("press", "release", "touch", "wait")

MAX_QUOTE_LENGTH = 20
"""Maximum length of a cell name that is passed on to the board, which validates it."""

_PRINT_LINE = partial(print, flush=True)


class SetupLines:
    """JSON-lines interface to set-up.

    Args:
        controller: controls set-up on a board.
        clock: real or simulated clock.
        write_line: writes one line of output.
        language: initial language.
    """

    def __init__(
        self,
        controller: SetupController,
        clock: RealClock | SimulatedClock,
        write_line: Callable[[str], None],
        language: str = "en",
    ) -> None:
        self._controller, self._clock, self._write_line = controller, clock, write_line
        controller.catalogue = get_catalogue(language)
        self._sent_results = dict(controller.wizard.results)

    def send_opening(self) -> None:
        """Send `hello` and the first page."""
        profile = self._controller.profile
        step_names = [kind.name for kind in STEPS.values() if kind.fits(profile)]
        hello = {"type": "hello", "protocol": 1, "program": "pond", "version": __version__, "setup": profile.name}
        is_simulated = self._controller.workbench is not None
        board = {"size": profile.size, "lamps": profile.chain.lamps_per_cell, "pretended": is_simulated}
        self._send_message(hello | board | {"steps": step_names, "languages": list(LANGUAGES)})
        self.send_page()

    def handle_line(self, request_line: bytes) -> None:
        """Handle one line and send the results. An invalid line changes nothing."""
        try:
            self._run_request(parse_object(request_line))
        except PondError as error:
            self._send_message(protocol.error_message(error.message, self._controller.catalogue.language))
            return
        self.send_results()
        self.send_page()

    def send_results(self) -> None:
        """Send the results of steps completed since the last call."""
        controller = self._controller
        for step_name, result in controller.wizard.results.items():
            if self._sent_results.get(step_name) is not result:
                is_saved = result.changes and controller.saved_file
                message_fields = {
                    "type": "result",
                    "step": step_name,
                    "findings": [finding_to_json(finding, controller.catalogue) for finding in result.findings],
                    "changes": dict(result.changes),
                    "saved": str(controller.saved_file) if is_saved else None,
                    "note": controller.catalogue.text(controller.result_notes),
                    "said": [note.to_json() for note in controller.result_notes],
                }
                self._send_message(message_fields)
        self._sent_results = dict(controller.wizard.results)

    def send_page(self) -> None:
        """Send the current page, and the visible lamps of a simulated board."""
        controller, bench = self._controller, self._controller.workbench
        page, lamps_by_part = controller.show_page(), {}
        if bench:
            cells = get_grid(controller.profile.size).cells
            lamps_by_part = {**{cell: bench.seen_lamps(cell) for cell in cells}, **bench.seen_strips, **bench.seen_keys}
        message_fields = {
            "type": "page",
            "t": round_instant(self._clock.now()),
            "step": controller.wizard.name or None,
            "title": page.title,
            "lines": list(page.lines),
            "asks": page.prompt,
            "choices": [{"key": choice.key, "says": choice.label} for choice in page.choices],
            "said": page_to_json(controller.current_page),
            "done": list(page.step_progress),
            "current_ma": round(controller.lamp_milliamps, 1),
            "seen": lamps_by_part,
            "over": controller.wizard.over,
        }
        if trouble := controller.lamp_trouble:
            message_fields |= text_fields("trouble", (trouble,), controller.catalogue.language)
        self._send_message(message_fields)

    def _run_request(self, request_fields: Mapping[str, Any]) -> None:
        controller, bench = self._controller, self._controller.workbench
        match request_fields:
            case {"step": str(step_name), **rest} if rest.keys() <= {"cells"}:
                controller.begin_step(step_name, _parse_cells(rest.get("cells", [])))
            case {"guide": True, **rest} if not rest:
                controller.begin_guided()
            case {"reply": str(key), **rest} if not rest:
                self._put_reply(key)
            case {"ask": "page", **rest} if not rest:
                pass
            case {"command": "language", "language": code, **rest} if not rest:
                controller.catalogue = get_catalogue(parse_language(code).language)
            case _ if not (bench and self._simulate_hands(request_fields, bench)):
                kinds = LINE_NAMES + (BENCH_LINE_NAMES if bench else ())
                raise ProtocolError(Message("setup_line.unknown", kinds=kinds))
        controller.process_events()

    def _put_reply(self, reply_key: str) -> None:
        reply_keys = [choice.key for choice in self._controller.show_page().choices]
        if reply_key not in reply_keys:
            text = quote_value(reply_key)
            if not reply_keys:
                raise ProtocolError(Message("setup_line.no_reply", text=text))
            raise ProtocolError(Message("setup_line.unknown_reply", text=text, replies=tuple(reply_keys)))
        self._controller.put_event(StepReply(reply_key, self._clock.now()))

    def _simulate_hands(self, request_fields: Mapping[str, Any], bench: FaultyBoard) -> bool:
        """Handle a request that simulates hands on a simulated board. Return False for any other request."""
        match request_fields:
            case {"press": str(cell), **rest} if rest.keys() <= {"owner"}:
                bench.press(_shorten(cell), _parse_owner(rest))
            case {"release": str(cell), **rest} if not rest:
                bench.release(_shorten(cell))
            case {"touch": str(cell), **rest} if rest.keys() <= {"owner"}:
                bench.press(_shorten(cell), _parse_owner(rest))
                self._pass_time(TOUCH_HOLD_SECONDS)
                bench.release(cell)
                self._pass_time(TOUCH_HOLD_SECONDS)
            case {"wait": float() | int() as seconds, **rest} if not rest and not isinstance(seconds, bool):
                self._pass_time(parse_seconds(seconds))
            case _:
                return False
        return True

    def _pass_time(self, seconds: float) -> None:
        assert isinstance(self._clock, SimulatedClock)
        self._controller.pass_time(seconds, self._clock.advance_to)

    def _send_message(self, message: Mapping[str, object]) -> None:
        self._write_line(protocol.format_message(message))


OpenBoard = Callable[..., SetupController]
"""Function that starts set-up on a board. It takes the clock and further keyword arguments for `SetupController`."""


def run_simulated(open_board: OpenBoard, *, language: str) -> None:
    """Run set-up on a simulated board from standard input, until the input ends or the user leaves set-up."""
    clock = SimulatedClock()
    with closing(open_board(clock.now, is_polled=True)) as controller:
        setup_lines = SetupLines(controller, clock, _PRINT_LINE, language)
        setup_lines.send_opening()
        for request_line in read_lines(sys.stdin.buffer):
            setup_lines.handle_line(request_line)
            if controller.wizard.over:
                return


def run_real(open_board: OpenBoard, *, language: str) -> None:
    """Run set-up in real time from standard input, sending a page whenever it changes.

    Raises PondError if the board or the input fails, KeyboardInterrupt after a termination signal.
    """
    arrival_flag, end_signals, clock = threading.Event(), catch_end_signals(), RealClock()
    with closing(open_board(clock.now, on_arrival=arrival_flag.set)) as controller:
        setup_lines = SetupLines(controller, clock, _PRINT_LINE, language)
        setup_lines.send_opening()
        typed_lines: queue.SimpleQueue[bytes | PondError | None] = queue.SimpleQueue()
        threading.Thread(target=_read_input, args=(typed_lines, arrival_flag), name="pond lines", daemon=True).start()
        page, has_ended = controller.current_page, False
        while not (end_signals or has_ended or controller.wizard.over):
            arrival_flag.clear()
            while not (typed_lines.empty() or has_ended or controller.wizard.over):
                typed_line = typed_lines.get()
                if isinstance(typed_line, PondError):
                    raise typed_line
                has_ended = typed_line is None
                if typed_line is not None:
                    setup_lines.handle_line(typed_line)
                    page = controller.current_page
            next_due = controller.process_events()
            setup_lines.send_results()
            if controller.current_page != page:
                page = controller.current_page
                setup_lines.send_page()
            clock.wait(next_due, arrival_flag)
    if controller.bus_hung:
        exit_without_cleanup(None)
    if end_signals:
        raise KeyboardInterrupt


def _read_input(typed_lines: queue.SimpleQueue[bytes | PondError | None], arrival_flag: threading.Event) -> None:
    """Queue the lines of standard input, followed by None at the end."""
    try:
        # Python crashes at exit if a thread is blocked in sys.stdin itself.
        with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as line_source:
            for typed_line in read_lines(line_source):
                typed_lines.put(typed_line)
                arrival_flag.set()
        typed_lines.put(None)
    except PondError as error:
        typed_lines.put(error)
    arrival_flag.set()


def _parse_cells(cell_names: object) -> tuple[str, ...]:
    if not isinstance(cell_names, list) or not all(isinstance(cell, str) for cell in cell_names):
        raise ProtocolError(Message("setup_line.no_cells"))
    return tuple(cell_names)


def _shorten(cell: str) -> str:
    return cell if len(cell) <= MAX_QUOTE_LENGTH else f"{cell[:MAX_QUOTE_LENGTH]}..."


def _parse_owner(request_fields: Mapping[str, object]) -> Side:
    return parse_owner(request_fields["owner"]) if "owner" in request_fields else LIGHT
