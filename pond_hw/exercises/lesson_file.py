"""Strict parser for lesson files in TOML, both built-in ones and those in the state folder.

The format is described in docs/lessons.md. A lesson is accepted only if all its tasks are possible.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from pond_hw.durable_files import open_nonblocking
from pond_hw.exercises.lesson_check import find_lesson_fault
from pond_hw.messages.catalogue import LANGUAGES
from pond_hw.messages.message import Message, PondError
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.messages.terminal_text import name_rejected_character, replace_unprintable
from pond_hw.rules import Action, Cell, Position, Variant, explain_invalid_start, parse_variant
from pond_hw.session import DEFAULT_REVEAL_AFTER, Course, Exercise, ExerciseStep, Goal, GoalKind, make_local_text

SHIPPED_FOLDER = Path(__file__).parent / "lessons"

OWN_FOLDER_NAME = "lessons"
"""Folder for a teacher's own lessons, inside the state folder."""

LESSONS_COURSE = "lessons"
"""Name of the lesson course."""

MAX_OWN_LESSONS = 50

MAX_FILE_BYTES = 100_000
"""Maximum size of a lesson file. A built-in lesson has about 3 kB."""

MAX_STEPS = 30
"""Maximum number of steps in a lesson."""

MAX_TEXT_LENGTH = 400
"""Maximum length of a text, so that it fits on a small screen."""

MAX_COUNT = 200
"""Maximum value of any number in a lesson."""

OPPONENTS = ("random", "greedy", *(f"level-{number}" for number in range(1, 13)))
"""Engines that can play the other side."""

GOAL_NAMES = {kind.value: kind for kind in GoalKind}

COUNTED_GOALS = (GoalKind.DEVELOP, GoalKind.SCORE)
"""Goals that have a minimum count."""

LESSON_KEYS = ("title", "variant", "position", "done", "opponent", "step")
SURFACE_SUFFIXES = ("_pieces", "_terminal", "_phone")
"""Suffixes of the `task` keys for a board with pieces, for a terminal and for a phone."""

STEP_KEYS = (
    *("task", *(f"task{suffix}" for suffix in SURFACE_SUFFIXES), "goal", "actions", "least", "light", "mistake"),
    *("praise", "replies", "turns", "reveal_after", "position"),
)


class LessonError(PondError):
    """Fault in a lesson. The message says where it is and how to fix it."""


class LessonList(NamedTuple):
    """Lessons, and faults in lesson files.

    Attributes:
        course: Lessons in order, the built-in ones first.
        faults: One message for each file in the state folder that cannot be used.
    """

    course: Course
    faults: tuple[Message, ...] = ()


@cache
def _load_shipped() -> tuple[Exercise, ...]:
    return tuple(load_lesson(path) for path in sorted(SHIPPED_FOLDER.glob("*.toml")))


