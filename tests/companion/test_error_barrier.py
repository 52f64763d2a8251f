"""Tests of the error barrier: it counts failures, reports them less and less often, and retries after longer pauses."""

import logging

import pytest

from pond_hw.companion.error_barrier import (
    FAILURE_SHOWN_SECONDS,
    FIRST_PAUSE_SECONDS,
    FORGET_FAILURE_SECONDS,
    MAX_PAUSE_SECONDS,
    ErrorBarrier,
    describe_failure,
)
from pond_hw.messages.message import Message


class Barrier(ErrorBarrier):
    """Error barrier that stores its reports."""

    def __init__(self):
        self.time, self.reports = 0.0, []
        super().__init__(lambda: self.time, self.reports.append)


@pytest.fixture
def barrier():
    return Barrier()


def fail():
    {}["b2"]


def test_failure_text_names_its_place():
    with pytest.raises(KeyError) as raised:
        fail()
    line = fail.__code__.co_firstlineno + 1
    assert describe_failure(raised.value) == Message(
        "failure.inside", error="KeyError", file="test_error_barrier.py", line=line
    )


def test_job_gets_its_arguments(barrier):
    seen = []
    assert barrier.run(seen.append, "b2")
    assert (seen, barrier.failure_count, barrier.last_failure, barrier.trouble) == (["b2"], 0, None, None)


def test_failure_is_logged_and_shown_briefly(barrier, caplog):
    barrier.time = 7.0
    assert not barrier.run(fail)
    assert (barrier.failure_count, barrier.last_failure.arguments["error"]) == (1, "KeyError")
    assert barrier.trouble == Message("failure.trouble", failure=barrier.last_failure)
    assert barrier.trouble_until == 7.0 + FAILURE_SHOWN_SECONDS
    [record] = caplog.records
    assert (record.levelno, record.exc_info[0]) == (logging.ERROR, KeyError)
    assert barrier.reports == [record.getMessage()]


def test_repeated_failure_is_reported_at_powers_of_two(barrier):
    reported = []
    for number in range(1, 9):
        count = len(barrier.reports)
        barrier.run(fail)
        reported += [number] * (len(barrier.reports) - count)
    assert reported == [1, 2, 4, 8]
    assert barrier.failure_count == 8
    assert "8" in barrier.reports[-1]
    barrier.time += FORGET_FAILURE_SECONDS
    barrier.run(fail)
    assert barrier.reports[-1] == barrier.reports[0]


def test_failures_in_two_places_are_counted_separately(barrier):
    for _ in range(3):
        barrier.run(fail)
        barrier.run(lambda: 1 / 0)
    assert (barrier.failure_count, len(barrier.reports)) == (6, 4)


def test_failing_report_is_only_logged(barrier, caplog):
    def report(_):
        raise OSError

    barrier._report = report
    assert not barrier.run(fail)
    assert [record.exc_info[0] for record in caplog.records] == [KeyError, OSError]
    assert barrier.failure_count == 1


def test_exit_and_interrupt_pass_through_barrier(barrier):
    def leave():
        raise SystemExit

    with pytest.raises(SystemExit):
        barrier.run(leave)


def test_pause_doubles_after_each_failure(barrier):
    calls = []

    def job():
        calls.append(barrier.time)
        fail()

    def run_at(seconds):
        count, barrier.time = len(calls), seconds
        barrier.run_repeated(job)
        return len(calls) > count

    assert run_at(0.0)
    time = 0.0
    for seconds in (FIRST_PAUSE_SECONDS, 2 * FIRST_PAUSE_SECONDS, 4 * FIRST_PAUSE_SECONDS):
        assert not run_at(time + seconds - 0.01)
        time += seconds
        assert run_at(time)
    for _ in range(9):
        time += MAX_PAUSE_SECONDS
        assert run_at(time), "the pause has grown beyond its maximum"
    assert barrier.is_pausing


def test_pause_is_per_job_and_ends_with_success(barrier):
    fails = [True, False]

    def job():
        if fails.pop(0):
            fail()

    def other():
        other.calls += 1

    other.calls = 0
    for _ in range(2):
        barrier.run_repeated(job)
        barrier.run_repeated(other)
    assert (other.calls, fails) == (2, [False])
    barrier.time = FIRST_PAUSE_SECONDS
    barrier.run_repeated(job)
    assert (fails, barrier.is_pausing) == ([], False)
