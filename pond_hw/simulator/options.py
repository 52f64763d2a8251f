"""The options of a simulated board with pieces: faults of its sensors, and what they can tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pond_hw.session import BoardState, ConfirmationState, HandTasks
from pond_hw.simulator.board_with_pieces import SimulatedTable
from pond_hw.simulator.sensor_faults import STUCK_ON, SensorFault


class PieceOptions(NamedTuple):
    """What kind of pieces and sensors.

    Attributes:
        faults: what is wrong with the sensors.
        colours: whether they tell whose piece they feel.
        plain: whether the pieces have no faces to be turned over.
        seed: the chances of the faults.
    """

    faults: tuple[SensorFault, ...] = ()
    colours: bool = False
    plain: bool = False
    seed: int = 0

    def make_table(self, size: int, lamps_per_cell: int, now: Callable[[], float]) -> SimulatedTable:
        """The board, with nothing on it."""
        return SimulatedTable(size, lamps_per_cell, now, colours=self.colours, faults=self.faults, seed=self.seed)

    def initial_board_state(self) -> BoardState:
        """The board state at the start: empty and in sync, because nothing stands there yet.

        A sensor that is stuck from the beginning feels something all the same, and then nothing is taken for granted.
        """
        was_in_sync = all(fault.kind != STUCK_ON for fault in self.faults)
        return BoardState(
            tasks=HandTasks(has_faces=not self.plain), confirmation=ConfirmationState(was_in_sync=was_in_sync)
        )
