"""Comparison of the detected pieces with the game.

If the board is stable, the interpretation is based on how it differs from the game. If several turns followed without a
pause, it is based on their order, and the two may conflict: see `turn_sequence`.

A cell is *missing* if a piece should be detected there but is not, and *extra* if the reverse is true:

    missing     extra         meaning
    -           -             in sync
    -           {t}           an egg was placed on t
    {s}         -             s was lifted: if it may move, its targets light up; otherwise it must be put back
    {s}         {t}           s moved to t
    -           only scored   these must be removed; the next action may come first
    as before the last turn   the last turn is undone
    all         -             the menu opens
    otherwise                 mismatch: described, and repaired step by step

A piece being turned over, a scored piece and a cell with a bad sensor may be either present or absent. So a difference
can have several meanings. In that case none is certain: one is announced, and is accepted if nothing moves for a while.
`BoardState` stores what is needed to tell an accident or its repair from an action.

`look_at_board` takes the game, the board state and the time. It returns the next board state and the players' intent.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from itertools import takewhile
from math import inf

from pond_hw.messages.message import Message
from pond_hw.rules import Action, Cell, Position, legal_actions, play
from pond_hw.session.pieces import action_matching, turn_sequence
from pond_hw.session.pieces.board_state import BoardState, KeyPress
from pond_hw.session.pieces.confirmation import GESTURES_NEEDED, NO_GESTURES, Agreement, BoardEvent
from pond_hw.session.pieces.hand_tasks import find_scored_pieces
from pond_hw.session.pieces.hypothesis_ranking import find_close_hypotheses
from pond_hw.session.pieces.interpretations import (
    CONFIRM_SECONDS,
    FURTHER_CONFIRM_SECONDS,
    IN_SYNC,
    AtRest,
    CertainMoves,
    ChooseVariant,
    ChoosingVariant,
    EndedTurns,
    GameOnBoard,
    InSync,
    Intent,
    Interpretation,
    Mismatch,
    Moves,
    OpenMenu,
    PendingConfirmation,
    PieceInHand,
    RefusedPress,
    TakeBack,
    UnfinishedTurn,
)
from pond_hw.session.pieces.repair import interpret_mismatch
from pond_hw.session.pieces.sensors import NO_DIFFERENCE, BoardDifference, surrounding_cells
from pond_hw.session.pieces.turn_key import find_waiting_end, read_press
from pond_hw.session.pieces.turn_search import find_actions_to_fit
from pond_hw.session.turn_messages import find_targets

ACCIDENT_STEPS = 2  # more repair steps mean an accident, not an undo


# New board state, and the intent to carry out now, if any.
LookResult = tuple[BoardState, Intent | None]


def look_at_board(game: GameOnBoard, board_state: BoardState, now: float) -> LookResult:
    """Interpret the board once it is stable. Actions that others have followed are accepted even earlier."""
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
    board_state = _adopt_interpretation(game, board_state, interpretation, now)
    match before.interpretation, interpretation:
        case _, CertainMoves(moves):
            return board_state, moves
        case ChoosingVariant(str(cell)), ChoosingVariant(None):
            return board_state, ChooseVariant(cell)
    return board_state, None


def _read_press(game: GameOnBoard, board_state: BoardState, press: KeyPress, now: float) -> LookResult:
    """Interpret a press of a turn key, or wait briefly for the sensors."""
    meaning = read_press(game, board_state, press, now)
    if meaning is None:
        return replace(board_state, press=press._replace(due=find_waiting_end(board_state, press, now))), None
    understood = replace(board_state, press=None)
    match meaning:
        case RefusedPress(Message(id="turn_key.not_due")) if not board_state.sensors.masked_cells:
            pass  # nothing happened
        case RefusedPress(_, cell):
            understood = understood.with_failed_press(press._replace(blocking_cell=cell))
        case PendingConfirmation(Moves(actions)):
            asked_state = understood.with_failed_press(press._replace(asked_about=actions))
            return _adopt_interpretation(game, asked_state, meaning, now), None
        case EndedTurns(suspected_cells=cells) if cells:
            understood = understood.with_suspects(cells)
    assert not isinstance(meaning, PendingConfirmation)
    if isinstance(meaning, RefusedPress) and now >= understood.occupancy.settles_at:
        settled = _settle_occupancy(game, understood)  # the next look must not replace the reason
        understood = _adopt_interpretation(game, settled, interpret_occupancy(game, settled), now)
    return understood, meaning


def _settle_occupancy(game: GameOnBoard, board_state: BoardState) -> BoardState:
    """Complete the players' tasks, and record how a stable board differs from the game."""
    tasks, occupancy = board_state.tasks, board_state.occupancy
    replaced_cells: Set[Cell] = frozenset()
    if board_state.hypotheses:
        close_hypotheses = find_close_hypotheses(board_state.hypotheses, occupancy.settles_at)
        standing_cells = frozenset().union(*(hypothesis.standing_scored_cells for hypothesis in close_hypotheses))
        replaced_cells = (tasks.to_remove.keys() & occupancy.occupied_cells) - standing_cells
    settled = replace(board_state, tasks=tasks.after_settling(occupancy, board_state.sensors, replaced_cells))
    return replace(settled, confirmation=settled.confirmation.after_settling(settled.find_difference(game.position)))


