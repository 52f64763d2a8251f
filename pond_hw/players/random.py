"""A player without a thought: any legal action, each as likely as the next."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from pond_hw.rules import Action, Record, legal_actions


class RandomPlayer:
    """Takes any legal action; the same seed takes the same ones."""

    name = "random"

    def __init__(self, seed: int) -> None:
        self._chance = Random(seed)

    def think(self, game: Record, answer: Callable[[Action], None]) -> None:
        """Answer at once with any legal action."""
        answer(self._chance.choice(legal_actions(game.position)))

    def stop(self) -> None:
        """Nothing goes on between questions."""
