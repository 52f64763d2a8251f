"""Requests to programs for actions and hints, and rules for people's requests in games against programs.

Answers arrive in the queue of the main loop.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from operator import attrgetter
from typing import NamedTuple

from pond_hw.board import Touch
from pond_hw.engine import MakePlayer, Player, PlayerPair, SeatedPlayers
from pond_hw.engine.hints import Advice, Adviser
from pond_hw.messages.message import Message
from pond_hw.rules import LIGHT, Action, Position, Record, Side, legal_actions
from pond_hw.session import ExerciseRun, Hint, Session, SessionEvent
from pond_hw.session import session_events as events

PACE_SECONDS = 1.8
"""Minimum time in seconds that a turn stays visible before a program plays the next one."""

OPPONENT_SEED = 1
"""Random seed for the opponent in exercises. Constant, so that the opponent plays the same way in every attempt."""

_question_fields = attrgetter("variant", "custom_start", "turns", "declared_outcome", "is_exercise_prompt_open")
"""Session fields that a request to a player depends on."""


class PlayerAnswer(NamedTuple):
    """A player's answer to the request with number `question_number`."""

    question_number: int
    action: Action


class AdviserAnswer(NamedTuple):
    """The adviser's answer to the request for `wanted_hint`."""

    wanted_hint: Hint
    advice: Advice


class PlayerQuestion:
    """Request for an action from the player to move. There is at most one at a time.

    Args:
        put_answer: called with the player's answer, from any thread.

    Attributes:
        asked_player: player that has been asked, or None.
        pending_answer: answer that has not been played yet, or None.
    """

    def __init__(self, put_answer: Callable[[PlayerAnswer], None]) -> None:
        self._put = put_answer
        self._question_number = 0
        self.asked_player: Player | None = None
        self.pending_answer: PlayerAnswer | None = None

    def ask_if_needed(self, session: Session, players: PlayerPair) -> None:
        """Ask the program to move if it is its turn and it has not been asked yet."""
        if self.asked_player or session.outcome or session.is_exercise_prompt_open:
            return
        if player := players[session.position.to_move]:
            self.ask_player(player, session.record)

    def ask_player(self, player: Player, game_record: Record) -> None:
        """Ask a player for an action. If that fails, answer with the first legal action."""
        self._question_number += 1
        self.asked_player = player
        number = self._question_number
        try:
            player.request_action(game_record, lambda action: self._put(PlayerAnswer(number, action)))
        except Exception:
            self._put(PlayerAnswer(number, legal_actions(game_record.position)[0]))  # the game goes on
            raise

    def store_answer(self, answer: PlayerAnswer, position: Position) -> None:
        """Store an answer, unless its request has been dropped.

        Raises:
            ValueError: if the action is illegal. The first legal action is stored instead.
        """
        if answer.question_number != self._question_number or not self.asked_player:
            return
        legal = legal_actions(position)
        self.pending_answer = answer
        if answer.action not in legal:
            self.pending_answer = answer._replace(action=legal[0])  # the game goes on
            raise ValueError(f"{self.asked_player.name} answered {answer.action}")

    def answer_due(self, session: Session) -> float:
        """Return the time at which the answer is played, or infinity if there is no answer or the session must wait."""
        if not self.pending_answer or session.trouble or session.is_undecided:
            return inf
        return session.changed_at + PACE_SECONDS if session.turns else 0.0

    def drop_if_outdated(self, before: Session, session: Session) -> None:
        """Drop the request if the game has changed since it was made."""
        if _question_fields(session) != _question_fields(before):
            self.drop()

    def drop(self) -> None:
        """Stop the player and discard its answer."""
        asked, self.asked_player, self.pending_answer = self.asked_player, None, None
        if asked:
            asked.stop()


def find_follow_due(follow: events.FollowGame, session: Session) -> float:
    """Return the time at which the board follows a linked game, or infinity while the session must wait."""
    if session.trouble:
        return inf
    if session.linked_game != follow.game or session.resume_prompt:
        return 0.0
    if session.is_undecided:
        return inf
    return session.changed_at + PACE_SECONDS if session.turns and follow.actions else 0.0


