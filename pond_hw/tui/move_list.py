"""The moves of a game beside the board, and, when it is over, how it went. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from textual.content import Content

from pond_hw.engine.analysis import Judged
from pond_hw.engine.analysis_text import sentence, tell_decided, tell_summary, turning_points
from pond_hw.engine.background_review import Review
from pond_hw.rules import Record, Side

HEAD = 2
"""Rows above the list."""


def list_moves(record: Record, judged: Mapping[int, Judged], width: int, height: int) -> Content:
    """The last moves, two to a row; nothing before the first.

    Args:
        record: of the game so far.
        judged: what is known of actions, by how many came before.
        width: columns.
        height: rows.
    """
    from pond_hw.tui.record_text import table  # not sooner: it needs the words of this room

    if not record.turns or height <= HEAD:
        return Content("")
    head = Content.assemble(("Moves", "bold"), "  ?! slip  ? mistake  ?? blunder" if judged else "", "\n\n")
    return Content.assemble(head, table(record, len(record.turns), judged, width, height - HEAD))


def tell_review(review: Review) -> tuple[str, ...]:
    """How a game went, what matters most first; how far the look at it is, as long as it is not done."""
    record = review.record
    if review.running:
        return (f"Looking back: {len(review.judged)} of {len(record.turns)} actions.",)
    if not review.done:
        return ()
    judged = [review.judged[n] for n in range(len(record.turns))]
    worst = sorted(turning_points(judged), key=lambda n: -judged[n].loss)
    return (
        f"How it went: {tell_decided(record, judged)}",
        *(f"Turning point: {sentence(record, n, judged[n])}" for n in worst),
        *(tell_summary(judged, side) for side in Side),
    )
