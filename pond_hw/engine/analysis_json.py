"""What was found out about the actions of a game, for programs, and as comments in its record. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pond_hw.engine.analysis import Fault, Judged, decided, left, summary
from pond_hw.engine.analysis_text import FAULTS, remark, sentence, turning_points, value
from pond_hw.engine.packed import DEEPEST, SURE
from pond_hw.engine.searcher import Limits
from pond_hw.rules import DARK, LIGHT, Record, Side

FORM = 1
"""The form of the JSON object; it counts up when a key goes or changes its meaning."""

OURS = re.compile(r" ?\[(?:[+-]?[0-9]+\.[0-9]|(?:light|dark) wins)[^\[\]]*\]$", re.ASCII)
"""What was written behind a comment by an analysis before."""


def as_object(record: Record, judged: Sequence[Judged], bounds: Limits) -> dict[str, object]:
    """The analysis as a JSON object. Values are seen by light, in pieces; a sure win has the actions until then."""
    sure, points = decided(judged), turning_points(judged)
    depth = bounds.depth if bounds.depth < DEEPEST else None
    return {
        "form": FORM,
        "variant": record.pond.name,
        "position": record.start_position.line,
        "light": record.tags.get("Light"),
        "dark": record.tags.get("Dark"),
        "result": record.result,
        "limits": {"depth": depth, "nodes": bounds.nodes or None, "seconds": bounds.seconds},
        "turns": [_turn(n, each) for n, each in enumerate(judged)],
        "turning_points": [{"turn": n + 1, "told": sentence(record, n, judged[n])} for n in points],
        "decided": None if sure is None else {"turn": sure[0], "winner": str(sure[1])},
        "summary": {str(side): _summary(judged, side) for side in Side},
    }


def _turn(n: int, judged: Judged) -> dict[str, object]:
    return {
        "turn": n + 1,
        "side": str(judged.side),
        "action": str(judged.taken),
        **_value(judged.to_light(judged.value)),
        "best": {"action": str(judged.best), **_value(judged.to_light(judged.best_value))},
        "loss": judged.loss / 100,
        "fault": FAULTS[judged.fault] if judged.fault else None,
        "win_missed": judged.missed,
        "turning_point": judged.turning,
        "depth": judged.depth,
        "line": [str(action) for action in judged.line],
        "better": [str(action) for action in judged.better],
    }


def _value(worth: int) -> dict[str, object]:
    if abs(worth) < SURE:
        return {"value": worth / 100, "wins": None}
    return {"value": None, "wins": {"side": str(LIGHT if worth > 0 else DARK), "actions": left(worth)}}


def _summary(judged: Sequence[Judged], side: Side) -> Mapping[str, object]:
    own = summary(judged, side)
    faults = {f"{FAULTS[fault]}s": own.faults[fault] for fault in Fault if fault}
    mean = round(own.loss / 100, 4)
    return {"actions": own.actions, "mean_loss": mean, "as_the_best": own.best, **faults, "wins_missed": own.missed}


def remarked(record: Record, judged: Sequence[Judged]) -> Record:
    """The record with the value of each action as a comment behind it, and with what was wrong there.

    What was remarked before stays, but for what an analysis wrote.
    """
    comments = dict(record.comments)
    points = turning_points(judged)
    for n, each in enumerate(judged):
        there = OURS.sub("", comments.get(n + 1, ""))
        told = f" {remark(each)}" if each.fault else ""
        if n in points:
            told += f". Turning point: {sentence(record, n, each)}"
        comments[n + 1] = f"{there} [{value(each)}{told}]".strip()
    return replace(record, comments=comments)
