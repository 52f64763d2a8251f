"""Scenes for tests, drawn in the layout of the board."""

from pond_hw.rules import LIGHT, PIECES, EndReason, Outcome, Side, get_grid
from pond_hw.session import CellRole, CellView, Scene

ROLES = {"": CellRole.PLAIN, "o": CellRole.OPEN, "c": CellRole.CHOSEN, "t": CellRole.TARGET, "x": CellRole.OUTSIDE}
ROLES |= {
    "-": CellRole.TAKE_OFF,
    "+": CellRole.PUT,
    "~": CellRole.FLIP,
    "?": CellRole.PENDING,
    "m": CellRole.CHOICE,
    "u": CellRole.DEFAULT_CHOICE,
}
ROLES |= {"h": CellRole.HINT}


def scene(drawn, to_move=LIGHT, over=None, wrong=None, turn=None, since=0.0, hold=None):
    """Return the scene of a drawing: the piece of each cell, its role and further signs.

        .o  .o  T!      . is empty, letters are pieces;
        .o  Fc  .t      o open, c chosen, t target, x outside,
        .-  E+  e~      - take off, + put, ~ turn over, ? pending, m a choice, u the default choice;
        E#  .?  .x      h a hint, ! the last turn, # masked

    `over` is the winner, or "draw".
    """
    rows = [line.split() for line in drawn.strip().splitlines()]
    signs = [sign for row in reversed(rows) for sign in row]
    views = {cell: read_sign(sign) for cell, sign in zip(get_grid(len(rows)).cells, signs, strict=True)}
    outcome = None if over is None else Outcome(over if isinstance(over, Side) else None, EndReason.SCORE)
    return Scene(len(rows), views, None if outcome else to_move, outcome, wrong, turn, since, confirm_window=hold)


def read_sign(sign):
    return CellView(PIECES.get(sign[0]), ROLES[sign[1:].rstrip("!#")], "!" in sign, "#" in sign)


MIDDLE = """
    T   .o  e!  .o
    e   F   .o  t
    .o  f   E   .o
    E   .o  T   f
"""
"""Position in the middle of a game."""

TASKS = """
    T   .-  e!  .o
    e~  F~  f-  .o
    .o  E-  .#  e#
    T#  .o  T~  f
"""
"""After a turn that scored a set: pieces to turn over and to take off, an unexplained piece on b4, three masked sensors."""

TO_REPAIR = """
    T   t   .-  T!
    e   F   E   t#
    F~  f+  E   e
    E   e   .   f
"""
"""Differences between board and game, in c4 to b2."""

PENDING = """
    T   .?  e!  .
    e   F   .   f?
    .   f~  E   .#
    E   .   T   f
"""
"""Pending turn: f goes from b4 to d3."""

HINTED = """
    T   .o  e!  .o
    e   Fh  .o  t
    .o  .h  E#  .o
    Th  .o  .h# f
"""
"""Hints: F moves down, or T moves to the right."""

MENU = """
    .   .   .   .
    .   .   .   .
    .   .   .   .
    .u  .m  .m  .-
"""

FULL = """
    T   t   e   T!
    e   F   E   t
    F   f   E   e
    E   e   T   f
"""
"""Full board; both spawns are empty."""