def _adopt_interpretation(
    game: GameOnBoard, board_state: BoardState, interpretation: Interpretation, now: float
) -> BoardState:
    """Record the interpretation of a stable board."""
    sensors, occupancy = board_state.sensors, board_state.occupancy
    occupied_cells, known_owners = occupancy.occupied_cells, occupancy.known_owners
    event: BoardEvent | None = None
    match interpretation:
        case InSync():
            event, pieces = BoardEvent.AGREED, game.position.pieces
            known_owners = {cell: pieces[cell].owner for cell in occupied_cells & pieces.keys()}
        case PieceInHand():
            event = BoardEvent.PIECE_IN_HAND
        case CertainMoves(moves, is_unsensed=True):  # if a piece is there, its sensor is bad
            sensors = sensors.with_suspects({moves.actions[-1].target} - occupied_cells - sensors.known_bad)
        case Mismatch(difference, steps, begun_action=None):
            if len(steps) > ACCIDENT_STEPS:
                event = BoardEvent.MUCH_MISPLACED
            elif not difference.extra <= known_owners.keys():
                event = BoardEvent.PIECE_MISPLACED
    adopted_state = replace(
        board_state,
        sensors=replace(sensors, announced_masked=sensors.masked_cells),
        occupancy=replace(
            occupancy, known_owners=known_owners, ever_occupied=occupancy.ever_occupied or bool(occupied_cells)
        ),
        confirmation=board_state.confirmation.after_interpretation(interpretation, now, event),
    )
    if isinstance(interpretation, InSync) and not sensors.masked_cells:
        return adopted_state.with_hypotheses(game.position, now)
    return adopted_state


def _mask_by_gestures(board_state: BoardState, interpretation: Interpretation) -> BoardState | None:
    """Mask a sensor if two confirm gestures concern a single missing piece or a single scored piece."""
    confirmation, tasks = board_state.confirmation, board_state.tasks
    if confirmation.confirm_gestures != (confirmation.settled_difference, GESTURES_NEEDED, 0):
        return None
    match interpretation:
        case Mismatch(difference) if difference.is_single_cell and difference.missing:
            bad_cells = difference.missing
        case InSync() if len(tasks.to_remove) == 1:
            bad_cells, tasks = frozenset(tasks.to_remove), replace(tasks, to_remove={})
        case _:
            return None
    return replace(
        board_state, tasks=tasks, confirmation=replace(confirmation, confirm_gestures=NO_GESTURES)
    ).with_suspects(bad_cells)


