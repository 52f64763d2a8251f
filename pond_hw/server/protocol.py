"""JSON lines: how everyone outside the program speaks to a session. docs/protocol.md tells it to them.

Pure: one line of text in, one request or one sentence of complaint out; a session in, one line of text out.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pond_hw import __version__
from pond_hw.board import RGB, Frame
from pond_hw.engine import NAMELESS, Names
from pond_hw.rules import VARIANTS, Action, NotationError, Outcome, Position, Side, Turn, Variant, variant
from pond_hw.session import Hint, Session, Wood, tell_what_if
from pond_hw.session.board_state import difference
from pond_hw.session.intents import About, Back, Choosing, Differs, Taken
from pond_hw.session.session import ponds_by_cell

PROTOCOL = 1
"""The version that `hello` says."""

LONGEST_LINE = 4096
"""Bytes in a line, at the most; a longer one is not read."""

DEEPEST = 50
"""Brackets and braces in a line, at the most; a line needs one."""

LONGEST_WAIT = 3600.0
"""Seconds that one line may let pass, at the most."""

FINGERS = ("touch", "press", "release")
HANDS = ("lift", "drop", "take")
OFFERED = ("resume", "look", "discard")
COMMANDS = ("new", "undo", "redo", "resign", "draw", "action", "hint", "board", "set_up", "mask", "unmask", *OFFERED)
ASKS = ("state", "frame", "record", "what_if")

LONGEST_POSITION = 80
"""Letters of a position on one line, at the most."""


_SUCH_AS = 'a line is one JSON object, such as {"touch":"b2"}.'


class BadLine(ValueError):
    """A line that is not understood; the message says what is wrong with it."""


class Finger(NamedTuple):
    """A finger does something at a cell: one of `FINGERS`."""

    what: str
    cell: str


class Hand(NamedTuple):
    """A hand does something with a piece at a cell: one of `HANDS`; `owner`: whose piece it drops, if that is said."""

    what: str
    cell: str
    owner: Side | None = None


class Wait(NamedTuple):
    """Let simulated time pass."""

    seconds: float


class Command(NamedTuple):
    """One of `COMMANDS`.

    `pond` goes with `new` (None: the same again), `action` with `action`, `position` with `set_up`, `cell` with `mask`.
    """

    what: str
    pond: Variant | None = None
    action: Action | None = None
    position: Position | None = None
    cell: str | None = None


class Ask(NamedTuple):
    """One of `ASKS`; `action` goes with `what_if`."""

    what: str
    action: Action | None = None


Request = Finger | Hand | Wait | Command | Ask


def read_object(line: bytes) -> dict[str, Any]:
    """The JSON object that a line is.

    Raises:
        BadLine: it is none.
    """
    if len(line) > LONGEST_LINE:
        raise BadLine(f"The line is longer than {LONGEST_LINE} bytes.")
    if line.count(b"[") + line.count(b"{") > DEEPEST:  # the parser itself gives up at another depth in each Python
        raise BadLine("The line is nested too deeply.")
    try:
        asked = json.loads(line.decode("utf-8"), object_pairs_hook=_without_doubles, parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise BadLine("The line is not UTF-8 text.") from None
    except BadLine:
        raise
    except ValueError:
        raise BadLine(f"The line is not JSON; {_SUCH_AS}") from None
    if not isinstance(asked, dict):
        raise BadLine(f"The line is not an object; {_SUCH_AS}")
    return asked


def read_request(line: bytes) -> Request:
    """What one line asks for.

    Raises:
        BadLine: it is not understood.
    """
    asked = read_object(line)
    kinds = [kind for kind in _READERS if kind in asked]
    if len(kinds) != 1:
        raise BadLine(f"A line holds exactly one of {', '.join(_READERS)}.")
    request, fields = _READERS[kinds[0]](asked)
    unknown = [str(key) for key in asked if key not in fields]
    if unknown:
        raise BadLine(f"Unknown with {kinds[0]}: {', '.join(map(_quoted, unknown))}.")
    return request


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise BadLine("A field stands in the line twice.")
    return found


def _no_constant(name: str) -> None:
    raise BadLine(f"{name} is not JSON.")


def _quoted(value: object) -> str:
    """A value as JSON writes it, cut short: it came from outside."""
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _finger(what: str) -> Callable[[Mapping[str, Any]], tuple[Request, set[str]]]:
    def read(asked: Mapping[str, Any]) -> tuple[Request, set[str]]:
        return Finger(what, _cell(asked[what])), {what}

    return read


def _hand(what: str) -> Callable[[Mapping[str, Any]], tuple[Request, set[str]]]:
    def read(asked: Mapping[str, Any]) -> tuple[Request, set[str]]:
        owner = asked.get("owner") if what == "drop" else None
        if owner not in (None, *map(str, Side)):
            raise BadLine(f"An owner is light or dark, not {_quoted(owner)}.")
        side = next((side for side in Side if str(side) == owner), None)
        return Hand(what, _cell(asked[what]), side), {what, "owner"} if what == "drop" else {what}

    return read


def _cell(cell: object) -> str:
    if not isinstance(cell, str) or not re.fullmatch(r"[a-e][1-5]", cell, re.ASCII):
        raise BadLine(f"A cell is a letter a to e and a digit 1 to 5, such as b2, not {_quoted(cell)}.")
    return cell


def _wait(asked: Mapping[str, Any]) -> tuple[Request, set[str]]:
    seconds = asked["wait"]
    number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not number or not 0 <= seconds <= LONGEST_WAIT or not math.isfinite(seconds):
        raise BadLine(f"A wait is a number of seconds from 0 to {LONGEST_WAIT:g}, not {_quoted(seconds)}.")
    return Wait(float(seconds)), {"wait"}


def _command(asked: Mapping[str, Any]) -> tuple[Request, set[str]]:
    what = asked["command"]
    if what not in COMMANDS:
        raise BadLine(f"A command is one of {', '.join(COMMANDS)}, not {_quoted(what)}.")
    try:
        if what == "new":
            pond = variant(_text(asked, "variant")) if "variant" in asked else None
            return Command(what, pond=pond), {"command", "variant"}
        if what == "action":
            return Command(what, action=Action.read(_text(asked, "action"))), {"command", "action"}
        if what == "set_up":
            pond = variant(_text(asked, "variant")) if "variant" in asked else None
            position = Position.read(_text(asked, "position", LONGEST_POSITION), pond)
            return Command(what, position=position), {"command", "position", "variant"}
        if what in ("mask", "unmask"):
            _text(asked, "cell")
            return Command(what, cell=_cell(asked["cell"])), {"command", "cell"}
    except NotationError as error:
        raise BadLine(str(error)) from None
    return Command(what), {"command"}


def _text(asked: Mapping[str, Any], field: str, longest: int = 40) -> str:
    if field not in asked:
        kind = "command" if "command" in asked else "ask"
        raise BadLine(f"The {kind} {asked[kind]} needs the field {field}.")
    value = asked[field]
    if not isinstance(value, str) or len(value) > longest:
        raise BadLine(f"The field {field} is a short text, not {_quoted(value)}.")
    return value


def _ask(asked: Mapping[str, Any]) -> tuple[Request, set[str]]:
    what = asked["ask"]
    if what not in ASKS:
        raise BadLine(f"One can ask for {', '.join(ASKS[:-1])} or {ASKS[-1]}, not {_quoted(what)}.")
    if what == "what_if":
        try:
            return Ask(what, Action.read(_text(asked, "action"))), {"ask", "action"}
        except NotationError as error:
            raise BadLine(str(error)) from None
    return Ask(what), {"ask"}


_READERS = (
    {finger: _finger(finger) for finger in FINGERS}
    | {hand: _hand(hand) for hand in HANDS}
    | {"wait": _wait, "command": _command, "ask": _ask}
)


def write(message: Mapping[str, Any]) -> str:
    """A message as one line of JSON, ASCII alone, without the line's end."""
    return json.dumps(message, separators=(",", ":"))


