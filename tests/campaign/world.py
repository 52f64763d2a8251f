"""A table with its session, where several people act at once in simulated time."""

from collections.abc import Generator
from math import inf
from random import Random
from threading import Event as Flag

from pond_hw.companion import Companion
from pond_hw.server.protocol import occupancy_to_json
from pond_hw.session import ChangeSetting, ClockTick, Session
from pond_hw.session.game import session_events
from pond_hw.session.game.settings import SETTINGS
from pond_hw.simulator.board_with_pieces import PieceOptions, TableClock
from pond_hw.simulator.sensor_faults import CROSS_TALK
from tests.messages.says import text
from tests.simulator.hands import HandTable

REACTION_SECONDS = (0.4, 2.0)
"""Range of times until a person reacts to the board, in seconds."""

Waiting = Generator[tuple[float, bool], None, None]
"""Activity of a person. It yields the time until which it waits, and True if the board may wake it earlier."""


class Stuck(Exception):
    """Lasting disagreement between the board and the people."""


def piece_options(*, turned, colours=False):
    """Return options for pieces and sensors; older revisions have `plain` instead of `turned`."""
    kind = {"turned": turned} if "turned" in PieceOptions._fields else {"plain": not turned}
    return PieceOptions(colours=colours, **kind)


def start_session(pond, options, *, keys):
    """Start a game with pieces on an empty board."""
    session = Session.start_game(pond, board_state=options.initial_board_state())
    return session.after(ChangeSetting(SETTINGS["turn_key"], None, True, 0.0)) if keys else session


def end_turn(instant, side):
    """Return the event of a turn key; revisions before issue 47 have none."""
    return session_events.EndTurn(instant, side)


def has_turn_keys():
    """Return True if the code under test knows turn keys."""
    return "turn_key" in SETTINGS and hasattr(session_events, "EndTurn")


class Task:
    """Activity of one person."""

    def __init__(self, doing, wake, random):
        self.doing, self.wake, self.random = doing, wake, random
        self.alert = False
        self.done = False


class World:
    """Everything at one table.

    Args:
        pond: Variant.
        faults: Faults of the sensors.
        seed: Seed of the sensors.
        colours: True if the sensors know owners.
        faces: True if the pieces have faces.
        keys: True if a turn counts only after its turn key is pressed.
        through_companion: True to use the real loop with lamps. Otherwise only the session is used, which is faster.
        watch: Function called with the session before and after each change.
        log_lines: List for the log, or None.

    Attributes:
        t: Current time, in seconds.
    """

    def __init__(self, pond, faults, seed, *, colours, faces, keys, through_companion, watch, log_lines):
        self.t = 0.0
        self.log_lines = log_lines
        self.keys = keys
        self.watch = watch
        self.tasks = []
        self.inbox = []
        self.busy = {}  # names of people by the cell whose piece they hold while tidying up
        self.fumbling = 0  # number of people making a mistake; the others wait for them
        self.keen = {
            fault.cell for fault in faults if fault.kind == CROSS_TALK
        }  # sensors that detect pieces on neighbouring cells
        self.broken = {fault.cell for fault in faults if fault.cell}  # sensors with a fault of their own
        self.named = set()  # sensors that the board has reported as bad
        self.unmoved = set()  # cells with a stuck sensor, which does not notice when its piece leaves
        self.masked = set()  # sensors masked at a screen
        self.mistaken = False  # True if the side to move has made a mistake and not fixed it yet
        self.changed_at = {}  # time of the last change of each sensor
        self.moved_at = 0.0  # time of the last hand movement
        self._facts = (None, None)
        session = start_session(pond, piece_options(turned=faces), keys=keys)
        self.companion = None
        if through_companion:
            self.clock, self.arrived = TableClock(), Flag()
            self.table = HandTable(pond.size, 4, self.clock.now, colours=colours, faults=faults, seed=seed)
            self.clock.table = self.table
            self.companion = Companion(self.table.to_board(), session, self.clock, arrived=self.arrived)
            self.session = self.companion.session
        else:
            self.table = HandTable(pond.size, 1, lambda: self.t, colours=colours, faults=faults, seed=seed)
            self.session = session
            self.table.open(self.inbox.append)

    def log(self, who, what):
        """Add a line to the log."""
        if self.log_lines is not None:
            self.log_lines.append(f"{self.t:9.2f}  {who:7} {what}")

    @property
    def facts(self):
        """Facts about the board state, as in the protocol."""
        if self._facts[0] is not self.session:
            self._facts = (self.session, occupancy_to_json(self.session.view.occupancy))
        return self._facts[1]

    @property
    def phase(self):
        return self.session.game_phase

    def send_event(self, event):
        """Send an event from a screen or a phone."""
        if self.companion:
            self.companion.put(event)
            self.companion.step()
            self._changed(self.companion.session)
        else:
            self._changed(self.session.after(event))

    def press(self, side):
        self.log("", f"    the key of {side} is pressed")
        self.send_event(end_turn(self.t, side))

    def begin(self, doing, random):
        """Start an activity now."""
        task = Task(doing, self.t, random)
        self.tasks.append(task)
        return task

    def run(self, main):
        """Run until the main task is done. This ends all other tasks."""
        while not main.done:
            task = min(self.tasks, key=lambda each: each.wake)
            if task.wake > self.t:
                self._advance(task.wake)
                continue
            try:
                task.wake, task.alert = next(task.doing)
            except StopIteration:
                task.done = True
                self.tasks.remove(task)

    def _advance(self, until):
        """Advance to a time, or to the first change of the session if that is earlier."""
        if self.companion:
            before, steps = self.companion.session, 0
            while self.t < until and self.companion.session is before:
                due = self.companion.step()
                if self.companion.session is not before:
                    break
                steps = steps + 1 if due <= self.t else 0
                if steps > 50:
                    raise Stuck(f"The loop wants to go on at {due:g} again and again.")
                self.clock.wait(min(due, until), self.arrived)
                self.t = self.clock.now()
            self._changed(self.companion.session)
            return
        due = self.session.next_due
        self.t = self.table.run_until(min(until, max(due, self.t)))
        if not self.inbox and due > self.t:
            return
        session = self.session
        for event in self.inbox:
            self.changed_at[event.cell] = self.t
            session = session.after(event)
            self._changed(session)
        self.inbox.clear()
        for _ in range(50):
            if session.next_due > self.t:
                break
            session = session.after(ClockTick(self.t))
            self._changed(session)
        else:
            raise Stuck(f"A tick is due at {session.next_due:g} again and again.")

    def _changed(self, session):
        before, self.session = self.session, session
        if session is before:
            return
        if self.log_lines is not None:
            self._log_changes(before, session)
        self.watch(before, session)
        if self.broken:
            self.named |= session.view.occupancy.masked_cells - self.masked
        needs_attention = self.keys or session.game_phase in ("differs", "menu") or self.facts["about"]
        if session.messages != before.messages and needs_attention:
            for task in self.tasks:
                if task.alert and task.wake < inf:
                    task.wake = min(task.wake, self.t + task.random.uniform(*REACTION_SECONDS))

    def _log_changes(self, before, session):
        was, now = (occupancy_to_json(each.view.occupancy)["felt"] for each in (before, session))
        for cell in sorted({*was} ^ {*now}):
            self.log("", f"    detected: {'a piece on' if cell in now else 'nothing on'} {cell}")
        if session.messages != before.messages:
            self.log("", f"    board, {session.game_phase}: {text(*session.messages)}")


def make_rng(*what):
    """Return a random number generator seeded with these values, which gives the same numbers in every process."""
    return Random(" ".join(map(str, what)))
