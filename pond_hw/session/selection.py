"""Playing with buttons and no pieces: press, see where it may go, press again.

One table holds the conversation. What the finger is on, and whether a piece is chosen already,
say what the press means; a pair that is not in the table is refused.

    finger is on                      nothing chosen   a piece chosen
    an empty cell                     place an egg     -
    an empty cell it may go to                         move there
    the chosen piece itself                            let it go
    an own tadpole or frog that can   choose it        choose it instead
    anything else                     -                -
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import NamedTuple

from pond_hw.rules import Action, Cell, Position, Symbol, explain_illegal_action, legal_actions


class SelectPiece(NamedTuple):
    """This piece is chosen now; its targets may light."""

    cell: Cell


class DeselectPiece(NamedTuple):
    """Nothing is chosen any more."""


class RefusePress(NamedTuple):
    """The press means nothing here; the sentence says why."""

    sentence: str


PressResult = Action | SelectPiece | DeselectPiece | RefusePress


class _PressedOn(Enum):
    """What a finger can be on."""

    EMPTY = auto()
    TARGET = auto()
    ITSELF = auto()
    MOVER = auto()
    OTHER = auto()


_PRESS_TABLE: dict[tuple[bool, _PressedOn], Callable[[Cell | None, Cell], PressResult]] = {
    (False, _PressedOn.EMPTY): lambda _, cell: Action(None, cell),
    (False, _PressedOn.MOVER): lambda _, cell: SelectPiece(cell),
    (True, _PressedOn.TARGET): Action,
    (True, _PressedOn.ITSELF): lambda *_: DeselectPiece(),
    (True, _PressedOn.MOVER): lambda _, cell: SelectPiece(cell),
}


def find_targets(position: Position, source_cell: Cell) -> tuple[Cell, ...]:
    """Where the piece on a cell may go, in the order of `Grid.cells`; nowhere if it may not move."""
    return tuple(action.target for action in legal_actions(position) if action.source == source_cell)


def interpret_press(position: Position, selected_cell: Cell | None, pressed_cell: Cell) -> PressResult:
    """What a finger on `pressed_cell` means while `selected_cell` (or nothing) is chosen. The cell must be one of the pond's."""
    pressed_on = _classify_press(position, selected_cell, pressed_cell)
    if press_handler := _PRESS_TABLE.get((selected_cell is not None, pressed_on)):
        return press_handler(selected_cell, pressed_cell)
    return RefusePress(_explain_refusal(position, selected_cell, pressed_cell))


def _classify_press(position: Position, selected_cell: Cell | None, pressed_cell: Cell) -> _PressedOn:
    if pressed_cell == selected_cell:
        return _PressedOn.ITSELF
    if position.piece_at(pressed_cell):
        return _PressedOn.MOVER if find_targets(position, pressed_cell) else _PressedOn.OTHER
    is_target = selected_cell is not None and pressed_cell in find_targets(position, selected_cell)
    return _PressedOn.TARGET if is_target else _PressedOn.EMPTY


def _explain_refusal(position: Position, selected_cell: Cell | None, pressed_cell: Cell) -> str:
    piece = position.piece_at(pressed_cell)
    if selected_cell and (piece is None or piece.owner is not position.to_move):
        reason = explain_illegal_action(position, Action(selected_cell, pressed_cell))
    elif piece and piece.owner is not position.to_move:
        reason = f"It is {position.to_move}'s turn, and the {piece.symbol} on {pressed_cell} is {piece.owner}'s."
    elif piece and piece.symbol is not Symbol.EGG:
        reason = f"The {piece.symbol} on {pressed_cell} has nowhere to go."
    else:
        reason = explain_illegal_action(position, Action(pressed_cell, pressed_cell))
    assert reason, "what is legal has its place in the table"
    return reason
