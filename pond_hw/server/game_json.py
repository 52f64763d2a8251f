"""Parts of a game as JSON, as several lines of the protocol tell them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.rules import Outcome, Side, Turn
from pond_hw.session import (
    SETTINGS,
    SIDE_SETTINGS,
    TABLE_SETTINGS,
    ConfirmWindow,
    Course,
    Hint,
    Moves,
    OccupancyView,
    PendingConfirmation,
    PermissionView,
    TakeBack,
    View,
    find_exercise,
)


def turn_to_json(turn: Turn) -> dict[str, Any]:
    """What happened in a turn: the action, what developed from and to, the sets, what each side scored."""
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
    """The settings that have another value than the default, and the hints that are left if they are limited."""
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
    """A hint; its action is None as long as it is computed."""
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
    """How a game ended, or None."""
    if game_outcome is None:
        return None
    winner = None if game_outcome.winner is None else str(game_outcome.winner)
    return {"winner": winner, "reason": game_outcome.reason.value}


def occupancy_to_json(occupancy: OccupancyView) -> dict[str, Any]:
    """What the board detects and what hands have to do there: cells in order."""
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
    """What is announced, and when it counts."""
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
    """Convert a request that waits for presses: the cell to press, how many of how many have been pressed, the sign."""
    return {
        "cell": permission.cell,
        "pressed": permission.pressed_count,
        "of": permission.cell_count,
        "until": round_instant(permission.until),
        "sign": {"colour": permission.sign.colour.value, "number": permission.sign.number},
    }


def by_side(side_pair: tuple[object, object]) -> dict[str, object]:
    """Something of each side."""
    return {str(side): side_pair[side] for side in Side}


def round_instant(now: float) -> float:
    """Seconds to the microsecond, so that sums of waits read as people would write them."""
    return round(now, 6)


def text_fields(field_name: str, messages: Sequence[Message], language: str) -> dict[str, Any]:
    """Messages as people read them in the field of that name, and as data in the field that goes with it."""
    said = [message.to_json() for message in messages]
    return {field_name: get_catalogue(language).text(messages), said_field(field_name): said}


def said_field(field_name: str) -> str:
    """The name of the field that holds as data what another one says in a language."""
    return "said" if field_name == "message" else f"{field_name}_said"


def exercise_fields(view: View, language: str) -> dict[str, Any]:
    """What exercise is being done, and what the cells of an open menu stand for."""
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
            "players": by_side(exercise.program_names),
            "answers": None if exercise.answering_side is None else str(exercise.answering_side),
            **text_fields("title", (exercise.title,), language),
            **text_fields("task", (exercise.task,), language),
            **(text_fields("next", (exercise.following,), language) if exercise.following else {}),
        }
    if view.menu_choices:
        fields["menu"] = {
            cell: {"kind": kind, "name": name, "usual": is_usual}
            for cell, (kind, name, is_usual) in view.menu_choices.items()
        }
    return fields


def exercises_message(courses: Sequence[Course], language: str = "en") -> dict[str, Any]:
    """The exercises of a board by name and title, and which of them were done; there may be hundreds."""
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
    """All that there is to know of one exercise before it begins.

    Args:
        courses: the exercises of the board.
        names: of the course and of the exercise.
        language: of the reader.

    Raises:
        PondError: there is no such exercise.
    """
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
