"""JSON lines: how everyone outside the program speaks to a session. docs/protocol.md describes them.

Pure: one line of text in, one request or one error out; a session in, one line of text out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from pond_hw import __version__
from pond_hw.board import Frame
from pond_hw.engine import UNNAMED_PLAYERS, PlayerNames
from pond_hw.messages.catalogue import LANGUAGES, get_catalogue
from pond_hw.messages.message import Message
from pond_hw.rules import VARIANTS, Action, Position, Side, Turn, parse_variant
from pond_hw.server.game_json import (
    by_side,
    hint_to_json,
    occupancy_to_json,
    outcome_to_json,
    permission_to_json,
    round_instant,
    turn_to_json,
)
from pond_hw.server.request_fields import (
    ProtocolError,
    parse_brightness,
    parse_cell,
    parse_confirm,
    parse_game_number,
    parse_owner,
    parse_people,
    parse_players,
    parse_seat_number,
    parse_seats,
    parse_seconds,
    parse_sides,
    parse_text,
    quote_value,
)
from pond_hw.session import ResumeChoice, SessionEvent, View, describe_preview
from pond_hw.session import session_events as events

PROTOCOL_VERSION = 1
"""The version that `hello` says."""

MAX_LINE_BYTES = 4096
"""Bytes in a line, at the most; a longer one is not read."""

MAX_BRACKETS = 50
"""Brackets and braces in a line, at the most; a line needs one."""

FINGER_ACTIONS = ("touch", "press", "release")
PIECE_ACTIONS = ("lift", "drop", "take")
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
    **dict.fromkeys(("undo", "redo"), ()),
    "resign": ("side", "confirm"),
    "draw": ("confirm",),
    "action": ("action", "side"),
    **dict.fromkeys(("hint", "board"), ()),
    "set_up": ("position", "variant"),
    **dict.fromkeys(("mask", "unmask"), ("cell",)),
    **dict.fromkeys(("resume", "look"), ()),
    "discard": ("confirm",),
    "language": ("language",),
    "brightness": ("brightness",),
    "seat": ("sides",),
    "withdraw": (),
    "seats": ("seats",),
    "revoke": ("seat",),
}
"""The commands, and the fields that may stand beside each."""

QUERY_NAMES = ("state", "frame", "record", "what_if", "games", "game", "health")

MAX_POSITION_LENGTH = 80
"""Letters of a position on one line, at the most."""


class FingerRequest(NamedTuple):
    """A finger does something at a cell: one of `FINGER_ACTIONS`."""

    finger_action: str
    cell: str


class PieceRequest(NamedTuple):
    """A hand does something with a piece at a cell: one of `PIECE_ACTIONS`; `owner`: whose piece it drops, if that is said."""

    piece_action: str
    cell: str
    owner: Side | None = None


class WaitRequest(NamedTuple):
    """Let simulated time pass."""

    seconds: float


class CommandRequest(NamedTuple):
    """Something for the session, but for its instant; None: a new game of the same variant.

    Attributes:
        event: what happens.
        confirm: whether it waits until somebody at the board has allowed it, if something would be lost.
        players: who plays the new game; None: the same.
        people: what the people in it are called; None: the same.
    """

    event: SessionEvent | None
    confirm: bool = False
    players: PlayerNames | None = None
    people: PlayerNames | None = None


class LanguageRequest(NamedTuple):
    """Speak one of `LANGUAGES` to this client from now on."""

    language: str


class QueryRequest(NamedTuple):
    """One of `QUERY_NAMES`; `action` goes with `what_if`, `number` with `game`."""

    query_name: str
    action: Action | None = None
    number: int | None = None


class SeatRequest(NamedTuple):
    """Somebody who is not at the board asks to play for these sides."""

    sides: tuple[Side, ...]


class BrightnessRequest(NamedTuple):
    """The lamps are to be so bright, more than 0 and up to 1, until the service ends."""

    brightness: float


class WithdrawRequest(NamedTuple):
    """Whoever waits for something to be allowed waits no more."""


class SeatNotice(NamedTuple):
    """The seats of those who play through this client: the number of each, and its sides."""

    seats: tuple[tuple[int, tuple[Side, ...]], ...]


class RevokeRequest(NamedTuple):
    """A seat is taken away, wherever it is; None: all."""

    seat_number: int | None


RemoteRequest = SeatRequest | WithdrawRequest | SeatNotice | RevokeRequest
"""What concerns people who are not at the board."""

ClientRequest = (
    FingerRequest
    | PieceRequest
    | WaitRequest
    | CommandRequest
    | LanguageRequest
    | BrightnessRequest
    | QueryRequest
    | RemoteRequest
)


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
    confirm = parse_confirm(request_fields)
    side = parse_owner(request_fields["side"]) if "side" in request_fields else None
    match command_name:
        case "language":
            return parse_language(parse_text(request_fields, "language"))
        case "new":
            players = parse_players(request_fields["players"]) if "players" in request_fields else None
            people = parse_people(request_fields["names"]) if "names" in request_fields else None
            return CommandRequest(variant and events.NewGame(variant, 0.0), confirm, players, people)
        case "resign":
            return CommandRequest(events.ResignGame(0.0, side), confirm)
        case "action":
            return CommandRequest(events.TakeAction(_parse_action(request_fields), 0.0, side))
        case "brightness":
            return BrightnessRequest(parse_brightness(request_fields.get("brightness")))
        case "seat":
            return SeatRequest(parse_sides(request_fields.get("sides")))
        case "withdraw":
            return WithdrawRequest()
        case "seats":
            return SeatNotice(parse_seats(request_fields.get("seats")))
        case "revoke":
            return RevokeRequest(parse_seat_number(request_fields["seat"]) if "seat" in request_fields else None)
        case "set_up":
            position_text = parse_text(request_fields, "position", MAX_POSITION_LENGTH)
            return CommandRequest(events.SetUpGame(Position.from_notation(position_text, variant), 0.0))
        case "mask" | "unmask":
            cell = parse_cell(parse_text(request_fields, "cell"))
            return CommandRequest(events.MaskSensor(cell, 0.0, command_name == "mask"))
    return CommandRequest(PLAIN_COMMANDS[command_name], confirm)


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
    number = parse_game_number(request_fields.get("number")) if query_name == "game" else None
    return QueryRequest(query_name, _parse_action(request_fields) if query_name == "what_if" else None, number)


def _parse_action(request_fields: Mapping[str, Any]) -> Action:
    return Action.from_notation(parse_text(request_fields, "action"))


_REQUEST_PARSERS: dict[str, Callable[[Mapping[str, Any], str], ClientRequest]] = {
    **dict.fromkeys(FINGER_ACTIONS, lambda fields, action: FingerRequest(action, parse_cell(fields[action]))),
    **dict.fromkeys(PIECE_ACTIONS, _parse_piece),
    "wait": lambda fields, kind: WaitRequest(parse_seconds(fields[kind])),
    "command": _parse_command,
    "ask": _parse_query,
}

_FURTHER_FIELDS = {"drop": ("owner",), "what_if": ("action",), "game": ("number",), **COMMAND_FIELDS}
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
        "last": turn_to_json(view.last_turn) if view.last_turn else None,
        "hint": hint_to_json(view.hint) if view.hint else None,
        "outcome": outcome_to_json(view.outcome),
        **text_fields("message", view.messages, language),
        **({"asks": permission_to_json(view.permission)} if view.permission else {}),
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
        "refused": {"cell": shown_refusal.cell, "at": round_instant(shown_refusal.instant)} if shown_refusal else None,
        "fresh": view.turn_is_fresh,
        "since": round_instant(view.changed_at),
        **text_fields("message", view.messages, language),
    }
    prompt_fields = {"offer": view.resume_prompt, "hint": hint_to_json(view.hint) if view.hint else None}
    return record_fields | _drop_empty(prompt_fields) | _board_fields(view, language)


def text_fields(field_name: str, messages: Sequence[Message], language: str) -> dict[str, Any]:
    """Messages as people read them in the field of that name, and as data in the field that goes with it."""
    said = [message.to_json() for message in messages]
    return {field_name: get_catalogue(language).text(messages), said_field(field_name): said}


def said_field(field_name: str) -> str:
    """The name of the field that holds as data what another one says in a language."""
    return "said" if field_name == "message" else f"{field_name}_said"


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
