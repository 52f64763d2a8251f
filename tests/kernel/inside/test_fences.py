"""The fences of the units, held by systemd and the kernel: what they let through, what not, who hangs there."""

import os
import signal
from pathlib import Path

from tests.kernel.inside.house import House, wait_for

OPEN = {"write to its state", "write to its runtime", "write to /tmp", "open the pins"}
LAMPS = {"pond.service": {"open the lamps"}, "pond-root.service": {"open the memory", "open the firmware"}}
"""What it takes to light them besides."""

CAP_SYS_RAWIO = 17
RIGHTS = {
    "pond.service": ("pond", ("pond", "gpio", "spi", "i2c"), 0),
    "pond-root.service": ("root", ("pond",), 1 << CAP_SYS_RAWIO),
}
"""As whom a unit runs, in which groups, and with which of root's rights."""

TRY = "[Service]\nExecStartPre=/opt/pond/bin/python /opt/pond/inside/fences.py\n"


def test_all_that_a_board_needs_is_open_and_nothing_else(board, table):
    with House(board, TRY) as house:
        assert house.state == "active", house.told()
        tried = dict(line.split(": ") for line in house.told().splitlines() if line.endswith(": done") or ": E" in line)
    assert {what for what, came in tried.items() if came == "done"} == OPEN | LAMPS[house.service]
    assert len(tried) == 19


def test_it_runs_as_nobody_else_with_no_right_of_root_that_its_lamps_do_not_take(house):
    user, groups, rights = RIGHTS[house.service]
    told = Path(f"/proc/{house.main}/status").read_text().splitlines()
    status = {key: rest.split() for key, _, rest in (line.partition(":") for line in told)}
    ids = {each: house.inside("id", *each.split()).strip() for each in (f"-u {user}", "-g pond")}
    assert set(status["Uid"]) == {ids[f"-u {user}"]}
    assert set(status["Gid"]) == {ids["-g pond"]}
    assert {int(status[each][0], 16) for each in ("CapPrm", "CapEff", "CapBnd")} == {rights}
    assert {int(status[each][0], 16) for each in ("CapInh", "CapAmb")} == {0}
    assert (status["NoNewPrivs"], status["Seccomp"]) == (["1"], ["2"])
    names = [line.split(":") for line in house.inside("getent", "group", *groups).splitlines()]
    assert {number for _, _, number, _ in names} == {*status["Groups"]}


def test_a_service_that_hangs_is_ended_and_started_again(house):
    hung = house.main
    os.kill(hung, signal.SIGSTOP)
    wait_for(lambda: house.main not in {None, hung} and house.state == "active", house.told, 60, pause=0.5)
    assert house.unit("NRestarts") == "1"
    assert house.unit("Result") == "success"  # of the new start
