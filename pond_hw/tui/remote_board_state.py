"""What a board that is served elsewhere feels, and what that comes to there, made into the same `Wood` again.

What is told may be of another instant than the game that it is laid over; what does not fit is left out.
"""

from __future__ import annotations

from dataclasses import replace

from pond_hw.rules import Action, Cell, Piece, PondError, grid
from pond_hw.server.decoding import NotUnderstood, Told
from pond_hw.session import Hold, Session, Wood
from pond_hw.session.intents import About, Back, Choosing, Difference, Differs, InHand, OpenMenu, Reading, Rest, Taken
from pond_hw.session.interpretation import FURTHER_SECONDS, HOLD_SECONDS, read
from pond_hw.session.repair import Step


def with_wood(session: Session, record: Told) -> Session:
    """A session that a `record` told of, with all that it tells of the wood.

    Raises:
        NotUnderstood: it tells something that makes no sense.
    """
    if session.wood is None:
        return session
    try:
        told = record["wood"]
        leaving = _leaving(session, _cells(told["take_off"], session.size))
        lifted = session.wood.turning - session.wood.felt
        wood = replace(session.wood, agreed=True, leaving=leaving, lifted=lifted)
        session = replace(session, wood=wood)
        reading, until = _reading(session, wood, told)
        seconds = reading.seconds if isinstance(reading, About) else 0.0
        hold = None if until is None else Hold(until - seconds, until)
        return replace(session, wood=replace(wood, reading=reading, hold=hold))
    except NotUnderstood:
        raise
    except (AttributeError, KeyError, TypeError, ValueError, PondError) as error:
        raise NotUnderstood("What it says of its pieces is not understood.") from error


def _leaving(session: Session, cells: frozenset[Cell]) -> dict[Cell, Piece]:
    """The scored pieces that have to be taken off: what stood there when it was scored last."""
    found: dict[Cell, Piece] = {}
    for turn in session.turns:
        found |= {cell: turn.standing[cell] for run in turn.sets for cell in run if cell in cells}
    return found


def _reading(session: Session, wood: Wood, told: Told) -> tuple[Reading, float | None]:
    """What all that is felt comes to there; and when it will count, if it is announced."""
    size = session.size
    if told["about"] is not None:
        about, until = _about(session, told["about"]), told["about"]["at"]
        if until is not None and not isinstance(until, int | float):
            raise TypeError(until)
        return (about, until) if about else (Rest(), None)
    if told["menu"] is not None:
        there = wood.felt & _cells(list(told["menu"]), size)
        return Choosing(*there) if len(there) == 1 else Choosing(), None
    if told["next"] is not None:
        parts = (_cells(told[part], size) for part in ("missing", "extra", "strangers"))
        source, target = (_cell_or_none(told["next"][end], size) for end in ("from", "to"))
        before = session.turns[-1].before.pieces if session.turns else {}
        back = target not in session.position.pieces and target in before
        known = target is None or back or target in session.position.pieces
        return (Differs(Difference(*parts), (Step(source, target),), back) if known else Rest()), None
    reading = read(session, wood)
    return (reading if isinstance(reading, InHand) else Rest()), None


def _about(session: Session, told: Told) -> About | None:
    """What is announced, if it can be done in the game as we know it."""
    if "actions" in told:
        actions = tuple(Action.read(action) for action in told["actions"])
        fits = len(actions) in (1, 2) and actions[0] in session.legal
        return About(Taken(actions), HOLD_SECONDS) if fits else None
    if "back" in told:
        turns = int(told["back"])
        fits = 1 <= turns <= len(session.turns)
        return About(Back(turns), HOLD_SECONDS if turns == 1 else FURTHER_SECONDS) if fits else None
    return About(OpenMenu(), HOLD_SECONDS)


def _cells(told: list[object], size: int) -> frozenset[Cell]:
    return frozenset(filter(None, (_cell_or_none(cell, size) for cell in told)))


def _cell_or_none(told: object, size: int) -> Cell | None:
    if told is not None and told not in grid(size).bit:
        raise ValueError(told)
    return None if told is None else str(told)
