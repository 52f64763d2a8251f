"""How programs decide. A mind is asked for an action and answers with it; when and where it thinks is not its affair.

At a table a mind sits behind a `Player`, in a tournament minds meet directly. They see the game as the kernel has it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pond_hw.engine.packed import rules_of, to_bare, to_number
from pond_hw.rules import Record, Variant

if TYPE_CHECKING:
    from pond_hw.engine.packed import Bare, Rules


class Game(NamedTuple):
    """A game that is not over, as the kernel has it.

    Attributes:
        pond: the variant.
        rules: its rules.
        position: the position to act in.
        past: the keys of the positions before it, in order.
    """

    pond: Variant
    rules: Rules
    position: Bare
    past: Sequence[int]

    @classmethod
    def of(cls, record: Record) -> Game:
        """The game of a record."""
        rules = rules_of(record.pond)
        position, past = to_bare(record.start_position), list[int]()
        for turn in record.turns:
            past.append(rules.key(position))
            position = rules.play(position, to_number(turn.action, record.pond))
        return cls(record.pond, rules, position, past)

    def after(self, action: int) -> Game:
        """The game with one more action."""
        past = (*self.past, self.rules.key(self.position))
        return self._replace(position=self.rules.play(self.position, action), past=past)


class Mind(Protocol):
    """Somebody who decides."""

    @property
    def name(self) -> str:
        """What messages and tables call this mind."""

    @property
    def quick(self) -> bool:
        """Whether it decides in no time, so that it needs no process of its own."""

    def choose(self, game: Game, chance: Random, stop: Callable[[], bool]) -> int:
        """A legal action, as the kernel's number.

        Args:
            game: where it is to act.
            chance: where all its chances come from: the same ones and the same game, the same answer, unless the mind
                was told to look at the clock.
            stop: says whether nobody waits any longer; asked often, and then any legal action will do.
        """

    def ponder(self, game: Game, stop: Callable[[], bool]) -> None:
        """Go on thinking while the other side thinks, until somebody says stop; for some there is nothing to do.

        Args:
            game: where the other side is to act, if it is not over.
            stop: says when.
        """


class RandomMind:
    """Takes any legal action, each as likely as the next."""

    name = "random"
    quick = True

    def choose(self, game: Game, chance: Random, stop: Callable[[], bool]) -> int:
        """Any legal action."""
        del stop
        return game.rules.action(game.position, chance.randrange(game.rules.count(game.position)))

    def ponder(self, game: Game, stop: Callable[[], bool]) -> None:
        """Nothing to think about."""


class GreedyMind:
    """Looks at this turn and no further: as many own pieces and as few of the other's as it can score."""

    name = "greedy"
    quick = True

    def choose(self, game: Game, chance: Random, stop: Callable[[], bool]) -> int:
        """One of the actions with the best difference in scored pieces, any of them."""
        del stop
        position, play = game.position, game.rules.play
        actions = game.rules.actions(position)
        scored = [play(position, action)[5] for action in actions]
        if scored.count(position[5]) < len(scored):  # mostly nothing can be scored, and tournaments are in a hurry
            gains = {each: difference(position, each) for each in set(scored)}
            best = max(gains.values())
            actions = [action for action, each in zip(actions, scored, strict=True) if gains[each] == best]
        return chance.choice(actions)

    def ponder(self, game: Game, stop: Callable[[], bool]) -> None:
        """Nothing to think about."""


def gain(rules: Rules, position: Bare, action: int) -> int:
    """Own pieces minus the other's that a legal action scores."""
    return difference(position, rules.play(position, action)[5])


def difference(position: Bare, scored: int) -> int:
    """Own pieces minus the other's by which the mover gains if this will be scored, as the kernel has it."""
    before = position[5]
    light = (scored & 31) - (before & 31) - (scored >> 5) + (before >> 5)
    return -light if position[6] else light
