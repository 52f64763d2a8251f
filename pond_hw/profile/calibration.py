"""The board's own file: what set-up has measured on this very board, laid over its profile.

    direct-4x4.toml                what was built: it ships, or its builder has written it, and set-up leaves it alone
    direct-4x4.measured.toml       what was measured, and when; deleted, the profile counts alone

Values of the one go over values of the other, and what comes out is read by the same rules as any profile. The file
names the profile and what its sensors and lamps were when it was measured: over any other it does not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from pond_hw.profile.board_profile import Profile
from pond_hw.profile.faults import Fault, ProfileError, shown
from pond_hw.profile.fields import Table
from pond_hw.profile.reader import read_profile, read_toml, read_values
from pond_hw.profile.toml_positions import Overlaid, Path, Places

FORMAT = 1
"""The form of these files that is read here."""

KEYS = {
    "sensors": ("cells", "debounce_ms", "settle_ms", "rest", "on", "off", "light", "bad"),
    "lamps": ("cells", "colours", "brightness"),
}
"""What set-up may change, table by table. All else is the builder's to say."""

DRAWN = {("sensors", "cells"), ("sensors", "rest"), ("sensors", "debounce_ms"), ("lamps", "cells")}
"""Values that are drawn, or may be."""

_BUILDERS = {
    "": ("title", "grid", "strips", "supply", "key", "buzzer"),
    "sensors": ("kind", "driver", "scans", "faces", "bus", "address", "chips"),
    "lamps": ("driver", "pin", "count", "unused", "budget_ma", "slew_ma"),
}
_NOT_HERE = "This is for the builder to say, in the profile, and set-up does not change it. Leave it out."

LONGEST_NAME = 300
"""Letters that the name of a profile may have: a file's name has less, and a sign of it may be shown as several."""

LONGEST_WHY = 200
"""Letters that a line of the log of changes may have."""


class Change(NamedTuple):
    """One entry of the log of changes.

    Attributes:
        at: when, as the machine's clock said, which may have been wrong: `2026-11-21T16:27:00+01:00`.
        by: what changed it, such as `pond setup map`.
        keys: which values, by their dotted keys.
        why: one line.
    """

    at: str
    by: str
    keys: tuple[str, ...]
    why: str


class Own(NamedTuple):
    """What a board's own file says.

    Attributes:
        profile: the name of the profile that was measured.
        measured_on: the fingerprint of its sensors and lamps.
        values: what was measured, by dotted key.
        changes: the log, the oldest first.
    """

    profile: str
    measured_on: str
    values: Mapping[str, object]
    changes: tuple[Change, ...]


def keys() -> Iterator[str]:
    """Every key that may stand in a board's own file, dotted: `sensors.cells`."""
    return (f"{table}.{key}" for table, names in KEYS.items() for key in names)


