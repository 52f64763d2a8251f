"""Reviews of saved games for visitors: they come turn by turn, and one at a time."""

from time import monotonic, sleep

import pytest

from pond_hw.rules import LIGHT
from tests.web.hub_bench import ManualWorker, SeatBench

RECORD = '[Variant "mini"]\n[Result "*"]\n\n1. @b2 @b3\n'


class ReviewBench(SeatBench):
    """A hub whose workers the test controls."""

    def __init__(self, folder):
        self.workers = []
        super().__init__(folder, make_worker=self.make_worker)

    def make_worker(self, megabytes):
        self.workers.append(ManualWorker(megabytes))
        return self.workers[-1]

    def list_reviewed(self, visitor):
        """Collect results. Return the actions in the review that the visitor gets; None if it gets none."""
        self.hub.collect_reviews()
        message = self.list_messages(visitor).get("analysis")
        return message and [turn["action"] for turn in message["turns"]]


@pytest.fixture
def bench(tmp_path):
    return ReviewBench(tmp_path)


@pytest.fixture
def reader(bench):
    """A visitor with a saved game open."""
    visitor = bench.add_visitor(LIGHT)
    bench.open_game(visitor, RECORD)
    return visitor


def test_reviews_are_sent_as_they_arrive(bench, reader):
    bench.hub.on_review = lambda: begun.append(True)
    begun = []
    bench.request(reader, ask="analysis")
    assert begun
    (worker,) = bench.workers
    assert bench.list_reviewed(reader) == []
    assert bench.list_reviewed(reader) is None
    worker.answer()
    assert bench.list_reviewed(reader) == ["@b2"]
    assert bench.hub.collect_reviews()
    worker.answer()
    assert not bench.hub.collect_reviews()
    assert bench.list_reviewed(reader) == ["@b2", "@b3"]
    assert not worker.is_open


def test_failed_review_does_not_prevent_the_next(bench, reader):
    bench.request(reader, ask="analysis")
    _, on_answer = bench.workers[0].questions.pop()
    on_answer({})
    assert not bench.hub.collect_reviews()
    assert not bench.workers[0].is_open
    bench.request(reader, ask="analysis")
    bench.workers[1].answer()
    assert bench.list_reviewed(reader) == ["@b2"]


def test_review_needs_an_open_game(bench):
    visitor = bench.add_visitor(LIGHT)
    bench.request(visitor, ask="analysis")
    assert bench.list_messages(visitor)["refused"]["message"] == "Choose a game first."


def test_only_one_visitor_gets_a_review(bench, reader):
    other = bench.add_visitor(LIGHT)
    bench.open_game(other, RECORD)
    bench.request(reader, ask="analysis")
    bench.request(other, ask="analysis")
    assert "refused" in bench.list_messages(other)
    assert len(bench.workers) == 1
    bench.remove_visitor(0)
    assert not bench.workers[0].is_open
    assert not bench.hub.collect_reviews()
    bench.request(other, ask="analysis")
    assert bench.list_reviewed(other) == []


def test_new_review_replaces_the_visitors_last(bench, reader):
    for _ in range(2):
        bench.request(reader, ask="analysis")
    assert [worker.is_open for worker in bench.workers] == [False, True]
    bench.workers[0].answer()
    assert bench.list_reviewed(reader) == []
    bench.workers[1].answer()
    assert bench.list_reviewed(reader) == ["@b2"]


def test_failed_worker_ends_the_review(bench, reader):
    bench.request(reader, ask="analysis")
    bench.workers[0].answer(fault=True)
    assert not bench.hub.collect_reviews()
    assert bench.list_reviewed(reader) == []


@pytest.mark.slow
def test_review_runs_in_its_own_process(tmp_path):
    bench = SeatBench(tmp_path)
    visitor = bench.add_visitor(LIGHT)
    bench.open_game(visitor, RECORD)
    bench.request(visitor, ask="analysis")
    until = monotonic() + 60
    while bench.hub.collect_reviews():
        assert monotonic() < until
        sleep(0.1)
    assert [turn["action"] for turn in bench.list_messages(visitor)["analysis"]["turns"]] == ["@b2", "@b3"]
