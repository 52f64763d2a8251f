"""Positions, messages and hand movements shared by the tests of boards with pieces."""

from itertools import pairwise

from pond_hw.messages.message import Message
from pond_hw.rules import STANDARD, Action, Position
from pond_hw.session import (
    Agreement,
    BoardState,
    ConfirmationState,
    Occupancy,
    Session,
)
from tests.session.pieces.oracle import follow_lamp
from tests.session.tables import PiecesTable

QUIET = "e..f/..../.T../E..F l 10 11 0 0"
"""Light has an egg on a1, a tadpole on b2 and a frog on d1. Dark has an egg on a4 and a frog on d4."""

QUIET_DARK_TO_MOVE = QUIET.replace("l", "d")
"""The same position with Dark to move."""

ABOUT_TO_SCORE = "...f/..../TeT./E.EF l 8 11 0 0"
"""An egg on b1 turns a1, b2 and c1 into tadpoles. Then the three tadpoles in row 2 score."""

FOUR_ABOUT_TO_SCORE = "...f/..../TeTT/E.E. l 8 11 0 0"
"""An egg on b1 turns b2 into a tadpole, too. Then the four tadpoles in row 2 score."""

A_DAY = 86_400.0
LIGHT_WINS = Message("outcome.score", winner="light", most=11, least=10)
ASKS_FOR_GESTURE = Message("pending.nod", side="light", seconds=3.0)
BOARD_DIFFERS = Message("mismatch.differs")
SHORT_REST = 0.3
"""Pause in seconds, slightly longer than the settle time."""


def prompt(side, choices="place_or_move"):
    return Message(f"prompt.pieces.{choices}", side=side)


def missing(*cells):
    return Message("mismatch.missing", cells=cells, count=len(cells))


def extra(*cells):
    return Message("mismatch.extra", cells=cells, count=len(cells))


def turn_over(*cells):
    return Message("hands.turn_over", cells=cells, count=len(cells))


def take_off(*cells):
    return Message("hands.take_off", cells=cells, count=len(cells))


def put(symbol, cell, side="light"):
    return Message(f"repair.put.{symbol}", cell=cell, side=side)


def put_back(symbol, source, target, side="light"):
    return Message(f"repair.move.{symbol}", source=source, target=target, side=side)


def question(action, symbol="tadpole", side="light", subject="pending"):
    """Return the question about an action, such as `@b2` or `b2b3`."""
    source, target = Action.from_notation(action)
    if source is None:
        return Message(f"{subject}.place", side=side, cell=target)
    return Message(f"{subject}.move.{symbol}", side=side, source=source, target=target)


def wait(side="light"):
    return Message("pending.wait", side=side, seconds=3.0)


def take_back(count=1, seconds=3.0):
    return Message("pending.take_back", count=count, seconds=seconds)


def offer(cell):
    return Message("mismatch.offer", side="light", cell=cell)


def make_table(line=QUIET, **options):
    """Return a table with all pieces in place."""
    return PiecesTable.at(Position.from_notation(line), **options)


def make_empty_table(pond=STANDARD, size=None, **occupancy):
    """Return an empty table before the first turn."""
    board_state = BoardState(occupancy=Occupancy(**occupancy), confirmation=ConfirmationState(Agreement.IN_PLAY))
    return PiecesTable(Session.start_game(pond, size, board_state=board_state))


def send(table, event, **fields):
    """Send an event from a screen, a program or the board."""
    return table.after(event(instant=table.time, **fields))


def lift_pieces(table, *cells, rest=SHORT_REST):
    """Lift pieces, with a short pause after each."""
    for cell in cells:
        table.lift(cell).wait(rest)
    return table


def put_pieces(table, *cells, owner=None, rest=SHORT_REST):
    """Put pieces down, with a short pause after each."""
    for cell in cells:
        table.drop(cell, owner=owner).wait(rest)
    return table


def make_gesture(table, cell):
    """Lift a piece that may not move, and put it back."""
    return put_pieces(lift_pieces(table, cell), cell)


def swipe(table, *path, pause=0.1):
    """Slide a piece along cells. Two cells detect it on the way from one to the next."""
    for before, cell in pairwise(path):
        table.drop(cell).wait(0.05).lift(before).wait(pause)
    return table.wait(SHORT_REST - pause)


def flicker(table, cell, times, every=0.1):
    """Let a sensor flicker."""
    for _ in range(times):
        table.touch(cell, cell not in table.detected).wait(every)
    return table


def played(table):
    return " ".join(map(str, table.actions))


def follow_lamps(table):
    """Follow the lamps until they ask for nothing. Return the number of steps."""
    count = 0
    while follow_lamp(table):
        count += 1
        assert count <= 40, table.describe("it never ends")
    return count


def hover(table, cell="c2"):
    """Let a hand pass over a cell."""
    return table.drop(cell).wait(0.1).lift(cell).wait(SHORT_REST)
