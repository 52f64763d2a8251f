"""Positions for tests, drawn by hand or reached in games. Tests of other packages use them, too.

`board` parses a drawing. `random_game` plays a game from a seed. `positions` is the Hypothesis strategy
for positions in any game, and `games_with_custom_start` is the strategy for games with a custom start.
"""

from random import Random

from hypothesis import strategies as st

from pond_hw.rules import (
    LIGHT,
    PIECES,
    STANDARD,
    VARIANTS,
    PondError,
    Position,
    Record,
    Side,
    explain_invalid_start,
    find_outcome,
    legal_actions,
    parse_variant,
    play,
)
from pond_hw.rules.turn import _apply_action

PONDS = (*VARIANTS.values(), *map(parse_variant, ("3x3/9/5", "3x3/4/3", "4x4/6/6", "4x4/25/1", "5x5/25/25", "5x5/7/4")))
"""Named variants, and some that are narrow, crowded, short or very long."""


def pieces(drawing):
    """Parse a drawing such as this one and return its pieces.

    4 . . . t
    3 . E . .
    2 . . f .
    1 . . . .
      a b c d
    """
    rows = [row.split() for row in drawing.splitlines() if row.strip()[:1].isdigit()]
    return {
        f"{column}{number}": PIECES[letter]
        for number, *letters in rows
        for column, letter in zip("abcde", letters, strict=False)
        if letter != "."
    }


def board(drawing, to_move=LIGHT, scored=(0, 0), pond=STANDARD, spawn=None):
    """Return the position in a drawing. Pieces neither drawn nor scored are in the spawn."""
    here = pieces(drawing)
    on_board = [sum(piece.owner is side for piece in here.values()) for side in Side]
    spawn = spawn or tuple(pond.spawn - on_board[side] - scored[side] for side in Side)
    return Position.from_notation(Position.from_pieces(pond, here, to_move, spawn, scored).notation_line, pond)


def set_up_position(variant, pieces_by_cell, to_move, scored):
    """Return a start position with these pieces; the others are in the spawns."""
    on_board = [sum(piece.owner is side for piece in pieces_by_cell.values()) for side in Side]
    spawn = tuple(variant.spawn - on_board[side] - scored[side] for side in Side)
    position = Position.from_pieces(variant, pieces_by_cell, to_move, spawn, scored)
    if reason := explain_invalid_start(position):
        raise PondError(reason)
    return position


def perft(position, depth):
    """Return the number of legal sequences of exactly `depth` actions. A finished game adds none.

    The last action of each sequence is counted without being played.
    """
    if depth < 1:
        return 1
    allowed_actions = legal_actions(position)
    if depth == 1:
        return len(allowed_actions)
    return sum(perft(_apply_action(position, action)[0], depth - 1) for action in allowed_actions)


def random_game(seed, pond=STANDARD, actions=300, start=None):
    """Play a game of up to this many random actions. The same seed gives the same game."""
    rng, position, turns = Random(seed), start or Position.start(pond), []
    while len(turns) < actions and find_outcome(position) is None:
        turns.append(play(position, rng.choice(legal_actions(position))))
        position = turns[-1].after
    return Record(pond, tuple(turns), custom_start=start)


@st.composite
def games(draw, ponds=PONDS, actions=120):
    """Draw games on these ponds, finished or stopped at any turn."""
    game = random_game(draw(st.integers(0, 10**6)), draw(st.sampled_from(ponds)), actions)
    return Record(game.variant, game.turns[: draw(st.integers(0, len(game.turns)))])


@st.composite
def games_with_custom_start(draw, ponds=PONDS, actions=120):
    """Draw games of up to ten actions that begin where another game was stopped."""
    turns = draw(games(ponds, actions).filter(lambda game: game.turns)).turns
    start = draw(st.sampled_from(turns)).before
    return random_game(draw(st.integers(0, 10**6)), start.variant, draw(st.integers(0, 10)), start)


def positions(ponds=PONDS, actions=120):
    """Draw positions from games on these ponds, including final positions."""
    return games(ponds, actions).map(lambda game: game.position)
