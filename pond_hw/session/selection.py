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

from pond_hw.rules import Action, Cell, Position, Symbol, legal_actions, refusal


class Choose(NamedTuple):
    """This piece is chosen now; its targets may light."""

    cell: Cell


class LetGo(NamedTuple):
    """Nothing is chosen any more."""


class Refuse(NamedTuple):
    """The press means nothing here; the sentence says why."""

    sentence: str


Answer = Action | Choose | LetGo | Refuse


class _On(Enum):
    """What a finger can be on."""

    EMPTY = auto()
    TARGET = auto()
    ITSELF = auto()
    MOVER = auto()
    OTHER = auto()


_TABLE: dict[tuple[bool, _On], Callable[[Cell | None, Cell], Answer]] = {
    (False, _On.EMPTY): lambda _, cell: Action(None, cell),
    (False, _On.MOVER): lambda _, cell: Choose(cell),
    (True, _On.TARGET): Action,
    (True, _On.ITSELF): lambda *_: LetGo(),
    (True, _On.MOVER): lambda _, cell: Choose(cell),
}


def targets(position: Position, source: Cell) -> tuple[Cell, ...]:
    """Where the piece on a cell may go, in the order of `Grid.cells`; nowhere if it may not move."""
    return tuple(action.target for action in legal_actions(position) if action.source == source)


def press(position: Position, chosen: Cell | None, cell: Cell) -> Answer:
    """What a finger on `cell` means while `chosen` (or nothing) is chosen. The cell must be one of the pond's."""
    meaning = _TABLE.get((chosen is not None, _under(position, chosen, cell)))
    return meaning(chosen, cell) if meaning else Refuse(_why_not(position, chosen, cell))


def _under(position: Position, chosen: Cell | None, cell: Cell) -> _On:
    if cell == chosen:
        return _On.ITSELF
    if position.piece(cell):
        return _On.MOVER if targets(position, cell) else _On.OTHER
    return _On.TARGET if chosen and cell in targets(position, chosen) else _On.EMPTY


def _why_not(position: Position, chosen: Cell | None, cell: Cell) -> str:
    piece = position.piece(cell)
    if chosen and (piece is None or piece.owner is not position.to_move):
        why = refusal(position, Action(chosen, cell))
    elif piece and piece.owner is not position.to_move:
        why = f"It is {position.to_move}'s turn, and the {piece.symbol} on {cell} is {piece.owner}'s."
    elif piece and piece.symbol is not Symbol.EGG:
        why = f"The {piece.symbol} on {cell} has nowhere to go."
    else:
        why = refusal(position, Action(cell, cell))
    assert why, "what is legal has its place in the table"
    return why