def load_lessons(state_folder: Path | None, done_names: frozenset[str] = frozenset()) -> LessonList:
    """Load the built-in lessons and those in a state folder. Invalid files are skipped and reported.

    Args:
        state_folder: Folder for saved games; None if nothing is saved.
        done_names: Names of the completed lessons.
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
        return tuple(by_name.values())  # the teacher's own lesson replaces a built-in one of the same name

    return LessonList(Course(LESSONS_COURSE, list_exercises, done_names), tuple(faults))


def _list_own(state_folder: Path | None) -> list[Path]:
    if state_folder is None:
        return []
    try:
        return sorted((state_folder / OWN_FOLDER_NAME).glob("*.toml"))[:MAX_OWN_LESSONS]
    except OSError:
        return []


def load_lesson(path: Path) -> Exercise:
    """Load a lesson from a file. Its name is the file name without a leading number.

    Raises:
        LessonError: The file is missing or invalid.
    """
    try:
        with open(path, "rb", opener=open_nonblocking) as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        raise LessonError(
            Message("lesson_file.unreadable", file=str(path), reason=describe_system_error(error))
        ) from None
    if len(data) > MAX_FILE_BYTES:
        raise LessonError(Message("lesson_file.too_long", file=str(path), bytes=MAX_FILE_BYTES))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise LessonError(Message("lesson_file.no_utf8", file=str(path))) from None
    with _in_place("lesson_file.fault", file=str(path)):
        return parse_lesson(text, path.stem.lstrip("0123456789-_") or path.stem)


def parse_lesson(text: str, name: str) -> Exercise:
    """Parse a lesson.

    Args:
        text: TOML text.
        name: Name of the lesson.

    Raises:
        LessonError: The text is invalid.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        odd_character = name_rejected_character(text, error)
        reason = f"{error}: {odd_character}" if odd_character else str(error)
        raise LessonError(Message("lesson_file.no_toml", reason=reason)) from None
    except (ValueError, RecursionError):
        raise LessonError(Message("lesson_file.too_much")) from None
    _check_keys(table, LESSON_KEYS)
    title, variant = _parse_text(table, "title"), _parse_variant(table)
    if title is None:
        raise LessonError(Message("lesson_file.missing", key="title"))
    position = _parse_position(table, variant) or Position.start(variant)
    step_tables = table.get("step")
    if not isinstance(step_tables, list) or not step_tables:
        raise LessonError(Message("lesson_file.no_step"))
    if len(step_tables) > MAX_STEPS:
        raise LessonError(Message("lesson_file.too_many_steps", count=MAX_STEPS))
    steps = []
    for number, step_table in enumerate(step_tables, 1):
        with _in_place("lesson_file.in_step", number=number):
            steps.append(_parse_step(step_table, variant))
    opponent = _parse_word(table, "opponent", OPPONENTS)
    if opponent and any(step.replies for step in steps):
        raise LessonError(Message("lesson_file.two_answers"))
    lesson = Exercise(replace_unprintable(name), title, position, tuple(steps), _parse_text(table, "done"), opponent)
    if fault := find_lesson_fault(lesson):
        raise LessonError(fault)
    return lesson


@contextmanager
def _in_place(message_id: str, **arguments: Any) -> Iterator[None]:
    """Add the location to any LessonError raised in this block."""
    try:
        yield
    except LessonError as error:
        raise LessonError(Message(message_id, reason=error.message, **arguments)) from None


def _check_keys(table: Mapping[str, object], known: tuple[str, ...]) -> None:
    for key in table:
        if key not in known:
            raise LessonError(Message("lesson_file.unknown_key", key=key[:40], known=known))


def _parse_variant(table: Mapping[str, object]) -> Variant:
    text = table.get("variant", "3x3/9/5")
    if not isinstance(text, str):
        raise LessonError(Message("lesson_file.no_text", key="variant"))
    try:
        return parse_variant(text)
    except PondError as error:
        raise LessonError(Message("lesson_file.wrong", key="variant", reason=error.message)) from None


def _parse_position(table: Mapping[str, object], variant: Variant) -> Position | None:
    """Return the position, or None if the table has none. Spaces and line breaks between rows are ignored."""
    text = table.get("position")
    if text is None:
        return None
    if not isinstance(text, str):
        raise LessonError(Message("lesson_file.no_text", key="position"))
    try:
        position = Position.from_notation(" ".join(text.split()), variant)
    except PondError as error:
        raise LessonError(Message("lesson_file.wrong", key="position", reason=error.message)) from None
    if reason := explain_invalid_start(position):
        raise LessonError(Message("lesson_file.wrong", key="position", reason=reason))
    return position


def _parse_step(table: object, variant: Variant) -> ExerciseStep:
    if not isinstance(table, dict):
        raise LessonError(Message("lesson_file.no_step"))
    _check_keys(table, STEP_KEYS)
    task, task_pieces = _parse_tasks(table)
    actions, least = _parse_actions(table, "actions"), _parse_count(table, "least", 1, lowest=1)
    kind = GOAL_NAMES[_parse_word(table, "goal", tuple(GOAL_NAMES)) or "act"]
    if kind in (GoalKind.UNDO, GoalKind.HINT) and actions:
        raise LessonError(Message("lesson_file.no_actions", goal=kind.value))
    if kind not in COUNTED_GOALS and "least" in table:
        raise LessonError(Message("lesson_file.no_least", goal=kind.value))
    replies, turn_limit = _parse_actions(table, "replies"), _parse_count(table, "turns", 1) or None
    if turn_limit and len(replies) > turn_limit:
        raise LessonError(Message("lesson_file.too_many_replies", count=turn_limit))
    return ExerciseStep(
        task,
        Goal(kind, actions, least),
        mistake=_parse_text(table, "mistake"),
        praise=_parse_text(table, "praise"),
        lit_cells=_parse_cells(table, "light", variant),
        replies=replies,
        turn_limit=turn_limit,
        reveal_after=_parse_count(table, "reveal_after", DEFAULT_REVEAL_AFTER) or None,
        position=_parse_position(table, variant),
        task_pieces=task_pieces,
    )


