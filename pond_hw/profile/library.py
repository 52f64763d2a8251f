"""The profiles on the disk: those that ship with the package, and a builder's own; and what was measured over them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from pond_hw.messages.system_errors import describe_system_error
from pond_hw.profile.board_profile import Profile
from pond_hw.profile.calibration import own_error, read_with_own
from pond_hw.profile.calibration_folders import folders, is_there
from pond_hw.profile.faults import Fault, ProfileError, listed, printable, shown
from pond_hw.profile.fields import nearest
from pond_hw.profile.reader import read_profile

BOARDS = Path(__file__).parent.parent / "boards"

LONGEST = 100_000
"""Bytes that a profile may have: those that ship have two thousand."""

MEASURED = ".measured.toml"
"""How the name of a board's own file ends."""


def shipped() -> tuple[str, ...]:
    """The names of the profiles that ship, in the order of the alphabet."""
    return tuple(sorted(path.stem for path in BOARDS.glob("*.toml")))


def load(name_or_path: str | Path, *, measured: bool = True, environment: Mapping[str, str] = os.environ) -> Profile:
    """Read a profile that ships, by its name, or one from a file, by its path, and what was measured on the board.

    Args:
        name_or_path: a name such as `direct-4x4`, or a path that ends in `.toml`.
        measured: whether the board's own file counts, if there is one.
        environment: says where the own files of boards that ship are, see `folders`.

    Raises:
        ProfileError: there is no such profile, or it cannot be read, or something is wrong with it or with the board's
            own file.
    """
    path = profile_file(name_or_path)
    text = text_of(path)
    own = measured_file(path, environment) if measured else None
    if own is None:
        return read_profile(text, name_of(path))
    return read_with_own(text, name_of(path), text_of(own, own=True), printable(str(own)))


def profile_file(name_or_path: str | Path) -> Path:
    """The file of a profile.

    Raises:
        ProfileError: there can be none.
    """
    wanted = str(name_or_path)
    names = shipped()
    if wanted in names:
        return BOARDS / f"{wanted}.toml"
    if wanted.endswith(MEASURED):
        profile = f"{wanted.removesuffix(MEASURED)}.toml"
        raise ProfileError(
            f"{printable(wanted)} is no profile, but what was measured on a board. Give the path of the profile, such "
            f"as {printable(profile)}: what was measured is laid over it by itself."
        )
    if wanted.endswith(".toml"):
        return Path(wanted)
    near = nearest(wanted, names)
    meant = f" Did you mean {near}?" if near else ""
    raise ProfileError(
        f"There is no board {shown(wanted)}.{meant} There are {listed(names)}; "
        "or give the path of a profile of your own, which ends in .toml."
    )


def name_of(path: Path) -> str:
    """What the profile in a file is called: it may be called anything, and is shown to people."""
    return printable(path.stem)


def measured_files(profile: Path, environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Where the own file of a board may be, the likeliest first: beside its profile, unless that ships."""
    name = f"{profile.stem}{MEASURED}"
    if profile.parent == BOARDS or os.path.realpath(profile.parent) == os.path.realpath(BOARDS):
        return [folder / name for folder in folders(environment)]
    return [profile.with_name(name)]


def measured_file(profile: Path, environment: Mapping[str, str] = os.environ) -> Path | None:
    """The own file of a board, the first that there is; None without any."""
    return next(filter(is_there, measured_files(profile, environment)), None)


def text_of(path: Path, *, own: bool = False) -> str:
    """The text of a profile, or of a board's `own` file.

    Raises:
        ProfileError: there is none that could be read.
    """
    file = printable(str(path))
    what, instead = "a profile", "Give the path of a profile."
    if own:
        what = "what was measured on a board"
        instead = "Take it away: the profile counts alone then."
    try:
        data = _bytes(path)
    except FileNotFoundError:
        raise ProfileError(f"There is no file {file}. Give the path of one, or the name of a board.") from None
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        why = describe_system_error(error)
        more = " It holds what was measured on this board: let it be read, or delete it." if own else ""
        raise ProfileError(f"{file} cannot be read: {why}.{more}") from None
    if data is None:
        raise ProfileError(f"{file} is no file. {instead}")
    if len(data) > LONGEST:
        end = instead if own else "Is it another file?"
        raise ProfileError(f"{file} is too long for {what}, which is a page or two. {end}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        fault = Fault(line, "", f"The byte 0x{data[error.start]:02x} is not UTF-8. Save the file as UTF-8 text.")
        if own:
            raise own_error(file, [fault]) from None
        raise ProfileError.of(path.stem, [fault]) from None


def _bytes(path: Path) -> bytes | None:
    """The beginning of a file, more than a profile can have; None for what is there and is no file."""
    if path.exists() and not path.is_file():
        return None
    with path.open("rb") as file:
        return file.read(LONGEST + 1)
