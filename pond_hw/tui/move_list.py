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


def format_moves(record: Record, judged: Mapping[int, MoveReview], width: int, height: int) -> Content:
    """The last moves, two to a row; nothing before the first.

    Args:
        record: of the game so far.
        judged: what is known of actions, by how many came before.
        width: columns.
        height: rows.
    """
    if not record.turns or height <= HEADING_ROWS:
        return Content("")
    head = Content.assemble(("Moves", "bold"), "  ?! slip  ? mistake  ?? blunder" if judged else "", "\n\n")
    return Content.assemble(head, format_actions(record, len(record.turns), judged, width, height - HEADING_ROWS))


def format_review(review: BackgroundReview) -> tuple[str, ...]:
    """How a game went, what matters most first; how far the look at it is, as long as it is not done."""
    record = review.record
    if review.is_running:
        return (f"Looking back: {len(review.move_reviews)} of {len(record.turns)} actions.",)
    if not review.is_complete:
        return ()
    judged = [review.move_reviews[n] for n in range(len(record.turns))]
    worst = sorted(worst_turning_points(judged), key=lambda n: -judged[n].value_loss)
    return (
        f"How it went: {format_decision(record, judged)}",
        *(f"Turning point: {explain_mistake(record, n, judged[n])}" for n in worst),
        *(format_summary(judged, side) for side in Side),
    )
