"""Computer players.

Players answer asynchronously: `request_action` returns immediately, and the answer may come from any thread at any
time. A long search therefore never blocks the lamps or the sensors. A `Player` is always a program, never a person.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import Any, NamedTuple, Protocol

from pond_hw.messages.message import Message
from pond_hw.rules import Action, PondError, Record, Side

HUMAN = "human"
PLAYER_NAMES = (HUMAN, "random", "greedy", *(f"level-{number}" for number in range(1, 13)))
"""Names accepted by `make_player`, which also accepts `STUBBORN`."""

LEVEL_NAMES = {
    "novice": "level-1",
    "beginner": "level-2",
    "casual": "level-4",
    "club": "level-7",
    "strong": "level-10",
    "strongest": "level-12",
}
"""Levels by descriptive name. docs/opponents.md compares their strength."""

OTHER_PROGRAMS = tuple(name for name in PLAYER_NAMES[1:] if name not in LEVEL_NAMES.values())
"""Programs that have no descriptive name."""

REMOTE = "remote"
"""Name of a player in another home. It can't be chosen."""

STUBBORN = "stubborn"
"""Name of the opponent in puzzles, which holds out as long as possible in a lost position."""


class ThinkingLimits(NamedTuple):
    """Time and memory limits for levels.

    Attributes:
        seconds: exact time per action; None to answer as soon as possible.
        megabytes: size of the table of searched positions.
        ponder: True to think during the opponent's turn.
    """

    seconds: float | None = None
    megabytes: float = 32
    ponder: bool = False


DEFAULT_THINKING = ThinkingLimits()

PlayerNames = tuple[str | None, str | None]

UNNAMED_PLAYERS: PlayerNames = (None, None)


class Thinker(Protocol):
    """Player or adviser that answers asynchronously."""

    def stop(self) -> None:
        """Stop thinking, because the answer is no longer needed. Do nothing while idle."""
        return

    def close(self) -> None:
        """Stop all threads and processes. The next question starts them again."""
        return


class Player(Thinker, Protocol):
    """Player that answers with an action.

    Attributes:
        name: name of the player in messages.
    """

    name: str

    def request_action(self, game: Record, on_answer: Callable[[Action], None]) -> None:
        """Start thinking about a game in progress, and return immediately.

        Args:
            game: the game so far; `game.position` is the position to act in.
            on_answer: called once with a legal action, from any thread.
        """


class RemotePlayer(Player):
    """Player in another home. It never answers, because its turns arrive by the log of the linked game.

    Attributes:
        game: id of the linked game.
    """

    name = REMOTE

    def __init__(self, game: str) -> None:
        self.game = game

    def request_action(self, game: Record, on_answer: Callable[[Action], None]) -> None:
        """Do nothing."""


WorkerAnswer = Mapping[str, Any]

OnAnswer = Callable[[WorkerAnswer | None], None]


class Worker(Thinker, Protocol):
    """Helper that searches outside the calling thread."""

    def ask_question(self, question: Mapping[str, object], on_answer: OnAnswer, max_seconds: float = inf) -> None:
        """Ask a question and abandon the previous one.

        Args:
            question: question for `engine.worker`, without a number.
            on_answer: called with the answer, or with None if the worker keeps dying. Not called after `stop` or
                another question.
            max_seconds: maximum thinking time, if known.
        """


MakeWorker = Callable[[float], Worker]
"""Factory of workers. The argument is the size of the table of searched positions, in megabytes."""

MakePlayer = Callable[[str, int], Player | None]
"""Factory of players, such as `make_player`. The arguments are a player's name and a random seed."""

PlayerPair = tuple[Player | None, Player | None]
"""Players of light and dark; None for a person."""


