"""The table of a game in this terminal; `remote_table` has the one that is served elsewhere."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path
from random import SystemRandom
from shlex import quote
from typing import Any

from pond_hw.blackbox import BlackBox, record_board
from pond_hw.companion import Clock, Companion, PlayerPair, RealClock
from pond_hw.companion.lamp_display import LampDisplay
from pond_hw.companion.lessons import add_lessons
from pond_hw.companion.saved_games import find_resume_seats, open_journal, place_resumed_pieces
from pond_hw.engine import DEFAULT_THINKING, HUMAN, UNNAMED_PLAYERS, PlayerNames, ThinkingLimits, make_player
from pond_hw.engine.player_name import name_player
from pond_hw.exercises import LESSONS_COURSE
from pond_hw.journal.location import default_folder
from pond_hw.messages.message import Message
from pond_hw.puzzles.exercises import PUZZLES_COURSE
from pond_hw.rules import SIZES, Cell, Side, Variant
from pond_hw.session import (
    BoardState,
    Course,
    Exercise,
    GoalKind,
    NewGame,
    Session,
    StartExercise,
    View,
    begin_at_other_table,
)
from pond_hw.simulator import SimulatedBoard, SimulatedLamps
from pond_hw.simulator.options import PieceOptions
from pond_hw.simulator.table import SimulatedTable
from pond_hw.tui.dialogs import GameChoice, ListedExercise
from pond_hw.tui.hand import LocalHand

DEFAULT_LAMPS = 16  # lamps in a cell until the window's size is known


class LocalTable(Companion):
    """A companion, and the simulated board that just fits the game.

    Args:
        pond: the first game.
        player_pair: who plays light and dark, None for a person at this terminal.
        lamps: lamps in a cell; None: as many as the window has room for, which may change.
        clock: by default real time.
        pieces: what the board is played with; None for buttons.
        wooden: the simulated board with its pieces, if there is one already.
        box: the recording of sensors and lamps, if there is one.
        folder: where games are kept, if anywhere.
        names: what the people at light and dark are called there.
        thinking_limits: what levels that sit down later may take for their thinking.
        offers: whether a game that was not finished is offered first; then the board just fits that one.
        threaded: whether the journal is written aside.
        lesson: the name of the lesson to begin with, or a lesson from somebody's own file; None: none.
        puzzle: the puzzle to begin with, by its name in the course of puzzles; None: none.
        day: today, for the puzzle of the day; None where time is simulated.
        before: the session at the table of before, which this one takes the place of; None: this is the first.

    Attributes:
        hand: what holds the pieces; None where there are buttons.
    """

    is_local = True

    def __init__(
        self,
        pond: Variant,
        player_pair: PlayerPair,
        lamps: int | None,
        clock: Clock | None = None,
        pieces: PieceOptions | None = None,
        wooden: SimulatedTable | None = None,
        box: BlackBox | None = None,
        folder: Path | None = None,
        names: PlayerNames = UNNAMED_PLAYERS,
        thinking_limits: ThinkingLimits = DEFAULT_THINKING,
        *,
        offers: bool = True,
        threaded: bool = True,
        lesson: str | Exercise | None = None,
        puzzle: str | None = None,
        day: date | None = None,
        before: Session | None = None,
    ) -> None:
        clock = clock or RealClock()
        self._settings: dict[str, Any] = {"lamps": lamps, "clock": clock, "pieces": pieces, "box": box}
        self._settings |= {"folder": folder, "thinking_limits": thinking_limits, "threaded": threaded, "day": day}
        self._requested_game = GameChoice(pond, _player_names(player_pair))
        journal = open_journal(
            folder,
            SIZES[-1],
            board="terminal",
            pieces=pieces is not None,
            players=player_pair,
            names=names,
            threaded=threaded,
        )
        if journal:
            if not offers:
                journal.unfinished_game = None
            elif journal.unfinished_game:
                pond = journal.unfinished_game.projection.variant
            journal.update_facts(size=pond.size)
        now, lamps = clock.now(), lamps or DEFAULT_LAMPS  # the game begins when the journal has been read
        self._button_board: SimulatedBoard | None = None
        self.hand: LocalHand | None = None
        if pieces:
            board_state = BoardState() if wooden else pieces.initial_board_state()
            wooden = wooden or pieces.make_table(pond.size, lamps, clock.now)
            self.hand = LocalHand(wooden, clock.now)
            board, session = wooden.to_board(), Session.start_game(pond, at=now, board_state=board_state)
        else:
            self._button_board = SimulatedBoard(pond.size, lamps, clock.now)
            board, session = self._button_board.to_board(), Session.start_game(pond, at=now)
        resume_seats = find_resume_seats(journal, thinking_limits)
        session = journal.offer_unfinished(session, now) if journal else session
        session = begin_at_other_table(before, session, now) if before else session
        if self.hand:
            place_resumed_pieces(session, self.hand.simulated_table)
        board = record_board(board, box, clock.now)
        own_lesson = lesson if isinstance(lesson, Exercise) else None
        session, kept = add_lessons(session, folder, now, own_lesson, day)
        session = replace(session, courses=tuple(map(_unlight_hint_gestures, session.courses)))
        super().__init__(
            board, session, clock, player_pair, journal=journal, names=names, resumes=resume_seats, kept=kept
        )
        if lesson is not None:
            name = lesson.name if isinstance(lesson, Exercise) else lesson
            self.put(StartExercise(LESSONS_COURSE, now, name or None))
        if puzzle is not None:
            self.put(StartExercise(PUZZLES_COURSE, now, puzzle))

    @property
    def view(self) -> View:
        """What the session shows."""
        return self.session.view

    @property
    def usual_variant(self) -> Variant:
        """The variant of a new game if no other one is chosen."""
        return self.session.usual_variant

    @property
    def program_names(self) -> PlayerNames:
        """The names of the programs at light and dark; None is a person."""
        light, dark = self.players
        return light.name if light else None, dark.name if dark else None

    @property
    def is_first_visit(self) -> bool:
        """True before the first game is saved and the first lesson is done."""
        has_done_exercise = any(course.done_names for course in self.session.courses)
        return self._journal is not None and self._journal.is_empty and not has_done_exercise

    def list_exercises(self, course_name: str, _language: str) -> list[ListedExercise]:
        """The exercises of a course, and which were done."""
        course = next((each for each in self.session.courses if each.name == course_name), None)
        exercises = course.exercises if course else ()
        return [
            ListedExercise(each.name, each.title, bool(course and each.name in course.done_names)) for each in exercises
        ]

    def now(self) -> float:
        """Seconds on the companion's clock."""
        return self.clock.now()

    def fit_lamps(self, lamps: int) -> None:
        """Change the number of lamps in a cell, unless it was asked for, or a recording has fixed it."""
        shown = self.board.lamps
        if self._settings["lamps"] is None and lamps != self.frame.lamps_per_cell and isinstance(shown, SimulatedLamps):
            shown.set_lamp_count(lamps)
            self.display = LampDisplay(shown, None)  # which draws at once

    def step(self) -> float:
        """Do what is due, at the simulated table too."""
        if not self.hand:
            return super().step()
        self.hand.step()
        return min(super().step(), self.hand.due_instant)

    def touch_cell(self, cell: Cell) -> None:
        """A finger comes down on a cell and leaves it at once."""
        if self._button_board:
            self._button_board.touch(cell)

    def begin_game(self, choice: GameChoice) -> LocalTable:
        """Begin another game, here if board and players stay the same."""
        light, dark = (
            self.players[side]
            if player_name == (self.program_names[side] or HUMAN)
            else make_player(player_name, SystemRandom().getrandbits(32), self._settings["thinking_limits"])
            for side, player_name in zip(Side, choice.player_names, strict=True)
        )
        if choice.variant.size == self.board.size and (light, dark) == self.players:
            self.put(NewGame(choice.variant, self.now()))
            return self
        self.leave_game()
        self.close()
        wooden = self.hand.simulated_table if self.hand and choice.variant.size == self.board.size else None
        settings = self._settings | {"wooden": wooden, "names": self.names, "offers": False, "before": self.session}
        return LocalTable(choice.variant, (light, dark), **settings)

    def decline_resume(self) -> LocalTable:
        """Begin the game that was asked for, with its players."""
        return self.begin_game(self._requested_game)

    @property
    def resume_messages(self) -> tuple[Message | None, Message | None]:
        """Who plays if the game that is offered is resumed, and what begins otherwise."""
        pond, player_names = self._requested_game
        requested, seats = _name_players(player_names, self.names), self.resume_seats
        resumed = _name_players(_player_names(seats.players), seats.names) if seats else requested
        return (
            Message("resume_dialog.players", **resumed),
            Message("resume_dialog.new_game", variant=pond.name, **requested),
        )

    @property
    def farewell(self) -> Message | None:
        """That the game is saved and can be resumed, if it is and can."""
        is_saved = self._journal and not self._journal.trouble and not self.session.unsaved_reason
        if not is_saved or not self.session.can_continue:
            return None
        pieces_option, folder = " --pieces" if self._settings["pieces"] else "", self._settings["folder"]
        folder_option = "" if folder == default_folder() else f" --journal {quote(str(folder))}"
        return Message("farewell.saved", command=f"pond play{pieces_option}{folder_option}")


def _unlight_hint_gestures(course: Course) -> Course:
    """Light no cell where a hint is to be asked for: the task in a terminal is to press a key."""

    @cache
    def list_exercises() -> tuple[Exercise, ...]:
        return tuple(map(_unlight_hint_gesture, course.exercises))

    return course._replace(list_exercises=list_exercises)


def _unlight_hint_gesture(exercise: Exercise) -> Exercise:
    if all(step.goal.kind is not GoalKind.HINT for step in exercise.steps):
        return exercise
    steps = (replace(step, lit_cells=()) if step.goal.kind is GoalKind.HINT else step for step in exercise.steps)
    return replace(exercise, steps=tuple(steps))


def _player_names(player_pair: PlayerPair) -> tuple[str, str]:
    light, dark = (seated_player.name if seated_player else HUMAN for seated_player in player_pair)
    return light, dark


def _name_players(player_names: tuple[str, str], names: PlayerNames) -> dict[str, Message]:
    return {str(side): name_player(player_names[side], names[side]) for side in Side}
