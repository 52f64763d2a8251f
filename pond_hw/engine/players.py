"""Players that use an engine, immediately or in a worker."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from pond_hw.engine import MakeWorker, Player, ThinkingLimits, WorkerAnswer
from pond_hw.engine.engines import Engine, EngineGame, GreedyEngine
from pond_hw.engine.levels import DEFAULT_SECONDS
from pond_hw.engine.packed import unpack_action
from pond_hw.engine.worker_client import game_to_json
from pond_hw.rules import Action, Record


class ImmediatePlayer(Player):
    """Player whose engine is fast enough to run in the calling thread."""

    def __init__(self, engine: Engine, seed: int) -> None:
        self.name = engine.name
        self._engine, self._seed = engine, seed

    def request_action(self, game: Record, on_answer: Callable[[Action], None]) -> None:
        action = self._engine.choose_action(EngineGame.from_record(game), Random(_random_seed(self._seed, game)), bool)
        on_answer(unpack_action(action, game.variant))


class WorkerPlayer(Player):
    """Player whose engine runs in a worker."""

    def __init__(self, name: str, seed: int, thinking_limits: ThinkingLimits, make_worker: MakeWorker) -> None:
        seconds, megabytes, ponder = thinking_limits
        self.name, self.worker = name, make_worker(megabytes)
        self._seed = seed
        self._max_seconds = DEFAULT_SECONDS if seconds is None else seconds
        self._question = {"engine": name, "seconds": seconds, "least": seconds or 0.0, "ponder": ponder}

    def request_action(self, game: Record, on_answer: Callable[[Action], None]) -> None:
        """Ask the worker. If it fails repeatedly, the greedy engine answers instead, so that the game can continue."""

        def deliver(answer: WorkerAnswer | None) -> None:
            if answer:
                on_answer(Action.from_notation(answer["action"]))
            else:
                ImmediatePlayer(GreedyEngine(), self._seed).request_action(game, on_answer)

        question = {**self._question, **game_to_json(game), "seed": _random_seed(self._seed, game)}
        self.worker.ask_question(question, deliver, self._max_seconds)

    def stop(self) -> None:
        self.worker.stop()

    def close(self) -> None:
        self.worker.close()


def _random_seed(seed: int, game: Record) -> str:
    """Return a seed that depends on the number of turns, so that a player repeats its decision after an undo."""
    return f"{seed} {len(game.turns)}"
