"""Settings that balance a game between players of different strength.

Requests, the phone page, protocol states, the settings file, the board menu and terminal keys are all derived from
`SETTINGS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from pond_hw.messages.message import Message
from pond_hw.rules import Side, Variant
from pond_hw.session.game.fair_start_table import FAIR_STARTS


class HelpLevel(StrEnum):
    """Level of help that the board gives to a side. Each level includes all lower ones."""

    NONE = "none"
    TARGETS = "targets"  # legal targets
    FULL = "full"  # hints and previews
    WARNINGS = "warnings"  # warnings before an action that lets the other side win or score heavily

    @property
    def gives_advice(self) -> bool:
        return self in (HelpLevel.FULL, HelpLevel.WARNINGS)


MAX_HEAD_START = 5

MAX_HINTS = 12
"""Maximum hint limit. Players rarely use more than 12 hints in a game."""

SettingValue = HelpLevel | int | None
"""Value of a setting, in a form that JSON can represent."""


def cap_head_start(variant: Variant, pieces: int) -> int:
    return min(pieces, variant.target - 1, variant.spawn - 1)


def _cap_fair_start(variant: Variant, is_on: bool) -> bool:
    return is_on and variant.name in FAIR_STARTS


def _keep_value(variant: Variant, value: SettingValue) -> SettingValue:  # noqa: ARG001
    return value


@dataclass(frozen=True, slots=True)
class Setting:
    """A row in the table of settings.

    Attributes:
        value_field: Field of a request that holds the value.
        page: Name of the board menu page, also used in message ids (`setting.PAGE`).
        choices: Values offered in the menu and by the terminal key; if empty, all `values` are offered.
        describe: Function that returns the message about a change, given the side, the value, and whether the change
            affects this game.
        fault: Message id for an invalid value.
        is_per_side: True if each side has its own value; False if the setting applies to the whole table.
        restarts_game: True if a change restarts a game that has not begun.
        cap: Function that limits a value to a variant's range.
        unavailable: Message id for a table setting whose value a variant does not support.
        key_step: Step by which the terminal key moves through `choices`.
    """

    name: str
    value_field: str
    page: str
    values: tuple[SettingValue, ...]
    default: SettingValue
    describe: Callable[[Side | None, Any, bool], Message]
    fault: str
    fault_arguments: Mapping[str, int | tuple[str, ...]] = field(default_factory=dict, hash=False)
    choices: tuple[SettingValue, ...] = ()
    is_per_side: bool = True
    restarts_game: bool = False
    cap: Callable[[Variant, Any], SettingValue] = _keep_value
    unavailable: str = ""
    needs_both_sides: bool = False
    key_step: int = 1
    needs_pieces: bool = False

    @property
    def menu_values(self) -> dict[str, SettingValue]:
        return {name_value(value): value for value in self.choices or self.values}

    def find_value(self, given: object) -> SettingValue:
        """Return the valid value that equals a JSON value. Raise a `ValueError` if there is none."""
        for value in self.values:
            if given == value and isinstance(given, bool) == isinstance(value, bool) and not isinstance(given, float):
                return value
        raise ValueError(given)

    def find_next(self, value: SettingValue) -> SettingValue:
        """Return the value that follows when the terminal key is pressed.

        If the current number is not among the choices, return the next smaller choice.
        """
        choices = self.choices or self.values
        if value in choices:
            return choices[(choices.index(value) + self.key_step) % len(choices)]
        smaller = (each for each in choices if isinstance(each, int) and isinstance(value, int) and each < value)
        return next(smaller, self.default)


def name_value(value: SettingValue) -> str:
    """Return the name of a value in the menu: `on`, `off`, `any` or its JSON form."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return "any" if value is None else str(value)


def _describe_help(side: Side | None, level: HelpLevel, applies_now: bool) -> Message:  # noqa: ARG001
    return Message(f"help_level.{level}", side=str(side))


def _describe_head_start(side: Side | None, pieces: int, applies_now: bool) -> Message:
    return Message("head_start.now" if applies_now else "head_start.next", side=str(side), count=pieces)


def _describe_hint_limit(side: Side | None, limit: int | None, applies_now: bool) -> Message:  # noqa: ARG001
    if limit is None:
        return Message("hint_limit.none", side=str(side))
    return Message("hint_limit.set", side=str(side), count=limit)


def _describe_fair_start(side: Side | None, is_on: bool, applies_now: bool) -> Message:  # noqa: ARG001
    return Message(f"fair_start.{name_value(is_on)}.{'now' if applies_now else 'next'}")


