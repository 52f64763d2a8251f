"""What the wood means, in words: what is missing or too many, what is about to count, what is still to be done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pond_hw.rules import Action, Cell, Position, Variant, explain_illegal_action
from pond_hw.session import selection
from pond_hw.session.board_state import BoardState
from pond_hw.session.intents import (
    ChoosingVariant,
    Mismatch,
    Moves,
    PendingConfirmation,
    PieceInHand,
    TakeBack,
    find_moved_piece,
)
from pond_hw.session.interpretation import InterpretedGame
from pond_hw.session.occupancy_view import OccupancyView
from pond_hw.session.repair import RepairStep
from pond_hw.session.turn_messages import format_targets, join_words


def format_hand_tasks(wood: BoardState | OccupancyView) -> str:
    """What is left to be done by hand after a turn; with a blank at the end, if there is anything."""
    turn, off = sorted(wood.cells_to_flip), sorted(wood.to_remove)
    parts = [f"turn over {len(turn)} ({join_words(turn)})"] if turn else []
    parts += [f"take off {len(off)} ({join_words(off)})"] if off else []
    if not parts:
        return ""
    told = ", ".join(parts)
    return f"{told[0].upper()}{told[1:]}. "


def format_interpretation(
    game: InterpretedGame, wood: BoardState, masked: frozenset[Cell], ponds: Mapping[Cell, Variant], at_rest: str
) -> str:
    """What the board is read as, in a sentence or two.

    Args:
        game: the game.
        wood: what is felt and read.
        masked: the cells that were masked before.
        ponds: the cells of the menu.
        at_rest: what there is to be said when it is at rest.
    """
    told = (
        _format_masked(wood, wood.suspected_bad - masked),
        _format_trusted_again(masked - wood.masked_cells),
        _format_meaning(game, wood, ponds) or at_rest,
    )
    return " ".join(filter(None, told))


def _format_masked(wood: BoardState, found: Iterable[Cell]) -> str:
    cells = sorted(found)
    if not cells:
        return ""
    feel = "feel what is not there" if cells[0] in wood.occupied else "feel nothing"
    if len(cells) > 1:
        return f"The sensors of {join_words(cells)} are taken to be bad: they flicker, or {feel}. Nobody asks them meanwhile."
    feels = feel.replace("feel", "feels", 1)
    return f"The sensor of {cells[0]} is taken to be bad: it flickers, or {feels}. Nobody asks it meanwhile."


def _format_trusted_again(cells: Iterable[Cell]) -> str:
    healed = sorted(cells)
    if not healed:
        return ""
    return f"The sensor{'s' if len(healed) > 1 else ''} of {join_words(healed)} can be believed again."


def _format_meaning(game: InterpretedGame, wood: BoardState, ponds: Mapping[Cell, Variant]) -> str | None:
    position = game.position
    match wood.interpretation:
        case PieceInHand(cell):
            told = format_targets(position, cell, selection.find_targets(position, cell))
            return f"{told[:-1]}, or back to {cell}."
        case ChoosingVariant(None):
            choices = ", ".join(f"{cell} {pond}" for cell, pond in ponds.items())
            return (
                "The board was cleared. What shall be played? Put a piece on a lit cell and take it off again: "
                f"{choices}. Or put the pieces back to go on."
            )
        case ChoosingVariant(str(picked)):
            return f"Take the piece off {picked} again, and {ponds[picked]} begins."
        case PendingConfirmation() as about:
            return _format_pending(game, about)
        case Mismatch() as differs:
            return _format_mismatch(game, wood, differs)
    return None


def _format_pending(game: InterpretedGame, about: PendingConfirmation) -> str:
    position, if_still = game.position, f"If nothing moves for {about.confirm_seconds:g} seconds"
    match about.intent:
        case Moves(actions):
            told = " and ".join(_format_pending_action(position, action) for action in actions)
            if about.needs_gesture:
                nod = f"nod once more (lift another piece and put it back) within {about.confirm_seconds:g} seconds"
                return f"{told[0].upper()}{told[1:]}? If that is {position.to_move}'s turn, {nod}; if not, wait."
            told = f"{told[0].upper()}{told[1:]}? {if_still}, that is {position.to_move}'s turn."
        case TakeBack(turns):
            what = "the last turn" if turns == 1 else f"the last {turns} turns"
            told = f"So the board stood before {what}. {if_still}, {what} will be taken back."
        case _:
            told = f"The board is cleared. {if_still}, another game can be chosen. Or put the pieces back."
    return f"{told} Lift a piece and put it down again if it was something else." if about.other_count else told


def _format_pending_action(position: Position, action: Action) -> str:
    if action.source is None:
        return f"an egg on {action.target}"
    return f"the {find_moved_piece(position, action).symbol} from {action.source} to {action.target}"


def _format_mismatch(game: InterpretedGame, wood: BoardState, differs: Mismatch) -> str:
    if differs.blocked_action:
        first = join_words([f"the piece of {step.target}" for step in differs.repair_steps])
        return f"Put {first} back, turned over; then {_format_pending_action(game.position, differs.blocked_action)} counts."
    told = [_format_cause(game.position, wood, differs)]
    if differs.repair_steps:
        step = _format_repair_step(game, differs, differs.repair_steps[0])
        more = len(differs.repair_steps) - 1
        told.append(f"{step}{f' ({more} more to do)' if more else ''}.")
    if differs.half_done_action:
        (held,) = differs.difference.missing - {differs.half_done_action.source}
        told.append(
            f"If {_format_pending_action(game.position, differs.half_done_action)} was meant, put the piece of {held} back first."
        )
    if differs.offered_action:
        target, mover = differs.offered_action.target, game.position.to_move
        told.append(f"If that is {mover}'s turn, lift the piece on {target} and put it down there once more.")
    elif differs.turns_to_fit:
        turns = "one turn" if differs.turns_to_fit == 1 else f"{differs.turns_to_fit} turns"
        told.append(f"Or the board is right: {turns} ago the game stood like this.")
    return " ".join(filter(None, told))


def _format_cause(position: Position, wood: BoardState, differs: Mismatch) -> str:
    """What is wrong: for one piece why the rules do not allow it, else what is missing and what is too many."""
    missing, extra, strangers = differs.difference
    mover = position.to_move
    if not wood.synced_since_turn and not differs.offered_action and len(differs.repair_steps) == 1:
        return ""  # nobody has done anything wrong: hands have yet to follow the game
    if len(missing) == 1 and not extra and not strangers:
        (cell,) = missing
        return _format_lifted(position, cell)
    if len(extra) == 1 and not strangers and len(missing) <= 1 and not differs.offered_action:
        (target,) = extra
        source = next(iter(missing), None)
        piece = position.piece_at(source) if source else None
        whose = piece.owner if piece else mover
        felt = wood.sensed_owners.get(target, whose)
        if felt is not whose and not source:
            return f"The piece on {target} is {felt}'s, and it is {mover}'s turn."
        why = explain_illegal_action(position, Action(source, target))
        if why and wood.synced_since_turn and felt is whose:
            return why
    told = [f"nothing is felt on {join_words(sorted(missing))}"] if missing else []
    told += [f"there should be nothing on {join_words(sorted(extra))}"] if extra else []
    # The owner follows from the reading. What is felt now may be newer: a hand may have taken the piece.
    told += [f"the piece on {cell} is {position.pieces[cell].owner.other_side}'s" for cell in sorted(strangers)]
    return f"Board and game differ: {', '.join(told)}."


def _format_lifted(position: Position, cell: Cell) -> str:
    refused = selection.interpret_press(position, None, cell)
    if isinstance(refused, selection.RefusePress):
        return refused.sentence
    return f"Nothing is felt on {cell}."


def _format_repair_step(game: InterpretedGame, differs: Mismatch, step: RepairStep) -> str:
    source, target = step
    pieces = game.turns[-1].before.pieces if differs.leads_back else game.position.pieces
    if target is None:
        return f"Take the piece off {source}"
    piece = pieces[target]
    if source is None:
        back = ", or put the scored pieces back to take the last turn back" if differs.leads_back else ""
        return f"Put {piece.owner}'s {piece.symbol} on {target}{back}"
    return f"Put the piece from {source} on {target}: it is {piece.owner}'s {piece.symbol}"
