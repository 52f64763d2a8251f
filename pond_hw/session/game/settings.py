"""Settings that even the odds, so that a child and an adult can play on equal terms.

`SETTINGS` is their table. Requests, the page, the state of the protocol, the file of what is remembered, the menu of the
board and the keys of the terminal are made from its rows.
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
    """Help of the board for a side. Each level includes the ones before it."""

    NONE = "none"  # the pieces alone
    TARGETS = "targets"  # where a piece may go
    FULL = "full"  # hints, and what an action would do
    WARNINGS = "warnings"  # a warning before an action counts that lets the other side win or score much

    @property
    def gives_advice(self) -> bool:
        """True if there are hints, and previews of actions."""
        return self in (HelpLevel.FULL, HelpLevel.WARNINGS)


MAX_HEAD_START = 5

MAX_HINTS = 12
"""The largest limit: for more hints than these most games are too short."""

SettingValue = HelpLevel | int | None
"""A value of a setting, which is also how it stands in JSON."""


def cap_head_start(variant: Variant, pieces: int) -> int:
    """A head start, or the largest that a variant allows."""
    return min(pieces, variant.target - 1, variant.spawn - 1)


def _cap_fair_start(variant: Variant, is_on: bool) -> bool:
    return is_on and variant.name in FAIR_STARTS


def _keep_value(variant: Variant, value: SettingValue) -> SettingValue:  # noqa: ARG001
    return value


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting: one row of the table.

    Attributes:
        name: its name in requests, states and files.
        value_field: the field of a request that holds its value.
        page: its page in the menu of the board, in menu messages `setting.PAGE`.
        values: every value that it may have.
        choices: the values in the menu; a key goes through them.
        default: its value until somebody changes it.
        describe: makes the message about a change, of a side, the value, and whether it counts in this game.
        fault: id of the message about a value that is none.
        fault_arguments: what this message says of the values.
        is_of_side: whether each side has its own value; else the table has one.
        begins_anew: whether a game in which nothing has happened begins anew with another value.
        cap: limits a value to what a variant allows.
        unavailable: for a setting of the table, id of the message about a value that a variant does not allow.
        needs_both_sides: whether it is at the cost of the other side, which has to agree.
        key_step: how far a key goes in `choices`.
        needs_pieces: whether only boards with pieces have it.
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
    is_of_side: bool = True
    begins_anew: bool = False
    cap: Callable[[Variant, Any], SettingValue] = _keep_value
    unavailable: str = ""
    needs_both_sides: bool = False
    key_step: int = 1
    needs_pieces: bool = False

    @property
    def menu_values(self) -> dict[str, SettingValue]:
        """The choices by their names in the menu."""
        return {name_value(value): value for value in self.choices or self.values}

    def find_value(self, given: object) -> SettingValue:
        """Return the value that JSON gives.

        Raises:
            ValueError: it is none of the setting's.
        """
        for value in self.values:
            if given == value and isinstance(given, bool) == isinstance(value, bool) and not isinstance(given, float):
                return value
        raise ValueError(given)

    def find_next(self, value: SettingValue) -> SettingValue:
        """Return the value that a key sets next; of numbers that are no choice, the next smaller choice."""
        choices = self.choices or self.values
        if value in choices:
            return choices[(choices.index(value) + self.key_step) % len(choices)]
        smaller = (each for each in choices if isinstance(each, int) and isinstance(value, int) and each < value)
        return next(smaller, self.default)


def name_value(value: SettingValue) -> str:
    """Return a value as a word of the menu: `on`, `off`, `any`, or as it stands in JSON."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return "any" if value is None else str(value)


def _describe_help(side: Side | None, level: HelpLevel, is_now: bool) -> Message:  # noqa: ARG001
    return Message(f"help_level.{level}", side=str(side))


def _describe_head_start(side: Side | None, pieces: int, is_now: bool) -> Message:
    return Message("head_start.now" if is_now else "head_start.next", side=str(side), count=pieces)


