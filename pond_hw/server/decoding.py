"""What the protocol tells of a game and its lamps, made into a view and a frame again. Pure.

The other side may be of another version, or no pond at all: everything is checked, and text is tamed for a terminal.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from math import isfinite
from typing import Any, Literal, NamedTuple

from pond_hw.board import Frame
from pond_hw.engine import UNNAMED_PLAYERS, PlayerNames
from pond_hw.lights import LAMP_COUNTS
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.rules import SIZES, Action, Cell, PondError, get_grid, parse_record, parse_variant
from pond_hw.server.protocol import PROTOCOL_VERSION
from pond_hw.session import ActionValue, ConfirmWindow, Hint, ShownRefusal, View
from pond_hw.session.intents import Intent, Moves, OccupancyDifference, OpenMenu, PendingConfirmation, TakeBack
from pond_hw.session.interpretation import CONFIRM_SECONDS, FURTHER_CONFIRM_SECONDS
from pond_hw.session.occupancy_view import OccupancyView
from pond_hw.session.repair import RepairStep
from pond_hw.session.selection import find_targets

MAX_TEXT_LENGTH = 1000
"""Letters of a message; a name has a few."""

CELL_FIELDS = ("felt", "missing", "extra", "strangers", "turn", "take_off", "masked")
"""What `wood` tells as lists of cells."""

JsonMessage = Mapping[str, Any]


class InvalidMessage(PondError):
    """What was told makes no sense here."""


class SeatNames(NamedTuple):
    """Who plays light and dark: the names of programs, and those of people who have said theirs."""

    player_names: PlayerNames
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
        if size not in SIZES or type(lamps) is not int or lamps not in LAMP_COUNTS:
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


def parse_view(record: JsonMessage, state: JsonMessage) -> View:
    """What a board shows that has sent this `record`, and this `state` before it.

    Raises:
        InvalidMessage: they make no sense.
    """
    with _checked():
        size, game = record["size"], parse_record(record["record"])
        if size not in SIZES or game.variant.size > size:
            raise ValueError(size)
        refused, in_hand = record["refused"], _cell_or_none(state["selected"], game.variant.size)
        view = View(
            size=size,
            variant=game.variant,
            position=game.position,
            turns=game.turns,
            outcome=game.outcome,
            declared_outcome=game.declared_outcome,
            custom_start=game.custom_start,
            undone_actions=tuple(map(Action.from_notation, record["undone"])),
            game_phase=_text(state["phase"]),
            in_hand=in_hand,
            legal_targets=find_targets(game.position, in_hand) if in_hand else (),
            message=_text(record["message"]),
            refusal=None if refused is None else _refusal(refused, size),
            turn_is_fresh=bool(record["fresh"] and game.turns),
            changed_at=_number(record["since"]),
            trouble=_text(record["trouble"]) if "trouble" in record else None,
            unsaved_reason=_text(record["unsaved"]) if "unsaved" in record else None,
            resume_prompt=_resume_prompt(record.get("offer")),
            hint=_hint(record["hint"]) if "hint" in record else None,
        )
        if in_hand and not view.legal_targets:
            raise ValueError(in_hand)
        if view.hint and view.hint.action and view.hint.action not in view.allowed_actions:
            raise ValueError(view.hint)
        return view._replace(occupancy=_occupancy(record["wood"], view)) if "wood" in record else view


def _resume_prompt(offer: object) -> Literal["ask", "look"] | None:
    match offer:
        case "ask" | "look" | None:
            return offer
    raise ValueError(offer)


def _refusal(refused: JsonMessage, size: int) -> ShownRefusal:
    return ShownRefusal(_cell_or_none(refused["cell"], size), _number(refused["at"]))


def _hint(hint: JsonMessage) -> Hint:
    if hint["action"] is None:
        return Hint()
    end = hint.get("wins_in", hint.get("loses_in"))
    value = (
        ActionValue(_number(hint["value"]))
        if end is None
        else ActionValue(-1.0 if "loses_in" in hint else 1.0, int(_number(end)))
    )
    return Hint(Action.from_notation(hint["action"]), value, _number(hint["until"]))


def _occupancy(wood: JsonMessage, view: View) -> OccupancyView:
    """What is detected there; what does not fit the game is left out, for it may be of another instant."""
    size, before = view.size, view.last_turn.before.pieces if view.last_turn else {}
    felt, missing, extra, strangers, turn, take_off, masked = (_cells(wood[field], size) for field in CELL_FIELDS)
    pieces_at_rest = before | view.position.pieces
    to_remove = {
        cell: turn.pieces_after_develop[cell]
        for turn in view.turns
        for scored_cells in turn.sets
        for cell in take_off.intersection(scored_cells)
    }
    step = None
    if (told := wood["next"]) is not None:
        step = RepairStep(_cell_or_none(told["from"], size), _cell_or_none(told["to"], size))
        step = step if step.target is None or step.target in pieces_at_rest else None
    menu = {cell: parse_variant(name) for cell, name in (wood["menu"] or {}).items()}
    picked_cells = felt & _cells(menu, size)
    pending, confirm_window = _pending(wood["about"], view) if wood["about"] is not None else (None, None)
    return OccupancyView(
        occupied=felt,
        difference=OccupancyDifference(missing, extra, strangers),
        cells_to_flip=turn,
        lifted_to_flip=turn - felt,
        to_remove=to_remove,
        masked_cells=masked,
        repair_step=step,
        repair_piece=pieces_at_rest[step.target] if step and step.target else None,
        pending=pending,
        confirm_window=confirm_window,
        menu=menu,
        picked_cell=min(picked_cells) if len(picked_cells) == 1 else None,
    )


def _pending(about: JsonMessage, view: View) -> tuple[PendingConfirmation | None, ConfirmWindow | None]:
    """What is announced, if it can be done in the game that is shown, and until when."""
    intent: Intent = OpenMenu()
    if "actions" in about:
        actions = tuple(map(Action.from_notation, about["actions"]))
        if len(actions) not in (1, 2) or actions[0] not in view.allowed_actions:
            return None, None
        intent = Moves(actions)
    elif "back" in about:
        intent = TakeBack(int(about["back"]))
        if not 1 <= intent.turn_count <= len(view.turns):
            return None, None
    seconds = FURTHER_CONFIRM_SECONDS if isinstance(intent, TakeBack) and intent.turn_count > 1 else CONFIRM_SECONDS
    until = None if about["at"] is None else _number(about["at"])
    return PendingConfirmation(intent, seconds), None if until is None else ConfirmWindow(until - seconds, until)


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
    return replace_unprintable(told[:MAX_TEXT_LENGTH])


def _number(told: object) -> float:
    if not isinstance(told, int | float) or isinstance(told, bool) or not isfinite(told):
        raise TypeError(told)
    return float(told)


def _cells(cells: Iterable[object], size: int) -> frozenset[Cell]:
    return frozenset(_cell(cell, size) for cell in cells)


def _cell(cell: object, size: int) -> Cell:
    if cell not in get_grid(size).mask_by_cell:
        raise ValueError(cell)
    return str(cell)


def _cell_or_none(cell: object, size: int) -> Cell | None:
    return None if cell is None else _cell(cell, size)
