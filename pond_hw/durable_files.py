"""Files that outlast a power cut, and locks by which programs keep each other out."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from pond_hw.messages.message import Message
from pond_hw.messages.system_errors import describe_system_error

MAX_STATE_BYTES = 1_000_000
"""Bytes of a state file, at the most."""

_Content = TypeVar("_Content")


def try_lock(descriptor: int, *, shared: bool = False) -> None:
    """Lock an open file or folder until it is closed. A system without such locks locks nothing.

    The kernel lets go of a lock when its holder dies, however that happens.

    Args:
        descriptor: the open file.
        shared: whether others may hold it shared at the same time.

    Raises:
        BlockingIOError: another process holds it.
        OSError: there are no locks on this disk.
    """
    try:
        import fcntl
    except ImportError:
        return
    fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


def is_still_at(descriptor: int, path: Path) -> bool:
    """Return True if an open file still has this path: it may have been deleted or replaced meanwhile."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False


def sync_to_disk(path: Path) -> None:
    """Wait until the disk holds a file, or the names in a folder.

    Raises:
        OSError: the disk cannot do it.
    """
    if os.name == "nt" and path.is_dir():
        return  # Windows opens no folders, and writes names with their files
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def open_at_once(path: str | Path, flags: int) -> int:
    """Open a file without waiting, as an `opener` of `open`: a pipe may never be written to."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_file(path: Path, max_bytes: int) -> bytes:
    """Read a file, or the first `max_bytes` of it.

    Raises:
        ValueError: it is a folder, a pipe or another thing that is no file.
        OSError: it cannot be read.
    """
    try:
        with open(path, "rb", opener=open_at_once) as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return file.read(max_bytes)
    except IsADirectoryError:
        pass
    raise ValueError(f"{path} is no file")


def replace_file(path: Path, data: bytes, like_path: Path | None = None) -> None:
    """Write a file whole, so that an interruption at any moment leaves the old one or the new one.

    The data goes to the disk under another name first. Its new name is safe after `sync_to_disk` of the folder.

    Args:
        path: the file.
        data: all of it.
        like_path: whose permissions and owner it gets; by default those of the file that it replaces. If there is no such
            file, the owner of the folder gets it: what root has written, the service must be able to change.

    Raises:
        OSError: it cannot be written; the old file is as it was.
    """
    like_path = like_path or path
    new_path = path.with_name(f".{path.name}.new")
    with suppress(FileNotFoundError):
        new_path.unlink()  # left by a program that was killed while writing it
    descriptor = os.open(new_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        try:
            if like_path.exists():
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
    """Give a file or folder to the owner of another one, if we are root; other users must not and need not."""
    file_owner = like_path.stat()
    with suppress(PermissionError):
        os.chown(path, file_owner.st_uid, file_owner.st_gid)


class StateFile:
    """Small JSON file with state of a program. Its faults are reported and end nothing.

    Args:
        path: the file; its folder need not be there yet.

    Attributes:
        fault: why it could not be read, and where it was put aside, or None.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.fault: Message | None = None

    def read(self, parse: Callable[[Any], _Content]) -> _Content | None:
        """Return the content of the file; None if it is missing or cannot be used, and then `fault` may say why.

        Args:
            parse: makes something of the JSON value; if it fails, the file makes no sense and is put aside.
        """
        try:
            return parse(json.loads(read_file(self._path, MAX_STATE_BYTES)))
        except FileNotFoundError:
            return None
        except OSError as error:
            self.fault = self._describe_unreadable(error)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            self.fault = self._put_aside()
        return None

    def write(self, content: object) -> Message | None:
        """Write all of it, so that a power cut leaves the old or the new.

        Returns:
            Why that cannot be done, or None.
        """
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace_file(self._path, json.dumps(content, indent=1).encode() + b"\n")
            with suppress(OSError):
                sync_to_disk(self._path.parent)
        except OSError as error:
            return Message("state_file.not_kept", file=str(self._path), reason=describe_system_error(error))
        return None

    def _put_aside(self) -> Message:
        """Rename a file that makes no sense; a new one is begun."""
        aside = self._path.with_suffix(".bad")
        try:
            self._path.replace(aside)
        except OSError as error:
            return self._describe_unreadable(error)
        return Message("state_file.put_aside", file=self._path.name, aside=str(aside))

    def _describe_unreadable(self, error: OSError) -> Message:
        return Message("state_file.unreadable", file=str(self._path), reason=describe_system_error(error))
