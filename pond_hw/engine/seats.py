"""Minds at a table: those who know at once, and those who think beside it."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from pond_hw.engine import Thinks
from pond_hw.engine.engines import Game, GreedyMind, Mind
from pond_hw.engine.levels import PATIENCE
from pond_hw.engine.packed import to_action
from pond_hw.engine.worker_process import Answer, Thinker, asked
from pond_hw.rules import Action, Record


class AtOnce:
    """A mind that is quick enough to be asked where the lamps are lit.

    Args:
        mind: who decides.
        seed: whole number from which all its chances come.
    """

    def __init__(self, mind: Mind, seed: int) -> None:
        self.name = mind.name
        self._mind, self._seed = mind, seed

    def think(self, game: Record, answer: Callable[[Action], None]) -> None:
        """Answer at once."""
        action = self._mind.choose(Game.of(game), Random(_chances(self._seed, game)), bool)
        answer(to_action(action, game.pond))

    def stop(self) -> None:
        """Nothing goes on between questions."""

    def close(self) -> None:
        """Nothing is running."""


class Beside:
    """A mind in a process of its own.

    Args:
        name: of the mind.
        seed: whole number from which all its chances come.
        thinks: what it may take for it.
    """

    def __init__(self, name: str, seed: int, thinks: Thinks) -> None:
        self.name = name
        self.thinker = Thinker(thinks.megabytes)
        self._seed = seed
        seconds, _, ponder = thinks
        self._within = PATIENCE if seconds is None else seconds
        self._question = {"mind": name, "seconds": seconds, "least": seconds or 0.0, "ponder": ponder}

    def think(self, game: Record, answer: Callable[[Action], None]) -> None:
        """Have it think. If no process can be had, or each dies of it, somebody simpler answers: the game goes on."""
        chances = _chances(self._seed, game)

        def heard(said: Answer | None) -> None:
            if said:
                answer(Action.read(said["action"]))
            else:
                AtOnce(GreedyMind(), self._seed).think(game, answer)

        self.thinker.ask({**self._question, **asked(game), "seed": chances}, heard, self._within)

    def stop(self) -> None:
        """Think no further."""
        self.thinker.stop()

    def close(self) -> None:
        """End the process."""
        self.thinker.close()


def _chances(seed: int, game: Record) -> str:
    """What chances begin with at this point of a game: whoever comes back to it decides as before."""
    return f"{seed} {len(game.turns)}"
