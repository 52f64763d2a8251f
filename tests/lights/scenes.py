"""Scenes for the tests, drawn as the board lies on the table."""

from pond_hw.rules import LIGHT, PIECES, Outcome, Reason, Side, grid
from pond_hw.session import Role, Scene, Sight

ROLES = {"": Role.PLAIN, "o": Role.OPEN, "c": Role.CHOSEN, "t": Role.TARGET, "x": Role.OUTSIDE}


def scene(drawn, to_move=LIGHT, over=None, wrong=None, turn=None, since=0.0):
    """The scene that a drawing shows: for each cell what stands there, what it is now, and `!` for the last turn.

        .o  .o  T!      . is empty, letters are pieces;
        .o  Fc  .t      o open, c chosen, t target, x outside
        E   .   .x

    `over` is the winner, or "draw".
    """
    rows = [line.split() for line in drawn.strip().splitlines()]
    signs = [sign for row in reversed(rows) for sign in row]
    sights = {cell: sight(sign) for cell, sign in zip(grid(len(rows)).cells, signs, strict=True)}
    outcome = None if over is None else Outcome(over if isinstance(over, Side) else None, Reason.SCORE)
    return Scene(len(rows), sights, None if outcome else to_move, outcome, wrong, turn, since)


def sight(sign):
    return Sight(PIECES.get(sign[0]), ROLES[sign[1:].strip("!")], sign.endswith("!"))


MIDDLE = """
    T   .o  e!  .o
    e   F   .o  t
    .o  f   E   .o
    E   .o  T   f
"""
"""The middle of a game."""

FULL = """
    T   t   e   T!
    e   F   E   t
    F   f   E   e
    E   e   T   f
"""
"""A full board, both spawns empty."""
