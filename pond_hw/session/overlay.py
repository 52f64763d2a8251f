"""What is laid over the cells while hands have something to do there: to mend, to take off, to turn, to choose."""

from __future__ import annotations

from collections.abc import Mapping

from pond_hw.rules import Cell, Piece, Variant, play
from pond_hw.session.board_state import BoardState
from pond_hw.session.intents import (
    ChoosingVariant,
    Interpretation,
    Mismatch,
    Moves,
    OpenMenu,
    PendingConfirmation,
    TakeBack,
    find_moved_piece,
)
from pond_hw.session.interpretation import InterpretedGame
from pond_hw.session.scene import CellRole


def board_state_overlay(
    game: InterpretedGame, wood: BoardState, ponds: Mapping[Cell, Variant]
) -> dict[Cell, tuple[Piece | None, CellRole]]:
    """For the cells that are not simply what the game says: what is seen there, and what it is.

    Args:
        game: the game.
        wood: what is felt and read.
        ponds: the cells of the menu.
    """
    pieces = game.position.pieces
    sights: dict[Cell, tuple[Piece | None, CellRole]] = {
        cell: (pieces[cell], CellRole.FLIP) for cell in wood.cells_to_flip - wood.lifted_to_flip if cell in pieces
    }
    sights |= {cell: (piece, CellRole.TAKE_OFF) for cell, piece in wood.to_remove.items()}
    match wood.interpretation:
        case ChoosingVariant(picked):
            pond = game.position.variant
            sights = dict.fromkeys(pieces, (None, CellRole.PLAIN))
            sights |= {
                c: (None, CellRole.DEFAULT_CHOICE if each[1:] == pond[1:] else CellRole.CHOICE)
                for c, each in ponds.items()
            }
            if picked:
                sights[picked] = (None, CellRole.TAKE_OFF)
        case Mismatch(repair_steps=(step, *_), leads_back=back):
            there = game.turns[-1].before.pieces if back else pieces
            if step.source:
                sights[step.source] = (None, CellRole.TAKE_OFF)
            if step.target and step.target != step.source:
                sights[step.target] = (there.get(step.target), CellRole.PUT)
        case PendingConfirmation(doing):
            sights |= _pending_overlay(game, doing)
    return sights


def _pending_overlay(
    game: InterpretedGame, doing: Moves | TakeBack | OpenMenu
) -> dict[Cell, tuple[Piece | None, CellRole]]:
    position = game.position
    pieces = position.pieces
    match doing:
        case Moves((action,)):
            seen: dict[Cell, Piece | None] = {action.target: find_moved_piece(position, action)}
            if action.source:
                seen[action.source] = None
        case Moves(actions):
            after = play(position, actions[0]).pieces_after_develop
            seen = {cell: after.get(cell) for action in actions for cell in action if cell}
        case TakeBack(turns):
            before = game.turns[-turns].before.pieces
            seen = {cell: before.get(cell) for cell in {**pieces, **before} if pieces.get(cell) != before.get(cell)}
        case OpenMenu():
            seen = dict.fromkeys(position.grid.cells)
    return {cell: (piece, CellRole.PENDING) for cell, piece in seen.items()}


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
