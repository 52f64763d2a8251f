"""Lamps and messages for boards with pieces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pond_hw.messages.message import Message
from pond_hw.rules import Action, Cell, Game, Piece, Position, Variant, explain_illegal_action, play
from pond_hw.session.pieces.board_state import BoardState
from pond_hw.session.pieces.hand_tasks import HandTasks
from pond_hw.session.pieces.interpretations import (
    ChoosingVariant,
    GameOnBoard,
    Intent,
    Mismatch,
    Moves,
    PendingConfirmation,
    PieceInHand,
    RepairStep,
    TakeBack,
    UnfinishedTurn,
    find_moved_piece,
)
from pond_hw.session.pieces.sensors import NO_DIFFERENCE, BoardDifference
from pond_hw.session.scene import CellRole, ConfirmWindow
from pond_hw.session.turn_messages import describe_action, explain_refusal, find_targets

CellOverlay = dict[Cell, tuple[Piece | None, CellRole]]  # piece and role shown on a cell


@dataclass(frozen=True, slots=True)
class OccupancyView:
    """The part of a `View` that exists only for boards with pieces.

    Attributes:
        cells_to_flip: Cells of developed pieces that still show their old face.
        lifted_to_flip: Cells in `cells_to_flip` whose pieces are lifted.
        to_remove: Scored pieces that are still on the board.
        repair_piece: Piece to put down in the current repair step.
        pending: Interpretation that is accepted if nothing moves during `confirm_window`.
        menu: Variants on the open menu page. `View.menu_choices` has all choices.
        picked_cell: Menu cell on which a piece was put.
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


def view_occupancy(game: GameOnBoard, board_state: BoardState, *, sensors_only: bool = False) -> OccupancyView:
    """Return the view of a board with pieces. If `sensors_only` is True, include only what the sensors report."""
    confirmation, tasks = board_state.confirmation, board_state.tasks
    if sensors_only:
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


def occupancy_overlay(game: Game, occupancy: OccupancyView) -> CellOverlay:
    """Return the piece and role to show on each cell that differs from the game."""
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


def _pending_overlay(game: Game, intent: Intent) -> CellOverlay:
    """Return the cells that change if the pending intent is carried out."""
    position = game.position
    expected_pieces: Mapping[Cell, Piece | None] = dict.fromkeys(position.grid.cells)  # the board was cleared
    match intent:
        case Moves(actions, corrected_count):
            corrected_cells = {turn.action.target for turn in game.turns[len(game.turns) - corrected_count :]}
            position = game.turns[-corrected_count].before if corrected_count else game.position
            pieces = dict[Cell, Piece]()
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


# Messages


def describe_hand_tasks(tasks: HandTasks | OccupancyView) -> tuple[Message, ...]:
    cells_by_task = {"turn_over": tasks.cells_to_flip, "take_off": tasks.to_remove}
    return tuple(
        Message(f"hands.{task}", cells=tuple(sorted(cells)), count=len(cells))
        for task, cells in cells_by_task.items()
        if cells
    )


def describe_interpretation(
    game: GameOnBoard, board_state: BoardState, masked_before: frozenset[Cell], at_rest: tuple[Message, ...]
) -> tuple[Message, ...]:
    """Describe the interpretation of the board; return `at_rest` if the board is in sync.

    Newly suspected sensors are also reported, as are sensors in `masked_before` that work again.
    """
    messages = []
    if masked_cells := tuple(sorted(board_state.sensors.suspected_bad - masked_before)):
        sees_pieces = masked_cells[0] in board_state.occupancy.occupied_cells
        kind = "sees_too_much" if sees_pieces else "sees_nothing"
        messages.append(Message(f"sensor.{kind}", cells=masked_cells, count=len(masked_cells)))
    if trusted_cells := tuple(sorted(masked_before - board_state.sensors.masked_cells)):
        messages.append(Message("sensor.works_again", cells=trusted_cells, count=len(trusted_cells)))
    return (*messages, *(_describe_meaning(game, board_state) or at_rest))


def _describe_meaning(game: GameOnBoard, board_state: BoardState) -> tuple[Message, ...]:
    match board_state.confirmation.interpretation:
        case UnfinishedTurn():
            return (Message("turn_key.press", side=str(game.position.to_move)),)
        case PieceInHand(cell):
            return game.describe_chosen(cell), Message("lifted.put_back", cell=cell)
        case ChoosingVariant(picked_cell):
            return game.describe_menu(picked_cell)
        case PendingConfirmation() as pending:
            return _describe_pending(game, pending)
        case Mismatch() as mismatch:
            return _describe_mismatch(game, board_state, mismatch)
    return ()


