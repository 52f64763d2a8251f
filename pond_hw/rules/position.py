"""Game positions and their notation.

    .tt./..FE/ft.T/T..T l 1 1 7 8

Rows are listed from the top, separated by `/`. `E T F` are light's egg, tadpole and frog, `e t f` are dark's.
Then follow the side to move (`l` or `d`), light's spawn, dark's spawn, light's score and dark's score.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum, IntEnum
from functools import lru_cache
from typing import NamedTuple

from pond_hw.messages.message import Message
from pond_hw.rules.grid import Cell, Grid, NotationError, get_grid, iterate_bits, line_mask
from pond_hw.rules.variants import VARIANTS, Variant


class Side(IntEnum):
    """Owner of a piece. Light moves first."""

    LIGHT = 0
    DARK = 1

    @property
    def other_side(self) -> Side:
        """Opponent of this side."""
        return OPPONENT[self]

    def __str__(self) -> str:
        return self.name.lower()


LIGHT, DARK = Side.LIGHT, Side.DARK
OPPONENT = (DARK, LIGHT)


class Symbol(Enum):
    """Stage of a piece: egg, tadpole, frog, and egg again."""

    EGG = "egg"
    TADPOLE = "tadpole"
    FROG = "frog"

    @property
    def next_symbol(self) -> Symbol:
        """Symbol after the piece develops."""
        return _NEXT_SYMBOL[self]

    def __str__(self) -> str:
        return self.value


EGG, TADPOLE, FROG = Symbol.EGG, Symbol.TADPOLE, Symbol.FROG
_NEXT_SYMBOL = {EGG: TADPOLE, TADPOLE: FROG, FROG: EGG}


class Piece(NamedTuple):
    """Piece on the board. Its owner never changes; its symbol does."""

    owner: Side
    symbol: Symbol

    @property
    def notation_letter(self) -> str:
        """`E T F` for light's egg, tadpole, frog; `e t f` for dark's."""
        piece_letter = self.symbol.value[0]
        return piece_letter.upper() if self.owner is LIGHT else piece_letter

    def __str__(self) -> str:
        return f"{self.owner} {self.symbol}"


PIECES = {piece.notation_letter: piece for piece in (Piece(side, symbol) for side in Side for symbol in Symbol)}
"""The six kinds of piece by notation letter."""


class Position(NamedTuple):
    """Immutable state of a game. `Position.start(variant)` is the first one.

    Each piece has one bit in the mask of its owner and one in the mask of its symbol (see `Grid`).

    Attributes:
        variant: variant of the game.
        light, dark: masks of each side's pieces.
        eggs, tadpoles, frogs: masks of the pieces with each symbol, of both sides.
        to_move: side to move.
        spawn: eggs that light and dark have not placed yet.
        scored: own pieces that light and dark have scored.
    """

    variant: Variant
    light: int
    dark: int
    eggs: int
    tadpoles: int
    frogs: int
    to_move: Side
    spawn: tuple[int, int]
    scored: tuple[int, int]

    @classmethod
    def start(cls, variant: Variant) -> Position:
        """Return the empty pond with light to move."""
        return cls(variant, 0, 0, 0, 0, 0, LIGHT, (variant.spawn, variant.spawn), (0, 0))

    @classmethod
    def from_pieces(
        cls,
        variant: Variant,
        pieces: Mapping[Cell, Piece],
        to_move: Side,
        spawn: tuple[int, int],
        scored: tuple[int, int],
    ) -> Position:
        """Return the position with these pieces, without checking it. Use `from_notation` for untrusted input."""
        grid = get_grid(variant.size)
        light, dark, eggs, tadpoles, frogs = (
            grid.mask_of(cell for cell, piece in pieces.items() if owner_or_symbol in piece)
            for owner_or_symbol in (*Side, *Symbol)
        )
        return cls(variant, light, dark, eggs, tadpoles, frogs, to_move, spawn, scored)

    @property
    def grid(self) -> Grid:
        """Grid of the variant."""
        return get_grid(self.variant.size)

    @property
    def pieces(self) -> dict[Cell, Piece]:
        """Pieces by cell, in the order of `Grid.cells`."""
        return dict(_pieces_by_cell(self))  # a copy, because callers may change it

    def piece_at(self, cell: Cell) -> Piece | None:
        """Return the piece on a cell, or None.

        Raises:
            NotationError: the grid has no such cell.
        """
        if cell not in self.grid.mask_by_cell:
            raise NotationError(Message("illegal.no_such_cell", cell=cell, size=self.variant.size))
        return _pieces_by_cell(self).get(cell)

    @property
    def notation_line(self) -> str:
        """Position on one line, in the notation that `Position.from_notation` parses."""
        rows = "/".join(map("".join, self._row_letters))
        return " ".join((rows, self.to_move.name[0].lower(), *map(str, (*self.spawn, *self.scored))))

    @property
    def _row_letters(self) -> list[list[str]]:
        letters = {cell: piece.notation_letter for cell, piece in _pieces_by_cell(self).items()}
        return [[letters.get(cell, ".") for cell in row] for row in self.grid.rows]

    @property
    def board_lines(self) -> list[str]:
        """Lines of a text drawing of the board from light's side, with labelled columns and rows."""
        size = self.variant.size
        column_line = "  " + " ".join("abcde"[:size])
        row_lines = (f"{y} {' '.join(row)} {y}" for y, row in zip(range(size, 0, -1), self._row_letters, strict=True))
        return [column_line, *row_lines, column_line]

    def __str__(self) -> str:
        """Return a drawing of the board from light's side, followed by the side to move, the spawns and the scores."""
        count_lines = (f"{side}: {self.spawn[side]} in the spawn, {self.scored[side]} scored" for side in Side)
        return "\n".join((*self.board_lines, f"{self.to_move} to move", *count_lines))

    def __repr__(self) -> str:
        return f"Position.from_notation({self.notation_line!r}, parse_variant({self.variant.name!r}))"

    @classmethod
    def from_notation(cls, notation_line: str, variant: Variant | None = None) -> Position:
        """Parse the one-line notation described at the top of this module.

        Args:
            notation_line: the notation, without extra whitespace.
            variant: the variant. By default four rows mean `standard` and five mean `big`.

        Raises:
            NotationError: the message describes the error and its location.
        """
        fields = notation_line.split(" ")
        if len(fields) != 6:
            raise NotationError(Message("position.wrong_parts", parts=len(fields), position=notation_line))
        row_texts = fields[0].split("/")
        variant = variant or _default_variant(len(row_texts))
        pieces_by_cell = _parse_rows(row_texts, variant)
        if fields[1] not in ("l", "d"):
            raise NotationError(Message("position.wrong_side", letter=fields[1]))
        to_move = LIGHT if fields[1] == "l" else DARK
        count_names = ("light_spawn", "dark_spawn", "light_score", "dark_score")
        light_spawn, dark_spawn, light_score, dark_score = map(_parse_count, fields[2:], count_names)
        spawn, scored = (light_spawn, dark_spawn), (light_score, dark_score)
        position = cls.from_pieces(variant, pieces_by_cell, to_move, spawn, scored)
        _check_is_possible(position)
        return position


