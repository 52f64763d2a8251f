"""Which machine, which system, which Python, which Pond."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from pond_hw import __version__
from pond_hw.doctor.check_results import CheckResult, fault_result, good_result, warning_result
from pond_hw.doctor.surroundings import HostSystem

SUPPORTED_RELEASES = (12, 13)
"""The releases of Debian that Pond was made for."""

MIN_PYTHON = (3, 11)
"""The oldest Python."""


def check_machine(host: HostSystem) -> Iterator[CheckResult]:
    """What this machine is."""
    machine = host.machine
    if machine.is_pi:
        yield good_result("machine", f"This is a {machine.model_name}.")
    else:
        yield good_result(
            "machine",
            "This is no Raspberry Pi: nothing of a real board is looked at. `pond play` plays in this terminal, "
            "`pond serve --board simulated-4x4` pretends a board.",
        )
    yield _check_system(host)
    yield _check_python(host)
    python_place = "a virtual environment" if host.in_virtualenv else "the system's Python"
    yield good_result("pond", f"Pond {__version__}, in {python_place}, {host.python_prefix}.")


def _check_system(host: HostSystem) -> CheckResult:
    os_release = _read_os_release(host)
    system_name = os_release.get("PRETTY_NAME") or "A system that does not tell its name"
    if host.file_path("/etc/rpi-issue").exists():
        system_name = f"Raspberry Pi OS, {system_name}"
    sentence = f"{system_name}, {host.python_bits} bits."
    if not host.machine.is_pi:
        return good_result("system", sentence)
    version = os_release.get("VERSION_ID", "").partition(".")[0]
    if os_release.get("ID") not in ("debian", "raspbian") or not version.isdecimal():
        return warning_result("system", f"{sentence} Pond was made for Raspberry Pi OS, Bookworm or Trixie.")
    if int(version) < min(SUPPORTED_RELEASES):
        return fault_result(
            "system",
            f"{sentence} That is too old. Write the card anew, with Raspberry Pi OS Trixie, on another computer.",
            "rpi-imager",
        )
    if int(version) > max(SUPPORTED_RELEASES):
        return warning_result("system", f"{sentence} It is newer than this version of Pond.")
    return good_result("system", sentence)


def _read_os_release(host: HostSystem) -> dict[str, str]:
    file_text = host.read_text("/etc/os-release") or host.read_text("/usr/lib/os-release")
    return {key: _unquote_value(value) for key, value in re.findall(r"^([A-Z_]+)=(.*)$", file_text, re.MULTILINE)}


def _unquote_value(value: str) -> str:
    try:
        return "".join(shlex.split(value))[:60] if value[:1] not in "'\"" else shlex.split(value)[0][:60]
    except (ValueError, IndexError):
        return ""


def _check_python(host: HostSystem) -> CheckResult:
    version = tuple(int(number_text) for number_text in re.findall(r"\d+", host.python_version)[:2])
    if version >= MIN_PYTHON:
        return good_result("python", f"Python {host.python_version}.")
    return fault_result(
        "python", f"Python {host.python_version} is too old: Pond needs 3.11 or newer.", "sudo apt install python3"
    )
