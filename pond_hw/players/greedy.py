"""A player who looks at this turn and no further: as many own pieces and as few of the other's as it can score."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from pond_hw.rules import Action, Position, Record, legal_actions, play


class GreedyPlayer:
    """Takes the action with the best difference in scored pieces, any of the best if there are several."""

    name = "greedy"

    def __init__(self, seed: int) -> None:
        self._chance = Random(seed)

    def think(self, game: Record, answer: Callable[[Action], None]) -> None:
        """Answer at once with one of the best actions of this turn."""
        gains = {action: gain(game.position, action) for action in legal_actions(game.position)}
        best = max(gains.values())
        answer(self._chance.choice([action for action, value in gains.items() if value == best]))

    def stop(self) -> None:
        """Nothing goes on between questions."""


def gain(position: Position, action: Action) -> int:
    """Own pieces minus the other's that a legal action scores."""
    me = position.to_move
    scored = play(position, action).after.scored
    return (scored[me] - position.scored[me]) - (scored[me.other] - position.scored[me.other])
