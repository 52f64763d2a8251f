"""A single game of quick people and its figures; see `quick_people`."""

from math import inf

from pond_hw.rules import DARK, LIGHT, find_outcome
from pond_hw.simulator.sensor_faults import CROSS_TALK, DRIFT
from tests.campaign.game import MAX_TURNS, CampaignGame
from tests.campaign.oracle import Band
from tests.campaign.quick_people import NOT_DETECTED_AFTER, QuickPerson
from tests.campaign.world import make_rng

BANDS = {"below 1 s": 1.0, "1 to 2 s": 2.0, "2 to 4 s": 4.0, "above 4 s": inf}
"""Upper limit of the mean pace in each band, in seconds."""

REFUSED_AFTER = 0.6
"""Seconds after a press within which its turn must count."""

BUSY_AFTER = 0.6
"""Seconds after a movement during which the board may still be busy with it."""

FINAL_GRACE_SECONDS = 1.5
"""Seconds after the last piece that do not count as waiting time."""


class Play:
    """Shared state and figures of a game between quick people.

    Attributes:
        landed_at: Past or planned time when the last piece landed or will land; None if unknown.
        pressed_at: Past or planned time of the last key press if hands overlap.
        sliding: Cells along which a piece is being slid.
        stopped: Person who has stopped the game, if any.
        busy_until: Past or planned end of hand movements, by cell.
        due: Scheduled removals by cell: (person, time, number of actions that must be intended by then).
        just_scored: Cells of the pieces that scored in the last turn.
        wrong_since: Time since which the board has been wrong.
    """

    def __init__(self, world, oracle, most):
        self.world, self.oracle, self.most = world, oracle, most
        self.people = ()
        self.band = Band(games=1)
        self.landed_at = 1.0
        self.pressed_at = 0.0
        self.sliding = ()
        self.stopped = None
        self.busy_until, self.due = {}, {}
        self.just_scored = frozenset()
        self.wrong_since = 0.0
        self.ended = False
        self._given_up = False
        self._waits, self._waited_from, self._counted_at = 0, None, 0.0
        self._reason = ""

    @property
    def is_over(self):
        """True if the people have taken their last action."""
        given_up = self._given_up or self.oracle.figures.intended >= self.most
        return given_up or bool(find_outcome(self.oracle.intended_position))

    def give_up(self):
        """End the game because only masked cells are left."""
        self._given_up = True

    # Board

    def watch(self, before, after):
        """Handle a change of the session."""
        oracle, turns = self.oracle, len(self.oracle.truth)
        oracle.watch(before, after)
        if len(oracle.truth) != turns:
            self._counted_at = self.world.t
            if not oracle.pending and self.stopped:
                self.stopped.nudge()
        if before.messages != after.messages or before.game_phase != after.game_phase:
            reason = self.find_complaint()
            if reason != self._reason:
                self._reason, self.wrong_since = reason, self.world.t
                self.band.mismatches += reason == "mismatch"

    def wrong(self):
        """Return a short reason to stop, or an empty text if the board is right or only busy."""
        if self.world.keys:
            first = next((each for each in self.oracle.pending if each.pressed_at < self.world.t - REFUSED_AFTER), None)
            return (self.find_complaint() or "press refused") if first else ""
        if reason := self.find_complaint():
            return reason
        oldest = self.oracle.pending[0].landed_at if self.oracle.pending else inf
        return "not detected" if self.world.t > oldest + NOT_DETECTED_AFTER and not self.world.facts["about"] else ""

    def find_complaint(self):
        """Return what is wrong with the board's report, or an empty text."""
        phase, about = self.world.phase, self.world.facts["about"]
        if about:
            return "" if self.is_intended(about) and not about.get("nod") else "something else announced"
        return {"differs": "mismatch", "menu": "menu"}.get(phase, "")

    def is_intended(self, about):
        """Return True if this announces pending actions or an intended undo."""
        oracle = self.oracle
        if "actions" in about:
            actions = about["actions"]
            first_tries = oracle.pending[0].first_tries if oracle.pending else ()
            done = [str(each.action) for each in oracle.pending[: len(actions)]]
            return actions == done or actions in [[str(first.action)] for first in first_tries]
        return about.get("back") == (oracle.going_back or int(oracle.provisional))

    def is_busy(self, reason):
        """Return True if the board differs only where hands are or have just been."""
        facts, now = self.world.facts, self.world.t
        differing = {*facts["missing"], *facts["extra"], *facts["strangers"]}
        hands = {
            cell for cell in differing if cell in self.world.busy or self.busy_until.get(cell, -inf) > now - BUSY_AFTER
        }
        intended = {cell for each in self.oracle.pending for cell in each.action}
        return reason == "mismatch" and bool(hands) and differing <= hands | intended

    # People

    def moved(self, moves, until):
        """Record a movement of pieces, given as tuples of piece, way and target."""
        places = {token: cell for cell, token in self.world.table.standing_pieces.items()}
        for token, _, cell in moves:
            for each in (places.get(token), cell):
                if each:
                    self.busy_until[each] = until

    def gap(self, seconds):
        """Record the seconds between two landings."""
        self.band.gaps += 1
        self.band.seconds += seconds

    def stop(self, person, reason):
        """Stop the game. If a reason is given, the board caused the stop."""
        self.stopped = person
        if reason:
            self._waited_from = self.world.t
            if self.oracle.pending:
                self.oracle.pending[0].asked = self.oracle.pending[0].asked or reason
            else:
                self.oracle.figures.asked += 1
                self.oracle.figures.count(f"asked about nothing: {reason}")

    def go_on(self):
        """Let both people continue playing."""
        self._end_wait(self.world.t)
        self.stopped = None
        self.landed_at = self.world.t
        for person in self.people:
            person.planned = None
            person.nudge()

    def start_final_wait(self):
        """Start the waiting time after the last piece."""
        self._waited_from = self.landed_at + FINAL_GRACE_SECONDS

    def end_final_wait(self):
        """End the waiting time, because every action counts."""
        self._end_wait(self._counted_at)

    def _end_wait(self, at):
        if self._waited_from is not None and at > self._waited_from:
            self.band.waited += at - self._waited_from
            self._waits += 1
        self._waited_from = None

    def figures(self):
        """Return the figures at the end."""
        figures, band = self.oracle.figures, self.band
        band.intended, band.wrong = figures.intended, figures.wrong
        band.unintended_undos, band.asked = figures.unintended_undos, figures.asked
        band.agreed = figures.agreed
        band.without_wait, band.one_wait = int(self._waits == 0), int(self._waits <= 1)
        pace = sum(person.pace for person in self.people) / len(self.people)
        return {next(name for name, most in BANDS.items() if pace < most): band}


