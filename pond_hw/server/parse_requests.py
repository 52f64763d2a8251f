"""Parser for request lines of protocol 1; see docs/protocol.md."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeGuard

from pond_hw.engine import HUMAN, PLAYER_NAMES, PlayerNames
from pond_hw.engine.player_name import find_name_fault
from pond_hw.messages.catalogue import LANGUAGES
from pond_hw.messages.message import Message
from pond_hw.rules import Action, EndReason, Outcome, PondError, Position, Side, Variant, parse_variant
from pond_hw.session import (
    SETTINGS,
    SIDE_SETTINGS,
    TABLE_SETTINGS,
    DrawChange,
    ExerciseChoice,
    LinkChange,
    LinkView,
    NewGameChange,
    ResignChange,
    ResumeChoice,
    SessionEvent,
    Setting,
    SettingValue,
    TakeBackChange,
    VersionQuestion,
)
from pond_hw.session import session_events as events

MAX_LINE_BYTES = 4096

MAX_BRACKETS = 50
"""Maximum number of brackets and braces in a line; valid lines have only a few."""

MAX_POSITION_LENGTH = 80

MAX_WAIT_SECONDS = 3600.0
"""Longest time that one `wait` line may ask for."""

MIN_BRIGHTNESS = 0.01
"""Lowest brightness that can be set. Anything darker looks switched off."""

MAX_GAME_NUMBER = MAX_TURN_NUMBER = 10**9
MAX_SEATS, MAX_SEAT_NUMBER = 16, 10**6
"""Maximum number of seats per client, and highest valid seat number."""

MAX_FOLLOWED_ACTIONS, MAX_CHANGES = 200, 8
"""Maximum number of actions in a `follow` line, and of changes in each list of a `link` line."""

MAX_FAR_NAME_LENGTH = 40

FINGER_ACTIONS = ("touch", "press", "release")
PIECE_ACTIONS = ("lift", "drop", "take")

QUERY_NAMES = ("state", "frame", "record", "what_if", "games", "game", "health", "doctor", "exercises", "exercise")


class FingerRequest(NamedTuple):
    """A request to perform one of `FINGER_ACTIONS` on a cell."""

    finger_action: str
    cell: str


class PieceRequest(NamedTuple):
    """A request to perform one of `PIECE_ACTIONS` on a cell. `owner` is the owner of a dropped piece, if given."""

    piece_action: str
    cell: str
    owner: Side | None = None


class WaitRequest(NamedTuple):
    """A request to wait for a number of simulated seconds."""

    seconds: float


class CommandRequest(NamedTuple):
    """A command for the session.

    Attributes:
        event: event with a placeholder time; None to start a new game of the same variant.
        confirm: True to wait for a press at the board; see `RemotePlayers.ask_to_confirm`.
        players: players of the new game; None to keep the current ones.
        people: names of the people in the new game; None to keep the current ones.
    """

    event: SessionEvent | None
    confirm: bool = False
    players: PlayerNames | None = None
    people: PlayerNames | None = None


class LanguageRequest(NamedTuple):
    """A request to use a language from `LANGUAGES` in all later answers to this client."""

    language: str


class QueryRequest(NamedTuple):
    """A request for information.

    Attributes:
        query_name: one of `QUERY_NAMES`.
        action: action in a `what_if` query.
        number: game number in a `game` query.
        language: language for an `exercises` query; None for the client's language.
        exercise: course and name in an `exercise` query.
    """

    query_name: str
    action: Action | None = None
    number: int | None = None
    language: str | None = None
    exercise: tuple[str, str] | None = None


class SeatRequest(NamedTuple):
    """A remote player's request to play these sides."""

    sides: tuple[Side, ...]


class BrightnessRequest(NamedTuple):
    """A request to set the lamp brightness, above 0 and up to 1, until the service ends."""

    brightness: float


class WithdrawalRequest(NamedTuple):
    """A request to cancel an earlier request that is waiting for a press at the board."""


