"""Sessions in simulated time, with buttons and with pieces."""

from contextlib import contextmanager
from dataclasses import replace

from pond_hw.board import Touch
from pond_hw.rules import (
    STANDARD,
    VARIANTS,
    Action,
    Position,
    Side,
    Variant,
    parse_variant,
)
from pond_hw.session import (
    Agreement,
    BoardState,
    ClockTick,
    ConfirmationState,
    HandTasks,
    Occupancy,
    SensorHealth,
    Session,
    TakeAction,
)
from tests.messages.says import cells, text
from tests.session.pieces.oracle import owners_by_cell

SETTLE = 0.25
HOLD = 3.0
TIME_TOLERANCE = 0.001
"""Tolerance in seconds when instants are compared."""

SMALL = (parse_variant("3x3/9/5"), parse_variant("3x3/4/3"), parse_variant("3x3/5/5"))
LARGE = (STANDARD, VARIANTS["mini"], VARIANTS["big"], parse_variant("4x4/6/6"), parse_variant("5x5/7/4"))

QUICK, HELD, SLIDING = WAYS = (("lift first", 0.1), ("lift first", 1.0), ("drop first", 0.1))
"""Ways to move a piece: the change that is detected first, and the seconds until the other change."""


class ButtonTable:
    """Session on a board with buttons. Presses come one second apart."""

    def __init__(self, pond: Variant | str = STANDARD, size: int | None = None):
        self.session = Session.start_game(parse_variant(pond) if isinstance(pond, str) else pond, size)
        self.time = 0.0

    def send(self, event, **fields):
        """Send an event one second after the previous one, given its type and fields."""
        self.time += 1
        self.session = self.session.after(event(instant=self.time, **fields))
        assert text(*self.session.messages)  # every message has a text
        return self.session

    def press(self, *cells):
        """Press and release cells."""
        for cell in cells:
            self.send(Touch, cell=cell, down=True)
            self.session = self.session.after(Touch(cell, False, self.time))
        return self.session

    def play(self, actions):
        """Play actions in record notation, which must be legal."""
        for action in actions.split():
            turns = len(self.session.turns)
            self.send(TakeAction, action=Action.from_notation(action))
            assert len(self.session.turns) == turns + 1, (
                f"{action}: {text(*self.session.messages)}\n{self.session.position}"
            )
        return self.session


def board_rows(position: Position) -> str:
    """Return the rows of a position in notation."""
    return position.notation_line.split()[0]


def values_by_side(game, setting):
    """Return the values of a setting for light and dark."""
    return tuple(game.find_value(setting, side) for side in Side)


class PiecesTable:
    """Session on a board with pieces, in simulated time. Use `fork` for a trial run."""

    def __init__(self, session, time=0.0, owners=None, ticks=0):
        self.session = session
        self.time = time
        self.owners = owners  # owners by cell if the sensors know them, else None
        self.ticks = ticks

    @classmethod
    def at(cls, position, *, owners=False, detected=None, known_bad=frozenset(), asks_to_flip=True):
        """Return a stable table at a position, with all its pieces (or those of `detected`) in place."""
        known_owners = owners_by_cell(position) if owners else {}
        detected = frozenset(position.pieces if detected is None else detected)
        session = Session.start_game(
            position.variant,
            board_state=BoardState(
                sensors=SensorHealth(known_bad=known_bad),
                occupancy=Occupancy(settle_seconds=SETTLE, occupied_cells=detected, sensed_owners=known_owners),
                tasks=HandTasks(asks_to_flip=asks_to_flip),
                confirmation=ConfirmationState(Agreement.IN_PLAY),
            ),
        )
        return cls(replace(session, custom_start=position), owners=known_owners if owners else None).wait(1.0)

    def fork(self):
        """Return an independent copy."""
        return PiecesTable(self.session, self.time, None if self.owners is None else dict(self.owners), self.ticks)

    def touch(self, cell, down, owner=None):
        """Change one sensor. If the sensors detect owners, `owner` defaults to the side to move."""
        if self.owners is None:
            owner = None
        else:
            self.owners.pop(cell, None)
            if down:
                owner = self.owners[cell] = self.session.position.to_move if owner is None else owner
        return self.after(Touch(cell, down, self.time, owner if down else None))

    def after(self, event):
        """Send an event. All messages must have texts."""
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

    def act(self, action, way=QUICK):
        """Lift and put down the pieces for an action, in one of the `WAYS`. The action may be illegal."""
        order, gap = way
        changes = [(cell, down) for cell, down in zip(action, (False, True), strict=True) if cell]
        if order == "drop first":
            changes.reverse()
        owner = owners_by_cell(self.position)[action.source] if action.source else self.position.to_move
        for i, (cell, down) in enumerate(changes):
            self.wait(gap if i else 0.0).touch(cell, down, owner)
        return self

    def wait(self, seconds):
        """Let time pass, sending all requested ticks."""
        end = self.time + seconds
        while self.session.next_due <= end:
            self.time = max(self.time, self.session.next_due)
            self.after(ClockTick(self.time))
            self.ticks += 1
            assert self.ticks < 2_000, self.describe("it asks for ticks without end")
        self.time = end
        return self

    @property
    def position(self):
        return self.session.position

    @property
    def detected(self):
        return self.session.board_state.occupancy.occupied_cells

    @property
    def actions(self):
        """Actions of the game."""
        return tuple(turn.action for turn in self.session.turns)

    @property
    def phase(self):
        return self.session.game_phase

    @property
    def messages(self):
        return self.session.messages

    @property
    def named(self):
        """Cells named in the messages."""
        return cells(self.messages)

    def shown(self, *roles):
        """Return the cells that are shown in one of these roles."""
        return [cell for cell, sight in self.session.view.cells.items() if sight.role in roles]

    def at_rest(self):
        """Return True if the board matches the game, apart from hand tasks, and the next action would count."""
        state, pieces = self.session.board_state, self.position.pieces
        standing = (
            state.occupancy.occupied_cells - state.sensors.masked_cells - (state.tasks.to_remove.keys() - pieces.keys())
            == pieces.keys() - state.sensors.masked_cells
        )
        whose = all(
            state.occupancy.sensed_owners.get(cell, pieces[cell].owner) is pieces[cell].owner for cell in pieces
        )
        if self.session.is_over:
            return standing and whose and self.phase == "over"
        return (
            standing
            and whose
            and state.confirmation.agreement.counts_actions
            and self.phase == ("take_off" if state.tasks.to_remove else "act")
        )

    def describe(self, why=""):
        """Describe the state after a failure."""
        state = self.session.board_state
        lines = (
            why,
            str(self.position),
            f"{self.position.notation_line} in {self.session.variant} at {self.time:.3f} s, phase {self.phase}",
            f"detected: {' '.join(sorted(state.occupancy.occupied_cells))}; masked: {' '.join(sorted(state.sensors.masked_cells))}",
            f"owners: {' '.join(f'{cell}={whose}' for cell, whose in sorted(state.occupancy.sensed_owners.items()))}",
            f"to remove: {' '.join(sorted(state.tasks.to_remove))}; to turn: {' '.join(sorted(state.tasks.cells_to_flip))}",
            f"actions: {' '.join(map(str, self.actions))}",
            f"interpretation: {state.confirmation.interpretation}",
            f"messages: {text(*self.messages)}",
        )
        return "\n".join(lines)


@contextmanager
def draw_on_failure(table, *what):
    """Add the current step and a drawing of the board to failures in this block."""
    try:
        yield
    except AssertionError as error:
        error.add_note(table.describe(" ".join(map(str, what))))
        raise
