"""What was meant, what came of it, and what an accident must not look like. It knows the rules, not the session."""

from dataclasses import dataclass, field, fields
from math import inf

from pond_hw.rules import Position, legal_actions, play
from pond_hw.server.protocol import occupancy_to_json

ASKED_MOST = 0.005
"""The share of actions about which the board may ask under ordinary noise."""

ASKED_MOST_QUICK = 0.001
"""The same if people do not wait for the board."""


@dataclass
class Band:
    """What happened in games at one tempo: add them up with `+`."""

    games: int = 0
    gaps: int = 0
    seconds: float = 0.0
    meant: int = 0
    wrong: int = 0
    ghosts: int = 0
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
    """What happened in a game, or in many: add them up with `+`."""

    games: int = 0
    finished: int = 0
    agreed: int = 0
    wrong_games: int = 0  # with a wrong action, or a take-back that nobody meant
    named: int = 0  # did not end in agreement, but the board named the bad sensor
    meant: int = 0
    understood: int = 0
    asked: int = 0
    announced: int = 0
    wrong: int = 0
    mistakes: int = 0
    mended: int = 0
    takebacks: int = 0
    taken_back: int = 0
    ghosts: int = 0
    by_a_face: int = 0
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
        """One more of these."""
        self.kinds[kind] = self.kinds.get(kind, 0) + 1


@dataclass
class Meant:
    """An action that somebody carries out now, or has carried out."""

    action: object
    turn: object
    asked: str = ""
    times: int = 0
    undetected: int = 0
    firsts: list[object] = field(default_factory=list)  # the turns of actions that were done, and corrected at once
    landed_at: float = inf
    presses_at: float = inf  # when the key is going to be pressed
    pressed_at: float = inf


class Oracle:
    """Watches one game from outside.

    Attributes:
        truth: the turns that were meant and have counted.
        pending: the actions that are being carried out and have not counted yet, in order.
        going_back: how many turns somebody is about to take back.
        provisional: whether the last turn is one that was corrected at once, but counted before that.
        failures: what must never be, in sentences.
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
        """What the game should be."""
        return self.truth[-1].after if self.truth else self.start

    @property
    def position_meant(self):
        """What it will be when all that is pending has counted."""
        return self.pending[-1].turn.after if self.pending else self.position

    def mean(self, action):
        """Somebody begins to carry out an action."""
        meant = Meant(action, play(self.position_meant, action))
        self.pending.append(meant)
        self.figures.meant += 1
        return meant

    def watch(self, before, after):
        """The session has changed."""
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
            self.figures.count("first tries that counted, and were taken back")
        elif back != self.going_back:
            self.figures.ghosts += 1
            meant = f"{self.going_back} meant" if self.going_back else "nobody meant that"
            self.failures.append(f"{back} turns were taken back, {meant}.")
        else:
            self.figures.taken_back += 1
        self.going_back, self.provisional = 0, False
        del self.truth[-back:]

    def _counted(self, turn, announced_before):
        firsts = self.pending[0].firsts if self.pending and not self.provisional else ()
        if any((first.action, first.after) == (turn.action, turn.after) for first in firsts):
            self.provisional = True
            self.truth.append(turn)
            return
        pending = self.pending.pop(0) if self.pending else None
        if pending is None or pending.action != turn.action or pending.turn.after != turn.after:
            self.figures.wrong += 1
            what = f"{pending.action} was meant" if pending else "nothing was meant"
            self.failures.append(f"{turn.action} counted, and {what}.")
            return
        self.truth.append(turn)
        self.figures.understood += 1
        if pending.asked:
            self.figures.asked += 1
            self.figures.count(f"asked, {self.noise}: {pending.asked}")
        elif announced_before:
            self.figures.announced += 1


def announced(session):
    """The actions that a session announces, as text; none if it announces something else or nothing."""
    about = occupancy_to_json(session.view.occupancy)["about"] or {}
    return about.get("actions", [])


class Lookalikes:
    """What the board stands like after any legal action or two, or after turns were taken back.

    Args:
        position: the position now.
        leaving: the scored pieces that still stand about: they may be there or not.
        turns: the turns so far.
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
        """Whether the board could be taken for one of these, with pieces on just these cells."""
        return self.on.mask_of(cells) | self.leaving in self.masks

    def has_any_between(self, standing, moves):
        """The same, at any moment while these pieces go to these places: {from: the cells that feel it then}."""
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
    """Two dictionaries, with what both have added up."""
    return {**one, **{key: one[key] + each if key in one else each for key, each in other.items()}}
