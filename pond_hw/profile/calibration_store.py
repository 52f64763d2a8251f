"""Writing a board's own file, so that an interruption at any moment leaves it as it was or as it shall be.

    save   direct-4x4.measured.toml.8 -> .9  ...  .1 -> .2     those from before make room, the ninth is given up
           direct-4x4.measured.toml   is copied to .1          the newest of them
           .direct-4x4.measured.toml.new -> direct-4x4.measured.toml

    undo   direct-4x4.measured.toml   is copied to .undone
           direct-4x4.measured.toml.1 -> direct-4x4.measured.toml, .2 -> .1 ...

What is written goes into a file beside it, and to the disk, before it takes the name. One writes at a time: the folder
is locked meanwhile, by the kernel, so that nobody who has died holds it.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from pond_hw.messages.system_errors import describe_system_error
from pond_hw.profile import calibration_folders
from pond_hw.profile.calibration import LONGEST_WHY, Change, Own, fingerprint, keys, read_own, read_with_own, why_aside
from pond_hw.profile.faults import ProfileError, listed, printable
from pond_hw.profile.library import measured_file, measured_files, name_of, profile_file, text_of
from pond_hw.profile.reader import read_profile
from pond_hw.profile.toml_writer import written

KEPT = 9
"""How many files from before are kept."""

LONGEST_LOG = 50
"""How many changes the log tells; older ones are in the files from before."""


def save(
    name_or_path: str | Path,
    changes: Mapping[str, object],
    *,
    by: str,
    why: str,
    now: datetime,
    measured_on: str = "",
    environment: Mapping[str, str] = os.environ,
) -> Path:
    """Write what was measured into a board's own file, over what is there; the file from before is kept.

    Nothing is written unless the board could be loaded with it. A file that does not count any more, because the
    profile has changed, is kept and begun anew.

    Args:
        name_or_path: the board, as for `load`.
        changes: values by their dotted key in a profile, such as `lamps.colours`; drawings as texts. None takes a value
            out of the file: there the profile counts again. Without any, nothing is written.
        by: what changes it, such as `pond setup map`.
        why: one line for the log.
        now: the wall clock, for the log.
        measured_on: the fingerprint that the profile had when it was measured; empty if that is now.
        environment: as for `load`.

    Returns:
        The file.

    Raises:
        ProfileError: it was not written; the file is as it was.
    """
    profile = profile_file(name_or_path)
    text, name = text_of(profile), name_of(profile)
    read_profile(text, name)  # whose faults are told as its own
    as_it_is = fingerprint(text)
    if measured_on and measured_on != as_it_is:
        raise ProfileError(
            f"{name}.toml has changed while the board was measured, and nothing was written. Run set-up once more."
        )
    if strange := [key for key in changes if key not in keys()]:
        raise ProfileError(f"Set-up does not change {listed(map(printable, strange))}, only {listed(keys())}.")
    found, file = measured_file(profile, environment), where_to_write(profile, environment)
    if not changes:
        return file
    with _told(file), _locked(file.parent):
        before, own = None, Own(name, as_it_is, {}, ())
        if found:
            shown = printable(str(found))
            there = read_own(text_of(found, own=True), shown, as_it_is)
            own = own if why_aside(there, name, as_it_is, shown) else there
            before = found.read_bytes()
        values = {key: value for key, value in {**own.values, **changes}.items() if value is not None}
        change = Change(now.isoformat(timespec="seconds"), _line(by, 80), tuple(changes), _line(why, LONGEST_WHY))
        new = _checked(text, Own(name, as_it_is, values, (*own.changes, change)[-LONGEST_LOG:]))
        if before is not None:
            _keep(file, before)
        _put(file, new.encode())
        _on_disk(file)
    return file


def undo(name_or_path: str | Path, *, environment: Mapping[str, str] = os.environ) -> Path:
    """Take back the newest file from before that differs from the one that counts; that is kept as `.undone`.

    Args:
        name_or_path: the board, as for `load`.
        environment: as for `load`.

    Returns:
        The file.

    Raises:
        ProfileError: there is none, or it cannot be used; the file is as it was.
    """
    profile = profile_file(name_or_path)
    text, name = text_of(profile), name_of(profile)
    files = measured_files(profile, environment)
    there = measured_file(profile, environment) or next((file for file in files if _numbers(file)), files[0])
    file = Path(os.path.realpath(there))
    if not calibration_folders.is_there(file) and not _numbers(file):
        raise ProfileError(f"Nothing was measured on {name} that could be taken back.")
    with _told(file), _locked(file.parent):
        before = file.read_bytes() if file.exists() else None
        kept = _numbers(file)
        newest = next((number for number in kept if _numbered(file, number).read_bytes() != before), None)
        if newest is None:
            raise ProfileError(
                f"No other file from before is kept beside {printable(str(there))}. "
                "Delete it to go back to the profile alone."
            )
        back = _numbered(file, newest)
        read_with_own(text, name, text_of(back, own=True), printable(str(back)))
        if before is not None:
            _put(file.with_name(f"{file.name}.undone"), before, file)
        for number in kept:
            if number < newest:  # the same as the one that is left: nobody goes back to them
                _numbered(file, number).unlink()
        back.replace(file)
        _on_disk(file)
        with suppress(OSError):  # a gap in the numbers does no harm
            for place, number in enumerate((number for number in kept if number > newest), 1):
                _numbered(file, number).replace(_numbered(file, place))
    return file


def history(name_or_path: str | Path, *, environment: Mapping[str, str] = os.environ) -> tuple[Change, ...]:
    """The log of changes of a board's own file, the oldest first; empty if there is none.

    Raises:
        ProfileError: the board is not known, or its own file cannot be read.
    """
    profile = profile_file(name_or_path)
    file = measured_file(profile, environment)
    if file is None:
        return ()
    return read_own(text_of(file, own=True), printable(str(file)), fingerprint(text_of(profile))).changes


def where_to_write(profile: Path, environment: Mapping[str, str]) -> Path:
    """The first place that may be written; not one behind the file that counts, where nobody would look."""
    for file in measured_files(profile, environment):
        folder = file.parent
        if _made(folder) and os.access(folder, os.W_OK | os.X_OK):
            return Path(os.path.realpath(file))
        if calibration_folders.is_there(file):
            raise ProfileError(
                f"{printable(str(file))} counts, and its folder may not be written by you. "
                "Run set-up as the user whose it is, or set POND_BOARDS to a folder of your own."
            )
    where = listed((printable(str(file.parent)) for file in measured_files(profile, environment)), "or")
    raise ProfileError(f"What was measured cannot be kept in {where}. Let it be written there, or set POND_BOARDS.")


def _made(folder: Path) -> bool:
    """Make a folder if it is not there; whether it is."""
    if calibration_folders.is_there(folder):
        return True
    if folder.parent == calibration_folders.INSTALLED and not calibration_folders.is_there(
        folder.parent
    ):  # only an installed service has one
        return False
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _given_to(folder, folder.parent)
    except OSError:
        return False
    return True


def _checked(text: str, own: Own) -> str:
    """The text of a board's own file, if the board could be loaded with it."""
    first = f"What set-up found does not fit {own.profile}.toml, and was not written:"
    try:
        new = written(own)
        read_with_own(text, own.profile, new, own.profile)
    except TypeError as error:
        raise ProfileError(f"{first}\n  {error}") from None
    except ProfileError as error:
        faults = (f"  {fault if fault.file else f'{fault.path}: {fault.sentence}'}" for fault in error.faults)
        raise ProfileError("\n".join((first, *faults)), error.faults) from None
    return new


