"""Client for the worker process. Searching in a separate process keeps lamps and sensors responsive.

The first question starts the process. If the process dies, it is replaced and the question is asked again.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import TIMEOUT_MAX, Lock, Thread, Timer
from typing import IO, TYPE_CHECKING, NamedTuple

from pond_hw.engine import OnAnswer, Worker, WorkerAnswer
from pond_hw.rules import Record

if TYPE_CHECKING:
    import subprocess

LOG = logging.getLogger("pond")

WORKER_MODULE = "pond_hw.engine.worker_process"

GRACE_SECONDS = 20.0
"""Seconds after the maximum thinking time at which a process without an answer is considered frozen and replaced."""

STOP_SECONDS = 1.0
"""Seconds that the process is given to stop before it is killed. It normally needs a few milliseconds."""

MAX_TRIES = 3
"""Maximum number of attempts to answer a question if the process keeps dying."""


class WorkerClient(Worker):
    """Worker in a process of its own. Methods may be called from any thread.

    All methods return immediately, except `close`, which waits for the process to exit.

    Args:
        megabytes: size of the table of searched positions.
    """

    def __init__(self, megabytes: float) -> None:
        self._megabytes = megabytes
        self._lock = Lock()
        self._questions: SimpleQueue[_WorkerQuestion | None] = SimpleQueue()
        self._number = 0  # number of the last question
        self._wanted: int | None = None  # question whose answer is wanted
        self._current_question: int | None = None  # question that the process is working on
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: Thread | None = None

    @property
    def pid(self) -> int | None:
        process = self._process
        return process.pid if process and process.poll() is None else None

    def ask_question(
        self,
        question: Mapping[str, object],
        on_answer: OnAnswer,
        max_seconds: float = TIMEOUT_MAX - GRACE_SECONDS,
    ) -> None:
        """Ask a question and abandon the previous one. `on_answer` is called from another thread."""
        with self._lock:
            self._abandon_question()
            self._number += 1
            self._wanted = self._number
            if self._thread is None:
                self._questions = SimpleQueue()
                self._thread = Thread(target=self._work_loop, args=(self._questions,), name="thinker", daemon=True)
                self._thread.start()
            payload = {"megabytes": self._megabytes, **question}
            self._questions.put(_WorkerQuestion(self._number, payload, on_answer, max_seconds))

    def stop(self) -> None:
        with self._lock:
            self._abandon_question()

    def close(self) -> None:
        """Stop the process. Another question starts a new one."""
        with self._lock:
            self._wanted = None
            process, thread, self._thread = self._process, self._thread, None
            if thread:
                self._questions.put(None)
        if process:
            _end_process(process)
        if thread:
            thread.join(STOP_SECONDS)

    def _abandon_question(self) -> None:
        """Tell the process to stop searching or pondering. Kill it if it does not stop."""
        process, abandoned_number = self._process, self._wanted
        self._wanted = None
        if process is None or process.poll() is not None:
            return
        write_input(process, b'{"stop": true}\n')
        if abandoned_number is not None:

            def kill_if_busy() -> None:
                if self._current_question == abandoned_number and self._process is process:
                    process.kill()

            start_timer(STOP_SECONDS, kill_if_busy)

    def _work_loop(self, questions: SimpleQueue[_WorkerQuestion | None]) -> None:
        """Answer questions one after another in the worker thread."""
        while question := questions.get():
            answer, tries_left = None, MAX_TRIES
            while not answer and tries_left and self._wanted == question.number:
                answer = self._ask_process(question)
                tries_left -= 1
            with self._lock:
                is_wanted = self._wanted == question.number
                if is_wanted:
                    self._wanted = None
            if is_wanted:
                deliver_answer(question.on_answer, answer)
        with self._lock:
            process, self._process = self._process, None
        if process:
            _dispose_process(process)

    def _ask_process(self, question: _WorkerQuestion) -> WorkerAnswer | None:
        """Return the process's answer, or None if it died."""
        try:
            process = self._live_process(question.number)
        except OSError:
            return None
        worker_answer: WorkerAnswer | None = None
        self._current_question = question.number
        question_line = json.dumps({"question": question.number, **question.payload}).encode() + b"\n"
        if process and write_input(process, question_line):
            assert process.stdout
            freeze_timer = start_timer(question.max_seconds + GRACE_SECONDS, process.kill)
            with suppress(ValueError, KeyError, TypeError):  # truncated or corrupt output
                while not worker_answer and (output_line := process.stdout.readline()):
                    parsed_line: WorkerAnswer = json.loads(output_line)
                    worker_answer = parsed_line if parsed_line["question"] == question.number else None
            freeze_timer.cancel()
        self._current_question = None
        if process and not worker_answer:
            with self._lock:
                self._process = None
            _dispose_process(process)
        return worker_answer

    def _live_process(self, question_number: int) -> subprocess.Popen[bytes] | None:
        """Return a running process, or None if the answer is no longer wanted."""
        from subprocess import DEVNULL

        if self._process and self._process.poll() is None:
            return self._process
        if self._process:
            _dispose_process(self._process)
        # Errors go to our standard error, except onto a terminal, where they would disturb the screen.
        error_file = DEVNULL if os.isatty(2) else None
        new_process = start_process([sys.executable, "-m", WORKER_MODULE], error_file)
        with self._lock:
            self._process = new_process
            if self._wanted == question_number:
                return new_process
        _end_process(new_process)
        return None


class _WorkerQuestion(NamedTuple):
    number: int
    payload: Mapping[str, object]
    on_answer: OnAnswer
    max_seconds: float


def deliver_answer(on_answer: OnAnswer, answer: WorkerAnswer | None) -> None:
    """Call a function with an answer. If it fails, the answer is unusable: call it with None."""
    try:
        on_answer(answer)
    except Exception:
        LOG.exception("A thinking process has given an answer that makes no sense.")
        if answer is not None:
            deliver_answer(on_answer, None)


def start_timer(seconds: float, function: Callable[[], object]) -> Timer:
    timer = Timer(seconds, function)
    timer.daemon = True
    timer.start()
    return timer


def game_to_json(record: Record) -> dict[str, object]:
    return {
        "pond": str(record.variant),
        "start": record.start_position.notation_line,
        "actions": [str(turn.action) for turn in record.turns],
    }


def start_process(
    command: Sequence[str], error_file: IO[bytes] | int | None, variables: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start a program with pipes in a new session, so that Ctrl-C does not reach it and its children can be killed with it.

    Standard error goes to `error_file`, or to our own standard error if it is None.
    """
    from subprocess import PIPE, Popen  # imported late to save memory: most games need no process

    environment = os.environ | (variables or {})
    return Popen(command, stdin=PIPE, stdout=PIPE, stderr=error_file, env=environment, start_new_session=True)


def write_input(process: subprocess.Popen[bytes], lines: bytes) -> bool:
    """Write lines atomically, since several threads may write. Return False if the program has exited."""
    assert process.stdin
    try:
        process.stdin.write(lines)
        process.stdin.flush()
    except (OSError, ValueError):
        return False
    return True


def _end_process(process: subprocess.Popen[bytes]) -> None:
    """Close the input of a process, and kill it if it does not exit."""
    from subprocess import TimeoutExpired

    assert process.stdin
    with suppress(OSError):
        process.stdin.close()
    try:
        process.wait(STOP_SECONDS)
    except TimeoutExpired:
        process.kill()
        process.wait()


def _dispose_process(process: subprocess.Popen[bytes]) -> None:
    """End a process and close its output. Call only from the thread that reads its answers."""
    _end_process(process)
    assert process.stdout
    process.stdout.close()
