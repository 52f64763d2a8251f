"""What the page may say: a message is parsed into a request, or it is none."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from pond_hw.engine import PlayerNames
from pond_hw.messages.catalogue import LANGUAGES
from pond_hw.rules import Action, PondError, Side, Variant, parse_variant
from pond_hw.server.requests import (
    parse_brightness,
    parse_game_number,
    parse_owner,
    parse_people,
    parse_players,
    parse_setting_value,
    parse_turn_number,
)
from pond_hw.session import SETTINGS, Setting, SettingValue

MAX_MESSAGE_BYTES = 1000
"""Bytes of a message from the page, at the most."""

PLAIN_COMMANDS = ("undo", "redo", "hint", "resume", "look")
LOSING_COMMANDS = ("resign", "draw", "discard", "new")
"""Commands by which something is lost for good: they wait for a press on the board while a game goes on."""


class ChooseLanguage(NamedTuple):
    """Sentences in this language from now on."""

    language: str


class AskSeat(NamedTuple):
    """A seat for these sides; none: they give up their own, or what they wait for."""

    sides: tuple[Side, ...]


class TakeSeatAway(NamedTuple):
    """A seat is taken away."""

    number: int


class PlayAction(NamedTuple):
    """An action for the side to move."""

    action: Action


class GiveCommand(NamedTuple):
    """One of the commands.

    Attributes:
        name: the command.
        variant: what is played, if it is `new`.
        players: the programs that play light and dark then; None: as before.
        people: what the people are called then; None: as before.
        turn: number of the turn that is taken back or played again; None if the page does not say.
    """

    name: str
    variant: Variant | None = None
    players: PlayerNames | None = None
    people: PlayerNames | None = None
    turn: int | None = None


class SetBrightness(NamedTuple):
    """So bright the lamps are to be, a factor on their light."""

    brightness: float


class SetSetting(NamedTuple):
    """A setting is to get another value; the side is None if it is one of the table."""

    setting: Setting
    side: Side | None
    value: SettingValue


class AskBoard(NamedTuple):
    """A question that the board answers: `games`, `game`, `health`, `doctor` or `exercises`; `number` goes with `game`."""

    name: str
    number: int | None = None


class BeginExercise(NamedTuple):
    """A lesson or a puzzle is to begin; the game waits meanwhile."""

    course: str
    name: str


class GoOnWithExercise(NamedTuple):
    """How somebody goes on with it: `next`, `again` or `leave`."""

    choice: str


class AskPreview(NamedTuple):
    """What would come of an action?"""

    action: Action


class AskReview(NamedTuple):
    """The kept game that was read last is to be judged, turn by turn."""


PageRequest = (
    ChooseLanguage
    | AskSeat
    | TakeSeatAway
    | PlayAction
    | GiveCommand
    | AskPreview
    | SetBrightness
    | SetSetting
    | AskBoard
    | BeginExercise
    | GoOnWithExercise
    | AskReview
)


def parse_page_request(text: str) -> PageRequest:
    """What a message from the page asks for.

    Raises:
        ValueError: it is none.
    """
    if len(text) > MAX_MESSAGE_BYTES:
        raise ValueError("too long")
    try:
        return _parse_fields(json.loads(text))
    except (KeyError, TypeError, OverflowError, RecursionError, PondError) as error:
        raise ValueError("no request") from error


def _parse_fields(fields: object) -> PageRequest:
    match fields:
        case {"language": str() as language, **rest} if language in LANGUAGES and not rest:
            return ChooseLanguage(language)
        case {"seat": None, **rest} if not rest:
            return AskSeat(())
        case {"seat": list() as names, **rest} if not rest and names in (["light"], ["dark"], ["light", "dark"]):
            return AskSeat(tuple(side for side in Side if str(side) in names))
        case {"revoke": int() as number, **rest} if not rest and not isinstance(number, bool):
            return TakeSeatAway(number)
        case {"command": "action", "action": str() as action, **rest} if not rest:
            return PlayAction(Action.from_notation(action))
        case {"command": "new", "variant": str() as variant, **rest} if not rest:
            return GiveCommand("new", parse_variant(variant))
        case {"command": "new", "variant": str() as variant, "players": players, "names": people, **rest} if not rest:
            return GiveCommand("new", parse_variant(variant), parse_players(players), parse_people(people))
        case {"command": "new", "players": players, "names": people, **rest} if not rest:
            return GiveCommand("new", None, parse_players(players), parse_people(people))
        case {"command": "brightness", "brightness": brightness, **rest} if not rest:
            return SetBrightness(parse_brightness(brightness))
        case {"command": str() as name, **rest} if name in SETTINGS:
            return _parse_setting(SETTINGS[name], rest)
        case {"command": "exercise", "course": str() as course, "name": str() as name, **rest} if not rest:
            return BeginExercise(course, name)
        case {"command": "exercise", "choice": "next" | "again" | "leave" as choice, **rest} if not rest:
            return GoOnWithExercise(choice)
        case {"ask": "games" | "health" | "doctor" | "exercises" as name, **rest} if not rest:
            return AskBoard(name)
        case {"ask": "analysis", **rest} if not rest:
            return AskReview()
        case {"ask": "game", "number": number, **rest} if not rest:
            return AskBoard("game", parse_game_number(number))
        case {"command": "undo" | "redo" as name, "turn": turn, **rest} if not rest:
            return GiveCommand(name, turn=parse_turn_number(turn))
        case {"command": str() as name, **rest} if not rest and name in (*PLAIN_COMMANDS, *LOSING_COMMANDS):
            return GiveCommand(name)
        case {"ask": "what_if", "action": str() as action, **rest} if not rest:
            return AskPreview(Action.from_notation(action))
    raise ValueError("no request")


def _parse_setting(setting: Setting, fields: dict[Any, object]) -> SetSetting:
    value = parse_setting_value(setting, fields.pop(setting.value_field))
    side = parse_owner(fields.pop("side")) if setting.is_of_side else None
    if fields:
        raise ValueError("no request")
    return SetSetting(setting, side, value)
