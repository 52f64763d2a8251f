"""A game as the journal keeps it: its facts, its entries, and when each was written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pond_hw.journal.events import GameProjection, ImpossibleEntry, JournalEntry, replay_entries
from pond_hw.rules import NotationError, Position, explain_invalid_start, parse_variant


class Timestamp(NamedTuple):
    """When something was written: in which run of the machine, how far into it, and what the clock on the wall said.

    Attributes:
        boot_id: the machine's run, as Linux names it; "" if it does not.
        since_boot: seconds since the machine started, time asleep included.
        wall_time: date and time in UTC. On a machine without a clock of its own it may be wrong by years.
    """

    boot_id: str
    since_boot: float
    wall_time: str


class TimestampedEntry(NamedTuple):
    """An entry and when it was written."""

    entry: JournalEntry
    timestamp: Timestamp


@dataclass(frozen=True)
class StoredGame:
    """A game as a file holds it.

    Attributes:
        uid: the game's own name, the same in whatever file it stands.
        facts: what is known of it besides what happened: `variant`, `start` (a position or None), `size` of the board,
            `board`, `built` (the version of the board's own file), `pieces`, `light` and `dark` (who plays; None is a
            person without a name), `program`; of a game that was read from a record also what
            `game_records` tells.
        entries: its entries, as far as they are good.
        projection: what they come to.
        fault: why there are no more of them, if something is wrong with the next one.
        number: the larger, the later it was begun, within its file.
        file: the file's name.
    """

    uid: str
    facts: Mapping[str, object]
    entries: tuple[TimestampedEntry, ...]
    projection: GameProjection
    fault: str | None = None
    number: int = 0
    file: str = ""

    def as_update(self, *new_entries: TimestampedEntry) -> GameUpdate:
        """What to write of it, with further entries at its end."""
        return GameUpdate(self.uid, self.facts, [*self.entries, *new_entries])

    @property
    def is_readable(self) -> bool:
        """Whether anything is known of it; of a game that was spoilt in its first line nothing is."""
        return bool(self.facts)

    @property
    def is_empty(self) -> bool:
        """Whether it was begun on the board and nothing happened in it."""
        return self.is_readable and not self.fault and not self.entries and self.projection.custom_start is None


class GameUpdate(NamedTuple):
    """What to write of one game. Of the one that is played, entries are added while it goes on.

    Attributes:
        uid: the game; one that is new in a file gets its row first.
        facts: what is known of it.
        entries: all its entries from the first one on; those that are in the file already are not written again.
    """

    uid: str
    facts: Mapping[str, object]
    entries: list[TimestampedEntry]


def initial_projection(facts: Mapping[str, object]) -> GameProjection:
    """The beginning of a game with these facts.

    Raises:
        ImpossibleEntry: no game can begin like that.
    """
    try:
        game_variant = parse_variant(str(facts["variant"]))
        start_notation = facts.get("start")
        start_position = None if start_notation is None else Position.from_notation(str(start_notation), game_variant)
    except (KeyError, TypeError, NotationError) as error:
        raise ImpossibleEntry(f"No game can begin like that: {error}") from error
    if start_position and (invalid_reason := explain_invalid_start(start_position)):
        raise ImpossibleEntry(invalid_reason)
    return GameProjection(game_variant, start_position)


def replay_game(
    uid: str, facts: Mapping[str, object], game_entries: Sequence[TimestampedEntry], **where: object
) -> StoredGame:
    """Replay a game from its entries, as far as the rules allow.

    Raises:
        ImpossibleEntry: it cannot even begin.
    """
    entries = (each.entry for each in game_entries)
    game_projection, good_count, fault = replay_entries(initial_projection(facts), entries)
    return StoredGame(uid, facts, tuple(game_entries[:good_count]), game_projection, fault, **where)  # type: ignore[arg-type]
