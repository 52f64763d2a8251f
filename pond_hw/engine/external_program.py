"""External programs as players, controlled over standard input and output. docs/protocol.md describes the protocol.

A program is started once and plays several games. If it misbehaves, it forfeits the current game, is killed, and is
restarted for the next one.
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
"""Prefix of an external player's name, followed by a shell command."""

ACTION_SECONDS: Final = 10.0
"""Default time per action."""

START_SECONDS: Final = 5.0
"""Additional time for the first action, because the program may still be starting."""

MAX_ANSWER_BYTES: Final = 4096

CRASHED, LATE, ILLEGAL, GARBAGE, RESIGNED = FORFEITS = "crashed", "late", "illegal", "garbage", "resigned"
"""Reasons for a forfeit, as written to result files."""

MAX_WRITE_BYTES: Final = 512
"""Number of bytes that a writable pipe accepts without blocking (POSIX: PIPE_BUF is at least this)."""

MARK_VARIABLE: Final = "POND_PROGRAM"
"""Environment variable that identifies all descendants of a program, in any session."""

_running_programs: set[_RunningProgram] = set()
_start_lock = Lock()
"""Lock that is held while a program starts, so that `kill_all_programs` cannot miss it."""


class GameForfeit(Exception):
    """Forfeit of a game by an external program. `reason` is one of `FORFEITS`."""

    def __init__(self, reason: str, message: Message) -> None:
        super().__init__(message)
        self.reason, self.message = reason, message


def is_external_name(player_name: str) -> bool:
    return player_name.startswith(PROGRAM_PREFIX)


