"""What the actions of a game were worth, each held against the best that could have been done instead. Pure.

The action that was taken and the best one are compared in one search of the same position, to the same depth. Positions
that follow each other are never compared: searched to an even and to an odd depth they differ, though nobody erred.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

from pond_hw.engine.engines import Game
from pond_hw.engine.packed import SURE, WON, rules_of, to_action, to_bare, to_number
from pond_hw.engine.searcher import Limits, Looker, Thought
from pond_hw.rules import LIGHT, Action, Record, Side

NODES = 100_000
"""Positions that are looked at for an action, unless somebody says otherwise."""

MEGABYTES = 16
"""Memory for those of them that come up again."""

SLIP, MISTAKE, BLUNDER = 50, 100, 200
"""What an action gives away, in hundredths of a piece, from which on it has one of these names."""

AHEAD = 75
"""From so many hundredths of a piece on a side is ahead, and not level."""

ENOUGH = 500
"""Being further ahead than this, surely winning included, counts as this: nobody gives away more by one action."""

SHARES = (0.6, 0.2, 0.2)
"""How the time for an action is spent: on finding the best, on comparing it, and on what comes of it."""


class Fault(IntEnum):
    """How bad an action is, by what it gives away."""

    NONE = 0
    SLIP = 1
    MISTAKE = 2
    BLUNDER = 3


class Judged(NamedTuple):
    """What was found out about an action.

    Attributes:
        side: who took it.
        taken: the action.
        value: what it is worth to that side, in hundredths of a piece, or sure: see `kernel.search`.
        best: what was best there; the action taken, if nothing is better.
        best_value: what that is worth.
        depth: so many actions ahead both were looked at.
        line: how the game was expected to go on, the action taken first.
        better: how it would have gone on with the best action.
    """

    side: Side
    taken: Action
    value: int
    best: Action
    best_value: int
    depth: int
    line: tuple[Action, ...]
    better: tuple[Action, ...]

    @property
    def loss(self) -> int:
        """What it gives away, in hundredths of a piece."""
        return max(0, _counted(self.best_value) - _counted(self.value))

    @property
    def missed(self) -> bool:
        """Whether a sure win was let go."""
        return self.best_value >= SURE > self.value

    @property
    def thrown(self) -> bool:
        """Whether it lets the other side win for sure, which it could not before."""
        return self.value <= -SURE < self.best_value

    @property
    def fault(self) -> Fault:
        """How bad it is."""
        loss = self.loss
        if loss >= BLUNDER:
            return Fault.BLUNDER
        if loss >= MISTAKE:
            return Fault.MISTAKE
        return Fault.SLIP if loss >= SLIP or self.missed or self.thrown else Fault.NONE

    @property
    def turning(self) -> bool:
        """Whether the game took another way here: a mistake after which the side stands worse than before in kind."""
        return self.fault >= Fault.MISTAKE and _standing(self.value) < _standing(self.best_value)

    def to_light(self, value: int) -> int:
        """A value to the side that took it, as light sees it."""
        return value if self.side is LIGHT else -value


def _counted(value: int) -> int:
    return max(-ENOUGH, min(ENOUGH, value))


def _standing(value: int) -> int:
    """Surely lost, behind, level, ahead, surely won: -2 to 2."""
    if abs(value) < AHEAD:
        return 0
    return (2 if abs(value) >= SURE else 1) * (1 if value > 0 else -1)


def analysed(record: Record, limits: Limits, stop: Callable[[], bool] = bool) -> Iterator[Judged]:
    """Every action of a game, in order, as soon as it is judged.

    Args:
        record: of the game; it may be unfinished, and may have begun anywhere.
        limits: where looking ahead ends, for each action. Without a time the answers are the same everywhere.
        stop: asked every few milliseconds; when it says yes, there are no more to come.
    """
    pond = record.pond
    game = Game(pond, rules_of(pond), to_bare(record.start_position), ())
    looker = Looker(MEGABYTES)
    for turn in record.turns:
        taken = to_number(turn.action, pond)
        judged = judge(looker, game, taken, limits, stop)
        if stop():
            return
        yield judged
        game = game.after(taken)


def judge(looker: Looker, game: Game, taken: int, limits: Limits, stop: Callable[[], bool] = bool) -> Judged:
    """Hold an action against the best.

    Args:
        looker: with `MEGABYTES` of memory, for the same answers everywhere.
        game: where it was taken.
        taken: the action, as the kernel's number.
        limits: where looking ahead ends.
        stop: asked every few milliseconds; when it says yes, the answer is worth nothing.
    """

    def look(share: float, depth: int, among: Sequence[int] = (), margin: int = 0) -> Thought:
        """The last depth that was finished; what is found of a deeper one is not known of every action."""
        seconds = None if limits.seconds is None else limits.seconds * share
        whole = list[Thought]()
        bounds = Limits(depth, limits.nodes, seconds)
        last = looker.look(game, bounds, stop, margin, told=whole.append, among=among, keep=bool(among))
        return whole[-1] if whole else last

    # With a margin even a single action is looked at to the end.
    found = look(SHARES[0], limits.depth, margin=int(game.rules.count(game.position) == 1))
    best, better = found.actions[0], found.line
    value = best_value = found.values[0]
    line = better
    if best != taken:
        both = look(SHARES[1], found.depth, (best, taken), 2 * WON)
        worth = dict(zip(both.actions, both.values, strict=True))
        value, best_value = worth[taken], worth[best]
        # A win ends the search that finds it. The one taken may win too, only later.
        deeper = best_value >= SURE > value
        alone = look(SHARES[2], limits.depth if deeper else found.depth, (taken,), 1)
        line = alone.line
        if deeper:
            value = alone.values[0]
        if value >= best_value:
            best, best_value, better = taken, value, line
    pond = game.pond
    return Judged(
        Side(game.position[6]),
        to_action(taken, pond),
        value,
        to_action(best, pond),
        best_value,
        found.depth,
        tuple(to_action(action, pond) for action in line),
        tuple(to_action(action, pond) for action in better),
    )


class Summary(NamedTuple):
    """What the actions of a side come to.

    Attributes:
        actions: how many it took.
        loss: what it gave away with each on the mean, in hundredths of a piece.
        best: how many were as good as the best.
        faults: how many slips, mistakes and blunders.
        missed: how often it let a sure win go.
    """

    actions: int
    loss: float
    best: int
    faults: Mapping[Fault, int]
    missed: int


def summary(judged: Sequence[Judged], side: Side) -> Summary:
    """What the actions of a side come to."""
    own = [each for each in judged if each.side is side]
    faults = {fault: sum(each.fault is fault for each in own) for fault in Fault if fault}
    loss = sum(each.loss for each in own) / max(1, len(own))
    best = sum(each.value >= each.best_value for each in own)
    return Summary(len(own), loss, best, faults, sum(each.missed for each in own))


def decided(judged: Sequence[Judged]) -> tuple[int, Side] | None:
    """After how many turns the game was won for sure, and by whom; None if that was never so to the end."""
    if not judged or abs(judged[-1].value) < SURE:
        return None
    last = judged[-1]
    winner = last.side if last.value > 0 else last.side.other
    count = len(judged)
    while count and _wins(judged[count - 1], winner):
        count -= 1
    return count + 1, winner


def _wins(judged: Judged, side: Side) -> bool:
    return (judged.value if judged.side is side else -judged.value) >= SURE


def left(value: int) -> int:
    """After how many more actions of both sides a game is over that is surely won (or lost) by an action just taken."""
    return WON - abs(value) - 1


def as_told(judged: Judged) -> dict[str, object]:
    """What a process tells of it; `from_told` has it again."""
    return {
        **judged._asdict(),
        "side": int(judged.side),
        "taken": str(judged.taken),
        "best": str(judged.best),
        "line": [str(action) for action in judged.line],
        "better": [str(action) for action in judged.better],
    }


def from_told(told: Mapping[str, Any]) -> Judged:
    """What a process has told of it."""
    return Judged(
        Side(told["side"]),
        Action.read(told["taken"]),
        told["value"],
        Action.read(told["best"]),
        told["best_value"],
        told["depth"],
        tuple(map(Action.read, told["line"])),
        tuple(map(Action.read, told["better"])),
    )
