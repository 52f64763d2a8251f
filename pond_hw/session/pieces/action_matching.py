"""Search for actions that explain how the board differs from the game, and checks for ambiguity."""

from __future__ import annotations

from pond_hw.rules import Action, Cell, Position, legal_actions
from pond_hw.session.pieces.board_state import BoardState
from pond_hw.session.pieces.interpretations import AtRest, PieceInHand
from pond_hw.session.pieces.odds import ODDS
from pond_hw.session.pieces.sensors import BoardDifference, surrounding_cells


def find_explaining_actions(position: Position, board_state: BoardState, difference: BoardDifference) -> list[Action]:
    """Return the actions that would each explain the whole difference, the likeliest first."""
    missing, extra, wrong_owner = difference
    if wrong_owner or len(extra) != 1 or position.to_move not in board_state.human_sides:
        return []
    (target_cell,), masked_cells = extra, board_state.sensors.masked_cells
    if not board_state.occupancy.may_belong_to(target_cell, position.to_move):
        return []
    actions = [
        action
        for action in legal_actions(position)
        if action.target == target_cell and missing == {action.source} - {None} - masked_cells
    ]
    return sorted(actions, key=lambda action: action.source in masked_cells)


def find_unsensed_actions(position: Position, board_state: BoardState, at_rest: AtRest) -> list[Action]:
    """Return the actions that the sensors may have missed, the likeliest first.

    A piece that seems to be lifted may have landed on any of its targets, where a sensor may just have failed. Other
    undetected pieces are assumed to be on masked cells.
    """
    if position.to_move not in board_state.human_sides:
        return []
    actions, masked_cells = legal_actions(position), board_state.sensors.masked_cells
    if isinstance(at_rest, PieceInHand):
        possible = [action for action in actions if action.source == at_rest.cell]
        return sorted(possible, key=lambda action: action.target not in masked_cells)
    return [action for action in actions if action.target in masked_cells and action.source in {None, *masked_cells}]


def is_doubtful(position: Position, board_state: BoardState, action: Action) -> bool:
    """Return True if a different event would look the same to the sensors."""
    (source, target), sensors = action, board_state.sensors
    if _may_be_put_back(board_state, target) or sensors.was_recently_bad(target):
        return True
    if source is None:
        return _is_doubtful_placement(position, board_state, target)
    # The piece was lifted to be turned over while another hand placed an egg, or after something was put down.
    in_hand = source in board_state.tasks.cells_to_flip and position.spawn[position.to_move] > 0
    return in_hand or sensors.last_change(target) <= board_state.confirmation.interpreted_at < sensors.last_change(
        source
    )


def _may_be_put_back(board_state: BoardState, cell: Cell) -> bool:
    """Return True if the piece on a cell may be a scored piece that was put back.

    It may be the piece that acted, or a piece that was lifted when it scored.
    """
    acted_at, piece = board_state.tasks.action_sensed_at, board_state.tasks.recently_removed.get(cell)
    if piece is None or not board_state.occupancy.may_belong_to(cell, piece.owner):
        return False
    times = [instant for instant in board_state.sensors.change_times.get(cell, ()) if instant >= acted_at]
    if len(times) % 2 == 0:
        return False  # it was there when it scored
    away_seconds = times[2] - times[1] if times[2:] else 0.0
    return times[0] > acted_at or away_seconds <= ODDS.carried_seconds


def _is_doubtful_placement(position: Position, board_state: BoardState, target: Cell) -> bool:
    sensors, occupied_cells = board_state.sensors, board_state.occupancy.occupied_cells
    last_change, landed = sensors.last_change, sensors.last_change(target)
    neighbour_cells = surrounding_cells(position.variant.size, target)
    masked_cells = sensors.masked_cells & position.pieces.keys()
    return (
        # A bad sensor may hide a piece that moved, or the sensor next to the target detects the same piece.
        bool(masked_cells & neighbour_cells or masked_cells & (sensors.suspected_bad - occupied_cells))
        # A piece beside the target was put down at the same time and is off-centre in its cell.
        or any(abs(landed - last_change(cell)) <= ODDS.together_seconds for cell in neighbour_cells & occupied_cells)
        # A piece moved there, and a piece of the other side is already on its old cell.
        or any(
            action.source
            and action.target == target
            and last_change(action.source) > board_state.confirmation.interpreted_at
            for action in legal_actions(position)
        )
    )
