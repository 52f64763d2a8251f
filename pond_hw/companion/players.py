"""People and programs at the table, and what an event means when one of the players is a program."""

from __future__ import annotations

from pond_hw.board import Touch
from pond_hw.engine import Player, PlayerNames, SeatedPlayers
from pond_hw.messages.message import Message
from pond_hw.rules import Side
from pond_hw.session import Session, SessionEvent
from pond_hw.session import session_events as events

PlayerPair = tuple[Player | None, Player | None]
"""The programs that play light and dark; None for a person."""


def list_human_sides(players: PlayerPair) -> tuple[Side, ...]:
    """Return the sides that people play."""
    return tuple(side for side in Side if players[side] is None)


def list_people_names(seated: SeatedPlayers) -> PlayerNames:
    """Return the names of the people at light and dark; None for a program, and where no name is known."""
    light, dark = (None if player else name for player, name in zip(*seated, strict=True))
    return light, dark


def list_program_names(players: PlayerPair) -> PlayerNames:
    """Return the names of the programs at light and dark; None for a person."""
    light, dark = (player.name if player else None for player in players)
    return light, dark


def name_sides(seated: SeatedPlayers) -> dict[str, str | None]:
    """Return the players of light and dark as the journal stores them: the names of programs and people alike."""
    return {str(side): player.name if player else name for side, player, name in zip(Side, *seated, strict=True)}


def adapt_event(event: SessionEvent, session: Session, players: PlayerPair) -> SessionEvent:
    """Return what an event means while programs play: a refusal, or more turns taken back, or the same event."""
    people, to_move = list_human_sides(players), session.position.to_move
    if len(people) == 2 or (session.board_state and isinstance(event, Touch)):
        return event  # the session itself decides whose piece was moved by hand
    request, player = session.permission, players[to_move]
    if request and isinstance(event, Touch) and request.is_answer(event):
        return event
    if player and not session.outcome and not session.resume_prompt:
        if request and isinstance(event, Touch) and event.down:  # which says no, and is nothing else
            return events.WithdrawRequest(request.asked.number, event.instant)
        event = _refuse_out_of_turn(event, Message("seats.wait", side=str(to_move), player=player.name))
    return _adapt_request(event, session, people, players)


def _adapt_request(
    event: SessionEvent, session: Session, people: tuple[Side, ...], players: PlayerPair
) -> SessionEvent:
    """Return what undo, redo, resigning and a draw mean against a program, or between two."""
    match event:
        case events.UndoTurns(_, turns) if people and not session.declared_outcome:
            return event._replace(turn_count=_count_turns_to_person(people, turns, session, len(session.turns)))
        case events.RedoTurns(_, turns) if people:
            return event._replace(turn_count=_count_turns_to_person(people, turns, session, len(session.undone_turns)))
        case events.ResignGame(at, None) if people:
            return events.ResignGame(at, people[0])
        case events.AgreeDraw(at) if session.position_count < 3:
            others = tuple(player.name for player in players if player)
            return events.RequestRefused(Message("seats.no_draw", players=others, count=len(others)), at)
    return event


def _refuse_out_of_turn(event: SessionEvent, message: Message) -> SessionEvent:
    """Return a refusal in place of what only the player to move may do or ask."""
    match event:
        case Touch(cell, True, at):
            return events.RequestRefused(message, at, cell)
        case events.TakeAction(action, at, _):
            return events.RequestRefused(message, at, action.target)
        case events.AskHint(at):
            return events.RequestRefused(message, at)
    return event


def _count_turns_to_person(people: tuple[Side, ...], turns: int, session: Session, max_turns: int) -> int:
    """Count the turns to go back (or forth), at least `turns`, until a person is to move."""
    while turns < max_turns and Side((session.position.to_move + turns) % 2) not in people:
        turns += 1
    return turns


def close_players(players: PlayerPair) -> None:
    """End the programs that play."""
    for player in players:
        if player:
            player.close()
