"""Faults of the sensors on a simulated table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from random import Random

from pond_hw.messages.message import Message, PondError
from pond_hw.rules import Cell, get_grid
from pond_hw.simulator import require_cell

BOUNCE, CHATTER, DROPOUT = "bounce", "chatter", "dropout"
STUCK_ON, STUCK_OFF = "stuck-on", "stuck-off"
CROSS_TALK, DRIFT = "cross-talk", "drift"

FAULT_KINDS = (
    BOUNCE,  # every change bounces for up to 0.02 s
    CHATTER,  # toggles every 0.02 to 0.3 s
    DROPOUT,  # loses its piece now and then for less than 0.2 s
    STUCK_ON,  # always detects a piece
    STUCK_OFF,  # never detects a piece
    CROSS_TALK,  # also detects an off-centre piece in a neighbouring cell
    DRIFT,  # threshold slowly rises or falls
)

EVERYWHERE_KINDS = frozenset({BOUNCE, DROPOUT, CROSS_TALK, DRIFT})
"""Faults that affect all sensors if no cell is given. Other faults affect one sensor, chosen by the seed."""

DRIFT_SHARE, DRIFT_SECONDS = 0.3, 7200.0
"""Default drift as a fraction of the threshold, and its duration, as on a warm day."""


@dataclass(frozen=True, slots=True)
class SensorFault:
    """Fault of one sensor or of all sensors.

    Args:
        kind: one of `FAULT_KINDS`.
        cell: cell of the sensor; see `EVERYWHERE_KINDS` for the default.
        begin: start in seconds on the table's clock.
        end: end in seconds on the table's clock.
        drift_share: relative drift of the threshold: with 0.3 a 30 % stronger field is needed; with -0.3 a 30 % weaker
            field is enough. From -0.6 to 0.9, only pieces in the middle of their own cell are detected. Above 1.9, no
            pieces are detected.
        drift_seconds: duration of the drift.

    Raises:
        PondError: the kind or the drift is invalid.
    """

    kind: str
    cell: Cell | None = None
    begin: float = 0.0
    end: float = inf
    drift_share: float = DRIFT_SHARE
    drift_seconds: float = DRIFT_SECONDS

    def __post_init__(self) -> None:
        if self.kind not in FAULT_KINDS:
            raise PondError(Message("simulator.unknown_fault", name=self.kind, names=FAULT_KINDS))
        if self.drift_share <= -1.0 or self.drift_seconds <= 0.0:
            raise PondError(Message("simulator.wrong_drift"))

    def for_board(self, board_size: int, seed: int) -> SensorFault:
        """Return a copy of the fault with a cell on a board of this size. If it has no cell, the seed chooses one.

        Raises:
            PondError: the board has no such cell.
        """
        if self.cell:
            require_cell(self.cell, board_size)
        if self.cell or self.kind in EVERYWHERE_KINDS:
            return self
        return replace(self, cell=Random(f"{self.kind} {seed}").choice(get_grid(board_size).cells))


def parse_fault(fault_text: str, board_size: int) -> SensorFault:
    kind, colon, cell = fault_text.partition(":")
    fault = SensorFault(kind, cell or None)
    if colon and not cell:
        raise PondError(Message("simulator.fault_without_cell", text=fault_text, kind=kind))
    fault.for_board(board_size, 0)
    return fault
