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
from pond_hw.rules import VARIANTS, Action, NotationError, Outcome, Record, Side, Turn, Variant, variant
from pond_hw.session import Session

PROTOCOL = 1
"""The version that `hello` says."""

LONGEST_LINE = 4096
"""Bytes in a line, at the most; a longer one is not read."""

DEEPEST = 50
"""Brackets and braces in a line, at the most; a line needs one."""

LONGEST_WAIT = 3600.0
"""Seconds that one line may let pass, at the most."""

FINGERS = ("touch", "press", "release", "lift", "drop")
COMMANDS = ("new", "undo", "redo", "resign", "draw", "action")
ASKS = ("state", "frame", "record")


_SUCH_AS = 'a line is one JSON object, such as {"touch":"b2"}.'


class BadLine(ValueError):
    """A line that is not understood; the message says what is wrong with it."""


class Finger(NamedTuple):
    """A hand does something at a cell: one of `FINGERS`."""

    what: str
    cell: str


class Wait(NamedTuple):
    """Let simulated time pass."""

    seconds: float


class Command(NamedTuple):
    """One of `COMMANDS`; `pond` goes with `new` (None: the same again), `action` with `action`."""

    what: str
    pond: Variant | None = None
    action: Action | None = None


class Ask(NamedTuple):
    """One of `ASKS`."""

    what: str


Request = Finger | Wait | Command | Ask


def read_request(line: bytes) -> Request:
    """What one line asks for.

    Raises:
        BadLine: it is not understood.
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
        cell = asked[what]
        if not isinstance(cell, str) or not re.fullmatch(r"[a-e][1-5]", cell, re.ASCII):
            raise BadLine(f"A cell is a letter a to e and a digit 1 to 5, such as b2, not {_quoted(cell)}.")
        return Finger(what, cell), {what}

    return read


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
    except NotationError as error:
        raise BadLine(str(error)) from None
    return Command(what), {"command"}


def _text(asked: Mapping[str, Any], field: str) -> str:
    if field not in asked:
        raise BadLine(f"The command {asked['command']} needs the field {field}.")
    value = asked[field]
    if not isinstance(value, str) or len(value) > 40:
        raise BadLine(f"The field {field} is a short text, not {_quoted(value)}.")
    return value


def _ask(asked: Mapping[str, Any]) -> tuple[Request, set[str]]:
    what = asked["ask"]
    if what not in ASKS:
        raise BadLine(f"One can ask for {', '.join(ASKS[:-1])} or {ASKS[-1]}, not {_quoted(what)}.")
    return Ask(what), {"ask"}


_READERS = {finger: _finger(finger) for finger in FINGERS} | {"wait": _wait, "command": _command, "ask": _ask}


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
    """

    board: str
    players: tuple[str | None, str | None]
    brightness: float
    gamma: float


def hello(session: Session, lamps: int, live: Live | None = None) -> dict[str, Any]:
    """The first line out: who speaks, and what board it is."""
    return {
        "type": "hello",
        "protocol": PROTOCOL,
        "program": "pond",
        "version": __version__,
        "variant": session.pond.name,
        "size": session.size,
        "lamps": lamps,
        "variants": [pond.name for pond in VARIANTS.values() if pond.size <= session.size],
    } | (_told_live(live) if live else {})


def _told_live(live: Live) -> dict[str, Any]:
    players = {str(side): live.players[side] for side in Side}
    return {"live": True, "board": live.board, "players": players, "brightness": live.brightness, "gamma": live.gamma}


def state(session: Session, now: float) -> dict[str, Any]:
    """The whole game as it stands at an instant."""
    position = session.position
    return {
        "type": "state",
        "t": instant(now),
        "variant": session.pond.name,
        "position": position.line,
        "to_move": str(position.to_move),
        "legal": [str(action) for action in session.legal],
        "score": by_side(position.scored),
        "spawn": by_side(position.spawn),
        "phase": session.phase,
        "selected": session.chosen,
        "targets": list(session.targets),
        "last": turn(session.turns[-1]) if session.turns else None,
        "outcome": outcome(session.outcome),
        "message": session.message,
    } | _trouble(session)


def _trouble(session: Session) -> dict[str, Any]:
    return {"trouble": session.trouble} if session.trouble else {}


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
    """All that another program needs to have the same session; `retold.read_session` makes it again."""
    wrong = session.wrong
    return {
        "type": "record",
        "t": instant(now),
        "size": session.size,
        "record": str(Record(session.pond, session.turns, session.ended)),
        "undone": [str(turn.action) for turn in reversed(session.undone)],
        "selected": session.chosen,
        "refused": {"cell": wrong.cell, "at": instant(wrong.at)} if wrong else None,
        "fresh": session.fresh,
        "since": instant(session.since),
        "message": session.message,
    } | _trouble(session)


def error(sentence: str) -> dict[str, Any]:
    """The answer to a line that was not understood."""
    return {"type": "error", "message": sentence}


def by_side(pair: tuple[int, int]) -> dict[str, int]:
    """A number of each side."""
    return {str(side): pair[side] for side in Side}


def instant(now: float) -> float:
    """Seconds to the microsecond, so that sums of waits read as people would write them."""
    return round(now, 6)
