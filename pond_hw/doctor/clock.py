"""The wall clock, which dates the records of games and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from pond_hw.doctor.check_results import Found, fault, good, warning
from pond_hw.doctor.surroundings import Surroundings

FIRST_YEAR = 2024
"""Before it there was no Pond to play."""

MEND = "sudo timedatectl set-ntp true"


def look(around: Surroundings) -> Iterator[Found]:
    """Whether the wall clock is to be believed."""
    year = datetime.fromtimestamp(around.now(), UTC).year
    if year < FIRST_YEAR:
        yield fault("clock", f"The clock says that it is {year}: records of games get a wrong date.", MEND)
        return
    told = (around.run(["timedatectl", "show", "-p", "NTPSynchronized", "--value"]) or "").strip()
    synchronised = told == "yes" or around.path("/run/systemd/timesync/synchronized").exists()
    keeps = around.machine.has("/dev/rtc0")
    if synchronised:
        own = "" if keeps else " It has no battery: after a start without a network it is wrong until there is one."
        yield good("clock", f"The clock is set by the network.{own}")
    elif keeps:
        yield good("clock", "The clock is not set by the network, but it goes on while the machine is off.")
    elif around.machine.pi:
        told = "The clock is not set by the network and stands still while the Pi is off: dates may be wrong."
        yield warning("clock", told, MEND)
    else:
        yield good("clock", "The clock does not tell who sets it.")
