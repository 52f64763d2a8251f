"""Which machine, which system, which Python, which Pond."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from pond_hw import __version__
from pond_hw.doctor.check_results import Found, fault, good, warning
from pond_hw.doctor.surroundings import Surroundings

RELEASES = {11: "Bullseye", 12: "Bookworm", 13: "Trixie"}
"""Debian's, by number."""

KNOWN = (12, 13)
"""Those that Pond was made for."""

NEEDED = (3, 11)
"""The oldest Python."""


def look(around: Surroundings) -> Iterator[Found]:
    """What this machine is."""
    machine = around.machine
    if machine.pi:
        yield good("machine", f"This is a {machine.model}.")
    else:
        yield good(
            "machine",
            "This is no Raspberry Pi: nothing of a real board is looked at. `pond play` plays in this terminal, "
            "`pond serve --board simulated-4x4` pretends a board.",
        )
    yield _system(around)
    yield _python(around)
    place = "a virtual environment" if around.own else "the system's Python"
    yield good("pond", f"Pond {__version__}, in {place}, {around.prefix}.")


def _system(around: Surroundings) -> Found:
    told = _release(around)
    name = told.get("PRETTY_NAME") or "A system that does not tell its name"
    if around.path("/etc/rpi-issue").exists():
        name = f"Raspberry Pi OS, {name}"
    sentence = f"{name}, {around.bits} bits."
    if not around.machine.pi:
        return good("system", sentence)
    version = told.get("VERSION_ID", "").partition(".")[0]
    if told.get("ID") not in ("debian", "raspbian") or not version.isdecimal():
        return warning("system", f"{sentence} Pond was made for Raspberry Pi OS, Bookworm or Trixie.")
    if int(version) < min(KNOWN):
        return fault(
            "system",
            f"{sentence} That is too old. Write the card anew, with Raspberry Pi OS Trixie, on another computer.",
            "rpi-imager",
        )
    if int(version) > max(KNOWN):
        return warning("system", f"{sentence} It is newer than this version of Pond.")
    return good("system", sentence)


def _release(around: Surroundings) -> dict[str, str]:
    text = around.text("/etc/os-release") or around.text("/usr/lib/os-release")
    return {key: _plain(value) for key, value in re.findall(r"^([A-Z_]+)=(.*)$", text, re.MULTILINE)}


def _plain(value: str) -> str:
    try:
        return "".join(shlex.split(value))[:60] if value[:1] not in "'\"" else shlex.split(value)[0][:60]
    except (ValueError, IndexError):
        return ""


def _python(around: Surroundings) -> Found:
    version = tuple(int(part) for part in re.findall(r"\d+", around.python)[:2])
    if version >= NEEDED:
        return good("python", f"Python {around.python}.")
    return fault("python", f"Python {around.python} is too old: Pond needs 3.11 or newer.", "sudo apt install python3")
