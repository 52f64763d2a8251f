"""People at a session in simulated time: fingers on buttons, and hands that lift and drop pieces."""

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
from tests.session.pieces.oracle import sides

SETTLE = 0.25
HOLD = 3.0
JIFFY = 0.001
"""Seconds; instants that are nearer than this are the same."""

SMALL = (parse_variant("3x3/9/5"), parse_variant("3x3/4/3"), parse_variant("3x3/5/5"))
LARGE = (STANDARD, VARIANTS["mini"], VARIANTS["big"], parse_variant("4x4/6/6"), parse_variant("5x5/7/4"))

QUICKLY, SEEN_IN_A_HAND, SLIDING = WAYS = (("lift first", 0.1), ("lift first", 1.0), ("drop first", 0.1))
"""How hands act: which change is detected first, and how many seconds pass before the other one."""


class ButtonTable:
    """A session with hands: every press comes a second after the one before."""

    def __init__(self, pond: Variant | str = STANDARD, size: int | None = None):
        self.session = Session.start_game(parse_variant(pond) if isinstance(pond, str) else pond, size)
        self.time = 0.0

    def does(self, event, **fields):
        """Something happens a second later: an event's type, and what else it needs."""
        self.time += 1
        self.session = self.session.after(event(instant=self.time, **fields))
        assert text(*self.session.messages)  # whatever is said can be said
        return self.session

    def press(self, *cells):
        """Fingers come and go, one after the other."""
        for cell in cells:
            self.does(Touch, cell=cell, down=True)
            self.session = self.session.after(Touch(cell, False, self.time))
        return self.session

    def play(self, actions):
        """Actions by name, as a record writes them; every one of them must be legal."""
        for action in actions.split():
            turns = len(self.session.turns)
            self.does(TakeAction, action=Action.from_notation(action))
            assert len(self.session.turns) == turns + 1, (
                f"{action}: {text(*self.session.messages)}\n{self.session.position}"
            )
        return self.session


def rows(position: Position) -> str:
    """The board alone, as its line writes it."""
    return position.notation_line.split()[0]


def of_sides(game, setting):
    """The values of a setting of light and dark."""
    return tuple(game.find_value(setting, side) for side in Side)


class PiecesTable:
    """A session that feels pieces, and the instant it is at. `fork` tries something without doing it."""

    def __init__(self, session, time=0.0, owners=None, ticks=0):
        self.session = session
        self.time = time
        self.owners = owners  # whose piece stands where, where sensors can tell; None where they cannot
        self.ticks = ticks

    @classmethod
    def at(cls, position, *, owners=False, detected=None, known_bad=frozenset(), asks_to_flip=True):
        """The game in this position, looked at; all its pieces stand where they should, or just these are detected."""
        known_owners = sides(position) if owners else {}
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
        """Another one in the same state."""
        return PiecesTable(self.session, self.time, None if self.owners is None else dict(self.owners), self.ticks)

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
    def detected(self):
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

    def drawn(self, why=""):
        """All there is to know, for a test that has failed."""
        state = self.session.board_state
        lines = (
            why,
            str(self.position),
            f"{self.position.notation_line} in {self.session.variant} at {self.time:.3f} s, phase {self.phase}",
            f"detected: {' '.join(sorted(state.occupancy.occupied_cells))}; masked: {' '.join(sorted(state.sensors.masked_cells))}",
            f"owners: {' '.join(f'{cell}={whose}' for cell, whose in sorted(state.occupancy.sensed_owners.items()))}",
            f"to take off: {' '.join(sorted(state.tasks.to_remove))}; to turn: {' '.join(sorted(state.tasks.cells_to_flip))}",
            f"taken: {' '.join(map(str, self.actions))}",
            f"read as: {state.confirmation.interpretation}",
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
