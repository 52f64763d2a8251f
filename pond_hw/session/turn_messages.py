"""Messages about turns, prompts, outcomes and refused presses."""

from __future__ import annotations

from collections.abc import Sequence

from pond_hw.messages.message import Message
from pond_hw.rules import (
    DARK,
    EGG,
    LIGHT,
    Action,
    Cell,
    EndReason,
    Outcome,
    Position,
    Symbol,
    Turn,
    explain_illegal_action,
    legal_actions,
)


def describe_turn(turn: Turn) -> tuple[Message, ...]:
    action = describe_action("turn", turn.before, turn.action)
    return (action, *_describe_developed("turn", turn), *describe_sets("turn", turn))


def describe_preview(turn: Turn, subject: str = "preview") -> tuple[Message, ...]:
    """Describe a turn before it is taken: its action, its consequences and any outcome."""
    consequences = (*_describe_developed("preview", turn), *describe_sets("preview", turn))
    ending = (describe_outcome(turn.outcome, turn.after),) if turn.outcome else ()
    action = describe_action(subject, turn.before, turn.action)
    return (action, *(consequences or (Message("preview.nothing"),)), *ending)


def describe_action(subject: str, position: Position, action: Action) -> Message:
    """Describe an action, using the messages `SUBJECT.place` and `SUBJECT.move.SYMBOL`."""
    side = str(position.to_move)
    if action.source is None:
        return Message(f"{subject}.place", side=side, cell=action.target)
    symbol = position.pieces[action.source].symbol
    return Message(f"{subject}.move.{symbol}", side=side, source=action.source, target=action.target)


def _describe_developed(subject: str, turn: Turn) -> tuple[Message, ...]:
    cells_by_symbol = {
        symbol: tuple(developed.cell for developed in turn.developed_pieces if developed.new_symbol is symbol)
        for symbol in Symbol
    }
    return tuple(
        Message(f"{subject}.develop.{symbol}", cells=cells, count=len(cells))
        for symbol, cells in cells_by_symbol.items()
        if cells
    )


def describe_sets(subject: str, turn: Turn) -> tuple[Message, ...]:
    sets = (
        Message(f"{subject}.set.{turn.pieces_after_develop[run[0]].symbol}", cells=tuple(run), count=len(run))
        for run in turn.sets
    )
    gains = (
        Message(f"{subject}.gain", side=str(side), count=len(cells))
        for side, cells in turn.scored_cells.items()
        if cells
    )
    return (*sets, *gains)


def describe_outcome(outcome: Outcome, position: Position) -> Message:
    (winner, reason), scored = outcome, position.scored
    if winner is None:
        is_agreed = reason is EndReason.AGREEMENT
        return Message("outcome.agreed_draw" if is_agreed else "outcome.draw", light=scored[LIGHT], dark=scored[DARK])
    loser = winner.other_side
    if reason is EndReason.SCORE:
        return Message("outcome.score", winner=str(winner), most=scored[winner], least=scored[loser])
    return Message(f"outcome.{reason.value}", winner=str(winner), loser=str(loser))


def describe_end(position: Position, outcome: Outcome | None) -> Message:
    return describe_outcome(outcome, position) if outcome else Message("game.unfinished", side=str(position.to_move))


def prompt_turn(position: Position, *, has_pieces: bool = False) -> Message:
    """Tell the side to move what it can do on a board with buttons or pieces."""
    side = position.to_move
    has_movers = any(piece.owner is side and piece.symbol is not EGG for piece in position.pieces.values())
    choices = "place_or_move" if has_movers and position.spawn[side] else "move" if has_movers else "place"
    return Message(f"prompt.{'pieces' if has_pieces else 'buttons'}.{choices}", side=str(side))


def describe_targets(position: Position, chosen: Cell, target_cells: Sequence[Cell]) -> Message:
    return Message(f"chosen.{position.pieces[chosen].symbol}", cell=chosen, cells=tuple(target_cells))


def find_targets(position: Position, source_cell: Cell) -> tuple[Cell, ...]:
    """Return the cells that a cell's piece may move to, in the order of `Grid.cells`."""
    return tuple(action.target for action in legal_actions(position) if action.source == source_cell)


def explain_refusal(position: Position, selected_cell: Cell | None, pressed_cell: Cell) -> Message:
    """Explain why a press on `pressed_cell` does nothing while `selected_cell` (if any) is selected."""
    piece = position.piece_at(pressed_cell)
    if selected_cell and (piece is None or piece.owner is not position.to_move):
        reason = explain_illegal_action(position, Action(selected_cell, pressed_cell))
    elif piece and piece.owner is position.to_move and piece.symbol is not Symbol.EGG:
        reason = Message(f"illegal.nowhere_to_go.{piece.symbol}", cell=pressed_cell)
    else:
        reason = explain_illegal_action(position, Action(pressed_cell, pressed_cell))
    assert reason, "legal presses are handled by the caller"
    return reason
