"""The moves of a game beside the board, and, when it is over, how it went. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from textual.content import Content

from pond_hw.engine.analysis import MoveReview
from pond_hw.engine.analysis_text import explain_mistake, format_decision, format_summary, worst_turning_points
from pond_hw.engine.background_review import BackgroundReview
from pond_hw.rules import Record, Side
from pond_hw.tui.record_text import format_actions

HEADING_ROWS = 2
"""Rows above the list."""


def format_moves(record: Record, judged: Mapping[int, MoveReview], width: int, row_count: int) -> Content:
    """The last moves, two to a row; nothing before the first.

    Args:
        record: of the game so far.
        judged: what is known of actions, by how many came before.
        width: columns.
        row_count: rows.
    """
    if not record.turns or row_count <= HEADING_ROWS:
        return Content("")
    head = Content.assemble(("Moves", "bold"), "  ?! slip  ? mistake  ?? blunder" if judged else "", "\n\n")
    return Content.assemble(head, format_actions(record, len(record.turns), judged, width, row_count - HEADING_ROWS))


def format_review(review: BackgroundReview) -> tuple[str, ...]:
    """How a game went, what matters most first; how far the look at it is, as long as it is not done."""
    record = review.record
    if review.is_running:
        return (f"Looking back: {len(review.move_reviews)} of {len(record.turns)} actions.",)
    if not review.is_complete:
        return ()
    move_reviews = [review.move_reviews[turn_number] for turn_number in range(len(record.turns))]
    worst = sorted(worst_turning_points(move_reviews), key=lambda turn_number: -move_reviews[turn_number].value_loss)
    return (
        f"How it went: {format_decision(record, move_reviews)}",
        *(f"Turning point: {explain_mistake(record, turn_number, move_reviews[turn_number])}" for turn_number in worst),
        *(format_summary(move_reviews, side) for side in Side),
    )
