"""Follows the board through time: what is stable is interpreted, and what is announced counts when its time is up.

Pure: `look_at_board` gets the game, the state of the board and the instant; it returns the next state and what is to
be done in the game.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from pond_hw.rules import Cell
from pond_hw.session.pieces import turn_sequence
from pond_hw.session.pieces.board_state import BoardState, KeyPress
from pond_hw.session.pieces.confirmation import GESTURES_NEEDED, BoardEvent
from pond_hw.session.pieces.hypothesis_ranking import are_exhausted, find_close_hypotheses
from pond_hw.session.pieces.interpretations import (
    CertainMoves,
    ChooseVariant,
    ChoosingVariant,
    GameOnBoard,
    InSync,
    Intent,
    Interpretation,
    Mismatch,
    OpenMenu,
    PendingConfirmation,
    PieceInHand,
    RefusedPress,
    TakeBack,
)
from pond_hw.session.pieces.interpreter import interpret_occupancy
from pond_hw.session.pieces.turn_key import find_waiting_end, read_press

ACCIDENT_STEPS = 2  # with more steps to be done it was an accident, and no way of taking a turn back


# The state of the board after a look, and what is to be done in the game now, if anything.
LookResult = tuple[BoardState, Intent | None]


def look_at_board(game: GameOnBoard, board_state: BoardState, now: float) -> LookResult:
    """Look at the board: nothing is done while something has just moved, unless others have followed it."""
    board_state = board_state.after_healing(game.position, now)
    if board_state.press:
        return _read_press(game, board_state, board_state.press, now)
    if board_state.confirmation.is_interpreted:
        return _check_elapsed(game, board_state, now)
    if now < board_state.occupancy.settles_at:
        is_counted_early = not (game.declared_outcome or game.turn_key)
        return board_state, turn_sequence.find_followed_moves(board_state, now) if is_counted_early else None
    board_state = _settle_occupancy(game, board_state)
    before, interpretation = board_state.confirmation, interpret_occupancy(game, board_state)
    if masked_state := _mask_by_gestures(board_state, interpretation):
        return look_at_board(game, masked_state, now)
    if _is_take_back(before.interpretation) and not _is_take_back(interpretation) and not before.take_back_declined:
        board_state = replace(board_state, confirmation=replace(before, take_back_declined=True))
        interpretation = interpret_occupancy(game, board_state)
    board_state = _adopt_interpretation(game, board_state, interpretation, now)
    match before.interpretation, interpretation:
        case _, CertainMoves(moves):
            return board_state, moves
        case ChoosingVariant(str(cell)), ChoosingVariant(None):
            return board_state, ChooseVariant(cell)
    return board_state, None


def _read_press(game: GameOnBoard, board_state: BoardState, press: KeyPress, now: float) -> LookResult:
    """A turn key was pressed: the turn counts, or it is said what is in the way; or the sensors are given a moment."""
    meaning, understood = read_press(game, board_state, now), replace(board_state, press=None)
    match meaning:
        case None:
            return replace(board_state, press=press._replace(due=find_waiting_end(board_state, now))), None
        case PendingConfirmation():
            confirmation = board_state.confirmation.after_interpretation(meaning, now)
            return replace(understood, confirmation=confirmation), None
        case RefusedPress(_, str(cell)):
            blocked_cell, blocked_at = board_state.blocked_cell
            if cell == blocked_cell and board_state.sensors.last_change(cell) <= blocked_at:
                suspicious = replace(board_state.with_suspects({cell}), blocked_cell=(None, now))
                return look_at_board(game, suspicious, now)
            understood = replace(understood, blocked_cell=(cell, now))
    if isinstance(meaning, RefusedPress) and now >= understood.occupancy.settles_at:
        settled = _settle_occupancy(game, understood)  # what a look would say now must not replace the reason
        understood = _adopt_interpretation(game, settled, interpret_occupancy(game, settled), now)
    return understood, meaning


def _settle_occupancy(game: GameOnBoard, board_state: BoardState) -> BoardState:
    """The state after what is detected has been stable, before it is interpreted."""
    tasks, occupancy = board_state.tasks, board_state.occupancy
    replaced_cells: Set[Cell] = frozenset()
    returned_cells: Set[Cell] = frozenset()
    if board_state.hypotheses:
        close_hypotheses = find_close_hypotheses(board_state.hypotheses, occupancy.settles_at)
        standing = [hypothesis.standing_scored_cells for hypothesis in close_hypotheses]
        replaced_cells = (tasks.to_remove.keys() & occupancy.occupied_cells) - frozenset().union(*standing)
        returned_cells = frozenset.intersection(*standing)
    settled_tasks = tasks.after_settling(occupancy, board_state.sensors, replaced_cells, returned_cells)
    settled = replace(board_state, tasks=settled_tasks)
    return replace(settled, confirmation=settled.confirmation.after_settling(settled.find_difference(game.position)))


def _adopt_interpretation(
    game: GameOnBoard, board_state: BoardState, interpretation: Interpretation, now: float
) -> BoardState:
    """The state once it is known what the stable board means."""
    sensors, occupancy = board_state.sensors, board_state.occupancy
    occupied_cells, known_owners = occupancy.occupied_cells, occupancy.known_owners
    event: BoardEvent | None = None
    match interpretation:
        case InSync():
            event, pieces = BoardEvent.AGREED, game.position.pieces
            known_owners = {cell: pieces[cell].owner for cell in occupied_cells & pieces.keys()}
        case PieceInHand():
            event = BoardEvent.PIECE_IN_HAND
        case CertainMoves(moves, is_unsensed=True):  # a piece that stands there stands on a bad sensor
            sensors = sensors.with_suspects({moves.actions[-1].target} - occupied_cells - sensors.known_bad)
        case Mismatch(difference, steps, begun_action=None):
            if len(steps) > ACCIDENT_STEPS:
                event = BoardEvent.MUCH_MISPLACED
            elif difference.wrong_owner or not difference.extra <= known_owners.keys():
                event = BoardEvent.PIECE_MISPLACED
    adopted_state = replace(
        board_state,
        sensors=replace(sensors, announced_masked=sensors.masked_cells),
        occupancy=replace(
            occupancy, known_owners=known_owners, ever_occupied=occupancy.ever_occupied or bool(occupied_cells)
        ),
        confirmation=board_state.confirmation.after_interpretation(interpretation, now, event),
    )
    match interpretation:
        case InSync() if not sensors.masked_cells:
            before = board_state.confirmation
            if before.has_denied or isinstance(before.interpretation, Mismatch):  # nothing was done, or it is mended
                adopted_state = replace(adopted_state, hypotheses=())
            return adopted_state.with_hypotheses(game.position, now)
        case PieceInHand() if not (sensors.masked_cells or board_state.hypotheses):
            return adopted_state.with_hypotheses(game.position, now)
        case Mismatch() if board_state.hypotheses and are_exhausted(board_state.hypotheses, now):
            return replace(adopted_state, hypotheses=())
    return adopted_state


def _is_take_back(interpretation: Interpretation) -> bool:
    return isinstance(interpretation, PendingConfirmation) and isinstance(interpretation.intent, TakeBack)


def _mask_by_gestures(board_state: BoardState, interpretation: Interpretation) -> BoardState | None:
    """Two confirm gestures say that one sensor is bad: the only one that detects nothing, or a piece that is gone."""
    confirmation, tasks = board_state.confirmation, board_state.tasks
    if confirmation.confirm_gestures != (confirmation.settled_difference, GESTURES_NEEDED):
        return None
    match interpretation:
        case Mismatch(difference) if difference.is_single_cell and difference.missing:
            bad_cells = difference.missing
        case InSync() if len(tasks.to_remove) == 1:
            bad_cells, tasks = frozenset(tasks.to_remove), replace(tasks, to_remove={})
        case _:
            return None
    return replace(board_state, tasks=tasks, confirmation=confirmation.without_gestures()).with_suspects(bad_cells)


def _check_elapsed(game: GameOnBoard, board_state: BoardState, now: float) -> LookResult:
    """Nothing has moved since the last look: has it been long enough for something?"""
    confirmation = board_state.confirmation
    match confirmation.interpretation:
        case PendingConfirmation() as pending if confirmation.is_confirmed(now):
            return _confirm_pending(game, board_state, pending, now)
        case Mismatch(cell_to_clear=str(cell)) if now >= confirmation.patient_until:
            return look_at_board(game, board_state.with_suspects({cell}), now)
    return board_state, None


def _confirm_pending(
    game: GameOnBoard, board_state: BoardState, pending: PendingConfirmation, now: float
) -> LookResult:
    """The time of what was announced is up: it counts, or the next thing is asked."""
    confirmation = replace(board_state.confirmation, confirm_window=None)
    if isinstance(pending.intent, OpenMenu):
        confirmation = replace(confirmation, interpretation=ChoosingVariant(), interpreted_since=now)
        return replace(board_state, confirmation=confirmation), None
    if pending.needs_gesture:
        return look_at_board(game, replace(board_state, confirmation=confirmation.after_question()), now)
    return replace(board_state, confirmation=confirmation), pending.intent
