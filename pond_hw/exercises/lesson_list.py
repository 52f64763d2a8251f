"""The lessons that a board has: those that ship, and those that somebody has put into the state folder."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from pond_hw.exercises.lesson_file import LessonError, load_lesson
from pond_hw.messages.message import Message
from pond_hw.session import Course, Exercise

SHIPPED_FOLDER = Path(__file__).parent / "lessons"

OWN_FOLDER_NAME = "lessons"
"""The folder in the state folder in which a teacher's lessons are."""

LESSONS_COURSE = "lessons"
"""The name of the course that lessons make."""

MAX_OWN_LESSONS = 50


class LessonList(NamedTuple):
    """Lessons, and what is wrong with files that should be some.

    Attributes:
        course: the lessons in their order, those that ship first.
        faults: a message for each of somebody's own files that cannot be used.
    """

    course: Course
    faults: tuple[Message, ...] = ()


@cache
def _load_shipped() -> tuple[Exercise, ...]:
    return tuple(load_lesson(path) for path in sorted(SHIPPED_FOLDER.glob("*.toml")))


def load_lessons(state_folder: Path | None, done_names: frozenset[str] = frozenset()) -> LessonList:
    """The lessons that ship, and those in a state folder; a file that is wrong is left out, and said.

    Args:
        state_folder: where games are kept, too; None: nowhere.
        done_names: those that were done.
    """
    own_lessons, faults = list[Exercise](), list[Message]()
    for path in _list_own(state_folder):
        try:
            own_lessons.append(load_lesson(path))
        except LessonError as error:
            faults.append(error.message)

    @cache
    def list_exercises() -> tuple[Exercise, ...]:
        by_name = {lesson.name: lesson for lesson in (*_load_shipped(), *own_lessons)}
        return tuple(by_name.values())  # one's own may take the place of one that ships

    return LessonList(Course(LESSONS_COURSE, list_exercises, done_names), tuple(faults))


def _list_own(state_folder: Path | None) -> list[Path]:
    if state_folder is None:
        return []
    try:
        return sorted((state_folder / OWN_FOLDER_NAME).glob("*.toml"))[:MAX_OWN_LESSONS]
    except OSError:
        return []
