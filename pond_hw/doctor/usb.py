"""What is at the other end of a USB cable: the one thing that the doctor asks, because no file tells it."""

from __future__ import annotations

import shlex

from pond_hw.board import BoardFault
from pond_hw.doctor.check_results import CheckResult, fault_result, good_result, warning_result
from pond_hw.doctor.host_system import HostSystem
from pond_hw.drivers.pi_machine import explain_missing_usb
from pond_hw.drivers.usb_config import make_board_config
from pond_hw.drivers.usb_hello import ask_board
from pond_hw.messages.message import Message
from pond_hw.profile import Profile

GROUP_COMMAND = "sudo usermod -aG dialout $USER"


def check_usb(host: HostSystem, profile: Profile) -> CheckResult:
    """Whether the board of this profile is there, may be used, and carries its configuration."""
    lack = explain_missing_usb(host.machine)
    if lack:
        return fault_result("usb", lack, fix_command=GROUP_COMMAND if lack.id == "device.group" else "")
    config, faults = make_board_config(profile), list[Message]()
    for device in host.machine.usb_boards():
        try:
            hello = ask_board(device)
        except BoardFault as fault:
            faults.append(fault.message)
            continue
        mismatch = config.describe_mismatch(device, hello.protocol, hello.fingerprint)
        if mismatch is None:
            return good_result("usb", Message("doctor.usb.good", device=device, firmware=hello.firmware))
        faults.append(mismatch)
    if all(fault.id == "usb.busy" for fault in faults):
        return warning_result("usb", *faults)
    is_other = any(fault.id in ("usb.no_config", "usb.other_config") for fault in faults)
    command = f"pond board flash-config {shlex.quote(profile.name)}" if is_other else ""
    return fault_result("usb", *faults, fix_command=command)
