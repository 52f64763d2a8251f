"""A board with pieces and a hand over it, in simulated time; and what the rules alone say about what is felt.

The hand is `Wooden`: it lifts, drops and waits, and the session is ticked whenever it asks for that. The oracle below
knows positions and turns, and nothing of how `pond_hw.session` decides.
"""

from contextlib import contextmanager
from dataclasses import replace
from itertools import permutations, product
from random import Random

from pond_hw.board import Touch
from pond_hw.rules import STANDARD, VARIANTS, Action, Position, find_outcome, legal_actions, parse_variant, play
from pond_hw.session import (
    BoardState,
    CellRole,
    ClockTick,
    ConfirmationState,
    HandTasks,
    Occupancy,
    SensorHealth,
    Session,
)
from tests.messages.says import cells, text
from tests.rules.positions import random_game

SETTLE = 0.25
HOLD = 3.0
JIFFY = 0.001
"""Seconds; instants that are nearer than this are the same."""

SMALL = (parse_variant("3x3/9/5"), parse_variant("3x3/4/3"), parse_variant("3x3/5/5"))
LARGE = (STANDARD, VARIANTS["mini"], VARIANTS["big"], parse_variant("4x4/6/6"), parse_variant("5x5/7/4"))

QUICKLY, SEEN_IN_A_HAND, SLIDING = WAYS = (("lift first", 0.1), ("lift first", 1.0), ("drop first", 0.1))
"""How hands act: which change is felt first, and how many seconds pass before the other one."""


class Wooden:
    """A session that feels pieces, and the instant it is at. `fork` tries something without doing it."""

    def __init__(self, session, time=0.0, owners=None, ticks=0):
        self.session = session
        self.time = time
        self.owners = owners  # whose piece stands where, where sensors can tell; None where they cannot
        self.ticks = ticks

    @classmethod
    def at(cls, position, *, owners=False, felt=None, known_bad=frozenset(), has_faces=True):
        """The game in this position, looked at; all its pieces stand where they should, or just these are felt."""
        known_owners = sides(position) if owners else {}
        felt = frozenset(position.pieces if felt is None else felt)
        session = Session.start_game(
            position.variant,
            board_state=BoardState(
                sensors=SensorHealth(known_bad=known_bad),
                occupancy=Occupancy(settle_seconds=SETTLE, occupied_cells=felt, sensed_owners=known_owners),
                tasks=HandTasks(has_faces=has_faces),
                confirmation=ConfirmationState(was_in_sync=True),
            ),
        )
        return cls(replace(session, custom_start=position), owners=known_owners if owners else None).wait(1.0)

    def fork(self):
        """Another one in the same state."""
        return Wooden(self.session, self.time, None if self.owners is None else dict(self.owners), self.ticks)

    def touch(self, cell, down, owner=None):
        """One sensor changes; with sensors that tell, `owner` is whose piece it feels, the mover's if not said."""
        if self.owners is None:
            owner = None
        else:
            self.owners.pop(cell, None)
            if down:
                owner = self.owners[cell] = self.session.position.to_move if owner is None else owner
        return self.after(Touch(cell, down, self.time, owner if down else None))

    def after(self, event):
        """Something happens; whatever the board says then can be said."""
        self.session = self.session.after(event)
        assert text(*self.messages)
        return self

    def lift(self, *cells):
        for cell in cells:
            self.touch(cell, False)
        return self

    def drop(self, *cells, owner=None):
        for cell in cells:
            self.touch(cell, True, owner)
        return self

    def act(self, action, way=QUICKLY):
        """Lift and drop as an action does, in one of the `WAYS`; `way` may name an illegal one too."""
        order, gap = way
        changes = [(cell, down) for cell, down in zip(action, (False, True), strict=True) if cell]
        if order == "drop first":
            changes.reverse()
        owner = sides(self.position)[action.source] if action.source else self.position.to_move
        for i, (cell, down) in enumerate(changes):
            self.wait(gap if i else 0.0).touch(cell, down, owner)
        return self

    def wait(self, seconds):
        """Let time pass, with all the ticks that are asked for."""
        end = self.time + seconds
        while self.session.next_due <= end:
            self.time = max(self.time, self.session.next_due)
            self.after(ClockTick(self.time))
            self.ticks += 1
            assert self.ticks < 2_000, self.drawn("it asks for ticks without end")
        self.time = end
        return self

    @property
    def position(self):
        return self.session.position

    @property
    def felt(self):
        return self.session.board_state.occupancy.occupied_cells

    @property
    def actions(self):
        """The actions of the game so far."""
        return tuple(turn.action for turn in self.session.turns)

    @property
    def phase(self):
        return self.session.game_phase

    @property
    def messages(self):
        return self.session.messages

    @property
    def named(self):
        """The cells that the messages name."""
        return cells(self.messages)

    def shown(self, *roles):
        """The cells that the scene shows in these roles."""
        return [cell for cell, sight in self.session.view.cells.items() if sight.role in roles]

    def at_rest(self):
        """Whether board and game agree, but for what is to be taken off, and the next action counts."""
        wood, pieces = self.session.board_state, self.position.pieces
        standing = (
            wood.occupancy.occupied_cells - wood.sensors.masked_cells - (wood.tasks.to_remove.keys() - pieces.keys())
            == pieces.keys() - wood.sensors.masked_cells
        )
        whose = all(wood.occupancy.sensed_owners.get(cell, pieces[cell].owner) is pieces[cell].owner for cell in pieces)
        if self.session.is_over:
            return standing and whose and self.phase == "over"
        return (
            standing
            and whose
            and wood.confirmation.was_in_sync
            and self.phase == ("take_off" if wood.tasks.to_remove else "act")
        )

    def drawn(self, why=""):
        """All there is to know, for a test that has failed."""
        wood = self.session.board_state
        lines = (
            why,
            str(self.position),
            f"{self.position.notation_line} in {self.session.variant} at {self.time:.3f} s, phase {self.phase}",
            f"felt: {' '.join(sorted(wood.occupancy.occupied_cells))}; masked: {' '.join(sorted(wood.sensors.masked_cells))}",
            f"owners: {' '.join(f'{cell}={whose}' for cell, whose in sorted(wood.occupancy.sensed_owners.items()))}",
            f"to take off: {' '.join(sorted(wood.tasks.to_remove))}; to turn: {' '.join(sorted(wood.tasks.cells_to_flip))}",
            f"taken: {' '.join(map(str, self.actions))}",
            f"read as: {wood.confirmation.interpretation}",
            f"messages: {text(*self.messages)}",
        )
        return "\n".join(lines)


