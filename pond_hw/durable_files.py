"""Crash-safe file writing, and file locks between processes."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from pond_hw.messages.message import Message
from pond_hw.messages.system_errors import describe_system_error

MAX_STATE_BYTES = 1_000_000
"""Maximum size of a state file, in bytes."""

_Content = TypeVar("_Content")


def try_lock(descriptor: int, *, shared: bool = False) -> None:
    """Lock an open file or folder until it is closed. Does nothing on systems without `flock`.

    The kernel releases the lock if the process dies.

    Args:
        descriptor: file descriptor of the open file or folder.
        shared: True for a lock that several processes may hold.

    Raises:
        BlockingIOError: if another process holds the lock.
        OSError: if the file system does not support locks.
    """
    try:
        import fcntl
    except ImportError:
        return
    fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


def is_still_at(descriptor: int, path: Path) -> bool:
    """Return True if the open file is still at this path and has not been deleted or replaced."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False


def sync_to_disk(path: Path) -> None:
    """Flush a file, or the file names in a folder, to disk.

    Raises:
        OSError: if the data cannot be flushed.
    """
    if sys.platform == "win32" and path.is_dir():
        return  # Windows cannot open folders, and writes names together with their files
    flags = os.O_RDWR if sys.platform == "win32" else os.O_RDONLY  # Windows flushes only what it can write
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def open_nonblocking(path: str | Path, flags: int) -> int:
    """Open a file without blocking, even if it is a pipe without a writer. For use as the `opener` of `open`."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_file(path: Path, max_bytes: int) -> bytes:
    """Read a file, or at most its first `max_bytes` bytes.

    Raises:
        ValueError: if it is not a regular file.
        OSError: if it cannot be read.
    """
    try:
        with open(path, "rb", opener=open_nonblocking) as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return file.read(max_bytes)
    except IsADirectoryError:
        pass
    raise ValueError(f"{path} is not a regular file")


def replace_file(path: Path, data: bytes, like_path: Path | None = None) -> None:
    """Replace a file atomically: if this is interrupted, the file has either its old or its new content.

    The replacement is durable only after `sync_to_disk` of the folder.

    Args:
        path: the file.
        data: new content.
        like_path: file to copy the permissions and owner from; by default, the file being replaced. If it does not exist,
            the owner is copied from the folder, so that the service can change files written by root.

    Raises:
        OSError: if the file cannot be written; the old file is unchanged.
    """
    like_path = like_path or path
    new_path = path.with_name(f".{path.name}.new")
    with suppress(FileNotFoundError):
        new_path.unlink()  # left by a process killed while writing
    # Without O_BINARY, Windows would change the ends of lines.
    descriptor = os.open(new_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        try:
            if sys.platform != "win32" and like_path.exists():
                os.fchmod(descriptor, like_path.stat().st_mode & 0o777)
            unwritten_data = memoryview(data)
            while unwritten_data:
                unwritten_data = unwritten_data[os.write(descriptor, unwritten_data) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        copy_owner(new_path, like_path if like_path.exists() else path.parent)
        new_path.replace(path)
    except BaseException:
        with suppress(OSError):
            new_path.unlink()
        raise


def copy_owner(path: Path, like_path: Path) -> None:
    """Copy the owner of another file, if running as root. Other users don't need this, and Windows has no such owner."""
    if sys.platform == "win32":
        return
    file_owner = like_path.stat()
    with suppress(PermissionError):
        os.chown(path, file_owner.st_uid, file_owner.st_gid)


class StateFile:
    """Small JSON file that stores a program's state: an object whose `form` is its schema version.

    Errors are recorded, never raised. A file from a newer version of Pond is left unchanged.

    Args:
        path: the file. Its folder is created when needed.
        schema_version: version that this program reads and writes.

    Attributes:
        fault: reason why the file could not be read, or None.
    """

    def __init__(self, path: Path, schema_version: int = 1) -> None:
        self._path, self._schema_version = path, schema_version
        self._is_newer = False
        self.fault: Message | None = None

    def read(self, parse: Callable[[Any], _Content]) -> _Content | None:
        """Return the parsed content; None if the file is missing or unusable, in which case `fault` gives the reason.

        Args:
            parse: function that converts the JSON object. If it fails, the file is renamed to `.bad`.
        """
        try:
            content = json.loads(read_file(self._path, MAX_STATE_BYTES))
            found_version = content["form"]
            if found_version == self._schema_version:
                return parse(content)
            self._is_newer = found_version > self._schema_version
            self.fault = self._describe_newer() if self._is_newer else self._rename_to_bad()
        except FileNotFoundError:
            return None
        except OSError as error:
            self.fault = self._describe_unreadable(error)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            self.fault = self._rename_to_bad()
        return None

    def write(self, content: Mapping[str, object]) -> Message | None:
        """Write the content atomically, with its schema version. Return the reason for a failure, or None."""
        if self._is_newer:
            return self._describe_newer()
        versioned = {"form": self._schema_version, **content}
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace_file(self._path, json.dumps(versioned, indent=1).encode() + b"\n")
            with suppress(OSError):
                sync_to_disk(self._path.parent)
        except OSError as error:
            return Message("state_file.not_kept", file=str(self._path), reason=describe_system_error(error))
        return None

    def _rename_to_bad(self) -> Message:
        aside = self._path.with_suffix(".bad")
        try:
            self._path.replace(aside)
        except OSError as error:
            return self._describe_unreadable(error)
        return Message("state_file.put_aside", file=self._path.name, aside=str(aside))

    def _describe_newer(self) -> Message:
        return Message("state_file.newer", file=str(self._path))

    def _describe_unreadable(self, error: OSError) -> Message:
        return Message("state_file.unreadable", file=str(self._path), reason=describe_system_error(error))