class SeatNotice(NamedTuple):
    """A client's list of the seats it manages, with their numbers and sides."""

    seats: tuple[tuple[int, tuple[Side, ...]], ...]


class RevokeRequest(NamedTuple):
    """A request to revoke a seat of any client.

    Attributes:
        seat_number: number of the seat; None for all seats.
        confirm: True to wait for a press at the board.
    """

    seat_number: int | None
    confirm: bool = False


class FollowRequest(NamedTuple):
    """A request to follow the log of a linked game. The event has a placeholder time."""

    event: events.FollowGame


class LinkRequest(NamedTuple):
    """A report of the link's state. The client that sends it is the link."""

    link: LinkView


class AnswerRequest(NamedTuple):
    """An answer to the other home.

    Attributes:
        change: the other home's request; None to choose a version.
        is_accepted: True to accept the request.
        version: index of the chosen version of the game.
    """

    change: LinkChange | None = None
    is_accepted: bool = False
    version: int = 0


LinkedRequest = FollowRequest | LinkRequest | AnswerRequest
"""Requests about a linked game."""

RemoteRequest = SeatRequest | WithdrawalRequest | SeatNotice | RevokeRequest
"""Requests made on behalf of remote players."""

ClientRequest = (
    FingerRequest
    | PieceRequest
    | WaitRequest
    | CommandRequest
    | LanguageRequest
    | BrightnessRequest
    | QueryRequest
    | RemoteRequest
    | LinkedRequest
)


class ProtocolError(PondError):
    """Error for an invalid line."""


def parse_object(request_line: bytes) -> dict[str, Any]:
    """Parse a line as a JSON object. Raises ProtocolError."""
    if len(request_line) > MAX_LINE_BYTES:
        raise ProtocolError(Message("line.too_long", bytes=MAX_LINE_BYTES))
    bracket_count = request_line.count(b"[") + request_line.count(b"{")
    if bracket_count > MAX_BRACKETS:  # the limit of the JSON parser depends on the Python version
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
    """Parse one line. Raises PondError if it is invalid."""
    request_fields = parse_object(request_line)
    request_kinds = [request_kind for request_kind in _REQUEST_PARSERS if request_kind in request_fields]
    if len(request_kinds) != 1:
        raise ProtocolError(Message("line.no_kind", kinds=tuple(_REQUEST_PARSERS)))
    request_kind = request_kinds[0]
    client_request = _REQUEST_PARSERS[request_kind](request_fields, request_kind)
    named_kinds = (request_kind, request_fields[request_kind])
    known_fields = {request_kind, *(field for kind in named_kinds for field in _ADDITIONAL_FIELDS.get(kind, ()))}
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


class _CommandLine(NamedTuple):
    """A command line, with the fields that several commands share.

    Attributes:
        name: the command.
        fields: all fields of the line.
        variant: variant, if the command takes one and the line names it.
        confirm: see `CommandRequest`.
        in_exercise: True if the command is valid only in an exercise.
        side: side, if the line names one.
    """

    name: str
    fields: Mapping[str, Any]
    variant: Variant | None
    confirm: bool
    in_exercise: bool
    side: Side | None


class _Command(NamedTuple):
    """A command: its additional fields and its parser."""

    field_names: tuple[str, ...]
    parse: Callable[[_CommandLine], ClientRequest]


def _event_command(event: SessionEvent, *field_names: str) -> _Command:
    """Build a command that consists of a single event."""
    return _Command(field_names, lambda line: CommandRequest(event, line.confirm))


def _parse_new(line: _CommandLine) -> CommandRequest:
    players = parse_players(line.fields["players"]) if "players" in line.fields else None
    people = parse_people(line.fields["names"]) if "names" in line.fields else None
    return CommandRequest(line.variant and events.NewGame(line.variant, 0.0), line.confirm, players, people)


def _parse_undo_or_redo(line: _CommandLine) -> CommandRequest:
    event_type = events.UndoTurns if line.name == "undo" else events.RedoTurns
    turn = parse_turn_number(line.fields["turn"]) if "turn" in line.fields else None
    return CommandRequest(event_type(0.0, number=turn, in_exercise=line.in_exercise), line.confirm)


