"""An evening at a board that ships, with all that is installed: systemd and udev, the unit, the drivers, the kernel.

Fingers and magnets are on the simulated lines, the lamps are read off their wire, and the game is heard at the socket.
"""

import json
import os
import signal
import time

import pytest

from pond_hw.session.pieces.sensors import WAKEUP_SECONDS
from tests.kernel.breadboard import do
from tests.kernel.inside.house import SOCKET, wait_for


@pytest.fixture
def begun(table, house, game):
    """The game is begun by who sits there."""
    table.ear.say(command="new", variant=game.variant.name)
    return game


def test_a_game_is_played_to_its_end(table, house, begun):
    table.play(begun.turns)
    over = table.state
    assert over["phase"] == "over"
    assert over["outcome"]["winner"] == begun.result_text.split()[0]
    assert table.played == begun.turns
    assert not table.seen()[-1].dark
    assert (house.state, house.unit("NRestarts")) == ("active", "0")


def test_a_service_that_is_killed_leaves_no_light_and_goes_on_with_the_game(table, house, begun):
    table.play(begun.turns[:7])
    before = table.state["position"]
    table.get_up()
    table.seen()
    killed = house.main
    os.kill(killed, signal.SIGKILL)
    at = time.monotonic()
    wait_for(lambda: house.main not in {None, killed} and house.state == "active", house.told, house.PATIENCE)
    after = [seen for seen in table.seen() if seen.at > at]
    first_light = next(place for place, seen in enumerate(after) if not seen.dark)
    assert house.unit("NRestarts") == "1"
    assert house.unit("ExecStopPost").count("status=0") == 1
    assert first_light > 0
    assert after[first_light].at - after[0].at > 0.9, "it is dark for a second, until the service starts again"

    table.sit_down()
    assert table.state["phase"] == "resume"
    table.touch("a1")
    assert table.settles(lambda state: state["phase"] == "act", "the game should go on")["position"] == before
    table.bench.passes(WAKEUP_SECONDS)
    table.play(begun.turns[7:10])
    assert table.played == begun.turns[:10]


def test_an_expander_that_is_gone_for_two_seconds_is_missed_and_comes_back(board, table, house, begun):
    if board != "hall-4x4":
        pytest.skip(f"{board} has no expander")
    table.play(begun.turns[:6])
    before = table.state
    do("unplug 20")
    wanted = '"address": "0x20"'
    table.settles(
        lambda state: wanted in json.dumps(state.get("trouble_said", "")),
        "it should be said that the expander is missing",
    )
    table.bench.passes(2.0)
    do("plug 20")
    after = table.settles(lambda state: "trouble" not in state, "the expander should be found again")
    assert (after["position"], after["phase"]) == (before["position"], before["phase"])
    table.bench.passes(WAKEUP_SECONDS)
    assert house.unit("NRestarts") == "0"
    table.play(begun.turns[6:8])
    assert table.played == begun.turns[:8]


def test_it_ends_in_the_dark_when_it_is_told_to(table, house, begun):
    table.play(begun.turns[:2])
    assert not table.seen()[-1].dark
    table.get_up()
    house.systemctl("stop", house.service)
    assert (house.state, house.unit("Result"), house.unit("ExecMainStatus")) == ("inactive", "success", "0")
    assert table.seen()[-1].dark
    assert not SOCKET.exists()


def test_it_writes_nothing_but_its_game_and_what_it_needs_to_run(table, house, begun):
    if house.service != "pond.service":
        pytest.skip("what root owns is not the service's alone")
    table.play(begun.turns[:2])
    writable = ("/etc", "/var", "/run", "/tmp", "/opt", "/dev", "/dev/shm")  # the rest of the root is read-only for all
    owned = house.inside("find", *writable, "-xdev", "-user", "pond").splitlines()
    assert {path for path in owned if not path.startswith(("/run/pond", "/var/lib/pond"))} == set()
    assert "/var/lib/pond" in owned
    assert "/run/pond/pond.sock" in owned