@lru_cache(maxsize=1 << 6)  # the same few positions are needed again and again
def _pieces_by_cell(position: Position) -> dict[Cell, Piece]:
    pieces_by_cell = {}
    for bit in iterate_bits(position.light | position.dark):
        symbol = EGG if bit & position.eggs else TADPOLE if bit & position.tadpoles else FROG
        pieces_by_cell[position.grid.cell_by_mask[bit]] = Piece(LIGHT if bit & position.light else DARK, symbol)
    return pieces_by_cell


def _default_variant(row_count: int) -> Variant:
    if row_count == 3:
        raise NotationError(Message("position.needs_variant"))
    if row_count not in (4, 5):
        raise NotationError(Message("position.wrong_size", rows=row_count))
    return VARIANTS["standard" if row_count == 4 else "big"]


def _parse_rows(row_texts: list[str], variant: Variant) -> dict[Cell, Piece]:
    size = variant.size
    if len(row_texts) != size:
        raise NotationError(Message("position.wrong_rows", variant=variant.name, size=size, rows=len(row_texts)))
    pieces_by_cell = {}
    for row_text, row_cells in zip(row_texts, get_grid(size).rows, strict=True):
        if len(row_text) != size:
            raise NotationError(
                Message(
                    "position.wrong_cells", row=row_cells[0][1], text=row_text, size=size, cells_found=len(row_text)
                )
            )
        for letter, cell in zip(row_text, row_cells, strict=True):
            if letter == ".":
                continue
            if letter not in PIECES:
                raise NotationError(Message("position.wrong_letter", cell=cell, letter=letter))
            pieces_by_cell[cell] = PIECES[letter]
    return pieces_by_cell


def _parse_count(field_text: str, count_name: str) -> int:
    if not re.fullmatch(r"[0-9]|1[0-9]|2[0-5]", field_text, re.ASCII):
        raise NotationError(Message(f"position.wrong_count.{count_name}", text=field_text))
    return int(field_text)


def _check_is_possible(position: Position) -> None:
    """Reject wrong piece counts and unscored sets. Other impossible positions are not detected."""
    variant = position.variant
    for side, side_mask in zip(Side, (position.light, position.dark), strict=True):
        board_count, spawn_count, scored_count = side_mask.bit_count(), position.spawn[side], position.scored[side]
        if board_count + spawn_count + scored_count != variant.spawn:
            raise NotationError(
                Message(
                    "position.wrong_sum",
                    side=str(side),
                    board=board_count,
                    spawn=spawn_count,
                    scored=scored_count,
                    total=board_count + spawn_count + scored_count,
                    variant=variant.name,
                    right_total=variant.spawn,
                )
            )
    for symbol, symbol_mask in zip(Symbol, (position.eggs, position.tadpoles, position.frogs), strict=True):
        if line_mask(variant.size, symbol_mask):
            left_set = position.grid.find_runs(symbol_mask)[0]
            raise NotationError(Message(f"position.unscored_set.{symbol}", cells=left_set))
