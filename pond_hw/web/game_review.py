"""Review of a saved game for the page: the value of each turn, and better actions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pond_hw.engine.background_review import BackgroundReview
from pond_hw.engine.reviewed_game import ReviewedGame
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.rules import Record
from pond_hw.web.page_view import JsonMessage

POLL_SECONDS = 0.2


async def review_game(number: int, record: Record, language: str, send: Callable[[JsonMessage], None]) -> None:
    """Review a game in a separate process. Each time more turns have been reviewed, call `send` with all reviews so far."""
    review, sent_count = BackgroundReview(record), -1
    review.start_review()
    try:
        while True:
            review.collect_answers()
            if len(review.game.turns) > sent_count:
                sent_count = len(review.game.turns)
                send(_reviews_to_json(number, review.game, language))
            if review.failed or review.game.is_complete:
                return
            await asyncio.sleep(POLL_SECONDS)
    finally:
        review.close()


def _reviews_to_json(number: int, game: ReviewedGame, language: str) -> JsonMessage:
    text = get_catalogue(language).text
    turns = [
        turn.to_json() | {"message": text(turn.explanation if turn.review.mistake_grade else ())} for turn in game.turns
    ]
    return {"type": "analysis", "number": number, "of": len(game.record.turns), "turns": turns}
