"""Tests of games on a shipped board with everything installed: systemd, udev, the unit, the drivers and the kernel.

Fingers and magnets act on the simulated lines, lamps are read from their wire, and the game from the socket.
"""

import json
import os
import signal
import time

import pytest

from pond_hw.session.pieces.sensors import WAKEUP_SECONDS
from tests.kernel.breadboard import do
from tests.kernel.inside.installation import SOCKET, wait_for


@pytest.fixture
def started_game(table, installation, game):
    """Start the recorded game, and return it."""
    table.client.send(command="new", variant=game.variant.name)
    return game


def test_game_is_played_to_the_end(table, installation, started_game):
    table.play(started_game.turns)
    over = table.state
    assert over["phase"] == "over"
    assert over["outcome"]["winner"] == started_game.result_text.split()[0]
    assert table.played == started_game.turns
    assert not table.take_frames()[-1].dark
    assert (installation.state, installation.unit("NRestarts")) == ("active", "0")


def test_killed_service_goes_dark_and_resumes(table, installation, started_game):
    table.play(started_game.turns[:7])
    before = table.state["position"]
    table.disconnect()
    table.take_frames()
    killed_process = installation.main
    os.kill(killed_process, signal.SIGKILL)
    killed_at = time.monotonic()
    wait_for(
        lambda: installation.main not in {None, killed_process} and installation.state == "active",
        installation.read_log,
        installation.TIMEOUT_SECONDS,
    )
    after = [frame for frame in table.take_frames() if frame.at > killed_at]
    first_light = next(place for place, frame in enumerate(after) if not frame.dark)
    assert installation.unit("NRestarts") == "1"
    assert installation.unit("ExecStopPost").count("status=0") == 1
    assert first_light > 0
    assert after[first_light].at - after[0].at > 0.9, (
        "the lamps should be dark for a second, until the service restarts"
    )

    table.connect()
    assert table.state["phase"] == "resume"
    table.touch("a1")
    assert table.wait_for_state(lambda state: state["phase"] == "act", "the game should continue")["position"] == before
    table.bench.wait(WAKEUP_SECONDS)
    table.play(started_game.turns[7:10])
    assert table.played == started_game.turns[:10]


def test_unplugged_expander_is_reported_and_recovers(board, table, installation, started_game):
    if board != "hall-4x4":
        pytest.skip(f"{board} has no expander")
    table.play(started_game.turns[:6])
    before = table.state
    do("unplug 20")
    expected_text = '"address": "0x20"'
    table.wait_for_state(
        lambda state: expected_text in json.dumps(state.get("trouble_said", "")),
        "the missing expander should be reported",
    )
    table.bench.wait(2.0)
    do("plug 20")
    after = table.wait_for_state(lambda state: "trouble" not in state, "the expander should be working again")
    assert (after["position"], after["phase"]) == (before["position"], before["phase"])
    table.bench.wait(WAKEUP_SECONDS)
    assert installation.unit("NRestarts") == "0"
    table.play(started_game.turns[6:8])
    assert table.played == started_game.turns[:8]


def test_stopped_service_leaves_lamps_dark(table, installation, started_game):
    table.play(started_game.turns[:2])
    assert not table.take_frames()[-1].dark
    table.disconnect()
    installation.systemctl("stop", installation.service)
    assert (installation.state, installation.unit("Result"), installation.unit("ExecMainStatus")) == (
        "inactive",
        "success",
        "0",
    )
    assert table.take_frames()[-1].dark
    assert not SOCKET.exists()


def test_service_writes_only_to_its_own_folders(table, installation, started_game):
    if installation.service != "pond.service":
        pytest.skip("root owns files of other programs, too")
    table.play(started_game.turns[:2])
    writable = (
        "/etc",
        "/var",
        "/run",
        "/tmp",
        "/opt",
        "/dev",
        "/dev/shm",
    )  # the rest of the root is read-only for everyone
    owned = installation.run_inside("find", *writable, "-xdev", "-user", "pond").splitlines()
    assert {path for path in owned if not path.startswith(("/run/pond", "/var/lib/pond"))} == set()
    assert "/var/lib/pond" in owned
    assert "/run/pond/pond.sock" in owned
