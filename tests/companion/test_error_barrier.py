"""What fails is counted and told less and less, and tried again after longer and longer pauses."""

from pond_hw.companion.error_barrier import (
    FIRST_PAUSE_SECONDS,
    FORGET_FAILURE_SECONDS,
    LONGEST_PAUSE_SECONDS,
    FailureLog,
    describe_failure,
)
from pond_hw.messages.message import Message


def failed():
    try:
        {}["b2"]
    except KeyError as error:
        return error


def test_a_failure_is_named_with_its_place():
    message = describe_failure(failed())
    line = failed.__code__.co_firstlineno + 2
    assert message == Message("failure.inside", error="KeyError", file="test_error_barrier.py", line=line)


def test_the_same_failure_is_told_the_first_second_fourth_and_eighth_time():
    log, error = FailureLog(), failed()
    told = [log.count_failure(error, float(number)) for number in range(1, 9)]
    assert [number for number, messages in enumerate(told, 1) if messages] == [1, 2, 4, 8]
    failure = describe_failure(error)
    assert (told[0], log.last_failure) == ((failure,), failure)
    assert told[7] == (failure, Message("failure.repeated", times=8))
    assert log.failure_count == 8
    assert log.count_failure(error, 8.0 + FORGET_FAILURE_SECONDS) == told[0]


def test_a_job_that_fails_waits_twice_as_long_each_time():
    log, now = FailureLog(), 0.0
    for seconds in (FIRST_PAUSE_SECONDS, 2 * FIRST_PAUSE_SECONDS, 4 * FIRST_PAUSE_SECONDS):
        log.prolong_pause("job", now)
        assert log.has_to_wait("job", now + seconds - 0.01)
        assert not log.has_to_wait("other", now)
        now += seconds
        assert not log.has_to_wait("job", now)
    for _ in range(9):
        log.prolong_pause("job", now)
    assert not log.has_to_wait("job", now + LONGEST_PAUSE_SECONDS)
    assert log.is_pausing
    log.end_pause("job")
    assert not log.is_pausing
