"""Answers to questions, and the question to a player that is open, until the time of its answer has come."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pond_hw.engine import Player
from pond_hw.engine.hints import Advice
from pond_hw.rules import Action, Position, Record, legal_actions
from pond_hw.session import Hint


class PlayerAnswer(NamedTuple):
    """What a player says, to the question that was asked with this number."""

    question_number: int
    action: Action


class AdviserAnswer(NamedTuple):
    """What the adviser says, and the hint that was still without an action when it was asked."""

    wanted_hint: Hint
    advice: Advice


class PlayerQuestion:
    """One question at a time.

    Args:
        put_answer: where a player's answer goes, from whatever thread.

    Attributes:
        asked_player: who was asked and is still waited for, or None.
        pending_answer: the answer, until its time has come.
    """

    def __init__(self, put_answer: Callable[[PlayerAnswer], None]) -> None:
        self._put = put_answer
        self._question_number = 0
        self.asked_player: Player | None = None
        self.pending_answer: PlayerAnswer | None = None

    def ask_player(self, player: Player, game_record: Record) -> None:
        """Ask what a player does next; one who fails is taken to have answered with the first legal action."""
        self._question_number += 1
        self.asked_player = player
        number = self._question_number
        try:
            player.request_action(game_record, lambda action: self._put(PlayerAnswer(number, action)))
        except Exception:
            self._put(PlayerAnswer(number, legal_actions(game_record.position)[0]))  # the game goes on
            raise

    def store_answer(self, answer: PlayerAnswer, position: Position) -> None:
        """Keep an answer, unless it is to a question that nobody asks any more.

        Raises:
            ValueError: it is no legal action; the first one is kept in its place.
        """
        if answer.question_number != self._question_number or not self.asked_player:
            return
        legal = legal_actions(position)
        self.pending_answer = answer
        if answer.action not in legal:
            self.pending_answer = answer._replace(action=legal[0])  # the game goes on
            raise ValueError(f"{self.asked_player.name} answered {answer.action}")

    def forget_question(self) -> None:
        """Nobody waits for the answer any more."""
        asked, self.asked_player, self.pending_answer = self.asked_player, None, None
        if asked:
            asked.stop()