def _check_elapsed(game: GameOnBoard, board_state: BoardState, now: float) -> LookResult:
    """Carry out the announced intent when its time is up, or ask the next question."""
    confirmation = board_state.confirmation
    if now < confirmation.next_due:
        return board_state, None
    elapsed = replace(confirmation, confirm_window=None)
    match confirmation.interpretation:
        case Mismatch(cell_to_clear=str(cell)):
            return look_at_board(game, board_state.with_suspects({cell}), now)
        case PendingConfirmation(needs_gesture=True):
            return look_at_board(game, replace(board_state, confirmation=elapsed.after_question()), now)
        case PendingConfirmation(OpenMenu()):
            choosing = replace(elapsed, interpretation=ChoosingVariant(), interpreted_since=now)
            return replace(board_state, confirmation=choosing), None
        case PendingConfirmation(intent):
            return replace(board_state, confirmation=elapsed), intent
    return board_state, None


def interpret_occupancy(game: GameOnBoard, board_state: BoardState) -> Interpretation:
    """Interpret a stable difference.

    An action that requires a warning is never certain. It is announced for long enough to put the piece back.
    """
    interpretation = _interpret(game, board_state)
    if game.turn_key:
        return _defer_to_turn_key(game, board_state, interpretation)
    match interpretation:
        case CertainMoves(Moves((action,), 0) as moves, is_unsensed=False) if game.describe_warning(action):
            return PendingConfirmation(moves, FURTHER_CONFIRM_SECONDS)
        case PendingConfirmation(Moves((action,), 0), confirm_seconds) if game.describe_warning(action):
            return replace(interpretation, confirm_seconds=max(confirm_seconds, FURTHER_CONFIRM_SECONDS))
    return interpretation


def _defer_to_turn_key(game: GameOnBoard, board_state: BoardState, interpretation: Interpretation) -> Interpretation:
    """Adjust the interpretation to a game with turn keys, where a turn waits for a key press."""
    is_human_due = game.position.to_move in board_state.human_sides
    match interpretation:
        case CertainMoves(is_unsensed=False) | PendingConfirmation(Moves() | TakeBack(), needs_gesture=False):
            return UnfinishedTurn()
        case Mismatch() if is_human_due and board_state.confirmation.agreement.has_agreed:
            return UnfinishedTurn()
    return interpretation


def _interpret(game: GameOnBoard, board_state: BoardState) -> Interpretation:
    difference = board_state.find_difference(game.position)
    if menu_interpretation := _interpret_menu(game, board_state, difference):
        return menu_interpretation
    if game.is_over:
        return _interpret_after_end(game, board_state, difference)
    ranking = turn_sequence.rank_settled(board_state)
    at_rest = _interpret_at_rest(game.position, board_state, difference)
    if ranking and turn_sequence.decides_by_sequence(board_state, ranking, at_rest=at_rest is not None):
        take_backs = _find_take_backs(game, board_state, difference)
        certain_moves = _find_certain_moves(game.position, board_state, difference)
        if sequence_meaning := turn_sequence.interpret_sequence(
            board_state, ranking, difference, take_backs, certain_moves
        ):
            return sequence_meaning
    if at_rest:
        return _interpret_gestures(game.position, board_state, at_rest)
    placed = _interpret_placed(game, board_state, difference)
    adjusted = turn_sequence.adjust_by_hypotheses(board_state, ranking, placed) if ranking else placed
    if (
        isinstance(adjusted, Mismatch)
        and board_state.confirmation.agreement.counts_actions
        and not len(difference.missing) == len(difference.extra) == 1  # a single piece moved
        and (actions := find_actions_to_fit(game.position, board_state, max_turns=2))
    ):  # scored pieces may have been removed already
        return PendingConfirmation(Moves(actions), FURTHER_CONFIRM_SECONDS)
    return adjusted or interpret_mismatch(game, board_state, difference, ())