@contextmanager
def drawing(table, *what):
    """Whatever fails in here says what was being done, and draws the board."""
    try:
        yield
    except AssertionError as error:
        error.add_note(table.drawn(" ".join(map(str, what))))
        raise


# What the rules say, and nothing else


def sides(position):
    """Whose piece stands where."""
    return {cell: piece.owner for cell, piece in position.pieces.items()}


def stands_after(position, standing, action):
    """Whose piece stands where after an action, before anything has scored."""
    after = {cell: owner for cell, owner in standing.items() if cell != action.source}
    return after | {action.target: position.to_move}


def gone(turn):
    """The cells of everything that has scored."""
    return {cell for run in turn.sets for cell in run}


def seconds(turn):
    """What the other side may do while everything that has scored still stands."""
    return [] if find_outcome(turn.after) else [a for a in legal_actions(turn.after) if a.target not in gone(turn)]


def explanations(position, felt, *, owners=False):
    """Every sequence of one or two legal actions after which this would be felt, while all that scored still stands.

    Args:
        position: the position before them.
        felt: whose piece is felt where.
        owners: whether the sensors can tell whose it is.
    """

    def alike(standing):
        return standing == felt if owners else standing.keys() == felt.keys()

    found, stood = [], sides(position)
    for first in legal_actions(position):
        once = stands_after(position, stood, first)
        if alike(once):
            found.append((first,))
        if len(once.keys() ^ felt.keys()) > 2:
            continue  # a second action can change no more than two cells
        turn = play(position, first)
        found += [(first, second) for second in seconds(turn) if alike(stands_after(turn.after, once, second))]
    return found


def nowhere_else(position, action):
    """Whether the piece that moves has only this cell to go to, and it is not one beside its own."""
    if action.source is None or [a for a in legal_actions(position) if a.source == action.source] != [action]:
        return False
    (x, y), (u, v) = position.grid.cell_coordinates(action.source), position.grid.cell_coordinates(action.target)
    return max(abs(u - x), abs(v - y)) > 1


def illegal(position):
    """Every way to put one piece, of the board or from beside it, on an empty cell where it may not go."""
    legal, pieces = set(legal_actions(position)), position.pieces
    empty = [cell for cell in position.grid.cells if cell not in pieces]
    return [Action(*pair) for pair in product((None, *pieces), empty) if pair not in legal]


# Positions


def reachable(pond, most):
    """So many positions of a pond that can be acted in, breadth first from the start, none twice."""
    start = Position.start(pond)
    seen, found = {start}, [start]
    for position in found:
        for action in legal_actions(position):
            after = play(position, action).after
            if after not in seen and find_outcome(after) is None:
                if len(found) == most:
                    return found
                seen.add(after)
                found.append(after)
    return found


def sampled_turns(count, ponds, seed, *, scoring=None):
    """So many turns from anywhere in blind games that go on after them; `scoring`: only those that score, or do not."""
    chance, found = Random(seed), []
    while len(found) < count:
        game = random_game(chance.randrange(10**6), chance.choice(ponds), 120)
        turns = [turn for turn in game.turns if not turn.outcome and scoring in (None, bool(turn.sets))]
        found += [chance.choice(turns)] if turns else []
    return found


def sampled(count, ponds, seed):
    """So many positions from anywhere in blind games; none is finished."""
    return [turn.after for turn in sampled_turns(count, ponds, seed)]


# Hands


def follow(table):
    """Do the one thing that the lamps ask for, as somebody would who sees nothing else. False if they ask for nothing.

    Where a piece is to be put and none to be taken off, one comes from beside the board, of the colour that is shown.
    """
    off = [cell for cell in table.shown(CellRole.TAKE_OFF) if cell not in table.session.board_state.tasks.to_remove]
    put = table.shown(CellRole.PUT, CellRole.CHOSEN)
    assert len(off) <= 1, table.drawn(f"more than one piece is to be taken off at once: {off}")
    assert len(put) <= 1, table.drawn(f"more than one piece is to be put at once: {put}")
    if not off and not put:
        return False
    owner = table.session.view.cells[put[0]].piece.owner if put else None
    if off:
        owner = table.owners[off[0]] if table.owners is not None else None
        table.lift(*off).wait(0.1)
    table.drop(*put, owner=owner).wait(1.0)
    return True


def orders(changes):
    """Every order in which changes of sensors can come: each is a change, so a cell goes up and down by turns."""
    found = set()
    for order in permutations(changes):
        last = {}
        if all(last.get(cell) != down and not last.update({cell: down}) for cell, down in order):
            found.add(order)
    return sorted(found)


def changes(*actions):
    """What the sensors feel of these actions."""
    return [(cell, down) for action in actions for cell, down in zip(action, (False, True), strict=True) if cell]
