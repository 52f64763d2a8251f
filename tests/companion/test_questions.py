"""One question to a player at a time, and its answer."""

import pytest

from pond_hw.companion.questions import PlayerAnswer, PlayerQuestion
from pond_hw.rules import STANDARD, Action, Position, Record, legal_actions

START = Position.start(STANDARD)
ACTION = Action.from_notation("@b2")


class Silent:
    name, stopped = "Silent", 0

    def request_action(self, game, answer):
        self.answer = answer

    def stop(self):
        self.stopped += 1


def test_an_answer_is_kept_until_the_question_is_forgotten():
    answers, player = [], Silent()
    question = PlayerQuestion(answers.append)
    question.ask_player(player, Record())
    player.answer(ACTION)
    question.store_answer(answers[0], START)
    assert question.pending_answer.action == ACTION
    question.forget_question()
    assert (question.pending_answer, question.asked_player, player.stopped) == (None, None, 1)
    question.store_answer(answers[0], START)
    assert question.pending_answer is None


def test_an_answer_to_an_earlier_question_is_none():
    question = PlayerQuestion(lambda answer: None)
    for _ in range(2):
        question.ask_player(Silent(), Record())
    question.store_answer(PlayerAnswer(1, ACTION), START)
    assert question.pending_answer is None


def test_in_place_of_an_illegal_answer_the_first_legal_action_is_kept():
    question = PlayerQuestion(lambda answer: None)
    question.ask_player(Silent(), Record())
    with pytest.raises(ValueError, match="Silent answered b2b3"):
        question.store_answer(PlayerAnswer(1, Action.from_notation("b2b3")), START)
    assert question.pending_answer.action == legal_actions(START)[0]
