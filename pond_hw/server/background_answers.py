"""Slow queries, usually answered by background threads: saved games and the doctor's findings.

The doctor reads many files, so it runs in a separate process with a lower priority.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from pond_hw.messages.message import Message
from pond_hw.messages.message_json import parse_messages
from pond_hw.server import protocol
from pond_hw.server.connections import Client
from pond_hw.server.parse_requests import ProtocolError
from pond_hw.server.protocol import text_fields

LOG = logging.getLogger("pond")

MAX_LISTED = 100
"""Maximum number of games in a list. If there are more, the newest are listed."""

DOCTOR_TIMEOUT_SECONDS = 60.0
"""Seconds before a running doctor is killed."""

DOCTOR_NICENESS = 10
"""Niceness of the doctor's process."""


def run_in_thread(job: Callable[[], None]) -> None:
    """Run a job in a background thread."""
    threading.Thread(target=job, name="answers", daemon=True).start()


class BackgroundAnswers:
    """Jobs that answer slow queries, one of each kind at a time.

    Args:
        on_ready: called by the job when an answer is ready.
        run_job: runs a job, usually in a thread.
    """

    def __init__(
        self, on_ready: Callable[[], None], run_job: Callable[[Callable[[], None]], None] = run_in_thread
    ) -> None:
        self._on_ready, self._run_job = on_ready, run_job
        self._answers: SimpleQueue[tuple[str, Client, dict[str, Any]]] = SimpleQueue()
        self._busy_kinds: set[str] = set()

    def start_query(
        self, kind: str, client: Client, compute: Callable[[], dict[str, Any]], *, busy: Message, failed: Message
    ) -> None:
        """Start a job that answers a query. Raises ProtocolError(busy) if a query of this kind is already running.

        Args:
            kind: kind of query.
            client: receives the answer.
            compute: computes the answer; a ProtocolError is sent to the client.
            busy: error for a second query of the same kind.
            failed: error for any other exception.
        """
        if kind in self._busy_kinds:
            raise ProtocolError(busy)
        self._busy_kinds.add(kind)
        self._run_job(partial(self._compute_answer, kind, client, compute, failed))

    def send_answers(self) -> None:
        """Send all answers that are ready to their clients."""
        while True:
            try:
                kind, client, answer = self._answers.get_nowait()
            except Empty:
                return
            self._busy_kinds.discard(kind)
            client.send_message(answer)

    def _compute_answer(
        self, kind: str, client: Client, compute: Callable[[], dict[str, Any]], failed: Message
    ) -> None:
        try:
            answer = compute()
        except ProtocolError as error:
            answer = protocol.error_message(error.message, client.language)
        except Exception:  # the client must get an answer
            LOG.exception("a query for %s could not be answered", kind)
            answer = protocol.error_message(failed, client.language)
        self._answers.put((kind, client, answer))
        self._on_ready()


def read_games(folder: Path, number: int | None) -> dict[str, Any]:
    """Build the message with a saved game or, if `number` is None, with the list of the newest games."""
    from pond_hw.journal.folder import read_all_games  # lazy: rarely needed
    from pond_hw.journal.game_list import game_to_json, number_games
    from pond_hw.journal.game_records import build_record

    games = number_games(read_all_games(folder)[0]) if folder.exists() else []
    if number is None:
        listed = [game for game in games if not game.is_empty and game.is_readable][-MAX_LISTED:]
        return {"type": "games", "games": list(map(game_to_json, listed))}
    found = next((game for game in games if game.number == number and game.is_readable), None)
    if found is None:
        raise ProtocolError(Message("remote.no_such_game", number=number))
    return {"type": "game", "number": number, "record": str(build_record(found.stored))}


def summarise_doctor(board: str | None, language: str) -> dict[str, Any]:
    """Run the doctor and build the message with its findings. This takes a second or more.

    If `board` is None, the doctor checks the board that is being served. Raises OSError, SubprocessError, ValueError or
    KeyError if the doctor fails.
    """
    import subprocess  # lazy: rarely needed

    command = [sys.executable, "-m", "pond_hw", "doctor", "--json", *(["--board", board] if board else [])]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, **pipes, start_new_session=True) as doctor:  # type: ignore[call-overload]
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, doctor.pid, DOCTOR_NICENESS)
        try:
            output, _ = doctor.communicate(timeout=DOCTOR_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            doctor.kill()
            raise
    report = json.loads(output)
    findings = [
        {"grade": str(finding["grade"]), "subject": str(finding["subject"]), "mend": str(finding["mend"])}
        | text_fields("text", parse_messages(finding["said"], finding["told"]), language)
        for finding in report["findings"]
    ]
    summary = text_fields("summary", parse_messages(report["summary_said"], report["summary"]), language)
    return {"type": "doctor", **summary, "findings": findings}
