"""Hints: an adviser searches a position for the best action and its value.

Like players, advisers answer asynchronously. In simulated time they answer immediately and reproducibly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from pond_hw.engine import DEFAULT_THINKING, MakeWorker, Thinker, WorkerAnswer, make_process_worker
from pond_hw.engine.worker_client import game_to_json
from pond_hw.rules import Action, Record
from pond_hw.session import ActionValue

if TYPE_CHECKING:
    from pond_hw.engine.searcher import Searcher

HINT_NODES: Final = 200_000
"""Maximum number of nodes for a hint."""

HINT_SECONDS: Final = 2.0
"""Maximum time for a hint, in seconds."""

IMMEDIATE_HINT_NODES: Final = 20_000

HINT_MEGABYTES: Final = 4


class Advice(NamedTuple):
    """Recommended action and its value."""

    action: Action
    value: ActionValue


class Adviser(Thinker, Protocol):
    """Source of hints that answers asynchronously."""

    def request_advice(self, game: Record, on_answer: Callable[[Advice], None]) -> None:
        """Start thinking about a game in progress, and return immediately. `on_answer` is called once, from any thread."""


class ImmediateAdviser(Adviser):
    """Adviser that searches in the calling thread. Its answers are reproducible."""

    def __init__(self, max_nodes: int = IMMEDIATE_HINT_NODES) -> None:
        self._nodes = max_nodes
        self._searcher: Searcher | None = None

    def request_advice(self, game: Record, on_answer: Callable[[Advice], None]) -> None:
        from pond_hw.engine.engines import EngineGame
        from pond_hw.engine.packed import unpack_action
        from pond_hw.engine.searcher import Searcher, SearchLimits

        self._searcher = self._searcher or Searcher(HINT_MEGABYTES)
        search_result = self._searcher.search_game(EngineGame.from_record(game), SearchLimits(nodes=self._nodes))
        on_answer(
            Advice(unpack_action(search_result.actions[0], game.variant), to_action_value(search_result.values[0]))
        )


class WorkerAdviser(Adviser):
    """Adviser whose search runs in a worker, by default a process that the first request starts."""

    def __init__(self, make_worker: MakeWorker = make_process_worker) -> None:
        self.worker = make_worker(DEFAULT_THINKING.megabytes)

    def request_advice(self, game: Record, on_answer: Callable[[Advice], None]) -> None:
        """Ask the worker. If it fails repeatedly, look only one action ahead, in the calling thread."""
        from pond_hw.engine.packed import MAX_DEPTH

        def deliver(worker_answer: WorkerAnswer | None) -> None:
            if worker_answer:
                action, action_value = worker_answer["actions"][0], worker_answer["values"][0]
                on_answer(Advice(Action.from_notation(action), to_action_value(action_value)))
            else:
                ImmediateAdviser(max_nodes=1).request_advice(game, on_answer)

        search_limits = {"depth": MAX_DEPTH, "nodes": HINT_NODES, "seconds": HINT_SECONDS}
        self.worker.ask_question({**game_to_json(game), "look": search_limits}, deliver, HINT_SECONDS)

    def stop(self) -> None:
        self.worker.stop()

    def close(self) -> None:
        self.worker.close()


def to_action_value(action_value: int) -> ActionValue:
    from pond_hw.engine.packed import MIN_WIN_VALUE, WIN_VALUE

    return ActionValue(
        action_value / 100, WIN_VALUE - abs(action_value) if abs(action_value) >= MIN_WIN_VALUE else None
    )
