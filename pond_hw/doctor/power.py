"""The supply's voltage and the processor's heat, as the Pi's firmware has noticed them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pond_hw.doctor.check_results import Found, fault, good, warning
from pond_hw.doctor.surroundings import Surroundings

LOW, HOT = 0x1, 0xE
"""Bits of `vcgencmd get_throttled`: the voltage is too low; the processor is slowed, by heat or otherwise."""

EVER = 16
"""So many bits higher stands what has been since the start."""

STRONGER = "A stronger supply, or a shorter and thicker cable, will help."


def look(around: Surroundings) -> Iterator[Found]:
    """What the firmware has noticed."""
    told = re.match(r"throttled=(0x[0-9a-fA-F]+)", around.run(["vcgencmd", "get_throttled"]) or "")
    if told is None:
        yield _by_kernel(around)
        return
    bits = int(told[1], 16)
    if bits & LOW:
        yield fault("power", f"The supply's voltage is too low right now. {STRONGER}")
    elif bits >> EVER & LOW:
        yield warning("power", f"The supply's voltage has been too low since the Pi was started. {STRONGER}")
    else:
        yield good("power", "The supply's voltage has been high enough since the Pi was started.")
    if bits & HOT and not bits & LOW:
        yield warning("power", "The Pi is slowed down right now, most likely by heat. Give it air.")
    elif bits >> EVER & HOT and not bits >> EVER & LOW:
        yield warning("power", "The Pi has been slowed down since it was started, most likely by heat. Give it air.")


def _by_kernel(around: Surroundings) -> Found:
    for name in sorted(around.path("/sys/class/hwmon").glob("hwmon*/name")):
        if around.text(str(name.relative_to(around.machine.root))).strip() == "rpi_volt":
            alarm = around.text(str(name.with_name("in0_lcrit_alarm").relative_to(around.machine.root))).strip()
            if alarm == "1":
                return fault("power", f"The supply's voltage is too low right now. {STRONGER}")
            return good("power", "The supply's voltage is high enough right now.")
    return good("power", "This system does not tell the supply's voltage.")
