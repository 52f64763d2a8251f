"""A board's own file as text. Only what such a file may hold can be written: texts, drawings, numbers and lists."""

from __future__ import annotations

from collections.abc import Mapping

from pond_hw.profile.calibration import CALIBRATION_FORMAT, CalibrationOverlay
from pond_hw.profile.fields import MEASURABLE_KEYS

_HEADER_COMMENT = """\
# What was measured on this board. It goes over the values of the profile that it names, as long as the sensors and
# lamps of that are what they were. You may change it; the rules are those of a profile. Without this file the profile
# counts alone. When something was changed is told by the clock of this machine, which may have been wrong.
"""


def format_calibration(own: CalibrationOverlay) -> str:
    """The text of a board's own file.

    Raises:
        TypeError: a value is of a kind that such a file does not hold.
    """
    file_parts = [
        _HEADER_COMMENT,
        _format_pairs({"format": CALIBRATION_FORMAT, "profile": own.profile_name, "measured_on": own.measured_on}),
    ]
    for table, key_names in MEASURABLE_KEYS.items():
        values = {
            key: own.measured_values[f"{table}.{key}"] for key in key_names if f"{table}.{key}" in own.measured_values
        }
        if values:
            file_parts.append(f"[{table}]\n{_format_pairs(values)}")
    file_parts += (f"[[change]]\n{_format_pairs(change._asdict())}" for change in own.change_log)
    return "\n".join(file_parts)


def _format_pairs(values: Mapping[str, object]) -> str:
    return "".join(f"{key} = {format_toml_value(toml_value)}\n" for key, toml_value in values.items())


def format_toml_value(value: object) -> str:
    """A value as TOML.

    Raises:
        TypeError: it is no text, number or list.
    """
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str() if "\n" in value:
            # a line end right after the quotes is not part of the text
            return '"""\n' + "\n".join(map(_escape_line, value.split("\n"))) + '"""'
        case str():
            return f'"{_escape_line(value)}"'
        case list() | tuple():
            return f"[{', '.join(map(format_toml_value, value))}]"
    raise TypeError(f"{type(value).__name__} is nothing that a board's own file can hold.")


def _escape_line(text_line: str) -> str:
    if text_line.isprintable() and '"' not in text_line and "\\" not in text_line:
        return text_line
    return "".join(
        f"\\{sign}" if sign in '"\\' else sign if sign.isprintable() else f"\\U{ord(sign):08x}" for sign in text_line
    )
