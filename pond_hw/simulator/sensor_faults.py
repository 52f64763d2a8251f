"""Faults that the sensors of a simulated table can have."""

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
    BOUNCE,  # every change comes with a burst of changes that lasts at most 0.02 s
    CHATTER,  # what it detects comes and goes every 0.02 to 0.3 s
    DROPOUT,  # now and then a piece is not detected for less than 0.2 s
    STUCK_ON,  # it always detects a piece
    STUCK_OFF,  # it never detects a piece
    CROSS_TALK,  # it also detects a piece that was put down off-centre in a cell beside it
    DRIFT,  # its threshold slowly rises or falls
)
"""The faults that a sensor can have."""

EVERYWHERE_KINDS = frozenset({BOUNCE, DROPOUT, CROSS_TALK, DRIFT})
"""The faults that all sensors have, if no cell is named; any other is then had by one, which the seed chooses."""

DRIFT_SHARE, DRIFT_SECONDS = 0.3, 7200.0
"""How far a threshold drifts, as a share of it, and for how long: what a warm day does."""


@dataclass(frozen=True, slots=True)
class SensorFault:
    """A fault of one sensor, or of all of them.

    Without a cell bounce, dropout, cross-talk and drift are in every cell; chatter, stuck-on and stuck-off in one that
    the table's seed chooses.

    Args:
        kind: one of `FAULT_KINDS`.
        cell: whose sensor has it.
        begin: from when on, in seconds on the table's clock.
        end: until when, in seconds.
        drift_share: how far a threshold drifts, as a share of it: with 0.3 it takes a field stronger by 30 %, with -0.3 one
            weaker by 30 % is enough. From -0.6 to 0.9 the pieces in the middle of their cells are felt, and only they;
            beyond 1.9 nothing is felt any more.
        drift_seconds: how long it drifts before it stays as it is.

    Raises:
        PondError: there is no such kind of fault.
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
        """The fault on a board of this size; if one sensor has it and no cell is named, the seed chooses the cell.

        Raises:
            PondError: the board has no such cell.
        """
        if self.cell:
            require_cell(self.cell, board_size)
        if self.cell or self.kind in EVERYWHERE_KINDS:
            return self
        return replace(self, cell=Random(f"{self.kind} {seed}").choice(get_grid(board_size).cells))


def parse_fault(fault_text: str, board_size: int) -> SensorFault:
    """The fault that a text names, such as `bounce` or `stuck-on:b2`.

    Raises:
        PondError: it names none; the message says what there is.
    """
    kind, colon, cell = fault_text.partition(":")
    fault = SensorFault(kind, cell or None)
    if colon and not cell:
        raise PondError(Message("simulator.fault_without_cell", text=fault_text, kind=kind))
    fault.for_board(board_size, 0)
    return fault
