"""The numbered games of a journal, and what a list says of each. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pond_hw.journal import StoredGame, game_times
from pond_hw.rules import Variant


@dataclass(frozen=True)
class NumberedGame:
    """A game of a journal.

    Attributes:
        number: what people call it by: its place in the order in which games were begun, from 1 on.
        stored_game: the game.
        doubtful: whether the clock may have been wrong when it was begun.
    """

    number: int
    kept: StoredGame
    doubtful: bool

    @property
    def is_readable(self) -> bool:
        """Whether anything is known of it."""
        return self.kept.is_readable

    @property
    def is_empty(self) -> bool:
        """Whether it was begun on the board and nothing happened in it."""
        return self.kept.is_empty

    @property
    def state(self) -> str:
        """`finished`, `goes on`, `left` or `unreadable`."""
        if not self.is_readable:
            return "unreadable"
        if self.kept.projection.outcome:
            return "finished"
        return "left" if self.kept.projection.was_left else "goes on"

    @property
    def names(self) -> tuple[str | None, str | None]:
        """Who played light and dark; None for a person without a name."""
        light, dark = (self.kept.facts.get(side) for side in ("light", "dark"))
        return (str(light) if light else None), (str(dark) if dark else None)

    @property
    def board(self) -> str:
        """The board that it was played on, "" if nobody knows."""
        return str(self.kept.facts.get("board") or "")


def number_games(kept_games: Sequence[StoredGame]) -> list[NumberedGame]:
    """Number all games of a journal, oldest first."""
    doubtful_ids = game_times.find_doubtful_dates(kept_games)
    return [NumberedGame(game_number, game, game.uid in doubtful_ids) for game_number, game in enumerate(kept_games, 1)]


def select_games(
    games: Iterable[NumberedGame],
    variant: Variant | None = None,
    player: str | None = None,
    last_count: int | None = None,
    *,
    unfinished: bool = False,
) -> list[NumberedGame]:
    """Filter games; `last_count` applies after all other filters."""
    name = player.strip().casefold() if player is not None else None
    selected_games = [
        game
        for game in games
        if (variant is None or (game.is_readable and game.kept.projection.variant == variant))
        and (name is None or name in [player_name.casefold() for player_name in game.names if player_name])
        and (not unfinished or game.state in ("goes on", "left"))
    ]
    return selected_games if last_count is None else selected_games[max(0, len(selected_games) - last_count) :]
