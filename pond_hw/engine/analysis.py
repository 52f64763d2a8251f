"""Review of a game's actions: each is compared with the best action of its position. Pure.

The action that was taken and the best one are compared in one search of the same position, to the same depth. Positions
that follow each other are never compared: searched to an even and to an odd depth they differ, even without a mistake.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import takewhile
from typing import Any, NamedTuple

from pond_hw.engine.engines import EngineGame
from pond_hw.engine.packed import SURE_VALUE, WIN_VALUE, pack_action, pack_position, packed_rules, unpack_actions
from pond_hw.engine.searcher import Searcher, SearchLimits, SearchResult
from pond_hw.rules import DARK, LIGHT, Action, Position, Record, Side, Turn, play

REVIEW_LIMITS = SearchLimits(nodes=5_000)
"""Default end of looking ahead from an action. Every screen and `pond analyse` use it, so that they agree: a count
of positions gives the same answer on every machine. A whole game takes some seconds, even if nothing is compiled."""

DEEP_NODES = 100_000
"""Positions to look at for an action with `pond analyse --deep`."""

ANALYSIS_MEGABYTES = 16
"""Memory for those of them that come up again."""

MISTAKE_LOSSES = 50, 100, 200
"""Losses in hundredths of a piece from which on an action is a slip, a mistake, a blunder."""

AHEAD_VALUE = 75
"""From so many hundredths of a piece on a side is ahead, and not level."""

MAX_COUNTED_VALUE = 500
"""Largest value that is counted, a sure win included: no action gives away more than twice as much."""

TIME_SHARES = (0.6, 0.2, 0.2)
"""Shares of the time for an action: finding the best, comparing it, and looking at what follows."""


class Mistake(IntEnum):
    """Grade of an action, by its loss."""

    NONE = 0
    SLIP = 1
    MISTAKE = 2
    BLUNDER = 3


class MoveReview(NamedTuple):
    """Review of an action.

    Attributes:
        side: the side that took it.
        taken: the action.
        value: its value for that side, in hundredths of a piece, or sure: see `engine.packed.search`.
        best: the best action there; the action taken, if nothing is better.
        best_value: the value of the best action.
        depth: actions that both were looked ahead.
        line: the expected continuation, the action taken first.
        better: the expected continuation with the best action.
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
    def value_loss(self) -> int:
        """Loss against the best action, in hundredths of a piece."""
        return max(0, _clamp_value(self.best_value) - _clamp_value(self.value))

    @property
    def missed_win(self) -> bool:
        """True if a sure win was missed."""
        return self.best_value >= SURE_VALUE > self.value

    @property
    def threw_away_game(self) -> bool:
        """True if the other side wins for sure now, and did not before."""
        return self.value <= -SURE_VALUE < self.best_value

    @property
    def mistake_grade(self) -> Mistake:
        """Grade of the action."""
        grade = Mistake(bisect(MISTAKE_LOSSES, self.value_loss))
        return Mistake.SLIP if not grade and (self.missed_win or self.threw_away_game) else grade

    @property
    def is_turning_point(self) -> bool:
        """True if the mistake changed who is ahead or winning."""
        return self.mistake_grade >= Mistake.MISTAKE and _standing_rank(self.value) < _standing_rank(self.best_value)

    def value_for_light(self, value: int) -> int:
        """A value to the side that took it, as light sees it."""
        return value if self.side is LIGHT else -value


def _clamp_value(value: int) -> int:
    return max(-MAX_COUNTED_VALUE, min(MAX_COUNTED_VALUE, value))


def _standing_rank(value: int) -> int:
    """Surely lost, behind, level, ahead, surely won: -2 to 2."""
    if abs(value) < AHEAD_VALUE:
        return 0
    return (2 if abs(value) >= SURE_VALUE else 1) * (1 if value > 0 else -1)


def review_moves(record: Record, limits: SearchLimits, stop: Callable[[], bool] = bool) -> Iterator[MoveReview]:
    """Every action of a game, in order, as soon as it is judged.

    Args:
        record: of the game; it may be unfinished, and may have begun anywhere.
        limits: where looking ahead ends, for each action. Without a time the answers are the same everywhere.
        stop: asked every few milliseconds; when it says yes, there are no more to come.
    """
    pond = record.variant
    game = EngineGame(pond, packed_rules(pond), pack_position(record.start_position), ())
    searcher = Searcher(ANALYSIS_MEGABYTES)
    for turn in record.turns:
        taken = pack_action(turn.action, pond)
        judged = review_move(searcher, game, taken, limits, stop)
        if stop():
            return
        yield judged
        game = game.after_action(taken)


