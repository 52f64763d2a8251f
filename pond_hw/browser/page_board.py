"""Board for the person in front of a page: companion, service, link and hub in one thread.

Nothing here waits. The outside calls `hear` for each message from the page, `pump` when it is due, and passes on `news`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from datetime import date
from functools import partial
from math import inf
from pathlib import Path
from random import Random, SystemRandom
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast, get_args

from pond_hw.browser.page_connection import PageConnection, PageLink
from pond_hw.companion import Clock, Companion, RealClock
from pond_hw.companion.lamp_display import LampDisplay
from pond_hw.companion.saved_state import (
    add_courses,
    find_resuming_players,
    open_journal,
    place_resumed_pieces,
    remove_hint_gestures,
)
from pond_hw.durable_files import MAX_STATE_BYTES, read_file, replace_file
from pond_hw.engine import PLAYER_NAMES, Player, SeatedPlayers, make_player
from pond_hw.engine.hints import WorkerAdviser
from pond_hw.engine.message_worker import SharedWorker
from pond_hw.exercises import LESSONS_COURSE, load_lessons
from pond_hw.journal import editing
from pond_hw.journal.database_file import DamagedJournal
from pond_hw.journal.folder import read_all_games
from pond_hw.journal.game_list import number_games
from pond_hw.journal.game_records import build_record, record_identity
from pond_hw.journal.writer import describe_write_error
from pond_hw.lights import LAMP_COUNTS
from pond_hw.messages.message import Message, PondError
from pond_hw.rules import SIZES, STANDARD, Position, parse_record
from pond_hw.server.parse_requests import parse_request
from pond_hw.server.protocol import frame_message, text_fields
from pond_hw.server.service import BoardService
from pond_hw.session import (
    ChooseResume,
    ResumeChoice,
    Scene,
    Session,
    SetUpGame,
    StartExercise,
    begin_on_other_board,
)
from pond_hw.simulator import SimulatedBoard
from pond_hw.simulator.board_with_pieces import PieceOptions
from pond_hw.web.access import OwnBoard
from pond_hw.web.page_hub import PageHub
from pond_hw.web.page_requests import parse_page_request
from pond_hw.web.page_view import JsonMessage
from pond_hw.web.visitor import Visitor

if TYPE_CHECKING:
    from pond_hw.browser.setup_trial import SetupTrial

BoardKind = Literal["buttons", "pieces"]

DEFAULT_PLAYERS = ("human", "level-2")
"""Players of light and dark in the first game."""

EXERCISE_FILE = "exercise.json"
"""File with the course and name of the exercise that is being done, or null."""

BOARD_NAME = "browser"
"""Name of the board in saved games."""

PIECES = PieceOptions()
"""Plain pieces, on sensors that only detect whether there is a piece."""

MAX_MESSAGE_LENGTH = 1_100_000
"""Maximum length of a message from the page, which may contain the record of a game."""


class BoardStart(NamedTuple):
    """The board and the game with which a page begins, unless there is an unfinished game to resume.

    Attributes:
        board: kind of board.
        lesson: name of a lesson to begin with.
        position: position to begin with, in notation for the standard variant.
        lamps: number of lamps per cell to send to the page; 0 if the page only draws pieces.
        players: players of light and dark.
        language: language of messages.
    """

    board: BoardKind = "buttons"
    lesson: str | None = None
    position: str | None = None
    lamps: int = 0
    players: tuple[str, str] = DEFAULT_PLAYERS
    language: str = "en"

    @classmethod
    def parse(cls, fields: Mapping[str, str]) -> BoardStart:
        """Parse the fields of a page's address, such as `board=pieces&players=human,level-1`.

        Raises:
            ValueError: A field or its value is unknown.
        """
        start = cls()
        for name, text in fields.items():
            match name:
                case "board" if text in get_args(BoardKind):
                    start = start._replace(board=cast(BoardKind, text))
                case "lesson" if text in [lesson.name for lesson in load_lessons(None).course.exercises]:
                    start = start._replace(lesson=text)
                case "position":
                    start = start._replace(position=Position.from_notation(text, STANDARD).notation_line)
                case "lamps" if text in map(str, LAMP_COUNTS):
                    start = start._replace(lamps=int(text))
                case "players" if (names := text.split(",")) and set(names) <= set(PLAYER_NAMES) and len(names) == 2:
                    start = start._replace(players=(names[0], names[1]))
                case _:
                    raise ValueError(f"unknown start: {name}={text!r}")
        return start


class HiddenDisplay(LampDisplay):
    """Lamp output of a page that draws pieces instead of lamps."""

    next_due = inf

    def draw_if_due(self, scene: Scene, now: float) -> None:
        """Draw nothing."""

    def show_if_due(self, now: float) -> None:
        """Show nothing."""


class PageBoard:
    """Board of a page, which is its only client. All methods must be called from the same thread.

    Args:
        folder: folder for saved games, or None to save nothing.
        post_question: sends a question to the thinker, which runs elsewhere; see `pond_hw.engine.worker.answer_line`.
        restart_thinker: ends the thinker and starts another.
        start: board and first game.
        clock: real or simulated clock.
        rng: source of the seeds of programs.
        day: date for the puzzle of the day; None in simulated time.
    """

    def __init__(
        self,
        folder: Path | None,
        post_question: Callable[[str], None],
        restart_thinker: Callable[[], None],
        *,
        start: BoardStart = BoardStart(),  # noqa: B008 - it is immutable
        clock: Clock | None = None,
        rng: Random | None = None,
        day: date | None = None,
    ) -> None:
        self._folder, self._lamps, self._day = folder, start.lamps, day
        self._clock, self._rng = clock or RealClock(), rng or SystemRandom()
        self._thinker = SharedWorker(post_question, restart_thinker, self._clock.now)
        self._make_opponent = partial(make_player, make_worker=self._thinker.make_worker)
        self._link = PageLink(self._change_message)
        self._hub = PageHub(self._link, OwnBoard(self._link), self._thinker.make_worker)
        self._visitor = Visitor("", None, start.language)
        self._closing = ExitStack()
        self._closing.enter_context(self._hub.welcome(self._visitor))
        self._shown: dict[str, str] = {}
        self._files: dict[str, tuple[int, int]] = {}
        self._storage_fault: str | None = None
        self._exercise_file = folder / EXERCISE_FILE if folder else None
        self._exercise = self._read_exercise()
        self._trial: SetupTrial | None = None
        self._open_board(start.board, self._make_players(start.players))
        self._begin_game(start)
        self.pump()

    def hear(self, text: str) -> None:
        """Handle a message from the page."""
        try:
            self._handle_request(text)
        except PondError as error:
            self._visitor.refuse(error.message)
        except (ValueError, RecursionError):
            self._visitor.refuse(Message("remote.not_understood"))

    def hear_answer(self, text: str) -> None:
        """Handle an answer from the thinker."""
        self._thinker.receive(text)

    def handle_lost_thinker(self) -> None:
        """Replace a thinker that has ended by itself."""
        self._thinker.thinker_lost()

    def pump(self) -> float:
        """Handle everything that is due. Return the seconds until this must be called again; infinity if nothing is due."""
        if self._table:
            self._table.poll(self._clock.now())
        self._service.run_cycle(0)
        self._link.receive()
        while self._connection.requests:
            self._service.run_cycle(0)
            self._link.receive()
        self._save_exercise()
        self._hub.collect_reviews()
        due = min(self._thinker.step(), self._service.next_due)
        if self._table:
            due = min(due, self._table.next_due)
        if self._trial:
            due = min(due, self._trial.step())
        return max(0.0, due - self._clock.now())

    def news(self) -> list[str]:
        """List the messages for the page since the last call."""
        shown = self._list_shown()
        changed = [text for kind, text in shown.items() if self._shown.get(kind) != text]
        self._shown = shown
        return [*self._hub.list_changes(self._visitor), *changed]

    def has_unsaved_files(self) -> bool:
        """Return True if files in the folder have changed since the last call."""
        paths = sorted(self._folder.rglob("*")) if self._folder and self._folder.exists() else []
        stats = [(path, path.stat()) for path in paths]
        files = {str(path): (stat.st_size, stat.st_mtime_ns) for path, stat in stats}
        before, self._files = self._files, files
        return files != before

    def report_storage(self, fault: str | None) -> None:
        """Report that the browser could not store the files, or that it can again. The page then says so."""
        if fault != self._storage_fault:
            self._storage_fault = fault
            self._link.send({"ask": "state"})

    def close(self) -> None:
        """Close the board. The game stays saved."""
        self._closing.close()
        if self._trial:
            self._trial.close()
        self._close_board()

    # Requests

    def _handle_request(self, text: str) -> None:
        if len(text) > MAX_MESSAGE_LENGTH:
            raise ValueError("too long")
        match json.loads(text):
            case {"import": str() as record_text, **rest} if not rest:
                self._import_record(record_text)
            case {"board": "buttons" | "pieces" as kind, **rest} if not rest:
                self._change_board(kind)
            case {"aside": True, **rest} if not rest and self._table:
                self._table.put_aside()
            case {"trial": dict() as request, **rest} if not rest:
                self._handle_trial(request)
            case {"lift": _} | {"drop": _} | {"take": _} | {"touch": _} as request:
                parse_request(text.encode())
                self._link.send(request)
            case _:
                self._hub.handle_request(self._visitor, parse_page_request(text))

    def _import_record(self, record_text: str) -> None:
        """Add a game to the saved games, unless it is there already."""
        if self._folder is None:
            raise PondError(Message("remote.no_games_kept"))
        record = parse_record(record_text)
        saved_games = number_games(read_all_games(self._folder)[0])
        known_games = [record_identity(build_record(game.stored)) for game in saved_games if game.is_readable]
        if record_identity(record) not in known_games:
            try:
                editing.import_records(self._folder, [record])
            except (sqlite3.Error, OSError, DamagedJournal) as error:
                raise PondError(describe_write_error(error)) from error
        self._visitor.send({"type": "imported"})

    def _handle_trial(self, request: Mapping[str, Any]) -> None:
        """Handle a request of the set-up trial. Each trial is in the language that the page has when it starts."""
        from pond_hw.browser.setup_trial import SetupTrial  # imported late: most visits need no set-up

        if "start" in request and self._trial:
            self._trial.close()
        if "start" in request or not self._trial:
            self._trial = SetupTrial(self._visitor.send, self._clock.now, self._visitor.language)
        self._trial.hear(request)

    # Boards

    def _open_board(self, kind: BoardKind, seated: SeatedPlayers, previous: Session | None = None) -> None:
        """Open a board of the largest size and begin a game, or continue an unfinished game on its own kind of board."""
        now, size, clock = self._clock.now(), SIZES[-1], self._clock
        journal = open_journal(
            self._folder, size, board=BOARD_NAME, pieces=kind == "pieces", seated=seated, threaded=False
        )
        if journal and previous:
            journal.unfinished_game = None
        if journal and journal.unfinished_game:
            unfinished_kind: BoardKind = "pieces" if journal.unfinished_game.facts.get("pieces") else "buttons"
            if unfinished_kind != kind:
                journal.close()
                self._open_board(unfinished_kind, seated)
                return
        lamps, board_state = self._lamps or 1, None
        simulated_board = SimulatedBoard(size, lamps, clock.now)
        self._table = None
        board = simulated_board.to_board()
        if kind == "pieces":
            self._table = PIECES.make_table(size, lamps, clock.now)
            board, board_state = self._table.to_board(), PIECES.initial_board_state()
        variant = previous.default_variant if previous else STANDARD
        session = Session.start_game(variant, size, now, board_state)
        session = journal.add_resume_prompt(session, now) if journal else session
        session = begin_on_other_board(previous, session, now) if previous else session
        if self._table:
            place_resumed_pieces(session, self._table)
        session, saved = add_courses(session, self._folder, now, day=self._day)
        session = remove_hint_gestures(session)
        saved.journal, saved.resuming_players = journal, find_resuming_players(journal, self._make_player)
        adviser = WorkerAdviser(self._thinker.make_worker)
        companion = Companion(
            board, session, clock, seated, saved=saved, adviser=adviser, make_opponent=self._make_opponent
        )
        if not self._lamps:
            companion.display = HiddenDisplay(board.lamps, None)
        self._connection = PageConnection(simulated_board)
        self._companion = companion
        self._service = BoardService(
            BOARD_NAME,
            companion,
            self._connection,
            make_player=self._make_player,
            games_folder=self._folder,
            run_job=lambda job: job(),
        )
        self._service.start_serving()
        self._link.connect(self._connection)
        if session.resume_prompt:
            companion.put(ChooseResume(ResumeChoice.RESUME, now))
        if self._exercise and not previous:
            companion.put(StartExercise(self._exercise[0], now, self._exercise[1]))

    def _change_board(self, kind: BoardKind) -> None:
        """Continue with a new game on another kind of board."""
        companion = self._companion
        if (self._table is not None) == (kind == "pieces"):
            return
        companion.leave_game()
        self._close_board()
        self._open_board(kind, companion.seated, companion.session)

    def _read_exercise(self) -> tuple[str, str] | None:
        """Return the course and name of the exercise in which the last visit ended."""
        if self._exercise_file is None:
            return None
        with suppress(OSError, ValueError, TypeError, RecursionError):
            course, name = json.loads(read_file(self._exercise_file, MAX_STATE_BYTES))
            return str(course), str(name)
        return None

    def _save_exercise(self) -> None:
        """Save which exercise is being done, so that a reload begins it again."""
        run = self._companion.session.exercise
        exercise = (run.course_name, run.exercise.name) if run and run.course_name else None
        if exercise != self._exercise and self._exercise_file:
            with suppress(OSError):  # then only this exercise is lost
                replace_file(self._exercise_file, json.dumps(exercise).encode())
        self._exercise = exercise

    def _close_board(self) -> None:
        self._service.close()
        self._companion.close()

    def _begin_game(self, start: BoardStart) -> None:
        now = self._clock.now()
        if start.lesson:
            self._companion.put(StartExercise(LESSONS_COURSE, now, start.lesson))
        if start.position:
            self._companion.put(SetUpGame(Position.from_notation(start.position, STANDARD), now))

    def _make_players(self, names: tuple[str, str]) -> SeatedPlayers:
        light, dark = (self._make_player(name, 0) for name in names)
        return SeatedPlayers((light, dark))

    def _make_player(self, name: str, _: int) -> Player | None:
        """Return a player with a seed from `rng`, so that tests can repeat a game."""
        return self._make_opponent(name, self._rng.getrandbits(32))

    # Messages

    def _change_message(self, message: JsonMessage) -> JsonMessage:
        """Add the reason to a state while the browser does not store the games."""
        if message["type"] == "state" and self._storage_fault:
            reason = Message("saving.browser_refuses", reason=self._storage_fault)
            return message | text_fields("unsaved", (reason,), self._visitor.language)
        return message

    def _list_shown(self) -> dict[str, str]:
        """Return what the page shows besides the messages of the hub, as JSON by message type."""
        shown = {}
        if self._table:
            standing = {cell: str(token.owner) for cell, token in self._table.standing_pieces.items()}
            held = [str(token.owner) for token in self._table.held_pieces]
            shown["table"] = json.dumps({"type": "table", "standing": standing, "held": held})
        if self._lamps:
            shown["frame"] = json.dumps(frame_message(self._companion.frame, 0.0))
        return shown
