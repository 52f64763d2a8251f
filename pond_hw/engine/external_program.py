"""Programs from outside: anybody's bot, asked over its standard input and output. docs/protocol.md tells it to them.

A program is started once and plays one game after the other. What is wrong with it costs it the game that it is at,
and nobody else anything: it is killed, and started anew for the next one.
"""

from __future__ import annotations

import atexit
import json
import os
import shlex
import signal
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector
from threading import Lock
from time import monotonic
from typing import IO, TYPE_CHECKING, Any, Final

from pond_hw import __version__
from pond_hw.engine.engines import EngineGame
from pond_hw.engine.packed import packed_rules, unpack_actions, unpack_position
from pond_hw.engine.worker_client import start_process
from pond_hw.messages.message import Message
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.rules import PondError, Side, Variant

if TYPE_CHECKING:
    from pond_hw.engine.packed import PackedPosition

PROGRAM_PREFIX = "program:"
"""What the name of such a player begins with; behind it stands the command, as a shell would read it."""

ACTION_SECONDS: Final = 10.0
"""How long it may take for an action, if nobody says otherwise."""

START_SECONDS: Final = 5.0
"""How much longer for the first one, while it starts."""

MAX_ANSWER_BYTES: Final = 4096
"""Bytes of a line that it says, at the most."""

CRASHED, LATE, ILLEGAL, GARBAGE, RESIGNED = FORFEITS = "crashed", "late", "illegal", "garbage", "resigned"
"""Why it has lost a game by itself, as that is written down."""

MAX_WRITE_BYTES: Final = 512
"""Bytes that a pipe which is ready to be written takes without blocking (POSIX: PIPE_BUF is no smaller)."""

MARK_VARIABLE: Final = "POND_PROGRAM"
"""Environment variable by which the processes that a program has started are found, whatever their session."""

_running_programs: set[_RunningProgram] = set()
_start_lock = Lock()
"""Held while one of them is started, so that whoever ends all of them misses none."""


class GameForfeit(Exception):
    """A program has lost its game by itself.

    Attributes:
        reason: one of `FORFEITS`.
        message: what exactly went wrong.
    """

    def __init__(self, reason: str, message: Message) -> None:
        super().__init__(message)
        self.reason, self.message = reason, message


def is_external_name(player_name: str) -> bool:
    """Whether a player of this name is a program from outside."""
    return player_name.startswith(PROGRAM_PREFIX)


