"""The supply's voltage and the processor's heat, as the Pi's firmware has noticed them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pond_hw.doctor.check_results import CheckResult, fault_result, good_result, warning_result
from pond_hw.doctor.surroundings import HostSystem

LOW_VOLTAGE_BIT, THROTTLED_BITS = 0x1, 0xE
"""Bits of `vcgencmd get_throttled`: the voltage is too low; the processor is slowed, by heat or otherwise."""

SINCE_START_SHIFT = 16
"""So many bits higher stands what has been since the start."""

SUPPLY_ADVICE = "A stronger supply, or a shorter and thicker cable, will help."


def check_power(host: HostSystem) -> Iterator[CheckResult]:
    """What the firmware has noticed."""
    throttled_match = re.match(r"throttled=(0x[0-9a-fA-F]+)", host.run_command(["vcgencmd", "get_throttled"]) or "")
    if throttled_match is None:
        yield _check_kernel_alarm(host)
        return
    bits = int(throttled_match[1], 16)
    if bits & LOW_VOLTAGE_BIT:
        yield fault_result("power", f"The supply's voltage is too low right now. {SUPPLY_ADVICE}")
    elif bits >> SINCE_START_SHIFT & LOW_VOLTAGE_BIT:
        yield warning_result(
            "power", f"The supply's voltage has been too low since the Pi was started. {SUPPLY_ADVICE}"
        )
    else:
        yield good_result("power", "The supply's voltage has been high enough since the Pi was started.")
    if bits & THROTTLED_BITS and not bits & LOW_VOLTAGE_BIT:
        yield warning_result("power", "The Pi is slowed down right now, most likely by heat. Give it air.")
    elif bits >> SINCE_START_SHIFT & THROTTLED_BITS and not bits >> SINCE_START_SHIFT & LOW_VOLTAGE_BIT:
        yield warning_result(
            "power", "The Pi has been slowed down since it was started, most likely by heat. Give it air."
        )


def _check_kernel_alarm(host: HostSystem) -> CheckResult:
    for name in sorted(host.file_path("/sys/class/hwmon").glob("hwmon*/name")):
        if host.read_text(str(name.relative_to(host.machine.root))).strip() == "rpi_volt":
            alarm = host.read_text(str(name.with_name("in0_lcrit_alarm").relative_to(host.machine.root))).strip()
            if alarm == "1":
                return fault_result("power", f"The supply's voltage is too low right now. {SUPPLY_ADVICE}")
            return good_result("power", "The supply's voltage is high enough right now.")
    return good_result("power", "This system does not tell the supply's voltage.")
