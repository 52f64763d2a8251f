"""A game in this process on a simulated board. See `remote_table` for games on a served board."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from random import SystemRandom
from shlex import quote

from pond_hw.blackbox import BlackBox, record_board
from pond_hw.board import Board, Frame
from pond_hw.companion import Clock, Companion, RealClock
from pond_hw.companion.error_barrier import ErrorBarrier
from pond_hw.companion.lamp_display import LampDisplay
from pond_hw.companion.saved_state import (
    add_courses,
    find_resuming_players,
    open_journal,
    place_resumed_pieces,
    remove_hint_gestures,
)
from pond_hw.engine import HUMAN, MakePlayer, PlayerNames, SeatedPlayers, make_player
from pond_hw.engine.player_name import name_player
from pond_hw.exercises import LESSONS_COURSE
from pond_hw.journal.folder import default_folder
from pond_hw.lights import CurrentLimiter
from pond_hw.messages.message import Message
from pond_hw.puzzles.course import PUZZLES_COURSE
from pond_hw.rules import SIZES, Cell, Side, Variant
from pond_hw.session import (
    BoardState,
    Exercise,
    NewGame,
    Session,
    SessionEvent,
    StartExercise,
    View,
    begin_on_other_board,
)
from pond_hw.simulator import SimulatedBoard, SimulatedLamps
from pond_hw.simulator.board_with_pieces import PieceOptions, SimulatedTable
from pond_hw.tui.dialogs import GameChoice, ListedExercise
from pond_hw.tui.hand import LocalHand

DEFAULT_LAMPS = 16  # lamps per cell until the window's size is known


@dataclass(frozen=True)
class TableOptions:
    """Options that all games at a local table share.

    Attributes:
        lamps: number of lamps per cell, or None for as many as fit the window.
        clock: clock of the games; real time by default.
        pieces: options of a board with pieces, or None for a board with buttons.
        box: recording of sensors and lamps, or None.
        folder: folder for saved games, or None to save no games.
        make_player: factory of the players of resumed and later games.
        make_opponent: factory of the opponents in exercises.
        threaded: True to write the journal in a separate thread.
        day: today's date, for the puzzle of the day. None in simulated time.
    """

    lamps: int | None = None
    clock: Clock = field(default_factory=RealClock)
    pieces: PieceOptions | None = None
    box: BlackBox | None = None
    folder: Path | None = None
    make_player: MakePlayer = make_player
    make_opponent: MakePlayer = make_player
    threaded: bool = True
    day: date | None = None


class LocalTable:
    """A game in this process. Each board size gets its own simulated board and companion.

    Args:
        pond: variant of the first game, unless there is an unfinished game to resume.
        seated: players of light and dark.
        options: options for all games.
        lesson: name of a lesson to begin with, or a lesson from the player's own file.
        puzzle: name of a puzzle to begin with.

    Attributes:
        companion: companion that runs the current game.
        hand: simulated hand, or None on a board with buttons.
    """

    is_local = True
    companion: Companion

    def __init__(
        self,
        pond: Variant,
        seated: SeatedPlayers,
        options: TableOptions,
        *,
        lesson: str | Exercise | None = None,
        puzzle: str | None = None,
    ) -> None:
        self._options = options
        self._requested_game = GameChoice(pond, _dialog_player_names(seated))
        self._button_board: SimulatedBoard | None = None
        self.hand: LocalHand | None = None
        own_lesson = lesson if isinstance(lesson, Exercise) else None
        self._open_game(pond, seated, own_lesson=own_lesson)
        if lesson is not None:
            name = lesson.name if isinstance(lesson, Exercise) else lesson
            self.put(StartExercise(LESSONS_COURSE, self.now(), name or None))
        if puzzle is not None:
            self.put(StartExercise(PUZZLES_COURSE, self.now(), puzzle))

    def _open_game(
        self,
        pond: Variant,
        seated: SeatedPlayers,
        *,
        own_lesson: Exercise | None = None,
        previous: Session | None = None,
        same_table: SimulatedTable | None = None,
    ) -> None:
        """Open a board of the right size and begin a game.

        If `previous` is None, offer to resume an unfinished game first.
        """
        options, folder, clock = self._options, self._options.folder, self._options.clock
        has_pieces, threaded = options.pieces is not None, options.threaded
        journal = open_journal(folder, SIZES[-1], board="terminal", pieces=has_pieces, seated=seated, threaded=threaded)
        if journal:
            if previous:
                journal.unfinished_game = None
            elif journal.unfinished_game:
                pond = journal.unfinished_game.projection.variant
            journal.update_facts(size=pond.size)
        now, lamps = clock.now(), options.lamps or DEFAULT_LAMPS  # read after the journal has opened, which takes time
        if options.pieces:
            board_state = BoardState() if same_table else options.pieces.initial_board_state()
            table = same_table or options.pieces.make_table(pond.size, lamps, clock.now)
            self.hand = LocalHand(table, clock.now)
            board = Board(table, SimulatedLamps(pond.size, lamps, keys=len(Side)))
            session = Session.start_game(pond, at=now, board_state=board_state)
        else:
            self._button_board = SimulatedBoard(pond.size, lamps, clock.now)
            board, session = self._button_board.to_board(), Session.start_game(pond, at=now)
        resuming_players = find_resuming_players(journal, options.make_player)
        session = journal.add_resume_prompt(session, now) if journal else session
        session = begin_on_other_board(previous, session, now) if previous else session
        if self.hand:
            place_resumed_pieces(session, self.hand.simulated_table)
        session, saved = add_courses(session, folder, now, own_lesson, options.day)
        session = remove_hint_gestures(session)
        saved.journal, saved.resuming_players = journal, resuming_players
        board, opponent = record_board(board, options.box, clock.now), options.make_opponent
        self.companion = Companion(board, session, clock, seated, saved=saved, make_opponent=opponent)

    @property
    def view(self) -> View:
        return self.companion.session.view

    @property
    def frame(self) -> Frame:
        return self.companion.frame

    @property
    def limiter(self) -> CurrentLimiter:
        """Limiter that produced the current frame."""
        return self.companion.display.limiter

    @property
    def barrier(self) -> ErrorBarrier:
        return self.companion.barrier

    @property
    def default_variant(self) -> Variant:
        return self.companion.session.default_variant

    @property
    def program_names(self) -> PlayerNames:
        """Names of the programs that play light and dark. None stands for a person."""
        return self.companion.seated.program_names

    @property
    def names(self) -> PlayerNames:
        """Names of the people who play light and dark, or None if unknown."""
        return self.companion.seated.names

    @property
    def is_first_visit(self) -> bool:
        """True until a game has been saved or an exercise has been completed."""
        has_done_exercise = any(course.done_names for course in self.companion.session.courses)
        journal = self.companion.durable.journal
        return journal is not None and journal.is_empty and not has_done_exercise

    def list_exercises(self, course_name: str, _language: str) -> list[ListedExercise]:
        course = next((each for each in self.companion.session.courses if each.name == course_name), None)
        exercises = course.exercises if course else ()
        return [
            ListedExercise(each.name, each.title, bool(course and each.name in course.done_names)) for each in exercises
        ]

    def now(self) -> float:
        """Return the current time of the table's clock, in seconds."""
        return self._options.clock.now()

    def fit_lamps(self, lamps: int) -> None:
        """Change the number of lamps per cell, unless it is fixed by an option or a recording."""
        shown = self.companion.board.lamps
        lamp_count_differs = lamps != self.frame.lamps_per_cell
        if self._options.lamps is None and lamp_count_differs and isinstance(shown, SimulatedLamps):
            shown.set_lamp_count(lamps)
            self.companion.display = LampDisplay(shown, None)  # redraws immediately

    def step(self) -> float:
        """Advance the game and the simulated board by one step. Return the time at which the next step is due."""
        if not self.hand:
            return self.companion.step()
        self.hand.step()
        return min(self.companion.step(), self.hand.due_instant)

    def put(self, event: SessionEvent) -> None:
        self.companion.put(event)

    def touch_cell(self, cell: Cell) -> None:
        if self._button_board:
            self._button_board.touch(cell)

    def begin_game(self, choice: GameChoice) -> bool:
        """Begin another game. Return True if it needs another board because the size or the players have changed."""
        companion = self.companion
        light, dark = (
            companion.seated.players[side]
            if player_name == (self.program_names[side] or HUMAN)
            else self._options.make_player(player_name, SystemRandom().getrandbits(32))
            for side, player_name in zip(Side, choice.player_names, strict=True)
        )
        has_same_size = choice.variant.size == companion.board.size
        if has_same_size and (light, dark) == companion.seated.players:
            self.put(NewGame(choice.variant, self.now()))
            return False
        companion.leave_game()
        companion.close()
        same_table = self.hand.simulated_table if self.hand and has_same_size else None
        seated = SeatedPlayers((light, dark), self.names)
        self._open_game(choice.variant, seated, previous=companion.session, same_table=same_table)
        return True

    def decline_resume(self) -> bool:
        """Begin the game that was requested at startup. Return True if it needs another board."""
        return self.begin_game(self._requested_game)

    def close(self) -> None:
        """Close the board and the journal. The game stays saved."""
        self.companion.close()

    @property
    def resume_messages(self) -> tuple[Message | None, Message | None]:
        """Messages for the resume dialog: players of the unfinished game, and the game that would begin otherwise."""
        pond, player_names = self._requested_game
        requested, resuming = _name_players(player_names, self.names), self.companion.resuming_players
        resumed = _name_players(_dialog_player_names(resuming), resuming.names) if resuming else requested
        return (
            Message("resume_dialog.players", **resumed),
            Message("resume_dialog.new_game", variant=pond.name, **requested),
        )

    @property
    def farewell(self) -> Message | None:
        """Goodbye message, or None if the game can't be resumed."""
        session, journal = self.companion.session, self.companion.durable.journal
        if not journal or journal.trouble or session.unsaved_reason or not session.can_continue:
            return None
        folder = self._options.folder
        pieces_option = " --pieces" if self._options.pieces else ""
        folder_option = "" if folder == default_folder() else f" --journal {quote(str(folder))}"
        return Message("farewell.saved", command=f"pond play{pieces_option}{folder_option}")


def _dialog_player_names(seated: SeatedPlayers) -> tuple[str, str]:
    """Return the names of the players as used in the new-game dialog."""
    light, dark = (name or HUMAN for name in seated.program_names)
    return light, dark


def _name_players(player_names: tuple[str, str], names: PlayerNames) -> dict[str, Message]:
    return {str(side): name_player(player_names[side], names[side]) for side in Side}
