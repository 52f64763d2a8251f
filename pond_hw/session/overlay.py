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
    pieces = position.pieces
    if occupancy.menu:
        return _menu_overlay(occupancy, position)
    overlay: dict[Cell, tuple[Piece | None, CellRole]] = {
        cell: (pieces[cell], CellRole.FLIP)
        for cell in occupancy.cells_to_flip - occupancy.lifted_to_flip
        if cell in pieces
    }
    overlay |= {cell: (piece, CellRole.TAKE_OFF) for cell, piece in occupancy.to_remove.items()}
    if occupancy.repair_step:
        source, target = occupancy.repair_step
        if source:
            overlay[source] = (None, CellRole.TAKE_OFF)
        if target and target != source:
            overlay[target] = (occupancy.repair_piece, CellRole.PUT)
    if occupancy.pending:
        overlay |= _pending_overlay(occupancy.pending.intent, position, turns)
    return overlay


def _menu_overlay(occupancy: OccupancyView, position: Position) -> dict[Cell, tuple[Piece | None, CellRole]]:
    """The cells of the menu, and nothing of the game."""
    roles = dict.fromkeys(position.pieces, CellRole.PLAIN)
    for cell, variant in occupancy.menu.items():  # a variant begins with its name
        roles[cell] = CellRole.DEFAULT_CHOICE if variant[1:] == position.variant[1:] else CellRole.CHOICE
    if occupancy.picked_cell:
        roles[occupancy.picked_cell] = CellRole.TAKE_OFF
    return {cell: (None, role) for cell, role in roles.items()}


def _pending_overlay(
    intent: Intent, position: Position, turns: Sequence[Turn]
) -> dict[Cell, tuple[Piece | None, CellRole]]:
    """What stands where, if what is announced counts."""
    pieces = position.pieces
    match intent:
        case Moves((action,)):
            expected: dict[Cell, Piece | None] = {action.target: find_moved_piece(position, action)}
            if action.source:
                expected[action.source] = None
        case Moves(actions):
            after = play(position, actions[0]).pieces_after_develop
            expected = {cell: after.get(cell) for action in actions for cell in action if cell}
        case TakeBack(turn_count):
            before = turns[-turn_count].before.pieces
            expected = {cell: before.get(cell) for cell in {**pieces, **before} if pieces.get(cell) != before.get(cell)}
        case OpenMenu():
            expected = dict.fromkeys(position.grid.cells)
    return {cell: (piece, CellRole.PENDING) for cell, piece in expected.items()}


def find_refused_cell(was: Interpretation, now: Interpretation, *, by_hand: bool) -> Cell | None:
    """Where a refusal is shown when a hand has just done what may not be done: on the piece that is in the wrong place.

    Args:
        was: what the board was read as before.
        now: what it is read as.
        by_hand: whether board and game had agreed, so that the difference is somebody's doing.
    """
    if not isinstance(now, Mismatch) or isinstance(was, Mismatch) or not by_hand:
        return None
    found = now.difference
    where = found.extra or found.wrong_owner or found.missing
    return min(where) if len(where) == 1 else None
