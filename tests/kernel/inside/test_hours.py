"""Long runs in simulated time: no resource leaks, and no invented touch.

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

LONG = float(os.environ.get("POND_MINUTES", "10")) * 60
"""Seconds at rest, and in play."""

WARM = 300.0
"""Seconds until everything is loaded and every pool has its size."""

BOX = "/run/pond/hours.box"
RECORDING = f"""
[Service]
ExecStart=
ExecStart=/opt/pond/bin/pond serve --board ${{POND_BOARD}} --record {BOX}
"""


class Kept:
    """Resources of a process.

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
    """Check that the process uses no more than when it was warm."""
    assert after.files == before.files
    assert after.memory <= before.memory + MAX_GROWTH_KIB, installation.read_log()


def counted(bench):
    """Count the presses and releases (or drops and lifts) of each cell from now on."""
    done = Counter()

    def counting(act, down):
        def acts(cell):
            done[cell, down] += 1
            act(cell)

        return acts

    bench.press, bench.release = counting(bench.press, True), counting(bench.release, False)
    return done


def test_hours_at_rest_leak_no_resources(table, recorded):
    process = recorded.main
    table.bench.wait(WARM)
    before = Kept(process)
    table.bench.wait(LONG)
    check_usage(recorded, before, Kept(process))
    assert recorded.main == process
    assert recorded_touches(table) == []


def test_hours_of_play_leak_no_resources(table, recorded, game):
    process, rng, now = recorded.main, Random(5), table.bench.now
    done, before, begun = counted(table.bench), None, now()
    while now() < begun + WARM + LONG:
        table.clear()
        table.client.send(command="new", variant=game.variant.name)
        for turn in game.turns:
            table.bench.wait(rng.uniform(2, 12))
            table.play([turn])
            if before is None and now() > begun + WARM:
                before = Kept(process)
    check_usage(recorded, before, Kept(process))
    assert recorded.main == process
    assert Counter((each.cell, each.down) for each in recorded_touches(table)) == done
