"""Playing with buttons and no pieces: press, see where it may go, press again.

What the finger is on, and whether a piece is chosen already, say what a press means (`event_steps.press_cell`):

    finger is on                      nothing chosen   a piece chosen
    an empty cell                     place an egg     -
    an empty cell it may go to                         move there
    the chosen piece itself                            let it go
    an own tadpole or frog that can   choose it        choose it instead
    anything else                     -                -
"""

from __future__ import annotations

from pond_hw.messages.message import Message
from pond_hw.rules import Action, Cell, Position, Symbol, explain_illegal_action, legal_actions


def find_targets(position: Position, source_cell: Cell) -> tuple[Cell, ...]:
    """Where the piece on a cell may go, in the order of `Grid.cells`; nowhere if it may not move."""
    return tuple(action.target for action in legal_actions(position) if action.source == source_cell)


def explain_refusal(position: Position, selected_cell: Cell | None, pressed_cell: Cell) -> Message:
    """Why a finger on `pressed_cell` means nothing while `selected_cell` (or nothing) is chosen."""
    piece = position.piece_at(pressed_cell)
    if selected_cell and (piece is None or piece.owner is not position.to_move):
        reason = explain_illegal_action(position, Action(selected_cell, pressed_cell))
    elif piece and piece.owner is position.to_move and piece.symbol is not Symbol.EGG:
        reason = Message(f"illegal.nowhere_to_go.{piece.symbol}", cell=pressed_cell)
    else:
        reason = explain_illegal_action(position, Action(pressed_cell, pressed_cell))
    assert reason, "what is legal has its place in the table"
    return reason
