"""Long runs in simulated time: no resource leaks and no invented touches.

Touches are read from the service's black box (docs/black-box.md). The tests cover ten minutes;
`make test-kernel ARGS="--only hours --minutes 60"` covers an hour.
"""

import os
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from pond_hw.blackbox import read_box
from pond_hw.board import HealthEvent, Touch
from tests.kernel.breadboard import is_time_simulated
from tests.kernel.inside.installation import Installation
from tests.soak.__main__ import MAX_GROWTH_KIB

RUN_SECONDS = float(os.environ.get("POND_MINUTES", "10")) * 60
"""Duration in seconds of each test, at rest or in play."""

WARM_UP_SECONDS = 300.0
"""Seconds until everything is loaded and all memory pools have reached their size."""

BOX = "/run/pond/hours.box"
RECORDING = f"""
[Service]
ExecStart=
ExecStart=/opt/pond/bin/pond serve --board ${{POND_BOARD}} --record {BOX}
"""


class ResourceUsage:
    """Resources used by a process.

    Attributes:
        files: number of open files.
        memory: memory in use in KiB.
    """

    def __init__(self, process):
        self.files = len([*Path(f"/proc/{process}/fd").iterdir()])
        self.memory = int(Path(f"/proc/{process}/statm").read_text().split()[1]) * 4


@pytest.fixture
def recorded(board, table):
    """Service with a black box and a connected client."""
    if not is_time_simulated():
        pytest.skip("too long in real time")
    with Installation(board, RECORDING) as installation:
        assert installation.state == "active", installation.read_log()
        table.connect()
        yield installation
        table.disconnect()


def recorded_touches(table):
    """Return all touches so far."""
    table.bench.wait(2.0)  # the black box is flushed once a second
    return [each for each in read_box(Path(BOX)).notes if isinstance(each, Touch | HealthEvent)]


def check_usage(installation, before, after):
    """Check that the process uses no more resources than after it had warmed up."""
    assert after.files == before.files
    assert after.memory <= before.memory + MAX_GROWTH_KIB, installation.read_log()


def count_touches(bench):
    """Start counting the presses and releases of each cell."""
    touch_counts = Counter()

    def counting(act, down):
        def count_and_act(cell):
            touch_counts[cell, down] += 1
            act(cell)

        return count_and_act

    bench.press, bench.release = counting(bench.press, True), counting(bench.release, False)
    return touch_counts


def test_hours_at_rest_leak_no_resources(table, recorded):
    process = recorded.main
    table.bench.wait(WARM_UP_SECONDS)
    before = ResourceUsage(process)
    table.bench.wait(RUN_SECONDS)
    check_usage(recorded, before, ResourceUsage(process))
    assert recorded.main == process
    assert recorded_touches(table) == []


def test_hours_of_play_leak_no_resources(table, recorded, game):
    process, rng, now = recorded.main, Random(5), table.bench.now
    touch_counts, before, started_at = count_touches(table.bench), None, now()
    while now() < started_at + WARM_UP_SECONDS + RUN_SECONDS:
        table.clear()
        table.client.send(command="new", variant=game.variant.name)
        for turn in game.turns:
            table.bench.wait(rng.uniform(2, 12))
            table.play([turn])
            if before is None and now() > started_at + WARM_UP_SECONDS:
                before = ResourceUsage(process)
    check_usage(recorded, before, ResourceUsage(process))
    assert recorded.main == process
    assert Counter((each.cell, each.down) for each in recorded_touches(table)) == touch_counts
