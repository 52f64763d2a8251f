"""Conversion between `pond_hw.rules` and packed integers. Invalid values are rejected here, because the kernel trusts its input."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pond_hw.messages.message import Message
from pond_hw.rules import DARK, LIGHT, Action, NotationError, PondError, Position, Side, Variant, get_grid

if TYPE_CHECKING:
    from pond_hw.engine.packed.rules import PackedPosition

SIDE_MASK = 31
"""Maximum value per side in a pair of values, which is packed as light + 32 * dark."""


def pack_position(position: Position) -> PackedPosition:
    """Return a position as seven numbers. Raise PondError if it is inconsistent or has a set that was not scored."""
    variant, light, dark, eggs, tadpoles, frog_mask, mover, spawn, scored = position
    if eggs | tadpoles | frog_mask != light | dark or frog_mask & (eggs | tadpoles):
        raise PondError(Message("packed.unlike_masks"))
    if not all(0 <= number <= SIDE_MASK for number in (*spawn, *scored)):
        raise PondError(Message("packed.wrong_counts", spawn=str(spawn), scored=str(scored), largest=SIDE_MASK))
    spawn_pair, scored_pair = (pair[LIGHT] + 32 * pair[DARK] for pair in (spawn, scored))
    packed_position = (light, dark, eggs, tadpoles, spawn_pair, scored_pair, int(mover))
    unpack_position(packed_position, variant)
    return packed_position


def unpack_position(packed_position: PackedPosition, variant: Variant) -> Position:
    """Return a position from its seven numbers. Raise PondError if they are not a position of this variant."""
    if len(packed_position) != 7 or not all(isinstance(number, int) and number >= 0 for number in packed_position):
        raise PondError(Message("packed.wrong_numbers"))
    light, dark, eggs, tadpoles, spawn, scored, mover = packed_position
    piece_masks = light | dark
    faults = {
        "outside": piece_masks & ~get_grid(variant.size).full_mask,
        "two_owners": light & dark,
        "two_symbols": eggs & tadpoles,
        "no_owner": (eggs | tadpoles) & ~piece_masks,
        "wrong_mover": mover not in (LIGHT, DARK),
        "wrong_bits": spawn >> 10 or scored >> 10,
    }
    if fault := next((fault for fault, is_wrong in faults.items() if is_wrong), None):
        raise PondError(Message(f"packed.{fault}", size=variant.size, mover=mover))
    pair_counts = (spawn & SIDE_MASK, spawn >> 5), (scored & SIDE_MASK, scored >> 5)
    position = Position(variant, light, dark, eggs, tadpoles, piece_masks ^ eggs ^ tadpoles, Side(mover), *pair_counts)
    try:
        Position.from_notation(position.notation_line, variant)
    except NotationError as error:
        raise PondError(Message("packed.impossible", reason=error.message)) from None
    return position


def pack_action(action: Action, variant: Variant) -> int:
    """Return an action as a number: target + 32 * source, or 33 * target for an egg. Legality is not checked.

    Raises:
        PondError: a cell is unknown, or source and target are equal.
    """
    grid_cells = {cell: number for number, cell in enumerate(get_grid(variant.size).cells)}
    source_index, target_index = action
    for cell in action:
        if cell is not None and cell not in grid_cells:
            raise PondError(Message("illegal.no_such_cell", cell=cell, size=variant.size))
    if source_index == target_index:
        raise PondError(Message("packed.goes_nowhere", action=str(action)))
    return grid_cells[target_index] + 32 * grid_cells[source_index or target_index]


def unpack_action(action_number: int, variant: Variant) -> Action:
    """Return an action from its number. Raise PondError if a cell is not on the grid."""
    return unpack_actions((action_number,), variant)[0]


def unpack_actions(action_numbers: Iterable[int], variant: Variant) -> tuple[Action, ...]:
    grid_cells, actions = get_grid(variant.size).cells, list[Action]()
    for action_number in action_numbers:
        source_index, target_index = action_number >> 5, action_number & SIDE_MASK
        if not (0 <= source_index < len(grid_cells) and target_index < len(grid_cells)):
            raise PondError(Message("packed.no_action", number=action_number, size=variant.size))
        actions.append(
            Action(None if source_index == target_index else grid_cells[source_index], grid_cells[target_index])
        )
    return tuple(actions)
