"""Conversion of stored games to game records and back.

The tags and comments of an imported record are stored in the `tags` and `comments` facts, as pairs because their order
matters. The `brought_in` fact is the number of entries that came from the record.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import accumulate, islice

from pond_hw.journal.stored_game import GameProjection, JournalEntry, StoredGame, initial_projection, list_entries
from pond_hw.messages.message import Message
from pond_hw.rules import Record, RecordError

_DATE_FORMAT = "%Y-%m-%d %H:%M UTC"
"""Format of a record's Date tag."""


def count_imported_entries(stored_game: StoredGame) -> int:
    """Return the number of entries from an imported record; 0 for a game played here from the start."""
    count = stored_game.facts.get("brought_in", 0)
    assert isinstance(count, int)
    return count


def list_taken_back_turns(stored_game: StoredGame) -> list[tuple[int, str]]:
    """List the turns that were taken back and not replayed, each as the number of turns before it and a comment."""
    taken_back: list[tuple[int, str]] = []
    next_kinds = [*(entry.kind for entry, _ in stored_game.entries), "act"]
    for projection, next_kind in zip(_iterate_projections(stored_game), next_kinds, strict=True):
        if next_kind == "act" and projection.undone_turns:
            actions = " ".join(str(turn.action) for turn in reversed(projection.undone_turns))
            taken_back.append((len(projection.turns), f"taken back: {actions}"))
    return taken_back


def count_taken_back_turns(stored_game: StoredGame) -> int:
    """Count the turns that were taken back, including those that were replayed later."""
    return sum(int(entry.value) for entry, _ in stored_game.entries if entry.kind == "back")


def format_start_date(stored_game: StoredGame) -> str | None:
    """Return the start date in the format of a record; None if unknown."""
    tags = dict(_parse_pairs(stored_game.facts.get("tags")))
    if count_imported_entries(stored_game):
        return tags.get("Date")
    with suppress(ValueError, IndexError):
        return datetime.fromisoformat(stored_game.entries[0].timestamp.wall_time).strftime(_DATE_FORMAT)
    return None


def parse_start_date(text: str) -> datetime | None:
    """Parse a Date tag written by Pond. Return None for any other text."""
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2} UTC", text, re.ASCII):
        with suppress(ValueError):
            return datetime.fromisoformat(f"{text.removesuffix(' UTC')}+00:00")
    return None


def build_record(stored_game: StoredGame) -> Record:
    """Build the record of a game up to the first fault, with its players, date, board, and turns that were taken back.

    If an imported game was continued here, comments on imported turns that were then taken back are left out. Raises
    RecordError if the game is unreadable.
    """
    if not stored_game.is_readable:
        raise RecordError(Message("game.unreadable"))
    remarks: dict[int, list[str]] = {}
    projections_here = islice(_iterate_projections(stored_game), count_imported_entries(stored_game), None)
    lowest_count = min(
        (len(projection.turns) for projection in projections_here), default=len(stored_game.projection.turns)
    )
    for count, text in _parse_pairs(stored_game.facts.get("comments")):
        if int(count) <= lowest_count:
            remarks.setdefault(int(count), []).append(text)
    for turn_count, text in list_taken_back_turns(stored_game):
        remarks.setdefault(turn_count, []).append(text)
    projection, tags, start = stored_game.projection, _list_tags(stored_game), stored_game.projection.custom_start
    comments = {count: "; ".join(texts) for count, texts in sorted(remarks.items()) if count <= len(projection.turns)}
    return Record(
        projection.variant,
        projection.turns,
        projection.declared_outcome,
        tags=tags,
        comments=comments,
        custom_start=start,
    )


def facts_and_entries(record: Record) -> tuple[dict[str, object], tuple[JournalEntry, ...]]:
    """Return the facts and entries for an imported record. Raises RecordError if the record contains no game."""
    if not record.turns and not record.declared_outcome and record.custom_start is None:
        raise RecordError(Message("game.empty"))
    record_entries = tuple(list_entries(record.turns, (), record.declared_outcome))
    record_entries = record_entries if record.outcome else (*record_entries, JournalEntry("leave"))
    facts: dict[str, object] = {
        "variant": record.variant.name,
        "start": record.custom_start.notation_line if record.custom_start else None,
        "size": record.variant.size,
        **{tag_name.lower(): record.tags.get(tag_name) for tag_name in ("Light", "Dark", "Board")},
        "tags": [list(tag_pair) for tag_pair in record.tags.items()],
        "comments": [[str(count), text] for count, text in sorted(record.comments.items())],
        "brought_in": len(record_entries),
    }
    return facts, record_entries


def record_identity(record: Record) -> tuple[object, ...]:
    """Return a key that is equal for all records of the same game, regardless of comments."""
    start_notation = record.custom_start.notation_line if record.custom_start else None
    actions = tuple(str(turn.action) for turn in record.turns)
    return record.variant, start_notation, actions, record.result_text, tuple(sorted(record.tags.items()))


def _list_tags(stored_game: StoredGame) -> dict[str, str]:
    if count_imported_entries(stored_game):
        return dict(_parse_pairs(stored_game.facts.get("tags")))
    known_tags = {tag_name: stored_game.facts.get(tag_name.lower()) for tag_name in ("Light", "Dark")}
    known_tags |= {"Date": format_start_date(stored_game), "Board": stored_game.facts.get("board")}
    return {tag_name: value for tag_name, value in known_tags.items() if isinstance(value, str) and value}


def _iterate_projections(stored_game: StoredGame) -> Iterator[GameProjection]:
    entries = (entry for entry, _ in stored_game.entries)
    return accumulate(entries, GameProjection.after_entry, initial=initial_projection(stored_game.facts))


def _parse_pairs(stored_pairs: object) -> Sequence[tuple[str, str]]:
    return [(str(tag_name), str(text)) for tag_name, text in stored_pairs] if isinstance(stored_pairs, list) else []
