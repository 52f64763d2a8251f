"""Calibration file: values measured by set-up that override those of the profile.

    direct-4x4.toml                as built: shipped with Pond or written by the builder; set-up never changes it
    direct-4x4.measured.toml       measured values and a log; delete it to return to the profile

The merged result is checked like any profile. The file stores the profile's name and a fingerprint of its sensors and
lamps, and is ignored if either has changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import Profile
from pond_hw.profile.faults import ProfileError
from pond_hw.profile.field_kinds import LineField, NamesField
from pond_hw.profile.fields import DRAWN_KEYS, MEASURABLE_KEYS, MEASURED_TABLES, list_fields
from pond_hw.profile.reader import is_newer_format, parse_profile, parse_root, parse_toml
from pond_hw.profile.toml_positions import KeyPath
from pond_hw.profile.toml_table import TomlTable

CALIBRATION_FORMAT = 1

_BUILDER_KEYS = {
    "": ("title", "grid", "strips", "supply", "undo_key", "keys", "buzzer"),
    **{
        heading: [key for key in list_fields(table) if key not in MEASURABLE_KEYS[heading]]
        for heading, table in MEASURED_TABLES.items()
    },
}

_HEADER_COMMENT = """\
# What was measured on this board. These values replace those of the profile named below, as long as the profile's
# sensors and lamps stay as they were. You may edit this file; the rules of a profile hold here too. Delete it to use
# the profile without it. The dates come from the clock of this machine, which may have been wrong.
"""

_NOT_MEASURABLE = Message("profile.key.not_measurable")

MAX_NAME_LENGTH = 300
"""Maximum length of a profile name. File names are shorter, but escaping turns one character into several."""

MAX_REASON_LENGTH = 200


class CalibrationFields:
    """Top-level keys of a calibration file, except its format."""

    profile = LineField("the measured profile", MAX_NAME_LENGTH, example='"direct-4x4"')
    measured_on = LineField("the fingerprint of its sensors and lamps")


class ChangeFields:
    """Keys of a [[change]] table."""

    at = LineField("when", example='"2026-11-21T16:27:00+01:00"')
    by = LineField("what changed it", example='"pond setup map"')
    keys = NamesField("which values", example='["lamps.cells"]')
    why = LineField("why", MAX_REASON_LENGTH, example='"b2 and c2 were exchanged"')


class CalibrationChange(NamedTuple):
    """Entry of the change log: `by` is a command such as `pond setup map`, and `keys` are dotted.

    The time `at` is from the machine's clock, which may have been wrong: `2026-11-21T16:27:00+01:00`.
    """

    at: str
    by: str
    keys: tuple[str, ...]
    why: str


class CalibrationOverlay(NamedTuple):
    """Contents of a calibration file: values by dotted key, and the log, oldest entry first.

    `measured_on` is the fingerprint of the profile's sensors and lamps.
    """

    profile_name: str
    measured_on: str
    measured_values: Mapping[str, object]
    change_log: tuple[CalibrationChange, ...]


def list_measurable_keys() -> Iterator[str]:
    return (f"{table_name}.{key_name}" for table_name, key_names in MEASURABLE_KEYS.items() for key_name in key_names)


def profile_fingerprint(profile_text: str) -> str:
    """Return a fingerprint of a profile's sensors and lamps.

    It is the SHA-256 of the values of [sensors] and [lamps] as compact JSON with sorted keys. Drawings become lists of rows
    of words, so that spaces and comments do not matter. Floats without a fraction become integers.

    Raises:
        ProfileError: the text isn't valid TOML.
    """
    import hashlib  # slow to import, and only needed for boards with a calibration file
    import json

    root = parse_toml(profile_text, lambda faults: ProfileError(faults[0].message, faults))
    values = {table_name: root.values.get(table_name) for table_name in MEASURABLE_KEYS}
    plain_json = json.dumps(_canonical_value(values, ()), sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(plain_json.encode()).hexdigest()


def _canonical_value(toml_value: object, path: KeyPath) -> object:
    match toml_value:
        case dict():
            return {inner_key: _canonical_value(inner, (*path, inner_key)) for inner_key, inner in toml_value.items()}
        case list():
            return [_canonical_value(inner, path) for inner in toml_value]
        case str() if path in DRAWN_KEYS:
            row_lists = (row.partition("#")[0].split() for row in toml_value.split("\n"))
            return [row for row in row_lists if row]
        case float() if toml_value.is_integer():
            return int(toml_value)
    return toml_value


def parse_calibration(overlay_text: str, file: str, measured_on: str) -> CalibrationOverlay:
    """Parse a calibration file without checking its measured values.

    If the file has no fingerprint, the fault suggests adding `measured_on`.

    Raises:
        ProfileError: the text isn't a calibration file.
    """
    overlay, root = _parse_overlay(overlay_text, file, measured_on)
    if root.faults:
        raise ProfileError.for_file(file, root.faults, measured=True)
    return overlay


def parse_calibrated_profile(profile_text: str, profile_name: str, own_text: str, file: str) -> Profile:
    """Parse a profile overlaid with measured values. `file` is how messages refer to the calibration file.

    Raises:
        ProfileError: the profile, the calibration file or the merged result has faults.
    """
    profile = parse_profile(profile_text, profile_name)
    current_fingerprint = profile_fingerprint(profile_text)
    overlay, overlay_root = _parse_overlay(own_text, file, current_fingerprint)
    if mismatch := explain_mismatch(overlay, profile_name, current_fingerprint, file):
        return replace(profile, calibration_warning=mismatch)
    make_error = partial(ProfileError.for_file, file, measured=True)
    root = parse_toml(profile_text, make_error)  # a second copy, which may be modified
    for dotted_key, value in overlay.measured_values.items():
        table, key = dotted_key.split(".")
        root.values[table][key] = value
    root.places.overlay(overlay_root.places, {tuple(key.split(".")) for key in overlay.measured_values})
    merged_profile, faults = parse_root(root, profile_name), overlay_root.faults
    for fault in root.faults:
        own_line = fault.line - root.places.last_line
        faults.append(fault._replace(line=own_line) if own_line > 0 else fault._replace(file=f"{profile_name}.toml"))
    if merged_profile is None or faults:
        raise make_error(faults)
    return replace(merged_profile, measured_keys=tuple(overlay.measured_values))


def explain_mismatch(overlay: CalibrationOverlay, board: str, measured_on: str, file: str) -> Message | None:
    """Return the reason why a calibration file doesn't apply to a profile, or None if it does.

    An empty name or fingerprint always matches.
    """
    if overlay.profile_name not in ("", board):
        return Message("profile.ignored.other_board", file=file, board=board, measured=overlay.profile_name)
    if overlay.measured_on not in ("", measured_on):
        return Message("profile.ignored.changed", file=file, board=board, fingerprint=measured_on)
    return None


def _parse_overlay(overlay_text: str, file: str, measured_on: str) -> tuple[CalibrationOverlay, TomlTable]:
    """Return the readable part of a file, and the root table with its faults. Measured values are not checked yet."""
    root = parse_toml(overlay_text, partial(ProfileError.for_file, file, measured=True))
    if is_newer_format(root, CALIBRATION_FORMAT):
        return CalibrationOverlay("", "", {}, ()), root
    profile_name = root.read_field(CalibrationFields.profile)
    fingerprint = root.read_field(replace(CalibrationFields.measured_on, example=f'"{measured_on}"'))
    measured = {f"{table}.{key}": value for table in MEASURABLE_KEYS for key, value in _measured_pairs(root, table)}
    change_log = tuple(log_entry for entry in root.read_tables("change") if (log_entry := _parse_change(entry)))
    root.check_keys(dict.fromkeys(_BUILDER_KEYS[""], _NOT_MEASURABLE))
    return CalibrationOverlay(profile_name or "", fingerprint or "", measured, change_log), root


def _measured_pairs(root: TomlTable, table_name: str) -> Iterator[tuple[str, object]]:
    table, key_names = root.read_table(table_name), MEASURABLE_KEYS[table_name]
    table.ignore_keys(*key_names)
    table.check_keys(dict.fromkeys(_BUILDER_KEYS[table_name], _NOT_MEASURABLE))
    yield from ((key, value) for key, value in table.values.items() if key in key_names)


def _parse_change(entry: TomlTable) -> CalibrationChange | None:
    at, by = entry.read_field(ChangeFields.at), entry.read_field(ChangeFields.by)
    keys, why = entry.read_field(ChangeFields.keys), entry.read_field(ChangeFields.why)
    entry.check_keys()
    return CalibrationChange(at, by, tuple(keys), why) if at and by and keys is not None and why else None


def format_calibration(overlay: CalibrationOverlay) -> str:
    """Format a calibration file.

    Raises:
        TypeError: a value has an unsupported type.
    """
    measured = overlay.measured_values
    names = {"format": CALIBRATION_FORMAT, "profile": overlay.profile_name, "measured_on": overlay.measured_on}
    file_parts = [_HEADER_COMMENT, _format_pairs(names)]
    for table, key_names in MEASURABLE_KEYS.items():
        dotted_keys = {key: f"{table}.{key}" for key in key_names}
        values = {key: measured[dotted] for key, dotted in dotted_keys.items() if dotted in measured}
        if values:
            file_parts.append(f"[{table}]\n{_format_pairs(values)}")
    file_parts += (f"[[change]]\n{_format_pairs(change._asdict())}" for change in overlay.change_log)
    return "\n".join(file_parts)


def _format_pairs(values: Mapping[str, object]) -> str:
    return "".join(f"{key} = {format_toml_value(toml_value)}\n" for key, toml_value in values.items())


def format_toml_value(value: object) -> str:
    """Format a value as TOML.

    Raises:
        TypeError: the value is not a string, number or list.
    """
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str() if "\n" in value:
            # TOML drops a line break right after the opening quotes
            return '"""\n' + "\n".join(map(_escape_line, value.split("\n"))) + '"""'
        case str():
            return f'"{_escape_line(value)}"'
        case list() | tuple():
            return f"[{', '.join(map(format_toml_value, value))}]"
    raise TypeError(f"A file of measured values cannot hold a {type(value).__name__}.")


def _escape_line(text_line: str) -> str:
    if text_line.isprintable() and '"' not in text_line and "\\" not in text_line:
        return text_line
    printable = (sign if sign.isprintable() else f"\\U{ord(sign):08x}" for sign in text_line)
    return "".join(f"\\{text}" if text in ('"', "\\") else text for text in printable)
