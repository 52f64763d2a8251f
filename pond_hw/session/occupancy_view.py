"""What a board with pieces detects, and what hands have to do there, as it is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pond_hw.rules import Cell, Piece, Position, Turn, Variant
from pond_hw.session.board_state import BoardState
from pond_hw.session.intents import (
    ChoosingVariant,
    Mismatch,
    PendingConfirmation,
)
from pond_hw.session.occupancy import NO_DIFFERENCE, BoardDifference
from pond_hw.session.repair import RepairStep
from pond_hw.session.scene import ConfirmWindow


@dataclass(frozen=True, slots=True)
class OccupancyView:
    """The part of a `View` that only boards with pieces have.

    Attributes:
        occupied: where a piece is detected.
        difference: where board and game differ.
        cells_to_flip: developed pieces that still show their old face.
        lifted_to_flip: those of them that are in a hand.
        to_remove: scored pieces that are still on the board.
        masked_cells: cells whose sensors are ignored.
        repair_step: the next step towards a board that matches the game, or None.
        repair_piece: the piece that this step puts down, or None.
        pending: what counts if nothing moves until the end of `confirm_window`, or None.
        confirm_window: since when it is announced, and until when.
        menu: which variant each cell stands for while the next game is chosen; empty otherwise.
        picked_cell: the cell of the menu on which a piece was put, or None.
    """

    occupied: frozenset[Cell] = frozenset()
    difference: BoardDifference = NO_DIFFERENCE
    cells_to_flip: frozenset[Cell] = frozenset()
    lifted_to_flip: frozenset[Cell] = frozenset()
    to_remove: Mapping[Cell, Piece] = field(default_factory=dict)
    masked_cells: frozenset[Cell] = frozenset()
    repair_step: RepairStep | None = None
    repair_piece: Piece | None = None
    pending: PendingConfirmation | None = None
    confirm_window: ConfirmWindow | None = None
    menu: Mapping[Cell, Variant] = field(default_factory=dict)
    picked_cell: Cell | None = None


def view_occupancy(
    position: Position, turns: Sequence[Turn], board_state: BoardState, menu: Mapping[Cell, Variant]
) -> OccupancyView:
    """What there is to show of a board with pieces.

    Args:
        position: the position of the game.
        turns: the turns that led there.
        board_state: what the board detects.
        menu: which variant each cell stands for, if the next game is being chosen.
    """
    dialogue, tasks = board_state.dialogue, board_state.tasks
    board_interpretation, repair_step, repair_piece, picked_cell = dialogue.interpretation, None, None, None
    if isinstance(board_interpretation, Mismatch) and board_interpretation.repair_steps:
        repair_step = board_interpretation.repair_steps[0]
        wanted_position = turns[-1].before if board_interpretation.leads_back else position
        repair_piece = wanted_position.pieces.get(repair_step.target) if repair_step.target else None
    if isinstance(board_interpretation, ChoosingVariant):
        picked_cell = board_interpretation.picked_cell
    return OccupancyView(
        occupied=board_state.occupancy.occupied_cells,
        difference=board_state.find_difference(position),
        cells_to_flip=tasks.cells_to_flip,
        lifted_to_flip=tasks.lifted_to_flip,
        to_remove=tasks.to_remove,
        masked_cells=board_state.sensors.masked_cells,
        repair_step=repair_step,
        repair_piece=repair_piece,
        pending=board_interpretation if isinstance(board_interpretation, PendingConfirmation) else None,
        confirm_window=dialogue.confirm_window,
        menu=menu,
        picked_cell=picked_cell,
    )
