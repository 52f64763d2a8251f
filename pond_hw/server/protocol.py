"""JSON lines: how everyone outside the program speaks to a session. docs/protocol.md describes them.

Pure: one line of text in, one request or one error out; a session in, one line of text out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from pond_hw import __version__
from pond_hw.board import Frame
from pond_hw.engine import UNNAMED_PLAYERS, PlayerNames
from pond_hw.messages.catalogue import LANGUAGES
from pond_hw.messages.message import Message
from pond_hw.rules import VARIANTS, Action, Position, Turn, parse_variant
from pond_hw.server.game_json import (
    by_side,
    exercise_fields,
    hint_to_json,
    occupancy_to_json,
    outcome_to_json,
    permission_to_json,
    round_instant,
    settings_to_json,
    text_fields,
    turn_to_json,
)
from pond_hw.server.request_fields import (
    ProtocolError,
    parse_brightness,
    parse_cell,
    parse_flag,
    parse_game_number,
    parse_owner,
    parse_people,
    parse_players,
    parse_seat_number,
    parse_seats,
    parse_seconds,
    parse_setting_value,
    parse_sides,
    parse_text,
    parse_turn_number,
    quote_value,
)
from pond_hw.server.requests import (
    FINGER_ACTIONS,
    PIECE_ACTIONS,
    QUERY_NAMES,
    BrightnessRequest,
    ClientRequest,
    CommandRequest,
    FingerRequest,
    LanguageRequest,
    PieceRequest,
    QueryRequest,
    RevokeRequest,
    SeatNotice,
    SeatRequest,
    WaitRequest,
    WithdrawRequest,
)
from pond_hw.session import (
    SETTINGS,
    SIDE_SETTINGS,
    TABLE_SETTINGS,
    ExerciseChoice,
    ResumeChoice,
    SessionEvent,
    Setting,
    ShownRefusal,
    View,
    describe_preview,
)
from pond_hw.session import session_events as events

PROTOCOL_VERSION = 1
"""The version that `hello` says."""

MAX_LINE_BYTES = 4096
"""Bytes in a line, at the most; a longer one is not read."""

MAX_BRACKETS = 50
"""Brackets and braces in a line, at the most; a line needs one."""

PLAIN_COMMANDS: dict[str, SessionEvent] = {
    "undo": events.UndoTurns(0.0),
    "redo": events.RedoTurns(0.0),
    "draw": events.AgreeDraw(0.0),
    "hint": events.AskHint(0.0),
    "board": events.BoardIsRight(0.0),
    **{choice.name.lower(): events.ChooseResume(choice, 0.0) for choice in ResumeChoice},
}
"""The commands that need no further field."""

COMMAND_FIELDS: dict[str, tuple[str, ...]] = {
    "new": ("variant", "players", "names", "confirm"),
    **dict.fromkeys(("undo", "redo"), ("turn", "exercise", "confirm")),
    "resign": ("side", "confirm"),
    "draw": ("confirm",),
    "action": ("action", "side", "exercise"),
    "hint": ("side", "exercise"),
    "board": (),
    "set_up": ("position", "variant"),
    **dict.fromkeys(("mask", "unmask"), ("cell",)),
    **dict.fromkeys(("resume", "look"), ()),
    "discard": ("confirm",),
    "exercise": ("course", "name", "choice"),
    "language": ("language",),
    "brightness": ("brightness",),
    **{setting.name: ("side", setting.value_field, "confirm") for setting in SIDE_SETTINGS},
    **{setting.name: (setting.value_field,) for setting in TABLE_SETTINGS},
    "seat": ("sides",),
    "withdraw": (),
    "seats": ("seats",),
    "revoke": ("seat", "confirm"),
}
"""The commands, and the fields that may stand beside each."""

MAX_POSITION_LENGTH = 80
"""Letters of a position on one line, at the most."""


def parse_object(request_line: bytes) -> dict[str, Any]:
    """The JSON object that a line is.

    Raises:
        ProtocolError: it is none.
    """
    if len(request_line) > MAX_LINE_BYTES:
        raise ProtocolError(Message("line.too_long", bytes=MAX_LINE_BYTES))
    bracket_count = request_line.count(b"[") + request_line.count(b"{")
    if bracket_count > MAX_BRACKETS:  # the parser itself gives up at another depth in each Python
        raise ProtocolError(Message("line.too_deep"))
    try:
        request_fields = json.loads(
            request_line.decode("utf-8"), object_pairs_hook=_reject_duplicates, parse_constant=_reject_constant
        )
    except UnicodeDecodeError:
        raise ProtocolError(Message("line.not_utf8")) from None
    except ProtocolError:
        raise
    except ValueError:
        raise ProtocolError(Message("line.not_json")) from None
    if not isinstance(request_fields, dict):
        raise ProtocolError(Message("line.no_object"))
    return request_fields


def parse_request(request_line: bytes) -> ClientRequest:
    """What one line asks for.

    Raises:
        PondError: it is not understood.
    """
    request_fields = parse_object(request_line)
    request_kinds = [request_kind for request_kind in _REQUEST_PARSERS if request_kind in request_fields]
    if len(request_kinds) != 1:
        raise ProtocolError(Message("line.no_kind", kinds=tuple(_REQUEST_PARSERS)))
    request_kind = request_kinds[0]
    client_request = _REQUEST_PARSERS[request_kind](request_fields, request_kind)
    named_kinds = (request_kind, request_fields[request_kind])
    known_fields = {request_kind, *(field for kind in named_kinds for field in _FURTHER_FIELDS.get(kind, ()))}
    unknown_fields = tuple(quote_value(field_name) for field_name in request_fields if field_name not in known_fields)
    if unknown_fields:
        raise ProtocolError(Message("line.unknown_fields", kind=request_kind, fields=unknown_fields))
    return client_request


def _reject_duplicates(field_pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique_fields = dict(field_pairs)
    if len(unique_fields) < len(field_pairs):
        raise ProtocolError(Message("line.second_field"))
    return unique_fields


def _reject_constant(constant_name: str) -> None:
    raise ProtocolError(Message("line.no_number", text=constant_name))


def _parse_piece(request_fields: Mapping[str, Any], piece_action: str) -> PieceRequest:
    owner_name = request_fields.get("owner") if piece_action == "drop" else None
    owner_side = None if owner_name is None else parse_owner(owner_name)
    return PieceRequest(piece_action, parse_cell(request_fields[piece_action]), owner_side)


def _parse_command(request_fields: Mapping[str, Any], _: str) -> ClientRequest:
    command_name = request_fields["command"]
    if not isinstance(command_name, str) or command_name not in COMMAND_FIELDS:
        text = quote_value(command_name)
        raise ProtocolError(Message("field.no_command", commands=tuple(COMMAND_FIELDS), text=text))
    has_variant = "variant" in request_fields and "variant" in COMMAND_FIELDS[command_name]
    variant = parse_variant(parse_text(request_fields, "variant")) if has_variant else None
    confirm, in_exercise = parse_flag(request_fields, "confirm"), parse_flag(request_fields, "exercise")
    side = parse_owner(request_fields["side"]) if "side" in request_fields else None
    match command_name:
        case "language":
            return parse_language(parse_text(request_fields, "language"))
        case "new":
            players = parse_players(request_fields["players"]) if "players" in request_fields else None
            people = parse_people(request_fields["names"]) if "names" in request_fields else None
            return CommandRequest(variant and events.NewGame(variant, 0.0), confirm, players, people)
        case "exercise":
            return CommandRequest(_parse_exercise(request_fields))
        case "undo" | "redo":
            event_type = events.UndoTurns if command_name == "undo" else events.RedoTurns
            turn = parse_turn_number(request_fields["turn"]) if "turn" in request_fields else None
            return CommandRequest(event_type(0.0, number=turn, in_exercise=in_exercise), confirm)
        case "hint":
            return CommandRequest(events.AskHint(0.0, side, in_exercise))
        case "resign":
            return CommandRequest(events.ResignGame(0.0, side), confirm)
        case name if name in SETTINGS:
            return CommandRequest(_parse_setting(SETTINGS[name], request_fields), confirm)
        case "action":
            return CommandRequest(events.TakeAction(_parse_action(request_fields), 0.0, side, in_exercise))
        case "brightness":
            return BrightnessRequest(parse_brightness(request_fields.get("brightness")))
        case "seat":
            return SeatRequest(parse_sides(request_fields.get("sides")))
        case "withdraw":
            return WithdrawRequest()
        case "seats":
            return SeatNotice(parse_seats(request_fields.get("seats")))
        case "revoke":
            is_named = confirm or "seat" in request_fields  # nobody is asked about all seats
            number = parse_seat_number(request_fields.get("seat")) if is_named else None
            return RevokeRequest(number, confirm)
        case "set_up":
            position_text = parse_text(request_fields, "position", MAX_POSITION_LENGTH)
            return CommandRequest(events.SetUpGame(Position.from_notation(position_text, variant), 0.0))
        case "mask" | "unmask":
            cell = parse_cell(parse_text(request_fields, "cell"))
            return CommandRequest(events.MaskSensor(cell, 0.0, command_name == "mask"))
    return CommandRequest(PLAIN_COMMANDS[command_name], confirm)


def _parse_setting(setting: Setting, request_fields: Mapping[str, Any]) -> SessionEvent:
    """A setting is to get another value; a wrong value is reported before a wrong side."""
    missing = "" if None in setting.values else None  # where null is a value, it has to be given
    value = parse_setting_value(setting, request_fields.get(setting.value_field, missing))
    side = parse_owner(request_fields.get("side")) if setting.is_of_side else None
    return events.ChangeSetting(setting, side, value, 0.0)


def _parse_exercise(request_fields: Mapping[str, Any]) -> SessionEvent:
    """An exercise of a course is to begin, or a choice how to go on with the one that is being done."""
    if "choice" not in request_fields:
        name = parse_text(request_fields, "name") if "name" in request_fields else None
        return events.StartExercise(parse_text(request_fields, "course"), 0.0, name)
    choice = request_fields["choice"]
    if choice == "ask":
        return events.PauseExercise(0.0)
    choices = {each.name.lower(): each for each in ExerciseChoice}
    if not isinstance(choice, str) or choice not in choices:
        raise ProtocolError(Message("field.no_choice", choices=("ask", *choices), text=quote_value(choice)))
    return events.ChooseExercise(choices[choice], 0.0)


def parse_language(code: object) -> LanguageRequest:
    """The language that a line names by its code.

    Raises:
        ProtocolError: Pond does not speak it.
    """
    if not isinstance(code, str) or code not in LANGUAGES:
        raise ProtocolError(Message("field.no_language", languages=tuple(LANGUAGES), text=quote_value(code)))
    return LanguageRequest(code)


def _parse_query(request_fields: Mapping[str, Any], _: str) -> QueryRequest:
    query_name = request_fields["ask"]
    if query_name not in QUERY_NAMES:
        raise ProtocolError(Message("field.no_query", queries=QUERY_NAMES, text=quote_value(query_name)))
    match query_name:
        case "game":
            return QueryRequest(query_name, number=parse_game_number(request_fields.get("number")))
        case "what_if":
            return QueryRequest(query_name, _parse_action(request_fields))
        case "exercises" if "language" in request_fields:
            return QueryRequest(query_name, language=parse_language(request_fields["language"]).language)
        case "exercise":
            names = parse_text(request_fields, "course"), parse_text(request_fields, "name")
            return QueryRequest(query_name, exercise=names)
    return QueryRequest(query_name)


def _parse_action(request_fields: Mapping[str, Any]) -> Action:
    return Action.from_notation(parse_text(request_fields, "action"))


_REQUEST_PARSERS: dict[str, Callable[[Mapping[str, Any], str], ClientRequest]] = {
    **dict.fromkeys(FINGER_ACTIONS, lambda fields, action: FingerRequest(action, parse_cell(fields[action]))),
    **dict.fromkeys(PIECE_ACTIONS, _parse_piece),
    "wait": lambda fields, kind: WaitRequest(parse_seconds(fields[kind])),
    "command": _parse_command,
    "ask": _parse_query,
}

_FURTHER_FIELDS = {
    "drop": ("owner",),
    "what_if": ("action",),
    "game": ("number",),
    "exercises": ("language",),
    **COMMAND_FIELDS,
}
"""What may stand in a line beside its kind, by the kind, or by the command or question that it names."""


def format_message(message: Mapping[str, Any]) -> str:
    """A message as one line of JSON, ASCII alone, without the line's end."""
    return json.dumps(message, separators=(",", ":"))


