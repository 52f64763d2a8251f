"""Tests of the units' sandboxes: permissions, users, groups and capabilities."""

import os
import signal
from pathlib import Path

from tests.kernel.inside.installation import Installation, wait_for

ALWAYS_ALLOWED = {"write to its state folder", "write to its runtime folder", "write to /tmp", "open the pins"}
LAMP_RIGHTS = {"pond.service": {"open the lamps"}, "pond-root.service": {"open the memory", "open the firmware"}}
"""Further permissions needed to light the lamps."""

CAP_SYS_RAWIO = 17
PRIVILEGES = {
    "pond.service": ("pond", ("pond", "gpio", "spi", "i2c"), 0),
    "pond-root.service": ("root", ("pond",), 1 << CAP_SYS_RAWIO),
}
"""User, groups and capabilities of each unit."""

RUN_PROBE = "[Service]\nExecStartPre=/opt/pond/bin/python /opt/pond/inside/sandbox_probe.py\n"


def test_sandbox_allows_only_what_the_board_needs(board, table):
    with Installation(board, RUN_PROBE) as installation:
        assert installation.state == "active", installation.read_log()
        outcomes = dict(
            line.split(": ")
            for line in installation.read_log().splitlines()
            if line.endswith(": done") or ": E" in line
        )
    assert {name for name, outcome in outcomes.items() if outcome == "done"} == ALWAYS_ALLOWED | LAMP_RIGHTS[
        installation.service
    ]
    assert len(outcomes) == 19


def test_service_has_minimal_user_groups_and_capabilities(installation):
    user, groups, capabilities = PRIVILEGES[installation.service]
    status_lines = Path(f"/proc/{installation.main}/status").read_text().splitlines()
    status = {key: rest.split() for key, _, rest in (line.partition(":") for line in status_lines)}
    ids = {each: installation.run_inside("id", *each.split()).strip() for each in (f"-u {user}", "-g pond")}
    assert set(status["Uid"]) == {ids[f"-u {user}"]}
    assert set(status["Gid"]) == {ids["-g pond"]}
    assert {int(status[each][0], 16) for each in ("CapPrm", "CapEff", "CapBnd")} == {capabilities}
    assert {int(status[each][0], 16) for each in ("CapInh", "CapAmb")} == {0}
    assert (status["NoNewPrivs"], status["Seccomp"]) == (["1"], ["2"])
    names = [line.split(":") for line in installation.run_inside("getent", "group", *groups).splitlines()]
    assert {number for _, _, number, _ in names} == {*status["Groups"]}


def test_hanging_service_is_restarted(installation):
    hung_process = installation.main
    os.kill(hung_process, signal.SIGSTOP)
    wait_for(
        lambda: installation.main not in {None, hung_process} and installation.state == "active",
        installation.read_log,
        60,
        pause=0.5,
    )
    assert installation.unit("NRestarts") == "1"
    assert installation.unit("Result") == "success"  # of the new start
