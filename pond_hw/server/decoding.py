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
from pond_hw.engine import UNNAMED_PLAYERS, PlayerNames
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.rules import SIZES, Action, Cell, PondError, get_grid, parse_record, play
from pond_hw.server.protocol import PROTOCOL_VERSION
from pond_hw.session import ActionValue, BoardState, Hint, Session, ShownRefusal
from pond_hw.session.dialogue import Dialogue
from pond_hw.session.hand_tasks import HandTasks
from pond_hw.session.occupancy import Occupancy
from pond_hw.session.resume_prompt import ResumePrompt
from pond_hw.session.sensor_health import SensorHealth

MOST_LAMPS = 64
"""In a cell."""

LONGEST_TEXT = 1000
"""Letters of a message; a name has a few."""

JsonMessage = Mapping[str, Any]


class InvalidMessage(PondError):
    """What was told makes no sense here."""


class SeatNames(NamedTuple):
    """Who plays light and dark: the names of programs, and those of people who have said theirs."""

    player_names: tuple[str | None, str | None]
    people_names: PlayerNames = UNNAMED_PLAYERS


class ServedBoard(NamedTuple):
    """A board that is served, as its `hello` tells.

    Attributes:
        size: rows and columns.
        lamps: lamps in a cell.
        seat_names: who plays.
        brightness: of its lamps, 0 to 1.
        gamma: what turned perceived brightness into light.
    """

    size: int
    lamps: int
    seat_names: SeatNames
    brightness: float
    gamma: float


def parse_line(line: bytes) -> JsonMessage:
    """One line as what it tells; it has a `type`.

    Raises:
        InvalidMessage: it is none.
    """
    with _checked():
        told = json.loads(line)
        if not isinstance(told["type"], str):
            raise TypeError
    return dict(told)


def parse_hello(hello: JsonMessage) -> ServedBoard:
    """The board that a `hello` tells of.

    Raises:
        InvalidMessage: it is not the hello of a served board, or of another version.
    """
    with _checked():
        if hello["type"] != "hello":
            raise ValueError(hello)
        if hello["protocol"] != PROTOCOL_VERSION or hello["protocol"] is True:
            raise InvalidMessage(
                f"It speaks version {hello['protocol']!s:.9} of the protocol, and we {PROTOCOL_VERSION}."
            )
        size, lamps = hello["size"], hello["lamps"]
        if size not in SIZES or type(lamps) is not int or not 1 <= lamps <= MOST_LAMPS or isqrt(lamps) ** 2 != lamps:
            raise ValueError(hello)
        brightness, gamma = _number(hello["brightness"]), _number(hello["gamma"])
        if not 0 < brightness <= 1 or not 1 <= gamma <= 3:
            raise ValueError(hello)
        return ServedBoard(size, lamps, parse_seats(hello), brightness, gamma)


def parse_seats(told: JsonMessage) -> SeatNames:
    """Who plays, as a `hello` and a `record` of a served board tell; no names if they tell of none.

    Raises:
        InvalidMessage: they do not tell it.
    """
    with _checked():
        return SeatNames(_by_side(told["players"]), _by_side(told["names"]) if "names" in told else UNNAMED_PLAYERS)


def _by_side(told: JsonMessage) -> tuple[str | None, str | None]:
    light, dark = (None if told[side] is None else _text(told[side]) for side in ("light", "dark"))
    return light, dark


def parse_session(record: JsonMessage) -> Session:
    """The session that a `record` tells of.

    Raises:
        InvalidMessage: it tells of none.
    """
    with _checked():
        size, game = record["size"], parse_record(record["record"])
        if size not in SIZES or game.variant.size > size:
            raise ValueError(size)
        position, again = game.position, []
        for action in record["undone"]:
            again.append(play(position, Action.from_notation(action)))
            position = again[-1].after
        chosen, refused = record["selected"], record["refused"]
        session = Session(
            size,
            game.variant,
            game.turns,
            tuple(reversed(again)),
            game.declared_outcome,
            None if chosen is None else _cell(chosen, game.variant.size),
            _text(record["message"]),
            None if refused is None else ShownRefusal(_cell_or_none(refused["cell"], size), _number(refused["at"])),
            bool(record["fresh"] and game.turns),
            _number(record["since"]),
            _text(record["trouble"]) if "trouble" in record else None,
            game.custom_start,
            _wood(record["wood"], size) if "wood" in record else None,
            _offer(record["offer"]) if "offer" in record else None,
            _text(record["unsaved"]) if "unsaved" in record else None,
            _hint(record["hint"]) if "hint" in record else None,
        )
        if session.selected_cell and not session.legal_targets:
            raise ValueError(session.selected_cell)
        if session.hint and session.hint.action and session.hint.action not in session.allowed_actions:
            raise ValueError(session.hint)
        return session


def _offer(told: object) -> ResumePrompt:
    if told not in ("ask", "look"):
        raise ValueError(told)
    return ResumePrompt(told == "look")


def _hint(told: JsonMessage) -> Hint:
    if told["action"] is None:
        return Hint()
    sign = -1 if "loses_in" in told else 1
    end = told.get("wins_in", told.get("loses_in"))
    worth = ActionValue(_number(told["value"])) if end is None else ActionValue(float(sign), int(_number(end)))
    return Hint(Action.from_notation(told["action"]), worth, _number(told["until"]))


def _wood(told: JsonMessage, size: int) -> BoardState:
    """What is felt there and what is still to be done by hand; what it means is told by the message."""
    felt, masked, turning = (frozenset(_cell(cell, size) for cell in told[key]) for key in ("felt", "masked", "turn"))
    return BoardState(
        sensors=SensorHealth(known_bad=masked),
        occupancy=Occupancy(occupied_cells=felt),
        tasks=HandTasks(to_flip=dict.fromkeys(turning)),
        dialogue=Dialogue(is_interpreted=True),
    )


def parse_frame(frame: JsonMessage, served: ServedBoard) -> Frame:
    """What the cells' lamps show, as a `frame` tells it; score strips are left out.

    Raises:
        InvalidMessage: it is not the frame of this board.
    """
    with _checked():
        cells = frame["cells"]
        data = bytes(part for cell in get_grid(served.size).cells for lamp in cells[cell] for part in lamp)
        if len(data) != served.size**2 * served.lamps * 3:
            raise ValueError(len(data))
        return Frame(served.size, served.lamps, data)


def parse_instant(told: JsonMessage) -> float:
    """When it was told, on the other side's clock.

    Raises:
        InvalidMessage: it does not say.
    """
    with _checked():
        return _number(told["t"])


def parse_text(told: JsonMessage, field: str) -> str:
    """A sentence that was told, fit for a terminal.

    Raises:
        InvalidMessage: there is none.
    """
    with _checked():
        return _text(told[field])


@contextmanager
def _checked() -> Iterator[None]:
    try:
        yield
    except InvalidMessage:
        raise
    except (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError, PondError) as error:
        raise InvalidMessage("What it says is not understood.") from error


def _text(told: object) -> str:
    if not isinstance(told, str):
        raise TypeError(told)
    return replace_unprintable(told[:LONGEST_TEXT])


def _number(told: object) -> float:
    if not isinstance(told, int | float) or isinstance(told, bool) or not isfinite(told):
        raise TypeError(told)
    return float(told)


def _cell(told: object, size: int) -> Cell:
    if told not in get_grid(size).mask_by_cell:
        raise ValueError(told)
    return str(told)


def _cell_or_none(told: object, size: int) -> Cell | None:
    return None if told is None else _cell(told, size)
