"""A game that was kept as a record, and a record as a game to be kept. Pure.

What a record says besides the game is kept as it stands there: `tags` and `comments` among the facts of a game are
pairs, because their order counts, and `brought_in` is how many entries were made of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from pond_hw.journal.events import Entry, Story, entries
from pond_hw.journal.store import Kept, beginning
from pond_hw.rules import Action, Record, RecordError

_DATE = "%Y-%m-%d %H:%M UTC"
"""How a record tells when a game was begun; what the clock on the wall said, to the minute."""


class Dropped(NamedTuple):
    """Turns that were taken back and not played again.

    Attributes:
        after: so many turns of the game came before them.
        actions: what they were.
    """

    after: int
    actions: tuple[Action, ...]

    def __str__(self) -> str:
        return f"taken back: {' '.join(map(str, self.actions))}"


def is_readable(kept: Kept) -> bool:
    """Whether anything is known of a game; of one that was spoilt in its first line nothing is."""
    return bool(kept.facts)


def is_empty(kept: Kept) -> bool:
    """Whether a game was begun on the board and nothing happened in it."""
    return is_readable(kept) and not kept.fault and not kept.noted and kept.story.begun is None


def brought_in(kept: Kept) -> int:
    """How many of a game's entries were made of a record; 0 if it was played before this journal from the start."""
    count = kept.facts.get("brought_in", 0)
    assert isinstance(count, int)
    return count


def dropped(kept: Kept) -> list[Dropped]:
    """What was taken back in a game and is no part of it any more, in the order in which it was."""
    if not is_readable(kept):
        return []
    found: list[Dropped] = []
    story = beginning(kept.facts)
    for entry, _ in kept.noted:
        if entry.kind == "act" and story.undone:
            found.append(_dropped(story))
        story = story.after(entry)
    return [*found, _dropped(story)] if story.undone else found


def taken_back(kept: Kept) -> int:
    """How many turns were taken back in a game, those that were played again included."""
    return sum(int(entry.value) for entry, _ in kept.noted if entry.kind == "back")


def date_of(kept: Kept) -> str | None:
    """When a game was begun, as its record tells it; None if nobody knows."""
    tags = dict(_pairs(kept.facts.get("tags")))
    if brought_in(kept):
        return tags.get("Date")
    try:
        return datetime.fromisoformat(kept.noted[0].label.wall).strftime(_DATE) if kept.noted else None
    except ValueError:
        return None


def read_date(text: str) -> datetime | None:
    """The instant that a Date tag of ours names; None if it is another's, of which nobody knows what it means."""
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2} UTC", text, re.ASCII):
        return None
    try:
        return datetime.fromisoformat(f"{text.removesuffix(' UTC')}+00:00")
    except ValueError:
        return None


def record_of(kept: Kept) -> Record:
    """The record of a game: as far as it is good, with who played, when and where, and what was taken back.

    Of a game that was brought in and went on here, a comment on turns that were taken back since is left out.

    Raises:
        RecordError: nothing is known of the game.
    """
    if not is_readable(kept):
        raise RecordError("Nothing of this game can be read.")
    remarks: dict[int, list[str]] = {}
    lowest = _lowest(kept)
    for count, text in _pairs(kept.facts.get("comments")):
        if int(count) <= lowest:
            remarks.setdefault(int(count), []).append(text)
    for each in dropped(kept):
        remarks.setdefault(each.after, []).append(str(each))
    comments = {count: "; ".join(texts) for count, texts in sorted(remarks.items()) if count <= len(kept.story.turns)}
    story = kept.story
    return Record(story.pond, story.turns, story.ended, _tags(kept), comments, story.begun)


def as_kept(record: Record) -> tuple[dict[str, object], tuple[Entry, ...]]:
    """The facts and the entries of a game that was read from a record. One that is not finished is left at once.

    Raises:
        RecordError: there is no game in it.
    """
    if not record.turns and not record.ended and record.start is None:
        raise RecordError("There is no game in it: nobody has taken a turn.")
    story = Story(record.pond, record.start, record.turns, (), record.ended)
    told = entries(Story(record.pond, record.start), story) or ()
    told = told if story.outcome else (*told, Entry("leave"))
    facts: dict[str, object] = {
        "variant": record.pond.name,
        "start": record.start.line if record.start else None,
        "size": record.pond.size,
        "light": record.tags.get("Light"),
        "dark": record.tags.get("Dark"),
        "board": record.tags.get("Board"),
        "tags": [list(pair) for pair in record.tags.items()],
        "comments": [[str(count), text] for count, text in sorted(record.comments.items())],
        "brought_in": len(told),
    }
    return facts, told


def identity(record: Record) -> tuple[object, ...]:
    """What two records have in common if they tell of one game, whatever is remarked in them."""
    start = record.start.line if record.start else None
    actions = tuple(str(turn.action) for turn in record.turns)
    return record.pond, start, actions, record.result, tuple(sorted(record.tags.items()))


def _tags(kept: Kept) -> dict[str, str]:
    if brought_in(kept):
        return dict(_pairs(kept.facts.get("tags")))
    known = {name: kept.facts.get(name.lower()) for name in ("Light", "Dark")}
    known |= {"Date": date_of(kept), "Board": kept.facts.get("board")}
    return {name: value for name, value in known.items() if isinstance(value, str) and value}


def _dropped(story: Story) -> Dropped:
    return Dropped(len(story.turns), tuple(turn.action for turn in reversed(story.undone)))


def _lowest(kept: Kept) -> int:
    """To how many turns a game went back at the most, since it was brought in."""
    story = beginning(kept.facts)
    least = len(kept.story.turns)
    count = brought_in(kept)
    for n, (entry, _) in enumerate(kept.noted, 1):
        story = story.after(entry)
        if n >= count:
            least = min(least, len(story.turns))
    return least


def _pairs(told: object) -> Sequence[tuple[str, str]]:
    """Pairs of texts, as JSON has kept them."""
    return [(str(name), str(text)) for name, text in told] if isinstance(told, list) else []
