"""What is laid over the cells while hands have something to do there: to mend, to take off, to turn, to choose."""

from __future__ import annotations

from collections.abc import Sequence

from pond_hw.rules import Cell, Piece, Position, Turn, play
from pond_hw.session.intents import (
    Intent,
    Interpretation,
    Mismatch,
    Moves,
    OpenMenu,
    TakeBack,
    find_moved_piece,
)
from pond_hw.session.occupancy_view import OccupancyView
from pond_hw.session.scene import CellRole


def occupancy_overlay(
    occupancy: OccupancyView, position: Position, turns: Sequence[Turn]
) -> dict[Cell, tuple[Piece | None, CellRole]]:
    """For the cells that are not simply what the game says: what is seen there, and what it is.

    Args:
        occupancy: what the board detects, and what hands have to do.
        position: the position of the game.
        turns: the turns that led there.
    """
    standing_pieces = position.pieces
    if occupancy.menu:
        return _menu_overlay(occupancy, position)
    overlay_cells: dict[Cell, tuple[Piece | None, CellRole]] = {
        cell: (standing_pieces[cell], CellRole.FLIP)
        for cell in occupancy.cells_to_flip - occupancy.lifted_to_flip
        if cell in standing_pieces
    }
    overlay_cells |= {cell: (piece, CellRole.TAKE_OFF) for cell, piece in occupancy.to_remove.items()}
    if occupancy.repair_step:
        source, target = occupancy.repair_step
        if source:
            overlay_cells[source] = (None, CellRole.TAKE_OFF)
        if target and target != source:
            overlay_cells[target] = (occupancy.repair_piece, CellRole.PUT)
    if occupancy.pending:
        overlay_cells |= _pending_overlay(occupancy.pending.intent, position, turns)
    return overlay_cells


def _menu_overlay(occupancy: OccupancyView, position: Position) -> dict[Cell, tuple[Piece | None, CellRole]]:
    """The cells of the menu, and nothing of the game."""
    cell_roles = dict.fromkeys(position.pieces, CellRole.PLAIN)
    for cell, variant in occupancy.menu.items():  # a variant begins with its name
        cell_roles[cell] = CellRole.DEFAULT_CHOICE if variant[1:] == position.variant[1:] else CellRole.CHOICE
    if occupancy.picked_cell:
        cell_roles[occupancy.picked_cell] = CellRole.TAKE_OFF
    return {cell: (None, cell_role) for cell, cell_role in cell_roles.items()}


def _pending_overlay(
    intent: Intent, position: Position, turns: Sequence[Turn]
) -> dict[Cell, tuple[Piece | None, CellRole]]:
    """What stands where, if what is announced counts."""
    standing_pieces = position.pieces
    match intent:
        case Moves((action,)):
            expected_pieces: dict[Cell, Piece | None] = {action.target: find_moved_piece(position, action)}
            if action.source:
                expected_pieces[action.source] = None
        case Moves(actions):
            pieces_after = play(position, actions[0]).pieces_after_develop
            expected_pieces = {cell: pieces_after.get(cell) for action in actions for cell in action if cell}
        case TakeBack(turn_count):
            pieces_before = turns[-turn_count].before.pieces
            expected_pieces = {
                cell: pieces_before.get(cell)
                for cell in {**standing_pieces, **pieces_before}
                if standing_pieces.get(cell) != pieces_before.get(cell)
            }
        case OpenMenu():
            expected_pieces = dict.fromkeys(position.grid.cells)
    return {cell: (piece, CellRole.PENDING) for cell, piece in expected_pieces.items()}


def find_refused_cell(
    interpretation_before: Interpretation, interpretation_now: Interpretation, *, by_hand: bool
) -> Cell | None:
    """Where a refusal is shown when a hand has just done what may not be done: on the piece that is in the wrong place.

    Args:
        interpretation_before: what the board was read as before.
        interpretation_now: what it is read as.
        by_hand: whether board and game had agreed, so that the difference is somebody's doing.
    """
    if not isinstance(interpretation_now, Mismatch) or isinstance(interpretation_before, Mismatch) or not by_hand:
        return None
    occupancy_difference = interpretation_now.difference
    differing_cells = occupancy_difference.extra or occupancy_difference.wrong_owner or occupancy_difference.missing
    return min(differing_cells) if len(differing_cells) == 1 else None
