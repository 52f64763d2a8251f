"""The wall clock, which dates the records of games and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from pond_hw.doctor.check_results import CheckResult, fault_result, good_result, warning_result
from pond_hw.doctor.surroundings import HostSystem

FIRST_YEAR = 2024
"""Before it there was no Pond to play."""

SET_CLOCK_COMMAND = "sudo timedatectl set-ntp true"


def check_clock(host: HostSystem) -> Iterator[CheckResult]:
    """Whether the wall clock is to be believed."""
    year = datetime.fromtimestamp(host.wall_clock(), UTC).year
    if year < FIRST_YEAR:
        yield fault_result(
            "clock", f"The clock says that it is {year}: records of games get a wrong date.", SET_CLOCK_COMMAND
        )
        return
    command_output = (host.run_command(["timedatectl", "show", "-p", "NTPSynchronized", "--value"]) or "").strip()
    synchronised = command_output == "yes" or host.file_path("/run/systemd/timesync/synchronized").exists()
    keeps = host.machine.has_device("/dev/rtc0")
    if synchronised:
        own = "" if keeps else " It has no battery: after a start without a network it is wrong until there is one."
        yield good_result("clock", f"The clock is set by the network.{own}")
    elif keeps:
        yield good_result("clock", "The clock is not set by the network, but it goes on while the machine is off.")
    elif host.machine.is_pi:
        command_output = "The clock is not set by the network and stands still while the Pi is off: dates may be wrong."
        yield warning_result("clock", command_output, SET_CLOCK_COMMAND)
    else:
        yield good_result("clock", "The clock does not tell who sets it.")
