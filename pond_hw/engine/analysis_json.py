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


def analysis_to_json(record: Record, judged: Sequence[MoveReview], bounds: SearchLimits) -> dict[str, object]:
    """The analysis as a JSON object. Values are seen by light, in pieces; a sure win has the actions until then."""
    sure, points = find_decision(judged), worst_turning_points(judged)
    depth = bounds.depth if bounds.depth < MAX_DEPTH else None
    return {
        "form": FORMAT_VERSION,
        "variant": record.variant.name,
        "position": record.start_position.notation_line,
        "light": record.tags.get("Light"),
        "dark": record.tags.get("Dark"),
        "result": record.result_text,
        "limits": {"depth": depth, "nodes": bounds.nodes or None, "seconds": bounds.seconds},
        "turns": [_turn_to_json(n, each) for n, each in enumerate(judged)],
        "turning_points": [{"turn": n + 1, "told": explain_mistake(record, n, judged[n])} for n in points],
        "decided": None if sure is None else {"turn": sure[0], "winner": str(sure[1])},
        "summary": {str(side): _summary_to_json(judged, side) for side in Side},
    }


def _turn_to_json(n: int, judged: MoveReview) -> dict[str, object]:
    return {
        "turn": n + 1,
        "side": str(judged.side),
        "action": str(judged.taken),
        **_value_to_json(judged.value_for_light(judged.value)),
        "best": {"action": str(judged.best), **_value_to_json(judged.value_for_light(judged.best_value))},
        "loss": judged.value_loss / 100,
        "fault": MISTAKE_NAMES[judged.mistake_grade] if judged.mistake_grade else None,
        "win_missed": judged.missed_win,
        "turning_point": judged.is_turning_point,
        "depth": judged.depth,
        "line": [str(action) for action in judged.line],
        "better": [str(action) for action in judged.better],
    }


def _value_to_json(worth: int) -> dict[str, object]:
    if abs(worth) < SURE_VALUE:
        return {"value": worth / 100, "wins": None}
    return {"value": None, "wins": {"side": str(LIGHT if worth > 0 else DARK), "actions": actions_to_end(worth)}}


def _summary_to_json(judged: Sequence[MoveReview], side: Side) -> Mapping[str, object]:
    own = summarize_side(judged, side)
    faults = {f"{MISTAKE_NAMES[fault]}s": own.mistake_counts[fault] for fault in Mistake if fault}
    mean = round(own.mean_loss / 100, 4)
    return {
        "actions": own.actions,
        "mean_loss": mean,
        "as_the_best": own.best_count,
        **faults,
        "wins_missed": own.missed_wins,
    }


def annotate_record(record: Record, judged: Sequence[MoveReview]) -> Record:
    """The record with the value of each action as a comment behind it, and with what was wrong there.

    What was remarked before stays, but for what an analysis wrote.
    """
    comments = dict(record.comments)
    points = worst_turning_points(judged)
    for n, each in enumerate(judged):
        there = ANALYSIS_COMMENT.sub("", comments.get(n + 1, ""))
        told = f" {format_remark(each)}" if each.mistake_grade else ""
        if n in points:
            told += f". Turning point: {explain_mistake(record, n, each)}"
        comments[n + 1] = f"{there} [{format_value(each)}{told}]".strip()
    return replace(record, comments=comments)
