"""Tests of the limit on log lines."""

import logging

import pytest

from pond_hw.web import log_limit
from pond_hw.web.log_limit import RECORDS_PER_MINUTE, LogLimit


@pytest.fixture
def clock(monkeypatch):
    """The seconds, which pass only here."""
    seconds = [1000.0]
    monkeypatch.setattr(log_limit, "monotonic", lambda: seconds[0])
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
