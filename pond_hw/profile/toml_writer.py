"""A board's own file as text. Only what such a file may hold can be written: texts, drawings, numbers and lists."""

from __future__ import annotations

from collections.abc import Mapping

from pond_hw.profile.calibration import FORMAT, KEYS, Own

_HEAD = """\
# What was measured on this board. It goes over the values of the profile that it names, as long as the sensors and
# lamps of that are what they were. You may change it; the rules are those of a profile. Without this file the profile
# counts alone. When something was changed is told by the clock of this machine, which may have been wrong.
"""


def written(own: Own) -> str:
    """The text of a board's own file.

    Raises:
        TypeError: a value is of a kind that such a file does not hold.
    """
    parts = [_HEAD, _pairs({"format": FORMAT, "profile": own.profile, "measured_on": own.measured_on})]
    for table, names in KEYS.items():
        values = {key: own.values[f"{table}.{key}"] for key in names if f"{table}.{key}" in own.values}
        if values:
            parts.append(f"[{table}]\n{_pairs(values)}")
    parts += (f"[[change]]\n{_pairs(change._asdict())}" for change in own.changes)
    return "\n".join(parts)


def _pairs(values: Mapping[str, object]) -> str:
    return "".join(f"{key} = {toml(value)}\n" for key, value in values.items())


def toml(value: object) -> str:
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
            return '"""\n' + "\n".join(map(_escaped, value.split("\n"))) + '"""'
        case str():
            return f'"{_escaped(value)}"'
        case list() | tuple():
            return f"[{', '.join(map(toml, value))}]"
    raise TypeError(f"{type(value).__name__} is nothing that a board's own file can hold.")


def _escaped(line: str) -> str:
    if line.isprintable() and '"' not in line and "\\" not in line:
        return line
    return "".join(
        f"\\{sign}" if sign in '"\\' else sign if sign.isprintable() else f"\\U{ord(sign):08x}" for sign in line
    )
