"""What exercises need besides a session: who plays the other side, and a file of what was done."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from pond_hw.companion.clocks import Clock, RealClock
from pond_hw.companion.players import PlayerPair
from pond_hw.engine import Player, make_player, make_simulated_player
from pond_hw.exercises import ProgressFile
from pond_hw.puzzles.exercises import make_course
from pond_hw.rules import LIGHT
from pond_hw.session import ChangeCourse, ExerciseRun, Session, SessionEvent, ShowNotice

OPPONENT_SEED = 1
"""Always the same: who begins a lesson again meets the same opponent."""


class ExerciseSupport:
    """The engine that an exercise has for its other side, as long as it is going on, and what is kept of it.

    Args:
        progress: where it is kept what was done.
        session: how the board begins.
        clock: in simulated time an engine thinks where it is asked.
    """

    def __init__(self, progress: ProgressFile, session: Session, clock: Clock) -> None:
        self._make_player = make_player if isinstance(clock, RealClock) else make_simulated_player
        self._progress, self._kept_courses = progress, session.courses
        self._name: str | None = None
        self._player: Player | None = None

    def find_players(self, run: ExerciseRun | None) -> PlayerPair | None:
        """For light and for dark who answers in an exercise, and None for whoever learns; None if there is none."""
        if run is None:
            return None
        if run.exercise.opponent != self._name:
            self.close()
            self._name = run.exercise.opponent
            self._player = self._make_player(self._name, OPPONENT_SEED) if self._name else None
        if run.refutation:  # nobody is asked: the exercise itself knows what follows
            return None, None
        return (None, self._player) if run.learner is LIGHT else (self._player, None)

    def follow_session(self, session: Session, now: float) -> Iterator[SessionEvent]:
        """Write down what was done, if that is more than before, and see whether another day has come.

        Args:
            session: the session.
            now: the instant, in seconds.

        Yields:
            What is to be said or changed.
        """
        is_known = session.courses is self._kept_courses
        self._kept_courses = session.courses
        if not is_known and (fault := self._progress.keep(session.courses)):
            yield ShowNotice((fault, *session.messages), now)
        for course in session.courses:
            if course.day and course.day != str(today := date.today()):  # noqa: DTZ011 - the day of those at the board
                yield ChangeCourse(make_course(session.size, today, course.done_names), now)

    def close(self) -> None:
        """Think no more."""
        if self._player:
            self._player.close()
        self._name = self._player = None
