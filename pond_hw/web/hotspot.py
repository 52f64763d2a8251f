"""The machine's own Wi-Fi network for phones, where there is no other network.

It is a NetworkManager profile in /run, so a reboot always ends it. NetworkManager is controlled through nmcli.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from configparser import ConfigParser, Error
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pond_hw.messages.message import Message, PondError

CONNECTION_NAME, NETWORK_NAME = "pond-hotspot", "Pond"

PROFILE_FOLDER = Path("/run/NetworkManager/system-connections")
"""NetworkManager's folder for profiles that do not survive a reboot."""

ADDRESS = "10.42.0.1"
"""Address of the machine in its own Wi-Fi network."""

PASSWORD_CHARACTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Characters for passwords, without those that look alike."""

PROFILE = """\
[connection]
id={connection}
type=wifi
interface-name={device}
autoconnect=false

[wifi]
mode=ap
ssid={network}
band=bg

[wifi-security]
key-mgmt=wpa-psk
proto=rsn;
pairwise=ccmp;
group=ccmp;
pmf=1
psk={password}

[ipv4]
method=shared
address1={address}/24

[ipv6]
method=disabled
"""

NOT_RUNNING = 8
"""Exit code of nmcli when NetworkManager is not running."""

PERMISSION_ERRORS = ("not authorized", "insufficient privileges", "permission denied", "access denied")
"""Parts of nmcli's error messages that point to missing permissions."""

ANSWER_TIMEOUT_SECONDS = 10
"""Seconds before nmcli times out."""

START_TIMEOUT_SECONDS = 45
"""Seconds before starting the Wi-Fi times out."""


@dataclass(frozen=True, slots=True)
class Hotspot:
    """The machine's own Wi-Fi network. `password` is None if permission to read it is missing."""

    password: str | None

    @property
    def qr_text(self) -> str:
        """Text of a QR code that lets phones join."""
        return f"WIFI:T:WPA;S:{NETWORK_NAME};P:{self.password};;"


def find_hotspot() -> Hotspot | None:
    """Return the hotspot if it is on."""
    return Hotspot(_read_password()) if CONNECTION_NAME in list_connections(active=True) else None


def prepare_hotspot() -> Hotspot:
    """Create a profile with a new password. `start_hotspot` activates it, which may cut off the caller's own connection.

    Raises PondError if there is no usable Wi-Fi device or permission is missing.
    """
    device = find_wifi_device()
    stop_hotspot()
    password = "-".join("".join(secrets.choice(PASSWORD_CHARACTERS) for _ in range(4)) for _ in range(3))
    names = {"connection": CONNECTION_NAME, "network": NETWORK_NAME, "device": device}
    _write_profile(PROFILE.format(password=password, address=ADDRESS, **names))
    with _clean_up_on_failure():
        run_nmcli("connection", "load", str(_profile_path()))
        if CONNECTION_NAME not in list_connections():
            raise PondError(Message("web.hotspot.not_taken"))
    return Hotspot(password)


def start_hotspot() -> None:
    """Start the prepared hotspot. If it does not start, remove it and raise PondError."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # an SSH connection over the old Wi-Fi is cut off
    try:
        with _clean_up_on_failure():
            run_nmcli("connection", "up", "id", CONNECTION_NAME, seconds=START_TIMEOUT_SECONDS)
    finally:
        signal.signal(signal.SIGHUP, before)


def stop_hotspot() -> bool:
    """Stop the hotspot and delete its profile. Return False if there was no hotspot."""
    is_known = CONNECTION_NAME in list_connections()
    if is_known:
        run_nmcli("connection", "delete", "id", CONNECTION_NAME)  # stops the hotspot first if it is on
    try:
        _profile_path().unlink(missing_ok=True)
    except PermissionError:
        raise PondError(Message("web.hotspot.needs_root")) from None
    return is_known


def _profile_path() -> Path:
    return PROFILE_FOLDER / f"{CONNECTION_NAME}.nmconnection"


def _write_profile(text: str) -> None:
    """Write the profile so that other users can never read its password."""
    try:
        PROFILE_FOLDER.mkdir(mode=0o755, parents=True, exist_ok=True)
        opened = os.open(_profile_path(), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except PermissionError:
        raise PondError(Message("web.hotspot.needs_root")) from None
    with os.fdopen(opened, "w", encoding="utf-8") as file:
        file.write(text)


def _read_password() -> str | None:
    with suppress(OSError, Error):
        profile = ConfigParser(interpolation=None)
        profile.read_string(_profile_path().read_text(encoding="utf-8"))
        return profile.get("wifi-security", "psk", fallback=None)
    return None


@contextmanager
def _clean_up_on_failure() -> Iterator[None]:
    """Remove the hotspot and its profile if the code in the context fails or is interrupted."""
    try:
        yield
    except BaseException:
        with suppress(PondError, OSError):
            stop_hotspot()
        raise


def run_nmcli(*words: str, seconds: int = ANSWER_TIMEOUT_SECONDS) -> list[list[str]]:
    """Run nmcli and return its output as one list of fields per line. Raises PondError on failure.

    Never pass a secret as an argument, because other users can see it.
    """
    if not (program := shutil.which("nmcli")):
        raise PondError(Message("web.hotspot.no_nmcli"))
    command = [program, "--terse", "--wait", str(seconds), *words]
    environment = os.environ | {"LC_ALL": "C"}  # untranslated output
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
    """Return a usable Wi-Fi device, such as wlan0. Raises PondError if there is none or Wi-Fi is off."""
    devices = run_nmcli("--fields", "DEVICE,TYPE,STATE", "device", "status")
    wifi = [(device, state) for device, kind, state in _of_length(devices, 3) if kind == "wifi"]
    if not wifi:
        raise PondError(Message("web.hotspot.no_wifi"))
    usable = [device for device, state in wifi if state not in ("unavailable", "unmanaged")]
    if not usable:
        raise PondError(Message("web.hotspot.wifi_off", device=wifi[0][0]))
    return usable[0]


def list_connections(*, active: bool = False) -> set[str]:
    only_active = ["--active"] if active else []
    return {line[0] for line in run_nmcli("--fields", "NAME", "connection", "show", *only_active) if line}


def _explain_refusal(code: int, output: str) -> Message:
    if code == NOT_RUNNING:
        return Message("web.hotspot.not_running")
    if any(words in output.lower() for words in PERMISSION_ERRORS):
        return Message("web.hotspot.needs_root")
    lines = [line.removeprefix("Error: ").strip().rstrip(".") for line in output.splitlines() if line.strip()]
    return Message("web.hotspot.refused", reason=lines[0] if lines else f"nmcli {code}")


def _split_fields(line: str) -> list[str]:
    """Split a line at colons that are not escaped."""
    fields, letters = [""], iter(line)
    for letter in letters:
        if letter == ":":
            fields.append("")
        else:
            fields[-1] += next(letters, "") if letter == "\\" else letter
    return fields


def _of_length(lines: Sequence[list[str]], length: int) -> list[list[str]]:
    return [line for line in lines if len(line) == length]
