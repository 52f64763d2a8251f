"""Completed exercises, saved in a file next to the games.

{"form": 1, "done": {"lessons": ["place", "develop"]}}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pond_hw.durable_files import StateFile
from pond_hw.messages.message import Message
from pond_hw.session import Course

FILE_NAME = "exercises.json"
SCHEMA_VERSION = 1
"""Version of the file format. Increase it when a field is removed or changes its meaning."""


class ProgressFile:
    """Completed exercises in a state folder.

    Args:
        folder: State folder, which may not exist yet; None to save nothing.

    Attributes:
        done_names: Names of the completed exercises by course.
        fault: Message with the reason and the file's new name if the file was corrupt; otherwise None.
    """

    def __init__(self, folder: Path | None) -> None:
        self._file = StateFile(folder / FILE_NAME, SCHEMA_VERSION) if folder else None
        self.done_names: Mapping[str, frozenset[str]] = (self._file and self._file.read(_parse)) or {}
        self.fault: Message | None = self._file.fault if self._file else None

    def save(self, courses: Iterable[Course]) -> Message | None:
        """Save the progress in these courses. Progress in other courses is kept.

        Returns:
            The reason if saving fails, else None.
        """
        self.done_names = {**self.done_names, **{course.name: course.done_names for course in courses}}
        done = {name: sorted(done_names) for name, done_names in sorted(self.done_names.items())}
        return self._file.write({"done": done}) if self._file else None


def _parse(content: Any) -> dict[str, frozenset[str]]:
    done_names = dict[str, frozenset[str]]()
    for course_name, names in content["done"].items():
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise TypeError(names)
        done_names[course_name] = frozenset(names)
    return done_names