def _keep(file: Path, before: bytes) -> None:
    """Keep what is there as the newest file from before, unless an interrupted attempt has done so."""
    first = _numbered(file, 1)
    if first.is_file() and first.read_bytes() == before:
        return
    kept = _numbers(file)
    gap = next((number for number in range(1, KEPT) if number not in kept), KEPT)
    for number in range(gap - 1, 0, -1):
        _numbered(file, number).replace(_numbered(file, number + 1))
    _put(first, before, file)
    _sync(file.parent)


def _numbered(file: Path, number: int) -> Path:
    return file.with_name(f"{file.name}.{number}")


def _numbers(file: Path) -> list[int]:
    """Which files from before are kept, the newest first."""
    return [number for number in range(1, KEPT + 1) if calibration_folders.is_there(_numbered(file, number))]


def _put(path: Path, data: bytes, like: Path | None = None) -> None:
    """Write a file whole: under another name first, and to the disk, then under its own.

    Args:
        path: the file.
        data: all of it.
        like: whose permissions it is to have; by default those of the file that it replaces, if there is one.
    """
    like = like or path
    new = path.with_name(f".{path.name}.new")
    with suppress(FileNotFoundError):
        new.unlink()  # of somebody who was killed: we hold the lock
    opened = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        try:
            if like.exists():
                os.fchmod(opened, like.stat().st_mode & 0o777)
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(opened, rest) :]
            os.fsync(opened)
        finally:
            os.close(opened)
        _given_to(new, like if like.exists() else path.parent)
        new.replace(path)
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise


def _given_to(path: Path, like: Path) -> None:
    """Leave a file to the owner of another one: what root has measured the service must be able to change."""
    owner = like.stat()
    with suppress(PermissionError):  # only root may, and nobody else need
        os.chown(path, owner.st_uid, owner.st_gid)


def _on_disk(file: Path) -> None:
    """Wait until the disk holds a file under its new name."""
    try:
        _sync(file.parent)
    except OSError as error:
        why = describe_system_error(error)
        raise ProfileError(
            f"{printable(str(file))} was written, but may not outlast a power cut: {why}. Look after the disk."
        ) from None


def _sync(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    except OSError as error:
        if error.errno != errno.EINVAL:  # there are file systems that cannot do it for folders
            raise
    finally:
        os.close(opened)


@contextmanager
def _told(file: Path) -> Iterator[None]:
    """What the disk refuses becomes a sentence."""
    try:
        yield
    except OSError as error:
        why = describe_system_error(error)
        raise ProfileError(
            f"{printable(str(file))} cannot be written: {why}. It is as it was before; mend that and try again."
        ) from None


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold a folder while something is written in it.

    Raises:
        ProfileError: somebody else does.
    """
    try:
        import fcntl
    except ImportError:  # not on Windows, where no board is set up
        yield
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ProfileError(
                f"Another program is writing in {printable(str(folder))}, and nothing was written. Try again."
            ) from None
        yield
    finally:
        with suppress(OSError):
            os.close(opened)


def _line(text: str, most: int) -> str:
    """A text as one line of the log, however it comes."""
    line = " ".join(printable(" ".join(text.split())).split()) or "-"
    return line if len(line) <= most else f"{line[: most - 3]}..."
