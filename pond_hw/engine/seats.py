"""Minds at a table: those who know at once, and those who think beside it."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from pond_hw.engine import ThinkingLimits
from pond_hw.engine.engines import Engine, EngineGame, GreedyEngine
from pond_hw.engine.levels import DEFAULT_SECONDS
from pond_hw.engine.packed import unpack_action
from pond_hw.engine.worker_process import WorkerAnswer, WorkerClient, game_to_json
from pond_hw.rules import Action, Record


class ImmediatePlayer:
    """A mind that is quick enough to be asked where the lamps are lit.

    Args:
        mind: who decides.
        seed: whole number from which all its chances come.
    """

    def __init__(self, mind: Engine, seed: int) -> None:
        self.name = mind.name
        self._mind, self._seed = mind, seed

    def request_action(self, game: Record, answer: Callable[[Action], None]) -> None:
        """Answer at once."""
        action = self._mind.choose_action(EngineGame.from_record(game), Random(_random_seed(self._seed, game)), bool)
        answer(unpack_action(action, game.variant))

    def stop(self) -> None:
        """Nothing goes on between questions."""

    def close(self) -> None:
        """Nothing is running."""


class SubprocessPlayer:
    """A mind in a process of its own.

    Args:
        name: of the mind.
        seed: whole number from which all its chances come.
        thinks: what it may take for it.
    """

    def __init__(self, name: str, seed: int, thinks: ThinkingLimits) -> None:
        self.name = name
        self.worker_client = WorkerClient(thinks.megabytes)
        self._seed = seed
        seconds, _, ponder = thinks
        self._within = DEFAULT_SECONDS if seconds is None else seconds
        self._question = {"mind": name, "seconds": seconds, "least": seconds or 0.0, "ponder": ponder}

    def request_action(self, game: Record, answer: Callable[[Action], None]) -> None:
        """Have it think. If no process can be had, or each dies of it, somebody simpler answers: the game goes on."""
        chances = _random_seed(self._seed, game)

        def heard(said: WorkerAnswer | None) -> None:
            if said:
                answer(Action.from_notation(said["action"]))
            else:
                ImmediatePlayer(GreedyEngine(), self._seed).request_action(game, answer)

        self.worker_client.ask_question({**self._question, **game_to_json(game), "seed": chances}, heard, self._within)

    def stop(self) -> None:
        """Think no further."""
        self.worker_client.stop()

    def close(self) -> None:
        """End the process."""
        self.worker_client.close()


def _random_seed(seed: int, game: Record) -> str:
    """What chances begin with at this point of a game: whoever comes back to it decides as before."""
    return f"{seed} {len(game.turns)}"
