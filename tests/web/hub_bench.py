"""A hub of pages with a board that the test controls."""

import json

from pond_hw.engine.analysis import MoveReview, review_to_json
from pond_hw.engine.worker_client import WorkerClient
from pond_hw.rules import LIGHT, STANDARD, Action
from pond_hw.server import protocol
from pond_hw.session import Session, TakeAction
from pond_hw.web.board_link import BoardLink
from pond_hw.web.page_hub import PageHub
from pond_hw.web.page_requests import parse_page_request
from pond_hw.web.seat_access import SeatAccess
from pond_hw.web.seat_book import SeatBook, make_token
from pond_hw.web.visitor import Visitor


class FakeBoardLink(BoardLink):
    """Link to a board that the test controls and whose requests it records."""

    def __init__(self):
        super().__init__()
        self.heard = []

    def send(self, request):
        self.heard.append(request)
        return self.state is not None


class HubBench:
    """A hub with a fake board. `make_access` makes its access from the link to the board."""

    def __init__(self, make_access, make_worker=WorkerClient):
        self.board, self.now = FakeBoardLink(), 0.0
        self.heard = self.board.heard
        self.access = make_access(self.board)
        self.hub = PageHub(self.board, self.access, make_worker)
        self.session = Session.start_game(STANDARD)
        self.contexts = []
        self.receive_line(protocol.hello_message(self.session, 4, {"names": {"light": "Ada", "dark": "Ben"}}))
        self.receive_state()

    def receive_line(self, line):
        self.board.handle_line(json.loads(json.dumps(line)))  # in the form in which it comes from a socket

    def receive_state(self, **more):
        self.receive_line(protocol.state_message(self.session.view, self.now) | more)
        self.receive_line(protocol.record_message(self.session.view, self.now))

    def play(self, *actions):
        for action in actions:
            self.now += 1
            self.session = self.session.after(TakeAction(Action.from_notation(action), self.now))
        self.receive_state()

    def add_visitor(self, visitor=None):
        visitor = visitor or Visitor("", None)
        self.contexts.append(self.hub.welcome(visitor))
        self.contexts[-1].__enter__()
        return visitor

    def remove_visitor(self, number=-1):
        self.contexts.pop(number).__exit__(None, None, None)

    def list_messages(self, visitor):
        return {message["type"]: message for message in map(json.loads, self.hub.list_changes(visitor))}

    def open_game(self, visitor, record):
        """Let a visitor open a saved game."""
        self.request(visitor, ask="game", number=1)
        self.receive_line({"type": "game", "number": 1, "record": record})
        return self.list_messages(visitor)["game"]

    def request(self, visitor, **request):
        self.heard.clear()
        self.hub.handle_request(visitor, parse_page_request(json.dumps(request)))
        return self.heard


class ManualWorker:
    """Worker that reviews an action when the test says so, and always finds it good."""

    def __init__(self, megabytes):
        assert megabytes > 0
        self.questions, self.is_open = [], True

    def ask_question(self, question, on_answer):
        self.questions.append((question, on_answer))

    def answer(self, fault=None):
        question, on_answer = self.questions.pop()
        taken = Action.from_notation(question["taken"])
        review = MoveReview(LIGHT, taken, 10, taken, 10, 3, (taken,), ())
        on_answer(None if fault else json.loads(json.dumps(review_to_json(review))))

    def close(self):
        self.is_open = False


class SeatBench(HubBench):
    """A hub with seats."""

    def __init__(self, folder, *, spectators=True, make_worker=WorkerClient):
        self.seat_book = SeatBook(folder / "seats.json")
        super().__init__(lambda board: SeatAccess(board, self.seat_book, spectators=spectators), make_worker)

    def add_visitor(self, *sides, address="192.168.1.9"):
        """Add a visitor, with a seat if sides are given."""
        visitor = Visitor(address, make_token())
        if sides:
            self.seat_book.give_seat(visitor.token, sides)
        return super().add_visitor(visitor)