class SeatedPlayers(NamedTuple):
    """Players at the table, both people and programs.

    Attributes:
        players: programs that play light and dark; None for a person.
        names: names of the people.
    """

    players: PlayerPair = (None, None)
    names: PlayerNames = UNNAMED_PLAYERS

    @property
    def human_sides(self) -> tuple[Side, ...]:
        return tuple(side for side in Side if self.players[side] is None)

    @property
    def program_names(self) -> PlayerNames:
        """Names of the programs playing light and dark; None for a person."""
        light, dark = (player.name if player else None for player in self.players)
        return light, dark

    @property
    def people_names(self) -> PlayerNames:
        """Names of the people playing light and dark; None for a program or an unknown name."""
        light, dark = (None if player else name for player, name in zip(self.players, self.names, strict=True))
        return light, dark

    @property
    def linked_game(self) -> str | None:
        """Id of the linked game, or None. Its side of this home is that of a person; a spectator has none."""
        return next((player.game for player in self.players if isinstance(player, RemotePlayer)), None)

    @property
    def linked_side(self) -> Side | None:
        """Side of this home in a linked game; None for a spectator."""
        return next(iter(self.human_sides), None)

    @property
    def remote_sides(self) -> tuple[Side, ...]:
        """Sides that are played in another home."""
        return tuple(side for side in Side if isinstance(self.players[side], RemotePlayer))

    @property
    def facts(self) -> dict[str, object]:
        """Names of the players and the linked game, as stored in the journal."""
        names: dict[str, object] = {
            str(side): name if side in self.remote_sides and name else program or name
            for side, program, name in zip(Side, self.program_names, self.names, strict=True)
        }
        side = None if self.linked_side is None else str(self.linked_side)
        return names | {"link": {"game": self.linked_game, "side": side} if self.linked_game else None}

    def close(self) -> None:
        for player in filter(None, self.players):
            player.close()


def seat_linked_players(game: str, side: Side | None, names: PlayerNames) -> SeatedPlayers:
    """Return the players of a linked game.

    Args:
        game: id of the game.
        side: side of this home; None for a spectator.
        names: names of the people in both homes.
    """
    light, dark = (None if each is side else RemotePlayer(game) for each in Side)
    return SeatedPlayers((light, dark), names)


def make_process_worker(megabytes: float) -> Worker:
    """Return a worker in a process of its own."""
    from pond_hw.engine.worker_client import WorkerClient  # imported late: most commands need no process

    return WorkerClient(megabytes)


def make_player(
    player_name: str,
    seed: int,
    thinking_limits: ThinkingLimits = DEFAULT_THINKING,
    make_worker: MakeWorker = make_process_worker,
) -> Player | None:
    """Return the player with this name, or None for a person.

    Args:
        player_name: one of `PLAYER_NAMES`, or `STUBBORN`.
        seed: seed for all random choices. The same seed and game give the same answers, unless the machine is so slow
            that a level has to stop its search early.
        thinking_limits: time and memory limits for a level.
        make_worker: factory of the worker that runs a level; a process by default.

    Raises:
        PondError: the name is unknown.
    """
    if player_name == STUBBORN or (player_name.startswith("level-") and player_name in PLAYER_NAMES):
        from pond_hw.engine.players import WorkerPlayer

        return WorkerPlayer(player_name, seed, thinking_limits, make_worker)
    return make_simulated_player(player_name, seed)


def make_simulated_player(player_name: str, seed: int) -> Player | None:
    """Return a player that answers immediately and does not use the clock, or None for a person.

    The answers depend only on the seed and the game. A call to a strong level may take a long time.

    Raises:
        PondError: the name is unknown.
    """
    if player_name not in (*PLAYER_NAMES, STUBBORN):
        raise PondError(Message("player.unknown", name=player_name, names=PLAYER_NAMES))
    if player_name == HUMAN:
        return None
    from pond_hw.engine.engine_names import make_engine
    from pond_hw.engine.players import ImmediatePlayer

    return ImmediatePlayer(make_engine(player_name, DEFAULT_THINKING.megabytes, inf), seed)
