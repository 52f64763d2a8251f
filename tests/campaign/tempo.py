"""One game at the pace of a real table, and what is counted there: see `quick_people` for the people."""

from math import inf

from pond_hw.rules import DARK, LIGHT, find_outcome
from pond_hw.simulator.sensor_faults import CROSS_TALK, DRIFT
from tests.campaign.game import MOST_TURNS, CampaignGame
from tests.campaign.oracle import Band
from tests.campaign.quick_people import NOT_FELT, QuickPerson
from tests.campaign.world import random_of

BANDS = {"below 1 s": 1.0, "1 to 2 s": 2.0, "2 to 4 s": 4.0, "above 4 s": inf}
"""Up to which mean pace of the two people a game belongs to which band."""

REFUSED = 0.6
"""Seconds after a press until which its turn has to count."""

FELT_AFTER = 0.6
"""Seconds after a hand has been somewhere within which the board may still be busy with it."""

LOOK_AT_THE_END = 1.5
"""So many seconds after the last piece the board may take; what is longer is waiting."""


class Play:
    """What both people see and know of the game that goes on between them, and what of it is counted.

    Attributes:
        landed_at: when the last piece was put down, or will be; None while nobody knows.
        pressed_at: when the last turn key was pressed, or will be, where hands overlap.
        sliding: the cells along which it is slid.
        stopped: who has stopped playing because of the board, or to do something in peace; None while all play.
        busy_until: for each cell until when a hand was there, or will be.
        due: for each cell from which a scored piece is to be taken: (who, instant, how many actions are meant by then).
        just_scored: the cells from which pieces scored in the last turn.
        wrong_since: since when the board says what it should not.
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
        """Whether nobody acts any more."""
        given_up = self._given_up or self.oracle.figures.meant >= self.most
        return given_up or bool(find_outcome(self.oracle.position_meant))

    def give_up(self):
        """Only a cell is left that nobody trusts."""
        self._given_up = True

    # What the board says.

    def watch(self, before, after):
        """The session has changed."""
        oracle, turns = self.oracle, len(self.oracle.truth)
        oracle.watch(before, after)
        if len(oracle.truth) != turns:
            self._counted_at = self.world.t
            if not oracle.pending and self.stopped:
                self.stopped.nudge()
        if before.messages != after.messages or before.game_phase != after.game_phase:
            reason = self.what_is_wrong()
            if reason != self._reason:
                self._reason, self.wrong_since = reason, self.world.t
                self.band.mismatches += reason == "mismatch"

    def wrong(self):
        """Why one may have to stop: a few words; none if the board says what was meant, or is merely busy."""
        if self.world.keys:
            first = next((each for each in self.oracle.pending if each.pressed_at < self.world.t - REFUSED), None)
            return (self.what_is_wrong() or "press refused") if first else ""
        if reason := self.what_is_wrong():
            return reason
        oldest = self.oracle.pending[0].landed_at if self.oracle.pending else inf
        return "not detected" if self.world.t > oldest + NOT_FELT and not self.world.facts["about"] else ""

    def what_is_wrong(self):
        """What the board says that nobody meant; none if it says nothing of the kind."""
        phase, about = self.world.phase, self.world.facts["about"]
        if about:
            return "" if self.is_meant(about) and not about.get("nod") else "something else announced"
        return {"differs": "mismatch", "menu": "menu"}.get(phase, "")

    def is_meant(self, about):
        """Whether this is what was done: actions that have not counted yet, or a turn that is taken back."""
        oracle = self.oracle
        if "actions" in about:
            actions = about["actions"]
            firsts = oracle.pending[0].firsts if oracle.pending else ()
            done = [str(each.action) for each in oracle.pending[: len(actions)]]
            return actions == done or actions in [[str(first.action)] for first in firsts]
        return about.get("back") == (oracle.going_back or int(oracle.provisional))

    def is_busy(self, reason):
        """Whether the board differs only where hands are, or have just been, and where it has to wait for that."""
        facts, now = self.world.facts, self.world.t
        differing = {*facts["missing"], *facts["extra"], *facts["strangers"]}
        hands = {
            cell for cell in differing if cell in self.world.busy or self.busy_until.get(cell, -inf) > now - FELT_AFTER
        }
        meant = {cell for each in self.oracle.pending for cell in each.action}
        return reason == "mismatch" and bool(hands) and differing <= hands | meant

    # What people do.

    def moved(self, moves, until):
        """A hand has begun to move pieces: (which, how, to which cell)."""
        places = {token: cell for cell, token in self.world.table.standing_pieces.items()}
        for token, _, cell in moves:
            for each in (places.get(token), cell):
                if each:
                    self.busy_until[each] = until

    def gap(self, seconds):
        """So long after a piece the next one is put down."""
        self.band.gaps += 1
        self.band.seconds += seconds

    def stop(self, person, reason):
        """Both stop playing; with a reason it is because of the board."""
        self.stopped = person
        if reason:
            self._waited_from = self.world.t
            if self.oracle.pending:
                self.oracle.pending[0].asked = self.oracle.pending[0].asked or reason
            else:
                self.oracle.figures.asked += 1
                self.oracle.figures.count(f"asked about nothing: {reason}")

    def go_on(self):
        """Both play on."""
        self._wait_ends(self.world.t)
        self.stopped = None
        self.landed_at = self.world.t
        for person in self.people:
            person.planned = None
            person.nudge()

    def wait_at_the_end(self):
        """From when on one waits after the last piece."""
        self._waited_from = self.landed_at + LOOK_AT_THE_END

    def waited_at_the_end(self):
        """All has counted by itself."""
        self._wait_ends(self._counted_at)

    def _wait_ends(self, at):
        if self._waited_from is not None and at > self._waited_from:
            self.band.waited += at - self._waited_from
            self._waits += 1
        self._waited_from = None

    def figures(self):
        """What is counted in the end."""
        figures, band = self.oracle.figures, self.band
        band.meant, band.wrong, band.ghosts, band.asked = figures.meant, figures.wrong, figures.ghosts, figures.asked
        band.agreed = figures.agreed
        band.without_wait, band.one_wait = int(self._waits == 0), int(self._waits <= 1)
        pace = sum(person.pace for person in self.people) / len(self.people)
        return {next(name for name, most in BANDS.items() if pace < most): band}


class QuickEvening(CampaignGame):
    """One game of two people who do not wait for the board.

    Args:
        tempo: the quickest and the slowest pace of a person, in seconds.
        mistakes: whether there are accidents.
        options: see `CampaignGame`.
    """

    def __init__(self, seed, number, faults=(), *, tempo, mistakes=False, most=MOST_TURNS, **options):
        self.tempo, self.mistakes = tempo, mistakes or bool(faults)
        self.careless = not {DRIFT, CROSS_TALK} & {*faults}
        super().__init__(seed, number, faults, most=most, **options)
        for person in self.people:
            person.later = self.later
        self.world.tell("", ", ".join(f"{person.name}: {person.pace:.2f} s" for person in self.people))

    def _sit_down(self, seed, number, *, faces):
        world, oracle = self.world, self.oracle
        table = self.table = Play(world, oracle, self.most)
        world.watch = table.watch
        table.people = [
            QuickPerson(
                side,
                world,
                oracle,
                random_of(seed, number, side),
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

    def _evening(self):
        yield 1.0, False
        world = self.world
        for person in self.people:
            person.task = world.begin(person.agent(), person.random)
            world.begin(person.eyes(), person.random)
        while not all(person.task.done for person in self.people):
            yield world.t + 0.5, False
        finish = self.people[0]
        finish.task = world.begin(finish.finish(), finish.random)
        while not finish.task.done:
            yield world.t + 0.5, False
        self.table.ended = True
        yield from self._end()
