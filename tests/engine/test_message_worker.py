"""Workers that share one thinker, in simulated time."""

import json
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pond_hw.engine import make_player
from pond_hw.engine.hints import WorkerAdviser
from pond_hw.engine.message_worker import PATIENCE_SECONDS, SharedWorker
from pond_hw.engine.worker import answer_line
from pond_hw.engine.worker_client import GRACE_SECONDS, MAX_TRIES, game_to_json
from pond_hw.rules import Record, legal_actions

REVIEW = {"judge": {}}


class FakeThinker:
    """Thinker that answers when the test says so. An answer repeats the question.

    Attributes:
        line: Question that it works on, or None.
        late_lines: Answers of replaced thinkers that have not arrived.
    """

    def __init__(self):
        self.now = 0.0
        self.restart_count = 0
        self.line = None
        self.late_lines = []
        self.shared_worker = SharedWorker(self.post, self.restart, lambda: self.now)
        self.make_worker = self.shared_worker.make_worker

    def post(self, text):
        assert self.line is None, "one question at a time"
        self.line = text

    def restart(self):
        self.restart_count += 1
        self.end()

    def end(self):
        """End the thinker. Its answer may still arrive."""
        self.late_lines += filter(None, [self.line])
        self.line = None

    def answer(self):
        text, self.line = self.line, None
        self.shared_worker.receive(text)

    def lose(self):
        self.end()
        self.shared_worker.thinker_lost()

    def start(self):
        """Answer the first line, which has no question, after the time that a start takes."""
        assert self.asked is None
        self.now += 10.0
        self.answer()

    def wait(self, seconds):
        self.now += seconds
        return self.shared_worker.step()

    @property
    def asked(self):
        """Mark of the question that the thinker works on."""
        return json.loads(self.line).get("mark") if self.line else None


@pytest.fixture
def thinker():
    return FakeThinker()


def ask(worker, mark, question=None, **limits):
    """Ask a question with a mark, and return the list of its answers."""
    answers = []
    worker.ask_question({"mark": mark} | (question or {}), answers.append, **limits)
    return answers


def ask_running(thinker, mark, question=None, **limits):
    """Ask a question that the thinker begins to work on."""
    worker = thinker.make_worker(1)
    answers = ask(worker, mark, question, **limits)
    if thinker.asked is None:
        thinker.start()
    assert thinker.asked == mark
    return worker, answers


def test_question_waits_until_thinker_has_started(thinker):
    worker = thinker.make_worker(1)
    abandoned, answers = ask(worker, "a"), ask(worker, "b")
    assert thinker.wait(60) == inf
    thinker.start()
    thinker.answer()
    assert not abandoned
    assert [answer["mark"] for answer in answers] == ["b"]
    assert thinker.restart_count == 0


def test_question_contains_table_size(thinker):
    ask(thinker.make_worker(16), "a")
    thinker.start()
    assert json.loads(thinker.line)["megabytes"] == 16


def test_questions_are_answered_in_order(thinker):
    _, first = ask_running(thinker, "a")
    second = ask(thinker.make_worker(1), "b")
    thinker.answer()
    assert first
    assert not second
    thinker.answer()
    assert second


def test_review_is_asked_last(thinker):
    ask_running(thinker, "a")
    ask(thinker.make_worker(1), "review", REVIEW)
    ask(thinker.make_worker(1), "b")
    thinker.answer()
    assert thinker.asked == "b"
    thinker.answer()
    assert thinker.asked == "review"


def test_late_answer_to_stopped_question_is_ignored(thinker):
    worker, answers = ask_running(thinker, "a")
    worker.stop()
    thinker.answer()
    assert not answers
    assert thinker.line is None


def test_closed_worker_can_ask_again(thinker):
    worker, answers = ask_running(thinker, "a")
    worker.close()
    thinker.answer()
    again = ask(worker, "b")
    thinker.answer()
    assert not answers
    assert again


def test_quick_answer_to_abandoned_question_saves_restart(thinker):
    worker, _ = ask_running(thinker, "a")
    ask(worker, "b")
    begun = thinker.now
    assert thinker.wait(PATIENCE_SECONDS - 0.1) == begun + PATIENCE_SECONDS
    thinker.answer()
    assert thinker.wait(0.2) == inf
    assert (thinker.asked, thinker.restart_count) == ("b", 0)


def test_abandoned_question_is_stopped_by_restart(thinker):
    worker, _ = ask_running(thinker, "a")
    answers = ask(worker, "b")
    assert thinker.wait(PATIENCE_SECONDS) == inf
    assert thinker.restart_count == 1
    thinker.shared_worker.receive(thinker.late_lines.pop())
    thinker.start()
    thinker.answer()
    assert [answer["mark"] for answer in answers] == ["b"]


def test_thinker_may_finish_abandoned_question_while_none_waits(thinker):
    worker, _ = ask_running(thinker, "a")
    worker.stop()
    assert thinker.wait(60) == inf
    assert thinker.restart_count == 0


def test_review_is_interrupted_and_asked_again(thinker):
    _, review = ask_running(thinker, "review", REVIEW)
    answers = ask(thinker.make_worker(1), "a")
    thinker.wait(PATIENCE_SECONDS)
    thinker.start()
    thinker.answer()
    assert answers
    assert not review
    thinker.answer()
    assert review


