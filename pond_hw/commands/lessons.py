"""`pond lessons`: list the lessons and the player's progress, or check lesson files."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from pond_hw.commands import arguments
from pond_hw.commands.command_output import print_lines, print_note
from pond_hw.exercises import LESSONS_COURSE, LessonError, ProgressFile, load_lesson, load_lessons
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_output import align_columns


def add_arguments(parser: ArgumentParser) -> None:
    help_text = "your own lesson (.toml) to check; without one, list all lessons"
    parser.add_argument("files", metavar="FILE", nargs="*", help=help_text)
    arguments.add_journal_option(parser)
    arguments.add_language_option(parser)


def run_command(options: Namespace) -> int:
    """List the lessons, or check files. Return 2 if a file is invalid, else 0."""
    language = arguments.read_language(options)
    return _check_files(options.files, language) if options.files else _list_lessons(options, language)


def _check_files(file_names: list[str], language: str) -> int:
    exit_code = 0
    for file_name in file_names:
        try:
            lesson = load_lesson(Path(file_name))
        except LessonError as error:
            print_note(error.message)
            exit_code = 2
        else:
            count = len(lesson.steps)
            valid = Message("lessons.fine", file=file_name, title=lesson.title, name=lesson.name, count=count)
            print_lines(valid, language=language)
    return exit_code


def _list_lessons(options: Namespace, language: str) -> int:
    folder, text = arguments.choose_journal(options), get_catalogue(language).text
    progress = ProgressFile(folder)
    course, faults = load_lessons(folder, progress.done_names.get(LESSONS_COURSE, frozenset()))
    rows = [
        ("✓" if lesson.name in course.done_names else "", lesson.name, text(lesson.title))
        for lesson in course.exercises
    ]
    print_lines(*align_columns(rows, "lll"))
    done_count = sum(lesson.name in course.done_names for lesson in course.exercises)
    print_lines("", Message("lessons.done", count=done_count, total=len(rows)), language=language)
    print_lines(Message("lessons.begin", name=course.next_exercise.name), language=language)
    for fault in (*((progress.fault,) if progress.fault else ()), *faults):
        print_note(fault)
    return 2 if faults else 0
