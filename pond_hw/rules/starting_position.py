"""Where a game may begin when it is not the empty pond: in a position that somebody has set up by hand.

The spawns are not asked for: what a side has neither on the board nor scored is waiting in its spawn.
Only what the rules can see is checked, not whether play could have come to the position.
"""

from __future__ import annotations

from collections.abc import Mapping

from pond_hw.rules.grid import Cell, NotationError, PondError, get_grid
from pond_hw.rules.position import Piece, Position, Side
from pond_hw.rules.turn import EndReason, find_outcome
from pond_hw.rules.variants import Variant


def set_up_position(variant: Variant, pieces: Mapping[Cell, Piece], to_move: Side, scored: tuple[int, int]) -> Position:
    """The position with these pieces, in which a game can begin.

    Args:
        variant: the variant that is to be played.
        pieces: what stands where.
        to_move: the side whose turn it is.
        scored: own pieces that light and dark have scored already.

    Raises:
        PondError: no game can begin so; the message says what is wrong, and where.
    """
    grid = get_grid(variant.size)
    for cell in pieces:
        if cell not in grid.mask_by_cell:
            raise PondError(f"{cell} is not a cell of a {variant.size}x{variant.size} pond.")
    light_spawn, dark_spawn = (_count_spawn_left(variant, side, pieces, scored[side]) for side in Side)
    position = Position.from_pieces(variant, pieces, to_move, (light_spawn, dark_spawn), scored)
    reason = explain_invalid_start(position)
    if reason:
        raise PondError(reason)
    return position


def explain_invalid_start(position: Position) -> str | None:
    """Why no game can begin in this position, as a sentence; None if one can.

    It must be one that `Position.read` reads, and the game must not be over in it.
    """
    try:
        Position.from_notation(position.notation_line, position.variant)
    except NotationError as error:
        return str(error)
    outcome = find_outcome(position)
    if outcome is None:
        return None
    if outcome.reason is EndReason.ELIMINATION:
        return f"The game would be over before it begins: {position.to_move} is to move and has no legal action."
    target = position.variant.target
    winner_texts = (f"{side} has scored {position.scored[side]}" for side in Side if position.scored[side] >= target)
    return (
        f"The game would be over before it begins: {' and '.join(winner_texts)}, "
        f"and the {position.variant} pond is played to {target}."
    )


def _count_spawn_left(variant: Variant, side: Side, pieces_by_cell: Mapping[Cell, Piece], scored: int) -> int:
    side_name = str(side).capitalize()
    if scored < 0:
        raise PondError(f"{side_name}'s score must be a whole number from 0, not {scored}.")
    board = sum(piece.owner is side for piece in pieces_by_cell.values())
    spawn_left = variant.spawn - board - scored
    if spawn_left < 0:
        raise PondError(
            f"{side_name} has {board} on the board and {scored} scored: {board + scored} pieces, "
            f"but each side has only {variant.spawn} in the {variant} pond."
        )
    return spawn_left
