"""The one loop, where board, session, players and screens meet.

A finger, a command from a face and a player's answer enter by the same queue; one thread takes
them out and owns the game. The order is always the same: compute the next session, write what happened
in it, adopt it, show it. What is computed and not yet on the card is `ahead`: nobody outside sees it.
Real and simulated time run the same code: only the clock differs.

All of that happens inside a fence: what goes wrong there is lost, and the game stays as it was (`guard`).
"""

from __future__ import annotations

import logging
import time
import traceback
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from math import inf
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event as Flag
from typing import NamedTuple, Protocol

from pond_hw.board import Board, BoardFault, Frame, HealthEvent, KeyEvent, SensorEvent, Touch
from pond_hw.engine import UNNAMED_PLAYERS, Player, PlayerNames, SeatedPlayers
from pond_hw.engine.adviser import Advice, Adviser, SubprocessAdviser
from pond_hw.journal import RETRY_SECONDS, GameProjection, Journal, WriteProgress
from pond_hw.lights import FRAME_SECONDS, CurrentLimiter, render_scene
from pond_hw.rules import Action, Cell, Side, legal_actions
from pond_hw.session import (
    AgreeDraw,
    AskHint,
    ClockTick,
    Hint,
    HintFound,
    NewGame,
    RedoTurns,
    RequestRefused,
    ResignGame,
    SavingChanged,
    Scene,
    Session,
    SessionEvent,
    ShownRefusal,
    TakeAction,
    TroubleChanged,
    UndoTurns,
)

LOGGER = logging.getLogger("pond")

PACE_SECONDS = 1.8
"""How long another player lets a turn be seen before taking the next."""


LONG_PRESS_SECONDS = 2.0
"""How long a finger means something else: on the key, or on a cell when the game is over, another game; on a cell
where it was refused, a hint."""

SLOW_WRITE_SECONDS = 3.0
"""How long a card may take to write a turn down before the game goes on without it, and everybody is told."""

SLOW_WRITE_MESSAGE = "Not saved yet: the disk does not answer. The game goes on in memory."
"""What they are told."""

REMARK_INTERVAL_SECONDS = 10.0
"""From one remark in the journal to the next, at the least."""

FAILURE_SHOWN_SECONDS = 3.0
"""How long the board shows trouble after something has failed in the program."""

FORGET_FAILURE_SECONDS = 3600.0
"""A failure that has not come back for so long counts as a new one."""

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.25, 8.0
"""After how many seconds something that failed is tried again; the pause doubles each time."""


class Clock(Protocol):
    """What time it is, and how to let it pass."""

    def now(self) -> float:
        """Seconds since the clock was made; it never goes back."""

    def wait(self, until: float, arrived: Flag) -> None:
        """Let time pass until that instant, or until something has arrived."""


class RealClock:
    """The time that people live in, whatever the wall clock says."""

    def __init__(self) -> None:
        self._started_at = time.monotonic()

    def now(self) -> float:
        """Seconds since this clock was made."""
        return time.monotonic() - self._started_at

    def wait(self, until: float, arrived: Flag) -> None:
        """Sleep until that instant, or until something has arrived."""
        arrived.wait(max(0.0, until - self.now()))