def review_move(
    searcher: Searcher, game: EngineGame, taken: int, limits: SearchLimits, stop: Callable[[], bool] = bool
) -> MoveReview:
    """Hold an action against the best.

    Args:
        searcher: with `ANALYSIS_MEGABYTES` of memory, for the same answers everywhere.
        game: where it was taken.
        taken: the action, as the kernel's number.
        limits: where looking ahead ends.
        stop: asked every few milliseconds; when it says yes, the answer is worth nothing.
    """

    def look(share: float, depth: int, among: Sequence[int] = (), margin: int = 0) -> SearchResult:
        """The last depth that was finished; what is found of a deeper one is not known of every action."""
        seconds = None if limits.seconds is None else limits.seconds * share
        finished, bounds = list[SearchResult](), SearchLimits(depth, limits.nodes, seconds)
        last = searcher.search_game(game, bounds, stop, margin, on_depth=finished.append, among=among, keep=bool(among))
        return finished[-1] if finished else last

    # With a margin even a single action is looked at to the end.
    found = look(TIME_SHARES[0], limits.depth, margin=int(game.rules.count_actions(game.position) == 1))
    best, better = found.actions[0], found.best_line
    value = best_value = found.values[0]
    line = better
    if best != taken:
        both = look(TIME_SHARES[1], found.depth, (best, taken), 2 * WIN_VALUE)
        worth = dict(zip(both.actions, both.values, strict=True))
        value, best_value = worth[taken], worth[best]
        # A win ends the search that finds it. The one taken may win too, only later.
        deeper = best_value >= SURE_VALUE > value
        alone = look(TIME_SHARES[2], limits.depth if deeper else found.depth, (taken,), 1)
        line = alone.best_line
        if deeper:
            value = alone.values[0]
        if value >= best_value:
            best, best_value, better = taken, value, line
    taken_action, best_action = unpack_actions((taken, best), game.variant)
    lines = unpack_actions(line, game.variant), unpack_actions(better, game.variant)
    return MoveReview(Side(game.position[6]), taken_action, value, best_action, best_value, found.depth, *lines)


class SideSummary(NamedTuple):
    """Summary of a side's actions.

    Attributes:
        actions: number of actions.
        mean_loss: mean loss of an action, in hundredths of a piece.
        best_count: number of actions as good as the best.
        mistake_counts: numbers of slips, mistakes and blunders.
        missed_wins: number of sure wins that it missed.
    """

    actions: int
    mean_loss: float
    best_count: int
    mistake_counts: Mapping[Mistake, int]
    missed_wins: int


def summarize_side(judged: Sequence[MoveReview], side: Side) -> SideSummary:
    """Summarize the actions of a side."""
    own = [each for each in judged if each.side is side]
    faults = {fault: sum(each.mistake_grade is fault for each in own) for fault in Mistake if fault}
    loss = sum(each.value_loss for each in own) / max(1, len(own))
    best = sum(each.value >= each.best_value for each in own)
    return SideSummary(len(own), loss, best, faults, sum(each.missed_win for each in own))


def find_decision(judged: Sequence[MoveReview]) -> tuple[int, Side] | None:
    """After how many turns the game was won for sure, and by whom; None if that was never so to the end."""
    light_values = [each.value_for_light(each.value) for each in judged]
    if not judged or abs(light_values[-1]) < SURE_VALUE:
        return None
    winner = LIGHT if light_values[-1] > 0 else DARK
    won_since = [*takewhile(lambda value: (value if winner is LIGHT else -value) >= SURE_VALUE, reversed(light_values))]
    return len(judged) - len(won_since) + 1, winner


def actions_to_end(value: int) -> int:
    """After how many more actions of both sides a game is over that is surely won (or lost) by an action just taken."""
    return WIN_VALUE - abs(value) - 1


def review_to_json(judged: MoveReview) -> dict[str, object]:
    """Return a review as the worker sends it; `review_from_json` reads it."""
    return {
        **judged._asdict(),
        "side": int(judged.side),
        "taken": str(judged.taken),
        "best": str(judged.best),
        "line": [str(action) for action in judged.line],
        "better": [str(action) for action in judged.better],
    }


def review_from_json(fields: Mapping[str, Any]) -> MoveReview:
    """Read a review that the worker has sent."""
    taken, best = map(Action.from_notation, (fields["taken"], fields["best"]))
    lines = (tuple(map(Action.from_notation, fields[name])) for name in ("line", "better"))
    return MoveReview(Side(fields["side"]), taken, fields["value"], best, fields["best_value"], fields["depth"], *lines)


def play_actions(before: Position, actions: Iterable[Action]) -> list[Turn]:
    """The turns that these actions are from a position on."""
    turns = list[Turn]()
    for action in actions:
        turns.append(play(turns[-1].after if turns else before, action))
    return turns
