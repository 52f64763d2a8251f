"""Engines: given a game, choose an action. When and where an engine thinks is decided elsewhere.

At a table an engine sits behind a `Player`, in a tournament engines meet directly. They see the game as the kernel has it.
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
    """A game that is not over, as the kernel has it.

    Attributes:
        variant: the variant.
        rules: its rules.
        position: the position to act in.
        past_keys: the keys of the positions before it, in order.
    """

    variant: Variant
    rules: PackedRules
    position: PackedPosition
    past_keys: Sequence[int]

    @classmethod
    def from_record(cls, record: Record) -> EngineGame:
        """The game of a record."""
        rules = packed_rules(record.variant)
        position, past_keys = pack_position(record.start_position), list[int]()
        for turn in record.turns:
            past_keys.append(rules.position_key(position))
            position = rules.play_action(position, pack_action(turn.action, record.variant))
        return cls(record.variant, rules, position, past_keys)

    def after_action(self, action: int) -> EngineGame:
        """The game with one more action."""
        past_keys = (*self.past_keys, self.rules.position_key(self.position))
        return self._replace(position=self.rules.play_action(self.position, action), past_keys=past_keys)


class Engine(Protocol):
    """Program that chooses actions.

    Attributes:
        name: name of the engine in messages and tables.
        is_instant: True if it decides in no time, so that it needs no process of its own.
    """

    name: str
    is_instant: bool

    def choose_action(self, game: EngineGame, rng: Random, should_stop: Callable[[], bool]) -> int:
        """Return a legal action, as the kernel's number.

        Args:
            game: where it is to act.
            rng: source of all random choices. The same one and the same game give the same answer, unless the engine
                is bounded by time.
            should_stop: returns True if nobody waits any longer: then any legal action will do. It is called often.
        """

    def ponder(self, game: EngineGame, should_stop: Callable[[], bool]) -> None:
        """Think on while the other side thinks, until told to stop. Some engines have nothing to do.

        Args:
            game: where the other side is to act, if it is not over.
            should_stop: returns True to stop.
        """
        del game, should_stop


class RandomEngine(Engine):
    """Takes any legal action, each as likely as the next."""

    name = "random"
    is_instant = True

    def choose_action(self, game: EngineGame, rng: Random, should_stop: Callable[[], bool]) -> int:
        """Any legal action."""
        del should_stop
        return game.rules.nth_action(game.position, rng.randrange(game.rules.count_actions(game.position)))


class GreedyEngine(Engine):
    """Looks at this turn and no further: as many own pieces and as few of the other's as it can score."""

    name = "greedy"
    is_instant = True

    def choose_action(self, game: EngineGame, rng: Random, should_stop: Callable[[], bool]) -> int:
        """One of the actions with the best difference in scored pieces, any of them."""
        del should_stop
        position, play_action = game.position, game.rules.play_action
        actions = game.rules.legal_actions(position)
        scores_after = [play_action(position, action)[5] for action in actions]
        gain_by_score = {
            next_scored: score_gain(position[5], next_scored, position[6]) for next_scored in set(scores_after)
        }
        if len(gain_by_score) > 1:  # mostly nothing can be scored, and tournaments are in a hurry
            best_gain = max(gain_by_score.values())
            valued_actions = zip(actions, scores_after, strict=True)
            actions = [action for action, next_scored in valued_actions if gain_by_score[next_scored] == best_gain]
        return rng.choice(actions)
