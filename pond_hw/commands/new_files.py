"""Files that a command writes: never over one that is there, never half of one."""

from __future__ import annotations

from pathlib import Path

from pond_hw.messages.system_errors import explain_system_errors
from pond_hw.rules import PondError


def write_new_file(path: Path, file_text: str) -> None:
    """Write a new file.

    Raises:
        FileExistsError: there is one already.
        OSError: it cannot be written, and nothing is left of it.
        ValueError: no file can have that name.
    """
    with path.open("xb") as new_file:
        try:
            new_file.write(file_text.encode())
            new_file.flush()
        except OSError:
            path.unlink()  # half a record is none
            raise


def save_new_file(file_name: str, file_text: str) -> None:
    """Write a new file that somebody has named.

    Raises:
        PondError: there is one already, or it cannot be written.
    """
    with explain_system_errors(f"{file_name} cannot be written"):
        try:
            write_new_file(Path(file_name), file_text)
        except FileExistsError:
            raise PondError(f"There is a file {file_name} already, and it is kept. Name another one.") from None
