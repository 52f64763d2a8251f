"""A kept game, judged turn by turn beside the page: what each turn was worth, and what would have been better."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pond_hw.engine.analysis import MoveReview
from pond_hw.engine.analysis_text import explain_mistake, turn_review_to_json
from pond_hw.engine.background_review import BackgroundReview
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.rules import Record
from pond_hw.web.shown_game import JsonMessage

POLL_SECONDS = 0.2


async def review_game(number: int, record: Record, language: str, tell: Callable[[JsonMessage], None]) -> None:
    """Judge all turns of a game in a process of its own, and tell of those that are judged.

    Args:
        number: of the game.
        record: the game.
        language: of the sentences.
        tell: is given messages for the page, each with all turns that are judged so far.
    """
    review, told_count = BackgroundReview(record), -1
    review.start_review()
    try:
        while True:
            review.collect_answers()
            if len(review.move_reviews) > told_count:
                told_count = len(review.move_reviews)
                tell(_show_reviews(number, record, list(review.move_reviews.values()), language))
            if review.failed or review.is_complete:
                return
            await asyncio.sleep(POLL_SECONDS)
    finally:
        review.close()


def _show_reviews(number: int, record: Record, reviews: list[MoveReview], language: str) -> JsonMessage:
    turns = []
    for index, move_review in enumerate(reviews):
        messages: tuple[Message, ...] = ()
        if move_review.mistake_grade:
            messages = tuple(explain_mistake(record, index, move_review))
        turns.append(turn_review_to_json(index, move_review) | {"message": get_catalogue(language).text(messages)})
    return {"type": "analysis", "number": number, "of": len(record.turns), "turns": turns}
