"""Game review: compare each action with the best one in its position. This module does no I/O.

Both actions are searched from the same position to the same depth. Values of consecutive positions are never compared,
because searches to even and odd depths differ systematically.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import takewhile
from typing import Any, NamedTuple

from pond_hw.engine.engines import EngineGame
from pond_hw.engine.packed import MIN_WIN_VALUE, WIN_VALUE, pack_action, pack_position, packed_rules, unpack_actions
from pond_hw.engine.searcher import Searcher, SearchLimits, SearchResult
from pond_hw.rules import DARK, LIGHT, Action, Position, Record, Side, Turn, play

REVIEW_LIMITS = SearchLimits(nodes=5_000)
"""Default search limits per action, shared by all screens and `pond analyse`.

A node limit gives the same result on every machine. Without the compiled kernel, a whole game takes several seconds.
"""

DEEP_NODES = 100_000
"""Number of nodes per action with `pond analyse --deep`."""

ANALYSIS_MEGABYTES = 16

MISTAKE_LOSSES = 50, 100, 200
"""Minimum losses of a slip, a mistake and a blunder, in hundredths of a piece."""

AHEAD_VALUE = 75
"""Minimum value at which a side counts as ahead, in hundredths of a piece."""

MAX_COUNTED_VALUE = 500
"""Limit to which all values, including those of forced wins, are clamped before losses are computed."""

TIME_SHARES = (0.6, 0.2, 0.2)
"""Fractions of the time per action for finding the best action, comparing both actions, and finding the continuation."""


class Mistake(IntEnum):
    """Grade of an action by its loss."""

    NONE = 0
    SLIP = 1
    MISTAKE = 2
    BLUNDER = 3


class MoveReview(NamedTuple):
    """Review of an action.

    Attributes:
        side: side that took the action.
        value: value of the action for that side, in hundredths of a piece; see `engine.packed.search` for forced wins.
        best: best action in the position; the same as `taken` if no other action is better.
        depth: search depth of the comparison.
        line: expected continuation, including `taken`.
        better: expected continuation with the best action.
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
        return max(0, _clamp_value(self.best_value) - _clamp_value(self.value))

    @property
    def missed_win(self) -> bool:
        return self.best_value >= MIN_WIN_VALUE > self.value

    @property
    def threw_away_game(self) -> bool:
        """True if the action gave the opponent a forced win."""
        return self.value <= -MIN_WIN_VALUE < self.best_value

    @property
    def mistake_grade(self) -> Mistake:
        grade = Mistake(bisect(MISTAKE_LOSSES, self.value_loss))
        return Mistake.SLIP if not grade and (self.missed_win or self.threw_away_game) else grade

    @property
    def is_turning_point(self) -> bool:
        """True if the mistake changed which side is ahead or winning."""
        return self.mistake_grade >= Mistake.MISTAKE and _standing_rank(self.value) < _standing_rank(self.best_value)

    def value_for_light(self, value: int) -> int:
        return value if self.side is LIGHT else -value


def _clamp_value(value: int) -> int:
    return max(-MAX_COUNTED_VALUE, min(MAX_COUNTED_VALUE, value))


def _standing_rank(value: int) -> int:
    """Return a rank from -2 to 2: forced loss, behind, level, ahead, forced win."""
    if abs(value) < AHEAD_VALUE:
        return 0
    return (2 if abs(value) >= MIN_WIN_VALUE else 1) * (1 if value > 0 else -1)


def review_moves(record: Record, limits: SearchLimits, stop: Callable[[], bool] = bool) -> Iterator[MoveReview]:
    """Yield a review of each action of a game, in order.

    Results are reproducible if there is no time limit. `stop` is polled every few milliseconds; when it returns True, the
    iteration ends.
    """
    pond = record.variant
    game = EngineGame(pond, packed_rules(pond), pack_position(record.start_position), ())
    searcher = Searcher(ANALYSIS_MEGABYTES)
    for turn in record.turns:
        taken = pack_action(turn.action, pond)
        review = review_move(searcher, game, taken, limits, stop)
        if stop():
            return
        yield review
        game = game.after_action(taken)


