"""What is likely behind each kind of fault, and what to do about it: sentences for somebody with a soldering iron.

They stand in `remedies.toml`, by the kind of the fault.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import NamedTuple


class Remedy(NamedTuple):
    """The likely cause of a fault, and its cure."""

    cause: str
    cure: str


DEAD_CHIP, NOT_REACHED = "dead chip", "not reached"
STUCK_ON, FLAPPING, NEVER, STUCK_OFF = "stuck on", "flapping", "never", "stuck off"
SWAPPED, ELSEWHERE, ROTATED, MIRRORED, SERPENTINE = "swapped", "elsewhere", "rotated", "mirrored", "serpentine"
NO_DIODE, CROSS_TALK, LONG_BOUNCE = "missing diode", "cross-talk", "long bounce"
REVERSED, WEAK, NOISE, DRIFT, OFF_CENTRE = "reversed", "weak", "noise", "drift", "off centre"
POLES = "poles"
NOT_EXAMINED = "not examined"
"""Nobody answered, or nothing could be read: that is no fault of the sensor."""

TURNED_KINDS = (ROTATED, MIRRORED, SERPENTINE)
"""What is said of the whole board, when all its cells answer as if it lay otherwise."""

with Path(__file__).with_name("remedies.toml").open("rb") as _written:
    REMEDIES_BY_KIND, HALL_REMEDIES = (
        {kind: Remedy(**sentences) for kind, sentences in of.items()} for of in tomllib.load(_written).values()
    )
REMEDIES_BY_KIND |= dict.fromkeys(TURNED_KINDS, REMEDIES_BY_KIND[ROTATED])


def find_remedy(kind: str, sensor_kind: str) -> Remedy:
    """What is behind a kind of fault, and what to do, for `button` or `hall` sensors."""
    return HALL_REMEDIES[kind] if sensor_kind == "hall" and kind in HALL_REMEDIES else REMEDIES_BY_KIND[kind]
