"""Engines, which choose actions. Other modules decide which thread or process they run in.

A `Player` wraps an engine at a table; tournaments call engines directly. Engines use the position and action format of
the packed kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pond_hw.engine.packed import pack_action, pack_position, packed_rules
from pond_hw.engine.packed.rules import score_gain
from pond_hw.rules import Record, Variant

if TYPE_CHECKING:
    from pond_hw.engine.packed import PackedPosition, PackedRules


class EngineGame(NamedTuple):
    """Game in progress in the format of the packed kernel. `past_keys` holds the keys of all earlier positions, in order."""

    variant: Variant
    rules: PackedRules
    position: PackedPosition
    past_keys: Sequence[int]

    @classmethod
    def from_record(cls, record: Record) -> EngineGame:
        rules = packed_rules(record.variant)
        position, past_keys = pack_position(record.start_position), list[int]()
        for turn in record.turns:
            past_keys.append(rules.position_key(position))
            position = rules.play_action(position, pack_action(turn.action, record.variant))
        return cls(record.variant, rules, position, past_keys)

    def after_action(self, action: int) -> EngineGame:
        past_keys = (*self.past_keys, self.rules.position_key(self.position))
        return self._replace(position=self.rules.play_action(self.position, action), past_keys=past_keys)


class Engine(Protocol):
    """Program that chooses actions.

    Attributes:
        is_instant: True if it answers fast enough to run without a separate process.
    """

    name: str
    is_instant: bool

    def choose_action(self, game: EngineGame, rng: Random, should_stop: Callable[[], bool]) -> int:
        """Return a legal packed action.

        Args:
            game: game to act in.
            rng: random number generator for all choices. Answers are reproducible unless the engine has a time limit.
            should_stop: polled often. After it returns True, any legal action will do.
        """

    def ponder(self, game: EngineGame, should_stop: Callable[[], bool]) -> None:
        """Think during the opponent's turn until `should_stop` returns True. The default does nothing."""
        del game, should_stop


class RandomEngine(Engine):
    """Engine that chooses among all legal actions with equal probability."""

    name = "random"
    is_instant = True

    def choose_action(self, game: EngineGame, rng: Random, should_stop: Callable[[], bool]) -> int:
        del should_stop
        return game.rules.nth_action(game.position, rng.randrange(game.rules.count_actions(game.position)))


class GreedyEngine(Engine):
    """Engine that looks one turn ahead: it maximizes its scored pieces minus the opponent's."""

    name = "greedy"
    is_instant = True

    def choose_action(self, game: EngineGame, rng: Random, should_stop: Callable[[], bool]) -> int:
        del should_stop
        position, play_action = game.position, game.rules.play_action
        actions = game.rules.legal_actions(position)
        scores_after = [play_action(position, action)[5] for action in actions]
        gain_by_score = {
            next_scored: score_gain(position[5], next_scored, position[6]) for next_scored in set(scores_after)
        }
        if len(gain_by_score) > 1:  # skipped in most positions, where nothing can score, to speed up tournaments
            best_gain = max(gain_by_score.values())
            valued_actions = zip(actions, scores_after, strict=True)
            actions = [action for action, next_scored in valued_actions if gain_by_score[next_scored] == best_gain]
        return rng.choice(actions)