class ExternalEngine:
    """A program from outside at a tournament.

    Args:
        name: `program:` and the command that starts it.
        action_seconds: how long it may take for an action.

    Raises:
        PondError: that is no command.
    """

    is_instant = False

    def __init__(self, name: str, action_seconds: float = ACTION_SECONDS) -> None:
        self.name = name
        self._seconds = action_seconds
        self._command = list[str]()
        with suppress(ValueError):
            self._command = shlex.split(name.removeprefix(PROGRAM_PREFIX))
        if not self._command:
            raise PondError(Message("program.no_command", name=name))
        self._program: _RunningProgram | None = None
        self._fresh = True  # whether the process has yet to answer for the first time
        self._hello = b""  # what is still to be said before the first question of a game

    def begin_game(self, variant: Variant, side: Side, against: str, seed: int) -> None:
        """A game begins.

        Args:
            variant: the variant.
            side: which side it plays.
            against: the other player's name.
            seed: what its chances may come from.
        """
        hello_message = {
            "type": "hello",
            "protocol": 1,
            "program": "pond",
            "version": __version__,
            "variant": variant.name,
            "size": variant.size,
            "target": variant.target,
            "players": {str(each_side): None if each_side is side else against for each_side in Side},
            "seconds": self._seconds,
            "seed": seed,
        }
        self._hello = _encode_line(hello_message)

    def choose_action(self, game: EngineGame, actions: Sequence[int]) -> int:
        """Ask it for an action.

        Args:
            game: where it is to act.
            actions: what was played, as the kernel's numbers.

        Returns:
            A legal action, as the kernel's number.

        Raises:
            GameForfeit: it has lost the game by itself.
        """
        legal_actions = game.rules.legal_actions(game.position)
        legal_by_notation = dict(zip(map(str, unpack_actions(legal_actions, game.variant)), legal_actions, strict=True))
        question = _state_message(game.variant, game.position, actions, list(legal_by_notation))
        try:
            return _parse_action(self._ask_question(_encode_line(question)), legal_by_notation)
        except GameForfeit:
            self.close()
            raise

    def announce_outcome(
        self, pond: Variant, position: PackedPosition, actions: Sequence[int], winner: str | None, reason: str
    ) -> None:
        """Tell it how the game has ended; it answers nothing. Of a game in which it was not asked it is not told."""
        if self._program is None or self._hello:
            return
        told = _state_message(pond, position, actions, []) | {"outcome": {"winner": winner, "reason": reason}}
        try:
            self._program.write(_encode_line(told), self._seconds)
        except TimeoutError:
            self.close()

    def close(self) -> None:
        """End it, and all that it has started."""
        program, self._program = self._program, None
        if program:
            program.close()
            _running_programs.discard(program)

    def check_program(self, pond: Variant) -> None:
        """See to it that it starts, and knows how to begin a game.

        Raises:
            PondError: it does not; the message says why.
        """
        rules = packed_rules(pond)
        with tempfile.TemporaryFile() as complaints:
            self.begin_game(pond, Side.LIGHT, self.name, 0)
            try:
                self._start_program(complaints)
                self.choose_action(EngineGame(pond, rules, rules.start_position(pond.spawn), ()), ())
            except GameForfeit as forfeit:
                complaints.seek(0)
                last = complaints.read().decode(errors="replace").strip().splitlines()[-1:]
                command, output = shlex.join(self._command), "".join(last)[:200]
                kind = "fails_and_says" if output else "fails"
                message = Message(f"program.{kind}", command=command, reason=forfeit.message, output=output)
                raise PondError(message) from None
            except OSError as error:
                reason = describe_system_error(error)
                message = Message("program.cannot_start", command=shlex.join(self._command), reason=reason)
                raise PondError(message) from None
            finally:
                self.close()

    def _ask_question(self, question: bytes) -> bytes:
        """What it says to a question; one that has ended since its last game is started anew."""
        while True:
            program = self._program
            if program is None:
                try:
                    program = self._start_program()
                except OSError as error:
                    raise GameForfeit(
                        CRASHED, Message("program.does_not_start", reason=describe_system_error(error))
                    ) from None
            was_asked_before = not self._fresh
            said = self._read_answer(program, self._hello + question)
            if said or not (self._hello and was_asked_before):
                break
            self.close()
        if not said:
            raise GameForfeit(CRASHED, Message("program.ended"))
        self._hello = b""
        if not said.endswith(b"\n"):
            if len(said) > MAX_ANSWER_BYTES:
                raise GameForfeit(GARBAGE, Message("program.long_line"))
            raise GameForfeit(CRASHED, Message("program.ended_within_answer"))
        return said

    def _read_answer(self, program: _RunningProgram, question: bytes) -> bytes:
        seconds = self._seconds + START_SECONDS * self._fresh
        try:
            return program.ask(question, seconds)
        except TimeoutError:
            raise GameForfeit(LATE, Message("program.late", seconds=seconds)) from None
        finally:
            self._fresh = False

    def _start_program(self, complaints: IO[bytes] | None = None) -> _RunningProgram:
        with _start_lock:
            self._program = _RunningProgram(self._command, complaints)
            _running_programs.add(self._program)
        self._fresh = True
        return self._program


