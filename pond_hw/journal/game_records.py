"""Converts stored games to game records, and records to games that can be stored. Pure.

What a record says besides the game is kept as it stands there: `tags` and `comments` among the facts of a game are
pairs, because their order counts, and `count_imported_entries` is how many entries were made of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from pond_hw.journal.events import GameProjection, JournalEntry, list_entries
from pond_hw.journal.stored_game import StoredGame, initial_projection
from pond_hw.rules import Action, Record, RecordError

_DATE_FORMAT = "%Y-%m-%d %H:%M UTC"
"""How a record tells when a game was begun; what the clock on the wall said, to the minute."""


class TakenBackTurns(NamedTuple):
    """Turns that were taken back and not played again.

    Attributes:
        turn_count: so many turns of the game came before them.
        actions: what they were.
    """

    turn_count: int
    actions: tuple[Action, ...]

    def __str__(self) -> str:
        return f"taken back: {' '.join(map(str, self.actions))}"


def count_imported_entries(stored_game: StoredGame) -> int:
    """How many of a game's entries come from an imported record; 0 if it was played here from the start."""
    count = stored_game.facts.get("brought_in", 0)
    assert isinstance(count, int)
    return count


def list_taken_back(stored_game: StoredGame) -> list[TakenBackTurns]:
    """The turns that were taken back and not played again, in order."""
    if not stored_game.is_readable:
        return []
    turn_groups: list[TakenBackTurns] = []
    story = initial_projection(stored_game.facts)
    for entry, _ in stored_game.entries:
        if entry.kind == "act" and story.undone_turns:
            turn_groups.append(_list_undone(story))
        story = story.after_entry(entry)
    return [*turn_groups, _list_undone(story)] if story.undone_turns else turn_groups


def count_taken_back(stored_game: StoredGame) -> int:
    """Count the turns that were taken back, including those that were played again."""
    return sum(int(entry.value) for entry, _ in stored_game.entries if entry.kind == "back")


def format_start_date(stored_game: StoredGame) -> str | None:
    """When a game was begun, as its record tells it; None if nobody knows."""
    tags = dict(_parse_pairs(stored_game.facts.get("tags")))
    if count_imported_entries(stored_game):
        return tags.get("Date")
    try:
        return (
            datetime.fromisoformat(stored_game.entries[0].timestamp.wall_time).strftime(_DATE_FORMAT)
            if stored_game.entries
            else None
        )
    except ValueError:
        return None


def parse_start_date(text: str) -> datetime | None:
    """The instant in a Date tag that Pond wrote; None for any other text."""
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2} UTC", text, re.ASCII):
        return None
    try:
        return datetime.fromisoformat(f"{text.removesuffix(' UTC')}+00:00")
    except ValueError:
        return None


def build_record(stored_game: StoredGame) -> Record:
    """The record of a game: as far as it is good, with who played, when and where, and what was taken back.

    Of a game that was brought in and went on here, a comment on turns that were taken back since is left out.

    Raises:
        RecordError: nothing is known of the game.
    """
    if not stored_game.is_readable:
        raise RecordError("Nothing of this game can be read.")
    remarks: dict[int, list[str]] = {}
    lowest_count = _lowest_turn_count(stored_game)
    for count, text in _parse_pairs(stored_game.facts.get("comments")):
        if int(count) <= lowest_count:
            remarks.setdefault(int(count), []).append(text)
    for taken_back in list_taken_back(stored_game):
        remarks.setdefault(taken_back.turn_count, []).append(str(taken_back))
    comments = {
        count: "; ".join(texts)
        for count, texts in sorted(remarks.items())
        if count <= len(stored_game.projection.turns)
    }
    story = stored_game.projection
    return Record(
        story.variant, story.turns, story.declared_outcome, story.custom_start, _list_tags(stored_game), comments
    )


def facts_and_entries(record: Record) -> tuple[dict[str, object], tuple[JournalEntry, ...]]:
    """The facts and entries for an imported record. An unfinished game is marked as left.

    Raises:
        RecordError: there is no game in it.
    """
    if not record.turns and not record.declared_outcome and record.custom_start is None:
        raise RecordError("There is no game in it: nobody has taken a turn.")
    record_entries = tuple(list_entries(record.turns, (), record.declared_outcome))
    record_entries = record_entries if record.outcome else (*record_entries, JournalEntry("leave"))
    facts: dict[str, object] = {
        "variant": record.variant.name,
        "start": record.custom_start.notation_line if record.custom_start else None,
        "size": record.variant.size,
        "light": record.tags.get("Light"),
        "dark": record.tags.get("Dark"),
        "board": record.tags.get("Board"),
        "tags": [list(tag_pair) for tag_pair in record.tags.items()],
        "comments": [[str(count), text] for count, text in sorted(record.comments.items())],
        "brought_in": len(record_entries),
    }
    return facts, record_entries


def record_identity(record: Record) -> tuple[object, ...]:
    """A key that is equal for two records of the same game, whatever their comments."""
    start_notation = record.custom_start.notation_line if record.custom_start else None
    actions = tuple(str(turn.action) for turn in record.turns)
    return record.variant, start_notation, actions, record.result_text, tuple(sorted(record.tags.items()))


def _list_tags(stored_game: StoredGame) -> dict[str, str]:
    if count_imported_entries(stored_game):
        return dict(_parse_pairs(stored_game.facts.get("tags")))
    known_tags = {tag_name: stored_game.facts.get(tag_name.lower()) for tag_name in ("Light", "Dark")}
    known_tags |= {"Date": format_start_date(stored_game), "Board": stored_game.facts.get("board")}
    return {tag_name: value for tag_name, value in known_tags.items() if isinstance(value, str) and value}


def _list_undone(story: GameProjection) -> TakenBackTurns:
    return TakenBackTurns(len(story.turns), tuple(turn.action for turn in reversed(story.undone_turns)))


def _lowest_turn_count(stored_game: StoredGame) -> int:
    """The fewest turns that an imported game has had since."""
    story = initial_projection(stored_game.facts)
    lowest_count = len(stored_game.projection.turns)
    count = count_imported_entries(stored_game)
    for entry_number, (entry, _) in enumerate(stored_game.entries, 1):
        story = story.after_entry(entry)
        if entry_number >= count:
            lowest_count = min(lowest_count, len(story.turns))
    return lowest_count


def _parse_pairs(stored_pairs: object) -> Sequence[tuple[str, str]]:
    """Pairs of texts, as JSON has kept them."""
    return [(str(tag_name), str(text)) for tag_name, text in stored_pairs] if isinstance(stored_pairs, list) else []
