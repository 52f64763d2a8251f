"""The profiles on the disk: those that ship with the package, and a builder's own; and what was measured over them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from pond_hw.messages.plurals import join_words
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.profile.board_profile import Profile
from pond_hw.profile.calibration import calibration_error, parse_calibrated_profile
from pond_hw.profile.calibration_folders import file_exists, list_folders
from pond_hw.profile.faults import ProfileError, ProfileFault, escape_unprintable, quote_value
from pond_hw.profile.field_kinds import nearest_word
from pond_hw.profile.reader import parse_profile

BOARDS_FOLDER = Path(__file__).parent.parent / "boards"

MAX_PROFILE_BYTES = 100_000
"""Bytes that a profile may have: those that ship have two thousand."""

CALIBRATION_SUFFIX = ".measured.toml"
"""How the name of a board's own file ends."""


def list_shipped() -> tuple[str, ...]:
    """The names of the profiles that ship, in the order of the alphabet."""
    return tuple(sorted(path.stem for path in BOARDS_FOLDER.glob("*.toml")))


def load_profile(
    name_or_path: str | Path, *, measured: bool = True, environment: Mapping[str, str] = os.environ
) -> Profile:
    """Read a profile that ships, by its name, or one from a file, by its path, and what was measured on the board.

    Args:
        name_or_path: a name such as `direct-4x4`, or a path that ends in `.toml`.
        measured: whether the board's own file counts, if there is one.
        environment: says where the own files of boards that ship are, see `folders`.

    Raises:
        ProfileError: there is no such profile, or it cannot be read, or something is wrong with it or with the board's
            own file.
    """
    path = find_profile(name_or_path)
    text = read_profile_text(path)
    own = find_calibration_file(path, environment) if measured else None
    if own is None:
        return parse_profile(text, format_profile_name(path))
    return parse_calibrated_profile(
        text, format_profile_name(path), read_profile_text(own, own=True), escape_unprintable(str(own))
    )


def find_profile(name_or_path: str | Path) -> Path:
    """The file of a profile.

    Raises:
        ProfileError: there can be none.
    """
    wanted = str(name_or_path)
    names = list_shipped()
    if wanted in names:
        return BOARDS_FOLDER / f"{wanted}.toml"
    if wanted.endswith(CALIBRATION_SUFFIX):
        profile = f"{wanted.removesuffix(CALIBRATION_SUFFIX)}.toml"
        raise ProfileError(
            f"{escape_unprintable(wanted)} is no profile, but what was measured on a board. Give the path of the profile, such "
            f"as {escape_unprintable(profile)}: what was measured is laid over it by itself."
        )
    if wanted.endswith(".toml"):
        return Path(wanted)
    near = nearest_word(wanted, names)
    meant = f" Did you mean {near}?" if near else ""
    raise ProfileError(
        f"There is no board {quote_value(wanted)}.{meant} There are {join_words(names)}; "
        "or give the path of a profile of your own, which ends in .toml."
    )


def format_profile_name(path: Path) -> str:
    """What the profile in a file is called: it may be called anything, and is shown to people."""
    return escape_unprintable(path.stem)


def list_calibration_files(profile: Path, environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Where the own file of a board may be, the likeliest first: beside its profile, unless that ships."""
    file_name = f"{profile.stem}{CALIBRATION_SUFFIX}"
    if profile.parent == BOARDS_FOLDER or os.path.realpath(profile.parent) == os.path.realpath(BOARDS_FOLDER):
        return [folder / file_name for folder in list_folders(environment)]
    return [profile.with_name(file_name)]


def find_calibration_file(profile: Path, environment: Mapping[str, str] = os.environ) -> Path | None:
    """The own file of a board, the first that there is; None without any."""
    return next(filter(file_exists, list_calibration_files(profile, environment)), None)


def read_profile_text(path: Path, *, own: bool = False) -> str:
    """The text of a profile, or of a board's `own` file.

    Raises:
        ProfileError: there is none that could be read.
    """
    file = escape_unprintable(str(path))
    wanted_kind, usual_advice = "a profile", "Give the path of a profile."
    if own:
        wanted_kind = "what was measured on a board"
        usual_advice = "Take it away: the profile counts alone then."
    try:
        data = _read_start(path)
    except FileNotFoundError:
        raise ProfileError(f"There is no file {file}. Give the path of one, or the name of a board.") from None
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        reason_text = describe_system_error(error)
        more = " It holds what was measured on this board: let it be read, or delete it." if own else ""
        raise ProfileError(f"{file} cannot be read: {reason_text}.{more}") from None
    if data is None:
        raise ProfileError(f"{file} is no file. {usual_advice}")
    if len(data) > MAX_PROFILE_BYTES:
        end = usual_advice if own else "Is it another file?"
        raise ProfileError(f"{file} is too long for {wanted_kind}, which is a page or two. {end}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        fault = ProfileFault(line, "", f"The byte 0x{data[error.start]:02x} is not UTF-8. Save the file as UTF-8 text.")
        if own:
            raise calibration_error(file, [fault]) from None
        raise ProfileError.for_profile(path.stem, [fault]) from None


def _read_start(path: Path) -> bytes | None:
    """The beginning of a file, more than a profile can have; None for what is there and is no file."""
    if path.exists() and not path.is_file():
        return None
    with path.open("rb") as file:
        return file.read(MAX_PROFILE_BYTES + 1)
