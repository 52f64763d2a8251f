"""Comparison of intended actions with those that counted, and of accidents with boards that they must not resemble.

This module depends only on the rules.
"""

from dataclasses import dataclass, field, fields
from math import inf

from pond_hw.rules import Position, legal_actions, play
from pond_hw.server.protocol import occupancy_to_json

MAX_ASKED = 0.005
"""Maximum fraction of actions that the board may ask about with ordinary noise."""

MAX_ASKED_QUICK = 0.001
"""The same fraction for quick people."""

MAX_WRONG = 0.0005
"""Maximum fraction of misunderstood actions with turned pieces and ordinary noise. Measured: 9 of 20 001."""


@dataclass
class Band:
    """Figures of games at one tempo. They can be added."""

    games: int = 0
    gaps: int = 0
    seconds: float = 0.0
    intended: int = 0
    wrong: int = 0
    unintended_undos: int = 0
    asked: int = 0
    waited: float = 0.0
    without_wait: int = 0
    one_wait: int = 0
    mismatches: int = 0
    agreed: int = 0

    def __add__(self, other):
        return Band(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))


@dataclass
class Figures:
    """Figures of one or more games. They can be added."""

    games: int = 0
    finished: int = 0
    agreed: int = 0
    wrong_games: int = 0  # games with a wrong action or an unintended undo
    named: int = 0  # games without final agreement in which the board named the bad sensor
    intended: int = 0
    understood: int = 0
    asked: int = 0
    announced: int = 0
    wrong: int = 0
    mistakes: int = 0
    repaired: int = 0
    intended_undos: int = 0
    taken_back: int = 0
    unintended_undos: int = 0
    by_screen: int = 0
    quick: int = 0
    lookalikes: int = 0
    masked: int = 0
    simulated: float = 0.0
    kinds: dict[str, int] = field(default_factory=dict)
    bands: dict[str, Band] = field(default_factory=dict)

    def __add__(self, other):
        added = {each.name: getattr(self, each.name) + getattr(other, each.name) for each in fields(self)[:-2]}
        return Figures(**added, kinds=_merged(self.kinds, other.kinds), bands=_merged(self.bands, other.bands))

    def count(self, kind):
        self.kinds[kind] = self.kinds.get(kind, 0) + 1


@dataclass
class IntendedAction:
    """Action that a person intends, from its start until it has counted."""

    action: object
    turn: object
    asked: str = ""
    times: int = 0
    undetected: int = 0
    first_tries: list[object] = field(default_factory=list)  # turns of actions that were corrected at once
    landed_at: float = inf
    presses_at: float = inf  # planned time of the key press
    pressed_at: float = inf


class Oracle:
    """Observer of a game that knows what the people intend.

    Attributes:
        truth: Intended turns that have counted.
        pending: Intended actions that have not counted yet, in order.
        going_back: Number of turns that a person is about to undo.
        provisional: True if the last turn counted although it was corrected at once.
        failures: Failures, as sentences.
    """

    def __init__(self, pond):
        self.start = Position.start(pond)
        self.truth = []
        self.pending = []
        self.going_back = 0
        self.provisional = False
        self.noise = ""
        self.figures = Figures()
        self.failures = []

    @property
    def position(self):
        """Position that the game should have."""
        return self.truth[-1].after if self.truth else self.start

    @property
    def intended_position(self):
        """Position after all pending actions."""
        return self.pending[-1].turn.after if self.pending else self.position

    def intend(self, action):
        """Record the start of an intended action, and return it."""
        intended = IntendedAction(action, play(self.intended_position, action))
        self.pending.append(intended)
        self.figures.intended += 1
        return intended

    def watch(self, before, after):
        """Compare the turns with the intended ones after a change of the session."""
        if before.turns == after.turns:
            return
        same = 0
        for one, other in zip(before.turns, after.turns, strict=False):
            if one != other:
                break
            same += 1
        if back := len(before.turns) - same:
            self._taken_back(back)
        counted_by_itself = announced(before)
        for turn in after.turns[same:]:
            self._counted(turn, counted_by_itself)

    def _taken_back(self, back):
        if self.provisional and back == 1 and not self.going_back:
            self.figures.count("first tries that counted and were corrected")
        elif back != self.going_back:
            self.figures.unintended_undos += 1
            self.failures.append(f"Number of undone turns: {back} instead of {self.going_back}.")
        else:
            self.figures.taken_back += 1
        self.going_back, self.provisional = 0, False
        del self.truth[-back:]

    def _counted(self, turn, announced_before):
        first_tries = self.pending[0].first_tries if self.pending and not self.provisional else ()
        if any((first.action, first.after) == (turn.action, turn.after) for first in first_tries):
            self.provisional = True
            self.truth.append(turn)
            return
        pending = self.pending.pop(0) if self.pending else None
        if pending is None or pending.action != turn.action or pending.turn.after != turn.after:
            self.figures.wrong += 1
            what = f"{pending.action} was intended" if pending else "nothing was intended"
            self.failures.append(f"{turn.action} counted, but {what}.")
            return
        self.truth.append(turn)
        self.figures.understood += 1
        if pending.asked:
            self.figures.asked += 1
            self.figures.count(f"asked, {self.noise}: {pending.asked}")
        elif announced_before:
            self.figures.announced += 1


def announced(session):
    """Return the actions that a session announces, in notation."""
    about = occupancy_to_json(session.view.occupancy)["about"] or {}
    return about.get("actions", [])


class Lookalikes:
    """Boards that can result from one or two legal actions, or from an undo.

    Args:
        position: Current position.
        leaving: Scored pieces that may still be on the board.
        turns: Turns so far.
    """

    def __init__(self, position, leaving, turns=()):
        self.position = position
        self.on = position.grid
        self.leaving = self.on.mask_of(leaving)
        self.masks = {turn.before.light | turn.before.dark | self.leaving for turn in turns[-2:]}
        here = position.light | position.dark
        for action in legal_actions(position):
            once = self._acted(here, action)
            self.masks.add(once | self.leaving)
            turn = play(position, action)
            gone = self.on.mask_of(cell for run in turn.sets for cell in run)
            for second in legal_actions(turn.after):
                self.masks.add(self._acted(once, second) | gone | self.leaving)
                self.masks.add(self._acted(once & ~gone, second) | gone | self.leaving)

    def _acted(self, mask, action):
        if action.source:
            mask &= ~self.on.mask_by_cell[action.source]
        return mask | self.on.mask_by_cell[action.target]

    def has(self, cells):
        """Return True if pieces on exactly these cells look like one of the boards."""
        return self.on.mask_of(cells) | self.leaving in self.masks

    def has_any_between(self, standing, moves):
        """Return True if the board looks like one of these at any time during some movements.

        Args:
            standing: Cells of the pieces before the movements.
            moves: For each source, the cells that detect the piece after its movement.
        """
        cells = sorted(moves)
        for number in range(1, 3 ** len(cells)):
            now, left = set(standing), number
            for cell in cells:
                left, state = divmod(left, 3)
                if state:
                    now.discard(cell)
                if state == 2:
                    now.update(moves[cell])
            if self.has(now):
                return True
        return False


def _merged(one, other):
    """Return the sum of two dictionaries whose values can be added."""
    return {**one, **{key: one[key] + each if key in one else each for key, each in other.items()}}
