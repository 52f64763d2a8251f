"""Plain JSON data from what a file says, to compare it with what an earlier version read."""

import dataclasses
from collections.abc import Mapping
from enum import Enum

from pond_hw.journal import StoredGame
from pond_hw.profile.chips import Converter, Expander
from pond_hw.rules import Position, Side


def plain_profile(profile):
    """Return all values of a profile, with the names of its chips instead of their descriptions."""
    return {"wiring_kind": type(profile.sensing.wiring).__name__, **_plain(profile)}


def plain_record(record):
    return {
        "variant": str(record.variant),
        "start": record.start_position.notation_line,
        "actions": [str(turn.action) for turn in record.turns],
        "position": record.position.notation_line,
        "result": record.result_text,
        "tags": dict(record.tags),
        "comments": {str(count): text for count, text in record.comments.items()},
    }


def plain_game(stored: StoredGame):
    projection = stored.projection
    return {
        "uid": stored.uid,
        "facts": _plain(stored.facts),
        "entries": [[str(each.entry), *each.timestamp] for each in stored.entries],
        "position": projection.position.notation_line,
        "taken_back": [str(turn.action) for turn in projection.undone_turns],
        "outcome": projection.outcome and [_plain(projection.outcome.winner), projection.outcome.reason.value],
        "hints_given": list(projection.hints_given),
        "can_continue": projection.can_continue,
    }


def _plain(value):
    match value:
        case Expander() | Converter():
            return value.name
        case Side():
            return str(value)
        case Enum():
            return value.value
        case Position():
            return value.notation_line
        case _ if dataclasses.is_dataclass(value):
            return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
        case Mapping():
            return {"both" if key is None else str(key): _plain(inner) for key, inner in value.items()}
        case frozenset():
            return sorted(map(_plain, value))
        case tuple() | list():
            return [_plain(inner) for inner in value]
        case None | bool() | int() | float() | str():
            return value
    raise TypeError(f"{value!r} has no plain form")


def missing_parts(expected, found, place=""):
    """Yield each value of `expected` that `found` lacks or has differently. `found` may have more keys."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key, value in expected.items():
            if key not in found:
                yield f"{place}.{key} is missing"
            else:
                yield from missing_parts(value, found[key], f"{place}.{key}")
    elif expected != found:
        yield f"{place} was {expected!r} and is {found!r}"