def _describe_hint_limit(side: Side | None, limit: int | None, is_now: bool) -> Message:  # noqa: ARG001
    if limit is None:
        return Message("hint_limit.none", side=str(side))
    return Message("hint_limit.set", side=str(side), count=limit)


def _describe_fair_start(side: Side | None, is_on: bool, is_now: bool) -> Message:  # noqa: ARG001
    return Message(f"fair_start.{name_value(is_on)}.{'now' if is_now else 'next'}")


def _describe_turn_key(side: Side | None, is_on: bool, is_now: bool) -> Message:  # noqa: ARG001
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
    key_step=-1,  # a key gives less help, and after the least all of it
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
    begins_anew=True,
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
    is_of_side=False,
    begins_anew=True,
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
    is_of_side=False,
    needs_pieces=True,
)

SIDE_SETTINGS = HELP, HEAD_START, HINT_LIMIT
TABLE_SETTINGS = FAIR_START, TURN_KEY
SETTINGS = {setting.name: setting for setting in (*SIDE_SETTINGS, *TABLE_SETTINGS)}
"""All settings by name, in the order in which states and files have them."""

MENU_ROW = HELP, HINT_LIMIT, HEAD_START
"""The settings of a side in the order of their cells in the menu."""


class SideHelp(NamedTuple):
    """Values of the settings of a side, by the names of the settings.

    Attributes:
        help: how much the board helps it.
        head_start: what it has scored before the first action of each game.
        hint_limit: how many hints it gets in each game; None: as many as it likes.
    """

    help: HelpLevel
    head_start: int
    hint_limit: int | None

    def find_value(self, setting: Setting) -> SettingValue:
        """Return the value of a setting."""
        value: SettingValue = getattr(self, setting.name)
        return value

    def with_value(self, setting: Setting, value: SettingValue) -> SideHelp:
        """Return the same with another value of a setting."""
        return self._replace(**{setting.name: value})  # type: ignore[arg-type]

    def begins_anew(self, before: SideHelp) -> bool:
        """True if a game in which nothing has happened begins anew, because this is another help than before."""
        changed = (setting for setting in SIDE_SETTINGS if self.find_value(setting) != before.find_value(setting))
        return any(setting.begins_anew for setting in changed)

    def describe_changes(self, before: SideHelp, side: Side, *, is_now: bool) -> tuple[Message, ...]:
        """Describe the changes since another help.

        Args:
            before: what the side had.
            side: the side.
            is_now: whether a head start counts in this game.
        """
        return tuple(
            setting.describe(side, self.find_value(setting), is_now)
            for setting in SIDE_SETTINGS
            if self.find_value(setting) != before.find_value(setting)
        )


DEFAULT_HELP = SideHelp(**{setting.name: setting.default for setting in SIDE_SETTINGS})  # type: ignore[arg-type]
"""Help of a side until it is changed."""

SideHelps = tuple[SideHelp, SideHelp]
"""For light and for dark."""

HintCounts = tuple[int | None, int | None]
"""For light and for dark, in hints; None: as many as it likes."""

UNLIMITED_HINTS: HintCounts = (None, None)

_Value = TypeVar("_Value")


def with_side(pair: tuple[_Value, _Value], side: Side, value: _Value) -> tuple[_Value, _Value]:
    """Return a pair with another value for one side."""
    return (value, pair[Side.DARK]) if side is Side.LIGHT else (pair[Side.LIGHT], value)


def count_hints_left(limit: int | None, given: int) -> int | None:
    """Return the hints that are left after `given`, never below 0: a limit may come later; None if there is none."""
    return None if limit is None else max(0, limit - given)


def describe_hints_left(side: Side, left: int) -> Message:
    """Describe how many hints a side has left in this game."""
    if left == 0:
        return Message("hint_limit.last", side=str(side))
    return Message("hint_limit.left", side=str(side), count=left)
