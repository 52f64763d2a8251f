"""What is laid over the cells while hands have something to do there: to mend, to take off, to turn, to choose."""

from __future__ import annotations

from collections.abc import Sequence

from pond_hw.rules import Cell, Piece, Position, Turn, play
from pond_hw.session.dialogue import Dialogue
from pond_hw.session.intents import (
    Intent,
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


def find_refused_cell(before: Dialogue, now: Dialogue) -> Cell | None:
    """Where a refusal is shown when a hand has just done what may not be done: on the piece that is in the wrong place.

    If board and game had not agreed before, the difference is nobody's doing.
    """
    new_mismatch = now.interpretation
    if not isinstance(new_mismatch, Mismatch) or isinstance(before.interpretation, Mismatch):
        return None
    missing, extra, wrong_owner = new_mismatch.difference
    wrong_cells = extra or wrong_owner or missing
    return min(wrong_cells) if before.was_in_sync and len(wrong_cells) == 1 else None
