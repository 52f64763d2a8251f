"""Tests of programs that play or advise, and of people's requests in games against programs."""

from math import inf

import pytest

from pond_hw.board import Touch
from pond_hw.companion.program_players import PACE_SECONDS, AdviserQuestion, PlayerAnswer, PlayerQuestion, adapt_event
from pond_hw.engine import make_player
from pond_hw.messages.message import Message
from pond_hw.rules import DARK, STANDARD, VARIANTS, Action, Position, Record, legal_actions
from pond_hw.session import (
    AgreeDraw,
    AskHint,
    NewGame,
    RequestRefused,
    ResignGame,
    Session,
    TakeAction,
    TroubleChanged,
    UndoTurns,
)

START = Position.start(STANDARD)
ACTION = Action.from_notation("@b2")


class Silent:
    name, stopped = "Silent", 0

    def request_action(self, game, answer):
        self.answer = answer

    def stop(self):
        self.stopped += 1


def test_answer_is_stored_until_its_request_is_dropped():
    answers, player = [], Silent()
    question = PlayerQuestion(answers.append)
    question.ask_player(player, Record())
    player.answer(ACTION)
    question.store_answer(answers[0], START)
    assert question.pending_answer.action == ACTION
    question.drop()
    assert (question.pending_answer, question.asked_player, player.stopped) == (None, None, 1)
    question.store_answer(answers[0], START)
    assert question.pending_answer is None


def test_answer_to_an_earlier_request_is_ignored():
    question = PlayerQuestion(lambda answer: None)
    for _ in range(2):
        question.ask_player(Silent(), Record())
    question.store_answer(PlayerAnswer(1, ACTION), START)
    assert question.pending_answer is None


def test_illegal_answer_becomes_first_legal_action():
    question = PlayerQuestion(lambda answer: None)
    question.ask_player(Silent(), Record())
    with pytest.raises(ValueError, match="Silent answered b2b3"):
        question.store_answer(PlayerAnswer(1, Action.from_notation("b2b3")), START)
    assert question.pending_answer.action == legal_actions(START)[0]


class Adviser(Silent):
    """Adviser that answers only when the test tells it to."""

    def __init__(self):
        self.asked = []

    def request_advice(self, game, answer):
        self.asked.append((game, answer))

    def close(self):
        self.is_closed = True


def test_adviser_is_asked_once_and_stopped():
    adviser, answers = Adviser(), []
    question = AdviserQuestion(adviser, answers.append)
    session = Session.start_game(STANDARD)
    question.follow_session(session)
    assert adviser.asked == []
    thinking = session.after(AskHint(0.0))
    for _ in range(2):
        question.follow_session(thinking)
    [(game, answer)] = adviser.asked
    assert game.position == START
    answer("advice")
    assert question.is_awaited(answers[0])
    question.follow_session(thinking.after(TakeAction(ACTION, 0.0)))
    assert (adviser.stopped, question.is_awaited(answers[0])) == (1, False)


def test_closed_adviser_request_awaits_nothing():
    adviser, answers = Adviser(), []
    question = AdviserQuestion(adviser, answers.append)
    question.follow_session(Session.start_game(STANDARD).after(AskHint(0.0)))
    question.close()
    adviser.asked[0][1]("advice")
    assert adviser.is_closed
    assert not question.is_awaited(answers[0])


@pytest.mark.parametrize("change", [TakeAction(ACTION, 0.0), NewGame(VARIANTS["mini"], 0.0), ResignGame(0.0)])
def test_request_is_dropped_when_the_game_changes(change):
    before, player = Session.start_game(STANDARD), Silent()
    question = PlayerQuestion(lambda answer: None)
    question.ask_if_needed(before, (player, None))
    question.drop_if_outdated(before, before.after(AskHint(0.0)))
    assert question.asked_player is player
    question.drop_if_outdated(before, before.after(change))
    assert (question.asked_player, player.stopped) == (None, 1)


def test_answer_waits_during_pause_and_trouble():
    session = Session.start_game(STANDARD).after(TakeAction(ACTION, 5.0))
    question = PlayerQuestion(lambda answer: None)
    question.ask_if_needed(session, (None, Silent()))
    assert question.answer_due(session) == inf
    question.store_answer(PlayerAnswer(1, Action.from_notation("@c3")), session.position)
    assert question.answer_due(session) == 5.0 + PACE_SECONDS
    assert question.answer_due(session.after(TroubleChanged(Message("trouble.over"), 6.0))) == inf


# Requests in games against a program


AGAINST_DARK = (None, make_player("greedy", 0))
DARK_TO_MOVE = Session.start_game(STANDARD).after(TakeAction(ACTION, 0.0))
LIGHT_TO_MOVE = DARK_TO_MOVE.after(TakeAction(Action.from_notation("@c3"), 0.0))


@pytest.mark.parametrize("event", [Touch("a1", True, 1.0), TakeAction(ACTION, 1.0), AskHint(1.0)])
def test_actions_for_a_program_are_refused(event):
    refused = adapt_event(event, DARK_TO_MOVE, AGAINST_DARK)
    assert isinstance(refused, RequestRefused)
    assert refused.message == Message("seats.wait", side="dark", player="greedy")
    assert adapt_event(event, LIGHT_TO_MOVE, AGAINST_DARK) is event


def test_undo_goes_back_to_human_turn():
    assert adapt_event(UndoTurns(1.0), LIGHT_TO_MOVE, AGAINST_DARK) == UndoTurns(1.0, 2)
    assert adapt_event(UndoTurns(1.0), DARK_TO_MOVE, AGAINST_DARK) == UndoTurns(1.0, 1)


def test_resignation_counts_for_the_person():
    assert adapt_event(ResignGame(1.0), DARK_TO_MOVE, AGAINST_DARK).side is not DARK


def test_program_refuses_early_draw():
    refused = adapt_event(AgreeDraw(1.0), LIGHT_TO_MOVE, AGAINST_DARK)
    assert refused.message == Message("seats.no_draw", players=("greedy",), count=1)


def test_events_between_two_people_are_unchanged():
    event = AgreeDraw(1.0)
    assert adapt_event(event, LIGHT_TO_MOVE, (None, None)) is event
