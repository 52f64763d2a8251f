"""From the game on paper to bare integers and back. What cannot be is refused here, for beyond nobody looks again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pond_hw.rules import (
    DARK,
    LIGHT,
    Action,
    NotationError,
    PondError,
    Position,
    Side,
    Variant,
    get_grid,
)

if TYPE_CHECKING:
    from pond_hw.engine.packed.rules import PackedPosition

SIDE_MASK = 31
"""The largest number of a side: light's + 32 * dark's stand in one."""


def pack_position(position: Position) -> PackedPosition:
    """The seven numbers of a position.

    Raises:
        PondError: its masks contradict each other, its pieces do not add up, or a set was left standing.
    """
    pond, light, dark, eggs, tadpoles, frogs, mover, spawn, scored = position
    if eggs | tadpoles | frogs != light | dark or frogs & (eggs | tadpoles):
        raise PondError("No position: what the masks of the symbols hold is not what those of the owners hold.")
    if not all(0 <= number <= SIDE_MASK for number in (*spawn, *scored)):
        raise PondError(f"No position: spawns {spawn} and scores {scored} are to be from 0 to {SIDE_MASK}.")
    bare = (light, dark, eggs, tadpoles, _pack_pair(spawn), _pack_pair(scored), int(mover))
    unpack_position(bare, pond)
    return bare


def unpack_position(bare: PackedPosition, pond: Variant) -> Position:
    """The position that seven numbers tell.

    Raises:
        PondError: they are none of this pond; the message says why.
    """
    light, dark, eggs, tadpoles, spawn, scored, mover = _check_packed(bare)
    pieces = light | dark
    if pieces & ~get_grid(pond.size).full_mask:
        raise PondError(f"No position: a piece stands beyond the {pond.size}x{pond.size} grid.")
    if light & dark:
        raise PondError("No position: a piece has two owners.")
    if eggs & tadpoles:
        raise PondError("No position: a piece is egg and tadpole.")
    if (eggs | tadpoles) & ~pieces:
        raise PondError("No position: an egg or tadpole belongs to nobody.")
    if mover not in (LIGHT, DARK):
        raise PondError(f"No position: the mover is 0 or 1, not {mover}.")
    if spawn >> 10 or scored >> 10:
        raise PondError("No position: spawn and score are two numbers of five bits each.")
    counts = (spawn & SIDE_MASK, spawn >> 5), (scored & SIDE_MASK, scored >> 5)
    position = Position(pond, light, dark, eggs, tadpoles, pieces ^ eggs ^ tadpoles, Side(mover), *counts)
    try:
        Position.from_notation(position.notation_line, pond)
    except NotationError as error:
        raise PondError(f"No position: {error}") from None
    return position


def pack_action(action: Action, pond: Variant) -> int:
    """The number of an action: target + 32 * source, or target twice for an egg that is placed.

    Raises:
        PondError: it names a cell that the grid has not, or goes nowhere. Whether it is legal is not asked.
    """
    cells = {cell: number for number, cell in enumerate(get_grid(pond.size).cells)}
    source, target = action
    for cell in action:
        if cell is not None and cell not in cells:
            raise PondError(f"{cell} is not a cell of this {pond.size}x{pond.size} pond.")
    if source == target:
        raise PondError(f"{action} goes nowhere.")
    return cells[target] + 32 * cells[source or target]


def unpack_action(number: int, pond: Variant) -> Action:
    """The action that a number tells.

    Raises:
        PondError: one of its cells is not on the grid.
    """
    cells = get_grid(pond.size).cells
    source, target = number >> 5, number & SIDE_MASK
    if not (0 <= source < len(cells) and target < len(cells)):
        raise PondError(f"No action of a {pond.size}x{pond.size} pond: {number}.")
    return Action(None if source == target else cells[source], cells[target])


def _pack_pair(pair: tuple[int, int]) -> int:
    return pair[LIGHT] + 32 * pair[DARK]


def _check_packed(bare: PackedPosition) -> PackedPosition:
    if len(bare) != 7 or not all(isinstance(number, int) and number >= 0 for number in bare):
        raise PondError("No position: seven whole numbers from 0 on are needed.")
    return bare
