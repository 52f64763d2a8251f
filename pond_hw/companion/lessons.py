"""The lessons and puzzles of a board, and what somebody has done of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

from pond_hw.companion.help_memory import KeptFiles, open_kept_files
from pond_hw.exercises import LESSONS_COURSE, load_lessons
from pond_hw.puzzles.exercises import PUZZLES_COURSE, make_course
from pond_hw.session import Exercise, Session, ShowNotice

SIMULATED_DAY = date(1970, 1, 1)
"""The day where time is simulated: the same questions get the same answers."""


def add_lessons(
    session: Session,
    folder: Path | None,
    now: float,
    own_lesson: Exercise | None = None,
    day: date | None = None,
) -> tuple[Session, KeptFiles]:
    """A session that has the lessons and the puzzles, and the files that are kept beside the games.

    What is wrong with somebody's own lessons, or with that file, is said; nothing is kept from playing by it.

    Args:
        session: how the board begins.
        folder: where games are kept; None: nowhere, and then nothing is kept of lessons either.
        now: the instant, in seconds.
        own_lesson: one more, from a file that somebody has named; it may take the place of another.
        day: today; None where time is simulated, and the puzzle of the day stays that of 1970-01-01.
    """
    kept = open_kept_files(folder)
    progress = kept.progress
    course, faults = load_lessons(folder, progress.done_names.get(LESSONS_COURSE, frozenset()))
    if own_lesson:
        others = (each for each in course.exercises if each.name != own_lesson.name)
        exercises = (*others, own_lesson)
        course = course._replace(list_exercises=lambda: exercises)
    puzzles = make_course(session.size, day or SIMULATED_DAY, progress.done_names.get(PUZZLES_COURSE, frozenset()))
    if day is None:
        puzzles = puzzles._replace(day=None)
    session = replace(session, courses=(*session.courses, course, puzzles))
    notices = (*((progress.fault,) if progress.fault else ()), *faults)
    if notices:
        session = session.after(ShowNotice((*notices, *session.messages), now))
    return session, kept._replace(faults=(*notices, *filter(None, [kept.help_memory.fault])))
