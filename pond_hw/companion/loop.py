"""The main loop, which connects the board, the session, the players and the screens.

Touches, commands and players' answers arrive in a queue. A single thread takes them from the queue and owns the game.
For each event, `Companion._commit` computes the next session, writes it to disk and adopts it (see `DurableSession`).
Then `Companion.step` shows the result.

The error barrier runs every job of the loop. If a job fails, the game does not change.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from queue import SimpleQueue
from threading import Event as Flag

from pond_hw.board import Board, Frame, HealthEvent, KeyEvent, SensorEvent, Touch, TurnKeyEvent
from pond_hw.companion.clocks import Clock
from pond_hw.companion.durable_session import DurableSession
from pond_hw.companion.error_barrier import ErrorBarrier
from pond_hw.companion.lamp_display import LampDisplay
from pond_hw.companion.program_players import (
    AdviserAnswer,
    AdviserQuestion,
    ExerciseOpponent,
    PlayerAnswer,
    PlayerQuestion,
    adapt_event,
    find_follow_due,
)
from pond_hw.companion.saved_state import ProgressWriter, SavedState
from pond_hw.engine import MakePlayer, PlayerPair, SeatedPlayers, make_player, seat_linked_players
from pond_hw.engine.hints import Adviser, WorkerAdviser
from pond_hw.journal import WriteProgress
from pond_hw.lights import FRAME_SECONDS, CurrentLimiter
from pond_hw.messages.message import Message
from pond_hw.rules import Side
from pond_hw.session import (
    ChangeAsked,
    FollowGame,
    GameResumed,
    HeldFingers,
    LinkChange,
    LinkView,
    Session,
    SessionEvent,
)
from pond_hw.session import session_events as events

_InboxEvent = SessionEvent | SensorEvent | WriteProgress | PlayerAnswer | AdviserAnswer
"""Events that the queue accepts."""


class Companion:
    """Main loop of a board and its game.

    Args:
        board: board to use. It is opened here and closed by `close`.
        session: initial session.
        clock: real or simulated clock.
        seated: players of light and dark.
        saved: journal and other saved files. The journal is closed by `close`.
        adviser: engine for hints. The default runs in its own process.
        make_opponent: factory of the opponents in exercises. In simulated time, use `make_simulated_player`.
        limiter: limits the current of the lamps. The default assumes a power supply that matches the number of lamps.
        arrived: flag set by `put`. Pass the same flag to several companions to wait for events from any of them.

    Attributes:
        seated: current players of light and dark.
        resuming_players: players to seat if the unfinished game is resumed, or None to keep the current players.
        durable: session and its unwritten steps.
        display: lamp output.
        barrier: error barrier.
        waiting_follow: request to follow a linked game that waits until the last turn has been visible long enough.
        last_touch_at: time in seconds of the last touch at the board.

    Raises:
        BoardFault: if the board can't be opened.
    """

    def __init__(
        self,
        board: Board,
        session: Session,
        clock: Clock,
        seated: SeatedPlayers = SeatedPlayers(),  # noqa: B008 - it is immutable
        *,
        saved: SavedState | None = None,
        adviser: Adviser | None = None,
        make_opponent: MakePlayer = make_player,
        limiter: CurrentLimiter | None = None,
        arrived: Flag | None = None,
    ) -> None:
        saved = saved or SavedState()
        self.board, self.clock = board, clock
        self.seated, self.resuming_players = seated, saved.resuming_players
        self.display = LampDisplay(board.lamps, limiter)
        self.barrier = ErrorBarrier(clock.now, self._report_failure)
        session = session.with_human_sides(seated.human_sides)
        resuming = saved.resuming_players
        if session.resume_prompt and resuming and resuming.linked_game:
            session = replace(session, link=LinkView(resuming.linked_game, resuming.linked_side))
        self.durable = DurableSession(session, saved.journal, clock.now, self._handle_adoption)
        self._player_settings = saved.player_settings
        self._progress_writer = ProgressWriter(saved.progress, session.courses)
        self._player_question = PlayerQuestion(self.put)
        self._adviser_question = AdviserQuestion(adviser or WorkerAdviser(), self.put)
        self._exercise_opponent = ExerciseOpponent(make_opponent)
        self._inbox: SimpleQueue[_InboxEvent] = SimpleQueue()
        self._arrival_flag = arrived or Flag()
        self._fingers = HeldFingers()
        self._sensor_trouble: Message | None = None
        self._next_step = clock.now()
        self.waiting_follow: FollowGame | None = None
        self.last_touch_at = -inf
        self._asked_changes: list[LinkChange] = []
        if saved.journal:
            saved.journal.set_listener(self.put)
            self.session = session.after(events.SavingChanged(saved.journal.trouble, clock.now()))
        board.open(self.put)

    @property
    def session(self) -> Session:
        """Session visible to players and clients, either saved on disk or marked as unsaved."""
        return self.durable.adopted

    @session.setter
    def session(self, session: Session) -> None:
        self.durable.replace_session(session)

    @property
    def frame(self) -> Frame:
        return self.display.frame

    def put(self, inbox_event: _InboxEvent) -> None:
        """Add an event to the queue. Thread-safe."""
        self._inbox.put(inbox_event)
        self._arrival_flag.set()

    def step(self) -> float:
        """Process all queued events, ask players and the adviser for answers, and update the lamps. Never raises.

        Returns:
            Time at which to call `step` again if no event arrives earlier.
        """
        self._arrival_flag.clear()
        self._process_inbox()
        run, now = self.barrier.run_repeated, self.clock.now()
        run(self._end_failure_trouble, now)
        run(self._apply_long_presses, now)
        run(self._apply_clock_tick, now)
        run(self._apply_answer, now)
        run(self._apply_follow, now)
        run(self.durable.check_disk)
        run(self._follow_saved_state, now)
        self._process_inbox()
        run(self._draw_frame, now)
        run(self._show_frame, now)
        self._next_step = now + FRAME_SECONDS
        run(self._schedule_next_step)
        return self._next_step

    def run_until(self, instant: float) -> None:
        """Run the loop until the clock reaches a given time."""
        while True:
            due = self.step()
            if self.clock.now() >= instant:
                return
            self.clock.wait(min(due, instant), self._arrival_flag)

    def seat_players(self, seated: SeatedPlayers, new_game: events.NewGame) -> None:
        """Begin a new game with other players, unless the board has a fault. This leaves a linked game if its link has ended."""
        before = self.durable.latest
        is_linked = before.link and before.link.game and before.link.running
        if before.trouble or is_linked:
            refused = events.RequestRefused(Message("linked.no_other_players"), new_game.instant)
            self._commit(before.after(refused if is_linked else new_game))
            seated.close()
            return
        if before.linked_game:
            before = replace(before, link=None)
        self._commit(before.after(new_game).with_human_sides(seated.human_sides))
        self._change_players(seated)
        self._fingers = self._fingers.after_step(new_game, self.durable.latest)

    def preview_follow(self, follow: FollowGame) -> bool:
        """Return True if the board can follow a linked game now. Raises PondError for an illegal action or a large pond."""
        before = self.durable.latest
        after = before.after(follow)
        if before.resume_prompt and after.linked_game == before.linked_game:
            after.after(follow)
        return after is not before

    def take_asked_changes(self) -> list[LinkChange]:
        """Return the changes that the players here have asked the other home for since the last call."""
        asked, self._asked_changes = self._asked_changes, []
        return asked

    def leave_game(self) -> None:
        """Save the current game before another companion takes over."""
        if self.durable.journal:
            self.durable.journal.leave_current_game(self.durable.latest)

    def close(self) -> None:
        """Stop sensors, lamps and engines, and write unsaved steps to disk."""
        try:
            self.leave_board()
        finally:
            if self.durable.journal:
                self.durable.journal.close()

    def leave_board(self) -> None:
        """Stop sensors, lamps and engines."""
        self._player_question.drop()
        try:
            self.board.close()
        finally:
            self._adviser_question.close()
            self._exercise_opponent.close()
            self.seated.close()

    # Events: compute, write, adopt

    def _process_inbox(self) -> None:
        while not self._inbox.empty():  # only this thread takes events out
            event = self._inbox.get_nowait()
            if not self.barrier.run(self._process_event, event) and isinstance(event, Touch):
                self.barrier.run(self._record_touch, event)
        self.barrier.run_repeated(self._ask_player)
        self.barrier.run_repeated(self._ask_adviser)

    def _process_event(self, event: _InboxEvent) -> None:
        match event:
            case PlayerAnswer():
                self._player_question.store_answer(event, self.session.position)
            case AdviserAnswer(_, advice):
                if self._adviser_question.is_awaited(event):
                    self._apply_event(events.HintFound(advice.action, advice.value, self.clock.now()))
            case WriteProgress():
                self.durable.handle_progress(event)
            case FollowGame():
                self.waiting_follow = event
            case KeyEvent():  # a press takes a turn back, a long press starts another game
                self._fingers, undo = self._fingers.after_key(event)
                if undo:
                    self._apply_event(undo)
            case TurnKeyEvent(side, is_down, at):
                if is_down:
                    self._apply_event(events.EndTurn(at, side))
            case HealthEvent(trouble, at):
                self._sensor_trouble = trouble
                self._report_trouble(at)
            case _:
                if isinstance(event, Touch):
                    self.last_touch_at = event.instant
                self._fingers = self._fingers.before_step(event, self.session)
                self._apply_event(event)
                self._fingers = self._fingers.after_step(event, self.durable.latest)

    def _apply_event(self, event: SessionEvent) -> None:
        self._commit(self.durable.latest.after(adapt_event(event, self.durable.latest, self._acting_players)))

    def _commit(self, session: Session) -> None:
        """Write and adopt a computed session. If it resumes a game, seat the players of that game."""
        before = self.durable.latest
        if session is before:
            return
        is_resumed = GameResumed() in session.game_events
        new_players = self.resuming_players if is_resumed else None
        if new_players:
            session = session.with_human_sides(new_players.human_sides)
        self.durable.commit(session)
        if before.resume_prompt and not (session.resume_prompt or session.exercise):
            self.resuming_players = None
        if is_resumed:
            self._player_settings.restore_unnamed()
        if new_players:
            self._change_players(new_players)

    def _handle_adoption(self, before: Session, session: Session) -> None:
        self.display.invalidate()
        self._player_question.drop_if_outdated(before, session)
        self._asked_changes += [event.change for event in session.game_events if isinstance(event, ChangeAsked)]
        if before.exercise and not session.exercise:
            self._exercise_opponent.close()

    def _record_touch(self, touch: Touch) -> None:
        """Record that a piece was lifted or put down, even though the step for this touch has failed."""
        session = self.durable.latest
        if session.board_state and (touch.cell in session.board_state.occupancy.occupied_cells) != touch.down:
            self._commit(replace(session, board_state=session.board_state.after_touch(*touch), game_events=()))

    def _apply_long_presses(self, now: float) -> None:
        self._fingers, requests = self._fingers.after_clock(self.session, now)
        for request in requests:
            self._apply_event(request)

    def _apply_clock_tick(self, now: float) -> None:
        if now >= self.durable.session_due:
            self._commit(self.durable.latest.after(events.ClockTick(now)))

    def _apply_answer(self, now: float) -> None:
        answer = self._player_question.pending_answer
        if answer and now >= self._answer_due:
            self._commit(self.durable.latest.after(events.TakeAction(answer.action, now)))

    def _apply_follow(self, now: float) -> None:
        """Follow the linked game once that is due. If the board no longer fits, do nothing."""
        follow = self.waiting_follow
        if follow is None or now < self._follow_due:
            return
        before = self.durable.latest
        if not before.resume_prompt or follow.game != before.linked_game:
            self.waiting_follow = None
        session = before.after(follow._replace(instant=now))
        if session.linked_game == before.linked_game:
            self._commit(session)
            return
        far_name, names = session.link and session.link.name, self.seated.names
        light, dark = (names[side] if side is follow.side else far_name for side in Side)
        seated = seat_linked_players(follow.game, follow.side, (light, dark))
        if self.durable.journal:  # the first turns of the game may be written at once
            self.durable.journal.update_facts(**seated.facts)
        self._commit(session.with_human_sides(seated.human_sides))
        self._change_players(seated)

    def _follow_saved_state(self, now: float) -> None:
        remembered = self._player_settings.follow_session(self.durable.latest, self.seated, now)
        for event in (*self._progress_writer.follow_session(self.session, now), *remembered):
            self._apply_event(event)

    # Players and adviser

    @property
    def _acting_players(self) -> PlayerPair:
        """Current players of light and dark. During an exercise, these are the players of the exercise."""
        return self._exercise_opponent.find_players(self.durable.latest.exercise) or self.seated.players

    @property
    def _answer_due(self) -> float:
        """Time at which the player's answer is played. Infinite without an answer, or while a step is unwritten."""
        return inf if self.durable.is_waiting else self._player_question.answer_due(self.session)

    @property
    def _follow_due(self) -> float:
        """Time at which the board follows the linked game. Infinite if there is nothing to follow, or it has to wait."""
        if self.waiting_follow is None or self.durable.is_waiting:
            return inf
        return find_follow_due(self.waiting_follow, self.session)

    def _ask_player(self) -> None:
        self._player_question.ask_if_needed(self.session, self._acting_players)

    def _ask_adviser(self) -> None:
        try:
            self._adviser_question.follow_session(self.durable.latest)
        except Exception:
            self._apply_event(events.RequestRefused(Message("hint.none"), self.clock.now()))
            raise

    def _change_players(self, seated: SeatedPlayers) -> None:
        self._player_question.drop()
        before, self.seated = self.seated, seated
        before.close()
        if self.durable.journal:
            self.durable.journal.update_facts(**seated.facts)

    # Board trouble and internal errors

    def _report_trouble(self, instant: float) -> None:
        self._fingers = HeldFingers()  # releases may be missed during trouble
        trouble = self._sensor_trouble or self.display.trouble or self.barrier.trouble
        self._apply_event(events.TroubleChanged(trouble, instant))

    def _report_failure(self, failure_text: str) -> None:
        self.display.invalidate()
        self.durable.write_remark(failure_text)
        self._report_trouble(self.clock.now())

    def _end_failure_trouble(self, now: float) -> None:
        """Stop signalling an internal error after `FAILURE_SHOWN_SECONDS`."""
        if self.barrier.trouble is None or now < self.barrier.trouble_until:
            return
        trouble, self.barrier.trouble = self.barrier.trouble, None
        self.display.invalidate()
        if not self.durable.latest.trouble:
            return
        try:
            self._report_trouble(now)
        except Exception:
            self.barrier.trouble = trouble  # until the session shows the board's own trouble
            board_trouble = self._sensor_trouble or self.display.trouble
            self._commit(replace(self.durable.latest, trouble=board_trouble, game_events=()))
            self.barrier.trouble = None
            raise

    # Lamps

    def _draw_frame(self, now: float) -> None:
        scene = self.durable.scene
        self.display.draw_if_due(scene._replace(has_trouble=True) if self.barrier.trouble else scene, now)

    def _show_frame(self, now: float) -> None:
        old_trouble = self.display.trouble
        self.display.show_if_due(now)
        if self.display.trouble != old_trouble:
            self._report_trouble(now)

    def _schedule_next_step(self) -> None:
        """Compute the time of the next step.

        Do nothing while a job is pausing, so that the next step follows after one frame.
        """
        if not self.barrier.is_pausing:
            durable = self.durable
            due = min(self._answer_due, self._follow_due, durable.session_due, durable.disk_due, self._fingers.next_due)
            self._next_step = min(self.display.next_due, due)
