"""Workers that share one thinker, which is reached by messages and cannot be interrupted.

The thinker answers each line with `worker.answer_line`. It gets one question at a time, after it has answered a first
line without a question. The only way to stop it is to replace it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf

from pond_hw.engine import OnAnswer, Worker, WorkerAnswer
from pond_hw.engine.worker_client import GRACE_SECONDS, MAX_TRIES, deliver_answer

PATIENCE_SECONDS = 0.5
"""Seconds that a thinker has to finish an abandoned question or a review while a more urgent question waits."""


@dataclass(eq=False)
class _Question:
    payload: Mapping[str, object]
    on_answer: OnAnswer
    max_seconds: float
    failure_count: int = 0

    @property
    def is_review(self) -> bool:
        return "judge" in self.payload


class SharedWorker:
    """Owner of a thinker. It and its workers may be used from one thread only.

    The oldest question comes first, but reviews come last. A review that keeps others waiting is asked again later.

    Args:
        post: sends a line to the thinker, or keeps it until the thinker has started.
        restart: ends the thinker and starts another. Late lines of the old one are ignored.
        now: clock, in seconds.
    """

    def __init__(self, post: Callable[[str], None], restart: Callable[[], None], now: Callable[[], float]) -> None:
        self._post, self._restart, self._now = post, restart, now
        self._wanted: list[_Question] = []  # oldest first
        self._asked: _Question | None = None  # question that the thinker works on, wanted or not
        self._asked_at = 0.0
        self._number = 0  # number of the last line to the thinker
        self._is_busy = self._has_started = self._needs_restart = False

    def make_worker(self, megabytes: float) -> Worker:
        return _MessageWorker(self, megabytes)

    def add_question(self, question: _Question) -> None:
        self._wanted.append(question)
        self._post_next()

    def abandon_question(self, question: _Question) -> None:
        """Ignore the answer to a question, if it is still wanted."""
        if question in self._wanted:
            self._wanted.remove(question)

    def receive(self, text: str) -> None:
        """Handle a line from the thinker."""
        answer: WorkerAnswer = json.loads(text)
        if not self._is_busy or answer["question"] != self._number:
            return
        question, self._asked = self._asked, None
        self._is_busy, self._has_started = False, True
        if question:
            self._deliver(question, answer)
        self._post_next()

    def thinker_lost(self) -> None:
        """Replace a thinker that has died. Its question is asked at most `MAX_TRIES` times."""
        question = self._asked or self._next_question
        self._drop_thinker()
        if question:
            question.failure_count += 1
            if question.failure_count == MAX_TRIES:
                self._deliver(question, None)
        self._post_next()

    def step(self) -> float:
        """Replace a thinker that is busy for too long. Return the time at which to call `step` again if nothing happens."""
        question, next_question = self._asked, self._next_question
        if not question or not next_question:
            return inf
        if question is next_question:
            due, replace_thinker = self._asked_at + question.max_seconds + GRACE_SECONDS, self.thinker_lost
        else:
            due, replace_thinker = self._asked_at + PATIENCE_SECONDS, self._replace_thinker
        if self._now() < due:
            return due
        replace_thinker()
        return inf

    @property
    def _next_question(self) -> _Question | None:
        return min(self._wanted, key=lambda question: question.is_review, default=None)

    def _deliver(self, question: _Question, answer: WorkerAnswer | None) -> None:
        if question in self._wanted:
            self._wanted.remove(question)
            deliver_answer(question.on_answer, answer)

    def _replace_thinker(self) -> None:
        self._drop_thinker()
        self._post_next()

    def _drop_thinker(self) -> None:
        self._asked, self._is_busy, self._has_started, self._needs_restart = None, False, False, True

    def _post_next(self) -> None:
        """Post the most urgent question if the thinker is idle."""
        question = self._next_question
        if question is None or self._is_busy:
            return
        if self._needs_restart:
            self._needs_restart = False
            self._restart()
        self._asked = question if self._has_started else None
        self._asked_at, self._is_busy = self._now(), True
        self._number += 1
        self._post(json.dumps({"question": self._number, **(self._asked.payload if self._asked else {})}))


class _MessageWorker(Worker):
    def __init__(self, shared_worker: SharedWorker, megabytes: float) -> None:
        self._shared_worker, self._megabytes = shared_worker, megabytes
        self._question: _Question | None = None

    def ask_question(self, question: Mapping[str, object], on_answer: OnAnswer, max_seconds: float = inf) -> None:
        self.stop()
        self._question = _Question({"megabytes": self._megabytes, **question}, on_answer, max_seconds)
        self._shared_worker.add_question(self._question)

    def stop(self) -> None:
        if self._question:
            self._shared_worker.abandon_question(self._question)

    def close(self) -> None:
        self.stop()
