"""A position: what stands on the grid, what waits in the spawns, what has been scored, and whose turn it is.

It prints as the board looks, and it is written on one line:

    .tt./..FE/ft.T/T..T l 1 1 7 8

rows from the top, `/` between them; `E T F` are light's egg, tadpole and frog, `e t f` are dark's;
then the side to move (`l` or `d`), light's spawn, dark's spawn, light's score, dark's score.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum, IntEnum
from functools import lru_cache
from typing import NamedTuple

from pond_hw.rules.grid import Cell, Grid, NotationError, get_grid, iterate_bits, line_mask
from pond_hw.rules.variants import VARIANTS, Variant


class Side(IntEnum):
    """Who owns a piece. Light moves first."""

    LIGHT = 0
    DARK = 1

    @property
    def other_side(self) -> Side:
        """The opponent."""
        return OPPONENT[self]

    def __str__(self) -> str:
        return self.name.lower()


LIGHT, DARK = Side.LIGHT, Side.DARK
OPPONENT = (DARK, LIGHT)


class Symbol(Enum):
    """A piece's stage of life: egg, tadpole, frog, and egg again."""

    EGG = "egg"
    TADPOLE = "tadpole"
    FROG = "frog"

    @property
    def next_symbol(self) -> Symbol:
        """What this becomes when it develops."""
        return _NEXT_SYMBOL[self]

    def __str__(self) -> str:
        return self.value


EGG, TADPOLE, FROG = Symbol.EGG, Symbol.TADPOLE, Symbol.FROG
_NEXT_SYMBOL = {EGG: TADPOLE, TADPOLE: FROG, FROG: EGG}


class Piece(NamedTuple):
    """One piece: its owner never changes, its symbol does."""

    owner: Side
    symbol: Symbol

    @property
    def notation_letter(self) -> str:
        """`E T F` for light's egg, tadpole, frog; `e t f` for dark's."""
        letter = self.symbol.value[0]
        return letter.upper() if self.owner is LIGHT else letter

    def __str__(self) -> str:
        return f"{self.owner} {self.symbol}"


PIECES = {piece.notation_letter: piece for piece in (Piece(side, symbol) for side in Side for symbol in Symbol)}
"""The six kinds of piece, by their letters."""


class Position(NamedTuple):
    """All that the rules need to know, unchangeable; ask `Position.start(variant)` for the first one.

    Every piece has one bit in the mask of its owner and one in the mask of its symbol (see `grid`).

    Attributes:
        variant: the variant that is played.
        light, dark: masks of the cells where each side's pieces stand.
        eggs, tadpoles, frogs: masks of the cells where each symbol stands, whoever owns it.
        to_move: the side whose turn it is.
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
    def start(cls, pond: Variant) -> Position:
        """The empty pond, light to move."""
        return cls(pond, 0, 0, 0, 0, 0, LIGHT, (pond.spawn, pond.spawn), (0, 0))

    @classmethod
    def from_pieces(
        cls,
        pond: Variant,
        pieces: Mapping[Cell, Piece],
        to_move: Side,
        spawn: tuple[int, int],
        scored: tuple[int, int],
    ) -> Position:
        """The position with these pieces. Nothing is checked here: `read` is for what comes from outside."""
        on = get_grid(pond.size)
        light, dark = (on.mask_of(c for c, p in pieces.items() if p.owner is side) for side in Side)
        eggs, tadpoles, frogs = (on.mask_of(c for c, p in pieces.items() if p.symbol is symbol) for symbol in Symbol)
        return cls(pond, light, dark, eggs, tadpoles, frogs, to_move, spawn, scored)

    @property
    def grid(self) -> Grid:
        """The grid that is played on."""
        return get_grid(self.variant.size)

    @property
    def pieces(self) -> dict[Cell, Piece]:
        """What stands where, in the order of `Grid.cells`."""
        return dict(_pieces_by_cell(self))  # a copy: whoever asks may change it

    def piece_at(self, cell: Cell) -> Piece | None:
        """What stands on a cell, or None.

        Raises:
            NotationError: there is no such cell on this grid.
        """
        bit = self.grid.mask_by_cell.get(cell)
        if bit is None:
            raise NotationError(f"{cell} is not a cell of a {self.variant.size}x{self.variant.size} pond.")
        return self._piece_of_bit(bit) if bit & (self.light | self.dark) else None

    def _piece_of_bit(self, bit: int) -> Piece:
        owner = LIGHT if bit & self.light else DARK
        return Piece(owner, EGG if bit & self.eggs else TADPOLE if bit & self.tadpoles else FROG)

    @property
    def notation_line(self) -> str:
        """The position on one line; `Position.read` reads it back."""
        pieces = self.pieces
        rows = ("".join(pieces[c].notation_letter if c in pieces else "." for c in row) for row in self.grid.rows)
        return f"{'/'.join(rows)} {self.to_move.name[0].lower()} {format_pair(self.spawn)} {format_pair(self.scored)}"

    def __str__(self) -> str:
        """The board as it looks from light's seat, with what is not on it below."""
        pieces = self.pieces
        columns = "  " + " ".join("abcde"[: self.variant.size])
        rows = [
            f"{row[0][1]} {' '.join(pieces[c].notation_letter if c in pieces else '.' for c in row)} {row[0][1]}"
            for row in self.grid.rows
        ]
        counts = (f"{side}: {self.spawn[side]} in the spawn, {self.scored[side]} scored" for side in Side)
        return "\n".join((columns, *rows, columns, f"{self.to_move} to move", *counts))

    def __repr__(self) -> str:
        return f"Position.read({self.notation_line!r}, variant({self.variant.name!r}))"

    @classmethod
    def from_notation(cls, line: str, pond: Variant | None = None) -> Position:
        """The position that one line tells.

        Args:
            line: the notation at the top of this file, strictly.
            pond: the variant; without one, four rows mean `standard` and five mean `big`.

        Raises:
            NotationError: the message says what is wrong, and where.
        """
        fields = line.split(" ")
        if len(fields) != 6:
            raise NotationError(
                f"A position has six parts with one space between them (rows, side to move, two spawns, two scores), "
                f"as in '.tt./..FE/ft.T/T..T l 1 1 7 8'; this has {len(fields)}: {line!r}."
            )
        rows = fields[0].split("/")
        pond = pond or _default_variant(len(rows))
        pieces = _parse_rows(rows, pond)
        if fields[1] not in ("l", "d"):
            raise NotationError(f"The side to move is l or d, not {fields[1]!r}.")
        to_move = LIGHT if fields[1] == "l" else DARK
        counts = tuple(
            _parse_count(text, what)
            for text, what in zip(
                fields[2:], ("light's spawn", "dark's spawn", "light's score", "dark's score"), strict=True
            )
        )
        position = cls.from_pieces(pond, pieces, to_move, (counts[0], counts[1]), (counts[2], counts[3]))
        _check_is_possible(position)
        return position


