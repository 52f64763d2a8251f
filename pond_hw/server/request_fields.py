"""The values that fields of a line may have, read and checked. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, TypeGuard

from pond_hw.engine import HUMAN, PLAYER_NAMES, PlayerNames
from pond_hw.engine.player_name import find_name_fault
from pond_hw.messages.message import Message
from pond_hw.rules import PondError, Side
from pond_hw.session import Setting, SettingValue

MAX_WAIT_SECONDS = 3600.0
"""Seconds that one line may let pass, at the most."""

MIN_BRIGHTNESS = 0.01
"""A board that seems to be off helps nobody."""

MAX_GAME_NUMBER = MAX_TURN_NUMBER = 10**9
MAX_SEATS, MAX_SEAT_NUMBER = 16, 10**6
"""Seats that one client may tell of, and what their numbers stay below."""


class ProtocolError(PondError):
    """A line that is not understood; the message says what is wrong with it."""


def quote_value(quoted_value: object) -> str:
    """A value as JSON writes it, cut short: it came from outside."""
    value_text = json.dumps(quoted_value)
    return value_text if len(value_text) <= 60 else f"{value_text[:57]}..."


def parse_owner(owner_name: object) -> Side:
    """The side that a line names.

    Raises:
        ProtocolError: it names none.
    """
    for owner_side in Side:
        if str(owner_side) == owner_name:
            return owner_side
    raise ProtocolError(Message("field.no_owner", text=quote_value(owner_name)))


def parse_cell(cell: object) -> str:
    """The cell that a line names.

    Raises:
        ProtocolError: it is none.
    """
    if not isinstance(cell, str) or not re.fullmatch(r"[a-e][1-5]", cell, re.ASCII):
        raise ProtocolError(Message("field.no_cell", text=quote_value(cell)))
    return cell


def parse_seconds(seconds: object) -> float:
    """How many seconds a wait lets pass.

    Raises:
        ProtocolError: it is no number, or too large.
    """
    if not _is_number(seconds) or not 0 <= seconds <= MAX_WAIT_SECONDS:
        raise ProtocolError(Message("field.no_wait", most=MAX_WAIT_SECONDS, text=quote_value(seconds)))
    return float(seconds)


def parse_text(request_fields: Mapping[str, Any], field_name: str, max_length: int = 40) -> str:
    """A text that a line has to have.

    Raises:
        ProtocolError: it is missing, no text, or too long.
    """
    if field_name not in request_fields:
        named = request_fields["command" if "command" in request_fields else "ask"]
        raise ProtocolError(Message("field.missing", name=named, field=field_name))
    value_text = request_fields[field_name]
    if not isinstance(value_text, str) or len(value_text) > max_length:
        raise ProtocolError(Message("field.no_text", field=field_name, text=quote_value(value_text)))
    return value_text


def parse_brightness(brightness: object) -> float:
    """How bright the lamps are to be, a factor on their light.

    Raises:
        ProtocolError: it is no number, or makes no sense.
    """
    if not _is_number(brightness) or not MIN_BRIGHTNESS <= brightness <= 1:
        raise ProtocolError(Message("field.no_brightness", least=MIN_BRIGHTNESS, text=quote_value(brightness)))
    return float(brightness)


def parse_setting_value(setting: Setting, value: object) -> SettingValue:
    """Return the value that a line gives a setting.

    Raises:
        ProtocolError: it is none of the setting's.
    """
    try:
        return setting.find_value(value)
    except ValueError:
        raise ProtocolError(Message(setting.fault, **setting.fault_arguments, text=quote_value(value))) from None


def parse_flag(request_fields: Mapping[str, Any], field_name: str) -> bool:
    """Return a field that is true or false; false if it is missing.

    Raises:
        ProtocolError: it is neither.
    """
    flag = request_fields.get(field_name, False)
    if not isinstance(flag, bool):
        raise ProtocolError(Message("field.no_flag", field=field_name, text=quote_value(flag)))
    return flag


def parse_sides(side_names: object) -> tuple[Side, ...]:
    """The sides that a line names, each once.

    Raises:
        ProtocolError: it names none, or one twice.
    """
    sides = tuple(map(parse_owner, side_names)) if isinstance(side_names, list) else ()
    if not 0 < len(sides) == len(set(sides)):
        raise ProtocolError(Message("field.no_sides", text=quote_value(side_names)))
    return sides


def parse_seats(seats: object) -> tuple[tuple[int, tuple[Side, ...]], ...]:
    """Seats, each with its number and sides.

    Raises:
        ProtocolError: one of them is none, or there are too many.
    """
    if not isinstance(seats, list) or len(seats) > MAX_SEATS or not all(isinstance(seat, dict) for seat in seats):
        raise ProtocolError(Message("field.no_seats", text=quote_value(seats)))
    return tuple((parse_seat_number(seat.get("seat")), parse_sides(seat.get("sides"))) for seat in seats)


def parse_seat_number(number: object) -> int:
    """The number of a seat.

    Raises:
        ProtocolError: it is none.
    """
    if not _is_whole_below(number, MAX_SEAT_NUMBER):
        raise ProtocolError(Message("field.no_seat", text=quote_value(number)))
    return number


def parse_game_number(number: object) -> int:
    """The number of a kept game.

    Raises:
        ProtocolError: it is none.
    """
    if not _is_whole_below(number, MAX_GAME_NUMBER):
        raise ProtocolError(Message("field.no_game", text=quote_value(number)))
    return number


def parse_turn_number(number: object) -> int:
    """Return the number of a turn.

    Raises:
        ProtocolError: it is not a whole number from 1 on.
    """
    if not _is_whole_below(number, MAX_TURN_NUMBER):
        raise ProtocolError(Message("field.no_turn", text=quote_value(number)))
    return number


def parse_players(player_names: object) -> PlayerNames:
    """Who plays light and dark: programs by their names, None for a person.

    Raises:
        ProtocolError: nobody is called that.
    """
    light_name, dark_name = _parse_by_side(player_names, "players")
    for name in (light_name, dark_name):
        if name is not None and (name == HUMAN or name not in PLAYER_NAMES):
            raise ProtocolError(Message("player.unknown", name=name, names=PLAYER_NAMES[1:]))
    return light_name, dark_name


def parse_people(people_names: object) -> PlayerNames:
    """What the people at light and dark are called; None: they have not said.

    Raises:
        ProtocolError: a name is too long or no name, or that of a program.
    """
    light_name, dark_name = ((name or "").strip() or None for name in _parse_by_side(people_names, "names"))
    for name in (light_name, dark_name):
        if name is not None and (message := find_name_fault(name)):
            raise ProtocolError(message)
    return light_name, dark_name


def _parse_by_side(by_side: object, field_name: str) -> PlayerNames:
    match by_side:
        case {"light": str() | None as light, "dark": str() | None as dark, **rest} if not rest:
            return light, dark
    raise ProtocolError(Message("field.no_pair", field=field_name, text=quote_value(by_side)))


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole_below(value: object, limit: int) -> TypeGuard[int]:
    """Whether a value is a whole number from 1 on, and less than so many."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < limit
