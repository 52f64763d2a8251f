"""What set-up finds: graded, with what was measured, the likely cause and the cure.

Causes and cures stand in `remedies.toml`, by the kind of the fault: sentences for somebody with a soldering iron.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from pond_hw.rules import Cell

GOOD, WARNING, FAULT = "good", "warning", "fault"  # how bad a finding is


@dataclass(frozen=True, slots=True)
class SetupFinding:
    """Something that was measured, and what it means.

    Attributes:
        grade: `good`, `warning` or `fault`.
        kind: what it is, in a word or two that programs know, such as `stuck on`.
        cells: where; none if it is about the whole board.
        message: what was measured, as a sentence.
        cause: what is likely behind it, as a sentence in the words of the profile; empty for what is good.
        cure: what to do, as a sentence; empty for what is good.
        figures: what was measured, in numbers with their unit in the name, such as `bounce_ms`.
    """

    grade: str
    kind: str
    cells: tuple[Cell, ...] = ()
    message: str = ""
    cause: str = ""
    cure: str = ""
    figures: Mapping[str, float] = field(default_factory=dict)


def sort_by_grade(graded_findings: Iterable[SetupFinding]) -> tuple[SetupFinding, ...]:
    """What is wrong first, then what is good; alike in their order."""
    return tuple(sorted(graded_findings, key=lambda finding: (FAULT, WARNING, GOOD).index(finding.grade)))


class Remedy(NamedTuple):
    """The likely cause of a fault, and its cure."""

    cause: str
    cure: str


TURNED_KINDS = ("rotated", "mirrored", "serpentine")
"""What is said of the whole board, when all its cells answer as if it lay otherwise."""

with Path(__file__).with_name("remedies.toml").open("rb") as _written:
    REMEDIES_BY_KIND, HALL_REMEDIES = (
        {kind: Remedy(**sentences) for kind, sentences in of.items()} for of in tomllib.load(_written).values()
    )
REMEDIES_BY_KIND |= dict.fromkeys(TURNED_KINDS, REMEDIES_BY_KIND["rotated"])


def find_remedy(kind: str, sensor_kind: str) -> Remedy:
    """What is behind a kind of fault, and what to do, for `button` or `hall` sensors."""
    return HALL_REMEDIES[kind] if sensor_kind == "hall" and kind in HALL_REMEDIES else REMEDIES_BY_KIND[kind]
