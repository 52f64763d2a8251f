"""Lesson files, built-in lessons and the player's progress."""

from pond_hw.exercises.lesson_file import (
    LESSONS_COURSE,
    LessonError,
    LessonList,
    load_lesson,
    load_lessons,
    parse_lesson,
)
from pond_hw.exercises.progress import ProgressFile

__all__ = [
    "LESSONS_COURSE",
    "LessonError",
    "LessonList",
    "ProgressFile",
    "load_lesson",
    "load_lessons",
    "parse_lesson",
]
