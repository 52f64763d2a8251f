"""The one loop, where board, session, players and screens meet.

A finger, a command from a screen or a program and a player's answer enter by the same queue; one thread takes
them out and owns the game. The order is always the same: compute the next session, write what happened
in it, adopt it, show it. What is computed and not yet on the card is `_uncommitted`: nobody outside sees it.
Real and simulated time run the same code: only the clock differs.

All of that happens inside a fence: what goes wrong there is lost, and the game stays as it was (`guard`).
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from math import inf
from operator import attrgetter
from queue import SimpleQueue
from threading import Event as Flag

from pond_hw.board import Board, BoardFault, Frame, HealthEvent, KeyEvent, SensorEvent, Touch
from pond_hw.companion.clocks import Clock
from pond_hw.companion.error_barrier import FAILURE_SHOWN_SECONDS, FailureLog
from pond_hw.companion.exercise_support import ExerciseSupport
from pond_hw.companion.help_memory import KeptFiles, open_kept_files
from pond_hw.companion.lamp_display import LampDisplay
from pond_hw.companion.players import PlayerPair, adapt_event, close_players, list_human_sides, name_seats
from pond_hw.companion.questions import AdviserAnswer, PlayerAnswer, PlayerQuestion
from pond_hw.engine import UNNAMED_PLAYERS, PlayerNames, SeatedPlayers
from pond_hw.engine.hints import Adviser, SubprocessAdviser
from pond_hw.journal import RETRY_SECONDS, Journal, WriteProgress
from pond_hw.lights import FRAME_SECONDS, CurrentLimiter
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.rules import Side
from pond_hw.session import GameResumed, HeldFingers, Hint, Scene, Session, SessionEvent
from pond_hw.session import session_events as events

LOGGER = logging.getLogger("pond")

PACE_SECONDS = 1.8
"""How long another player lets a turn be seen before taking the next."""

SLOW_WRITE_SECONDS = 3.0
"""How long a card may take to write a turn down before the game goes on without it, and everybody is told."""

REMARK_INTERVAL_SECONDS = 10.0
"""From one remark in the journal to the next, at the least."""


_InboxEvent = SessionEvent | SensorEvent | WriteProgress | PlayerAnswer | AdviserAnswer
"""All that comes by the queue."""

_asked_about = attrgetter("variant", "custom_start", "turns", "declared_outcome", "is_exercise_asked")
"""What of a session a player is asked about; the question stands as long as that stays the same."""


class Companion:
    """Sits between a board and a game, and keeps both going.

    Args:
        board: touches in, frames out. It is opened here and closed by `close`; a BoardFault comes through.
        session: the conversation to go on with.
        clock: real or simulated.
        players: for light and for dark the player who answers, or None for a person at the board.
        limiter: what the lamps may draw; by default what a supply allows that suits so many of them.
        arrived: what `put` sets, for a loop that waits for more than a board; by default one of its own.
        journal: where the game is kept, if anywhere. It is open already, and closed by `close`.
        adviser: who is asked for hints; by default one who thinks in a process of its own.
        names: what the people at light and dark are called.
        resumes: who sits down when the game that is offered is resumed; None: the same.
        kept: what is kept beside the games: what was done of exercises, and who gets which help.

    Attributes:
        session: the conversation as it stands: all of it is on the card, or it says itself that it is not.
        players: who answers for light and for dark; None is a person.
        names: what the people at light and dark are called; None: they have not said.
        resume_seats: who sits down when the game that is offered is resumed; None: the same.
        display: what the lamps are told.
    """

    def __init__(
        self,
        board: Board,
        session: Session,
        clock: Clock,
        players: PlayerPair = (None, None),
        limiter: CurrentLimiter | None = None,
        arrived: Flag | None = None,
        journal: Journal | None = None,
        adviser: Adviser | None = None,
        *,
        names: PlayerNames = UNNAMED_PLAYERS,
        resumes: SeatedPlayers | None = None,
        kept: KeptFiles | None = None,
    ) -> None:
        self.board = board
        self.clock = clock
        self.players, self.names = players, names
        self.resume_seats = resumes
        self.display = LampDisplay(board.lamps, limiter)
        self._event_inbox: SimpleQueue[_InboxEvent] = SimpleQueue()
        self._journal = journal
        self._uncommitted = self._session = session.with_human_sides(self.human_sides)
        self._current_scene = session.view.scene  # of the session
        self._next_due = session.next_due  # of what is not on the card yet
        # What is adopted when the journal has come to that ticket.
        self._awaiting_commit: deque[tuple[int, Session, Scene]] = deque()
        self._handed_in_ticket = self._written_ticket = 0
        self._waiting_since = self._retry_at = 0.0
        self._remarked_at = -inf
        self._fingers = HeldFingers()
        self._sensor_trouble: Message | None = None  # what is wrong with them
        self._lamp_trouble: Message | None = None
        self._program_trouble: Message | None = None
        self._failure_log, self._trouble_until = FailureLog(), 0.0
        self._arrival_flag = arrived or Flag()
        self._player_question = PlayerQuestion(self.put)
        self._adviser = adviser or SubprocessAdviser()
        kept = kept or open_kept_files(None)
        self._help_memory = kept.help_memory
        self._exercise_support = ExerciseSupport(kept.progress, session, clock)
        self._wanted_hint: Hint | None = None  # what is thought about, until the answer has come
        self._next_step = clock.now()
        if journal:
            journal.set_listener(self.put)
            self.session = self._uncommitted.after(events.SavingChanged(journal.trouble, clock.now()))
        board.open(self.put)

    @property
    def session(self) -> Session:
        """The conversation as it stands: all of it is on the card, or it says itself that it is not."""
        return self._session

    @session.setter
    def session(self, session: Session) -> None:
        """Go on with another one, as the same game."""
        self._awaiting_commit.clear()
        self._uncommitted, self._next_due = session, session.next_due
        self._adopt_session(session, session.view.scene)

    @property
    def frame(self) -> Frame:
        """What the lamps were last told to show."""
        return self.display.frame

    @property
    def limiter(self) -> CurrentLimiter:
        """What the lamps may draw."""
        return self.display.limiter

    @property
    def has_uncommitted(self) -> bool:
        """Whether something has been done that is not on the card yet, so that the session does not show it."""
        return bool(self._awaiting_commit)

    @property
    def latest_step(self) -> int:
        """Number of the latest step that was handed to the journal."""
        return self._handed_in_ticket

    def has_adopted(self, step: int) -> bool:
        """Return True once the session shows what was done up to a step (see `latest_step`)."""
        return not self._awaiting_commit or self._awaiting_commit[0][0] > step

    @property
    def failure_count(self) -> int:
        """How many times something has failed inside the fence."""
        return self._failure_log.failure_count

    @property
    def failure(self) -> Message | None:
        """The message about the last time that something failed; None if there was none."""
        return self._failure_log.last_failure

    def put(self, inbox_event: _InboxEvent) -> None:
        """Hand in what happened: from any thread, at any time."""
        self._event_inbox.put(inbox_event)
        self._arrival_flag.set()

    def step(self) -> float:
        """Take in all that has arrived, ask whom to ask, show what there is to see.

        Nothing that goes wrong in it comes out of it: see `guard`.

        Returns:
            The instant at which there will be something to do again, if nothing arrives before.
        """
        self._arrival_flag.clear()
        self._process_inbox()
        now = self.clock.now()
        self._run_repeated(self._clear_failure, now)
        self._run_repeated(self._apply_long_presses, now)
        self._run_repeated(self._apply_clock_tick, now)
        self._run_repeated(self._apply_answer, now)
        self._run_repeated(self._check_journal, now)
        self._run_repeated(self._follow_kept_files, now)
        self._process_inbox()
        self._run_repeated(self._draw_frame, now)
        self._run_repeated(self._show_frame, now)
        self._next_step = now + FRAME_SECONDS
        self._run_repeated(self._schedule_next_step)
        return self._next_step

    def guard(self, job: Callable[..., object], *arguments: object) -> bool:
        """Do something that may fail and must not end the game: the one place where exceptions end.

        What fails is lost, and the game stays as it was. The board is in trouble for a moment; log and journal
        have the reason. What fails at the same place is reported the first, second, fourth, eighth time and so on.

        Returns:
            Whether it has not failed; else `failure` says what happened.
        """
        try:
            job(*arguments)
        except Exception as error:  # noqa: BLE001 - whatever it is, the evening goes on
            self._record_failure(error)
            return False
        return True

    def _run_repeated(self, job: Callable[..., object], *arguments: object) -> None:
        """Do something that is done again and again; if it fails, not again before a pause."""
        job_name, now, log = job.__name__, self.clock.now(), self._failure_log
        if log.has_to_wait(job_name, now):
            return
        if self.guard(job, *arguments):
            log.end_pause(job_name)
        else:
            log.prolong_pause(job_name, now)

    def _record_failure(self, error: Exception) -> None:
        """Keep in mind that something has failed, and report it, unless that was done just now."""
        now = self.clock.now()
        messages = self._failure_log.count_failure(error, now)
        if not messages:
            return
        failure_text = get_catalogue().text(messages)
        LOGGER.error("%s", failure_text, exc_info=error)
        self._program_trouble = Message("failure.trouble", failure=messages[0])
        self.display.scene_changed()
        self._trouble_until = now + FAILURE_SHOWN_SECONDS
        try:
            self._write_remark(failure_text)
            self._report_trouble(now)
        except Exception:
            LOGGER.exception("The game does not know of it; only the lamps show it.")

    def _clear_failure(self, now: float) -> None:
        """The moment is over in which the board showed that something had failed."""
        if self._program_trouble is None or now < self._trouble_until:
            return
        trouble, self._program_trouble = self._program_trouble, None
        self.display.scene_changed()
        if not self._uncommitted.trouble:
            return
        try:
            self._report_trouble(now)
        except Exception:
            self._program_trouble = trouble  # until this can be done
            board_trouble = self._sensor_trouble or self._lamp_trouble
            self._commit_session(replace(self._uncommitted, trouble=board_trouble, game_events=()))
            self._program_trouble = None
            raise

    def run_until(self, instant: float) -> None:
        """Keep everything going until that instant on the clock."""
        while True:
            due = self.step()
            if self.clock.now() >= instant:
                return
            self.clock.wait(min(due, instant), self._arrival_flag)

    def leave_game(self) -> None:
        """Leave the game for one at another table; it is kept."""
        if self._journal:
            self._journal.leave_current_game(self._uncommitted)

    def close(self) -> None:
        """Think no more, sense no more, leave the lamps dark; write down what is not on the card yet."""
        try:
            self.leave_board()
        finally:
            if self._journal:
                self._journal.close()

    def leave_board(self) -> None:
        """Think no more, sense no more, leave the lamps dark."""
        self._player_question.forget_question()
        self._wanted_hint = None
        try:
            self.board.close()
        finally:
            self._adviser.close()
            self._exercise_support.close()
            close_players(self.players)

    @property
    def human_sides(self) -> tuple[Side, ...]:
        """The sides that people play."""
        return list_human_sides(self.players)

    @property
    def _acting_players(self) -> PlayerPair:
        """Who answers now: in an exercise those of before wait."""
        return self._exercise_support.find_players(self._uncommitted.exercise) or self.players

    def _process_inbox(self) -> None:
        """All that has arrived, and whom to ask after that."""
        while not self._event_inbox.empty():  # nobody else takes anything out
            event = self._event_inbox.get_nowait()
            if not self.guard(self._process_event, event) and isinstance(event, Touch):
                self.guard(self._record_touch, event)
        self._run_repeated(self._ask_player)
        self._run_repeated(self._ask_adviser)

    def _process_event(self, event: _InboxEvent) -> None:
        match event:
            case PlayerAnswer():
                self._player_question.store_answer(event, self.session.position)
            case AdviserAnswer(wanted_hint, advice):
                if wanted_hint is self._wanted_hint:
                    self._apply_event(events.HintFound(advice.action, advice.action_worth, self.clock.now()))
            case WriteProgress():
                self._handle_write_progress(event)
            case KeyEvent():  # pressed, the key beside the cells takes a turn back; held, it begins another game
                self._fingers, undo = self._fingers.after_key(event)
                if undo:
                    self._apply_event(undo)
            case HealthEvent(trouble, at):
                self._sensor_trouble = trouble
                self._report_trouble(at)
            case _:
                self._fingers = self._fingers.before_step(event, self.session)
                self._apply_event(event)
                self._fingers = self._fingers.after_step(event, self._uncommitted)

    def _record_touch(self, touch: Touch) -> None:
        """A piece stands where it stands, whatever has become of the step that should have read it."""
        session = self._uncommitted
        if session.board_state and (touch.cell in session.board_state.occupancy.occupied_cells) != touch.down:
            self._commit_session(replace(session, board_state=session.board_state.after_touch(*touch), game_events=()))

    def _schedule_next_step(self) -> None:
        """When there will be something to do again; not at once, if something has failed just now."""
        slow = self._waiting_since + SLOW_WRITE_SECONDS if self._awaiting_commit else inf
        if not self._failure_log.is_pausing:
            due = min(self._answer_time, self._next_due, self._fingers.next_due, slow)
            self._next_step = min(self.display.next_due, due)

    def _apply_clock_tick(self, now: float) -> None:
        if now >= self._next_due:
            self._commit_session(self._uncommitted.after(events.ClockTick(now)))

    def _apply_answer(self, now: float) -> None:
        answer = self._player_question.pending_answer
        if answer and now >= self._answer_time:
            self._commit_session(self._uncommitted.after(events.TakeAction(answer.action, now)))

    @property
    def _answer_time(self) -> float:
        """When the answer that has come is adopted: never as long as there is none, or the board has another matter."""
        is_ready = self._player_question.pending_answer and not self._awaiting_commit
        if not is_ready or self.session.trouble or self.session.is_undecided:
            return inf
        return self.session.changed_at + PACE_SECONDS if self.session.turns else 0.0

    def _commit_session(self, session: Session) -> None:
        """What was computed is written down; when that is done it is adopted. What cannot be shown is neither."""
        before = self._uncommitted
        if session is before:
            return
        is_resumed = GameResumed() in session.game_events
        seats = self.resume_seats if is_resumed else None
        if seats:
            session = session.with_human_sides(list_human_sides(seats.players))
        scene, due = session.view.scene, session.next_due
        ticket = self._journal.record_step(session) if self._journal else None
        self._uncommitted, self._next_due = session, due
        if ticket is not None:
            if not self._awaiting_commit:
                self._waiting_since = self.clock.now()
            self._handed_in_ticket = ticket
        if self._session.unsaved_reason:
            self._written_ticket = self._handed_in_ticket  # which everybody has been told
        self._awaiting_commit.append((self._handed_in_ticket, session, scene))
        self._adopt_written_sessions()
        if before.resume_prompt and not (session.resume_prompt or session.exercise):
            self.resume_seats = None
        if is_resumed:
            self._help_memory.recall_unnamed()
        if session.trouble and session.trouble != before.trouble:
            self._write_remark(str(session.trouble))
        if seats:
            self._change_seats(seats)

    def seat_players(self, new_seats: SeatedPlayers, new_game: events.NewGame) -> None:
        """Begin a game with other players. They take their seats only if the game begins."""
        session = self._uncommitted.after(new_game)
        if self._uncommitted.trouble:
            self._commit_session(session)
            close_players(new_seats.players)
            return
        self._commit_session(session.with_human_sides(list_human_sides(new_seats.players)))
        self._change_seats(new_seats)
        self._fingers = self._fingers.after_step(new_game, self._uncommitted)

    def _change_seats(self, new_seats: SeatedPlayers) -> None:
        """Others play from now on."""
        self._player_question.forget_question()
        left_players, (self.players, self.names) = self.players, new_seats
        close_players(left_players)
        if self._journal:
            self._journal.update_facts(**name_seats(*new_seats))

    def _handle_write_progress(self, written: WriteProgress) -> None:
        """The journal has dealt with more of what it was handed."""
        self._written_ticket = max(self._written_ticket, written.ticket)
        old_trouble = self._uncommitted.unsaved_reason
        try:
            if written.trouble or written.ticket >= self._handed_in_ticket:
                saving_changed = events.SavingChanged(written.trouble, self.clock.now())
                self._commit_session(self._uncommitted.after(saving_changed))
        finally:
            self._adopt_written_sessions()
        if old_trouble and not self._uncommitted.unsaved_reason:
            self._write_remark(get_catalogue().text((old_trouble, Message("saving.again"))))

    def _write_remark(self, remark_text: str) -> None:
        """Have a sentence kept beside the game; not too many of them, for a contact that comes and goes."""
        now = self.clock.now()
        if self._journal and now >= self._remarked_at + REMARK_INTERVAL_SECONDS:
            self._remarked_at = now
            self._journal.write_remark(remark_text)

    def _adopt_written_sessions(self) -> None:
        while self._awaiting_commit and self._awaiting_commit[0][0] <= self._written_ticket:
            self._adopt_session(*self._awaiting_commit.popleft()[1:])

    def _check_journal(self, now: float) -> None:
        """A card that does not answer stops no game; one that said no is asked again."""
        if self._journal is None:
            return
        if self._awaiting_commit and now >= self._waiting_since + SLOW_WRITE_SECONDS:
            self._written_ticket = self._handed_in_ticket
            try:
                self._commit_session(self._uncommitted.after(events.SavingChanged(Message("saving.slow"), now)))
            finally:
                self._adopt_written_sessions()
        if self.session.unsaved_reason and now >= self._retry_at:
            self._retry_at = now + RETRY_SECONDS
            self._journal.retry_writing()

    def _follow_kept_files(self, now: float) -> None:
        remembered = self._help_memory.follow_session(self._uncommitted, self.players, self.names, now)
        for event in (*self._exercise_support.follow_session(self.session, now), *remembered):
            self._apply_event(event)

    def _adopt_session(self, session: Session, new_scene: Scene) -> None:
        old_session, self._session, self._current_scene = self._session, session, new_scene
        self.display.scene_changed()
        if _asked_about(session) != _asked_about(old_session):
            self._player_question.forget_question()
        if old_session.exercise and not session.exercise:
            self._exercise_support.close()

    def _apply_event(self, event: SessionEvent) -> None:
        self._commit_session(self._uncommitted.after(adapt_event(event, self._uncommitted, self._acting_players)))

    def _apply_long_presses(self, now: float) -> None:
        self._fingers, requests = self._fingers.after_clock(self.session, now)
        for request in requests:
            self._apply_event(request)

    def _report_trouble(self, instant: float) -> None:
        self._fingers = HeldFingers()  # nobody knows who lets go meanwhile
        trouble = self._sensor_trouble or self._lamp_trouble or self._program_trouble
        self._apply_event(events.TroubleChanged(trouble, instant))

    def _draw_frame(self, now: float) -> None:
        scene = self._current_scene._replace(has_trouble=True) if self._program_trouble else self._current_scene
        self.display.draw_if_due(scene, now)

    def _show_frame(self, now: float) -> None:
        old_trouble = self._lamp_trouble
        try:
            if self.display.show_if_due(now):
                self._lamp_trouble = None
        except BoardFault as fault:
            self._lamp_trouble = fault.message
        if self._lamp_trouble != old_trouble:
            self._report_trouble(now)

    def _ask_player(self) -> None:
        """If it is a player's turn and nobody has been asked yet, ask."""
        if self._player_question.asked_player or self.session.outcome or self.session.is_exercise_asked:
            return
        player = self._acting_players[self.session.position.to_move]
        if player:
            self._player_question.ask_player(player, self.session.record)

    def _ask_adviser(self) -> None:
        """If a hint is waited for and the adviser has not been asked yet, ask; if none is any more, say so."""
        hint = self._uncommitted.hint
        wanted = hint if hint and hint.action is None else None
        if wanted is self._wanted_hint:
            return
        if self._wanted_hint is not None:
            self._adviser.stop()
        self._wanted_hint = wanted
        if wanted is not None:
            record = self._uncommitted.record
            try:
                self._adviser.request_advice(record, lambda advice: self.put(AdviserAnswer(wanted, advice)))
            except Exception:
                self._apply_event(events.RequestRefused(Message("hint.none"), self.clock.now()))
                raise
