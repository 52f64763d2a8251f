"""The games of a journal, numbered, and what is to be said of each in a line. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pond_hw.journal import Kept, game_times
from pond_hw.journal.game_records import is_empty, is_readable
from pond_hw.rules import Variant


class NumberedGame(NamedTuple):
    """A game, and the number that people call it by: its place in the order in which games were begun, from 1 on."""

    number: int
    kept: Kept

    @property
    def is_readable(self) -> bool:
        """Whether anything is known of it."""
        return is_readable(self.kept)

    @property
    def is_empty(self) -> bool:
        """Whether nothing happened in it."""
        return is_empty(self.kept)


@dataclass(frozen=True)
class GameRow:
    """What is told of a game in one line.

    Attributes:
        number: what people call it by.
        kept: the game.
        doubtful: whether the clock may have been wrong when it was begun.
    """

    number: int
    kept: Kept
    doubtful: bool

    @property
    def is_readable(self) -> bool:
        """Whether anything is known of the game."""
        return is_readable(self.kept)

    @property
    def state(self) -> str:
        """`finished`, `goes on`, `left` or `unreadable`."""
        if not self.is_readable:
            return "unreadable"
        if self.kept.story.outcome:
            return "finished"
        return "left" if self.kept.story.left else "goes on"

    @property
    def names(self) -> tuple[str | None, str | None]:
        """Who played light and dark; None for a person without a name."""
        light, dark = (self.kept.facts.get(side) for side in ("light", "dark"))
        return (str(light) if light else None), (str(dark) if dark else None)

    @property
    def board(self) -> str:
        """The board that it was played on, "" if nobody knows."""
        return str(self.kept.facts.get("board") or "")


def list_rows(games: Sequence[NumberedGame]) -> list[GameRow]:
    """A row for each game in which something has happened, in their order."""
    doubtful = game_times.doubtful([game.kept for game in games])
    return [GameRow(*game, doubtful=game.kept.uid in doubtful) for game in games if not game.is_empty]


def find_row(games: Sequence[NumberedGame], game: NumberedGame) -> GameRow:
    """The row of one of these games, also if nothing has happened in it."""
    rows = {row.number: row for row in list_rows(games)}
    return rows.get(game.number) or GameRow(*game, doubtful=False)


def select_rows(
    rows: Iterable[GameRow],
    variant: Variant | None = None,
    player: str | None = None,
    last: int | None = None,
    *,
    unfinished: bool = False,
) -> list[GameRow]:
    """Those of them that were asked for; `last` counts what the other wishes have left."""
    name = player.strip().casefold() if player is not None else None
    selected = [
        row
        for row in rows
        if (variant is None or (row.is_readable and row.kept.story.pond == variant))
        and (name is None or name in [player_name.casefold() for player_name in row.names if player_name])
        and (not unfinished or row.state in ("goes on", "left"))
    ]
    return selected if last is None else selected[max(0, len(selected) - last) :]
