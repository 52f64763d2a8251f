"""What is laid over the cells while hands have something to do there: repair, remove, turn over, choose."""

from __future__ import annotations

from pond_hw.rules import Cell, Piece, play
from pond_hw.session import intents
from pond_hw.session.board_state import BoardState, PlayedGame
from pond_hw.session.dialogue import Dialogue
from pond_hw.session.scene import CellRole
from pond_hw.session.variant_menu import variants_by_cell

# For cells that do not simply show what the game says: the piece that is shown there, and the role.
Overlay = dict[Cell, tuple[Piece | None, CellRole]]


def board_state_overlay(game: PlayedGame, board_state: BoardState) -> Overlay:
    """The cells where hands have something to do."""
    pieces, tasks = game.position.pieces, board_state.tasks
    overlay: Overlay = {
        cell: (pieces[cell], CellRole.FLIP) for cell in tasks.cells_to_flip - tasks.lifted_to_flip if cell in pieces
    }
    overlay |= {cell: (piece, CellRole.TAKE_OFF) for cell, piece in tasks.to_remove.items()}
    match board_state.dialogue.interpretation:
        case intents.ChoosingVariant(picked_cell):
            overlay = _menu_overlay(game, picked_cell)
        case intents.Mismatch(repair_steps=((source, target), *_), leads_back=leads_back):
            if source:
                overlay[source] = (None, CellRole.TAKE_OFF)
            if target and target != source:
                shown_pieces = game.turns[-1].before.pieces if leads_back else pieces
                overlay[target] = (shown_pieces.get(target), CellRole.PUT)
        case intents.PendingConfirmation(intent):
            pending_pieces = _find_pending_pieces(game, intent)
            overlay |= {cell: (piece, CellRole.PENDING) for cell, piece in pending_pieces.items()}
    return overlay


def _menu_overlay(game: PlayedGame, picked_cell: Cell | None) -> Overlay:
    variant = game.position.variant
    overlay: Overlay = dict.fromkeys(game.position.pieces, (None, CellRole.PLAIN))
    for cell, choice in variants_by_cell(game.size, variant).items():
        overlay[cell] = (None, CellRole.DEFAULT_CHOICE if choice[1:] == variant[1:] else CellRole.CHOICE)
    return overlay | ({picked_cell: (None, CellRole.TAKE_OFF)} if picked_cell else {})


def _find_pending_pieces(game: PlayedGame, intent: intents.Intent) -> dict[Cell, Piece | None]:
    """The cells that would change, and what would stand there."""
    position, pieces = game.position, game.position.pieces
    match intent:
        case intents.Moves((action,)):
            vacated = {action.source: None} if action.source else {}
            return {action.target: intents.find_moved_piece(position, action), **vacated}
        case intents.Moves(actions):
            later_pieces = play(position, actions[0]).pieces_after_develop
            return {cell: later_pieces.get(cell) for action in actions for cell in action if cell}
        case intents.TakeBack(turn_count):
            before = game.turns[-turn_count].before.pieces
            return {cell: before.get(cell) for cell in {**pieces, **before} if pieces.get(cell) != before.get(cell)}
    return dict.fromkeys(position.grid.cells)


def find_refused_cell(before: Dialogue, now: Dialogue) -> Cell | None:
    """Where a refusal is shown when a hand has just done what may not be done: on the piece that is in the wrong place.

    If board and game had not agreed before, the difference is nobody's doing.
    """
    new_mismatch = now.interpretation
    if not isinstance(new_mismatch, intents.Mismatch) or isinstance(before.interpretation, intents.Mismatch):
        return None
    missing, extra, wrong_owner = new_mismatch.difference
    wrong_cells = extra or wrong_owner or missing
    return min(wrong_cells) if before.was_in_sync and len(wrong_cells) == 1 else None
