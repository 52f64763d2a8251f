"""Turns: action, develop and score, in that order, and the end of the game.

Actions are written `@b2` (place an egg) or `b2b3` (move a tadpole or frog). `play` computes the develop and score steps,
which follow from the rules.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, lru_cache
from typing import NamedTuple

from pond_hw.messages.message import Message, PondError
from pond_hw.rules.grid import Cell, Grid, NotationError, get_grid, iterate_bits, line_mask
from pond_hw.rules.position import DARK, FROG, LIGHT, OPPONENT, TADPOLE, Piece, Position, Side, Symbol


class IllegalAction(PondError):
    """Action that the rules do not allow in this position."""


class Action(NamedTuple):
    """Placement of an egg (`source` is None) or move of a piece from `source` to `target`."""

    source: Cell | None
    target: Cell

    @classmethod
    def from_notation(cls, notation: str) -> Action:
        """Parse an action such as `@b2` or `b2b3`.

        Raises:
            NotationError: the text is not an action.
        """
        if not re.fullmatch(r"(@|[a-e][1-5])[a-e][1-5]", notation, re.ASCII):
            raise NotationError(Message("action.wrong_notation", text=notation[:40]))
        return cls(None if notation[0] == "@" else notation[:2], notation[-2:])

    def __str__(self) -> str:
        return f"{self.source or '@'}{self.target}"


class DevelopedPiece(NamedTuple):
    """Piece that changed its symbol in the develop step."""

    cell: Cell
    owner: Side
    old_symbol: Symbol
    new_symbol: Symbol


class EndReason(Enum):
    """Reason why a game ended. The first two follow from the rules, the others are declared by the players."""

    SCORE = "score"
    ELIMINATION = "elimination"
    RESIGNATION = "resignation"
    AGREEMENT = "agreement"


class Outcome(NamedTuple):
    """Result of a game; `winner` is None for a draw."""

    winner: Side | None
    reason: EndReason


@dataclass(frozen=True)
class Turn:
    """Complete turn: the action, its effects, and the positions before and after it."""

    before: Position
    action: Action
    after: Position
    _neighbour_mask: int
    _scored_mask: int

    @property
    def side(self) -> Side:
        """Side that took the turn."""
        return self.before.to_move

    @property
    def acted_piece(self) -> Piece:
        """Piece that was placed or moved. It does not develop, so its symbol stays the same."""
        source = self.action.source
        moved_piece = self.before.piece_at(source) if source else None
        return moved_piece or Piece(self.side, Symbol.EGG)

    @cached_property
    def developed_pieces(self) -> tuple[DevelopedPiece, ...]:
        """Pieces whose symbol changed, in the order of `Grid.cells`."""
        pieces, source_cell = self.before.pieces, self.action.source
        return tuple(
            DevelopedPiece(cell, pieces[cell].owner, pieces[cell].symbol, pieces[cell].symbol.next_symbol)
            for cell in self.before.grid.list_cells(self._neighbour_mask)
            if cell in pieces and cell != source_cell
        )

    @cached_property
    def pieces_after_develop(self) -> dict[Cell, Piece]:
        """Pieces on the board after the develop step, before sets are removed."""
        pieces = self.before.pieces
        if self.action.source:
            del pieces[self.action.source]
        pieces |= {developed.cell: Piece(developed.owner, developed.new_symbol) for developed in self.developed_pieces}
        pieces[self.action.target] = self.acted_piece
        return pieces

    @cached_property
    def sets(self) -> tuple[tuple[Cell, ...], ...]:
        """Lines of three or more pieces that scored, each at its full length. Crossing sets share a cell.

        They are ordered by symbol (eggs, tadpoles, frogs), with rows before columns.
        """
        grid, standing_pieces = self.before.grid, self.pieces_after_develop
        cells_by_symbol = (
            [cell for cell in standing_pieces if standing_pieces[cell].symbol is symbol] for symbol in Symbol
        )
        return tuple(cell_run for cells in cells_by_symbol for cell_run in grid.find_runs(grid.mask_of(cells)))

    @cached_property
    def scored_cells(self) -> dict[Side, tuple[Cell, ...]]:
        """Cells of the scored pieces, by owner."""
        taken = self.before.grid.list_cells(self._scored_mask)
        return {side: tuple(cell for cell in taken if self.pieces_after_develop[cell].owner is side) for side in Side}

    @property
    def outcome(self) -> Outcome | None:
        """Result of the game if this turn ended it, otherwise None."""
        return find_outcome(self.after)


def legal_actions(position: Position) -> tuple[Action, ...]:
    """Return all legal actions: placements, then moves, each in the order of `Grid.cells`.

    A finished game has none.
    """
    variant, light, dark, eggs, tadpoles, _, mover, spawn, scored = position
    if scored[LIGHT] >= variant.target or scored[DARK] >= variant.target:
        return ()
    grid = get_grid(variant.size)
    empty_mask = grid.full_mask ^ (light | dark)
    allowed_actions = _list_actions(variant.size, 0, empty_mask) if spawn[mover] else ()
    for cell_mask in iterate_bits((dark if mover else light) & ~eggs):
        allowed_actions += _list_actions(variant.size, cell_mask, _reach_mask(grid, cell_mask, tadpoles) & empty_mask)
    return allowed_actions


def _reach_mask(grid: Grid, cell_mask: int, tadpoles: int) -> int:
    """Return the cells that a tadpole or frog could reach on an empty board.

    A piece between a frog and the cell two steps away does not matter: the frog hops.
    """
    return grid.neighbour_masks[cell_mask] if cell_mask & tadpoles else grid.frog_reach_masks[cell_mask]


@lru_cache(maxsize=1 << 13)  # called very often with few distinct arguments
def _list_actions(grid_size: int, source_mask: int, target_mask: int) -> tuple[Action, ...]:
    grid = get_grid(grid_size)
    return tuple(Action(grid.cell_by_mask.get(source_mask), cell) for cell in grid.list_cells(target_mask))


def can_act(position: Position) -> bool:
    """Return True if the side to move has a placement or a move, regardless of the score."""
    variant, light, dark, eggs, tadpoles, _, mover, spawn, _ = position
    grid = get_grid(variant.size)
    empty_mask = grid.full_mask ^ (light | dark)
    if empty_mask and spawn[mover]:
        return True
    mover_mask = (dark if mover else light) & ~eggs
    return any(_reach_mask(grid, cell_mask, tadpoles) & empty_mask for cell_mask in iterate_bits(mover_mask))


def find_outcome(position: Position) -> Outcome | None:
    """Return the result of the game in this position, or None while the game is in progress.

    The score takes precedence: a side that has reached the target wins even if its opponent cannot act.
    """
    light_score, dark_score = position.scored
    if max(light_score, dark_score) >= position.variant.target:
        winner = None if light_score == dark_score else LIGHT if light_score > dark_score else DARK
        return Outcome(winner, EndReason.SCORE)
    if not can_act(position):
        return Outcome(position.to_move.other_side, EndReason.ELIMINATION)
    return None


def explain_illegal_action(position: Position, action: Action) -> Message | None:
    """Return the reason why an action is illegal, or None if it is legal."""
    source, target = action
    grid_size, mover = position.variant.size, position.to_move
    mask_by_cell = get_grid(grid_size).mask_by_cell
    for cell in action:
        if cell is not None and cell not in mask_by_cell:
            return Message("illegal.no_such_cell", cell=cell, size=grid_size)
    if find_outcome(position):
        return Message("illegal.game_over")
    if source is not None:
        reason = _explain_illegal_move(position, source, target)
    else:
        reason = None if position.spawn[mover] else Message("illegal.no_eggs_left", side=str(mover))
    if reason is None and mask_by_cell[target] & (position.light | position.dark):
        return Message("illegal.not_empty", cell=target)
    return reason


def _explain_illegal_move(position: Position, source: Cell, target: Cell) -> Message | None:
    """Return the reason why a move is illegal, or None. Whether the target is empty is not checked."""
    variant, light, dark, eggs, tadpoles, _, mover, _, _ = position
    grid = get_grid(variant.size)
    cell_mask = grid.mask_by_cell[source]
    if not cell_mask & (light | dark):
        return Message("illegal.no_piece", cell=source)
    if not cell_mask & (dark if mover else light):
        return Message("illegal.other_owner", cell=source, owner=str(OPPONENT[mover]), side=str(mover))
    if cell_mask & eggs:
        return Message("illegal.egg_cannot_move")
    if source == target:
        return Message(f"illegal.same_cell.{TADPOLE if cell_mask & tadpoles else FROG}", cell=source)
    if _reach_mask(grid, cell_mask, tadpoles) & grid.mask_by_cell[target]:
        return None
    if cell_mask & tadpoles:
        return Message("illegal.tadpole_reach")
    return Message("illegal.frog_reach")


def play(position: Position, action: Action) -> Turn:
    """Play a whole turn: action, develop, score.

    Raises:
        IllegalAction: the rules do not allow the action.
    """
    reason = explain_illegal_action(position, action)
    if reason:
        raise IllegalAction(reason)
    position_after, neighbour_mask, scored_mask = _apply_action(position, action)
    return Turn(position, action, position_after, neighbour_mask, scored_mask)


def _apply_action(position: Position, action: Action) -> tuple[Position, int, int]:
    """Return the position after a legal action, the mask of the target's neighbours, and the mask of the scored cells."""
    variant, light, dark, eggs, tadpoles, frogs, mover, spawn, scored = position
    grid = get_grid(variant.size)

    # 1. Action: place an egg, or move a tadpole or frog.
    cell_mask = grid.mask_by_cell[action.target]
    step_mask = cell_mask
    if action.source is None:
        eggs |= cell_mask
        spawn = (spawn[LIGHT], spawn[DARK] - 1) if mover else (spawn[LIGHT] - 1, spawn[DARK])
    else:
        step_mask |= grid.mask_by_cell[action.source]
        if tadpoles & step_mask:
            tadpoles ^= step_mask
        else:
            frogs ^= step_mask
    if mover:
        dark ^= step_mask
    else:
        light ^= step_mask

    # 2. Develop: all neighbours of the target at once, of both sides.
    neighbour_mask = grid.neighbour_masks[cell_mask]
    distant_mask = ~neighbour_mask
    eggs, tadpoles, frogs = (
        eggs & distant_mask | frogs & neighbour_mask,
        tadpoles & distant_mask | eggs & neighbour_mask,
        frogs & distant_mask | tadpoles & neighbour_mask,
    )

    # 3. Score: find all sets first, then remove their pieces together.
    scored_mask = line_mask(variant.size, eggs) | line_mask(variant.size, tadpoles) | line_mask(variant.size, frogs)
    if scored_mask:
        scored = (scored[LIGHT] + (light & scored_mask).bit_count(), scored[DARK] + (dark & scored_mask).bit_count())
        stays = ~scored_mask
        light, dark, eggs, tadpoles, frogs = light & stays, dark & stays, eggs & stays, tadpoles & stays, frogs & stays

    position_after = Position(variant, light, dark, eggs, tadpoles, frogs, OPPONENT[mover], spawn, scored)
    return position_after, neighbour_mask, scored_mask