def _parse_set_up(line: _CommandLine) -> CommandRequest:
    position_text = parse_text(line.fields, "position", MAX_POSITION_LENGTH)
    return CommandRequest(events.SetUpGame(Position.from_notation(position_text, line.variant), 0.0))


def _parse_mask(line: _CommandLine) -> CommandRequest:
    return CommandRequest(events.MaskSensor(parse_cell(parse_text(line.fields, "cell")), 0.0, line.name == "mask"))


def _parse_revoke(line: _CommandLine) -> RevokeRequest:
    is_named = line.confirm or "seat" in line.fields  # revoking all seats needs no confirmation
    return RevokeRequest(parse_seat_number(line.fields.get("seat")) if is_named else None, line.confirm)


def _parse_setting(line: _CommandLine) -> CommandRequest:
    """Parse a setting change; an invalid value is reported before a missing side."""
    setting = SETTINGS[line.name]
    missing = "" if None in setting.values else None  # if null is a valid value, it must be given explicitly
    value = parse_setting_value(setting, line.fields.get(setting.value_field, missing))
    side = parse_owner(line.fields.get("side")) if setting.is_per_side else None
    return CommandRequest(events.ChangeSetting(setting, side, value, 0.0), line.confirm)


def _parse_exercise(line: _CommandLine) -> CommandRequest:
    """Parse a command that starts an exercise or makes a choice in the current one."""
    if "choice" not in line.fields:
        name = parse_text(line.fields, "name") if "name" in line.fields else None
        return CommandRequest(events.StartExercise(parse_text(line.fields, "course"), 0.0, name))
    choice = line.fields["choice"]
    if choice == "ask":
        return CommandRequest(events.PauseExercise(0.0))
    choices = {each.name.lower(): each for each in ExerciseChoice}
    if not isinstance(choice, str) or choice not in choices:
        raise ProtocolError(Message("field.no_choice", choices=("ask", *choices), text=quote_value(choice)))
    return CommandRequest(events.ChooseExercise(choices[choice], 0.0))


def _parse_follow(line: _CommandLine) -> FollowRequest:
    fields = line.fields
    game, actions, outcome = fields.get("game"), fields.get("actions"), fields.get("outcome")
    if not isinstance(game, str) or not re.fullmatch("[0-9a-f]{16}", game, re.ASCII):
        raise _wrong_field(fields, "game")
    if "side" not in fields or line.variant is None:
        raise _wrong_field(fields, "variant" if "side" in fields else "side")
    turn, keep = (_parse_count(fields, name, MAX_TURN_NUMBER) for name in ("turn", "keep"))
    if keep > turn:
        raise _wrong_field(fields, "keep")
    if not isinstance(actions, list) or len(actions) > MAX_FOLLOWED_ACTIONS or not all(map(_is_text, actions)):
        raise _wrong_field(fields, "actions")
    played = tuple(map(Action.from_notation, actions))
    end = None if outcome is None else _parse_declared_outcome(outcome)
    return FollowRequest(events.FollowGame(game, line.side, line.variant, turn, keep, played, end, 0.0))


def _parse_declared_outcome(outcome: object) -> Outcome:
    match outcome:
        case {"winner": None, "reason": "agreement", **rest} if not rest:
            return Outcome(None, EndReason.AGREEMENT)
        case {"winner": winner, "reason": "resignation", **rest} if not rest:
            return Outcome(parse_owner(winner), EndReason.RESIGNATION)
    raise _wrong_field({"command": "follow", "outcome": outcome}, "outcome")


def _parse_link(line: _CommandLine) -> LinkRequest:
    return LinkRequest(parse_link_view(line.fields))


