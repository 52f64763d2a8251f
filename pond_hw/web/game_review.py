"""Review of a saved game for the page: the value of each turn, and what would have been better."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pond_hw.engine.background_review import BackgroundReview
from pond_hw.engine.reviewed_game import ReviewedGame
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.rules import Record
from pond_hw.web.page_messages import JsonMessage

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
            if len(review.game.turns) > told_count:
                told_count = len(review.game.turns)
                tell(_show_reviews(number, review.game, language))
            if review.failed or review.game.is_complete:
                return
            await asyncio.sleep(POLL_SECONDS)
    finally:
        review.close()


def _show_reviews(number: int, game: ReviewedGame, language: str) -> JsonMessage:
    text = get_catalogue(language).text
    turns = [
        turn.to_json() | {"message": text(turn.explanation if turn.review.mistake_grade else ())} for turn in game.turns
    ]
    return {"type": "analysis", "number": number, "of": len(game.record.turns), "turns": turns}
