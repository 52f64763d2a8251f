"""What the protocol tells of a game and its lamps, made into the same session and frame again. Pure.

The other side may be of another version, or no pond at all: everything is checked, and text is tamed for a terminal.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import isfinite, isqrt
from typing import Any, NamedTuple

from pond_hw.board import Frame
from pond_hw.engine import NAMELESS, Names
from pond_hw.messages.terminal_text import printable
from pond_hw.rules import SIZES, Action, Cell, PondError, grid, play, read_record
from pond_hw.server.protocol import PROTOCOL
from pond_hw.session import Hint, Session, Wood, Worth, Wrong
from pond_hw.session.resume_prompt import Offer

MOST_LAMPS = 64
"""In a cell."""

LONGEST_TEXT = 1000
"""Letters of a message; a name has a few."""

Told = Mapping[str, Any]


class NotUnderstood(PondError):
    """What was told makes no sense here."""


class Seated(NamedTuple):
    """Who plays light and dark: the names of programs, and those of people who have said theirs."""

    players: tuple[str | None, str | None]
    names: Names = NAMELESS


class Served(NamedTuple):
    """A board that is served, as its `hello` tells.

    Attributes:
        size: rows and columns.
        lamps: lamps in a cell.
        seated: who plays.
        brightness: of its lamps, 0 to 1.
        gamma: what turned perceived brightness into light.
    """

    size: int
    lamps: int
    seated: Seated
    brightness: float
    gamma: float


def read_line(line: bytes) -> Told:
    """One line as what it tells; it has a `type`.

    Raises:
        NotUnderstood: it is none.
    """
    with _checked():
        told = json.loads(line)
        if not isinstance(told["type"], str):
            raise TypeError
    return dict(told)


def read_served(hello: Told) -> Served:
    """The board that a `hello` tells of.

    Raises:
        NotUnderstood: it is not the hello of a served board, or of another version.
    """
    with _checked():
        if hello["type"] != "hello":
            raise ValueError(hello)
        if hello["protocol"] != PROTOCOL or hello["protocol"] is True:
            raise NotUnderstood(f"It speaks version {hello['protocol']!s:.9} of the protocol, and we {PROTOCOL}.")
        size, lamps = hello["size"], hello["lamps"]
        if size not in SIZES or type(lamps) is not int or not 1 <= lamps <= MOST_LAMPS or isqrt(lamps) ** 2 != lamps:
            raise ValueError(hello)
        brightness, gamma = _number(hello["brightness"]), _number(hello["gamma"])
        if not 0 < brightness <= 1 or not 1 <= gamma <= 3:
            raise ValueError(hello)
        return Served(size, lamps, read_seated(hello), brightness, gamma)


def read_seated(told: Told) -> Seated:
    """Who plays, as a `hello` and a `record` of a served board tell; no names if they tell of none.

    Raises:
        NotUnderstood: they do not tell it.
    """
    with _checked():
        return Seated(_by_side(told["players"]), _by_side(told["names"]) if "names" in told else NAMELESS)


def _by_side(told: Told) -> tuple[str | None, str | None]:
    light, dark = (None if told[side] is None else _text(told[side]) for side in ("light", "dark"))
    return light, dark


def read_session(record: Told) -> Session:
    """The session that a `record` tells of.

    Raises:
        NotUnderstood: it tells of none.
    """
    with _checked():
        size, game = record["size"], read_record(record["record"])
        if size not in SIZES or game.pond.size > size:
            raise ValueError(size)
        position, again = game.position, []
        for action in record["undone"]:
            again.append(play(position, Action.read(action)))
            position = again[-1].after
        chosen, refused = record["selected"], record["refused"]
        session = Session(
            size,
            game.pond,
            game.turns,
            tuple(reversed(again)),
            game.ended,
            None if chosen is None else _cell(chosen, game.pond.size),
            _text(record["message"]),
            None if refused is None else Wrong(_cell_or_none(refused["cell"], size), _number(refused["at"])),
            bool(record["fresh"] and game.turns),
            _number(record["since"]),
            _text(record["trouble"]) if "trouble" in record else None,
            game.start,
            _wood(record["wood"], size) if "wood" in record else None,
            _offer(record["offer"]) if "offer" in record else None,
            _text(record["unsaved"]) if "unsaved" in record else None,
            _hint(record["hint"]) if "hint" in record else None,
        )
        if session.chosen and not session.targets:
            raise ValueError(session.chosen)
        if session.hint and session.hint.action and session.hint.action not in session.legal:
            raise ValueError(session.hint)
        return session


def _offer(told: object) -> Offer:
    if told not in ("ask", "look"):
        raise ValueError(told)
    return Offer(told == "look")


def _hint(told: Told) -> Hint:
    if told["action"] is None:
        return Hint()
    sign = -1 if "loses_in" in told else 1
    end = told.get("wins_in", told.get("loses_in"))
    worth = Worth(_number(told["value"])) if end is None else Worth(float(sign), int(_number(end)))
    return Hint(Action.read(told["action"]), worth, _number(told["until"]))


def _wood(told: Told, size: int) -> Wood:
    """What is felt there and what is still to be done by hand; what it means is told by the message."""
    felt, masked, turning = (frozenset(_cell(cell, size) for cell in told[key]) for key in ("felt", "masked", "turn"))
    return Wood(felt=felt, bad=masked, unturned=dict.fromkeys(turning), looked=True)


def read_frame(frame: Told, served: Served) -> Frame:
    """What the cells' lamps show, as a `frame` tells it; score strips are left out.

    Raises:
        NotUnderstood: it is not the frame of this board.
    """
    with _checked():
        cells = frame["cells"]
        data = bytes(part for cell in grid(served.size).cells for lamp in cells[cell] for part in lamp)
        if len(data) != served.size**2 * served.lamps * 3:
            raise ValueError(len(data))
        return Frame(served.size, served.lamps, data)


def read_instant(told: Told) -> float:
    """When it was told, on the other side's clock.

    Raises:
        NotUnderstood: it does not say.
    """
    with _checked():
        return _number(told["t"])


def read_text(told: Told, field: str) -> str:
    """A sentence that was told, fit for a terminal.

    Raises:
        NotUnderstood: there is none.
    """
    with _checked():
        return _text(told[field])


@contextmanager
def _checked() -> Iterator[None]:
    try:
        yield
    except NotUnderstood:
        raise
    except (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError, PondError) as error:
        raise NotUnderstood("What it says is not understood.") from error


def _text(told: object) -> str:
    if not isinstance(told, str):
        raise TypeError(told)
    return printable(told[:LONGEST_TEXT])


def _number(told: object) -> float:
    if not isinstance(told, int | float) or isinstance(told, bool) or not isfinite(told):
        raise TypeError(told)
    return float(told)


def _cell(told: object, size: int) -> Cell:
    if told not in grid(size).bit:
        raise ValueError(told)
    return str(told)


def _cell_or_none(told: object, size: int) -> Cell | None:
    return None if told is None else _cell(told, size)
