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

from pond_hw.board import Board, BoardFault, Felt, Frame, Health, Key, Touch
from pond_hw.engine import NAMELESS, Names, Player, Seats
from pond_hw.engine.adviser import Advice, Adviser, AdvisesBeside
from pond_hw.journal import AGAIN_SECONDS, Journal, Story, Written
from pond_hw.lights import FRAME_SECONDS, Limiter, render
from pond_hw.rules import Action, Cell, Side, legal_actions
from pond_hw.session import (
    Act,
    AgreeDraw,
    AskHint,
    Event,
    Hint,
    Hinted,
    NewGame,
    Redo,
    Refused,
    Resign,
    Saving,
    Scene,
    Session,
    Tick,
    Trouble,
    Undo,
    Wrong,
)

LOG = logging.getLogger("pond")

PACE_SECONDS = 1.8
"""How long another player lets a turn be seen before taking the next."""


HOLD_SECONDS = 2.0
"""How long a finger means something else: on the key, or on a cell when the game is over, another game; on a cell
where it was refused, a hint."""

SLOW_SECONDS = 3.0
"""How long a card may take to write a turn down before the game goes on without it, and everybody is told."""

SLOW = "Not saved yet: the disk does not answer. The game goes on in memory."
"""What they are told."""

REMARK_SECONDS = 10.0
"""From one remark in the journal to the next, at the least."""

FAILURE_SECONDS = 3.0
"""How long the board shows trouble after something has failed in the program."""

FORGET_SECONDS = 3600.0
"""A failure that has not come back for so long counts as a new one."""

FIRST_PAUSE, LONGEST_PAUSE = 0.25, 8.0
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
        self._start = time.monotonic()

    def now(self) -> float:
        """Seconds since this clock was made."""
        return time.monotonic() - self._start

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


class _Answer(NamedTuple):
    """What a player says, to the question that was asked with this number."""

    question: int
    action: Action


class _Advised(NamedTuple):
    """What the adviser says, to the question that was asked with this number."""

    question: int
    advice: Advice


class _Pause(NamedTuple):
    """Something that failed is not tried again before an instant."""

    until: float
    seconds: float


class _Seen(NamedTuple):
    """How often something has failed at the same place, and when last."""

    times: int
    at: float