def hello_message(view: View, lamps_per_cell: int, further_fields: Mapping[str, Any]) -> dict[str, Any]:
    """The first line out: who speaks, what board it is, and what else there is to say of it.

    Args:
        view: what the board shows.
        lamps_per_cell: the lamps of a cell.
        further_fields: see `seat_fields` and `live_fields`.
    """
    hello_fields = {
        "type": "hello",
        "protocol": PROTOCOL_VERSION,
        "program": "pond",
        "version": __version__,
        "variant": view.variant.name,
        "size": view.size,
        "lamps": lamps_per_cell,
        "variants": [variant.name for variant in VARIANTS.values() if variant.size <= view.size],
        "languages": list(LANGUAGES),
    } | ({"pieces": True} if view.occupancy else {})
    return hello_fields | dict(further_fields)


def live_fields(profile_name: str, seats: Mapping[str, Any], brightness: float, gamma: float) -> dict[str, Any]:
    """What there is to say of a board that lives in real time.

    Args:
        profile_name: the name of its profile.
        seats: who plays: see `seat_fields`.
        brightness: of its lamps, 0 to 1, and
        gamma: what turned perceived brightness into light: with both, a screen can show what was meant.
    """
    return {"live": True, "board": profile_name, **seats, "brightness": brightness, "gamma": gamma}


