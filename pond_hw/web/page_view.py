"""Messages to the page about a game: the lines of the service with less in them, in the reader's language. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pond_hw.engine import PLAYER_NAMES
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.messages.message_json import parse_messages
from pond_hw.rules import Record, parse_variant
from pond_hw.server.protocol import outcome_to_json, said_field, turn_to_json
from pond_hw.session import SETTINGS

JsonMessage = dict[str, Any]

GONE: JsonMessage = {"type": "gone"}
"""The message while the board does not answer."""

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
"""Fields of a state for those who play only: hints are for them."""

EXERCISE_FIELDS = ("course", "step", "steps", "lit", "done", "last", "asks", "players")
"""Fields of an exercise, besides its title and that of the next one."""

MAX_LISTED = 60
"""Most exercises of a course that are shown: of the puzzles, that of the day and three of each grade come first."""

TEXT_FIELDS = ("message", "trouble", "unsaved")

LONG_PROMPTS = {"prompt.buttons.place", "prompt.buttons.move", "prompt.buttons.place_or_move"}
"""Messages that only say whose turn it is if another message comes first: a phone is small, and marks the cells."""


def show_hello(hello: Mapping[str, Any]) -> JsonMessage:
    """Build the message about the board."""
    shown = {field: hello[field] for field in HELLO_FIELDS if field in hello}
    has_pieces = bool(hello.get("pieces"))
    further = {"pieces": has_pieces, "programs": list(PLAYER_NAMES[1:]), "settings": _list_settings(has_pieces)}
    return {"type": "hello", **shown, **further}


def _list_settings(has_pieces: bool) -> list[JsonMessage]:
    """The settings that even the odds, for the page to offer; the values in the order in which a key goes through them."""
    return [
        {
            "name": setting.name,
            "field": setting.value_field,
            "values": list(setting.values[:: setting.key_step]),
            "default": setting.default,
            "of_side": setting.is_of_side,
        }
        for setting in SETTINGS.values()
        if has_pieces or not setting.needs_pieces
    ]


def show_state(state: Mapping[str, Any], record: Mapping[str, Any], language: str, *, plays: bool) -> JsonMessage:
    """Build the message about the state of the game.

    Args:
        state: the service's line.
        record: its last record, which tells what can be played again.
        language: of whoever reads.
        plays: whether they have a seat.

    Raises:
        KeyError, TypeError, ValueError: the line makes no sense.
    """
    fields = (*SHOWN_FIELDS, *(PLAYERS_FIELDS if plays else ()))
    shown = {field: state[field] for field in fields if field in state}
    shown |= {field: _translate(state, field, language) for field in TEXT_FIELDS if field in state}
    if "exercise" in state:
        shown["exercise"] = _show_exercise(state["exercise"], language)
    if plays:
        shown["board_asks"] = "asks" in state
    if shown.get("hint"):
        shown["hint"] = shown["hint"] | {"until": None}  # on a clock that the page doesn't know
    shown["undo"] = state["last"] is not None or state["outcome"] is not None
    shown["redo"] = bool(record.get("undone"))
    return {"type": "state", **shown, "target": parse_variant(state["variant"]).target}


def _show_exercise(exercise: Mapping[str, Any], language: str) -> JsonMessage:
    """Build the fields of the current exercise; its task is in the message of the state."""
    shown = {field: exercise[field] for field in EXERCISE_FIELDS}
    return shown | {field: _translate(exercise, field, language) for field in ("title", "next") if field in exercise}


def show_exercises(line: Mapping[str, Any]) -> JsonMessage:
    """Build the message about the exercises of a board; those to do next come first.

    Raises:
        AttributeError, KeyError, TypeError: the line makes no sense.
    """
    return {
        "type": "exercises",
        "courses": {str(name): list(each)[:MAX_LISTED] for name, each in line["courses"].items()},
    }


def list_turns(game_record: Record) -> list[JsonMessage]:
    """List all turns of a game, as the page shows and replays them."""
    return [
        {"side": str(turn.before.to_move), **turn_to_json(turn), "position": turn.after.notation_line}
        for turn in game_record.turns
    ]


def show_kept_game(number: int, game_record: Record, record_text: str) -> JsonMessage:
    """Build the message about a saved game, with all its turns, and as a record."""
    return {
        "type": "game",
        "number": number,
        "variant": game_record.variant.name,
        "start": game_record.start_position.notation_line,
        "turns": list_turns(game_record),
        "outcome": outcome_to_json(game_record.outcome),
        "record": record_text,
    }


def show_doctor(line: Mapping[str, Any], language: str) -> JsonMessage:
    """Build the message about what the doctor finds, but for what is fine.

    Raises:
        KeyError, TypeError: the line makes no sense.
    """
    findings = [
        {"grade": finding["grade"], "text": _translate(finding, "text", language), "mend": finding["mend"]}
        for finding in line["findings"]
        if finding["grade"] != "good"
    ]
    return {"type": "doctor", "summary": _translate(line, "summary", language), "findings": findings}


def show_new_turns(before: Sequence[JsonMessage] | None, now: Sequence[JsonMessage], start: str) -> JsonMessage | None:
    """Build the message about changed turns of a game; None if nothing has changed.

    Args:
        before: its turns as they were shown last; None: it was not shown.
        now: its turns now.
        start: the position that it began from, on one line.
    """
    common = 0
    for old, new in zip(before or (), now, strict=False):
        if old != new:
            break
        common += 1
    if before is not None and common == len(before) == len(now):
        return None
    return {"type": "turns", "from": common, "start": start, "turns": list(now[common:])}


def _translate(fields: Mapping[str, Any], field: str, language: str) -> str:
    text = str(fields[field])
    try:
        messages = parse_messages(fields[said_field(field)], text)
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
        return text
    shortened = (_shorten(message) if index else message for index, message in enumerate(messages))
    return get_catalogue(language, "phone").text(tuple(shortened))


def _shorten(message: Message) -> Message:
    return Message("remote.turn", **message.arguments) if message.id in LONG_PROMPTS else message
