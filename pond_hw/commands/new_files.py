"""Files that a command writes: never over one that is there, never half of one."""

from __future__ import annotations

from pathlib import Path


def write_new_file(path: Path, text: str) -> None:
    """Write a new file.

    Raises:
        FileExistsError: there is one already.
        OSError: it cannot be written, and nothing is left of it.
        ValueError: no file can have that name.
    """
    with path.open("xb") as out:
        try:
            out.write(text.encode())
            out.flush()
        except OSError:
            path.unlink()  # half a record is none
            raise