def _parse_tasks(table: Mapping[str, object]) -> tuple[Message, Message | None]:
    """Return the task for a board with buttons, and the task for a board with pieces if it is different.

    Each task also includes the texts for a terminal and a phone.
    """
    default_texts = _read_text(table, "task")
    if not default_texts:
        raise LessonError(Message("lesson_file.missing", key="task"))
    pieces, screens = _read_text(table, "task_pieces"), dict[str, str]()
    for suffix in SURFACE_SUFFIXES:
        texts = _read_text(table, f"task{suffix}")
        if texts and texts.keys() != default_texts.keys():
            raise LessonError(
                Message("lesson_file.other_languages", key=f"task{suffix}", languages=tuple(default_texts))
            )
        if suffix != "_pieces":
            screens |= {f"{language}@{suffix[1:]}": text for language, text in texts.items()}
    return make_local_text(default_texts | screens), make_local_text(pieces | screens) if pieces else None


def _parse_text(table: Mapping[str, object], key: str) -> Message | None:
    texts = _read_text(table, key)
    return make_local_text(texts) if texts else None


def _read_text(table: Mapping[str, object], key: str) -> dict[str, str]:
    """Return a text by language. The value may be a string, or a table with a string for each language. Empty if missing."""
    value = table.get(key)
    if value is None:
        return {}
    texts = {"en": value} if isinstance(value, str) else value
    if not isinstance(texts, dict) or not texts:
        raise LessonError(Message("lesson_file.no_local_text", key=key, languages=tuple(LANGUAGES)))
    for language, text in texts.items():
        if language not in LANGUAGES:
            known = tuple(LANGUAGES)
            raise LessonError(Message("lesson_file.no_language", key=key, language=language[:20], languages=known))
        text_key = key if texts is not value else f"{key}.{language}"
        if not isinstance(text, str):
            raise LessonError(Message("lesson_file.no_text", key=text_key))
        if not text.strip():
            raise LessonError(Message("lesson_file.empty_text", key=text_key))
        if len(text) > MAX_TEXT_LENGTH:
            raise LessonError(Message("lesson_file.long_text", key=text_key, count=MAX_TEXT_LENGTH))
    return {language: replace_unprintable(" ".join(str(text).split())) for language, text in texts.items()}


def _parse_word(table: Mapping[str, object], key: str, known: tuple[str, ...]) -> str | None:
    word = table.get(key)
    if word is None:
        return None
    if not isinstance(word, str) or word not in known:
        raise LessonError(Message("lesson_file.no_word", key=key, known=known))
    return word


def _parse_count(table: Mapping[str, object], key: str, default: int, lowest: int = 0) -> int:
    count = table.get(key, default)
    if type(count) is not int or not lowest <= count <= MAX_COUNT:  # excludes bool, a subclass of int
        raise LessonError(Message("lesson_file.no_count", key=key, lowest=lowest, highest=MAX_COUNT))
    return count


def _parse_list(table: Mapping[str, object], key: str) -> list[str]:
    words = table.get(key, [])
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise LessonError(Message("lesson_file.no_list", key=key))
    return words


def _parse_actions(table: Mapping[str, object], key: str) -> tuple[Action, ...]:
    try:
        return tuple(map(Action.from_notation, _parse_list(table, key)))
    except PondError as error:
        raise LessonError(Message("lesson_file.wrong", key=key, reason=error.message)) from None


def _parse_cells(table: Mapping[str, object], key: str, variant: Variant) -> tuple[Cell, ...]:
    cells, known = _parse_list(table, key), Position.start(variant).grid.mask_by_cell
    for cell in cells:
        if cell not in known:
            outside = Message("illegal.no_such_cell", cell=cell[:10], size=variant.size)
            raise LessonError(Message("lesson_file.wrong", key=key, reason=outside))
    return tuple(cells)
