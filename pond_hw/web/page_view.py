"""Messages to the page about a game: the service's messages, reduced and translated into the reader's language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import time
from typing import Any

from pond_hw.engine import PLAYER_NAMES
from pond_hw.messages.catalogue import Catalogue, get_catalogue
from pond_hw.messages.message import Message
from pond_hw.messages.message_json import parse_messages
from pond_hw.rules import Record, parse_variant
from pond_hw.server.parse_requests import parse_link_view
from pond_hw.server.protocol import change_to_json, outcome_to_json, said_field, turn_to_json
from pond_hw.session import SETTINGS, describe_link, describe_request

JsonMessage = dict[str, Any]

GONE: JsonMessage = {"type": "gone"}
"""Message that is sent while the board is not responding."""

HELLO_FIELDS = ("size", "variant", "variants", "version", "languages", "players", "names")
SHOWN_FIELDS = (
    "variant",
    "position",
    "phase",
    "selected",
    "targets",
    "turn",
    "last",
    "outcome",
    *SETTINGS,
)
PLAYERS_FIELDS = ("legal", "hint", "brightness")
"""State fields that are only for visitors with a seat."""

EXERCISE_FIELDS = ("course", "step", "steps", "lit", "done", "last", "number", "count", "asks", "players")
"""Fields of an exercise, besides its title and the title of the next exercise."""

MAX_LISTED = 60
"""Maximum number of exercises listed per course. The list of puzzles starts with today's and three of each grade."""

TEXT_FIELDS = ("message", "trouble", "unsaved")

REPEATED = ("prompt.", "remote.turn", "exercise.done.", "exercise.waits.", "permission.")
"""Beginnings of the ids of messages that repeat the page's headline, or its own words about a request."""

LONG_PROMPTS = {"prompt.buttons.place", "prompt.buttons.move", "prompt.buttons.place_or_move"}
"""Prompts shortened to "Light's turn" after another message, because phones are small and the page marks the cells anyway."""


def build_hello(hello: Mapping[str, Any]) -> JsonMessage:
    """Build the message that describes the board."""
    shown = {field: hello[field] for field in HELLO_FIELDS if field in hello}
    has_pieces = bool(hello.get("pieces"))
    added_fields = {"pieces": has_pieces, "programs": list(PLAYER_NAMES[1:]), "settings": _list_settings(has_pieces)}
    return {"type": "hello", **shown, **added_fields}


def _list_settings(has_pieces: bool) -> list[JsonMessage]:
    """List the handicap settings. Their values are in the order in which a key press cycles through them."""
    return [
        {
            "name": setting.name,
            "field": setting.value_field,
            "values": list(setting.values[:: setting.key_step]),
            "default": setting.default,
            "of_side": setting.is_per_side,
        }
        for setting in SETTINGS.values()
        if has_pieces or not setting.needs_pieces
    ]


def build_state(state: Mapping[str, Any], record: Mapping[str, Any], language: str, *, plays: bool) -> JsonMessage:
    """Build the message with the state of the game. Raises KeyError, TypeError or ValueError if the line is invalid.

    Args:
        state: state line from the service.
        record: latest record from the service, used to find out if a turn can be redone.
        language: language of the reader.
        plays: True for a visitor with a seat.
    """
    fields = (*SHOWN_FIELDS, *(PLAYERS_FIELDS if plays else ()))
    shown = {field: state[field] for field in fields if field in state}
    shown |= {field: _translate(state, field, language) for field in TEXT_FIELDS if field in state}
    shown["sentences"] = _list_sentences(state, language, plays=plays)
    if "exercise" in state:
        shown["exercise"] = _build_exercise(state["exercise"], language)
    if "link" in state:
        shown["link"] = _build_link(state["link"], get_catalogue(language, "phone"), plays=plays)
    if plays:
        shown["board_asks"] = "asks" in state and not shown.get("link", {}).get("answers")  # the page asks, too
        if "wood" in state:  # its other fields change with every touch of a piece
            shown["wood"] = {field: state["wood"][field] for field in ("next", "take_off")}
    if shown.get("hint"):
        shown["hint"] = shown["hint"] | {"until": None}  # the page cannot read the board's clock
    shown["undo"] = state["last"] is not None or state["outcome"] is not None
    shown["redo"] = bool(record.get("undone"))
    return {"type": "state", **shown, "target": parse_variant(state["variant"]).target}