class Live(NamedTuple):
    """What there is to say of a board that lives in real time.

    Attributes:
        board: the name of its profile.
        players: the names of those who play light and dark; None for people.
        brightness: of its lamps, 0 to 1, and
        gamma: what turned perceived brightness into light: with both, a screen can show what was meant.
        names: what the people at light and dark are called, as far as they have said.
    """

    board: str
    players: tuple[str | None, str | None]
    brightness: float
    gamma: float
    names: Names = NAMELESS


def hello(
    session: Session, lamps: int, live: Live | None = None, players: tuple[str | None, str | None] = (None, None)
) -> dict[str, Any]:
    """The first line out: who speaks, what board it is, and who else plays there, if anybody does."""
    told = {
        "type": "hello",
        "protocol": PROTOCOL,
        "program": "pond",
        "version": __version__,
        "variant": session.pond.name,
        "size": session.size,
        "lamps": lamps,
        "variants": [pond.name for pond in VARIANTS.values() if pond.size <= session.size],
    } | ({"pieces": True} if session.wood else {})
    if live:
        return told | _told_live(live)
    return told | ({"players": _told_players(players)} if any(players) else {})


def _told_live(live: Live) -> dict[str, Any]:
    lamps = {"brightness": live.brightness, "gamma": live.gamma}
    return {"live": True, "board": live.board} | seated(live) | lamps