_Inward = Event | Felt | Written | _Answer | _Advised
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
        resumes: who sits down when the game that is offered is resumed; None: the same.
        frame: what the lamps were last told to show.
        limiter: what the lamps may draw; another one counts from the next frame on.
        frames: how many frames the lamps were told to show, whether they were reached or not.
        failures: how many times something has failed inside the fence.
        failure: the sentence about the last time; "" if there was none.
    """

    def __init__(
        self,
        board: Board,
        session: Session,
        clock: Clock,
        players: tuple[Player | None, Player | None] = (None, None),
        limiter: Limiter | None = None,
        arrived: Flag | None = None,
        journal: Journal | None = None,
        adviser: Adviser | None = None,
        *,
        names: Names = NAMELESS,
        resumes: Seats | None = None,
    ) -> None:
        self.board = board
        self.clock = clock
        self.players, self.names = players, names
        self.resumes = resumes
        self.frame = Frame.dark(board.size, board.lamps.lamps, board.lamps.strip)
        self.limiter = limiter or Limiter.for_lamps(len(self.frame.data) // 3)
        self.frames = 0
        self._inbox: SimpleQueue[_Inward] = SimpleQueue()
        self._journal = journal
        self._ahead = self._session = session.played_by(self.people)
        self._scene, self._due = session.scene, session.due  # of the session, and of what is ahead
        self._waiting: deque[tuple[int, Session, Scene]] = deque()  # what is adopted when so much has been written
        self._handed_in = self._written = 0
        self._waits_since = self._retry_at = 0.0
        self._remarked = -inf
        self._held: dict[Cell | None, float] = {}  # since when fingers are on cells, and (None) on the key
        self._refused: dict[Cell, float] = {}  # since when a finger is, alone, where it was refused
        self._sensors_say: str | None = None  # what is wrong with them
        self._lamps_say: str | None = None
        self._program_says: str | None = None
        self._says_until = 0.0
        self.failures, self.failure = 0, ""
        self._failed: dict[str, _Seen] = {}  # by what was said of it
        self._pauses: dict[str, _Pause] = {}  # by what was to be done
        self._arrived = arrived or Flag()
        self._question = 0  # the number of the last question to a player
        self._asked: Player | None = None  # who was asked it and is still waited for
        self._answer: _Answer | None = None  # the answer, until its time has come
        self._adviser = adviser or AdvisesBeside()
        self._hints = 0  # the number of the last question to the adviser
        self._wondered: Hint | None = None  # what is thought about, until the answer has come
        self._next_frame = self._next_step = clock.now()
        if journal:
            journal.listen(self.put)
            self.session = self._ahead.after(Saving(journal.trouble, clock.now()))
        board.open(self.put)

    @property
    def session(self) -> Session:
        """The conversation as it stands: all of it is on the card, or it says itself that it is not."""
        return self._session

    @session.setter
    def session(self, session: Session) -> None:
        """Go on with another one, as the same game."""
        self._waiting.clear()
        self._ahead, self._due = session, session.due
        self._adopt(session, session.scene)

    def put(self, event: _Inward) -> None:
        """Hand in what happened: from any thread, at any time."""
        self._inbox.put(event)
        self._arrived.set()

    def step(self) -> float:
        """Take in all that has arrived, ask whom to ask, show what there is to see.

        Nothing that goes wrong in it comes out of it: see `guard`.

        Returns:
            The instant at which there will be something to do again, if nothing arrives before.
        """
        self._arrived.clear()
        before = self.session
        self._take_in()
        self._try(self._ask)
        self._try(self._ask_adviser)
        now = self.clock.now()
        self._try(self._recover, now)
        self._try(self._take_holds, now)
        self._try(self._take_time, now)
        self._try(self._take_answer, now)
        self._try(self._look_after_journal, now)
        self._take_in()
        self._try(self._ask)
        self._try(self._ask_adviser)
        if self.session is not before or now >= self._next_frame:
            self._next_frame = now + FRAME_SECONDS
            self._try(self._draw, now)
            self._try(self._show, now)
        self._next_step = self._next_frame
        self._try(self._look_ahead)
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
            self._fail(error)
            return False
        return True

    def _try(self, job: Callable[..., object], *arguments: object) -> None:
        """Do something that is done again and again; if it fails, not again before a pause."""
        name, now = job.__name__, self.clock.now()
        pause = self._pauses.get(name)
        if pause and now < pause.until:
            return
        if self.guard(job, *arguments):
            self._pauses.pop(name, None)
        else:
            seconds = min(2 * pause.seconds, LONGEST_PAUSE) if pause else FIRST_PAUSE
            self._pauses[name] = _Pause(now + seconds, seconds)

    def _fail(self, error: Exception) -> None:
        """Keep in mind that something has failed, and tell it, unless it was told just now."""
        now, self.failure = self.clock.now(), failed(error)
        seen = self._failed.get(self.failure)
        times = seen.times + 1 if seen and now < seen.at + FORGET_SECONDS else 1
        self._failed[self.failure] = _Seen(times, now)
        self.failures += 1
        if times & (times - 1):
            return
        told = f"{self.failure} It has happened {times} times." if times > 1 else self.failure
        LOG.error("%s", told, exc_info=error)
        self._program_says, self._says_until = f"{self.failure} The game waits a moment.", now + FAILURE_SECONDS
        try:
            self._remark(told)
            self._tell_trouble(now)
        except Exception:
            LOG.exception("The board could not be told of it; light alone tells it.")

    def _recover(self, now: float) -> None:
        """The moment is over in which the board showed that something had failed."""
        if self._program_says is None or now < self._says_until:
            return
        said, self._program_says = self._program_says, None
        if not self._ahead.trouble:
            return
        try:
            self._tell_trouble(now)
        except Exception:
            self._program_says = said  # until this can be done
            self._go_on(replace(self._ahead, trouble=self._sensors_say or self._lamps_say))
            self._program_says = None
            raise

    def run_until(self, instant: float) -> None:
        """Keep everything going until that instant on the clock."""
        while True:
            due = self.step()
            if self.clock.now() >= instant:
                return
            self.clock.wait(min(due, instant), self._arrived)

    def part(self) -> None:
        """Leave the game for one at another table; it is kept."""
        if self._journal:
            self._journal.part(self._ahead)

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
        self._wondered = None
        try:
            self.board.close()
        finally:
            self._adviser.close()
            for player in self.players:
                if player:
                    player.close()

    @property
    def people(self) -> tuple[Side, ...]:
        """The sides that people play."""
        return tuple(side for side in Side if self.players[side] is None)

    def _take_in(self) -> None:
        """All that has arrived."""
        while (event := self._next_event()) is not None:
            if not self.guard(self._take_one, event) and isinstance(event, Touch):
                self.guard(self._feel, event)

    def _take_one(self, event: _Inward) -> None:
        match event:
            case _Answer():
                if event.question == self._question and self._asked:
                    self._hear_player(event)
            case _Advised(question, advice):
                if question == self._hints and self._wondered is not None:
                    self._take(Hinted(advice.action, advice.worth, self.clock.now()))
            case Written():
                self._hear(event)
            case Key():
                self._key(event)
            case Health(trouble, at):
                self._sensors_say = trouble
                self._tell_trouble(at)
            case _:
                self._watch_finger(event)
                self._take(event)
                self._watch_refused(event)

    def _feel(self, touch: Touch) -> None:
        """A piece stands where it stands, whatever has become of the step that should have read it."""
        ahead = self._ahead
        if ahead.wood and (touch.cell in ahead.wood.felt) != touch.down:
            self._go_on(replace(ahead, wood=ahead.wood.touched(*touch)))

    def _hear_player(self, answer: _Answer) -> None:
        """Keep a player's answer until its time has come."""
        legal = legal_actions(self.session.position)
        self._answer = answer
        if answer.action not in legal:
            self._answer = answer._replace(action=legal[0])  # the game goes on
            raise ValueError(f"{self._asked.name if self._asked else 'A player'} answered {answer.action}")

    def _next_event(self) -> _Inward | None:
        try:
            return self._inbox.get_nowait()
        except Empty:
            return None

    def _look_ahead(self) -> None:
        """When there will be something to do again; not at once, if something has failed just now."""
        holds = [since + HOLD_SECONDS for since in (*self._held.values(), *self._refused.values())]
        slow = [self._waits_since + SLOW_SECONDS] if self._waiting else []
        due = min([self._next_frame, self._answer_time, self._due, *holds, *slow])
        self._next_step = self._next_frame if self._pauses else due

    def _take_time(self, now: float) -> None:
        if now >= self._due:
            self._go_on(self._ahead.after(Tick(now)))

    def _take_answer(self, now: float) -> None:
        if self._answer and now >= self._answer_time:
            self._go_on(self._ahead.after(Act(self._answer.action, now)))

    @property
    def _answer_time(self) -> float:
        """When the answer that has come is adopted: never as long as there is none, or the board has another matter."""
        if not self._answer or self._waiting or self.session.trouble or self.session.undecided:
            return inf
        return self.session.since + PACE_SECONDS if self.session.turns else 0.0

    def _go_on(self, session: Session) -> None:
        """What was computed is written down; when that is done it is adopted. What cannot be shown is neither."""
        before = self._ahead
        if session is before:
            return
        seats = self._resuming(before, session)
        if seats:
            session = session.played_by(tuple(side for side in Side if seats.players[side] is None))
        scene, due = session.scene, session.due
        ticket = self._journal.note(before, session) if self._journal else None
        self._ahead, self._due = session, due
        if ticket is not None:
            if not self._waiting:
                self._waits_since = self.clock.now()
            self._handed_in = ticket
        if self._session.unsaved:
            self._written = self._handed_in  # which everybody has been told
        self._waiting.append((self._handed_in, session, scene))
        self._adopt_what_is_written()
        if before.offer and not session.offer:
            self.resumes = None
        if session.trouble and session.trouble != before.trouble:
            self._remark(session.trouble)
        if seats:
            self._sit_down(seats)

    def _resuming(self, before: Session, after: Session) -> Seats | None:
        """Who sits down because the game that was left goes on; None if they are not known, or it does not."""
        if before.offer and not after.offer and Story.of(before) == Story.of(after):
            return self.resumes
        return None

    def _sit_down(self, seats: Seats) -> None:
        """Others play from now on."""
        self._forget_question()
        left, (self.players, self.names) = self.players, seats
        for player in left:
            if player:
                player.close()
        if self._journal:
            light, dark = (each.name if each else name for each, name in zip(*seats, strict=True))
            self._journal.about(light=light, dark=dark)

    def _hear(self, written: Written) -> None:
        """The journal has dealt with more of what it was handed."""
        self._written = max(self._written, written.ticket)
        was = self._ahead.unsaved
        try:
            if written.trouble or written.ticket >= self._handed_in:
                self._go_on(self._ahead.after(Saving(written.trouble, self.clock.now())))
        finally:
            self._adopt_what_is_written()
        if was and not self._ahead.unsaved:
            self._remark(f"{was} It is saved again.")

    def _remark(self, sentence: str) -> None:
        """Have a sentence kept beside the game; not too many of them, for a contact that comes and goes."""
        now = self.clock.now()
        if self._journal and now >= self._remarked + REMARK_SECONDS:
            self._remarked = now
            self._journal.remark(sentence)

    def _adopt_what_is_written(self) -> None:
        while self._waiting and self._waiting[0][0] <= self._written:
            self._adopt(*self._waiting.popleft()[1:])

    def _look_after_journal(self, now: float) -> None:
        """A card that does not answer stops no game; one that said no is asked again."""
        if self._journal is None:
            return
        if self._waiting and now >= self._waits_since + SLOW_SECONDS:
            self._written = self._handed_in
            try:
                self._go_on(self._ahead.after(Saving(SLOW, now)))
            finally:
                self._adopt_what_is_written()
        if self.session.unsaved and now >= self._retry_at:
            self._retry_at = now + AGAIN_SECONDS
            self._journal.retry()

    def _adopt(self, session: Session, scene: Scene) -> None:
        old, self._session, self._scene = self._session, session, scene
        if session.turns is not old.turns or session.pond != old.pond or session.ended != old.ended:
            self._forget_question()

    def _take(self, event: Event) -> None:
        self._go_on(self._ahead.after(self._at_this_table(event)))

    def _key(self, key: Key) -> None:
        """The key beside the cells: pressed, it takes a turn back; held, it begins another game."""
        if key.down:
            self._held[None] = key.at
        elif self._held.pop(None, None) is not None:
            self._take(Undo(key.at))

    def _watch_finger(self, event: Event) -> None:
        """Remember the fingers that come down when the game is over; they may be going to stay."""
        if isinstance(event, Touch) and not self.board.sensors.pieces:
            if not event.down:
                self._held.pop(event.cell, None)
            elif self.session.outcome:
                self._held[event.cell] = event.at

    def _watch_refused(self, event: Event) -> None:
        """Remember the finger that has just been refused: if it stays, somebody does not know what to do."""
        if isinstance(event, Touch) and not event.down:
            self._refused.pop(event.cell, None)
            return
        self._refused.clear()
        ahead = self._ahead
        if self.board.sensors.pieces or ahead.trouble or ahead.phase not in ("act", "in_hand"):
            return
        if isinstance(event, Touch) and ahead.wrong == Wrong(event.cell, event.at):
            self._refused[event.cell] = event.at

    def _take_holds(self, now: float) -> None:
        if not self.session.outcome:
            self._held = {place: since for place, since in self._held.items() if place is None}
        if any(now >= since + HOLD_SECONDS for since in self._held.values()):
            self._held.clear()
            self._take(NewGame(self.session.pond, now))
        if any(now >= since + HOLD_SECONDS for since in self._refused.values()):
            self._refused.clear()
            self._take(AskHint(now))

    def _tell_trouble(self, at: float) -> None:
        self._held.clear()  # nobody knows who lets go meanwhile
        self._refused.clear()
        self._take(Trouble(self._sensors_say or self._lamps_say or self._program_says, at))

    def _draw(self, now: float) -> None:
        scene = self._scene._replace(trouble=True) if self._program_says else self._scene
        picture = render(scene, now, self.frame.lamps, self.frame.strip)
        self.frame = self.limiter.limit(picture, self.frame)

    def _show(self, now: float) -> None:
        self.frames += 1
        said = self._lamps_say
        try:
            self.board.lamps.show(self.frame)
            self._lamps_say = None
        except BoardFault as fault:
            self._lamps_say = str(fault)
        if self._lamps_say != said:
            self._tell_trouble(now)

    def _ask(self) -> None:
        """If it is a player's turn and nobody has been asked yet, ask."""
        if self._asked or self.session.outcome:
            return
        player = self.players[self.session.position.to_move]
        if player is None:
            return
        game = self.session.record
        self._question += 1
        self._asked = player
        number = self._question
        try:
            player.think(game, lambda action: self.put(_Answer(number, action)))
        except Exception:
            self.put(_Answer(number, legal_actions(game.position)[0]))  # the game goes on
            raise

    def _forget_question(self) -> None:
        asked, self._asked, self._answer = self._asked, None, None
        if asked:
            asked.stop()

    def _ask_adviser(self) -> None:
        """If a hint is waited for and the adviser has not been asked yet, ask; if none is any more, say so."""
        hint = self._ahead.hint
        wanted = hint if hint and hint.action is None else None
        if wanted is self._wondered:
            return
        if self._wondered is not None:
            self._adviser.stop()
        self._wondered = wanted
        if wanted is not None:
            self._hints += 1
            number = self._hints
            try:
                self._adviser.think(self._ahead.record, lambda advice: self.put(_Advised(number, advice)))
            except Exception:
                self._take(Refused("No hint could be found this time.", self.clock.now()))
                raise

    def _at_this_table(self, event: Event) -> Event:
        """What an event means when some of those at the table are not people."""
        session, people = self._ahead, self.people
        if len(people) == 2:
            return event
        to_move = session.position.to_move
        waited_for = None if session.outcome or session.offer else self.players[to_move]
        match event:
            case Touch() if session.wood:
                return event  # what is felt is felt; the session knows who acts by hand
            case Touch(cell, True, at) if waited_for:
                return Refused(f"It is {to_move}'s turn: {waited_for.name} is about to act.", at, cell)
            case Act(action, at) if waited_for:
                return Refused(f"It is {to_move}'s turn: {waited_for.name} is about to act.", at, action.target)
            case AskHint(at) if waited_for:
                return Refused(f"It is {to_move}'s turn: {waited_for.name} is about to act. Ask when it is yours.", at)
            case Undo(at, turns) if people and not session.ended:
                return Undo(at, _turns_to(people, turns, to_move, len(session.turns)))
            case Redo(at, turns) if people:
                return Redo(at, _turns_to(people, turns, to_move, len(session.undone)))
            case Resign(at, None) if len(people) == 1:
                return Resign(at, people[0])
            case AgreeDraw(at) if session.occurrences < 3:
                others = [player.name for player in self.players if player]
                agree = f"{others[0]} agrees" if len(others) == 1 else f"{' and '.join(others)} agree"
                return Refused(f"No draw: {agree} to one when a position has come up three times.", at)
        return event


def _turns_to(people: tuple[Side, ...], turns: int, to_move: Side, most: int) -> int:
    """How many turns to go back (or forth), at least `turns`, so that a person is to move."""
    while turns < most and Side((to_move + turns) % 2) not in people:
        turns += 1
    return turns


def failed(error: Exception) -> str:
    """A sentence that says what has failed and where: `... (KeyError in session/occupancy_messages.py, line 148).`."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if _HERE in Path(frame.filename).parents] or frames
    where = ours[-1]
    path = Path(where.filename)
    name = path.relative_to(_HERE).as_posix() if _HERE in path.parents else path.name
    return f"Something went wrong inside Pond ({type(error).__name__} in {name}, line {where.lineno})."


_HERE = Path(__file__).parent.parent
