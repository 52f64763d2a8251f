"""Who sits at the table, and what may be asked for when some of those are programs."""

from __future__ import annotations

from pond_hw.board import Touch
from pond_hw.engine import Player, PlayerNames
from pond_hw.messages.message import Message
from pond_hw.rules import Side
from pond_hw.session import Session, SessionEvent
from pond_hw.session import session_events as events

PlayerPair = tuple[Player | None, Player | None]
"""For light and for dark the player who answers, or None for a person."""


def list_human_sides(players: PlayerPair) -> tuple[Side, ...]:
    """The sides that people play."""
    return tuple(side for side in Side if players[side] is None)


def list_people_names(players: PlayerPair, names: PlayerNames) -> PlayerNames:
    """What the people at light and dark are called; None for one who has not said it, and for a program."""
    light, dark = (None if player else name for player, name in zip(players, names, strict=True))
    return light, dark


def name_seats(players: PlayerPair, names: PlayerNames) -> dict[str, str | None]:
    """Who plays light and dark, as the journal has it: programs by their names, and people by theirs."""
    pairs = zip(Side, players, names, strict=True)
    return {str(side): player.name if player else name for side, player, name in pairs}


def adapt_event(event: SessionEvent, session: Session, players: PlayerPair) -> SessionEvent:
    """What an event means when some of those at the table are not people."""
    people, to_move = list_human_sides(players), session.position.to_move
    if len(people) == 2 or (session.board_state and isinstance(event, Touch)):
        return event  # what is felt is felt; the session knows who acts by hand
    request = session.permission
    if request and isinstance(event, Touch) and request.is_answer(event):
        return event
    player = players[to_move]
    if player and not session.outcome and not session.resume_prompt:
        if request and isinstance(event, Touch) and event.down:  # which says no, and is nothing else
            return events.WithdrawRequest(request.asked.number, event.instant)
        event = _refuse_out_of_turn(event, Message("seats.wait", side=str(to_move), player=player.name))
    match event:
        case events.UndoTurns(_, turns) if people and not session.declared_outcome:
            return event._replace(turn_count=_count_turns_to_person(people, turns, to_move, len(session.turns)))
        case events.RedoTurns(_, turns) if people:
            return event._replace(turn_count=_count_turns_to_person(people, turns, to_move, len(session.undone_turns)))
        case events.ResignGame(at, None) if people:
            return events.ResignGame(at, people[0])
        case events.AgreeDraw(at) if session.position_count < 3:
            others = tuple(player.name for player in players if player)
            return events.RequestRefused(Message("seats.no_draw", players=others, count=len(others)), at)
    return event


def _refuse_out_of_turn(event: SessionEvent, message: Message) -> SessionEvent:
    """A refusal in place of what only the player who is to move may do, or be advised to do."""
    match event:
        case Touch(cell, True, at):
            return events.RequestRefused(message, at, cell)
        case events.TakeAction(action, at, _):
            return events.RequestRefused(message, at, action.target)
        case events.AskHint(at):
            return events.RequestRefused(message, at)
    return event


def _count_turns_to_person(people: tuple[Side, ...], turns: int, to_move: Side, most_turns: int) -> int:
    """How many turns to go back (or forth), at least `turns`, so that a person is to move."""
    while turns < most_turns and Side((to_move + turns) % 2) not in people:
        turns += 1
    return turns


def close_players(players: PlayerPair) -> None:
    """Let those who answer for the sides go."""
    for player in players:
        if player:
            player.close()