def seated(live: Live) -> dict[str, Any]:
    """Who plays."""
    names = {str(side): live.names[side] for side in Side}
    return {"players": _told_players(live.players)} | ({"names": names} if any(live.names) else {})


def _told_players(players: tuple[str | None, str | None]) -> dict[str, str | None]:
    return {str(side): players[side] for side in Side}


def state(session: Session, now: float) -> dict[str, Any]:
    """The whole game as it stands at an instant."""
    position = session.position
    return (
        {
            "type": "state",
            "t": instant(now),
            "variant": session.pond.name,
            "position": position.line,
            "to_move": str(position.to_move),
            "legal": [str(action) for action in session.legal],
            "score": by_side(position.scored),
            "spawn": by_side(position.spawn),
            "phase": session.phase,
            "selected": session.in_hand,
            "targets": list(session.targets),
            "last": turn(session.turns[-1]) if session.turns else None,
            "hint": hint(session.hint) if session.hint else None,
            "outcome": outcome(session.outcome),
            "message": session.message,
        }
        | _trouble(session)
        | ({"wood": wood(session, session.wood)} if session.wood else {})
    )


def wood(session: Session, felt: Wood) -> dict[str, Any]:
    """What the board feels and what hands have to do there: cells in order."""
    found, reading = difference(session.position, felt), felt.reading
    step = reading.steps[0] if isinstance(reading, Differs) and reading.steps else None
    ponds = ponds_by_cell(session.size, session.pond) if isinstance(reading, Choosing) else {}
    return {
        "felt": sorted(felt.felt),
        "missing": sorted(found.missing),
        "extra": sorted(found.extra),
        "strangers": sorted(found.strangers),
        "turn": sorted(felt.turning),
        "take_off": sorted(felt.leaving),
        "masked": sorted(felt.masked),
        "next": {"from": step.source, "to": step.target} if step else None,
        "about": _about(reading, felt) if isinstance(reading, About) else None,
        "menu": {cell: pond.name for cell, pond in ponds.items()} or None,
    }


def _about(about: About, felt: Wood) -> dict[str, Any]:
    """What is announced, and when it counts."""
    match about.doing:
        case Taken(actions):
            told: dict[str, Any] = {"actions": [str(action) for action in actions]}
        case Back(turns):
            told = {"back": turns}
        case _:
            told = {"menu": True}
    nod = {"nod": True} if about.by_nod else {}
    return told | nod | {"at": instant(felt.hold.until) if felt.hold else None}