class AdviserQuestion:
    """Request to the adviser for a hint. There is at most one at a time.

    Args:
        adviser: engine for hints.
        put_answer: called with the adviser's answer, from any thread.
    """

    def __init__(self, adviser: Adviser, put_answer: Callable[[AdviserAnswer], None]) -> None:
        self.adviser, self._put = adviser, put_answer
        self._wanted_hint: Hint | None = None

    def follow_session(self, session: Session) -> None:
        """Ask for a hint when the session wants one, and stop the adviser when it no longer does."""
        hint = session.hint
        wanted = hint if hint and hint.action is None else None
        if wanted is self._wanted_hint:
            return
        before, self._wanted_hint = self._wanted_hint, wanted
        if before is not None:
            self.adviser.stop()
        if wanted is not None:
            self.adviser.request_advice(session.record, lambda advice: self._put(AdviserAnswer(wanted, advice)))

    def is_awaited(self, answer: AdviserAnswer) -> bool:
        """Return True if an answer belongs to the current request."""
        return answer.wanted_hint is self._wanted_hint

    def close(self) -> None:
        self._wanted_hint = None
        self.adviser.close()


class ExerciseOpponent:
    """Program that plays against the learner in an exercise.

    Args:
        make_player: factory of players.
    """

    def __init__(self, make_player: MakePlayer) -> None:
        self._make_player = make_player
        self._name: str | None = None
        self._player: Player | None = None

    def find_players(self, run: ExerciseRun | None) -> PlayerPair | None:
        """Return the players of an exercise, with None for the learner. Return None if there is no exercise."""
        if run is None:
            return None
        if run.exercise.opponent != self._name:
            self.close()
            self._name = run.exercise.opponent
            self._player = self._make_player(self._name, OPPONENT_SEED) if self._name else None
        if run.refutation:  # the exercise provides the replies itself
            return None, None
        return (None, self._player) if run.learner is LIGHT else (self._player, None)

    def close(self) -> None:
        if self._player:
            self._player.close()
        self._name = self._player = None


def adapt_event(event: SessionEvent, session: Session, players: PlayerPair) -> SessionEvent:
    """Adapt a person's request to a game against a program.

    Requests out of turn are refused. An undo or redo is extended to a position in which a person is to move. Other
    events are returned unchanged.
    """
    people, to_move = SeatedPlayers(players).human_sides, session.position.to_move
    if len(people) == 2 or (session.board_state and isinstance(event, Touch)):
        return event  # the session checks whose piece was moved
    request, player = session.permission, players[to_move]
    if request and isinstance(event, Touch) and request.is_answer(event):
        return event
    if player and not session.outcome and not session.resume_prompt:
        if request and isinstance(event, Touch) and event.down:  # another cell only denies the request
            return events.WithdrawRequest(request.event.number, event.instant)
        event = _refuse_out_of_turn(event, Message("seats.wait", side=str(to_move), player=player.name))
    return _adapt_request(event, session, people, players)


def _adapt_request(
    event: SessionEvent, session: Session, people: tuple[Side, ...], players: PlayerPair
) -> SessionEvent:
    """Adapt an undo, redo, resignation or draw to a game against a program."""
    match event:
        case events.UndoTurns(_, turns) if people and not session.declared_outcome:
            return event._replace(turn_count=_count_turns_to_person(people, turns, session, len(session.turns)))
        case events.RedoTurns(_, turns) if people:
            return event._replace(turn_count=_count_turns_to_person(people, turns, session, len(session.undone_turns)))
        case events.ResignGame(at, None) if people:
            return events.ResignGame(at, people[0])
        case events.AgreeDraw(at) if session.position_count < 3 and not session.linked_game:
            others = tuple(player.name for player in players if player)
            return events.RequestRefused(Message("seats.no_draw", players=others, count=len(others)), at)
    return event


def _refuse_out_of_turn(event: SessionEvent, message: Message) -> SessionEvent:
    """Replace an event that only the player to move may cause with a refusal. Return any other event unchanged."""
    match event:
        case Touch(cell, True, at):
            return events.RequestRefused(message, at, cell)
        case events.TakeAction(action, at, _):
            return events.RequestRefused(message, at, action.target)
        case events.AskHint(at):
            return events.RequestRefused(message, at)
    return event


def _count_turns_to_person(people: tuple[Side, ...], turns: int, session: Session, max_turns: int) -> int:
    """Return the smallest number of turns, starting from `turns`, after which a person is to move."""
    while turns < max_turns and Side((session.position.to_move + turns) % 2) not in people:
        turns += 1
    return turns
