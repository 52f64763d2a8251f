"""What the actions of a game were worth, found out beside whoever shows it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue

from pond_hw.engine.analysis import ANALYSIS_MEGABYTES, MoveReview, review_from_json
from pond_hw.engine.searcher import SearchLimits
from pond_hw.engine.worker_process import WorkerAnswer, WorkerClient, game_to_json
from pond_hw.rules import Record


class BackgroundReview:
    """Judges the actions of a game one after the other, in a process of its own. Nothing here waits for it.

    Args:
        record: of the game.
        bounds: how far each position is looked ahead.
        thinker: makes the process.

    Attributes:
        record: of the game.
        move_reviews: what is known of actions, by how many came before.
        failed: whether no process could be had.
    """

    def __init__(
        self,
        record: Record,
        bounds: SearchLimits,
        thinker: Callable[[], WorkerClient] = lambda: WorkerClient(ANALYSIS_MEGABYTES),
    ) -> None:
        self.record = record
        self.move_reviews: dict[int, MoveReview] = {}
        self.failed = False
        self._bounds, self._make = bounds, thinker
        self._thinker: WorkerClient | None = None
        self._heard: SimpleQueue[tuple[int, WorkerAnswer | None]] = SimpleQueue()

    @property
    def is_running(self) -> bool:
        """Whether there is more to come."""
        return self._thinker is not None

    @property
    def is_complete(self) -> bool:
        """Whether every action is judged."""
        return len(self.move_reviews) == len(self.record.turns)

    def start_review(self) -> None:
        """Begin, or go on after `close`."""
        self.failed = False
        if self._thinker is None and not self.is_complete:
            self._thinker = self._make()
            self._ask_next()

    def collect_answers(self) -> None:
        """Take in what has been found out, and ask about the next action."""
        with suppress(Empty):
            while True:
                n, answer = self._heard.get_nowait()
                if n != len(self.move_reviews) or self._thinker is None:
                    continue  # an answer to a question that was left
                if answer is None:
                    self.failed = True
                    self.close()
                    return
                self.move_reviews[n] = review_from_json(answer)
                self._ask_next()

    def close(self) -> None:
        """Leave nothing that thinks; what is known stays."""
        thinker, self._thinker = self._thinker, None
        if thinker:
            thinker.close()

    def _ask_next(self) -> None:
        record, n = self.record, len(self.move_reviews)
        if self._thinker is None:
            return
        if self.is_complete:
            self.close()
            return
        before = Record(record.variant, record.turns[:n], custom_start=record.custom_start)
        question = {**game_to_json(before), "judge": self._bounds._asdict(), "taken": str(record.turns[n].action)}
        heard = self._heard
        self._thinker.ask_question(question, lambda answer: heard.put((n, answer)))
