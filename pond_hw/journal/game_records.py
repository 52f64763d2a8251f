"""A game that was kept as a record, and a record as a game to be kept. Pure.

What a record says besides the game is kept as it stands there: `tags` and `comments` among the facts of a game are
pairs, because their order counts, and `count_imported_entries` is how many entries were made of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from pond_hw.journal.events import GameProjection, JournalEntry, list_entries
from pond_hw.journal.store import StoredGame, initial_projection
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


def is_readable(kept: StoredGame) -> bool:
    """Whether anything is known of a game; of one that was spoilt in its first line nothing is."""
    return bool(kept.facts)


def is_empty(kept: StoredGame) -> bool:
    """Whether a game was begun on the board and nothing happened in it."""
    return is_readable(kept) and not kept.fault and not kept.entries and kept.projection.custom_start is None


def count_imported_entries(kept: StoredGame) -> int:
    """How many of a game's entries were made of a record; 0 if it was played before this journal from the start."""
    count = kept.facts.get("brought_in", 0)
    assert isinstance(count, int)
    return count


def list_taken_back(kept: StoredGame) -> list[TakenBackTurns]:
    """What was taken back in a game and is no part of it any more, in the order in which it was."""
    if not is_readable(kept):
        return []
    found: list[TakenBackTurns] = []
    story = initial_projection(kept.facts)
    for entry, _ in kept.entries:
        if entry.kind == "act" and story.undone_turns:
            found.append(_list_undone(story))
        story = story.after_entry(entry)
    return [*found, _list_undone(story)] if story.undone_turns else found


def count_taken_back(kept: StoredGame) -> int:
    """How many turns were taken back in a game, those that were played again included."""
    return sum(int(entry.value) for entry, _ in kept.entries if entry.kind == "back")


def format_start_date(kept: StoredGame) -> str | None:
    """When a game was begun, as its record tells it; None if nobody knows."""
    tags = dict(_parse_pairs(kept.facts.get("tags")))
    if count_imported_entries(kept):
        return tags.get("Date")
    try:
        return (
            datetime.fromisoformat(kept.entries[0].timestamp.wall_time).strftime(_DATE_FORMAT) if kept.entries else None
        )
    except ValueError:
        return None


def parse_start_date(text: str) -> datetime | None:
    """The instant that a Date tag of ours names; None if it is another's, of which nobody knows what it means."""
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2} UTC", text, re.ASCII):
        return None
    try:
        return datetime.fromisoformat(f"{text.removesuffix(' UTC')}+00:00")
    except ValueError:
        return None


def build_record(kept: StoredGame) -> Record:
    """The record of a game: as far as it is good, with who played, when and where, and what was taken back.

    Of a game that was brought in and went on here, a comment on turns that were taken back since is left out.

    Raises:
        RecordError: nothing is known of the game.
    """
    if not is_readable(kept):
        raise RecordError("Nothing of this game can be read.")
    remarks: dict[int, list[str]] = {}
    lowest = _lowest_turn_count(kept)
    for count, text in _parse_pairs(kept.facts.get("comments")):
        if int(count) <= lowest:
            remarks.setdefault(int(count), []).append(text)
    for each in list_taken_back(kept):
        remarks.setdefault(each.turn_count, []).append(str(each))
    comments = {
        count: "; ".join(texts) for count, texts in sorted(remarks.items()) if count <= len(kept.projection.turns)
    }
    story = kept.projection
    return Record(story.variant, story.turns, story.declared_outcome, _list_tags(kept), comments, story.custom_start)


def facts_and_entries(record: Record) -> tuple[dict[str, object], tuple[JournalEntry, ...]]:
    """The facts and the entries of a game that was read from a record. One that is not finished is left at once.

    Raises:
        RecordError: there is no game in it.
    """
    if not record.turns and not record.declared_outcome and record.custom_start is None:
        raise RecordError("There is no game in it: nobody has taken a turn.")
    told = tuple(list_entries(record.turns, (), record.declared_outcome))
    told = told if record.outcome else (*told, JournalEntry("leave"))
    facts: dict[str, object] = {
        "variant": record.variant.name,
        "start": record.custom_start.notation_line if record.custom_start else None,
        "size": record.variant.size,
        "light": record.tags.get("Light"),
        "dark": record.tags.get("Dark"),
        "board": record.tags.get("Board"),
        "tags": [list(pair) for pair in record.tags.items()],
        "comments": [[str(count), text] for count, text in sorted(record.comments.items())],
        "brought_in": len(told),
    }
    return facts, told


def record_identity(record: Record) -> tuple[object, ...]:
    """What two records have in common if they tell of one game, whatever is remarked in them."""
    start = record.custom_start.notation_line if record.custom_start else None
    actions = tuple(str(turn.action) for turn in record.turns)
    return record.variant, start, actions, record.result_text, tuple(sorted(record.tags.items()))


def _list_tags(kept: StoredGame) -> dict[str, str]:
    if count_imported_entries(kept):
        return dict(_parse_pairs(kept.facts.get("tags")))
    known = {name: kept.facts.get(name.lower()) for name in ("Light", "Dark")}
    known |= {"Date": format_start_date(kept), "Board": kept.facts.get("board")}
    return {name: value for name, value in known.items() if isinstance(value, str) and value}


def _list_undone(story: GameProjection) -> TakenBackTurns:
    return TakenBackTurns(len(story.turns), tuple(turn.action for turn in reversed(story.undone_turns)))


def _lowest_turn_count(kept: StoredGame) -> int:
    """To how many turns a game went back at the most, since it was brought in."""
    story = initial_projection(kept.facts)
    least = len(kept.projection.turns)
    count = count_imported_entries(kept)
    for n, (entry, _) in enumerate(kept.entries, 1):
        story = story.after_entry(entry)
        if n >= count:
            least = min(least, len(story.turns))
    return least


def _parse_pairs(told: object) -> Sequence[tuple[str, str]]:
    """Pairs of texts, as JSON has kept them."""
    return [(str(name), str(text)) for name, text in told] if isinstance(told, list) else []
