"""Computer players.

A player answers later: `request_action` returns at once, and the answer may come from any thread after any time, so a
player that searches for seconds holds up neither the lamps nor the sensors. People are not players in this sense:
their touches come from the board.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from pond_hw.messages.message import Message
from pond_hw.rules import Action, PondError, Record, Side

HUMAN = "human"
PLAYER_NAMES = (HUMAN, "random", "greedy", *(f"level-{number}" for number in range(1, 13)))
"""Players of whole games: those that `make_player` knows, besides `STUBBORN`."""

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
"""Player of the other side of puzzles: where it must lose, it holds out as long as possible."""


class ThinkingLimits(NamedTuple):
    """Time and memory that levels may take.

    Attributes:
        seconds: exact time for an action. None: they answer when they are ready.
        megabytes: memory for the positions that they have seen.
        ponder: True if they think on while the other side thinks.
    """

    seconds: float | None = None
    megabytes: float = 32
    ponder: bool = False


DEFAULT_THINKING = ThinkingLimits()
"""Default limits."""

PlayerNames = tuple[str | None, str | None]
"""Names of the people at light and dark; None if unknown."""

UNNAMED_PLAYERS: PlayerNames = (None, None)


class Thinker(Protocol):
    """A player or adviser that answers asynchronously. One that answers at once has nothing to stop or to close."""

    def stop(self) -> None:
        """Stop thinking: the answer is no longer wanted. Harmless when nothing was asked."""
        return

    def close(self) -> None:
        """Leave nothing running. Another question starts it again."""
        return


class Player(Thinker, Protocol):
    """A player that answers with an action.

    Attributes:
        name: name of the player in messages.
    """

    name: str

    def request_action(self, game: Record, on_answer: Callable[[Action], None]) -> None:
        """Start thinking about a game that is not over, and return at once.

        Args:
            game: the game so far; `game.position` is the position to act in.
            on_answer: called once with a legal action, from any thread, when it is ready.
        """


PlayerPair = tuple[Player | None, Player | None]
"""The programs that play light and dark; None for a person."""


class SeatedPlayers(NamedTuple):
    """Players and people at a table.

    Attributes:
        players: players of light and dark; None is a person.
        names: names of the people.
    """

    players: PlayerPair = (None, None)
    names: PlayerNames = UNNAMED_PLAYERS

    @property
    def human_sides(self) -> tuple[Side, ...]:
        """The sides that people play."""
        return tuple(side for side in Side if self.players[side] is None)

    @property
    def program_names(self) -> PlayerNames:
        """The names of the programs at light and dark; None for a person."""
        light, dark = (player.name if player else None for player in self.players)
        return light, dark

    @property
    def people_names(self) -> PlayerNames:
        """The names of the people at light and dark; None for a program, and where no name is known."""
        light, dark = (None if player else name for player, name in zip(self.players, self.names, strict=True))
        return light, dark

    @property
    def facts(self) -> dict[str, str | None]:
        """The players of light and dark as the journal saves them: the names of programs and people alike."""
        pairs = zip(Side, self.program_names, self.people_names, strict=True)
        return {str(side): program or person for side, program, person in pairs}

    def close(self) -> None:
        """End the programs that play."""
        for player in filter(None, self.players):
            player.close()


def make_player(player_name: str, seed: int, thinking_limits: ThinkingLimits = DEFAULT_THINKING) -> Player | None:
    """Return the player of this name, or None for a person, who needs no program.

    Args:
        player_name: one of `PLAYER_NAMES`, or `STUBBORN`.
        seed: seed of all random choices. The same seed and the same game give the same answers, unless a slow machine
            cuts a level short.
        thinking_limits: time and memory that a level may take.

    Raises:
        PondError: there is no such player.
    """
    if player_name == STUBBORN or (player_name.startswith("level-") and player_name in PLAYER_NAMES):
        from pond_hw.engine.players import SubprocessPlayer

        return SubprocessPlayer(player_name, seed, thinking_limits)
    return make_simulated_player(player_name, seed)


def make_simulated_player(player_name: str, seed: int) -> Player | None:
    """Return a player for simulated time, which answers at once and looks at no clock; None for a person.

    Its answers depend on the seed and the game alone, on every machine. A strong level takes its time for that.

    Raises:
        PondError: there is no such player.
    """
    if player_name not in (*PLAYER_NAMES, STUBBORN):
        raise PondError(Message("player.unknown", name=player_name, names=PLAYER_NAMES))
    if player_name == HUMAN:
        return None
    from math import inf

    from pond_hw.engine.engine_names import make_engine
    from pond_hw.engine.players import ImmediatePlayer

    return ImmediatePlayer(make_engine(player_name, DEFAULT_THINKING.megabytes, inf), seed)