class ExternalEngine:
    """External program in a tournament.

    Args:
        name: `program:` followed by the command that starts the program.
        action_seconds: time limit per action.

    Raises:
        PondError: the command is invalid.
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
        self._fresh = True  # True until the process has answered for the first time
        self._hello = b""  # greeting to send before the first question of a game

    def begin_game(self, variant: Variant, side: Side, against: str, seed: int) -> None:
        """Start a new game.

        Args:
            variant: variant of the game.
            side: side of the program.
            against: name of the opponent.
            seed: seed for the program's random choices.
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
        """Ask the program for an action, given the packed actions played so far.

        Raises:
            GameForfeit: the program has forfeited the game.
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
        """Send the result of the game, unless the program was never asked for an action in it. No answer is expected."""
        if self._program is None or self._hello:
            return
        state = _state_message(pond, position, actions, []) | {"outcome": {"winner": winner, "reason": reason}}
        try:
            self._program.write(_encode_line(state), self._seconds)
        except TimeoutError:
            self.close()

    def close(self) -> None:
        """Kill the program and all its descendants."""
        program, self._program = self._program, None
        if program:
            program.close()
            _running_programs.discard(program)

    def check_program(self, pond: Variant) -> None:
        """Check that the program starts and answers the first question of a game.

        Raises:
            PondError: it does not start or answer; the message gives the reason.
        """
        rules = packed_rules(pond)
        with tempfile.TemporaryFile() as error_file:
            self.begin_game(pond, Side.LIGHT, self.name, 0)
            try:
                self._start_program(error_file)
                self.choose_action(EngineGame(pond, rules, rules.start_position(pond.spawn), ()), ())
            except GameForfeit as forfeit:
                error_file.seek(0)
                last = error_file.read().decode(errors="replace").strip().splitlines()[-1:]
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
        """Return the answer to a question. Restart a program that has exited since its last game."""
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
            answer_line = self._read_answer(program, self._hello + question)
            if answer_line or not (self._hello and was_asked_before):
                break
            self.close()
        if not answer_line:
            raise GameForfeit(CRASHED, Message("program.ended"))
        self._hello = b""
        if not answer_line.endswith(b"\n"):
            if len(answer_line) > MAX_ANSWER_BYTES:
                raise GameForfeit(GARBAGE, Message("program.long_line"))
            raise GameForfeit(CRASHED, Message("program.ended_within_answer"))
        return answer_line

    def _read_answer(self, program: _RunningProgram, question: bytes) -> bytes:
        seconds = self._seconds + START_SECONDS * self._fresh
        try:
            return program.ask(question, seconds)
        except TimeoutError:
            raise GameForfeit(LATE, Message("program.late", seconds=seconds)) from None
        finally:
            self._fresh = False

    def _start_program(self, error_file: IO[bytes] | None = None) -> _RunningProgram:
        with _start_lock:
            self._program = _RunningProgram(self._command, error_file)
            _running_programs.add(self._program)
        self._fresh = True
        return self._program


class _RunningProgram:
    """Running program with its two pipes.

    All calls have a timeout, because a process that has left the program's session may hold the pipes open forever.

    Raises:
        OSError: the program cannot be started.
    """

    def __init__(self, command: Sequence[str], error_file: IO[bytes] | None) -> None:
        self._mark = token_hex(16)
        self._process = start_process(command, error_file, {MARK_VARIABLE: self._mark})
        assert self._process.stdin
        assert self._process.stdout
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._unread = b""

    def write(self, lines: bytes, seconds: float) -> None:
        """Write lines. They are lost if the program has exited or closed its input.

        Raises:
            TimeoutError: the pipe is full.
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
        """Write a question and return the next line of output.

        Returns:
            The line. It has no line feed if the program exited in the middle of it or it is longer than `MAX_ANSWER_BYTES`.

        Raises:
            TimeoutError: no complete line arrived in time.
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
        """Kill the program and all its descendants, in any session."""
        if self._process.returncode is None:  # after that the pid may belong to another process
            with suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        _kill_marked_processes(f"{MARK_VARIABLE}={self._mark}".encode())

    def close(self) -> None:
        """Kill the program, wait for it to exit and close the pipes."""
        self.kill()
        self._process.wait()
        for stream in (self._stdin, self._stdout):
            with suppress(OSError):
                stream.close()


def _kill_marked_processes(mark: bytes) -> None:
    """Kill all processes with this mark in their environment (Linux only; requires /proc)."""
    killed = set[str]()
    while found := set(_find_marked_processes(mark)) - killed:  # a process may have forked in between
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
    """Kill all external programs started by this process. Call only at exit: no program can start afterwards."""
    _start_lock.acquire()  # never released
    for program in list(_running_programs):
        program.kill()


atexit.register(kill_all_programs)


def _state_message(
    pond: Variant, position: PackedPosition, actions: Sequence[int], legal: Sequence[str]
) -> dict[str, Any]:
    """Return a state message, as defined in the protocol, with only the fields that a playing program needs."""
    board_position = unpack_position(position, pond)
    return {
        "type": "state",
        "variant": pond.name,
        "position": board_position.notation_line,
        "to_move": str(board_position.to_move),
        "legal": legal,
        "score": {str(side): board_position.scored[side] for side in Side},
        "spawn": {str(side): board_position.spawn[side] for side in Side},
        "actions": [*map(str, unpack_actions(actions, pond))],
        "outcome": None,
    }


def _parse_action(answer_line: bytes, legal: dict[str, int]) -> int:
    """Return the packed action from a line of output. Raise GameForfeit if it is not a legal action."""
    excerpt = replace_unprintable(answer_line.decode(errors="replace").strip(), "?")[:80]
    try:
        answer = json.loads(answer_line)
        command = answer["command"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise GameForfeit(GARBAGE, Message("program.no_command_in_answer", text=excerpt)) from None
    if command == "resign":
        raise GameForfeit(RESIGNED, Message("program.resigned"))
    if command != "action" or not isinstance(answer.get("action"), str):
        raise GameForfeit(GARBAGE, Message("program.no_action_in_answer", text=excerpt))
    if answer["action"] not in legal:
        raise GameForfeit(ILLEGAL, Message("program.illegal_action", text=excerpt))
    return legal[answer["action"]]


def _encode_line(message: dict[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"
