"""What a board that is served elsewhere feels, and what that comes to there, made into the same `BoardState` again.

What is told may be of another instant than the game that it is laid over; what does not fit is left out.
"""

from __future__ import annotations

from dataclasses import replace

from pond_hw.rules import Action, Cell, Piece, PondError, get_grid
from pond_hw.server.decoding import InvalidMessage, JsonMessage
from pond_hw.session import BoardState, ConfirmWindow, Session
from pond_hw.session.intents import (
    ChoosingVariant,
    InSync,
    Interpretation,
    Mismatch,
    Moves,
    OpenMenu,
    PendingConfirmation,
    PieceInHand,
    TakeBack,
)
from pond_hw.session.interpretation import CONFIRM_SECONDS, FURTHER_CONFIRM_SECONDS, interpret_occupancy
from pond_hw.session.occupancy import BoardDifference
from pond_hw.session.repair import RepairStep


def with_board_state(session: Session, record: JsonMessage) -> Session:
    """A session that a `record` told of, with all that it tells of the wood.

    Raises:
        InvalidMessage: it tells something that makes no sense.
    """
    if session.board_state is None:
        return session
    try:
        told = record["wood"]
        leaving = _leaving(session, _cells(told["take_off"], session.size))
        lifted = session.board_state.tasks.cells_to_flip - session.board_state.occupancy.occupied_cells
        wood = replace(
            session.board_state,
            tasks=replace(session.board_state.tasks, to_remove=leaving, lifted_to_flip=lifted),
            dialogue=replace(session.board_state.dialogue, was_in_sync=True),
        )
        session = replace(session, board_state=wood)
        reading, until = _reading(session, wood, told)
        seconds = reading.confirm_seconds if isinstance(reading, PendingConfirmation) else 0.0
        hold = None if until is None else ConfirmWindow(until - seconds, until)
        dialogue = replace(wood.dialogue, interpretation=reading, confirm_window=hold)
        return replace(session, board_state=replace(wood, dialogue=dialogue))
    except InvalidMessage:
        raise
    except (AttributeError, KeyError, TypeError, ValueError, PondError) as error:
        raise InvalidMessage("What it says of its pieces is not understood.") from error


def _leaving(session: Session, cells: frozenset[Cell]) -> dict[Cell, Piece]:
    """The scored pieces that have to be taken off: what stood there when it was scored last."""
    found: dict[Cell, Piece] = {}
    for turn in session.turns:
        found |= {cell: turn.pieces_after_develop[cell] for run in turn.sets for cell in run if cell in cells}
    return found


def _reading(session: Session, wood: BoardState, told: JsonMessage) -> tuple[Interpretation, float | None]:
    """What all that is felt comes to there; and when it will count, if it is announced."""
    size = session.size
    if told["about"] is not None:
        about, until = _about(session, told["about"]), told["about"]["at"]
        if until is not None and not isinstance(until, int | float):
            raise TypeError(until)
        return (about, until) if about else (InSync(), None)
    if told["menu"] is not None:
        there = wood.occupancy.occupied_cells & _cells(list(told["menu"]), size)
        return ChoosingVariant(*there) if len(there) == 1 else ChoosingVariant(), None
    if told["next"] is not None:
        parts = (_cells(told[part], size) for part in ("missing", "extra", "strangers"))
        source, target = (_cell_or_none(told["next"][end], size) for end in ("from", "to"))
        before = session.turns[-1].before.pieces if session.turns else {}
        back = target not in session.position.pieces and target in before
        known = target is None or back or target in session.position.pieces
        return (Mismatch(BoardDifference(*parts), (RepairStep(source, target),), back) if known else InSync()), None
    reading = interpret_occupancy(session, wood)
    return (reading if isinstance(reading, PieceInHand) else InSync()), None


def _about(session: Session, told: JsonMessage) -> PendingConfirmation | None:
    """What is announced, if it can be done in the game as we know it."""
    if "actions" in told:
        actions = tuple(Action.from_notation(action) for action in told["actions"])
        fits = len(actions) in (1, 2) and actions[0] in session.allowed_actions
        return PendingConfirmation(Moves(actions), CONFIRM_SECONDS) if fits else None
    if "back" in told:
        turns = int(told["back"])
        fits = 1 <= turns <= len(session.turns)
        return (
            PendingConfirmation(TakeBack(turns), CONFIRM_SECONDS if turns == 1 else FURTHER_CONFIRM_SECONDS)
            if fits
            else None
        )
    return PendingConfirmation(OpenMenu(), CONFIRM_SECONDS)


def _cells(told: list[object], size: int) -> frozenset[Cell]:
    return frozenset(filter(None, (_cell_or_none(cell, size) for cell in told)))


def _cell_or_none(told: object, size: int) -> Cell | None:
    if told is not None and told not in get_grid(size).mask_by_cell:
        raise ValueError(told)
    return None if told is None else str(told)