def parse_link_view(fields: Mapping[str, Any]) -> LinkView:
    """Parse the state of a link, without its game and side."""
    name, seen, cells = fields.get("name"), fields.get("seen"), fields.get("cells")
    if name is not None and not (_is_text(name) and len(name) <= MAX_FAR_NAME_LENGTH and name.isprintable()):
        raise _wrong_field(fields, "name")
    if not isinstance(cells, list) or len(cells) not in (0, 4):
        raise _wrong_field(fields, "cells")
    return LinkView(
        name=name or None,
        seen=None if seen is None else _parse_count(fields, "seen", 1 << 40),
        online=parse_flag(fields, "online"),
        joined=parse_flag(fields, "joined"),
        cells=tuple(map(parse_cell, cells)),
        requests=_parse_changes(fields, "requests"),
        asked=_parse_changes(fields, "asked"),
        declined=_parse_changes(fields, "declined"),
        question=_parse_question(fields),
    )


def _parse_changes(fields: Mapping[str, Any], field_name: str) -> tuple[LinkChange, ...]:
    changes = fields.get(field_name)
    if not isinstance(changes, list) or len(changes) > MAX_CHANGES:
        raise _wrong_field(fields, field_name)
    parsed = tuple(map(parse_change, changes))
    if field_name == "requests" and ResignChange() in parsed:  # it needs no answer
        raise _wrong_field(fields, field_name)
    return parsed


def parse_change(change: object) -> LinkChange:
    """Parse a change of a linked game, such as `{"undo":7}`."""
    match change:
        case {"undo": turn, **rest} if not rest and _is_whole_below(turn, MAX_TURN_NUMBER):
            return TakeBackChange(turn)
        case {"draw": True, **rest} if not rest:
            return DrawChange()
        case {"new": str(variant), "side": side, **rest} if not rest:
            return NewGameChange(parse_variant(variant), parse_owner(side))
        case {"resign": True, **rest} if not rest:
            return ResignChange()
    raise ProtocolError(Message("field.no_linked_change", text=quote_value(change)))


def _parse_question(fields: Mapping[str, Any]) -> VersionQuestion | None:
    match fields.get("question"):
        case None:
            return None
        case {"mine": bool(is_mine), "versions": [first, second], **rest} if not rest:
            if _is_count_below(first, MAX_TURN_NUMBER) and _is_count_below(second, MAX_TURN_NUMBER):
                return VersionQuestion(is_mine, (first, second))
    raise _wrong_field(fields, "question")


def _parse_answer(line: _CommandLine) -> AnswerRequest:
    match {name: value for name, value in line.fields.items() if name != "command"}:
        case {"request": change, "accept": bool(is_accepted), **rest} if not rest:
            return AnswerRequest(parse_change(change), is_accepted)
        case {"version": version, **rest} if not rest and _is_count_below(version, 2):
            return AnswerRequest(version=version)
    raise ProtocolError(Message("field.no_answer", text=quote_value(dict(line.fields))))


def _parse_count(fields: Mapping[str, Any], field_name: str, limit: int) -> int:
    count = fields.get(field_name)
    if not _is_count_below(count, limit):
        raise _wrong_field(fields, field_name)
    return count


def _wrong_field(fields: Mapping[str, Any], field_name: str) -> ProtocolError:
    text = quote_value(fields.get(field_name))
    return ProtocolError(
        Message("field.no_linked_field", command=fields.get("command", "link"), field=field_name, text=text)
    )