@lru_cache(maxsize=1 << 6)  # a board asks for those of the same few positions again and again
def _pieces_by_cell(position: Position) -> dict[Cell, Piece]:
    name = position.grid.cell_by_mask
    return {name[bit]: position._piece_of_bit(bit) for bit in iterate_bits(position.light | position.dark)}


def format_pair(pair: tuple[int, int]) -> str:
    """A number of each side, as the notation writes it."""
    return f"{pair[LIGHT]} {pair[DARK]}"


def _default_variant(rows: int) -> Variant:
    if rows == 3:
        raise NotationError("A position of three rows needs its variant to be named, such as 3x3/9/5.")
    if rows not in (4, 5):
        raise NotationError(f"A position has 3, 4 or 5 rows, not {rows}.")
    return VARIANTS["standard" if rows == 4 else "big"]


def _parse_rows(rows: list[str], pond: Variant) -> dict[Cell, Piece]:
    size = pond.size
    if len(rows) != size:
        raise NotationError(f"The {pond} pond has {size} rows; this position has {len(rows)}.")
    pieces = {}
    for row, names in zip(rows, get_grid(size).rows, strict=True):
        if len(row) != size:
            raise NotationError(f"Row {names[0][1]} is {row!r}: it must have {size} cells, not {len(row)}.")
        for letter, cell in zip(row, names, strict=True):
            if letter == ".":
                continue
            if letter not in PIECES:
                raise NotationError(f"{cell} holds {letter!r}; a cell is one of . E T F e t f.")
            pieces[cell] = PIECES[letter]
    return pieces


def _parse_count(text: str, what: str) -> int:
    if not re.fullmatch(r"[0-9]|1[0-9]|2[0-5]", text, re.ASCII):
        raise NotationError(f"{what.capitalize()} must be a whole number from 0 to 25, not {text!r}.")
    return int(text)


def _check_is_possible(position: Position) -> None:
    """Refuse pieces that do not add up and sets that would have been scored; the rest is taken on trust."""
    pond = position.variant
    for side, owned in zip(Side, (position.light, position.dark), strict=True):
        board, spawn, scored = owned.bit_count(), position.spawn[side], position.scored[side]
        if board + spawn + scored != pond.spawn:
            raise NotationError(
                f"{str(side).capitalize()} has {board} on the board, {spawn} in the spawn and {scored} scored: "
                f"{board + spawn + scored} pieces, but each side has {pond.spawn} in the {pond} pond."
            )
    for symbol, mask in zip(Symbol, (position.eggs, position.tadpoles, position.frogs), strict=True):
        if line_mask(pond.size, mask):
            run = position.grid.find_runs(mask)[0]
            raise NotationError(f"A set of {symbol}s is left standing on {', '.join(run)}; it would have been scored.")