def _interpret_menu(game: GameOnBoard, board_state: BoardState, difference: BoardDifference) -> Interpretation | None:
    """Announce the menu when the board has been cleared. Keep it open while its cells hold at most one piece."""
    if isinstance(board_state.confirmation.interpretation, ChoosingVariant):
        standing_cells = board_state.occupancy.occupied_cells - board_state.sensors.masked_cells
        if len(standing_cells) <= 1 and standing_cells <= game.menu_cells:
            return ChoosingVariant(*standing_cells)
    if game.is_being_set_up:
        return None
    missing_count = len(difference.missing)
    was_cleared = missing_count > 1 or (game.is_over and (missing_count == 1 or not game.position.pieces))
    if was_cleared and board_state.occupancy.ever_occupied and not board_state.trusted_cells(game.position):
        return PendingConfirmation(OpenMenu(), CONFIRM_SECONDS)
    return None


def _interpret_after_end(game: GameOnBoard, board_state: BoardState, difference: BoardDifference) -> Interpretation:
    """Let the players put the pieces away after the game. They can still undo the last turn."""
    take_backs = _find_take_backs(game, board_state, difference)
    if take_backs:
        return take_backs[0]
    is_put_away = board_state.confirmation.agreement.has_agreed and not (difference.extra or difference.wrong_owner)
    if is_put_away or difference == NO_DIFFERENCE:
        return IN_SYNC
    return interpret_mismatch(game, board_state, difference, ())


def _interpret_at_rest(position: Position, board_state: BoardState, difference: BoardDifference) -> AtRest | None:
    """Return `InSync`, or the lifted piece if it may move; None if a piece was put down."""
    if difference.extra or difference.wrong_owner:
        return None
    unexplained_cells = difference.missing - board_state.tasks.cells_to_flip
    lifted_cells = unexplained_cells or difference.missing
    may_have_stood = board_state.confirmation.agreement is not Agreement.UNVERIFIED
    if len(lifted_cells) == 1 and may_have_stood:
        (cell,) = lifted_cells
        if position.to_move in board_state.human_sides and find_targets(position, cell):
            return PieceInHand(cell)
    return None if unexplained_cells else IN_SYNC


def _interpret_gestures(position: Position, board_state: BoardState, at_rest: AtRest) -> Interpretation:
    """Return the undetected action that the players report with confirm gestures."""
    confirmation = board_state.confirmation
    _, gesture_count, question_index = confirmation.confirm_gestures
    if gesture_count < GESTURES_NEEDED:
        return at_rest
    unsensed_actions = action_matching.find_unsensed_actions(position, board_state, at_rest)
    if question_index >= len(unsensed_actions):
        return at_rest
    moves = Moves((unsensed_actions[question_index],))
    if gesture_count > GESTURES_NEEDED:
        return CertainMoves(moves, is_unsensed=True)
    return PendingConfirmation(moves, CONFIRM_SECONDS, len(unsensed_actions) - 1, needs_gesture=True)


def _interpret_placed(game: GameOnBoard, board_state: BoardState, difference: BoardDifference) -> Interpretation:
    """Interpret a piece that was put down: as an action, an undo or a mismatch."""
    position, confirmation = game.position, board_state.confirmation
    actions = action_matching.find_explaining_actions(position, board_state, difference)
    meanings = _find_take_backs(game, board_state, difference)
    may_have_acted = board_state.may_have_acted(difference)
    if may_have_acted:
        if actions:  # an action is likelier than a longer undo
            meanings = [meaning for meaning in meanings if meaning.intent == TakeBack(1)]
        if not meanings and (certain_moves := _find_certain_moves(position, board_state, difference)):
            return CertainMoves(certain_moves)
        meanings += [PendingConfirmation(Moves((action,)), CONFIRM_SECONDS) for action in actions]
    if meanings:  # announce one at a time: the next if the same difference returns
        index = (confirmation.visit_count(difference) - 1) % len(meanings)
        return replace(meanings[index], other_count=len(meanings) - 1)
    if may_have_acted and (waiting := _find_action_while_turning(position, board_state, difference)):
        return waiting
    if moved_on := _find_moved_on(game, board_state, difference):
        return moved_on
    return interpret_mismatch(game, board_state, difference, actions)


