"""The profiles on the disk: those that ship with the package, and a builder's own."""

from __future__ import annotations

from pathlib import Path

from pond_hw.profile.build import Profile
from pond_hw.profile.faults import Fault, ProfileError, listed, printable, shown
from pond_hw.profile.form import nearest
from pond_hw.profile.reader import read_profile

BOARDS = Path(__file__).parent.parent / "boards"

LONGEST = 100_000
"""Bytes that a profile may have: those that ship have two thousand."""


def shipped() -> tuple[str, ...]:
    """The names of the profiles that ship, in the order of the alphabet."""
    return tuple(sorted(path.stem for path in BOARDS.glob("*.toml")))


def load(name_or_path: str | Path) -> Profile:
    """Read a profile that ships, by its name, or one from a file, by its path.

    Args:
        name_or_path: a name such as `direct-4x4`, or a path that ends in `.toml`.

    Raises:
        ProfileError: there is no such profile, or it cannot be read, or something is wrong with it.
    """
    wanted = str(name_or_path)
    if wanted in shipped():
        return _read(BOARDS / f"{wanted}.toml")
    if wanted.endswith(".toml"):
        return _read(Path(wanted))
    names = shipped()
    near = nearest(wanted, names)
    meant = f" Did you mean {near}?" if near else ""
    raise ProfileError(
        f"There is no board {shown(wanted)}.{meant} There are {listed(names)}; "
        "or give the path of a profile of your own, which ends in .toml."
    )


def _read(path: Path) -> Profile:
    shown_path = printable(str(path))
    try:
        data = _bytes(path)
    except FileNotFoundError:
        raise ProfileError(f"There is no file {shown_path}. Give the path of one, or the name of a board.") from None
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ProfileError(f"{shown_path} cannot be read: {why}.") from None
    if data is None:
        raise ProfileError(f"{shown_path} is no file. Give the path of a profile.")
    if len(data) > LONGEST:
        raise ProfileError(f"{shown_path} is too long for a profile, which is a page or two. Is it another file?")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        fault = Fault(line, "", f"The byte 0x{data[error.start]:02x} is not UTF-8. Save the file as UTF-8 text.")
        raise ProfileError.of(path.stem, [fault]) from None
    return read_profile(text, printable(path.stem))  # a file may be called anything; its name is shown to people


def _bytes(path: Path) -> bytes | None:
    """The beginning of a file, more than a profile can have; None for what is there and is no file."""
    if path.exists() and not path.is_file():
        return None
    with path.open("rb") as file:
        return file.read(LONGEST + 1)
