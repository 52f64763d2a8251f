"""Numbered list of the games in a journal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from pond_hw.journal import StoredGame, game_times
from pond_hw.journal.game_records import count_imported_entries, count_taken_back_turns, format_start_date
from pond_hw.messages.catalogue import to_english
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.rules import Side, Variant


@dataclass(frozen=True)
class NumberedGame:
    """A game in a journal. Games are numbered from 1 in the order in which they were started.

    Attributes:
        start_instant: start time by the machine's clock; None if unknown.
        is_doubtful: True if the clock may have been wrong.
    """

    number: int
    stored: StoredGame
    start_instant: datetime | None
    is_doubtful: bool

    @property
    def start_text(self) -> str:
        """Start in local time. For an imported game, the date in its record, or "" if there is none."""
        if self.start_instant:
            return game_times.format_instant(self.start_instant)
        return replace_unprintable(format_start_date(self.stored) or "") if self.is_imported else ""

    @property
    def is_imported(self) -> bool:
        return bool(count_imported_entries(self.stored))

    @property
    def is_readable(self) -> bool:
        return self.stored.is_readable

    @property
    def is_empty(self) -> bool:
        return self.stored.is_empty

    @property
    def state(self) -> str:
        if not self.is_readable:
            return "unreadable"
        if self.stored.projection.outcome:
            return "finished"
        return "left" if self.stored.projection.was_left else "goes on"

    @property
    def names(self) -> tuple[str | None, str | None]:
        """Names of light and dark; None for a person without a name."""
        light, dark = (self.stored.facts.get(side) for side in ("light", "dark"))
        return (str(light) if light else None), (str(dark) if dark else None)

    @property
    def board(self) -> str:
        return str(self.stored.facts.get("board") or "")


def number_games(stored_games: Sequence[StoredGame]) -> list[NumberedGame]:
    """Return the games of a journal with their numbers. The games must be ordered oldest first."""
    doubtful = game_times.find_doubtful_dates(stored_games)
    return [
        NumberedGame(number, game, game_times.find_start_instant(game), game.uid in doubtful)
        for number, game in enumerate(stored_games, 1)
    ]


def select_games(
    games: Iterable[NumberedGame],
    variant: Variant | None = None,
    player: str | None = None,
    last_count: int | None = None,
    *,
    unfinished: bool = False,
) -> list[NumberedGame]:
    """Filter games. `last_count` applies after all other filters."""
    name = player.strip().casefold() if player is not None else None
    selected_games = [
        game
        for game in games
        if (variant is None or (game.is_readable and game.stored.projection.variant == variant))
        and (name is None or name in [player_name.casefold() for player_name in game.names if player_name])
        and (not unfinished or game.state in ("goes on", "left"))
    ]
    return selected_games if last_count is None else selected_games[max(0, len(selected_games) - last_count) :]


def game_to_json(game: NumberedGame) -> dict[str, object]:
    stored, projection = game.stored, game.stored.projection
    json_object: dict[str, object] = {"number": game.number, "uid": stored.uid, "state": game.state}
    json_object["fault"] = to_english(stored.fault) if stored.fault else None
    if not game.is_readable:
        return json_object
    start_instant, outcome = game.start_instant, projection.outcome
    return json_object | {
        "begun": start_instant.isoformat() if start_instant else None,
        "clock_may_be_wrong": game.is_doubtful,
        "date": format_start_date(stored),
        "seconds": game_times.playing_seconds(stored),
        "variant": projection.variant.name,
        "board": game.board or None,
        "light": game.names[Side.LIGHT],
        "dark": game.names[Side.DARK],
        "turns": len(projection.turns),
        "taken_back": count_taken_back_turns(stored),
        "score": {str(side): projection.position.scored[side] for side in Side},
        "winner": None if not outcome or outcome.winner is None else str(outcome.winner),
        "reason": outcome.reason.value if outcome else None,
        "imported": game.is_imported,
    }
