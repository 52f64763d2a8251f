"""Players that use an engine, immediately or in a separate process."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from pond_hw.engine import Player, ThinkingLimits
from pond_hw.engine.engines import Engine, EngineGame, GreedyEngine
from pond_hw.engine.levels import DEFAULT_SECONDS
from pond_hw.engine.packed import unpack_action
from pond_hw.engine.worker_client import WorkerAnswer, WorkerClient, game_to_json
from pond_hw.rules import Action, Record


class ImmediatePlayer(Player):
    """Player whose engine is fast enough to run in the calling thread."""

    def __init__(self, engine: Engine, seed: int) -> None:
        self.name = engine.name
        self._engine, self._seed = engine, seed

    def request_action(self, game: Record, on_answer: Callable[[Action], None]) -> None:
        action = self._engine.choose_action(EngineGame.from_record(game), Random(_random_seed(self._seed, game)), bool)
        on_answer(unpack_action(action, game.variant))


class SubprocessPlayer(WorkerClient):
    """Player whose engine runs in a separate process."""

    def __init__(self, name: str, seed: int, thinking_limits: ThinkingLimits) -> None:
        seconds, megabytes, ponder = thinking_limits
        super().__init__(megabytes)
        self.name = name
        self._seed = seed
        self._max_seconds = DEFAULT_SECONDS if seconds is None else seconds
        self._question = {"engine": name, "seconds": seconds, "least": seconds or 0.0, "ponder": ponder}

    def request_action(self, game: Record, on_answer: Callable[[Action], None]) -> None:
        """Ask the process. If it fails repeatedly, the greedy engine answers instead, so that the game can continue."""

        def deliver(answer: WorkerAnswer | None) -> None:
            if answer:
                on_answer(Action.from_notation(answer["action"]))
            else:
                ImmediatePlayer(GreedyEngine(), self._seed).request_action(game, on_answer)

        question = {**self._question, **game_to_json(game), "seed": _random_seed(self._seed, game)}
        self.ask_question(question, deliver, self._max_seconds)


def _random_seed(seed: int, game: Record) -> str:
    """Return a seed that depends on the number of turns, so that a player repeats its decision after an undo."""
    return f"{seed} {len(game.turns)}"
