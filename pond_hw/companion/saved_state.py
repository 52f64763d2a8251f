"""Files in the folder of a board: games, completed exercises and player settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING, Any

from pond_hw import __version__
from pond_hw.companion.player_settings import PlayerSettings
from pond_hw.engine import PLAYER_NAMES, REMOTE, MakePlayer, SeatedPlayers, make_player, seat_linked_players
from pond_hw.exercises import LESSONS_COURSE, ProgressFile, load_lessons
from pond_hw.journal import Journal
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.puzzles.course import PUZZLES_COURSE, make_course
from pond_hw.rules import Side
from pond_hw.session import ChangeCourse, Course, Exercise, GoalKind, Session, SessionEvent, ShowNotice

if TYPE_CHECKING:
    from pond_hw.simulator.board_with_pieces import SimulatedTable

SIMULATED_DAY = date(1970, 1, 1)
"""Date used in simulated time. It is fixed so that results are reproducible."""


@dataclass
class SavedState:
    """Saved data of a board.

    Attributes:
        journal: open journal, or None if games are not saved.
        resuming_players: players of the unfinished game in the journal, or None to keep the current players.
        progress: completed exercises.
        player_settings: settings of named players.
        faults: messages about unreadable files, including the user's own lessons.
    """

    journal: Journal | None = None
    resuming_players: SeatedPlayers | None = None
    progress: ProgressFile = field(default_factory=lambda: ProgressFile(None))
    player_settings: PlayerSettings = field(default_factory=lambda: PlayerSettings(None))
    faults: tuple[Message, ...] = ()


def open_with_resume_prompt(
    folder: Path | None, session: Session, now: float, **journal_options: Any
) -> tuple[Session, Journal | None]:
    """Open the journal in a folder, and offer to resume an unfinished game if it fits on the board.

    Args:
        folder: folder for saved games, or None to save no games.
        session: initial session if there is no game to resume.
        now: current time in seconds.
        journal_options: further arguments for `open_journal`.

    Returns:
        The initial session and the journal.
    """
    journal = open_journal(folder, session.size, pieces=session.board_state is not None, **journal_options)
    return (journal.add_resume_prompt(session, now) if journal else session), journal


def open_journal(
    folder: Path | None,
    size: int,
    *,
    board: str,
    calibration: str = "",
    pieces: bool = False,
    seated: SeatedPlayers = SeatedPlayers(),  # noqa: B008 - it is immutable
    threaded: bool = True,
) -> Journal | None:
    """Open the journal in a folder. Return None if `folder` is None.

    Args:
        folder: folder for saved games, or None to save no games.
        size: number of rows and columns of the board.
        board: name of the board profile.
        calibration: version of the board's calibration file.
        pieces: True if the board has pieces.
        seated: players of light and dark.
        threaded: True to write in a separate thread.
    """
    if folder is None:
        return None
    board_facts = {"board": board, "built": calibration, "size": size, "pieces": pieces, "program": __version__}
    journal = Journal(folder, board_facts | seated.facts, threaded=threaded)
    journal.open()
    return journal


def find_resuming_players(journal: Journal | None, make_player: MakePlayer = make_player) -> SeatedPlayers | None:
    """Return the players of the unfinished game in the journal, or None if there is no such game.

    The journal stores the names of programs, and the names of people if they are known.

    Args:
        journal: open journal, or None if games are not saved.
        make_player: factory of players.
    """
    if journal is None or journal.unfinished_game is None:
        return None
    facts = journal.unfinished_game.facts
    stored_names = [facts.get(str(side)) for side in Side]
    names = [replace_unprintable(name) if isinstance(name, str) and name else None for name in stored_names]
    match facts.get("link"):
        case {"game": str(game), "side": side_name}:
            side = next((each for each in Side if str(each) == side_name), None)
            light_name, dark_name = (None if name == REMOTE else name for name in names)
            return seat_linked_players(game, side, (light_name, dark_name))
    seed = SystemRandom().getrandbits(32)
    light, dark = (make_player(name, seed) if name in PLAYER_NAMES else None for name in names)
    light_name, dark_name = (None if name in PLAYER_NAMES else name for name in names)
    return SeatedPlayers((light, dark), (light_name, dark_name))


def place_resumed_pieces(session: Session, simulated_table: SimulatedTable) -> None:
    """Put the pieces of a game that can be resumed on a simulated table, as they would still be on a real board."""
    if session.resume_prompt:
        for cell, piece in session.position.pieces.items():
            simulated_table.show_face(simulated_table.drop(cell, piece.owner), piece.symbol)


def add_courses(
    session: Session,
    folder: Path | None,
    now: float,
    own_lesson: Exercise | None = None,
    day: date | None = None,
) -> tuple[Session, SavedState]:
    """Add lessons, puzzles and their progress to a session. Show notices about unreadable files.

    Args:
        session: initial session.
        folder: folder for saved games, or None to save no progress.
        now: current time in seconds.
        own_lesson: lesson from a file given by the user. It replaces a lesson with the same name.
        day: today's date. None in simulated time, where the puzzle of the day is that of 1970-01-01.

    Returns:
        The session, and the saved data except for games.
    """
    progress, player_settings = ProgressFile(folder), PlayerSettings(folder)
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
    faults = (*notices, *((player_settings.fault,) if player_settings.fault else ()))
    return session, SavedState(progress=progress, player_settings=player_settings, faults=faults)


def remove_hint_gestures(session: Session) -> Session:
    """Remove the lit cells from hint steps. They ask for a long press, but on a screen a key or a button gives hints."""

    def change_course(course: Course) -> Course:
        @cache
        def list_exercises() -> tuple[Exercise, ...]:
            return tuple(map(_remove_hint_gesture, course.exercises))

        return course._replace(list_exercises=list_exercises)

    return replace(session, courses=tuple(map(change_course, session.courses)))


def _remove_hint_gesture(exercise: Exercise) -> Exercise:
    if all(step.goal.kind is not GoalKind.HINT for step in exercise.steps):
        return exercise
    steps = (replace(step, lit_cells=()) if step.goal.kind is GoalKind.HINT else step for step in exercise.steps)
    return replace(exercise, steps=tuple(steps))


class ProgressWriter:
    """Saves completed exercises, and replaces the puzzle of the day when the date changes.

    Args:
        progress: file to write.
        courses: courses as stored in the file.
    """

    def __init__(self, progress: ProgressFile, courses: tuple[Course, ...]) -> None:
        self._progress, self._saved_courses = progress, courses

    def follow_session(self, session: Session, now: float) -> Iterator[SessionEvent]:
        """Save newly completed exercises. Yield events for file errors and for courses that have changed."""
        is_saved = session.courses is self._saved_courses
        self._saved_courses = session.courses
        if not is_saved and (fault := self._progress.save(session.courses)):
            yield ShowNotice((fault, *session.messages), now)
        for course in session.courses:
            if course.day and course.day != str(today := date.today()):  # noqa: DTZ011 - local date of the players
                yield ChangeCourse(make_course(session.size, today, course.done_names), now)
