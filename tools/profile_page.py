"""Writes the tables of docs/profile.md again, from the fields that the reader of profiles knows.

python docs/profile_page.py
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pond_hw.profile import fields
from pond_hw.profile.field_kinds import ChoiceField, DrawnField, Field, IntegerField, LineField, ListField, NumberField

PAGE = Path(__file__).with_name("profile.md")

TABLES = {
    "": (fields.RootFields, "", ""),
    "sensors": (fields.SensorFields, "", "required"),
    "lamps": (fields.LampFields, "", "required"),
    "strips": (fields.StripFields, "the score strips, if the board has any", "none"),
    "supply": (fields.SupplyFields, "", "required"),
    "body": (fields.BodyFields, "sizes of the printed parts, see `hardware/`", "as below"),
    "key": (fields.KeyFields, "", "none"),
    "buzzer": (fields.BuzzerFields, "", "none"),
}
"""By its heading each table, what it is, and what holds if it is left out."""


def page(text: str) -> str:
    """The page with its tables as they must be; what stands around them stays."""
    for name, lines in {"keys": _key_rows(), "measured": _measured_keys()}.items():
        marked = re.compile(rf"(<!-- {name}[^>]*-->\n).*?(\n<!-- end of {name} -->)", re.DOTALL)
        block = "\n".join(lines)
        text, count = marked.subn(lambda found, block=block: f"{found[1]}{block}{found[2]}", text)
        assert count == 1, f"{PAGE.name} has {count} places for {name}"
    return text


def _key_rows() -> Iterator[str]:
    yield "| key | what it is | unit, range | default |"
    yield "|---|---|---|---|"
    for heading, (table, meaning, usual) in TABLES.items():
        if heading:
            yield f"| **`[{heading}]`** | {meaning} | | {usual} |".replace("|  |", "| |")
        for key, field in fields.list_fields(table).items():
            only = f"; {' and '.join(field.drivers)} only" if len(field.drivers) in (1, 2) else ""
            drawn = "drawn: " if isinstance(field, DrawnField) else ""
            yield f"| `{key}` | {drawn}{field.meaning}{only} | {_limits(field)} | {_usual(field)} |"


def _limits(field: Field[Any]) -> str:
    """The unit and the range of a field."""
    if field.limits:
        return field.limits
    match field:
        case IntegerField(low=low, high=high, quote=quote):
            limits = f"{quote(low)} to {quote(high)}"
        case NumberField(low=low, high=high):
            limits = f"{low:g} to {high:g}"
        case ChoiceField(choices=choices):
            limits = ", ".join(f'`"{name}"`' for name in choices)
        case LineField(max_length=most):
            limits = f"1 to {most} letters"
        case ListField(noun=noun, sample=sample):
            limits = f"list of {noun}, such as `{sample}`"
        case _:
            raise TypeError(f"Nothing is known of the limits of {field.key}.")
    return f"{field.unit}, {limits}" if field.unit else limits


def _usual(field: Field[Any]) -> str:
    """What a field is if nothing is said."""
    match field:
        case Field(usual=str(usual)) if usual:
            return usual
        case Field(example=str(example)) if example:
            return "required"
        case Field(default=None):
            return "none"
        case IntegerField(default=default, quote=quote):
            return quote(default)
        case Field(default=str(default)):
            return f'`"{default}"`'
    return f"{field.default:g}"


def _measured_keys() -> Iterator[str]:
    """What set-up may change."""
    for heading, keys in fields.MEASURABLE_KEYS.items():
        yield f"    [{heading}]  {', '.join(keys)}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
