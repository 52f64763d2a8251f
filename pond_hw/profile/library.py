"""Find profiles on disk, both those shipped with Pond and those written by a builder, and their calibration files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pond_hw.messages.message import Message
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.profile.board_profile import Profile
from pond_hw.profile.calibration import parse_calibrated_profile
from pond_hw.profile.faults import ProfileError, ProfileFault, escape_unprintable
from pond_hw.profile.field_kinds import nearest_word
from pond_hw.profile.reader import parse_profile

BOARDS_FOLDER = Path(__file__).parent.parent / "boards"

INSTALLED_FOLDER = Path("/var/lib/pond")

MAX_PROFILE_BYTES = 100_000
"""Maximum size of a profile in bytes; shipped profiles are about two thousand bytes long."""

CALIBRATION_SUFFIX = ".measured.toml"


def list_shipped() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in BOARDS_FOLDER.glob("*.toml")))


def load_profile(
    name_or_path: str | Path, *, measured: bool = True, environment: Mapping[str, str] = os.environ
) -> Profile:
    """Load a shipped profile by name, or any profile by path, with its measured values.

    If the calibration file is unusable, only the profile is used, and `calibration_warning` gives the reason.

    Args:
        name_or_path: name such as `direct-4x4`, or path ending in `.toml`.
        measured: False to ignore the calibration file.
        environment: determines where the calibration files of shipped boards are; see `list_folders`.

    Raises:
        ProfileError: the profile doesn't exist, cannot be read or has faults.
    """
    path = find_profile(name_or_path)
    text, name = read_profile_text(path), format_profile_name(path)
    own = find_calibration_file(path, environment) if measured else None
    if own is None:
        return parse_profile(text, name)
    file = escape_unprintable(str(own))
    try:
        return parse_calibrated_profile(text, name, read_profile_text(own, own=True), file)
    except ProfileError as error:
        profile = parse_profile(text, name)  # faults in the profile itself are errors
        reason = error.faults[0].message if error.faults else error.message
        return replace(profile, calibration_warning=Message("profile.ignored.unusable", file=file, reason=reason))


def find_profile(name_or_path: str | Path) -> Path:
    """Return the path of a profile.

    Raises:
        ProfileError: the name or path is invalid.
    """
    name = str(name_or_path)
    names = list_shipped()
    if name in names:
        return BOARDS_FOLDER / f"{name}.toml"
    if name.endswith(CALIBRATION_SUFFIX):
        shown = escape_unprintable(name)
        profile = f"{shown.removesuffix(CALIBRATION_SUFFIX)}.toml"
        raise ProfileError(Message("profile.file.measured_values", file=shown, profile=profile))
    if name.endswith(".toml"):
        return Path(name)
    if closest_name := nearest_word(name, names):
        raise ProfileError(Message("profile.board.misspelt", board=name, near=closest_name, boards=names))
    raise ProfileError(Message("profile.board.unknown", board=name, boards=names))


def format_profile_name(path: Path) -> str:
    return escape_unprintable(path.stem)


def list_folders(environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Return the folders for calibration files of shipped boards, in order of preference.

    If POND_BOARDS is set, it is the only folder. Otherwise the folder of the installed service is always included, so that
    users get the values that the service has measured. For a service, systemd sets STATE_DIRECTORY.
    """
    if configured_folder := environment.get("POND_BOARDS"):
        return [Path(configured_folder)]
    state_folders = [
        environment.get("STATE_DIRECTORY", "").split(":")[0],
        str(INSTALLED_FOLDER),
        environment.get("XDG_STATE_HOME") and f"{environment['XDG_STATE_HOME']}/pond",
        environment.get("HOME") and f"{environment['HOME']}/.local/state/pond",
    ]
    return list(dict.fromkeys(Path(state, "boards") for state in state_folders if state))


def file_exists(file: Path) -> bool:
    try:
        return file.exists()
    except OSError:  # in a folder without access
        return False


def list_calibration_files(profile: Path, environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Return the possible calibration files of a board in order of preference.

    If the profile isn't shipped with Pond, they are next to it.
    """
    file_name = f"{profile.stem}{CALIBRATION_SUFFIX}"
    if profile.parent == BOARDS_FOLDER or os.path.realpath(profile.parent) == os.path.realpath(BOARDS_FOLDER):
        return [folder / file_name for folder in list_folders(environment)]
    return [profile.with_name(file_name)]


def find_calibration_file(profile: Path, environment: Mapping[str, str] = os.environ) -> Path | None:
    return next(filter(file_exists, list_calibration_files(profile, environment)), None)


def read_profile_text(path: Path, *, own: bool = False) -> str:
    """Return the text of a profile, or of a calibration file if `own` is True.

    Raises:
        ProfileError: the file cannot be read.
    """
    file, kind = escape_unprintable(str(path)), "measured" if own else "profile"
    try:
        data = None
        if path.is_file() or not path.exists():
            with path.open("rb") as opened:
                data = opened.read(MAX_PROFILE_BYTES + 1)
    except FileNotFoundError:
        raise ProfileError(Message("profile.file.missing", file=file)) from None
    except (OSError, ValueError) as error:  # ValueError: an impossible file name
        reason = describe_system_error(error)
        raise ProfileError(Message(f"profile.unreadable.{kind}", file=file, reason=reason)) from None
    if data is None:
        raise ProfileError(Message(f"profile.not_a_file.{kind}", file=file))
    if len(data) > MAX_PROFILE_BYTES:
        raise ProfileError(Message(f"profile.too_long.{kind}", file=file))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        fault = ProfileFault(line, "", Message("profile.file.not_utf8", byte=f"0x{data[error.start]:02x}"))
        raise ProfileError.for_file(file if own else f"{path.stem}.toml", [fault], measured=own) from None
