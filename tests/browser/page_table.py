"""A page with its own board in simulated time, and a thinker that answers at once."""

import json
from random import Random

from pond_hw.browser.page_board import BoardStart, PageBoard
from pond_hw.companion import SimulatedClock
from pond_hw.engine.worker import answer_line
from pond_hw.rules import Position, parse_variant


class PageTable:
    """A page in front of its board.

    Args:
        folder: folder for saved games; None to save nothing.
        seed: seed of the programs.
        start: fields of `BoardStart`.

    Attributes:
        shown: latest message of each type, as the page keeps them.
        answers: all messages since the last call of `hear`.
        questions: questions that the thinker has not answered yet.
    """

    def __init__(self, folder=None, seed=0, **start):
        self.clock, self.questions, self.restarts = SimulatedClock(), [], 0
        self.shown, self.answers, self.turns = {}, [], []
        self.board = PageBoard(
            folder, self.questions.append, self._restart, start=BoardStart(**start), clock=self.clock, rng=Random(seed)
        )
        self.read_news()

    def _restart(self):
        self.questions.clear()
        self.restarts += 1

    @staticmethod
    def answer_question(text):
        return answer_line(text)

    def read_news(self):
        for text in self.board.news():
            message = json.loads(text)
            self.answers.append(message)
            self.shown[message["type"]] = message
            if message["type"] == "turns":
                self.turns[message["from"] :] = message["turns"]

    def send(self, **fields):
        """Send a message, and handle everything that is due at once."""
        self.answers = []
        self.board.hear(json.dumps(fields))
        self.pump()
        return self.answers

    def pump(self):
        """Let the board and the thinker work until both have nothing to do at this time."""
        self.board.pump()
        while self.questions:
            self.board.hear_answer(self.answer_question(self.questions.pop(0)))
            self.board.pump()
        self.read_news()

    def wait(self, seconds):
        end = self.clock.now() + seconds
        while self.clock.now() < end:
            self.clock.advance_to(min(end, self.clock.now() + max(self.board.pump(), 0.01)))
            self.pump()

    def play(self, action):
        return self.send(command="action", action=action)

    @property
    def state(self):
        return self.shown["state"]

    @property
    def variant(self):
        return parse_variant(self.state["variant"])

    @property
    def to_move(self):
        return str(Position.from_notation(self.state["position"], self.variant).to_move)

    @property
    def is_persons_turn(self):
        players = self.shown["hello"].get("players") or {}
        return players.get(self.to_move) is None and bool(self.state["legal"])

    @property
    def actions(self):
        return [turn["action"] for turn in self.turns]

    @property
    def refusals(self):
        return [each["message"] for each in self.answers if each["type"] == "refused"]