_COMMANDS: dict[str, _Command] = {
    "new": _Command(("variant", "players", "names", "confirm"), _parse_new),
    **dict.fromkeys(("undo", "redo"), _Command(("turn", "exercise", "confirm"), _parse_undo_or_redo)),
    "resign": _Command(
        ("side", "confirm"), lambda line: CommandRequest(events.ResignGame(0.0, line.side), line.confirm)
    ),
    "draw": _event_command(events.AgreeDraw(0.0), "confirm"),
    "action": _Command(
        ("action", "side", "exercise"),
        lambda line: CommandRequest(events.TakeAction(_parse_action(line.fields), 0.0, line.side, line.in_exercise)),
    ),
    "hint": _Command(
        ("side", "exercise"), lambda line: CommandRequest(events.AskHint(0.0, line.side, line.in_exercise))
    ),
    "board": _event_command(events.BoardIsRight(0.0)),
    "done": _Command(("side", "exercise"), lambda line: CommandRequest(events.EndTurn(0.0, line.side))),
    "set_up": _Command(("position", "variant"), _parse_set_up),
    **dict.fromkeys(("mask", "unmask"), _Command(("cell",), _parse_mask)),
    "resume": _event_command(events.ChooseResume(ResumeChoice.RESUME, 0.0)),
    "look": _event_command(events.ChooseResume(ResumeChoice.LOOK, 0.0)),
    "discard": _event_command(events.ChooseResume(ResumeChoice.DISCARD, 0.0), "confirm"),
    "exercise": _Command(("course", "name", "choice"), _parse_exercise),
    "language": _Command(("language",), lambda line: parse_language(parse_text(line.fields, "language"))),
    "brightness": _Command(
        ("brightness",), lambda line: BrightnessRequest(parse_brightness(line.fields.get("brightness")))
    ),
    **{each.name: _Command(("side", each.value_field, "confirm"), _parse_setting) for each in SIDE_SETTINGS},
    **{each.name: _Command((each.value_field,), _parse_setting) for each in TABLE_SETTINGS},
    "seat": _Command(("sides",), lambda line: SeatRequest(parse_sides(line.fields.get("sides")))),
    "withdraw": _Command((), lambda _: WithdrawalRequest()),
    "seats": _Command(("seats",), lambda line: SeatNotice(parse_seats(line.fields.get("seats")))),
    "revoke": _Command(("seat", "confirm"), _parse_revoke),
    "follow": _Command(("game", "side", "variant", "turn", "keep", "actions", "outcome"), _parse_follow),
    "link": _Command(
        ("name", "seen", "online", "joined", "cells", "requests", "asked", "declined", "question"), _parse_link
    ),
    "answer": _Command(("request", "accept", "version"), _parse_answer),
}

COMMAND_NAMES = tuple(_COMMANDS)


def _parse_command(request_fields: Mapping[str, Any], _: str) -> ClientRequest:
    name = request_fields["command"]
    if not isinstance(name, str) or name not in _COMMANDS:
        raise ProtocolError(Message("field.no_command", commands=COMMAND_NAMES, text=quote_value(name)))
    command = _COMMANDS[name]
    has_variant = "variant" in request_fields and "variant" in command.field_names
    variant = parse_variant(parse_text(request_fields, "variant")) if has_variant else None
    confirm, in_exercise = parse_flag(request_fields, "confirm"), parse_flag(request_fields, "exercise")
    names_side = "side" in request_fields and not (name == "follow" and request_fields["side"] is None)
    side = parse_owner(request_fields["side"]) if names_side else None
    return command.parse(_CommandLine(name, request_fields, variant, confirm, in_exercise, side))


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

_ADDITIONAL_FIELDS = {
    "drop": ("owner",),
    "what_if": ("action",),
    "game": ("number",),
    "exercises": ("language",),
    **{name: command.field_names for name, command in _COMMANDS.items()},
}
"""Additional fields allowed in a line, by its kind, command or query."""


def parse_language(code: object) -> LanguageRequest:
    if not isinstance(code, str) or code not in LANGUAGES:
        raise ProtocolError(Message("field.no_language", languages=tuple(LANGUAGES), text=quote_value(code)))
    return LanguageRequest(code)


def quote_value(quoted_value: object) -> str:
    """Return a value as JSON, truncated because it comes from a client."""
    value_text = json.dumps(quoted_value)
    return value_text if len(value_text) <= 60 else f"{value_text[:57]}..."


def parse_owner(owner_name: object) -> Side:
    for owner_side in Side:
        if str(owner_side) == owner_name:
            return owner_side
    raise ProtocolError(Message("field.no_owner", text=quote_value(owner_name)))


