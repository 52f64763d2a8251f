"""Formatter for outgoing messages of protocol 1; see docs/protocol.md."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pond_hw import __version__
from pond_hw.board import Frame
from pond_hw.engine import UNNAMED_PLAYERS, PlayerNames
from pond_hw.messages.catalogue import LANGUAGES, get_catalogue
from pond_hw.messages.message import Message
from pond_hw.rules import VARIANTS, Outcome, Side, Turn
from pond_hw.session import (
    SETTINGS,
    SIDE_SETTINGS,
    TABLE_SETTINGS,
    ConfirmWindow,
    Course,
    DrawChange,
    Hint,
    LinkChange,
    LinkView,
    Moves,
    NewGameChange,
    OccupancyView,
    PendingConfirmation,
    PermissionView,
    Session,
    ShownRefusal,
    TakeBack,
    TakeBackChange,
    View,
    describe_preview,
    find_exercise,
)

PROTOCOL_VERSION = 1


def format_message(message: Mapping[str, Any]) -> str:
    """Return a message as one line of ASCII JSON, without a newline."""
    return json.dumps(message, separators=(",", ":"))


def hello_message(session: Session, lamps_per_cell: int, further_fields: Mapping[str, Any]) -> dict[str, Any]:
    """Build the first message, which describes the program and the board.

    Args:
        session: the session on the board.
        lamps_per_cell: number of lamps per cell.
        further_fields: result of `seat_fields` or `live_fields`, or nothing.
    """
    view, board_state = session.view, session.board_state
    hello_fields = {
        "type": "hello",
        "protocol": PROTOCOL_VERSION,
        "program": "pond",
        "version": __version__,
        "variant": view.variant.name,
        "size": view.size,
        "lamps": lamps_per_cell,
        "variants": [variant.name for variant in VARIANTS.values() if variant.size <= view.size],
        "languages": list(LANGUAGES),
    } | ({"pieces": True, "turned_pieces": board_state.tasks.asks_to_flip} if board_state else {})
    return hello_fields | dict(further_fields)


def live_fields(profile_name: str, seats: Mapping[str, Any], brightness: float, gamma: float) -> dict[str, Any]:
    """Build the `hello` fields of a board that runs in real time.

    With the brightness (0 to 1) and gamma, a client can compute the intended colours for a screen.
    """
    return {"live": True, "board": profile_name, **seats, "brightness": brightness, "gamma": gamma}


def seat_fields(player_names: PlayerNames, people_names: PlayerNames = UNNAMED_PLAYERS) -> dict[str, Any]:
    """Build the fields for the players: names of programs, and of people who have entered a name."""
    name_fields = {"names": by_side(people_names)} if any(people_names) else {}
    return {"players": by_side(player_names)} | name_fields


def state_message(view: View, now: float, language: str = "en") -> dict[str, Any]:
    """Build the message with the state of the game."""
    position = view.position
    return {
        "type": "state",
        "t": round_instant(now),
        "variant": view.variant.name,
        "position": position.notation_line,
        "to_move": str(position.to_move),
        "legal": [str(action) for action in view.allowed_actions],
        "score": by_side(position.scored),
        "spawn": by_side(position.spawn),
        "phase": view.game_phase,
        "selected": view.in_hand,
        "targets": list(view.legal_targets),
        "turn": view.turn_number,
        "last": turn_to_json(view.last_turn) if view.last_turn else None,
        "hint": hint_to_json(view.hint) if view.hint else None,
        "outcome": outcome_to_json(view.outcome),
        **text_fields("message", view.messages, language),
        **({"asks": permission_to_json(view.permission)} if view.permission else {}),
        **exercise_fields(view, language),
        **settings_to_json(view),
        **({"warned": str(view.warned_action)} if view.warned_action else {}),
        **({"link": link_to_json(view.link)} if view.link else {}),
    } | _board_fields(view, language)


def record_message(view: View, now: float, language: str = "en") -> dict[str, Any]:
    """Build the message that, together with a state, lets a client show the same view; see `view_from_json.parse_view`."""
    shown_refusal = view.refusal
    record_fields = {
        "type": "record",
        "t": round_instant(now),
        "size": view.size,
        "record": str(view.record),
        "undone": [str(action) for action in view.undone_actions],
        "selected": None if view.occupancy else view.in_hand,
        "refused": _refusal_fields(shown_refusal) if shown_refusal else None,
        "fresh": view.turn_is_fresh,
        "since": round_instant(view.changed_at),
        **text_fields("message", view.messages, language),
    }
    record_fields |= exercise_fields(view, language)
    prompt_fields = {"offer": view.resume_prompt, "hint": hint_to_json(view.hint) if view.hint else None}
    return record_fields | _drop_empty(prompt_fields) | _board_fields(view, language)


def _refusal_fields(refusal: ShownRefusal) -> dict[str, Any]:
    return {"cell": refusal.cell, "at": round_instant(refusal.instant)} | _drop_empty({"repeats": refusal.repeats})


def _board_fields(view: View, language: str) -> dict[str, Any]:
    """Build the fields for problems with the board or with saving, and for detected pieces."""
    trouble_fields = text_fields("trouble", (view.trouble,), language) if view.trouble else {}
    unsaved_fields = text_fields("unsaved", (view.unsaved_reason,), language) if view.unsaved_reason else {}
    return trouble_fields | unsaved_fields | ({"wood": occupancy_to_json(view.occupancy)} if view.occupancy else {})


def _drop_empty(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {field_name: field_value for field_name, field_value in fields.items() if field_value}


def what_if_message(turn: Turn, language: str = "en") -> dict[str, Any]:
    """Build the preview of an action from the turn that it would result in."""
    return {"type": "what_if", **turn_to_json(turn)} | {
        "position": turn.after.notation_line,
        "outcome": outcome_to_json(turn.outcome),
        **text_fields("message", describe_preview(turn), language),
    }


def frame_message(frame: Frame, now: float) -> dict[str, Any]:
    """Build the message with the colours of all lamps: red, green and blue from 0 to 255, starting at the top left of each cell."""
    message = {"type": "frame", "t": round_instant(now), "cells": frame.colours_by_cell}
    if frame.strip_lamps:
        message["strips"] = dict(zip(("light", "dark"), frame.score_strips, strict=True))
    return message | ({"keys": frame.key_colours} if frame.key_colours else {})


def error_message(message: Message, language: str = "en") -> dict[str, Any]:
    """Build the answer to an invalid line."""
    return {"type": "error", **text_fields("message", (message,), language)}


def turn_to_json(turn: Turn) -> dict[str, Any]:
    return {
        "action": str(turn.action),
        "developed": [
            {"cell": piece.cell, "owner": str(piece.owner), "from": str(piece.old_symbol), "to": str(piece.new_symbol)}
            for piece in turn.developed_pieces
        ],
        "sets": [list(cells) for cells in turn.sets],
        "scored": {str(scoring_side): list(cells) for scoring_side, cells in turn.scored_cells.items()},
    }


def settings_to_json(view: View) -> dict[str, Any]:
    """Convert settings that differ from their defaults, and the number of hints left if it is limited."""
    by_side = {
        setting.name: {str(side): view.find_value(setting, side) for side in Side}
        for setting in SIDE_SETTINGS
        if any(view.find_value(setting, side) != setting.default for side in Side)
    }
    light, dark = view.hints_left
    hints_left = {} if light is dark is None else {"hints_left": {"light": light, "dark": dark}}
    of_table = {setting.name: view.find_value(setting, None) for setting in TABLE_SETTINGS}
    changed = {name: value for name, value in of_table.items() if value != SETTINGS[name].default}
    return {**by_side, **hints_left, **changed}


def hint_to_json(hint: Hint) -> dict[str, Any]:
    """Convert a hint; its action is None while it is being computed."""
    if hint.action is None:
        return {"action": None}
    pieces_ahead, decided_after = hint.action_value
    is_open = decided_after is None
    return {
        "action": str(hint.action),
        "value": pieces_ahead if is_open else None,
        **({} if is_open else {"wins_in" if pieces_ahead > 0 else "loses_in": decided_after}),
        "until": round_instant(hint.visible_until),
    }


def outcome_to_json(game_outcome: Outcome | None) -> dict[str, Any] | None:
    if game_outcome is None:
        return None
    winner = None if game_outcome.winner is None else str(game_outcome.winner)
    return {"winner": winner, "reason": game_outcome.reason.value}


def occupancy_to_json(occupancy: OccupancyView) -> dict[str, Any]:
    """Convert the detected pieces and the players' pending tasks; cells are sorted."""
    missing_cells, extra_cells, wrong_owner = map(sorted, occupancy.difference)
    repair_step = occupancy.repair_step
    return {
        "felt": sorted(occupancy.occupied),
        "missing": missing_cells,
        "extra": extra_cells,
        "strangers": wrong_owner,
        "turn": sorted(occupancy.cells_to_flip),
        "take_off": sorted(occupancy.to_remove),
        "masked": sorted(occupancy.masked_cells),
        "next": {"from": repair_step.source, "to": repair_step.target} if repair_step else None,
        "about": _pending_to_json(occupancy.pending, occupancy.confirm_window) if occupancy.pending else None,
        "menu": {cell: variant.name for cell, variant in occupancy.menu.items()} or None,
    }


