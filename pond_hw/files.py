"""Files that outlast a power cut, and locks by which programs keep each other out."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


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
    """Whether an open file still has this path: it may have been deleted or replaced meanwhile."""
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
    """Give a file or folder to the owner of another one, if we are root; nobody else may, or needs to."""
    file_owner = like_path.stat()
    with suppress(PermissionError):
        os.chown(path, file_owner.st_uid, file_owner.st_gid)