def review_move(
    searcher: Searcher, game: EngineGame, taken: int, limits: SearchLimits, stop: Callable[[], bool] = bool
) -> MoveReview:
    """Compare an action with the best one.

    Results are reproducible if the searcher has `ANALYSIS_MEGABYTES` and there is no time limit. `stop` is polled every
    few milliseconds; after it returns True, the result is meaningless.
    """

    def look(share: float, depth: int, among: Sequence[int] = (), margin: int = 0) -> SearchResult:
        """Return the result of the last completed depth, because a partial result does not cover all actions."""
        seconds = None if limits.seconds is None else limits.seconds * share
        finished, bounds = list[SearchResult](), SearchLimits(depth, limits.nodes, seconds)
        last = searcher.search_game(game, bounds, stop, margin, on_depth=finished.append, among=among, keep=bool(among))
        return finished[-1] if finished else last

    # A margin makes the search go to full depth even with a single action.
    first_result = look(TIME_SHARES[0], limits.depth, margin=int(game.rules.count_actions(game.position) == 1))
    best, best_line = first_result.actions[0], first_result.best_line
    value = best_value = first_result.values[0]
    line = best_line
    if best != taken:
        pair_result = look(TIME_SHARES[1], first_result.depth, (best, taken), 2 * WIN_VALUE)
        value_by_action = dict(zip(pair_result.actions, pair_result.values, strict=True))
        value, best_value = value_by_action[taken], value_by_action[best]
        # A win ends the search that finds it. The action taken may win as well, only later.
        deeper = best_value >= MIN_WIN_VALUE > value
        taken_result = look(TIME_SHARES[2], limits.depth if deeper else first_result.depth, (taken,), 1)
        line = taken_result.best_line
        if deeper:
            value = taken_result.values[0]
        if value >= best_value:
            best, best_value, best_line = taken, value, line
    taken_action, best_action = unpack_actions((taken, best), game.variant)
    lines = unpack_actions(line, game.variant), unpack_actions(best_line, game.variant)
    return MoveReview(Side(game.position[6]), taken_action, value, best_action, best_value, first_result.depth, *lines)


class SideSummary(NamedTuple):
    """Summary of a side's actions.

    Attributes:
        mean_loss: mean loss per action, in hundredths of a piece.
        best_count: number of actions that were as good as the best one.
        mistake_counts: number of slips, mistakes and blunders.
    """

    actions: int
    mean_loss: float
    best_count: int
    mistake_counts: Mapping[Mistake, int]
    missed_wins: int


def summarize_side(reviews: Sequence[MoveReview], side: Side) -> SideSummary:
    own = [each for each in reviews if each.side is side]
    faults = {fault: sum(each.mistake_grade is fault for each in own) for fault in Mistake if fault}
    loss = sum(each.value_loss for each in own) / max(1, len(own))
    best = sum(each.value >= each.best_value for each in own)
    return SideSummary(len(own), loss, best, faults, sum(each.missed_win for each in own))


def find_decision(reviews: Sequence[MoveReview]) -> tuple[int, Side] | None:
    """Return the number of the decisive turn, and the winner; None if there is no decisive turn.

    From the decisive turn on, the winner always had a forced win.
    """
    light_values = [each.value_for_light(each.value) for each in reviews]
    if not reviews or abs(light_values[-1]) < MIN_WIN_VALUE:
        return None
    winner = LIGHT if light_values[-1] > 0 else DARK
    won_since = [
        *takewhile(lambda value: (value if winner is LIGHT else -value) >= MIN_WIN_VALUE, reversed(light_values))
    ]
    return len(reviews) - len(won_since) + 1, winner


def actions_to_end(value: int) -> int:
    """Return how many actions, by both sides, follow an action whose value is a forced win or loss."""
    return WIN_VALUE - abs(value) - 1


def review_to_json(review: MoveReview) -> dict[str, object]:
    """Convert a review to JSON for the worker's answer. `review_from_json` is the inverse."""
    return {
        **review._asdict(),
        "side": int(review.side),
        "taken": str(review.taken),
        "best": str(review.best),
        "line": [str(action) for action in review.line],
        "better": [str(action) for action in review.better],
    }


def review_from_json(fields: Mapping[str, Any]) -> MoveReview:
    taken, best = map(Action.from_notation, (fields["taken"], fields["best"]))
    lines = (tuple(map(Action.from_notation, fields[name])) for name in ("line", "better"))
    return MoveReview(Side(fields["side"]), taken, fields["value"], best, fields["best_value"], fields["depth"], *lines)


def play_actions(before: Position, actions: Iterable[Action]) -> list[Turn]:
    turns = list[Turn]()
    for action in actions:
        turns.append(play(turns[-1].after if turns else before, action))
    return turns
