"""A turn is action, develop, score, in that order; this file is those three steps and what they end.

An action is written `@b2` (place an egg) or `b2b3` (move a tadpole or frog). Nothing else is
written: develop and score follow by rule, and `play` tells them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, lru_cache
from typing import NamedTuple

from pond_hw.rules.grid import Cell, Grid, NotationError, PondError, get_grid, iterate_bits, line_mask
from pond_hw.rules.position import DARK, LIGHT, OPPONENT, Piece, Position, Side, Symbol


class IllegalAction(PondError):
    """The rules do not allow this action now; the message is the reason, as a sentence."""


class Action(NamedTuple):
    """What a side does in its turn: an egg from the spawn (`source` is None) or a piece from a cell, onto `target`."""

    source: Cell | None
    target: Cell

    @classmethod
    def from_notation(cls, text: str) -> Action:
        """The action that a text tells: `@b2` or `b2b3`.

        Raises:
            NotationError: it is neither.
        """
        if not re.fullmatch(r"(@|[a-e][1-5])[a-e][1-5]", text, re.ASCII):
            raise NotationError(f"An action is written @b2 (place an egg) or b2b3 (move a piece), not {text[:40]!r}.")
        return cls(None if text[0] == "@" else text[:2], text[-2:])

    def __str__(self) -> str:
        return f"{self.source or '@'}{self.target}"


class DevelopedPiece(NamedTuple):
    """One piece that changed its symbol in the develop step."""

    cell: Cell
    owner: Side
    old_symbol: Symbol
    new_symbol: Symbol


class EndReason(Enum):
    """Why a game ended. The last two are the players' own doing, and rules know nothing of them."""

    SCORE = "score"
    ELIMINATION = "elimination"
    RESIGNATION = "resignation"
    AGREEMENT = "agreement"


class Outcome(NamedTuple):
    """How a game ended; `winner` is None for a draw."""

    winner: Side | None
    reason: EndReason


@dataclass(frozen=True)
class Turn:
    """One whole turn, as lamps, screens and messages show it.

    Attributes:
        before: the position in which the action was taken.
        action: the action.
        after: the position for the opponent, or the last one of the game.
    """

    before: Position
    action: Action
    after: Position
    _neighbour_mask: int
    _scored_mask: int

    @property
    def side(self) -> Side:
        """Who took the turn."""
        return self.before.to_move

    @property
    def acted_piece(self) -> Piece:
        """The piece that acted, as it now stands: the acted piece does not develop."""
        source = self.action.source
        moved = self.before.piece_at(source) if source else None
        return moved or Piece(self.side, Symbol.EGG)

    @cached_property
    def developed_pieces(self) -> tuple[DevelopedPiece, ...]:
        """What changed its symbol, from and to, in the order of `Grid.cells`."""
        pieces, here = self.before.pieces, self.action.source
        return tuple(
            DevelopedPiece(cell, pieces[cell].owner, pieces[cell].symbol, pieces[cell].symbol.next_symbol)
            for cell in self.before.grid.list_cells(self._neighbour_mask)
            if cell in pieces and cell != here
        )

    @cached_property
    def pieces_after_develop(self) -> dict[Cell, Piece]:
        """What stood on the board after the develop step, before the sets were taken off."""
        pieces = self.before.pieces
        if self.action.source:
            del pieces[self.action.source]
        pieces |= {d.cell: Piece(d.owner, d.new_symbol) for d in self.developed_pieces}
        pieces[self.action.target] = self.acted_piece
        return pieces

    @cached_property
    def sets(self) -> tuple[tuple[Cell, ...], ...]:
        """The lines of three or more that scored, each as long as it can be; crossing sets share a cell.

        Eggs come first, then tadpoles, then frogs; of each the rows before the columns.
        """
        on, standing = self.before.grid, self.pieces_after_develop
        stages = (on.mask_of(c for c, p in standing.items() if p.symbol is symbol) for symbol in Symbol)
        return tuple(run for stage in stages for run in on.find_runs(stage))

    @cached_property
    def scored_cells(self) -> dict[Side, tuple[Cell, ...]]:
        """For each side, the cells from which its own pieces went to its scoring pile."""
        taken = self.before.grid.list_cells(self._scored_mask)
        return {side: tuple(c for c in taken if self.pieces_after_develop[c].owner is side) for side in Side}

    @property
    def outcome(self) -> Outcome | None:
        """How this turn ended the game, or None."""
        return find_outcome(self.after)


def legal_actions(position: Position) -> tuple[Action, ...]:
    """Every action the side to move may take: placements, then moves, each in the order of `Grid.cells`.

    A finished game has none.
    """
    pond, light, dark, eggs, tadpoles, _, mover, spawn, scored = position
    if scored[LIGHT] >= pond.target or scored[DARK] >= pond.target:
        return ()
    on = get_grid(pond.size)
    empty = on.full_mask ^ (light | dark)
    actions = _list_placements(pond.size, empty) if spawn[mover] else ()
    for here in iterate_bits((dark if mover else light) & ~eggs):
        actions += _list_moves(pond.size, here, _reach_mask(on, here, tadpoles) & empty)
    return actions


def _reach_mask(on: Grid, here: int, tadpoles: int) -> int:
    """Where a tadpole or frog could go from its cell if all were empty.

    What stands between a frog and the cell two steps away does not matter: it hops.
    """
    return on.neighbour_masks[here] if here & tadpoles else on.frog_reach_masks[here]


