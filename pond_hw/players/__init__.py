"""Who else can sit at the table.

A player is asked and answers later: `think` returns at once, and the answer may come from any
thread after any time, so a player that searches for seconds holds up neither the lamps nor the
sensors. People are not players in this sense: nobody asks them, their touches come by the board.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pond_hw.rules import Action, PondError, Record

HUMAN = "human"
NAMES = (HUMAN, "random", "greedy")
"""Whom `player` knows."""


class Player(Protocol):
    """Somebody who answers with an action when asked."""

    @property
    def name(self) -> str:
        """What messages call this player."""

    def think(self, game: Record, answer: Callable[[Action], None]) -> None:
        """Begin to think about a game that is not over, and return at once.

        Args:
            game: the game so far; `game.position` is the position to act in.
            answer: to be called once, with a legal action, from whatever thread and whenever it is ready.
        """

    def stop(self) -> None:
        """Nobody waits for the answer any more; think no further. Harmless when nothing was asked."""


def player(name: str, seed: int) -> Player | None:
    """The player of this name, or None for a person, who needs no program.

    Args:
        name: one of `NAMES`.
        seed: whole number from which all its chances come: the same seed and the same game, the same answers.

    Raises:
        PondError: nobody has this name.
    """
    if name == HUMAN:
        return None
    if name == "random":
        from pond_hw.players.random import RandomPlayer

        return RandomPlayer(seed)
    if name == "greedy":
        from pond_hw.players.greedy import GreedyPlayer

        return GreedyPlayer(seed)
    raise PondError(f"There is no player {name!r}; there are {', '.join(NAMES)}.")
