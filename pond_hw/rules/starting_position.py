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


def set_up_position(pond: Variant, pieces: Mapping[Cell, Piece], to_move: Side, scored: tuple[int, int]) -> Position:
    """The position with these pieces, in which a game can begin.

    Args:
        pond: the variant that is to be played.
        pieces: what stands where.
        to_move: the side whose turn it is.
        scored: own pieces that light and dark have scored already.

    Raises:
        PondError: no game can begin so; the message says what is wrong, and where.
    """
    on = get_grid(pond.size)
    for cell in pieces:
        if cell not in on.mask_by_cell:
            raise PondError(f"{cell} is not a cell of a {pond.size}x{pond.size} pond.")
    light, dark = (_count_spawn_left(pond, side, pieces, scored[side]) for side in Side)
    position = Position.from_pieces(pond, pieces, to_move, (light, dark), scored)
    why = explain_invalid_start(position)
    if why:
        raise PondError(why)
    return position


def explain_invalid_start(position: Position) -> str | None:
    """Why no game can begin in this position, as a sentence; None if one can.

    It must be one that `Position.read` reads, and the game must not be over in it.
    """
    try:
        Position.from_notation(position.notation_line, position.variant)
    except NotationError as error:
        return str(error)
    ended = find_outcome(position)
    if ended is None:
        return None
    if ended.reason is EndReason.ELIMINATION:
        return f"The game would be over before it begins: {position.to_move} is to move and has no legal action."
    target = position.variant.target
    passed = (f"{side} has scored {position.scored[side]}" for side in Side if position.scored[side] >= target)
    return (
        f"The game would be over before it begins: {' and '.join(passed)}, "
        f"and the {position.variant} pond is played to {target}."
    )


def _count_spawn_left(pond: Variant, side: Side, pieces: Mapping[Cell, Piece], scored: int) -> int:
    name = str(side).capitalize()
    if scored < 0:
        raise PondError(f"{name}'s score must be a whole number from 0, not {scored}.")
    board = sum(piece.owner is side for piece in pieces.values())
    left = pond.spawn - board - scored
    if left < 0:
        raise PondError(
            f"{name} has {board} on the board and {scored} scored: {board + scored} pieces, "
            f"but each side has only {pond.spawn} in the {pond} pond."
        )
    return left
