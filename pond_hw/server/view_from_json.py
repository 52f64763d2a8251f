"""Client-side parser for messages of protocol 1, which builds a view and a frame.

The sender may be another version or another program, so everything is checked, and text is made safe for a terminal.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import inf, isfinite
from typing import Any, NamedTuple

from pond_hw.board import Frame
from pond_hw.engine import UNNAMED_PLAYERS, PlayerNames
from pond_hw.lights import LAMP_COUNTS
from pond_hw.messages.message import Message
from pond_hw.messages.message_json import clean_text, parse_messages
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.rules import (
    SIZES,
    Action,
    Cell,
    Piece,
    PondError,
    Side,
    Turn,
    get_grid,
    legal_actions,
    parse_record,
    parse_variant,
    play,
)
from pond_hw.server.parse_requests import parse_link_view, parse_owner, parse_setting_value
from pond_hw.server.protocol import PROTOCOL_VERSION, said_field
from pond_hw.session import (
    DEFAULT_HELP,
    MAX_HINTS,
    SIDE_SETTINGS,
    TABLE_SETTINGS,
    UNLIMITED_HINTS,
    ActionValue,
    BoardDifference,
    ConfirmWindow,
    ExerciseView,
    Hint,
    HintCounts,
    Intent,
    LinkView,
    MenuChoice,
    Moves,
    OccupancyView,
    OpenMenu,
    PendingConfirmation,
    PermissionView,
    PhoneSign,
    RepairStep,
    Setting,
    ShownRefusal,
    SideHelp,
    SignColour,
    TakeBack,
    View,
    find_targets,
)

CELL_FIELDS = ("felt", "missing", "extra", "strangers", "turn", "take_off", "masked")
"""Fields in `wood` that are lists of cells."""

JsonMessage = Mapping[str, Any]


class InvalidMessage(PondError):
    """Error for a message that cannot be parsed."""


class SeatNames(NamedTuple):
    """Names of the computer players and of the people playing light and dark."""

    player_names: PlayerNames
    people_names: PlayerNames = UNNAMED_PLAYERS


class ServedBoard(NamedTuple):
    """A served board, as described by its `hello`.

    Attributes:
        size: number of rows and columns.
        lamps: number of lamps per cell.
        seat_names: names of the players.
        brightness: brightness of the lamps, 0 to 1.
        gamma: exponent that converts perceived brightness to light.
    """

    size: int
    lamps: int
    seat_names: SeatNames
    brightness: float
    gamma: float


def parse_line(line_bytes: bytes) -> JsonMessage:
    """Parse a line as a message with a `type`. All parsers in this module raise InvalidMessage."""
    with _checked():
        message = json.loads(line_bytes)
        if not isinstance(message["type"], str):
            raise TypeError
    return dict(message)


def parse_hello(hello: JsonMessage) -> ServedBoard:
    with _checked():
        if hello["type"] != "hello":
            raise ValueError(hello)
        if hello["protocol"] != PROTOCOL_VERSION or hello["protocol"] is True:
            theirs = replace_unprintable(f"{hello['protocol']!s:.9}")
            raise InvalidMessage(Message("protocol.other_version", theirs=theirs, ours=PROTOCOL_VERSION))
        board_size, lamps_per_cell = hello["size"], hello["lamps"]
        if board_size not in SIZES or type(lamps_per_cell) is not int or lamps_per_cell not in LAMP_COUNTS:
            raise ValueError(hello)
        brightness, gamma = _number(hello["brightness"]), _number(hello["gamma"])
        if not 0 < brightness <= 1 or not 1 <= gamma <= 3:
            raise ValueError(hello)
        return ServedBoard(board_size, lamps_per_cell, parse_seats(hello), brightness, gamma)


def parse_seats(message: JsonMessage) -> SeatNames:
    """Return the players named in a `hello` or `record`."""
    with _checked():
        people_names = _by_side(message["names"]) if "names" in message else UNNAMED_PLAYERS
        return SeatNames(_by_side(message["players"]), people_names)


def _by_side(names_by_side: JsonMessage) -> tuple[str | None, str | None]:
    light_name, dark_name = (names_by_side[side] for side in ("light", "dark"))
    return _text_or_none(light_name), _text_or_none(dark_name)


def parse_view(record: JsonMessage, state: JsonMessage) -> View:
    """Build the view of a board from a `record` and the `state` before it."""
    with _checked():
        board_size, game_record = record["size"], parse_record(record["record"])
        if board_size not in SIZES or game_record.variant.size > board_size:
            raise ValueError(board_size)
        if record.get("offer") not in ("ask", "look", None):
            raise ValueError(record["offer"])
        refused, in_hand = record["refused"], _cell_or_none(state["selected"], game_record.variant.size)
        if refused is not None:
            cell, repeats = _cell_or_none(refused["cell"], board_size), refused.get("repeats", 0)
            refused = ShownRefusal(cell, _number(refused["at"]), int(_number(repeats)))
        view = View(
            size=board_size,
            variant=game_record.variant,
            turns=game_record.turns,
            declared_outcome=game_record.declared_outcome,
            custom_start=game_record.custom_start,
            undone_actions=tuple(map(Action.from_notation, record["undone"])),
            game_phase=clean_text(state["phase"]),
            in_hand=in_hand,
            legal_targets=find_targets(game_record.position, in_hand) if in_hand else (),
            messages=_parse_said(record, "message"),
            refusal=refused,
            turn_is_fresh=bool(record["fresh"] and game_record.turns),
            changed_at=_number(record["since"]),
            trouble=_message_or_none(record, "trouble"),
            unsaved_reason=_message_or_none(record, "unsaved"),
            resume_prompt=record.get("offer"),
            hint=_hint(record["hint"]) if "hint" in record else None,
            seat_count=len(state["seats"]) if "seats" in state else None,
            side_helps=(_side_help(state, "light"), _side_help(state, "dark")),
            hints_left=_hints_left(state["hints_left"]) if "hints_left" in state else UNLIMITED_HINTS,
            **{each.name: _table_value(state, each) for each in TABLE_SETTINGS},
            warned_action=Action.from_notation(state["warned"]) if "warned" in state else None,
            permission=_permission(state["asks"], board_size) if "asks" in state else None,
            exercise=_exercise(record["exercise"], board_size) if "exercise" in record else None,
            menu_choices=_menu_choices(record, board_size),
            link=_link(state["link"], board_size) if "link" in state else None,
        )
        if in_hand and not view.legal_targets:
            raise ValueError(in_hand)
        named_actions = {view.hint and view.hint.action, view.warned_action} - {None}
        if not named_actions <= {*view.allowed_actions}:
            raise ValueError(named_actions)
        return replace(view, occupancy=_occupancy(record["wood"], view)) if "wood" in record else view


def _side_help(state: JsonMessage, side_name: str) -> SideHelp:
    side_help = DEFAULT_HELP
    for setting in SIDE_SETTINGS:
        if setting.name in state:
            side_help = side_help.with_value(setting, parse_setting_value(setting, state[setting.name][side_name]))
    return side_help


def _table_value(state: JsonMessage, setting: Setting) -> Any:
    return parse_setting_value(setting, state.get(setting.name, setting.default))


def _hints_left(hints_by_side: JsonMessage) -> HintCounts:
    light, dark = hints_by_side["light"], hints_by_side["dark"]
    for hints in (light, dark):
        if hints is not None and (type(hints) is not int or not 0 <= hints <= MAX_HINTS):
            raise ValueError(hints)
    return light, dark


def _permission(fields: JsonMessage, board_size: int) -> PermissionView:
    cell, counts = _cell_or_none(fields["cell"], board_size), (int(fields["pressed"]), int(fields["of"]))
    if cell is None:
        raise ValueError(fields)
    sign = PhoneSign(SignColour(fields["sign"]["colour"]), int(fields["sign"]["number"]))
    return PermissionView(cell, *counts, _number(fields["until"]), sign)


def _exercise(fields: JsonMessage, board_size: int) -> ExerciseView:
    course_name = fields["course"]
    return ExerciseView(
        clean_text(fields["name"]),
        _parse_one(fields, "title"),
        None if course_name is None else clean_text(course_name),
        int(_number(fields["step"])),
        int(_number(fields["steps"])),
        _parse_one(fields, "task"),
        tuple(sorted(_cells(fields["lit"], board_size))),
        bool(fields["done"]),
        bool(fields["asks"]),
        _parse_one(fields, "next") if "next" in fields else None,
        _by_side(fields["players"]),
        bool(fields["met"]),
        None if fields["answers"] is None else Side[clean_text(fields["answers"]).upper()],
        bool(fields.get("refuting")),
        bool(fields.get("last")),
        int(_number(fields.get("number", 0))),
        int(_number(fields.get("count", 0))),
    )


def _menu_choices(record: JsonMessage, board_size: int) -> dict[Cell, MenuChoice]:
    choices = {
        cell: MenuChoice(clean_text(choice["kind"]), clean_text(choice["name"]), bool(choice["usual"]))
        for cell, choice in record.get("menu", {}).items()
    }
    return {cell: choices[cell] for cell in sorted(_cells(choices, board_size))}


def _link(fields: JsonMessage, board_size: int) -> LinkView:
    _cells(fields["cells"], board_size)
    game, side = _text_or_none(fields["game"]), None if fields["side"] is None else parse_owner(fields["side"])
    return parse_link_view(fields)._replace(game=game, side=side, running=bool(fields["running"]))


def _parse_one(fields: JsonMessage, field_name: str) -> Message:
    (message,) = _parse_said(fields, field_name)
    return message


def _hint(hint_fields: JsonMessage) -> Hint:
    if hint_fields["action"] is None:
        return Hint()
    decided_after = hint_fields.get("wins_in", hint_fields.get("loses_in"))
    action_value = (
        ActionValue(_number(hint_fields["value"]))
        if decided_after is None
        else ActionValue(-1.0 if "loses_in" in hint_fields else 1.0, int(_number(decided_after)))
    )
    return Hint(Action.from_notation(hint_fields["action"]), action_value, _number(hint_fields["until"]))


def _occupancy(board_fields: JsonMessage, view: View) -> OccupancyView:
    """Parse the detected pieces. Skip any that do not match the game, because the data may be older or newer than the game."""
    board_size, pieces_before = view.size, view.last_turn.before.pieces if view.last_turn else {}
    occupied_cells, missing_cells, extra_cells, wrong_owner_cells, cells_to_flip, take_off, masked_cells = (
        _cells(board_fields[field_name], board_size) for field_name in CELL_FIELDS
    )
    pieces_at_rest = pieces_before | view.position.pieces
    repair_step = None
    if board_fields["next"] is not None:
        source, target = (_cell_or_none(board_fields["next"][end], board_size) for end in ("from", "to"))
        repair_step = RepairStep(source, target) if target is None or target in pieces_at_rest else None
    menu_variants = {cell: parse_variant(variant_name) for cell, variant_name in (board_fields["menu"] or {}).items()}
    picked_cells = occupied_cells & view.menu_choices.keys()
    pending, confirm_window = (
        _pending(board_fields["about"], view) if board_fields["about"] is not None else (None, None)
    )
    return OccupancyView(
        occupied=occupied_cells,
        difference=BoardDifference(missing_cells, extra_cells, wrong_owner_cells),
        cells_to_flip=cells_to_flip,
        lifted_to_flip=cells_to_flip - occupied_cells,
        to_remove=_find_scored(take_off, view.turns),
        masked_cells=masked_cells,
        repair_step=repair_step,
        repair_piece=pieces_at_rest[repair_step.target] if repair_step and repair_step.target else None,
        pending=pending,
        confirm_window=confirm_window,
        menu=menu_variants,
        picked_cell=min(picked_cells) if len(picked_cells) == 1 else None,
    )


def _find_scored(cells: frozenset[Cell], turns: Sequence[Turn]) -> dict[Cell, Piece]:
    """Return, for each of these cells, the last piece that scored there."""
    scored_sets = ((turn.pieces_after_develop, cells.intersection(line)) for turn in turns for line in turn.sets)
    return {cell: pieces[cell] for pieces, scored_cells in scored_sets for cell in scored_cells}


def _pending(pending_fields: JsonMessage, view: View) -> tuple[PendingConfirmation | None, ConfirmWindow | None]:
    """Return the pending action and its confirmation window if the action is legal in the current game."""
    intent: Intent = OpenMenu()
    if "actions" in pending_fields:
        actions = tuple(map(Action.from_notation, pending_fields["actions"]))
        corrected_count = int(pending_fields.get("instead_of", 0))
        if not actions or view.is_over or not 0 <= corrected_count <= len(view.turns):
            return None, None
        position = view.find_position_before(corrected_count)
        for action in actions:
            if action not in legal_actions(position):
                return None, None
            position = play(position, action).after
        intent = Moves(actions, corrected_count)
    elif "back" in pending_fields:
        intent = TakeBack(int(pending_fields["back"]))
        if not 1 <= intent.turn_count <= len(view.turns):
            return None, None
    if "waits_for" in pending_fields:
        cells_to_return = sorted(_cells(pending_fields["waits_for"], view.size))
        return PendingConfirmation(intent, inf, cells_to_return=tuple(cells_to_return)), None
    confirm_seconds = _number(pending_fields["seconds"])
    window_end = None if pending_fields["at"] is None else _number(pending_fields["at"])
    confirm_window = None if window_end is None else ConfirmWindow(window_end - confirm_seconds, window_end)
    return PendingConfirmation(intent, confirm_seconds), confirm_window


def parse_exercises(message: JsonMessage) -> dict[str, list[tuple[str, Message, bool]]]:
    """Return the exercises of each course: name, title, and True if completed."""
    with _checked():
        return {
            clean_text(course_name): [
                (clean_text(each["name"]), Message("text", text=clean_text(each["title"])), each.get("done") is True)
                for each in exercises
            ]
            for course_name, exercises in message["courses"].items()
        }


def parse_frame(frame: JsonMessage, served_board: ServedBoard) -> Frame:
    """Build the frame of the cells and turn keys from a `frame` message, without the score strips."""
    with _checked():
        lamps = (lamp for cell in get_grid(served_board.size).cells for lamp in frame["cells"][cell])
        frame_data = bytes(channel_value for lamp in lamps for channel_value in lamp)
        if len(frame_data) != served_board.size**2 * served_board.lamps * 3:
            raise ValueError(len(frame_data))
        key_lamps = [tuple(map(int, lamp)) for lamp in frame.get("keys", ())]
        if any(len(lamp) != 3 for lamp in key_lamps) or len(key_lamps) > len(Side):
            raise ValueError(key_lamps)
        frame_data += bytes(channel_value for lamp in key_lamps for channel_value in lamp)
        return Frame(served_board.size, served_board.lamps, frame_data)


def parse_instant(message: JsonMessage) -> float:
    with _checked():
        return _number(message["t"])


def parse_text(message: JsonMessage, field_name: str) -> Message:
    """Return the content of a field as one message."""
    with _checked():
        messages = _parse_said(message, field_name)
        return messages[0] if len(messages) == 1 else Message("text", text=clean_text(message[field_name]))


@contextmanager
def _checked() -> Iterator[None]:
    try:
        yield
    except InvalidMessage:
        raise
    except (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError, PondError) as error:
        raise InvalidMessage(Message("protocol.unreadable")) from error


def _text_or_none(text_value: object) -> str | None:
    return None if text_value is None else clean_text(text_value)


def _number(number_value: object) -> float:
    if not isinstance(number_value, int | float) or isinstance(number_value, bool) or not isfinite(number_value):
        raise TypeError(number_value)
    return float(number_value)


def _cells(cell_values: Iterable[object], board_size: int) -> frozenset[Cell]:
    return frozenset(_cell(cell, board_size) for cell in cell_values)


def _cell(cell: object, board_size: int) -> Cell:
    if cell not in get_grid(board_size).mask_by_cell:
        raise ValueError(cell)
    return str(cell)


def _cell_or_none(cell: object, board_size: int) -> Cell | None:
    return None if cell is None else _cell(cell, board_size)


def _message_or_none(fields: JsonMessage, field_name: str) -> Message | None:
    return parse_text(fields, field_name) if field_name in fields else None


def _parse_said(fields: JsonMessage, field_name: str) -> tuple[Message, ...]:
    """Parse messages from data. If this version does not have one of them, use the text instead."""
    return parse_messages(fields[said_field(field_name)], clean_text(fields[field_name]))