class SimulatedClock:
    """Time that passes only when somebody waits for it, and then at once."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        """Seconds that have been waited for."""
        return self._now

    def wait(self, until: float, arrived: Flag) -> None:
        """Be at that instant, unless something has arrived."""
        if not arrived.is_set():
            self._now = max(self._now, until)


class _PlayerAnswer(NamedTuple):
    """What a player says, to the question that was asked with this number."""

    question_number: int
    action: Action


class _AdviserAnswer(NamedTuple):
    """What the adviser says, to the question that was asked with this number."""

    question_number: int
    advice: Advice


class _RetryPause(NamedTuple):
    """Something that failed is not tried again before an instant."""

    until: float
    seconds: float


class _FailureCount(NamedTuple):
    """How often something has failed at the same place, and when last."""

    failure_count: int
    last_instant: float


_InboxEvent = SessionEvent | SensorEvent | WriteProgress | _PlayerAnswer | _AdviserAnswer
"""All that comes by the queue."""


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

    Attributes:
        session: the conversation as it stands: all of it is on the card, or it says itself that it is not.
        players: who answers for light and for dark; None is a person.
        names: what the people at light and dark are called; None: they have not said.
        resume_seats: who sits down when the game that is offered is resumed; None: the same.
        frame: what the lamps were last told to show.
        limiter: what the lamps may draw; another one counts from the next frame on.
        frame_count: how many frames the lamps were told to show, whether they were reached or not.
        failure_count: how many times something has failed inside the fence.
        failure: the sentence about the last time; "" if there was none.
    """

    def __init__(
        self,
        board: Board,
        session: Session,
        clock: Clock,
        players: tuple[Player | None, Player | None] = (None, None),
        limiter: CurrentLimiter | None = None,
        arrived: Flag | None = None,
        journal: Journal | None = None,
        adviser: Adviser | None = None,
        *,
        names: PlayerNames = UNNAMED_PLAYERS,
        resumes: SeatedPlayers | None = None,
    ) -> None:
        self.board = board
        self.clock = clock
        self.players, self.names = players, names
        self.resume_seats = resumes
        self.frame = Frame.dark_frame(board.size, board.lamps.lamps_per_cell, board.lamps.strip_lamps)
        self.limiter = limiter or CurrentLimiter.for_lamps(len(self.frame.data) // 3)
        self.frame_count = 0
        self._event_inbox: SimpleQueue[_InboxEvent] = SimpleQueue()
        self._journal = journal
        self._uncommitted = self._session = session.with_human_sides(self.human_sides)
        self._current_scene, self._next_due = session.scene, session.next_due  # of the session, and of what is ahead
        self._awaiting_commit: deque[tuple[int, Session, Scene]] = (
            deque()
        )  # what is adopted when so much has been written
        self._handed_in_ticket = self._written_ticket = 0
        self._waiting_since = self._retry_at = 0.0
        self._remarked_at = -inf
        self._long_presses: dict[Cell | None, float] = {}  # since when fingers are on cells, and (None) on the key
        self._refused_presses: dict[Cell, float] = {}  # since when a finger is, alone, where it was refused
        self._sensor_trouble: str | None = None  # what is wrong with them
        self._lamp_trouble: str | None = None
        self._program_trouble: str | None = None
        self._trouble_until = 0.0
        self.failure_count, self.failure = 0, ""
        self._failure_counts: dict[str, _FailureCount] = {}  # by what was said of it
        self._retry_pauses: dict[str, _RetryPause] = {}  # by what was to be done
        self._arrival_flag = arrived or Flag()
        self._question_number = 0  # the number of the last question to a player
        self._asked_player: Player | None = None  # who was asked it and is still waited for
        self._pending_answer: _PlayerAnswer | None = None  # the answer, until its time has come
        self._adviser = adviser or SubprocessAdviser()
        self._hint_number = 0  # the number of the last question to the adviser
        self._wanted_hint: Hint | None = None  # what is thought about, until the answer has come
        self._next_frame = self._next_step = clock.now()
        if journal:
            journal.set_listener(self.put)
            self.session = self._uncommitted.after(SavingChanged(journal.trouble, clock.now()))
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
        self._adopt_session(session, session.scene)

    def put(self, event: _InboxEvent) -> None:
        """Hand in what happened: from any thread, at any time."""
        self._event_inbox.put(event)
        self._arrival_flag.set()

    def step(self) -> float:
        """Take in all that has arrived, ask whom to ask, show what there is to see.

        Nothing that goes wrong in it comes out of it: see `guard`.

        Returns:
            The instant at which there will be something to do again, if nothing arrives before.
        """
        self._arrival_flag.clear()
        before = self.session
        self._process_inbox()
        self._run_repeated(self._ask_player)
        self._run_repeated(self._ask_adviser)
        now = self.clock.now()
        self._run_repeated(self._clear_failure, now)
        self._run_repeated(self._apply_long_presses, now)
        self._run_repeated(self._apply_clock_tick, now)
        self._run_repeated(self._apply_answer, now)
        self._run_repeated(self._check_journal, now)
        self._process_inbox()
        self._run_repeated(self._ask_player)
        self._run_repeated(self._ask_adviser)
        if self.session is not before or now >= self._next_frame:
            self._next_frame = now + FRAME_SECONDS
            self._run_repeated(self._draw_frame, now)
            self._run_repeated(self._show_frame, now)
        self._next_step = self._next_frame
        self._run_repeated(self._schedule_next_step)
        return self._next_step

    def guard(self, job: Callable[..., object], *arguments: object) -> bool:
        """Do something that may fail and must not end the game: the one place where exceptions end.

        What fails is lost, and the game stays as it was. The board is in trouble for a moment; log and journal
        have the reason. What fails at the same place is told the first, second, fourth, eighth time and so on.

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
        name, now = job.__name__, self.clock.now()
        pause = self._retry_pauses.get(name)
        if pause and now < pause.until:
            return
        if self.guard(job, *arguments):
            self._retry_pauses.pop(name, None)
        else:
            seconds = min(2 * pause.seconds, LONGEST_PAUSE_SECONDS) if pause else FIRST_PAUSE_SECONDS
            self._retry_pauses[name] = _RetryPause(now + seconds, seconds)

    def _record_failure(self, error: Exception) -> None:
        """Keep in mind that something has failed, and tell it, unless it was told just now."""
        now, self.failure = self.clock.now(), format_failure(error)
        seen = self._failure_counts.get(self.failure)
        times = seen.failure_count + 1 if seen and now < seen.last_instant + FORGET_FAILURE_SECONDS else 1
        self._failure_counts[self.failure] = _FailureCount(times, now)
        self.failure_count += 1
        if times & (times - 1):
            return
        told = f"{self.failure} It has happened {times} times." if times > 1 else self.failure
        LOGGER.error("%s", told, exc_info=error)
        self._program_trouble, self._trouble_until = (
            f"{self.failure} The game waits a moment.",
            now + FAILURE_SHOWN_SECONDS,
        )
        try:
            self._write_remark(told)
            self._report_trouble(now)
        except Exception:
            LOGGER.exception("The board could not be told of it; light alone tells it.")

    def _clear_failure(self, now: float) -> None:
        """The moment is over in which the board showed that something had failed."""
        if self._program_trouble is None or now < self._trouble_until:
            return
        said, self._program_trouble = self._program_trouble, None
        if not self._uncommitted.trouble:
            return
        try:
            self._report_trouble(now)
        except Exception:
            self._program_trouble = said  # until this can be done
            self._commit_session(replace(self._uncommitted, trouble=self._sensor_trouble or self._lamp_trouble))
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
        self._forget_question()
        self._wanted_hint = None
        try:
            self.board.close()
        finally:
            self._adviser.close()
            for player in self.players:
                if player:
                    player.close()

    @property
    def human_sides(self) -> tuple[Side, ...]:
        """The sides that people play."""
        return tuple(side for side in Side if self.players[side] is None)

    def _process_inbox(self) -> None:
        """All that has arrived."""
        while (event := self._next_event()) is not None:
            if not self.guard(self._process_event, event) and isinstance(event, Touch):
                self.guard(self._record_touch, event)

    def _process_event(self, event: _InboxEvent) -> None:
        match event:
            case _PlayerAnswer():
                if event.question_number == self._question_number and self._asked_player:
                    self._store_answer(event)
            case _AdviserAnswer(question, advice):
                if question == self._hint_number and self._wanted_hint is not None:
                    self._apply_event(HintFound(advice.action, advice.action_worth, self.clock.now()))
            case WriteProgress():
                self._handle_write_progress(event)
            case KeyEvent():
                self._handle_key(event)
            case HealthEvent(trouble, at):
                self._sensor_trouble = trouble
                self._report_trouble(at)
            case _:
                self._track_long_press(event)
                self._apply_event(event)
                self._track_refused_press(event)

    def _record_touch(self, touch: Touch) -> None:
        """A piece stands where it stands, whatever has become of the step that should have read it."""
        ahead = self._uncommitted
        if ahead.board_state and (touch.cell in ahead.board_state.occupancy.occupied_cells) != touch.down:
            self._commit_session(replace(ahead, board_state=ahead.board_state.after_touch(*touch)))

    def _store_answer(self, answer: _PlayerAnswer) -> None:
        """Keep a player's answer until its time has come."""
        legal = legal_actions(self.session.position)
        self._pending_answer = answer
        if answer.action not in legal:
            self._pending_answer = answer._replace(action=legal[0])  # the game goes on
            raise ValueError(
                f"{self._asked_player.name if self._asked_player else 'A player'} answered {answer.action}"
            )

    def _next_event(self) -> _InboxEvent | None:
        try:
            return self._event_inbox.get_nowait()
        except Empty:
            return None

    def _schedule_next_step(self) -> None:
        """When there will be something to do again; not at once, if something has failed just now."""
        holds = [
            since + LONG_PRESS_SECONDS for since in (*self._long_presses.values(), *self._refused_presses.values())
        ]
        slow = [self._waiting_since + SLOW_WRITE_SECONDS] if self._awaiting_commit else []
        due = min([self._next_frame, self._answer_time, self._next_due, *holds, *slow])
        self._next_step = self._next_frame if self._retry_pauses else due

    def _apply_clock_tick(self, now: float) -> None:
        if now >= self._next_due:
            self._commit_session(self._uncommitted.after(ClockTick(now)))

    def _apply_answer(self, now: float) -> None:
        if self._pending_answer and now >= self._answer_time:
            self._commit_session(self._uncommitted.after(TakeAction(self._pending_answer.action, now)))

    @property
    def _answer_time(self) -> float:
        """When the answer that has come is adopted: never as long as there is none, or the board has another matter."""
        if not self._pending_answer or self._awaiting_commit or self.session.trouble or self.session.is_undecided:
            return inf
        return self.session.changed_at + PACE_SECONDS if self.session.turns else 0.0

    def _commit_session(self, session: Session) -> None:
        """What was computed is written down; when that is done it is adopted. What cannot be shown is neither."""
        before = self._uncommitted
        if session is before:
            return
        seats = self._find_resumed_seats(before, session)
        if seats:
            session = session.with_human_sides(tuple(side for side in Side if seats.players[side] is None))
        scene, due = session.scene, session.next_due
        ticket = self._journal.record_change(before, session) if self._journal else None
        self._uncommitted, self._next_due = session, due
        if ticket is not None:
            if not self._awaiting_commit:
                self._waiting_since = self.clock.now()
            self._handed_in_ticket = ticket
        if self._session.unsaved_reason:
            self._written_ticket = self._handed_in_ticket  # which everybody has been told
        self._awaiting_commit.append((self._handed_in_ticket, session, scene))
        self._adopt_written_sessions()
        if before.resume_prompt and not session.resume_prompt:
            self.resume_seats = None
        if session.trouble and session.trouble != before.trouble:
            self._write_remark(session.trouble)
        if seats:
            self._change_seats(seats)

    def _find_resumed_seats(self, before: Session, after: Session) -> SeatedPlayers | None:
        """Who sits down because the game that was left goes on; None if they are not known, or it does not."""
        if (
            before.resume_prompt
            and not after.resume_prompt
            and GameProjection.from_session(before) == GameProjection.from_session(after)
        ):
            return self.resume_seats
        return None

    def _change_seats(self, seats: SeatedPlayers) -> None:
        """Others play from now on."""
        self._forget_question()
        left, (self.players, self.names) = self.players, seats
        for player in left:
            if player:
                player.close()
        if self._journal:
            light, dark = (each.name if each else name for each, name in zip(*seats, strict=True))
            self._journal.update_facts(light=light, dark=dark)

    def _handle_write_progress(self, written: WriteProgress) -> None:
        """The journal has dealt with more of what it was handed."""
        self._written_ticket = max(self._written_ticket, written.ticket)
        was = self._uncommitted.unsaved_reason
        try:
            if written.trouble or written.ticket >= self._handed_in_ticket:
                self._commit_session(self._uncommitted.after(SavingChanged(written.trouble, self.clock.now())))
        finally:
            self._adopt_written_sessions()
        if was and not self._uncommitted.unsaved_reason:
            self._write_remark(f"{was} It is saved again.")

    def _write_remark(self, sentence: str) -> None:
        """Have a sentence kept beside the game; not too many of them, for a contact that comes and goes."""
        now = self.clock.now()
        if self._journal and now >= self._remarked_at + REMARK_INTERVAL_SECONDS:
            self._remarked_at = now
            self._journal.write_remark(sentence)

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
                self._commit_session(self._uncommitted.after(SavingChanged(SLOW_WRITE_MESSAGE, now)))
            finally:
                self._adopt_written_sessions()
        if self.session.unsaved_reason and now >= self._retry_at:
            self._retry_at = now + RETRY_SECONDS
            self._journal.retry_writing()

    def _adopt_session(self, session: Session, scene: Scene) -> None:
        old, self._session, self._current_scene = self._session, session, scene
        if (
            session.turns is not old.turns
            or session.variant != old.variant
            or session.declared_outcome != old.declared_outcome
        ):
            self._forget_question()

    def _apply_event(self, event: SessionEvent) -> None:
        self._commit_session(self._uncommitted.after(self._adapt_event(event)))

    def _handle_key(self, key: KeyEvent) -> None:
        """The key beside the cells: pressed, it takes a turn back; held, it begins another game."""
        if key.down:
            self._long_presses[None] = key.instant
        elif self._long_presses.pop(None, None) is not None:
            self._apply_event(UndoTurns(key.instant))

    def _track_long_press(self, event: SessionEvent) -> None:
        """Remember the fingers that come down when the game is over; they may be going to stay."""
        if isinstance(event, Touch) and not self.board.sensors.has_pieces:
            if not event.down:
                self._long_presses.pop(event.cell, None)
            elif self.session.outcome:
                self._long_presses[event.cell] = event.instant

    def _track_refused_press(self, event: SessionEvent) -> None:
        """Remember the finger that has just been refused: if it stays, somebody does not know what to do."""
        if isinstance(event, Touch) and not event.down:
            self._refused_presses.pop(event.cell, None)
            return
        self._refused_presses.clear()
        ahead = self._uncommitted
        if self.board.sensors.has_pieces or ahead.trouble or ahead.game_phase not in ("act", "in_hand"):
            return
        if isinstance(event, Touch) and ahead.refusal == ShownRefusal(event.cell, event.instant):
            self._refused_presses[event.cell] = event.instant

    def _apply_long_presses(self, now: float) -> None:
        if not self.session.outcome:
            self._long_presses = {place: since for place, since in self._long_presses.items() if place is None}
        if any(now >= since + LONG_PRESS_SECONDS for since in self._long_presses.values()):
            self._long_presses.clear()
            self._apply_event(NewGame(self.session.variant, now))
        if any(now >= since + LONG_PRESS_SECONDS for since in self._refused_presses.values()):
            self._refused_presses.clear()
            self._apply_event(AskHint(now))

    def _report_trouble(self, at: float) -> None:
        self._long_presses.clear()  # nobody knows who lets go meanwhile
        self._refused_presses.clear()
        self._apply_event(TroubleChanged(self._sensor_trouble or self._lamp_trouble or self._program_trouble, at))

    def _draw_frame(self, now: float) -> None:
        scene = self._current_scene._replace(has_trouble=True) if self._program_trouble else self._current_scene
        picture = render_scene(scene, now, self.frame.lamps_per_cell, self.frame.strip_lamps)
        self.frame = self.limiter.limit_frame(picture, self.frame)

    def _show_frame(self, now: float) -> None:
        self.frame_count += 1
        said = self._lamp_trouble
        try:
            self.board.lamps.show(self.frame)
            self._lamp_trouble = None
        except BoardFault as fault:
            self._lamp_trouble = str(fault)
        if self._lamp_trouble != said:
            self._report_trouble(now)

    def _ask_player(self) -> None:
        """If it is a player's turn and nobody has been asked yet, ask."""
        if self._asked_player or self.session.outcome:
            return
        player = self.players[self.session.position.to_move]
        if player is None:
            return
        game = self.session.record
        self._question_number += 1
        self._asked_player = player
        number = self._question_number
        try:
            player.request_action(game, lambda action: self.put(_PlayerAnswer(number, action)))
        except Exception:
            self.put(_PlayerAnswer(number, legal_actions(game.position)[0]))  # the game goes on
            raise

    def _forget_question(self) -> None:
        asked, self._asked_player, self._pending_answer = self._asked_player, None, None
        if asked:
            asked.stop()

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
            self._hint_number += 1
            number = self._hint_number
            try:
                self._adviser.request_advice(
                    self._uncommitted.record, lambda advice: self.put(_AdviserAnswer(number, advice))
                )
            except Exception:
                self._apply_event(RequestRefused("No hint could be found this time.", self.clock.now()))
                raise

    def _adapt_event(self, event: SessionEvent) -> SessionEvent:
        """What an event means when some of those at the table are not people."""
        session, people = self._uncommitted, self.human_sides
        if len(people) == 2:
            return event
        to_move = session.position.to_move
        waited_for = None if session.outcome or session.resume_prompt else self.players[to_move]
        match event:
            case Touch() if session.board_state:
                return event  # what is felt is felt; the session knows who acts by hand
            case Touch(cell, True, at) if waited_for:
                return RequestRefused(f"It is {to_move}'s turn: {waited_for.name} is about to act.", at, cell)
            case TakeAction(action, at) if waited_for:
                return RequestRefused(f"It is {to_move}'s turn: {waited_for.name} is about to act.", at, action.target)
            case AskHint(at) if waited_for:
                return RequestRefused(
                    f"It is {to_move}'s turn: {waited_for.name} is about to act. Ask when it is yours.", at
                )
            case UndoTurns(at, turns) if people and not session.declared_outcome:
                return UndoTurns(at, _count_turns_to_person(people, turns, to_move, len(session.turns)))
            case RedoTurns(at, turns) if people:
                return RedoTurns(at, _count_turns_to_person(people, turns, to_move, len(session.undone_turns)))
            case ResignGame(at, None) if len(people) == 1:
                return ResignGame(at, people[0])
            case AgreeDraw(at) if session.position_count < 3:
                others = [player.name for player in self.players if player]
                agree = f"{others[0]} agrees" if len(others) == 1 else f"{' and '.join(others)} agree"
                return RequestRefused(f"No draw: {agree} to one when a position has come up three times.", at)
        return event


def _count_turns_to_person(people: tuple[Side, ...], turns: int, to_move: Side, most: int) -> int:
    """How many turns to go back (or forth), at least `turns`, so that a person is to move."""
    while turns < most and Side((to_move + turns) % 2) not in people:
        turns += 1
    return turns


def format_failure(error: Exception) -> str:
    """A sentence that says what has failed and where: `... (KeyError in session/occupancy_messages.py, line 148).`."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if _PACKAGE_FOLDER in Path(frame.filename).parents] or frames
    where = ours[-1]
    path = Path(where.filename)
    name = path.relative_to(_PACKAGE_FOLDER).as_posix() if _PACKAGE_FOLDER in path.parents else path.name
    return f"Something went wrong inside Pond ({type(error).__name__} in {name}, line {where.lineno})."


_PACKAGE_FOLDER = Path(__file__).parent.parent
