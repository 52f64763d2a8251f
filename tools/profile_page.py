"""Generate the tables of docs/profile.md from the fields of the profile reader: `make man`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pond_hw.profile import fields
from pond_hw.profile.field_kinds import ChoiceField, DrawnField, Field, IntegerField, LineField, ListField, NumberField
from tools.page_blocks import replace_blocks

PAGE = Path(__file__).parents[1] / "docs" / "profile.md"

TABLES = {
    "": (fields.RootFields, "", ""),
    "sensors": (fields.SensorFields, "", "required"),
    "lamps": (fields.LampFields, "", "required"),
    "strips": (fields.StripFields, "the score strips, if the board has any", "none"),
    "supply": (fields.SupplyFields, "", "required"),
    "body": (fields.BodyFields, "sizes of the printed parts, see `hardware/`", "as below"),
    "undo_key": (fields.UndoKeyFields, "", "none"),
    "keys": (fields.TurnKeyFields, "", "none"),
    "buzzer": (fields.BuzzerFields, "", "none"),
}
"""Fields, meaning and default of each table, by heading."""


def page(text: str) -> str:
    return replace_blocks(text, {"keys": _key_rows(), "measured": _measured_keys()})


def _key_rows() -> Iterator[str]:
    yield "| key | what it is | unit, range | default |"
    yield "|---|---|---|---|"
    for heading, (table, meaning, default) in TABLES.items():
        if heading:
            yield f"| **`[{heading}]`** | {meaning} | | {default} |".replace("|  |", "| |")
        for key, field in fields.list_fields(table).items():
            is_for_some = 0 < len(field.drivers) < len(fields.WORD_FORMS)
            *others, last = field.drivers or [""]
            only = f"; {' and '.join(filter(None, (', '.join(others), last)))} only" if is_for_some else ""
            drawn = "drawn: " if isinstance(field, DrawnField) else ""
            yield f"| `{key}` | {drawn}{field.meaning}{only} | {_limits(field)} | {_default(field)} |"


def _limits(field: Field[Any]) -> str:
    """Return the unit and the range of a field."""
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
            limits = f"1 to {most} characters"
        case ListField(noun=noun, sample=sample):
            limits = f"list of {noun}, such as `{sample}`"
        case _:
            raise TypeError(f"Nothing is known of the limits of {field.key}.")
    return f"{field.unit}, {limits}" if field.unit else limits


def _default(field: Field[Any]) -> str:
    match field:
        case Field(default_text=str(default_text)) if default_text:
            return default_text
        case Field(example=str(example)) if example:
            return "required"
        case Field(default=None):
            return "none"
        case IntegerField(default=default, quote=quote):
            return str(quote(default))
        case Field(default=str(default)):
            return f'`"{default}"`'
    return f"{field.default:g}"


def _measured_keys() -> Iterator[str]:
    """Yield a line for each table with keys that set-up may change."""
    for heading, keys in fields.MEASURABLE_KEYS.items():
        yield f"    [{heading}]  {', '.join(keys)}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