def _find_moved_on(
    game: GameOnBoard, board_state: BoardState, difference: BoardDifference
) -> PendingConfirmation | None:
    """Return the action that replaces the last one, if its piece was moved on before the other side replied.

    If the side to move plays by hand, the new move may be its reply. In that case, only a frog that stopped halfway
    through a jump may be moved on.
    """
    if not game.turns or game.follows_log:
        return None
    turn, is_answered_by_hand = game.turns[-1], game.position.to_move in board_state.human_sides
    if turn.side not in board_state.human_sides or turn.action.target not in difference.missing:
        return None
    for action in legal_actions(turn.before):
        if action.source != turn.action.source or action.target not in difference.extra:
            continue
        may_go_on = not is_answered_by_hand or _jumps_over(game.position.variant.size, action, turn.action.target)
        if may_go_on and board_state.matches_position(play(turn.before, action).after):
            return PendingConfirmation(Moves((action,), 1), CONFIRM_SECONDS)
    return None


def _jumps_over(grid_size: int, action: Action, cell: Cell) -> bool:
    """Return True if an action jumps over this cell."""
    near_source = surrounding_cells(grid_size, action.source) if action.source else frozenset()
    return cell in near_source & surrounding_cells(grid_size, action.target) and action.target not in near_source


def _find_action_while_turning(
    position: Position, board_state: BoardState, difference: BoardDifference
) -> PendingConfirmation | None:
    """Return an action taken while pieces are being turned over. One of them may be the piece that moved."""
    in_hand = difference.missing & board_state.tasks.cells_to_flip
    for moved_cells in (set[Cell](), *({cell} for cell in sorted(in_hand))):
        other_cells = in_hand - moved_cells
        explained_difference = difference._replace(missing=difference.missing - other_cells)
        actions = action_matching.find_explaining_actions(position, board_state, explained_difference)
        if other_cells and actions:
            moves = Moves((actions[0],))
            if (
                other_cells & find_scored_pieces([play(position, actions[0])]).keys()
            ):  # it scored, so it need not return
                return PendingConfirmation(moves, CONFIRM_SECONDS)
            return PendingConfirmation(moves, inf, cells_to_return=tuple(sorted(other_cells)))
    return None


def _find_certain_moves(position: Position, board_state: BoardState, difference: BoardDifference) -> Moves | None:
    """Return the only action that explains the difference, unless another event would look the same."""
    actions = action_matching.find_explaining_actions(position, board_state, difference)
    if len(actions) == 1 and not action_matching.is_doubtful(position, board_state, actions[0]):
        return Moves((actions[0],))
    return None


def _find_take_backs(
    game: GameOnBoard, board_state: BoardState, difference: BoardDifference
) -> list[PendingConfirmation]:
    """Return the possible undos. Turns that scored can be undone only with the key."""
    if difference == NO_DIFFERENCE or game.declared_outcome or not board_state.confirmation.agreement.allows_take_backs:
        return []
    unscored_turns = takewhile(lambda turn: not turn.sets, game.turns[:-3:-1])
    turn_counts = [count for count, turn in enumerate(unscored_turns, 1) if turn.side in board_state.human_sides]
    return [
        PendingConfirmation(TakeBack(count), confirm_seconds)
        for count, confirm_seconds in zip(turn_counts, (CONFIRM_SECONDS, FURTHER_CONFIRM_SECONDS), strict=False)
        if board_state.matches_position(game.turns[-count].before)
    ]
