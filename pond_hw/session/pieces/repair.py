"""Repair of a mismatch, one step at a time.

Sensors cannot identify pieces, so an extra piece is moved to the nearest missing cell. Any pairing succeeds, because
each step resolves one or two differences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from pond_hw.rules import Action, Cell, Grid, Position, Side
from pond_hw.session.pieces import turn_sequence
from pond_hw.session.pieces.board_state import BoardState
from pond_hw.session.pieces.interpretations import GameOnBoard, Mismatch, RepairStep
from pond_hw.session.pieces.odds import ODDS
from pond_hw.session.pieces.sensors import BoardDifference


def interpret_mismatch(
    game: GameOnBoard, board_state: BoardState, difference: BoardDifference, actions: Sequence[Action]
) -> Mismatch:
    """Return a mismatch with its repair steps. `actions` are the actions that would explain the difference."""
    position, confirmation = game.position, board_state.confirmation
    begun_action = None
    may_be_begun = board_state.both_sides_human and confirmation.agreement.counts_actions
    ranking = turn_sequence.rank_settled(board_state) if may_be_begun else None
    if ranking and ranking.is_believed and ranking.best.pending_turns and ranking.best.is_next_piece_lifted:
        begun_action = ranking.best.actions[0]
    steps = _plan_steps(position, board_state)
    return Mismatch(
        difference,
        _order_steps(game, board_state, steps),
        actions[0] if len(actions) == 1 and not confirmation.agreement.counts_actions else None,
        count_turns_to_fit(game, board_state) if confirmation.agreement.has_agreed else None,
        begun_action,
    )


def count_turns_to_fit(game: GameOnBoard, board_state: BoardState) -> int | None:
    """Return the number of turns to undo so that the game matches the board and a human is to move, if possible."""
    for turn_count, turn in enumerate(reversed(game.turns), 1):
        if turn.side in board_state.human_sides and board_state.matches_position(turn.before):
            return turn_count
    return None


def _plan_steps(position: Position, board_state: BoardState) -> tuple[RepairStep, ...]:
    difference = board_state.find_difference(position)
    occupancy, is_synced = board_state.occupancy, board_state.confirmation.agreement.has_agreed
    pieces, piece_owners = position.pieces, {**occupancy.known_owners, **occupancy.sensed_owners}
    # A piece put down before a program's turn was carried out belongs to the player.
    fresh_owner = position.to_move if occupancy.known_owners and not is_synced else None
    return plan_repair(
        position.grid,
        missing={cell: pieces[cell].owner for cell in difference.missing | difference.wrong_owner},
        extra={cell: piece_owners.get(cell, fresh_owner) for cell in difference.extra | difference.wrong_owner},
        step_penalties=_find_unlikely_pairs(position.grid.size, board_state, difference) if is_synced else {},
    )


def _find_unlikely_pairs(board_size: int, board_state: BoardState, difference: BoardDifference) -> Penalties:
    """Return penalties for repair steps whose extra piece is unlikely to come from the missing cell.

    A piece that landed before the cell became empty must be a different piece. Otherwise, the first piece to land is
    the likeliest. Pieces detected as belonging to a side get no penalty, because the last piece to leave the cell may
    be the misplaced one.
    """
    last_change = board_state.sensors.last_change
    step_penalties: dict[RepairStep, float] = {}
    source_cells = difference.extra - board_state.occupancy.sensed_owners.keys()
    for target in difference.missing:
        left = last_change(target)
        for source in source_cells:
            landed = last_change(source)
            if landed < left - ODDS.carried_seconds:
                step_penalties[RepairStep(source, target)] = 4.0 * board_size
            elif any(left < last_change(other_cell) < landed - ODDS.together_seconds for other_cell in source_cells):
                step_penalties[RepairStep(source, target)] = 1.0 * board_size
    return step_penalties


def _order_steps(game: GameOnBoard, board_state: BoardState, steps: Sequence[RepairStep]) -> tuple[RepairStep, ...]:
    """Sort the steps.

    The cell of the piece that acted last comes first; otherwise the board might look like an undo. The last piece on
    the board is removed late, because clearing the board opens the menu. A cell is filled after its wrong piece is
    removed.
    """
    occupied_cells = board_state.occupancy.occupied_cells
    acted_cells = {turn.action.target for turn in game.turns[-2:]} - occupied_cells
    is_last_piece = len(occupied_cells - board_state.sensors.masked_cells) == 1
    removed_cells = {step.source for step in steps if step.target is None}

    def rank_step(step: RepairStep) -> int:
        if step.target is None:
            return 2 if is_last_piece else 1
        if step.target in removed_cells:
            return 3
        return 0 if step.target in acted_cells else 1

    return tuple(sorted(steps, key=rank_step))


Owners = Mapping[Cell, Side | None]  # owner by cell; None if unknown
Penalties = Mapping[RepairStep, float]


def plan_repair(
    grid: Grid, missing: Owners, extra: Owners, step_penalties: Penalties | None = None
) -> tuple[RepairStep, ...]:
    """Return the steps to repair the board, the next one first.

    `missing` and `extra` map cells to owners, if known. A cell with a piece of the wrong side is in both.
    `step_penalties` are added to the length of unlikely steps. Steps with a penalty of at least 4 x `grid.size` are
    never used. Short steps come first, but a cell is always cleared before it is filled.
    """
    steps = _pair_cells(grid, missing, extra, step_penalties or {})
    free_steps = [step for step in steps if step.target is None or step.target not in extra]
    if steps and not free_steps:  # a cycle: each piece is where another belongs
        (source, target), *other_steps = steps
        return RepairStep(source, None), *other_steps, RepairStep(None, target)
    return *free_steps, *(step for step in steps if step not in free_steps)


def _pair_cells(grid: Grid, missing: Owners, extra: Owners, step_penalties: Penalties) -> list[RepairStep]:
    """Pair extra and missing pieces by distance. Remove or add the remaining pieces."""
    sources = [cell for cell in grid.cells if cell in extra]
    targets = [cell for cell in grid.cells if cell in missing]
    pairs = (
        RepairStep(source, target)
        for source, target in product(sources, targets)
        if source != target and extra[source] in (None, missing[target])
    )

    def measure(step: RepairStep) -> float:
        (x, y), (u, v) = (grid.cell_coordinates(cell) for cell in step if cell)
        return abs(x - u) + abs(y - v) + step_penalties.get(step, 0.0)

    steps: list[RepairStep] = []
    for step in sorted(pairs, key=measure):
        if step.source in sources and step.target in targets and measure(step) < 4 * grid.size:
            steps.append(step)
            sources.remove(step.source)
            targets.remove(step.target)
    return [
        *steps,
        *(RepairStep(source, None) for source in sources),
        *(RepairStep(None, target) for target in targets),
    ]
