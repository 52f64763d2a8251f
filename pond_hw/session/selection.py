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


def find_targets(position: Position, source: Cell) -> tuple[Cell, ...]:
    """Where the piece on a cell may go, in the order of `Grid.cells`; nowhere if it may not move."""
    return tuple(action.target for action in legal_actions(position) if action.source == source)


def interpret_press(position: Position, chosen: Cell | None, cell: Cell) -> PressResult:
    """What a finger on `cell` means while `chosen` (or nothing) is chosen. The cell must be one of the pond's."""
    meaning = _PRESS_TABLE.get((chosen is not None, _classify_press(position, chosen, cell)))
    return meaning(chosen, cell) if meaning else RefusePress(_explain_refusal(position, chosen, cell))


def _classify_press(position: Position, chosen: Cell | None, cell: Cell) -> _PressedOn:
    if cell == chosen:
        return _PressedOn.ITSELF
    if position.piece_at(cell):
        return _PressedOn.MOVER if find_targets(position, cell) else _PressedOn.OTHER
    return _PressedOn.TARGET if chosen and cell in find_targets(position, chosen) else _PressedOn.EMPTY


def _explain_refusal(position: Position, chosen: Cell | None, cell: Cell) -> str:
    piece = position.piece_at(cell)
    if chosen and (piece is None or piece.owner is not position.to_move):
        why = explain_illegal_action(position, Action(chosen, cell))
    elif piece and piece.owner is not position.to_move:
        why = f"It is {position.to_move}'s turn, and the {piece.symbol} on {cell} is {piece.owner}'s."
    elif piece and piece.symbol is not Symbol.EGG:
        why = f"The {piece.symbol} on {cell} has nowhere to go."
    else:
        why = explain_illegal_action(position, Action(cell, cell))
    assert why, "what is legal has its place in the table"
    return why