class QuickGame(CampaignGame):
    """Game of two quick people.

    Args:
        tempo: Fastest and slowest pace of a person, in seconds.
        mistakes: True if accidents happen.
        options: See `CampaignGame`.
    """

    def __init__(self, seed, number, faults=(), *, tempo, mistakes=False, most=MAX_TURNS, **options):
        self.tempo, self.mistakes = tempo, mistakes or bool(faults)
        self.careless = not {DRIFT, CROSS_TALK} & {*faults}
        super().__init__(seed, number, faults, most=most, **options)
        for person in self.people:
            person.later = self.later
        self.world.log("", ", ".join(f"{person.name}: {person.pace:.2f} s" for person in self.people))

    def _make_people(self, seed, number, *, faces):
        world, oracle = self.world, self.oracle
        table = self.table = Play(world, oracle, self.most)
        world.watch = table.watch
        table.people = [
            QuickPerson(
                side,
                world,
                oracle,
                make_rng(seed, number, side),
                table,
                self.tempo,
                faces=faces,
                mistakes=self.mistakes,
                careless=self.careless,
            )
            for side in (LIGHT, DARK)
        ]
        return table.people

    def play(self):
        figures = super().play()
        figures.bands = self.table.figures()
        return figures

    def _play_turns(self):
        yield 1.0, False
        world = self.world
        for person in self.people:
            person.task = world.begin(person.agent(), person.random)
            world.begin(person.watch_board(), person.random)
        while not all(person.task.done for person in self.people):
            yield world.t + 0.5, False
        finish = self.people[0]
        finish.task = world.begin(finish.finish(), finish.random)
        while not finish.task.done:
            yield world.t + 0.5, False
        self.table.ended = True
        yield from self._end()
