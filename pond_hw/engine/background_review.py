"""Review of a game in the background, for screens and the phone page."""

from __future__ import annotations

from queue import SimpleQueue

from pond_hw.engine import MakeWorker, Worker, WorkerAnswer, make_process_worker
from pond_hw.engine.analysis import ANALYSIS_MEGABYTES, REVIEW_LIMITS, review_from_json
from pond_hw.engine.reviewed_game import ReviewedGame
from pond_hw.engine.searcher import SearchLimits
from pond_hw.engine.worker_client import game_to_json
from pond_hw.rules import Record


class BackgroundReview:
    """Review of a game in a worker, one turn after another.

    Attributes:
        game: game with the reviews completed so far.
        failed: True if the worker could not be started.
    """

    def __init__(
        self,
        record: Record,
        search_limits: SearchLimits = REVIEW_LIMITS,
        make_worker: MakeWorker = make_process_worker,
    ) -> None:
        self.game = ReviewedGame(record)
        self.failed = False
        self._search_limits, self._make_worker = search_limits, make_worker
        self._worker: Worker | None = None
        self._answers: SimpleQueue[tuple[int, WorkerAnswer | None]] = SimpleQueue()

    @property
    def is_running(self) -> bool:
        return self._worker is not None

    def start_review(self) -> None:
        """Start the review, or continue it after `close`."""
        self.failed = False
        if self._worker is None and not self.game.is_complete:
            self._worker = self._make_worker(ANALYSIS_MEGABYTES)
            self._ask_next()

    def collect_answers(self) -> None:
        while not self._answers.empty():
            turn_index, worker_answer = self._answers.get()
            if turn_index != len(self.game.turns) or self._worker is None:
                continue  # answer to an abandoned question
            if worker_answer is None:
                self.failed = True
                self.close()
                return
            self.game.add_review(review_from_json(worker_answer))
            self._ask_next()

    def close(self) -> None:
        """Stop the worker. Completed reviews are kept."""
        worker, self._worker = self._worker, None
        if worker:
            worker.close()

    def _ask_next(self) -> None:
        record, turn_index = self.game.record, len(self.game.turns)
        if self._worker is None or self.game.is_complete:
            self.close()
            return
        earlier_record = Record(record.variant, record.turns[:turn_index], custom_start=record.custom_start)
        taken_action = str(record.turns[turn_index].action)
        question = game_to_json(earlier_record) | {"judge": self._search_limits._asdict(), "taken": taken_action}
        self._worker.ask_question(question, lambda answer: self._answers.put((turn_index, answer)))
