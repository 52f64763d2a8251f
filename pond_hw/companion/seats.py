"""Who sits at the table, and what may be asked for when some of those are programs."""

from __future__ import annotations

from pond_hw.board import Touch
from pond_hw.engine import Player
from pond_hw.rules import Side
from pond_hw.session import (
    AgreeDraw,
    AskHint,
    RedoTurns,
    RequestRefused,
    ResignGame,
    Session,
    SessionEvent,
    TakeAction,
    UndoTurns,
)

PlayerPair = tuple[Player | None, Player | None]
"""For light and for dark the player who answers, or None for a person."""


def list_human_sides(players: PlayerPair) -> tuple[Side, ...]:
    """The sides that people play."""
    return tuple(side for side in Side if players[side] is None)


def adapt_event(event: SessionEvent, session: Session, players: PlayerPair) -> SessionEvent:
    """What an event means when some of those at the table are not people."""
    people = list_human_sides(players)
    if len(people) == 2:
        return event
    to_move = session.position.to_move
    waited_for = None if session.outcome or session.resume_prompt else players[to_move]
    busy = f"It is {to_move}'s turn: {waited_for.name} is about to act." if waited_for else ""
    match event:
        case Touch() if session.board_state:
            return event  # what is felt is felt; the session knows who acts by hand
        case Touch(cell, True, at) if busy:
            return RequestRefused(busy, at, cell)
        case TakeAction(action, at) if busy:
            return RequestRefused(busy, at, action.target)
        case AskHint(at) if busy:
            return RequestRefused(f"{busy} Ask when it is yours.", at)
        case UndoTurns(at, turns) if people and not session.declared_outcome:
            return UndoTurns(at, _count_turns_to_person(people, turns, to_move, len(session.turns)))
        case RedoTurns(at, turns) if people:
            return RedoTurns(at, _count_turns_to_person(people, turns, to_move, len(session.undone_turns)))
        case ResignGame(at, None) if len(people) == 1:
            return ResignGame(at, people[0])
        case AgreeDraw(at) if session.position_count < 3:
            others = [player.name for player in players if player]
            agree = f"{others[0]} agrees" if len(others) == 1 else f"{' and '.join(others)} agree"
            return RequestRefused(f"No draw: {agree} to one when a position has come up three times.", at)
    return event


def _count_turns_to_person(people: tuple[Side, ...], turns: int, to_move: Side, most: int) -> int:
    """How many turns to go back (or forth), at least `turns`, so that a person is to move."""
    while turns < most and Side((to_move + turns) % 2) not in people:
        turns += 1
    return turns
