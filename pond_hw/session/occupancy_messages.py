"""What the pieces on the board mean, in words: what is missing or extra, what is about to count, what is to be done."""

from __future__ import annotations

from pond_hw.messages.plurals import count_noun, join_words
from pond_hw.rules import Action, Cell, Position, explain_illegal_action
from pond_hw.session import intents, selection
from pond_hw.session.board_state import BoardState
from pond_hw.session.hand_tasks import HandTasks
from pond_hw.session.occupancy_view import OccupancyView
from pond_hw.session.played_game import PlayedGame
from pond_hw.session.repair import RepairStep
from pond_hw.session.turn_messages import format_action, format_targets


def format_hand_tasks(tasks: HandTasks | OccupancyView) -> str:
    """What is left to be done by hand after a turn; with a blank at the end, if there is anything."""
    cells_by_task = {"turn over": tasks.cells_to_flip, "take off": tasks.to_remove}
    task_texts = [
        f"{task} {len(cells)} ({join_words(sorted(cells))})" for task, cells in cells_by_task.items() if cells
    ]
    return f"{_capitalize(', '.join(task_texts))}. " if task_texts else ""


def format_interpretation(
    game: PlayedGame, board_state: BoardState, masked_before: frozenset[Cell], at_rest: str
) -> str:
    """What the pieces mean, in a sentence or two.

    Args:
        game: the game.
        board_state: what is detected and what it means.
        masked_before: the cells that were masked before.
        at_rest: what to say when board and game are in sync.
    """
    sentences = []
    if masked_cells := sorted(board_state.sensors.suspected_bad - masked_before):
        sentences.append(_format_masked(board_state, masked_cells))
    if trusted_cells := sorted(masked_before - board_state.sensors.masked_cells):
        sensors_text = f"The sensor{'s' if trusted_cells[1:] else ''} of {join_words(trusted_cells)}"
        sentences.append(f"{sensors_text} can be believed again.")
    sentences.append(_format_meaning(game, board_state) or at_rest)
    return " ".join(filter(None, sentences))


def _format_masked(board_state: BoardState, masked_cells: list[Cell]) -> str:
    felt_text = "what is not there" if masked_cells[0] in board_state.occupancy.occupied_cells else "nothing"
    if len(masked_cells) == 1:
        problem = f"The sensor of {masked_cells[0]} is taken to be bad: it flickers, or feels {felt_text}."
        return f"{problem} Nobody asks it meanwhile."
    problem = f"The sensors of {join_words(masked_cells)} are taken to be bad: they flicker, or feel {felt_text}."
    return f"{problem} Nobody asks them meanwhile."


def _format_meaning(game: PlayedGame, board_state: BoardState) -> str | None:
    position = game.position
    variants = intents.variants_by_cell(game.size, position.variant)
    match board_state.dialogue.interpretation:
        case intents.PieceInHand(cell):
            targets_sentence = format_targets(position, cell, selection.find_targets(position, cell))
            return f"{targets_sentence[:-1]}, or back to {cell}."
        case intents.ChoosingVariant(None):
            choice_list = ", ".join(f"{cell} {variant}" for cell, variant in variants.items())
            return (
                "The board was cleared. What shall be played? Put a piece on a lit cell and take it off again: "
                f"{choice_list}. Or put the pieces back to go on."
            )
        case intents.ChoosingVariant(str(picked_cell)):
            return f"Take the piece off {picked_cell} again, and {variants[picked_cell]} begins."
        case intents.PendingConfirmation() as pending:
            return _format_pending(position, pending)
        case intents.Mismatch() as mismatch:
            return _format_mismatch(game, board_state, mismatch)
    return None


def _format_pending(position: Position, pending: intents.PendingConfirmation) -> str:
    seconds_text = f"{pending.confirm_seconds:g} seconds"
    if_still = f"If nothing moves for {seconds_text}"
    match pending.intent:
        case intents.Moves(actions):
            action_question = _capitalize(" and ".join(format_action(position, action) for action in actions))
            if pending.needs_gesture:
                gesture_text = f"nod once more (lift another piece and put it back) within {seconds_text}"
                return f"{action_question}? If that is {position.to_move}'s turn, {gesture_text}; if not, wait."
            announcement_text = f"{action_question}? {if_still}, that is {position.to_move}'s turn."
        case intents.TakeBack(turn_count):
            turns_text = "the last turn" if turn_count == 1 else f"the last {turn_count} turns"
            announcement_text = f"So the board stood before {turns_text}. {if_still}, {turns_text} will be taken back."
        case _:
            announcement_text = f"The board is cleared. {if_still}, another game can be chosen. Or put the pieces back."
    other_hint = " Lift a piece and put it down again if it was something else." if pending.other_count else ""
    return f"{announcement_text}{other_hint}"


