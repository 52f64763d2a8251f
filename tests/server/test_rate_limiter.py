"""Rate limits."""

import logging

import pytest

from pond_hw.server import rate_limiter
from pond_hw.server.rate_limiter import RECORDS_PER_MINUTE, LogLimit, RateLimiter


@pytest.fixture
def clock(monkeypatch):
    """Simulated seconds."""
    seconds = [1000.0]
    monkeypatch.setattr(rate_limiter, "monotonic", lambda: seconds[0])
    return seconds


def record(text, *values, name="pond", level=logging.ERROR):
    return logging.LogRecord(name, level, "", 0, text, values, None)


def test_flood_of_records_is_limited_and_counted(clock):
    limit = LogLimit()
    assert sum(limit.filter(record("wrong")) for _ in range(1000)) == RECORDS_PER_MINUTE
    clock[0] += 61 / RECORDS_PER_MINUTE
    later = record("100%% wrong: %s", "again")
    assert limit.filter(later)
    assert later.getMessage() == "100% wrong: again (990 such messages before it were left out.)"
    clock[0] += 61 / RECORDS_PER_MINUTE
    last = record("wrong")
    assert limit.filter(last)
    assert last.getMessage() == "wrong"


def test_flood_of_errors_leaves_room_for_other_records(clock):
    limit = LogLimit()
    while limit.filter(record("wrong")):
        pass
    assert limit.filter(record("The board answers.", level=logging.INFO))
    assert limit.filter(record("wrong", name="asyncio"))


def test_tokens_refill_up_to_the_rate():
    allowance = RateLimiter(10, now=5.0)
    assert [allowance.take_token(5.0) for _ in range(12)] == [True] * 10 + [False] * 2
    assert allowance.token_due(5.0) == pytest.approx(5.1)
    assert allowance.take_token(5.11)
    assert not allowance.take_token(5.11)
    assert [allowance.take_token(99.0) for _ in range(12)].count(True) == 10
    assert allowance.token_due(200.0) == 200.0
