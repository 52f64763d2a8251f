"""Parts of a game as JSON, as several lines of the protocol tell them. Pure."""

from __future__ import annotations

from typing import Any

from pond_hw.rules import Outcome, Side, Turn
from pond_hw.session import ConfirmWindow, Hint
from pond_hw.session.intents import Moves, PendingConfirmation, TakeBack
from pond_hw.session.occupancy_view import OccupancyView
from pond_hw.session.permission import PermissionView


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
    """What somebody who is not at the board waits for: the cell to press, how many have been pressed of how many."""
    return {
        "cell": permission.cell,
        "pressed": permission.pressed_count,
        "of": permission.cell_count,
        "until": round_instant(permission.until),
    }


def by_side(side_pair: tuple[object, object]) -> dict[str, object]:
    """Something of each side."""
    return {str(side): side_pair[side] for side in Side}


def round_instant(now: float) -> float:
    """Seconds to the microsecond, so that sums of waits read as people would write them."""
    return round(now, 6)
