"""Review of a saved game for the page: the value of each turn, and better actions."""

from __future__ import annotations

from pond_hw.engine import MakeWorker
from pond_hw.engine.background_review import BackgroundReview
from pond_hw.rules import Record
from pond_hw.web.page_view import JsonMessage, format_text
from pond_hw.web.visitor import Visitor


class GameReview:
    """Review of a saved game by a worker, in the language that the visitor uses at the start.

    Args:
        visitor: the visitor who requested it.
        number: number of the game.
        record: record of the game.
        make_worker: factory of the worker.
    """

    def __init__(self, visitor: Visitor, number: int, record: Record, make_worker: MakeWorker) -> None:
        self.visitor, self._number, self._language = visitor, number, visitor.language
        self._review = BackgroundReview(record, make_worker=make_worker)
        self._sent_count = -1
        self._review.start_review()

    @property
    def is_running(self) -> bool:
        return self._review.is_running

    def collect(self) -> None:
        """Send the visitor all reviews so far, if there are new ones."""
        self._review.collect_answers()
        game = self._review.game
        if len(game.turns) > self._sent_count:
            self._sent_count = len(game.turns)
            self.visitor.send(self._reviews_to_json())

    def close(self) -> None:
        """Stop the worker."""
        self._review.close()

    def _reviews_to_json(self) -> JsonMessage:
        game = self._review.game
        turns = [
            turn.to_json()
            | {"message": format_text(turn.explanation if turn.review.mistake_grade else (), self._language)}
            for turn in game.turns
        ]
        return {"type": "analysis", "number": self._number, "of": len(game.record.turns), "turns": turns}