def _pending_to_json(pending: PendingConfirmation, confirm_window: ConfirmWindow | None) -> dict[str, Any]:
    """Convert a pending action and the time at which it will take effect."""
    match pending.intent:
        case Moves(actions, corrected_count):
            intent_fields: dict[str, Any] = {"actions": [str(action) for action in actions]}
            if corrected_count:
                intent_fields["instead_of"] = corrected_count
        case TakeBack(turn_count):
            intent_fields = {"back": turn_count}
        case _:
            intent_fields = {"menu": True}
    nod = {"nod": True} if pending.needs_gesture else {}
    if pending.cells_to_return:
        return intent_fields | {"waits_for": list(pending.cells_to_return), "at": None, "seconds": None}
    end = {"at": round_instant(confirm_window.until) if confirm_window else None, "seconds": pending.confirm_seconds}
    return intent_fields | nod | end


def permission_to_json(permission: PermissionView) -> dict[str, Any]:
    """Convert a request that is waiting for presses at the board."""
    return {
        "cell": permission.cell,
        "pressed": permission.pressed_count,
        "of": permission.cell_count,
        "until": round_instant(permission.until),
        "sign": {"colour": permission.sign.colour.value, "number": permission.sign.number},
    }


def link_to_json(link: LinkView) -> dict[str, Any]:
    """Convert the state of the link to another home."""
    question = link.question
    return {
        "game": link.game,
        "side": None if link.side is None else str(link.side),
        "name": link.name,
        "seen": link.seen,
        "online": link.online,
        "joined": link.joined,
        "running": link.running,
        "cells": list(link.cells),
        "requests": list(map(change_to_json, link.requests)),
        "asked": list(map(change_to_json, link.asked)),
        "declined": list(map(change_to_json, link.declined)),
        "question": {"mine": question.is_mine, "versions": list(question.turn_counts)} if question else None,
    }