def fingerprint(text: str) -> str:
    """What tells the sensors and lamps of a profile from any others.

    The sha256 of the values of [sensors] and [lamps] as JSON, keys in order and nothing between the signs; drawings as
    lists of rows of words, so that blanks and comments do not count, and whole numbers without a point.

    Args:
        text: a profile.

    Raises:
        ProfileError: it is no TOML.
    """
    import hashlib  # these take longer to import than all else here, and a board that was never measured needs neither
    import json

    values = {table: _parsed(text)[0].get(table) for table in KEYS}
    plain = json.dumps(_canonical(values, ()), sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(plain.encode()).hexdigest()


def _canonical(value: object, path: Path) -> object:
    match value:
        case dict():
            return {key: _canonical(inner, (*path, key)) for key, inner in value.items()}
        case list():
            return [_canonical(inner, path) for inner in value]
        case str() if path in DRAWN:
            rows = (row.partition("#")[0].split() for row in value.split("\n"))
            return [row for row in rows if row]
        case float() if value.is_integer():
            return int(value)
    return value


def read_own(text: str, file: str, measured_on: str) -> Own:
    """Read a board's own file, but for whether its values are right.

    Args:
        text: the whole file, TOML.
        file: its path, as people are told it.
        measured_on: the fingerprint of the profile as it is, to be shown to whoever has left it out.

    Raises:
        ProfileError: it is no such file.
    """
    own, _, faults = _read(text, file, measured_on)
    if faults:
        raise own_error(file, faults)
    return own


def read_with_own(text: str, name: str, own_text: str, file: str) -> Profile:
    """A profile with what was measured laid over it.

    Args:
        text: the profile, TOML.
        name: what it is called.
        own_text: the board's own file, TOML.
        file: its path, as people are told it.

    Raises:
        ProfileError: something is wrong with the profile, with the file, or with both together.
    """
    profile = read_profile(text, name)
    as_it_is = fingerprint(text)
    own, above, faults = _read(own_text, file, as_it_is)
    if aside := why_aside(own, name, as_it_is, file):
        return replace(profile, aside=aside)
    values, below = _parsed(text)
    paths: dict[Path, object] = {tuple(key.split(".")): value for key, value in own.values.items()}
    merged = dict(values)
    for table, names in KEYS.items():
        inner, over = merged[table], {key: paths[table, key] for key in names if (table, key) in paths}
        merged[table] = {**inner, **over} if isinstance(inner, dict) else inner
    both, wrong = read_values(merged, Overlaid(below, above, paths), name)
    faults += (
        fault._replace(line=fault.line - below.last) if fault.line > below.last else fault._replace(file=f"{name}.toml")
        for fault in wrong
    )
    if both is None or faults:
        raise own_error(file, faults)
    return replace(both, measured=tuple(own.values))


def why_aside(own: Own, name: str, measured_on: str, file: str) -> str:
    """Why a board's own file does not count over this profile, as a sentence; empty if it does.

    Args:
        own: what it says. What it does not say is no reason.
        name: the profile's name.
        measured_on: the profile's fingerprint.
        file: the path of the own file, as people are told it.
    """
    anew = f"{name} counts alone until set-up is run again"
    if own.profile not in ("", name):
        return (
            f"{file} is left aside, because it was measured on {shown(own.profile)} and not on {name}: {anew}. "
            f'If it is the same board, write profile = "{name}" there; if not, delete it.'
        )
    if own.measured_on not in ("", measured_on):
        return (
            f"{file} is left aside, because the sensors or lamps of {name}.toml have changed since it was measured: "
            f'{anew}. If it still holds, write measured_on = "{measured_on}" there; if not, delete it.'
        )
    return ""


def _parsed(text: str) -> tuple[dict[str, object], Places]:
    parsed = read_toml(text)
    if isinstance(parsed, Fault):
        raise ProfileError(str(parsed), [parsed])
    return parsed


def _read(text: str, file: str, measured_on: str) -> tuple[Own, Places, list[Fault]]:
    """What a file says as far as it can be read, where, and what is wrong with it but for the values themselves."""
    parsed = read_toml(text)
    if isinstance(parsed, Fault):
        raise own_error(file, [parsed])
    values, places = parsed
    faults: list[Fault] = []
    root = Table(values, (), places, faults)
    form = root.whole("format", 1, 99, such_as=str(FORMAT))
    if form is not None and form != FORMAT:
        root.fault("format", f"This program reads measured files of format {FORMAT}, not {form}.")
    profile = root.line("profile", '"direct-4x4"', LONGEST_NAME)
    on = root.line("measured_on", f'"{measured_on}"')
    measured = {f"{table}.{key}": value for table in KEYS for key, value in _measured(root, table)}
    changes = tuple(change for entry in root.tables("change") if (change := _change(entry)))
    root.close(dict.fromkeys(_BUILDERS[""], _NOT_HERE))
    return Own(profile or "", on or "", measured, changes), places, faults


def _measured(root: Table, name: str) -> Iterator[tuple[str, object]]:
    """The values of a table that set-up may change."""
    table = root.table(name)
    if not table:
        return
    table.ignore(*KEYS[name])
    table.close(dict.fromkeys(_BUILDERS[name], _NOT_HERE))
    yield from ((key, table[key]) for key in table if key in KEYS[name])


def _change(entry: Table) -> Change | None:
    at, by = entry.line("at", '"2026-11-21T16:27:00+01:00"'), entry.line("by", '"pond setup map"')
    names = entry.lines("keys", '["lamps.cells"]')
    why = entry.line("why", '"b2 and c2 were exchanged"', LONGEST_WHY)
    entry.close()
    return Change(at, by, tuple(names), why) if at and by and names is not None and why else None


def own_error(file: str, faults: list[Fault]) -> ProfileError:
    """The error that tells what is wrong with a board's own file."""
    return ProfileError.in_file(file, faults, "Mend it, or delete it: the profile counts alone then.")