def _capitalize(sentence: str) -> str:
    return f"{sentence[0].upper()}{sentence[1:]}"


def _format_mismatch(game: PlayedGame, board_state: BoardState, mismatch: intents.Mismatch) -> str:
    position, steps = game.position, mismatch.repair_steps
    if blocked_action := mismatch.blocked_action:
        pieces_text = join_words([f"the piece of {step.target}" for step in steps])
        return f"Put {pieces_text} back, turned over; then {format_action(position, blocked_action)} counts."
    sentences = [_format_cause(position, board_state, mismatch)]
    if steps:
        remaining_text = f" ({len(steps) - 1} more to do)" if steps[1:] else ""
        sentences.append(f"{_format_repair_step(game, mismatch, steps[0])}{remaining_text}.")
    if half_done := mismatch.half_done_action:
        (held_cell,) = mismatch.difference.missing - {half_done.source}
        action_text = format_action(position, half_done)
        sentences.append(f"If {action_text} was meant, put the piece of {held_cell} back first.")
    if offered_action := mismatch.offered_action:
        retry_text = f"lift the piece on {offered_action.target} and put it down there once more"
        sentences.append(f"If that is {position.to_move}'s turn, {retry_text}.")
    elif turns_ago := mismatch.turns_to_fit:
        turns_text = "one turn" if turns_ago == 1 else count_noun(turns_ago, "turn")
        sentences.append(f"Or the board is right: {turns_text} ago the game stood like this.")
    return " ".join(filter(None, sentences))


def _format_cause(position: Position, board_state: BoardState, mismatch: intents.Mismatch) -> str:
    """What is wrong: for one piece why the rules do not allow it, else what is missing and what is extra."""
    missing, extra, wrong_owner = mismatch.difference
    is_offered = mismatch.offered_action is not None
    if not board_state.dialogue.synced_since_turn and not is_offered and len(mismatch.repair_steps) == 1:
        return ""  # nobody has done anything wrong: hands have yet to follow the game
    match sorted(missing), sorted(extra):
        case [cell], [] if not wrong_owner:
            can_move = selection.find_targets(position, cell)
            return f"Nothing is felt on {cell}." if can_move else selection.explain_refusal(position, None, cell)
        case [*sources], [target] if len(sources) <= 1 and not wrong_owner and not is_offered:
            if refusal := _explain_placement(position, board_state, Action(next(iter(sources), None), target)):
                return refusal
    parts = [f"nothing is felt on {join_words(sorted(missing))}"] if missing else []
    parts += [f"there should be nothing on {join_words(sorted(extra))}"] if extra else []
    # The owner follows from the interpretation. What is detected now may be newer: a hand may have taken the piece.
    parts += [f"the piece on {cell} is {position.pieces[cell].owner.other_side}'s" for cell in sorted(wrong_owner)]
    return f"Board and game differ: {', '.join(parts)}."


def _explain_placement(position: Position, board_state: BoardState, action: Action) -> str | None:
    """Why one piece may not stand where it was put, if the rules say so."""
    source, target = action
    mover_owner = intents.find_moved_piece(position, action).owner
    sensed_owner = board_state.occupancy.sensed_owners.get(target, mover_owner)
    if sensed_owner is mover_owner:
        return explain_illegal_action(position, action) if board_state.dialogue.synced_since_turn else None
    return None if source else f"The piece on {target} is {sensed_owner}'s, and it is {position.to_move}'s turn."


def _format_repair_step(game: PlayedGame, mismatch: intents.Mismatch, step: RepairStep) -> str:
    source, target = step
    if target is None:
        return f"Take the piece off {source}"
    target_pieces = game.turns[-1].before.pieces if mismatch.leads_back else game.position.pieces
    owner, symbol = target_pieces[target].owner, target_pieces[target].symbol
    if source:
        return f"Put the piece from {source} on {target}: it is {owner}'s {symbol}"
    take_back_hint = ", or put the scored pieces back to take the last turn back" if mismatch.leads_back else ""
    return f"Put {owner}'s {symbol} on {target}{take_back_hint}"