def _trouble(session: Session) -> dict[str, Any]:
    """What is wrong with the board, and with the journal; nothing where all is well."""
    told = {"trouble": session.trouble, "unsaved": session.unsaved}
    return {key: sentence for key, sentence in told.items() if sentence}


def turn(taken: Turn) -> dict[str, Any]:
    """What happened in a turn: the action, what developed from and to, the sets, what each side scored."""
    return {
        "action": str(taken.action),
        "developed": [
            {"cell": d.cell, "owner": str(d.owner), "from": str(d.before), "to": str(d.after)} for d in taken.developed
        ],
        "sets": [list(run) for run in taken.sets],
        "scored": {str(side): list(cells) for side, cells in taken.scored.items()},
    }


def what_if(session: Session, action: Action) -> dict[str, Any]:
    """What would come of an action, before it is done.

    Raises:
        IllegalAction: it may not be done.
    """
    would = session.what_if(action)
    told = {"position": would.after.line, "outcome": outcome(would.outcome), "message": _sentence(would)}
    return {"type": "what_if"} | turn(would) | told


def _sentence(would: Turn) -> str:
    told = tell_what_if(would)
    return f"{told[0].upper()}{told[1:]}"


def hint(given: Hint) -> dict[str, Any]:
    """A hint; its action is None as long as it is thought about."""
    if given.action is None:
        return {"action": None}
    pieces, end = given.worth
    decided = {} if end is None else {"wins_in" if pieces > 0 else "loses_in": end}
    return {"action": str(given.action), "value": None if decided else pieces, **decided, "until": instant(given.until)}


def outcome(ended: Outcome | None) -> dict[str, Any] | None:
    """How a game ended, or None."""
    if ended is None:
        return None
    return {"winner": None if ended.winner is None else str(ended.winner), "reason": ended.reason.value}


def frame(shown: Frame, now: float) -> dict[str, Any]:
    """What the lamps show: for each cell its lamps from the top left, each red, green, blue, 0 to 255; score strips."""
    told = {"type": "frame", "t": instant(now), "cells": shown.cells}
    return told | ({"strips": _strips(shown)} if shown.strip else {})


def _strips(shown: Frame) -> dict[str, list[RGB]]:
    values = shown.data[-6 * shown.strip :]
    lamps = list(zip(values[0::3], values[1::3], values[2::3], strict=True))
    return {"light": lamps[: shown.strip], "dark": lamps[shown.strip :]}


def record(session: Session, now: float) -> dict[str, Any]:
    """All that another program needs to have the same session; `decoding.read_session` makes it again."""
    wrong = session.wrong
    return (
        {
            "type": "record",
            "t": instant(now),
            "size": session.size,
            "record": str(session.record),
            "undone": [str(turn.action) for turn in reversed(session.undone)],
            "selected": session.chosen,
            "refused": {"cell": wrong.cell, "at": instant(wrong.at)} if wrong else None,
            "fresh": session.fresh,
            "since": instant(session.since),
            "message": session.message,
        }
        | _offered(session)
        | _trouble(session)
        | ({"wood": wood(session, session.wood)} if session.wood else {})
    )


def _offered(session: Session) -> dict[str, Any]:
    """Whether the game waits for a choice, and is looked at meanwhile; and the hint, if there is one."""
    offer = {"offer": "look" if session.offer.looking else "ask"} if session.offer else {}
    return offer | ({"hint": hint(session.hint)} if session.hint else {})


def error(sentence: str) -> dict[str, Any]:
    """The answer to a line that was not understood."""
    return {"type": "error", "message": sentence}


def by_side(pair: tuple[int, int]) -> dict[str, int]:
    """A number of each side."""
    return {str(side): pair[side] for side in Side}


def instant(now: float) -> float:
    """Seconds to the microsecond, so that sums of waits read as people would write them."""
    return round(now, 6)