def change_to_json(change: LinkChange) -> dict[str, Any]:
    """Convert a change of a linked game; see `parse_requests.parse_change`."""
    match change:
        case TakeBackChange(turn):
            return {"undo": turn}
        case NewGameChange(variant, side):
            return {"new": variant.name, "side": str(side)}
        case DrawChange():
            return {"draw": True}
    return {"resign": True}


def by_side(side_pair: tuple[object, object]) -> dict[str, object]:
    """Convert a pair to an object with a field for each side."""
    return {str(side): side_pair[side] for side in Side}


def round_instant(now: float) -> float:
    """Round seconds to microseconds to hide floating-point errors in the sum of the waits."""
    return round(now, 6)


def text_fields(field_name: str, messages: Sequence[Message], language: str) -> dict[str, Any]:
    """Build two fields with the same messages: one as text, one as data."""
    said = [message.to_json() for message in messages]
    return {field_name: get_catalogue(language).text(messages), said_field(field_name): said}


def said_field(field_name: str) -> str:
    """Return the name of the data field for a text field."""
    return "said" if field_name == "message" else f"{field_name}_said"


def exercise_fields(view: View, language: str) -> dict[str, Any]:
    """Build the fields for the current exercise and for an open menu."""
    fields: dict[str, Any] = {}
    if exercise := view.exercise:
        fields["exercise"] = {
            "name": exercise.name,
            "course": exercise.course_name,
            "step": exercise.step_number,
            "steps": exercise.step_count,
            "lit": list(exercise.lit_cells),
            "done": exercise.is_done,
            "asks": exercise.is_asked,
            "met": exercise.is_met,
            "refuting": exercise.is_refuting,
            "last": exercise.is_last,
            "number": exercise.exercise_number,
            "count": exercise.exercise_count,
            "players": by_side(exercise.program_names),
            "answers": None if exercise.answering_side is None else str(exercise.answering_side),
            **text_fields("title", (exercise.title,), language),
            **text_fields("task", (exercise.task,), language),
            **(text_fields("next", (exercise.following,), language) if exercise.following else {}),
        }
    if view.menu_choices:
        fields["menu"] = {
            cell: {"kind": kind, "name": name, "usual": is_default}
            for cell, (kind, name, is_default) in view.menu_choices.items()
        }
    return fields


def exercises_message(courses: Sequence[Course], language: str = "en") -> dict[str, Any]:
    """Build the list of all exercises by course. It may contain hundreds."""
    catalogue = get_catalogue(language)
    return {
        "type": "exercises",
        "courses": {
            course.name: [
                {"name": exercise.name, "title": catalogue.text((exercise.title,))}
                | ({"done": True} if exercise.name in course.done_names else {})
                for exercise in course.exercises
            ]
            for course in courses
        },
    }


def exercise_message(courses: Sequence[Course], names: tuple[str, str], language: str = "en") -> dict[str, Any]:
    """Build the description of one exercise. Raises PondError if it does not exist."""
    course, exercise = find_exercise(courses, *names)
    return {
        "type": "exercise",
        "course": course.name,
        "name": exercise.name,
        **text_fields("title", (exercise.title,), language),
        "variant": exercise.variant.name,
        "position": exercise.position.notation_line,
        "steps": len(exercise.steps),
        "done": exercise.name in course.done_names,
    }