def test_question_of_dead_thinker_is_asked_again(thinker):
    _, answers = ask_running(thinker, "a")
    thinker.lose()
    thinker.start()
    thinker.answer()
    assert [answer["mark"] for answer in answers] == ["a"]


def test_question_that_kills_thinkers_is_given_up(thinker):
    _, answers = ask_running(thinker, "a")
    other = ask(thinker.make_worker(1), "b")
    for _ in range(MAX_TRIES - 1):
        thinker.lose()
        thinker.start()
    assert not answers
    thinker.lose()
    assert answers == [None]
    thinker.start()
    thinker.answer()
    assert other[0]["mark"] == "b"


def test_question_is_given_up_if_no_thinker_starts(thinker):
    answers = ask(thinker.make_worker(1), "a")
    for _ in range(MAX_TRIES):
        thinker.lose()
    assert answers == [None]
    assert thinker.line is None
    assert thinker.restart_count == MAX_TRIES - 1


def test_idle_thinker_is_replaced_when_next_question_comes(thinker):
    thinker.shared_worker.thinker_lost()
    assert thinker.restart_count == 0
    ask_running(thinker, "a")
    assert thinker.restart_count == 1


def test_frozen_thinker_is_replaced(thinker):
    _, answers = ask_running(thinker, "a", max_seconds=3.0)
    assert thinker.wait(0.0) == thinker.now + 3.0 + GRACE_SECONDS
    for _ in range(MAX_TRIES - 1):
        thinker.wait(3.0 + GRACE_SECONDS)
        thinker.start()
    assert not answers
    thinker.wait(3.0 + GRACE_SECONDS)
    assert answers == [None]
    thinker.answer()  # too late
    ask(thinker.make_worker(1), "b")
    assert thinker.restart_count == MAX_TRIES
    thinker.start()


def test_unusable_answer_becomes_none(thinker):
    answers = []

    def take_answer(answer):
        answers.append(answer and answer["action"])

    thinker.make_worker(1).ask_question({"mark": "a"}, take_answer)
    thinker.start()
    thinker.answer()
    assert answers == [None]


def test_answer_may_lead_to_next_question(thinker):
    worker, answers = thinker.make_worker(1), []
    worker.ask_question({"mark": "a"}, lambda _: worker.ask_question({"mark": "b"}, answers.append))
    thinker.start()
    thinker.answer()
    thinker.answer()
    assert [answer["mark"] for answer in answers] == ["b"]


def test_players_and_hints_share_a_thinker():
    lines, actions, advice = [], [], []
    shared_worker = SharedWorker(lines.append, lines.clear, float)
    make_player("level-3", 1, make_worker=shared_worker.make_worker).request_action(Record(), actions.append)
    WorkerAdviser(shared_worker.make_worker).request_advice(Record(), advice.append)
    while lines:
        shared_worker.receive(answer_line(lines.pop()))
    assert actions[0] in legal_actions(Record().position)
    assert advice[0].action in legal_actions(Record().position)


def test_review_is_answered_without_process():
    question = {"question": 3, "megabytes": 1, "judge": {"depth": 2}, "taken": "@b2", **game_to_json(Record())}
    assert json.loads(answer_line(json.dumps(question)))["question"] == 3


EVENTS = st.one_of(
    st.tuples(st.just("ask"), st.integers(0, 2), st.booleans()),
    st.tuples(st.just("stop"), st.integers(0, 2)),
    st.tuples(st.just("wait"), st.sampled_from([0.2, 0.6, 30.0])),
    st.just(("answer",)),
    st.just(("late",)),
    st.just(("lose",)),
)


@given(st.lists(EVENTS, max_size=60))
def test_every_wanted_question_is_answered_exactly_once(events):
    thinker = FakeThinker()
    workers = [thinker.make_worker(1) for _ in range(3)]
    wanted, deliveries, mark = {}, [], 0

    def ask_next(index, question):
        nonlocal mark
        mark += 1
        wanted[index] = asked_mark = mark

        def take_answer(answer):  # no assertions, because its errors are caught
            deliveries.append((asked_mark, wanted.pop(index, None), answer and answer["mark"]))

        workers[index].ask_question({"mark": asked_mark, **question}, take_answer, 2.0)

    for event in events:
        match event:
            case ("ask", index, is_review):
                ask_next(index, REVIEW if is_review else {})
            case ("stop", index):
                workers[index].stop()
                wanted.pop(index, None)
            case ("wait", seconds):
                thinker.wait(seconds)
            case ("answer",) if thinker.line:
                thinker.answer()
            case ("late",) if thinker.late_lines:
                thinker.shared_worker.receive(thinker.late_lines.pop(0))
            case ("lose",):
                thinker.lose()
    while thinker.line:
        thinker.answer()
    assert not wanted
    answered = [delivery for delivery in deliveries if delivery[2] is not None]
    assert all(asked_mark == wanted_mark for asked_mark, wanted_mark, _ in deliveries)
    assert all(asked_mark == answered_mark for asked_mark, _, answered_mark in answered)
    failure_count = events.count(("lose",)) + events.count(("wait", 30.0))
    assert len(deliveries) - len(answered) <= failure_count // MAX_TRIES