def parse_cell(cell: object) -> str:
    if not isinstance(cell, str) or not re.fullmatch(r"[a-e][1-5]", cell, re.ASCII):
        raise ProtocolError(Message("field.no_cell", text=quote_value(cell)))
    return cell


def parse_seconds(seconds: object) -> float:
    if not _is_number(seconds) or not 0 <= seconds <= MAX_WAIT_SECONDS:
        raise ProtocolError(Message("field.no_wait", most=MAX_WAIT_SECONDS, text=quote_value(seconds)))
    return float(seconds)


def parse_text(request_fields: Mapping[str, Any], field_name: str, max_length: int = 40) -> str:
    """Return a required text field."""
    if field_name not in request_fields:
        named = request_fields["command" if "command" in request_fields else "ask"]
        raise ProtocolError(Message("field.missing", name=named, field=field_name))
    value_text = request_fields[field_name]
    if not isinstance(value_text, str) or len(value_text) > max_length:
        raise ProtocolError(Message("field.no_text", field=field_name, text=quote_value(value_text)))
    return value_text


def parse_brightness(brightness: object) -> float:
    if not _is_number(brightness) or not MIN_BRIGHTNESS <= brightness <= 1:
        raise ProtocolError(Message("field.no_brightness", least=MIN_BRIGHTNESS, text=quote_value(brightness)))
    return float(brightness)


def parse_setting_value(setting: Setting, value: object) -> SettingValue:
    try:
        return setting.find_value(value)
    except ValueError:
        raise ProtocolError(Message(setting.fault, **setting.fault_arguments, text=quote_value(value))) from None


def parse_flag(request_fields: Mapping[str, Any], field_name: str) -> bool:
    """Return a boolean field; False if it is missing."""
    flag = request_fields.get(field_name, False)
    if not isinstance(flag, bool):
        raise ProtocolError(Message("field.no_flag", field=field_name, text=quote_value(flag)))
    return flag


def parse_sides(side_names: object) -> tuple[Side, ...]:
    """Parse a list of sides without duplicates."""
    sides = tuple(map(parse_owner, side_names)) if isinstance(side_names, list) else ()
    if not 0 < len(sides) == len(set(sides)):
        raise ProtocolError(Message("field.no_sides", text=quote_value(side_names)))
    return sides


def parse_seats(seats: object) -> tuple[tuple[int, tuple[Side, ...]], ...]:
    """Parse a list of seats with their numbers and sides."""
    if not isinstance(seats, list) or len(seats) > MAX_SEATS or not all(isinstance(seat, dict) for seat in seats):
        raise ProtocolError(Message("field.no_seats", text=quote_value(seats)))
    return tuple((parse_seat_number(seat.get("seat")), parse_sides(seat.get("sides"))) for seat in seats)


def parse_seat_number(number: object) -> int:
    if not _is_whole_below(number, MAX_SEAT_NUMBER):
        raise ProtocolError(Message("field.no_seat", text=quote_value(number)))
    return number


def parse_game_number(number: object) -> int:
    if not _is_whole_below(number, MAX_GAME_NUMBER):
        raise ProtocolError(Message("field.no_game", text=quote_value(number)))
    return number


def parse_turn_number(number: object) -> int:
    if not _is_whole_below(number, MAX_TURN_NUMBER):
        raise ProtocolError(Message("field.no_turn", text=quote_value(number)))
    return number


def parse_players(player_names: object) -> PlayerNames:
    """Parse the players of light and dark: names of programs, or None for a person."""
    light_name, dark_name = _parse_by_side(player_names, "players")
    for name in (light_name, dark_name):
        if name is not None and (name == HUMAN or name not in PLAYER_NAMES):
            raise ProtocolError(Message("player.unknown", name=name, names=PLAYER_NAMES[1:]))
    return light_name, dark_name


def parse_people(people_names: object) -> PlayerNames:
    """Parse the names of the people playing light and dark; None for a person without a name."""
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


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str)


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole_below(value: object, limit: int) -> TypeGuard[int]:
    return _is_count_below(value, limit) and value > 0


def _is_count_below(value: object, limit: int) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < limit
