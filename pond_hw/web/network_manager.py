"""What the hotspot asks of NetworkManager, through its command nmcli."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence

from pond_hw.messages.message import Message, PondError

NOT_RUNNING = 8
"""nmcli's exit code if NetworkManager does not run."""

REFUSED = ("not authorized", "insufficient privileges", "permission denied", "access denied")
"""What it says to somebody who may not do this."""

ANSWER_SECONDS = 10
"""How long an answer may take."""

START_SECONDS = 45
"""How long a Wi-Fi may take to start."""


def ask_network_manager(*words: str, seconds: int = ANSWER_SECONDS) -> list[list[str]]:
    """The lines that nmcli answers, each as its fields.

    Args:
        words: what stands behind `nmcli`; nothing secret, because everybody on this machine can read it.
        seconds: how long it may take.

    Raises:
        PondError: nmcli is missing, NetworkManager does not run, or it refuses.
    """
    if not (program := shutil.which("nmcli")):
        raise PondError(Message("web.hotspot.no_nmcli"))
    command = [program, "--terse", "--wait", str(seconds), *words]
    environment = os.environ | {"LC_ALL": "C"}  # or else its answers would be in somebody's language
    try:
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds + 10, check=False
        )
    except subprocess.TimeoutExpired:
        raise PondError(Message("web.hotspot.no_answer")) from None
    except OSError as error:
        raise PondError(Message("web.hotspot.refused", reason=str(error))) from None
    if done.returncode:
        raise PondError(_explain_refusal(done.returncode, done.stderr.decode(errors="replace")))
    return [_split_fields(line) for line in done.stdout.decode(errors="replace").splitlines()]


def find_wifi_device() -> str:
    """The name of the Wi-Fi device that can be used, such as wlan0.

    Raises:
        PondError: there is none, or it is switched off.
    """
    devices = ask_network_manager("--fields", "DEVICE,TYPE,STATE", "device", "status")
    wifi = [(device, state) for device, kind, state in _of_length(devices, 3) if kind == "wifi"]
    if not wifi:
        raise PondError(Message("web.hotspot.no_wifi"))
    usable = [device for device, state in wifi if state not in ("unavailable", "unmanaged")]
    if not usable:
        raise PondError(Message("web.hotspot.wifi_off", device=wifi[0][0]))
    return usable[0]


def list_connections(*, active: bool = False) -> set[str]:
    """The names of the connections that NetworkManager knows, or of those that are on."""
    only_active = ["--active"] if active else []
    return {line[0] for line in ask_network_manager("--fields", "NAME", "connection", "show", *only_active) if line}


def _explain_refusal(code: int, said: str) -> Message:
    if code == NOT_RUNNING:
        return Message("web.hotspot.not_running")
    if any(words in said.lower() for words in REFUSED):
        return Message("web.hotspot.needs_root")
    lines = [line.removeprefix("Error: ").strip().rstrip(".") for line in said.splitlines() if line.strip()]
    return Message("web.hotspot.refused", reason=lines[0] if lines else f"nmcli {code}")


def _split_fields(line: str) -> list[str]:
    """The fields of a line; a colon that belongs to a field stands behind a backslash."""
    fields, letters = [""], iter(line)
    for letter in letters:
        if letter == ":":
            fields.append("")
        else:
            fields[-1] += next(letters, "") if letter == "\\" else letter
    return fields


def _of_length(lines: Sequence[list[str]], length: int) -> list[list[str]]:
    return [line for line in lines if len(line) == length]
