"""The part of a view that boards with pieces have: what is detected, and what hands have to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pond_hw.rules import Cell, GameCourse, Piece, Variant, play
from pond_hw.session.pieces.board_state import BoardState
from pond_hw.session.pieces.interpretations import (
    ChoosingVariant,
    GameOnBoard,
    Intent,
    Mismatch,
    Moves,
    PendingConfirmation,
    RepairStep,
    TakeBack,
    find_moved_piece,
)
from pond_hw.session.pieces.sensors import NO_DIFFERENCE, BoardDifference
from pond_hw.session.scene import CellRole, ConfirmWindow

CellOverlay = dict[Cell, tuple[Piece | None, CellRole]]  # what is seen on a cell instead, and what it is


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
        menu: which variant each cell stands for while the next game is chosen; empty otherwise. `View.menu_choices` has all.
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


def view_occupancy(game: GameOnBoard, board_state: BoardState, *, is_away: bool = False) -> OccupancyView:
    """Return what there is to show of a board with pieces.

    Args:
        game: the game.
        board_state: what is detected, and what hands have to do.
        is_away: whether the game shows something that hands have no part in.
    """
    confirmation, tasks = board_state.confirmation, board_state.tasks
    if is_away:
        masked_cells = board_state.sensors.masked_cells
        return OccupancyView(occupied=board_state.occupancy.occupied_cells, masked_cells=masked_cells)
    view = OccupancyView(
        occupied=board_state.occupancy.occupied_cells,
        difference=board_state.find_difference(game.position),
        cells_to_flip=tasks.cells_to_flip,
        lifted_to_flip=tasks.lifted_to_flip,
        to_remove=tasks.to_remove,
        masked_cells=board_state.sensors.masked_cells,
        confirm_window=confirmation.confirm_window,
    )
    match confirmation.interpretation:
        case Mismatch(repair_steps=(step, *_)):
            repair_piece = game.position.piece_at(step.target) if step.target else None
            return replace(view, repair_step=step, repair_piece=repair_piece)
        case PendingConfirmation(cells_to_return=(cell, *_)) as pending:
            return replace(
                view, pending=pending, repair_step=RepairStep(None, cell), repair_piece=game.position.piece_at(cell)
            )
        case PendingConfirmation() as pending:
            return replace(view, pending=pending)
        case ChoosingVariant(picked_cell):
            return replace(view, menu=game.menu_variants, picked_cell=picked_cell)
    return view


def occupancy_overlay(game: GameCourse, occupancy: OccupancyView) -> CellOverlay:
    """For the cells that are not simply what the game says: what is seen there, and what it is."""
    standing_pieces = game.position.pieces
    overlay_cells: CellOverlay = {
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
        overlay_cells |= _pending_overlay(game, occupancy.pending.intent)
    return overlay_cells


def _pending_overlay(game: GameCourse, intent: Intent) -> CellOverlay:
    """Return the pieces on the cells that change if what is announced counts."""
    position = game.position
    expected_pieces: Mapping[Cell, Piece | None] = dict.fromkeys(position.grid.cells)  # the board is cleared
    match intent:
        case Moves((action,), 0):
            expected_pieces = {cell: None for cell in action if cell} | {
                action.target: find_moved_piece(position, action)
            }
        case Moves(actions, corrected_count):
            corrected_cells = {turn.action.target for turn in game.turns[len(game.turns) - corrected_count :]}
            position, pieces = game.position, dict[Cell, Piece]()
            if corrected_count:
                position = game.turns[-corrected_count].before
            for action in actions:
                turn = play(position, action)
                position, pieces = turn.after, turn.pieces_after_develop
            changed_cells = corrected_cells.union(*actions) - {None}
            expected_pieces = {cell: pieces.get(cell) for cell in changed_cells if cell}
        case TakeBack(turn_count):
            pieces, pieces_before = position.pieces, game.turns[-turn_count].before.pieces
            expected_pieces = {
                cell: pieces_before.get(cell)
                for cell in {**pieces, **pieces_before}
                if pieces.get(cell) != pieces_before.get(cell)
            }
    return {cell: (piece, CellRole.PENDING) for cell, piece in expected_pieces.items()}
