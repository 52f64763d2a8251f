"""Write calibration files so that an interruption at any moment leaves either the old or the new file.

    direct-4x4.measured.toml.8 -> .9  ...  .1 -> .2     shift the backups, deleting the ninth
    direct-4x4.measured.toml   is copied to .1          newest backup
    .direct-4x4.measured.toml.new -> direct-4x4.measured.toml

The new file is written under another name and synced before it is renamed. Meanwhile the folder is locked through the
kernel, which releases the lock if the program dies.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from pond_hw.durable_files import copy_owner, replace_file, sync_to_disk, try_lock
from pond_hw.messages.message import Message, as_message
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.profile import calibration, library
from pond_hw.profile.calibration import MAX_REASON_LENGTH, CalibrationChange, CalibrationOverlay
from pond_hw.profile.faults import ProfileError, escape_unprintable
from pond_hw.profile.reader import parse_profile

MAX_BACKUPS = 9

MAX_LOG_ENTRIES = 50
"""Maximum number of changes in the log; older ones are in the backups."""


def save_calibration(
    name_or_path: str | Path,
    changes: Mapping[str, object],
    *,
    by: str,
    why: str,
    now: datetime,
    measured_on: str = "",
    environment: Mapping[str, str] = os.environ,
) -> Path:
    """Save measured values in a board's calibration file, keeping a backup.

    Nothing is saved unless the board can be loaded with the result. A file that no longer matches the profile is backed up
    and replaced. An unusable file is renamed to `.bad`.

    Args:
        name_or_path: board, as for `load_profile`.
        changes: values by dotted profile key, such as `lamps.colours`; drawings as strings. None removes a value, so that
            the profile's value applies again. If there are no changes, nothing is saved.
        by: command that makes the change, such as `pond setup map`.
        why: one line for the log.
        now: wall-clock time for the log.
        measured_on: fingerprint that the profile had during the measurement; empty if the profile has not changed since.
        environment: as for `load_profile`.

    Returns:
        The path of the file.

    Raises:
        ProfileError: nothing was saved, or it may not survive a power cut.
    """
    profile_file = library.find_profile(name_or_path)
    profile_text, name = library.read_profile_text(profile_file), library.format_profile_name(profile_file)
    parse_profile(profile_text, name)  # so that the error names this file
    current_fingerprint = calibration.profile_fingerprint(profile_text)
    if measured_on and measured_on != current_fingerprint:
        raise ProfileError(Message("profile.save.profile_changed", board=name))
    measurable_keys = tuple(calibration.list_measurable_keys())
    if unknown_keys := tuple(escape_unprintable(key) for key in changes if key not in measurable_keys):
        raise ProfileError(Message("profile.save.wrong_keys", keys=unknown_keys, measurable=measurable_keys))
    found_file = library.find_calibration_file(profile_file, environment)
    file = find_writable_file(profile_file, environment)
    if not changes:
        return file
    with _explain_os_errors(file), lock_folder(file.parent):
        nothing = CalibrationOverlay(name, current_fingerprint, {}, ())
        before, overlay, unusable_file = None, nothing, None
        if found_file:
            shown_path = escape_unprintable(str(found_file))
            try:
                old_text = library.read_profile_text(found_file, own=True)
                old_overlay = calibration.parse_calibration(old_text, shown_path, current_fingerprint)
            except ProfileError as error:
                if any(fault.reason.id == "profile.newer_format" for fault in error.faults):
                    before = found_file.read_bytes()  # kept like an older version
                else:
                    unusable_file = found_file
            else:
                is_other = calibration.explain_mismatch(old_overlay, name, current_fingerprint, shown_path)
                overlay = (
                    nothing if is_other else old_overlay._replace(profile_name=name, measured_on=current_fingerprint)
                )
                before = found_file.read_bytes()
        reason = _log_line(why, MAX_REASON_LENGTH)
        change = CalibrationChange(now.isoformat(timespec="seconds"), _log_line(by, 80), tuple(changes), reason)
        try:
            new = _checked_text(profile_text, _add_changes(overlay, changes, change))
        except ProfileError:
            if _is_loadable(profile_text, overlay):
                raise
            before, unusable_file = None, found_file
            new = _checked_text(profile_text, _add_changes(nothing, changes, change))
        if before is not None:
            _back_up(file, before)
        if unusable_file:
            unusable_file.replace(unusable_file.with_suffix(".bad"))
        replace_file(file, new.encode())
        try:
            _sync_folder(file.parent)
        except OSError as error:
            shown_path, reason = escape_unprintable(str(file)), describe_system_error(error)
            raise ProfileError(Message("profile.save.not_safe", file=shown_path, reason=reason)) from None
    return file


def calibration_history(
    name_or_path: str | Path, *, environment: Mapping[str, str] = os.environ
) -> tuple[CalibrationChange, ...]:
    """Return the change log of a board's calibration file, oldest entry first, or nothing if there is no file.

    Raises:
        ProfileError: the board is unknown, or its calibration file cannot be read.
    """
    profile_file = library.find_profile(name_or_path)
    own_file = library.find_calibration_file(profile_file, environment)
    if own_file is None:
        return ()
    own_text, shown_path = library.read_profile_text(own_file, own=True), escape_unprintable(str(own_file))
    current_fingerprint = calibration.profile_fingerprint(library.read_profile_text(profile_file))
    return calibration.parse_calibration(own_text, shown_path, current_fingerprint).change_log


def find_writable_file(profile_file: Path, environment: Mapping[str, str]) -> Path:
    """Return the first writable location that no existing file overrides."""
    files = library.list_calibration_files(profile_file, environment)
    for file in files:
        folder = file.parent
        if _ensure_folder(folder) and os.access(folder, os.W_OK | os.X_OK):
            return Path(os.path.realpath(file))
        if library.file_exists(file):
            raise ProfileError(Message("profile.save.closed_folder", file=escape_unprintable(str(file))))
    folders = tuple(escape_unprintable(str(file.parent)) for file in files)
    raise ProfileError(Message("profile.save.no_folder", folders=folders))


def _ensure_folder(folder: Path) -> bool:
    if library.file_exists(folder):
        return True
    if folder.parent == library.INSTALLED_FOLDER and not library.file_exists(folder.parent):
        return False  # only the installer creates it
    try:
        folder.mkdir(parents=True, exist_ok=True)
        copy_owner(folder, folder.parent)
    except OSError:
        return False
    return True


def _add_changes(
    overlay: CalibrationOverlay, changes: Mapping[str, object], change: CalibrationChange
) -> CalibrationOverlay:
    values = {key: value for key, value in {**overlay.measured_values, **changes}.items() if value is not None}
    return overlay._replace(measured_values=values, change_log=(*overlay.change_log, change)[-MAX_LOG_ENTRIES:])


def _is_loadable(profile_text: str, overlay: CalibrationOverlay) -> bool:
    try:
        _checked_text(profile_text, overlay)
    except ProfileError:
        return False
    return True


def _checked_text(profile_text: str, overlay: CalibrationOverlay) -> str:
    """Format a calibration file. Raise an error if the board cannot be loaded with it."""
    board = overlay.profile_name
    try:
        new_text = calibration.format_calibration(overlay)
        calibration.parse_calibrated_profile(profile_text, board, new_text, board)
    except TypeError as error:
        raise ProfileError(Message("profile.save.misfit", board=board, faults=(as_message(str(error)),))) from None
    except ProfileError as error:
        faults = tuple(
            fault.message if fault.file else Message("profile.fault.new_value", place=fault.place, reason=fault.reason)
            for fault in error.faults
        )
        raise ProfileError(Message("profile.save.misfit", board=board, faults=faults), error.faults) from None
    return new_text


def _back_up(file: Path, before: bytes) -> None:
    first = _backup_file(file, 1)
    if first.is_file() and first.read_bytes() == before:
        return
    free_numbers = (number for number in range(1, MAX_BACKUPS) if not library.file_exists(_backup_file(file, number)))
    free_number = next(free_numbers, MAX_BACKUPS)
    for number in range(free_number - 1, 0, -1):
        _backup_file(file, number).replace(_backup_file(file, number + 1))
    replace_file(first, before, file)
    _sync_folder(file.parent)


def _backup_file(file_path: Path, backup_number: int) -> Path:
    return file_path.with_name(f"{file_path.name}.{backup_number}")


def _sync_folder(folder: Path) -> None:
    try:
        sync_to_disk(folder)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some file systems cannot sync folders
            raise


@contextmanager
def _explain_os_errors(file_path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = describe_system_error(error)
        shown_path = escape_unprintable(str(file_path))
        raise ProfileError(Message("profile.save.failed", file=shown_path, reason=reason)) from None


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock a folder.

    Raises:
        ProfileError: another program holds the lock.
    """
    opened = os.open(folder, os.O_RDONLY)
    try:
        try:
            try_lock(opened)
        except BlockingIOError:
            shown_path = escape_unprintable(str(folder))
            raise ProfileError(Message("profile.save.locked", folder=shown_path)) from None
        yield
    finally:
        with suppress(OSError):
            os.close(opened)


def _log_line(log_text: str, max_length: int) -> str:
    log_line = " ".join(escape_unprintable(" ".join(log_text.split())).split()) or "-"
    return log_line if len(log_line) <= max_length else f"{log_line[: max_length - 3]}..."