def _build_link(fields: Mapping[str, Any], catalogue: Catalogue, *, plays: bool) -> JsonMessage:
    """Build the fields of a linked game: a text, and what the other home asks with all possible answers.

    An answer has a label and the request to send.
    """
    link = parse_link_view(fields)._replace(running=bool(fields["running"]))
    text = catalogue.text(describe_link(link, time()))
    shown: JsonMessage = {
        "name": link.name,
        "text": text,
        "question": "",
        "answers": [],
        "fixed_players": bool(fields["game"] and link.running),
    }
    if not (plays and link.running):
        return shown
    answers: list[tuple[Message, JsonMessage]] = []
    if link.question and link.question.is_mine:
        shown["question"] = catalogue.text(Message("linked.question.mine"))
        for index, (name, count) in enumerate(zip(("ours", "theirs"), link.question.turn_counts, strict=True)):
            answers.append((Message(f"linked.version.{name}", count=count), {"version": index}))
    elif link.requests:
        request = link.requests[0]
        shown["question"] = catalogue.text(describe_request(request))
        for name in ("yes", "no"):
            answer = {"request": change_to_json(request), "accept": name == "yes"}
            answers.append((Message(f"linked.answer.{name}"), answer))
    shown["answers"] = [
        {"label": catalogue.text(label), "send": {"command": "answer", **answer}} for label, answer in answers
    ]
    return shown


def _build_exercise(exercise: Mapping[str, Any], language: str) -> JsonMessage:
    """Build the fields of the current exercise. Its task is already part of the message text in the state."""
    shown = {field: exercise[field] for field in EXERCISE_FIELDS}
    return shown | {field: _translate(exercise, field, language) for field in ("title", "next") if field in exercise}


def build_exercises(line: Mapping[str, Any]) -> JsonMessage:
    """Build the message with the list of exercises."""
    return {
        "type": "exercises",
        "courses": {str(name): list(each)[:MAX_LISTED] for name, each in line["courses"].items()},
    }


def list_turns(game_record: Record) -> list[JsonMessage]:
    return [
        {"side": str(turn.before.to_move), **turn_to_json(turn), "position": turn.after.notation_line}
        for turn in game_record.turns
    ]


def build_saved_game(number: int, game_record: Record, record_text: str) -> JsonMessage:
    """Build the message with a saved game and all its turns."""
    return {
        "type": "game",
        "number": number,
        "variant": game_record.variant.name,
        "start": game_record.start_position.notation_line,
        "turns": list_turns(game_record),
        "outcome": outcome_to_json(game_record.outcome),
        "record": record_text,
    }


def build_doctor(line: Mapping[str, Any], language: str) -> JsonMessage:
    """Build the message with the doctor's findings, except the good ones."""
    findings = [
        {"grade": finding["grade"], "text": _translate(finding, "text", language), "mend": finding["mend"]}
        for finding in line["findings"]
        if finding["grade"] != "good"
    ]
    return {"type": "doctor", "summary": _translate(line, "summary", language), "findings": findings}


def build_new_turns(before: Sequence[JsonMessage] | None, now: Sequence[JsonMessage], start: str) -> JsonMessage | None:
    """Build the message with the turns that have changed; None if nothing has changed. `before` is None for a new game."""
    common = 0
    for old, new in zip(before or (), now, strict=False):
        if old != new:
            break
        common += 1
    if before is not None and common == len(before) == len(now):
        return None
    return {"type": "turns", "from": common, "start": start, "turns": list(now[common:])}


def _translate(fields: Mapping[str, Any], field: str, language: str) -> str:
    messages = _read_messages(fields, field)
    return " ".join(_list_texts(messages, language)) if messages else str(fields[field])


def _list_sentences(state: Mapping[str, Any], language: str, *, plays: bool) -> list[tuple[str, bool]]:
    """List the message's sentences, each with True if the page shows it without being asked for details."""
    messages = _read_messages(state, "message")
    if not messages:
        return [(str(state["message"]), True)]
    ids = [message.id for message in messages]
    is_main = [_is_main(message_id, ids, in_exercise="exercise" in state) for message_id in ids]
    if plays and not any(is_main) and not ids[0].startswith("permission."):
        is_main[-1] = True
    return list(zip(_list_texts(messages, language), is_main, strict=True))


def _is_main(message_id: str, ids: Sequence[str], *, in_exercise: bool) -> bool:
    """Return True if a sentence says more than the headline and the board: what was scored, or else what was played."""
    if not message_id.startswith("turn."):
        return not message_id.startswith(REPEATED) or message_id == "prompt.repeated"
    if in_exercise or any(each.startswith("outcome.") for each in ids):
        return False
    return message_id == "turn.gain" if "turn.gain" in ids else message_id.startswith(("turn.place", "turn.move."))


def _read_messages(fields: Mapping[str, Any], field: str) -> tuple[Message, ...]:
    """Return the messages of a text, or none if they cannot be read."""
    try:
        return parse_messages(fields[said_field(field)], str(fields[field]))
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
        return ()


def _list_texts(messages: Sequence[Message], language: str) -> list[str]:
    return [format_text(_shorten(message) if index else message, language) for index, message in enumerate(messages)]


def format_text(messages: Message | Sequence[Message], language: str) -> str:
    """Return messages as text, in the words of the phone page."""
    return get_catalogue(language, "phone").text(messages)


def _shorten(message: Message) -> Message:
    return Message("remote.turn", **message.arguments) if message.id in LONG_PROMPTS else message