def seat_fields(player_names: PlayerNames, people_names: PlayerNames = UNNAMED_PLAYERS) -> dict[str, Any]:
    """Who plays light and dark: programs by their names, and people by theirs, as far as they have said."""
    name_fields = {"names": by_side(people_names)} if any(people_names) else {}
    return {"players": by_side(player_names)} | name_fields


def state_message(view: View, now: float, language: str = "en") -> dict[str, Any]:
    """The whole game as it stands at an instant, in a reader's language."""
    position = view.position
    return {
        "type": "state",
        "t": round_instant(now),
        "variant": view.variant.name,
        "position": position.notation_line,
        "to_move": str(position.to_move),
        "legal": [str(action) for action in view.allowed_actions],
        "score": by_side(position.scored),
        "spawn": by_side(position.spawn),
        "phase": view.game_phase,
        "selected": view.in_hand,
        "targets": list(view.legal_targets),
        "turn": view.turn_number,
        "last": turn_to_json(view.last_turn) if view.last_turn else None,
        "hint": hint_to_json(view.hint) if view.hint else None,
        "outcome": outcome_to_json(view.outcome),
        **text_fields("message", view.messages, language),
        **({"asks": permission_to_json(view.permission)} if view.permission else {}),
        **exercise_fields(view, language),
        **settings_to_json(view),
        **({"warned": str(view.warned_action)} if view.warned_action else {}),
    } | _board_fields(view, language)


