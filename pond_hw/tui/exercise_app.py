"""Exercises in the terminal, lessons and puzzles: keys choose one, and then the board has it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pond_hw.exercises import LESSONS_COURSE
from pond_hw.puzzles.exercises import PUZZLES_COURSE
from pond_hw.session import SessionEvent, session_events
from pond_hw.tui.dialogs import CourseDialog, Dialog, DialogResult, ListedExercise
from pond_hw.tui.hand_app import HandApp


class ExerciseApp(HandApp):
    """A lit board on which exercises can be chosen."""

    _wanted_course: str | None = None

    def action_lessons(self) -> None:
        """Choose a lesson."""
        self._choose_exercise(LESSONS_COURSE)

    def action_puzzles(self) -> None:
        """Choose a puzzle."""
        self._choose_exercise(PUZZLES_COURSE)

    def _choose_exercise(self, course_name: str) -> None:
        """Let somebody choose, as soon as it is known what there is."""
        self._wanted_course = course_name
        self._open_course()

    def _open_course(self) -> None:
        """Show the course that somebody wants to choose from, if one does and the table has told what is in it."""
        course_name = self._wanted_course
        if course_name is None or (exercises := self._list_exercises(course_name)) is None:
            return
        self._wanted_course = None

        def begin(name: str | None) -> None:
            self._put_event(session_events.StartExercise(course_name, self.game_table.now(), name))

        if exercises:
            self._open_dialog(CourseDialog(course_name, exercises), begin)
        else:
            begin(None)  # which says why not

    def _list_exercises(self, course_name: str) -> Sequence[ListedExercise] | None:
        return self.game_table.list_exercises(course_name, self.catalogue.language)

    def _put_event(self, event: SessionEvent) -> None:
        self.game_table.put(event)
        self.update_screen()

    def _open_dialog(
        self, dialog: Dialog[DialogResult], use_result: Callable[[DialogResult], None] | None = None
    ) -> None:
        """Show a dialog, unless one of its kind is open already: keys may come faster than screens.

        Args:
            dialog: what to show.
            use_result: what to do with its result, unless that is nothing or a no.
        """
        if not any(type(screen) is type(dialog) for screen in self.screen_stack):
            self.push_screen(dialog, lambda result: use_result(result) if use_result and result else None)