def _describe_turn_key(side: Side | None, is_on: bool, applies_now: bool) -> Message:  # noqa: ARG001
    return Message(f"turn_key.{name_value(is_on)}")


HELP = Setting(
    name="help",
    value_field="level",
    page="level",
    values=tuple(HelpLevel),
    default=HelpLevel.FULL,
    describe=_describe_help,
    fault="field.no_help_level",
    fault_arguments={"levels": tuple(map(str, HelpLevel))},
    key_step=-1,  # the key goes from more help to less
)
HEAD_START = Setting(
    name="head_start",
    value_field="pieces",
    page="head_start",
    values=tuple(range(MAX_HEAD_START + 1)),
    default=0,
    describe=_describe_head_start,
    fault="field.no_head_start",
    fault_arguments={"most": MAX_HEAD_START},
    restarts_game=True,
    cap=cap_head_start,
    needs_both_sides=True,
)
HINT_LIMIT = Setting(
    name="hint_limit",
    value_field="hints",
    page="hints",
    values=(None, *range(1, MAX_HINTS + 1)),
    default=None,
    describe=_describe_hint_limit,
    fault="field.no_hint_limit",
    fault_arguments={"most": MAX_HINTS},
    choices=(None, MAX_HINTS, 6, 3, 1),
)
FAIR_START = Setting(
    name="fair_start",
    value_field="on",
    page="fair_start",
    values=(False, True),
    default=False,
    describe=_describe_fair_start,
    fault="field.no_switch",
    is_per_side=False,
    restarts_game=True,
    cap=_cap_fair_start,
    unavailable="fair_start.none",
)

TURN_KEY = Setting(
    name="turn_key",
    value_field="on",
    page="turn_key",
    values=(False, True),
    default=False,
    describe=_describe_turn_key,
    fault="field.no_switch",
    is_per_side=False,
    needs_pieces=True,
)

SIDE_SETTINGS = HELP, HEAD_START, HINT_LIMIT
TABLE_SETTINGS = FAIR_START, TURN_KEY
SETTINGS = {setting.name: setting for setting in (*SIDE_SETTINGS, *TABLE_SETTINGS)}
"""All settings by name, in the order used in states and files."""

MENU_ROW = HELP, HINT_LIMIT, HEAD_START
"""Settings of a side, in menu order."""


class SideHelp(NamedTuple):
    """Settings of a side; a `hint_limit` of None means unlimited hints."""

    help: HelpLevel
    head_start: int
    hint_limit: int | None

    def find_value(self, setting: Setting) -> SettingValue:
        value: SettingValue = getattr(self, setting.name)
        return value

    def with_value(self, setting: Setting, value: SettingValue) -> SideHelp:
        return self._replace(**{setting.name: value})  # type: ignore[arg-type]

    def restarts_game(self, before: SideHelp) -> bool:
        """Return True if the changes since `before` restart a game that has not begun."""
        changed = (setting for setting in SIDE_SETTINGS if self.find_value(setting) != before.find_value(setting))
        return any(setting.restarts_game for setting in changed)

    def describe_changes(self, before: SideHelp, side: Side, *, applies_now: bool) -> tuple[Message, ...]:
        """Describe the changes since `before`; `applies_now` is True if a head start applies to this game."""
        return tuple(
            setting.describe(side, self.find_value(setting), applies_now)
            for setting in SIDE_SETTINGS
            if self.find_value(setting) != before.find_value(setting)
        )


DEFAULT_HELP = SideHelp(**{setting.name: setting.default for setting in SIDE_SETTINGS})  # type: ignore[arg-type]

SideHelps = tuple[SideHelp, SideHelp]

HintCounts = tuple[int | None, int | None]
"""Number of hints left for light and for dark; None if unlimited."""

UNLIMITED_HINTS: HintCounts = (None, None)

_Value = TypeVar("_Value")


def with_side(pair: tuple[_Value, _Value], side: Side, value: _Value) -> tuple[_Value, _Value]:
    return (value, pair[Side.DARK]) if side is Side.LIGHT else (pair[Side.LIGHT], value)


def count_hints_left(limit: int | None, given: int) -> int | None:
    """Return the number of hints left; None if unlimited. It is never negative, even if the limit has been lowered."""
    return None if limit is None else max(0, limit - given)


def describe_hints_left(side: Side, left: int) -> Message:
    if left == 0:
        return Message("hint_limit.last", side=str(side))
    return Message("hint_limit.left", side=str(side), count=left)