def record_message(view: View, now: float, language: str = "en") -> dict[str, Any]:
    """All that another program needs, with a state, to show the same; `decoding.parse_view` does."""
    shown_refusal = view.refusal
    record_fields = {
        "type": "record",
        "t": round_instant(now),
        "size": view.size,
        "record": str(view.record),
        "undone": [str(action) for action in view.undone_actions],
        "selected": None if view.occupancy else view.in_hand,
        "refused": _refusal_fields(shown_refusal) if shown_refusal else None,
        "fresh": view.turn_is_fresh,
        "since": round_instant(view.changed_at),
        **text_fields("message", view.messages, language),
    }
    record_fields |= exercise_fields(view, language)
    prompt_fields = {"offer": view.resume_prompt, "hint": hint_to_json(view.hint) if view.hint else None}
    return record_fields | _drop_empty(prompt_fields) | _board_fields(view, language)


def _refusal_fields(refusal: ShownRefusal) -> dict[str, Any]:
    return {"cell": refusal.cell, "at": round_instant(refusal.instant)} | _drop_empty({"repeats": refusal.repeats})


def _board_fields(view: View, language: str) -> dict[str, Any]:
    """What is wrong with the board and with the journal, and what a board with pieces detects."""
    trouble_fields = text_fields("trouble", (view.trouble,), language) if view.trouble else {}
    unsaved_fields = text_fields("unsaved", (view.unsaved_reason,), language) if view.unsaved_reason else {}
    return trouble_fields | unsaved_fields | ({"wood": occupancy_to_json(view.occupancy)} if view.occupancy else {})


def _drop_empty(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {field_name: field_value for field_name, field_value in fields.items() if field_value}


def what_if_message(turn: Turn, language: str = "en") -> dict[str, Any]:
    """What would come of an action: the turn before it is taken."""
    return {"type": "what_if", **turn_to_json(turn)} | {
        "position": turn.after.notation_line,
        "outcome": outcome_to_json(turn.outcome),
        **text_fields("message", describe_preview(turn), language),
    }


def frame_message(frame: Frame, now: float) -> dict[str, Any]:
    """What the lamps show: for each cell its lamps from the top left, each red, green, blue, 0 to 255; score strips."""
    message = {"type": "frame", "t": round_instant(now), "cells": frame.colours_by_cell}
    if not frame.strip_lamps:
        return message
    strip_values = frame.data[-6 * frame.strip_lamps :]
    strip_lamps = list(zip(strip_values[0::3], strip_values[1::3], strip_values[2::3], strict=True))
    return message | {"strips": {"light": strip_lamps[: frame.strip_lamps], "dark": strip_lamps[frame.strip_lamps :]}}


def error_message(message: Message, language: str = "en") -> dict[str, Any]:
    """The answer to a line that was not understood."""
    return {"type": "error", **text_fields("message", (message,), language)}