class _RunningProgram:
    """A started program and its two pipes.

    No call waits longer than it is given: a process that has left the program's session may hold the pipes open for ever.

    Raises:
        OSError: the program cannot be started.
    """

    def __init__(self, command: Sequence[str], complaints: IO[bytes] | None) -> None:
        self._mark = token_hex(16)
        self._process = start_process(command, complaints, {MARK_VARIABLE: self._mark})
        assert self._process.stdin
        assert self._process.stdout
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._unread = b""

    def write(self, lines: bytes, seconds: float) -> None:
        """Write lines. Lines for a program that has ended or reads no more are lost.

        Raises:
            TimeoutError: the pipe is full and stays so.
        """
        deadline = monotonic() + seconds
        with DefaultSelector() as selector:
            selector.register(self._stdin, EVENT_WRITE)
            while lines:
                if not selector.select(deadline - monotonic()):
                    raise TimeoutError
                try:
                    lines = lines[os.write(self._stdin.fileno(), lines[:MAX_WRITE_BYTES]) :]
                except BrokenPipeError:
                    return

    def ask(self, question: bytes, seconds: float) -> bytes:
        """Write a question and return the line that answers it.

        Returns:
            Without a line feed if the program ended within the line, or if it is longer than `MAX_ANSWER_BYTES`.

        Raises:
            TimeoutError: there is no answer in time.
        """
        deadline = monotonic() + seconds
        self.write(question, seconds)
        with DefaultSelector() as selector:
            selector.register(self._stdout, EVENT_READ)
            while b"\n" not in self._unread and len(self._unread) <= MAX_ANSWER_BYTES:
                if not selector.select(deadline - monotonic()):
                    raise TimeoutError
                output = os.read(self._stdout.fileno(), MAX_ANSWER_BYTES)
                if not output:
                    break
                self._unread += output
        line, line_feed, self._unread = self._unread.partition(b"\n")
        return (line + line_feed)[: MAX_ANSWER_BYTES + 1]

    def kill(self) -> None:
        """Kill the program and all that it has started, in whatever session."""
        if self._process.returncode is None:  # otherwise the number may belong to another process by now
            with suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        _kill_marked_processes(f"{MARK_VARIABLE}={self._mark}".encode())

    def close(self) -> None:
        """Kill the program, wait for its end and close the pipes."""
        self.kill()
        self._process.wait()
        for stream in (self._stdin, self._stdout):
            with suppress(OSError):
                stream.close()


def _kill_marked_processes(mark: bytes) -> None:
    """Kill all processes with a mark in their environment (Linux only: elsewhere there is no /proc)."""
    killed = set[str]()
    while found := set(_find_marked_processes(mark)) - killed:  # one that forks meanwhile is found in the next round
        for pid in found:
            with suppress(OSError):
                os.kill(int(pid), signal.SIGKILL)
        killed |= found


def _find_marked_processes(mark: bytes) -> Iterator[str]:
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if mark in environment.read_bytes().split(b"\0"):
                yield environment.parent.name


def kill_all_programs() -> None:
    """Kill all external programs that this process has started. Call this once, at its end: no further one can start."""
    _start_lock.acquire()  # and never released
    for program in list(_running_programs):
        program.kill()


atexit.register(kill_all_programs)


def _state_message(
    pond: Variant, position: PackedPosition, actions: Sequence[int], legal: Sequence[str]
) -> dict[str, Any]:
    """How the game stands: in the words of the protocol, as far as a program that plays needs them."""
    there = unpack_position(position, pond)
    return {
        "type": "state",
        "variant": pond.name,
        "position": there.notation_line,
        "to_move": str(there.to_move),
        "legal": legal,
        "score": {str(side): there.scored[side] for side in Side},
        "spawn": {str(side): there.spawn[side] for side in Side},
        "actions": [*map(str, unpack_actions(actions, pond))],
        "outcome": None,
    }


def _parse_action(said: bytes, legal: dict[str, int]) -> int:
    """The legal action that a line names, as the kernel's number.

    Raises:
        GameForfeit: it names none.
    """
    excerpt = replace_unprintable(said.decode(errors="replace").strip(), "?")[:80]
    try:
        told = json.loads(said)
        command = told["command"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise GameForfeit(GARBAGE, Message("program.no_command_in_answer", text=excerpt)) from None
    if command == "resign":
        raise GameForfeit(RESIGNED, Message("program.resigned"))
    if command != "action" or not isinstance(told.get("action"), str):
        raise GameForfeit(GARBAGE, Message("program.no_action_in_answer", text=excerpt))
    if told["action"] not in legal:
        raise GameForfeit(ILLEGAL, Message("program.illegal_action", text=excerpt))
    return legal[told["action"]]


def _encode_line(told: dict[str, Any]) -> bytes:
    return json.dumps(told, separators=(",", ":")).encode() + b"\n"
