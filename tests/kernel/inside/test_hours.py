"""Long at the board, in simulated time: nothing grows, and nobody is recorded_touches who was not there.

What is recorded_touches is read from the black box that the service keeps meanwhile (docs/black-box.md). It is for ten minutes;
`make test-kernel ARGS="--only hours --minutes 60"` does it for an hour.
"""

import os
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from pond_hw.blackbox import read_box
from pond_hw.board import HealthEvent, Touch
from tests.kernel.breadboard import virtual
from tests.kernel.inside.installation import Installation
from tests.soak.__main__ import MORE

LONG = float(os.environ.get("POND_MINUTES", "10")) * 60
"""Seconds of rest, and of play."""

WARM = 300.0
"""Seconds until all is loaded and every pool has its size."""

BOX = "/run/pond/hours.box"
RECORDING = f"""
[Service]
ExecStart=
ExecStart=/opt/pond/bin/pond serve --board ${{POND_BOARD}} --record {BOX}
"""


class Kept:
    """What a process holds at the moment.

    Attributes:
        files: how many are open.
        memory: KiB that it has in memory.
    """

    def __init__(self, process):
        self.files = len([*Path(f"/proc/{process}/fd").iterdir()])
        self.memory = int(Path(f"/proc/{process}/statm").read_text().split()[1]) * 4


@pytest.fixture
def recorded(board, table):
    """The service, which keeps a black box; somebody has sat down."""
    if not virtual():
        pytest.skip("that is too long to wait for")
    with Installation(board, RECORDING) as installation:
        assert installation.state == "active", installation.read_log()
        table.connect()
        yield installation
        table.disconnect()


def recorded_touches(table):
    """All that the sensors told so far."""
    table.bench.passes(2.0)  # a black box is handed to the system once a second
    return [each for each in read_box(Path(BOX)).notes if isinstance(each, Touch | HealthEvent)]


def check_usage(installation, before, after):
    """It holds no more than when it was warm."""
    assert after.files == before.files
    assert after.memory <= before.memory + MORE, installation.read_log()


def counted(bench):
    """From now on, how often each cell was pressed and let go (or got a piece and lost it)."""
    done = Counter()

    def watched(act, down):
        def acts(cell):
            done[cell, down] += 1
            act(cell)

        return acts

    bench.press, bench.release = watched(bench.press, True), watched(bench.release, False)
    return done


def test_long_at_rest(table, recorded):
    process = recorded.main
    table.bench.passes(WARM)
    before = Kept(process)
    table.bench.passes(LONG)
    check_usage(recorded, before, Kept(process))
    assert recorded.main == process
    assert recorded_touches(table) == []


def test_long_at_play(table, recorded, game):
    process, rng, now = recorded.main, Random(5), table.bench.now
    done, before, begun = counted(table.bench), None, now()
    while now() < begun + WARM + LONG:
        table.clear()
        table.client.send(command="new", variant=game.variant.name)
        for turn in game.turns:
            table.bench.passes(rng.uniform(2, 12))
            table.play([turn])
            if before is None and now() > begun + WARM:
                before = Kept(process)
    check_usage(recorded, before, Kept(process))
    assert recorded.main == process
    assert Counter((each.cell, each.down) for each in recorded_touches(table)) == done