def _describe_pending(game: GameOnBoard, pending: PendingConfirmation) -> tuple[Message, ...]:
    seconds = pending.confirm_seconds
    other = (Message("pending.something_else"),) if pending.other_count else ()
    match pending.intent:
        case Moves(actions, corrected_count):
            questions, position = [], game.find_position_before(corrected_count)
            if not corrected_count and (warning := game.describe_warning(actions[0])):
                questions.append(warning)
            side, cells = str(position.to_move), pending.cells_to_return
            for action in actions:
                if cells:
                    questions.append(describe_action("pending.then", position, action))
                else:
                    questions.append(describe_action("pending", position, action))
                position = play(position, action).after
            if cells:
                return Message("pending.put_back", cells=cells, count=len(cells)), *questions
            if pending.needs_press:
                return *questions, Message("turn_key.again", side=side), *other
            if pending.needs_gesture:
                return *questions, Message("pending.nod", side=side, seconds=seconds)
            return *questions, Message("pending.wait", side=side, seconds=seconds), *other
        case TakeBack(turn_count):
            return Message("pending.take_back", count=turn_count, seconds=seconds), *other
    return (Message("pending.another_game", seconds=seconds),)


def _describe_mismatch(game: GameOnBoard, board_state: BoardState, mismatch: Mismatch) -> tuple[Message, ...]:
    position, steps = game.position, mismatch.repair_steps
    set_up = game.describe_set_up()
    messages = [*(set_up or _describe_cause(position, board_state, mismatch))]
    if steps:
        messages.append(_describe_repair_step(position, steps[0]))
        if more := len(steps) - 1:
            messages.append(Message("repair.more", count=more))
    if set_up:
        return tuple(messages)
    if action := mismatch.begun_action:
        held_cell = min(mismatch.difference.missing - {action.source})
        messages.append(describe_action("mismatch.half_done", position, action))
        messages.append(Message("mismatch.put_back_first", cell=held_cell))
    if offered_action := mismatch.offered_action:
        messages.append(Message("mismatch.offer", side=str(position.to_move), cell=offered_action.target))
    elif turns_ago := mismatch.turns_to_fit:
        messages.append(Message("mismatch.stood_so", count=turns_ago))
    return tuple(messages)


def _describe_cause(position: Position, board_state: BoardState, mismatch: Mismatch) -> tuple[Message, ...]:
    """Describe the problem: the rule that a single piece breaks, or all missing and extra pieces."""
    missing, extra, wrong_owner = map(sorted, mismatch.difference)
    is_offered = mismatch.offered_action is not None
    if not board_state.confirmation.agreement.has_agreed and not is_offered and len(mismatch.repair_steps) == 1:
        return ()  # no mistake: the pieces must still follow the game
    match missing, extra:
        case [cell], [] if not wrong_owner:
            if find_targets(position, cell):
                return (Message("mismatch.missing", cells=(cell,), count=1),)
            return (explain_refusal(position, None, cell),)
        case [*sources], [target] if len(sources) <= 1 and not wrong_owner and not is_offered:
            if refusal := _explain_placement(position, board_state, Action(next(iter(sources), None), target)):
                return (refusal,)
    causes = [Message("mismatch.missing", cells=tuple(missing), count=len(missing))] if missing else []
    causes += [Message("mismatch.extra", cells=tuple(extra), count=len(extra))] if extra else []
    # Take the owner from the position: the piece may have been lifted since it was detected.
    for cell in wrong_owner:
        owner = position.pieces[cell].owner
        causes.append(Message("mismatch.wrong_owner", cell=cell, side=str(owner.other_side), expected=str(owner)))
    return Message("mismatch.differs"), *causes


def _explain_placement(position: Position, board_state: BoardState, action: Action) -> Message | None:
    """Return the rule that a misplaced piece breaks, if any."""
    source, target = action
    mover_owner = find_moved_piece(position, action).owner
    sensed_owner = board_state.occupancy.sensed_owners.get(target, mover_owner)
    if sensed_owner is mover_owner:
        return explain_illegal_action(position, action) if board_state.confirmation.agreement.has_agreed else None
    if source:
        return None
    return Message("illegal.other_owner", cell=target, owner=str(sensed_owner), side=str(position.to_move))


def _describe_repair_step(position: Position, step: RepairStep) -> Message:
    source, target = step
    if target is None:
        return Message("repair.take_off", cell=str(source))
    owner, symbol = map(str, position.pieces[target])
    if source:
        return Message(f"repair.move.{symbol}", source=source, target=target, side=owner)
    return Message(f"repair.put.{symbol}", cell=target, side=owner)
