"""Who gives hints: looks ahead from where a person is to act, and says what is best and what it is worth.

An adviser is asked and answers later, like a player; in simulated time at once, and always the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from pond_hw.engine.worker_process import Answer, Thinker, asked
from pond_hw.rules import Action, Record
from pond_hw.session import Worth

if TYPE_CHECKING:
    from pond_hw.engine.searcher import Looker

LOOKS_AT: Final = 200_000
"""Positions that are looked at for a hint, if there is the time."""

SECONDS: Final = 2.0
"""How long somebody waits for a hint."""

LOOKS_AT_ONCE: Final = 20_000
"""Positions that are looked at where the same question must get the same answer, whatever machine it is."""

MEGABYTES: Final = 4
"""Memory for those of them that come up again."""


class Advice(NamedTuple):
    """What to do, and what it is worth."""

    action: Action
    worth: Worth


class Adviser(Protocol):
    """Somebody who is asked for a hint."""

    def think(self, game: Record, answer: Callable[[Advice], None]) -> None:
        """Begin to think about a game that is not over, and return.

        Args:
            game: the game so far; `game.position` is the position to act in.
            answer: to be called once, from whatever thread and whenever it is ready.
        """

    def stop(self) -> None:
        """Nobody waits for the answer any more; think no further."""

    def close(self) -> None:
        """Leave: nothing is left running."""


class AdvisesAtOnce:
    """Looks at so many positions where it is asked: the same question, the same answer, with either kernel.

    Args:
        nodes: how many positions.
    """

    def __init__(self, nodes: int = LOOKS_AT_ONCE) -> None:
        self._nodes = nodes
        self._looker: Looker | None = None

    def think(self, game: Record, answer: Callable[[Advice], None]) -> None:
        """Answer at once."""
        from pond_hw.engine.engines import Game
        from pond_hw.engine.packed import to_action
        from pond_hw.engine.searcher import Limits, Looker

        self._looker = self._looker or Looker(MEGABYTES)
        thought = self._looker.look(Game.of(game), Limits(nodes=self._nodes))
        answer(Advice(to_action(thought.actions[0], game.pond), worth(thought.values[0])))

    def stop(self) -> None:
        """Nothing goes on between questions."""

    def close(self) -> None:
        """Nothing is running."""


class AdvisesBeside:
    """Looks ahead in a process of its own, for two seconds at the most; lamps and fingers go on meanwhile.

    The process is started with the first question.
    """

    def __init__(self) -> None:
        self._thinker = Thinker()

    @property
    def pid(self) -> int | None:
        """The process that thinks, if there is one."""
        return self._thinker.pid

    def think(self, game: Record, answer: Callable[[Advice], None]) -> None:
        """Have it looked ahead. If no process can be had, or each dies of it, one action ahead must do."""
        from pond_hw.engine.packed import DEEPEST

        def heard(said: Answer | None) -> None:
            if said:
                answer(Advice(Action.read(said["actions"][0]), worth(said["values"][0])))
            else:
                AdvisesAtOnce(nodes=1).think(game, answer)

        look = {"depth": DEEPEST, "nodes": LOOKS_AT, "seconds": SECONDS}
        self._thinker.ask({**asked(game), "look": look}, heard, SECONDS)

    def stop(self) -> None:
        """Think no further."""
        self._thinker.stop()

    def close(self) -> None:
        """End the process."""
        self._thinker.close()


def worth(value: int) -> Worth:
    """What the value of an action, as the kernel tells it, is worth to people."""
    from pond_hw.engine.packed import SURE, WON

    return Worth(value / 100, WON - abs(value) if abs(value) >= SURE else None)
