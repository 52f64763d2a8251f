"""What was found out about the actions of a game, for programs, and as comments in its record. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pond_hw.engine.analysis import Mistake, MoveReview, actions_to_end, find_decision, summarize_side
from pond_hw.engine.analysis_text import (
    MISTAKE_NAMES,
    explain_mistake,
    format_remark,
    format_value,
    worst_turning_points,
)
from pond_hw.engine.packed import MAX_DEPTH, SURE_VALUE
from pond_hw.engine.searcher import SearchLimits
from pond_hw.rules import DARK, LIGHT, Record, Side

FORMAT_VERSION = 1
"""The form of the JSON object; it counts up when a key goes or changes its meaning."""

ANALYSIS_COMMENT = re.compile(r" ?\[(?:[+-]?[0-9]+\.[0-9]|(?:light|dark) wins)[^\[\]]*\]$", re.ASCII)
"""What was written behind a comment by an analysis before."""


def analysis_to_json(
    record: Record, move_reviews: Sequence[MoveReview], search_limits: SearchLimits
) -> dict[str, object]:
    """The analysis as a JSON object. Values are seen by light, in pieces; a sure win has the actions until then."""
    decision_point, turning_points = find_decision(move_reviews), worst_turning_points(move_reviews)
    depth = search_limits.depth if search_limits.depth < MAX_DEPTH else None
    return {
        "form": FORMAT_VERSION,
        "variant": record.variant.name,
        "position": record.start_position.notation_line,
        "light": record.tags.get("Light"),
        "dark": record.tags.get("Dark"),
        "result": record.result_text,
        "limits": {"depth": depth, "nodes": search_limits.nodes or None, "seconds": search_limits.seconds},
        "turns": [_turn_to_json(turn_index, move_review) for turn_index, move_review in enumerate(move_reviews)],
        "turning_points": [
            {"turn": turn_index + 1, "told": explain_mistake(record, turn_index, move_reviews[turn_index])}
            for turn_index in turning_points
        ],
        "decided": None if decision_point is None else {"turn": decision_point[0], "winner": str(decision_point[1])},
        "summary": {str(side): _summary_to_json(move_reviews, side) for side in Side},
    }


def _turn_to_json(turn_index: int, move_review: MoveReview) -> dict[str, object]:
    return {
        "turn": turn_index + 1,
        "side": str(move_review.side),
        "action": str(move_review.taken),
        **_value_to_json(move_review.value_for_light(move_review.value)),
        "best": {
            "action": str(move_review.best),
            **_value_to_json(move_review.value_for_light(move_review.best_value)),
        },
        "loss": move_review.value_loss / 100,
        "fault": MISTAKE_NAMES[move_review.mistake_grade] if move_review.mistake_grade else None,
        "win_missed": move_review.missed_win,
        "turning_point": move_review.is_turning_point,
        "depth": move_review.depth,
        "line": [str(action) for action in move_review.line],
        "better": [str(action) for action in move_review.better],
    }


def _value_to_json(light_value: int) -> dict[str, object]:
    if abs(light_value) < SURE_VALUE:
        return {"value": light_value / 100, "wins": None}
    return {
        "value": None,
        "wins": {"side": str(LIGHT if light_value > 0 else DARK), "actions": actions_to_end(light_value)},
    }


def _summary_to_json(move_reviews: Sequence[MoveReview], side: Side) -> Mapping[str, object]:
    side_summary = summarize_side(move_reviews, side)
    mistake_counts = {
        f"{MISTAKE_NAMES[mistake_grade]}s": side_summary.mistake_counts[mistake_grade]
        for mistake_grade in Mistake
        if mistake_grade
    }
    mean_loss = round(side_summary.mean_loss / 100, 4)
    return {
        "actions": side_summary.actions,
        "mean_loss": mean_loss,
        "as_the_best": side_summary.best_count,
        **mistake_counts,
        "wins_missed": side_summary.missed_wins,
    }


def annotate_record(record: Record, move_reviews: Sequence[MoveReview]) -> Record:
    """The record with the value of each action as a comment behind it, and with what was wrong there.

    What was remarked before stays, but for what an analysis wrote.
    """
    comments = dict(record.comments)
    turning_points = worst_turning_points(move_reviews)
    for turn_index, move_review in enumerate(move_reviews):
        old_comment = ANALYSIS_COMMENT.sub("", comments.get(turn_index + 1, ""))
        remark_text = f" {format_remark(move_review)}" if move_review.mistake_grade else ""
        if turn_index in turning_points:
            remark_text += f". Turning point: {explain_mistake(record, turn_index, move_review)}"
        comments[turn_index + 1] = f"{old_comment} [{format_value(move_review)}{remark_text}]".strip()
    return replace(record, comments=comments)