# What one mask of targets means as actions is asked again and again; the answers are few and never change.
@lru_cache(maxsize=1 << 12)
def _list_placements(size: int, targets: int) -> tuple[Action, ...]:
    return tuple(Action(None, cell) for cell in get_grid(size).list_cells(targets))


@lru_cache(maxsize=1 << 12)
def _list_moves(size: int, source: int, targets: int) -> tuple[Action, ...]:
    on = get_grid(size)
    return tuple(Action(on.cell_by_mask[source], cell) for cell in on.list_cells(targets))


def can_act(position: Position) -> bool:
    """Whether the side to move has any piece to act with, whatever the score."""
    pond, light, dark, eggs, tadpoles, _, mover, spawn, _ = position
    on = get_grid(pond.size)
    empty = on.full_mask ^ (light | dark)
    if empty and spawn[mover]:
        return True
    movers = (dark if mover else light) & ~eggs
    return any(_reach_mask(on, here, tadpoles) & empty for here in iterate_bits(movers))


def find_outcome(position: Position) -> Outcome | None:
    """How the game has ended in this position, or None while it goes on.

    Score is looked at first: a side that has just passed the target wins even if the other cannot act.
    """
    light, dark = position.scored
    if max(light, dark) >= position.variant.target:
        winner = None if light == dark else LIGHT if light > dark else DARK
        return Outcome(winner, EndReason.SCORE)
    if not can_act(position):
        return Outcome(position.to_move.other_side, EndReason.ELIMINATION)
    return None


def explain_illegal_action(position: Position, action: Action) -> str | None:
    """Why this action is not allowed, as a sentence; None if it is."""
    source, target = action
    size, mover = position.variant.size, position.to_move
    mask_by_cell = get_grid(size).mask_by_cell
    for cell in action:
        if cell is not None and cell not in mask_by_cell:
            return f"{cell} is not a cell of this {size}x{size} pond."
    if find_outcome(position):
        return "The game is over."
    if source is not None:
        why = _explain_illegal_move(position, source, target)
    else:
        why = None if position.spawn[mover] else f"{str(mover).capitalize()} has no eggs left to place."
    if why is None and mask_by_cell[target] & (position.light | position.dark):
        return f"{target} is not empty."
    return why


def _explain_illegal_move(position: Position, source: Cell, target: Cell) -> str | None:
    """Why no piece may go from one cell to another, even if that were empty."""
    pond, light, dark, eggs, tadpoles, _, mover, _, _ = position
    on = get_grid(pond.size)
    here = on.mask_by_cell[source]
    if not here & (light | dark):
        return f"There is no piece on {source}."
    if not here & (dark if mover else light):
        return f"It is {mover}'s turn."
    if here & eggs:
        return "Eggs do not move once they are on the board."
    if source == target:
        return f"The {'tadpole' if here & tadpoles else 'frog'} on {source} must go to another cell."
    if _reach_mask(on, here, tadpoles) & on.mask_by_cell[target]:
        return None
    if here & tadpoles:
        return "A tadpole moves one step, up, down, left or right."
    return "A frog moves one or two steps in a straight line."


def play(position: Position, action: Action) -> Turn:
    """Take the whole turn: action, develop, score.

    Raises:
        IllegalAction: the rules do not allow it; the position is unchanged, as positions always are.
    """
    why = explain_illegal_action(position, action)
    if why:
        raise IllegalAction(why)
    after, nearby, taken = _apply_action(position, action)
    return Turn(position, action, after, nearby, taken)


def _apply_action(position: Position, action: Action) -> tuple[Position, int, int]:
    """A legal action's position after, the cells beside it, and the cells that scored (both as masks)."""
    pond, light, dark, eggs, tadpoles, frogs, mover, spawn, scored = position
    on = get_grid(pond.size)

    # 1. Action: an egg from the spawn, or a tadpole or frog from its cell.
    here = on.mask_by_cell[action.target]
    stepped = here
    if action.source is None:
        eggs |= here
        spawn = (spawn[LIGHT], spawn[DARK] - 1) if mover else (spawn[LIGHT] - 1, spawn[DARK])
    else:
        stepped |= on.mask_by_cell[action.source]
        if tadpoles & stepped:
            tadpoles ^= stepped
        else:
            frogs ^= stepped
    if mover:
        dark ^= stepped
    else:
        light ^= stepped

    # 2. Develop: every piece beside it, whoever owns it, all at the same moment.
    beside = on.neighbour_masks[here]
    far = ~beside
    eggs, tadpoles, frogs = (
        eggs & far | frogs & beside,
        tadpoles & far | eggs & beside,
        frogs & far | tadpoles & beside,
    )

    # 3. Score: all sets are found first, then every piece in one of them leaves for its owner's pile.
    taken = line_mask(pond.size, eggs) | line_mask(pond.size, tadpoles) | line_mask(pond.size, frogs)
    if taken:
        scored = (scored[LIGHT] + (light & taken).bit_count(), scored[DARK] + (dark & taken).bit_count())
        stays = ~taken
        light, dark, eggs, tadpoles, frogs = light & stays, dark & stays, eggs & stays, tadpoles & stays, frogs & stays

    after = Position(pond, light, dark, eggs, tadpoles, frogs, OPPONENT[mover], spawn, scored)
    return after, beside, taken


def perft(position: Position, depth: int) -> int:
    """The number of legal sequences of exactly `depth` actions; a finished game adds nothing.

    The last action of each sequence is counted without being played.
    """
    if depth < 1:
        return 1
    actions = legal_actions(position)
    if depth == 1:
        return len(actions)
    return sum(perft(_apply_action(position, action)[0], depth - 1) for action in actions)
