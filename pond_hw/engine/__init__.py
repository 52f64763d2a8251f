"""Who else can sit at the table.

A player is asked and answers later: `request_action` returns at once, and the answer may come from any
thread after any time, so a player that searches for seconds holds up neither the lamps nor the
sensors. People are not players in this sense: nobody asks them, their touches come by the board.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from pond_hw.messages.message import Message
from pond_hw.rules import Action, PondError, Record

HUMAN = "human"
PLAYER_NAMES = (HUMAN, "random", "greedy", *(f"level-{number}" for number in range(1, 13)))
"""Who plays whole games: whom `make_player` knows, besides `STUBBORN`."""

LEVEL_NAMES = {
    "novice": "level-1",
    "beginner": "level-2",
    "casual": "level-4",
    "club": "level-7",
    "strong": "level-10",
    "strongest": "level-12",
}
"""Levels that people choose by a word; docs/opponents.md says how far they are apart."""

OTHER_PROGRAMS = tuple(name for name in PLAYER_NAMES[1:] if name not in LEVEL_NAMES.values())
"""Programs without such a word."""

STUBBORN = "stubborn"
"""Who plays the other side of puzzles: where it must lose, it holds out as long as possible."""


class ThinkingLimits(NamedTuple):
    """What levels may take for their thinking.

    Attributes:
        seconds: for an action: not more, and not less either. None: they answer when they are ready.
        megabytes: of memory for the positions that they have seen.
        ponder: whether they go on while the other side thinks.
    """

    seconds: float | None = None
    megabytes: float = 32
    ponder: bool = False


DEFAULT_THINKING = ThinkingLimits()
"""What they take if nobody says anything."""

PlayerNames = tuple[str | None, str | None]
"""What the people at light and dark are called; None: they have not said."""

UNNAMED_PLAYERS: PlayerNames = (None, None)


class Thinker(Protocol):
    """Somebody who is asked and answers later, or at once: then there is nothing to stop or to close."""

    def stop(self) -> None:
        """Nobody waits for the answer any more; think no further. Harmless when nothing was asked."""
        return

    def close(self) -> None:
        """Leave the table: nothing is left running. Whoever is asked again afterwards comes back."""
        return


class Player(Thinker, Protocol):
    """Somebody who answers with an action when asked.

    Attributes:
        name: what messages call this player.
    """

    name: str

    def request_action(self, game: Record, on_answer: Callable[[Action], None]) -> None:
        """Begin to think about a game that is not over, and return at once.

        Args:
            game: the game so far; `game.position` is the position to act in.
            on_answer: to be called once, with a legal action, from whatever thread and whenever it is ready.
        """


class SeatedPlayers(NamedTuple):
    """Who sits at a table.

    Attributes:
        players: who plays light and dark; None is a person.
        names: what the people are called.
    """

    players: tuple[Player | None, Player | None] = (None, None)
    names: PlayerNames = UNNAMED_PLAYERS


def make_player(player_name: str, seed: int, thinking_limits: ThinkingLimits = DEFAULT_THINKING) -> Player | None:
    """The player of this name, or None for a person, who needs no program.

    Args:
        player_name: one of `PLAYER_NAMES`, or `STUBBORN`.
        seed: whole number from which all its chances come: the same seed and the same game, the same answers (where
            a level has the time to look at all that it may, which takes a slow machine).
        thinking_limits: what a level may take for it.

    Raises:
        PondError: nobody has this name.
    """
    if player_name == STUBBORN or (player_name.startswith("level-") and player_name in PLAYER_NAMES):
        from pond_hw.engine.players import SubprocessPlayer

        return SubprocessPlayer(player_name, seed, thinking_limits)
    return make_simulated_player(player_name, seed)


def make_simulated_player(player_name: str, seed: int) -> Player | None:
    """The same, for simulated time: it thinks where it is asked, and looks at no clock; None for a person.

    What it answers depends on the seed and the game alone, on whatever machine. A strong level takes its time for that.

    Raises:
        PondError: nobody has this name.
    """
    if player_name not in (*PLAYER_NAMES, STUBBORN):
        raise PondError(Message("player.unknown", name=player_name, names=PLAYER_NAMES))
    if player_name == HUMAN:
        return None
    from math import inf

    from pond_hw.engine.engine_names import make_engine
    from pond_hw.engine.players import ImmediatePlayer

    return ImmediatePlayer(make_engine(player_name, DEFAULT_THINKING.megabytes, inf), seed)
