"""A single game at one table, from its seed to its figures."""

from pond_hw.rules import DARK, LIGHT, PondError, find_outcome, parse_variant
from pond_hw.session import MaskSensor
from tests.campaign.faults import make_faults
from tests.campaign.oracle import Figures, Oracle
from tests.campaign.people import Person
from tests.campaign.world import Stuck, World, make_rng
from tests.messages.says import text

PONDS = ("standard", "standard", "standard", "mini", "big", "3x3/9/5")
UNEXPECTED_ERRORS = (AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)

MAX_TURNS = 150
"""Number of turns after which a game is abandoned."""


class CampaignGame:
    """Game of two patient people.

    Args:
        seed: Seed of the campaign.
        number: Number of the game.
        faults: Kinds of faults in addition to ordinary noise.
        through_companion: True to use the real loop.
        most: Maximum number of intended actions.
        colours: True if the sensors know owners; by default on a quarter of the boards.
        faces: True if pieces are turned over; by default on nine out of ten boards.
        keys: True if a turn counts only after its turn key is pressed.
        log_lines: List for the log, or None.
    """

    def __init__(
        self,
        seed,
        number,
        faults=(),
        *,
        through_companion=False,
        most=MAX_TURNS,
        colours=None,
        faces=None,
        keys=False,
        log_lines=None,
    ):
        self.random = make_rng(seed, number, "game")
        self.most = most
        self.number = number
        pond = parse_variant(self.random.choice(PONDS))
        drawn = self.random.random() < 0.25, self.random.random() < 0.9
        colours = drawn[0] if colours is None else colours
        faces = drawn[1] if faces is None else faces
        noise, self.later = make_faults(faults, pond.size, self.random)
        self.oracle = Oracle(pond)
        self.world = World(
            pond,
            noise,
            self.random.randrange(1 << 30),
            colours=colours,
            faces=faces,
            keys=keys,
            through_companion=through_companion,
            watch=self.oracle.watch,
            log_lines=log_lines,
        )
        self.people = self._make_people(seed, number, faces=faces)
        self.people[0].other, self.people[1].other = self.people[1], self.people[0]
        self.oracle.noise = "off-centre" if self.world.keen else "ordinary"
        self.world.log(
            "",
            f"game {number} of seed {seed}: {pond}, {'sensors that know owners' if colours else 'simple sensors'}, "
            f"{'pieces to turn over' if faces else 'plain pieces'}, {', '.join(map(str, noise)) or 'no noise'}",
        )

    def _make_people(self, seed, number, *, faces):
        return [Person(side, self.world, self.oracle, make_rng(seed, number, side)) for side in (LIGHT, DARK)]

    def play(self):
        """Play the game to the end.

        Returns:
            The figures. Failures are in `oracle.failures`.
        """
        oracle, world = self.oracle, self.world
        main = world.begin(self._play_turns(), self.random)
        try:
            world.run(_Watched(main, oracle))
        except Stuck as stuck:
            oracle.failures.append(f"Stuck: {stuck}")
        except PondError as error:
            oracle.failures.append(f"A hand movement was impossible: {error}")
        except UNEXPECTED_ERRORS as error:
            oracle.failures.append(f"The program crashed: {type(error).__name__}: {error}")
        for failure in oracle.failures:
            world.log("", f"FAILURE: {failure}")
        figures = oracle.figures
        figures.games = 1
        figures.finished = int(bool(find_outcome(oracle.position)))
        figures.agreed = int(not oracle.failures)
        figures.wrong_games = int(bool(figures.wrong or figures.unintended_undos))
        figures.named = int(bool(oracle.failures) and not world.broken.isdisjoint(world.named))
        figures.masked = len(world.facts["masked"])
        figures.simulated = world.t
        return figures

    def _play_turns(self):
        oracle = self.oracle
        yield 1.0, False
        while not find_outcome(oracle.position) and oracle.figures.intended < self.most:
            person = self.people[oracle.position.to_move]
            yield from self.later(person)
            turns = len(oracle.truth)
            yield from person.turn()
            if len(oracle.truth) == turns:
                break  # only a masked cell is left
            yield from self._after(self.people[oracle.truth[-1].side])
        yield from self._end()

    def _after(self, actor):
        """Tidy up after a turn, or undo it."""
        oracle, world = self.oracle, self.world
        tidier = actor.other if actor.chance("the other one tidies up") else actor
        while tidier.tidying and not tidier.tidying.done:
            yield from tidier.pause(0.2, 0.5)
        tidying = tidier.tidying = world.begin(tidier.tidy_up(), tidier.random)
        if actor.chance("tidies up before the next one thinks"):
            while not tidying.done:
                yield from tidier.pause(0.2, 0.5)
        if actor.chance("takes back") and not world.keen:
            while not tidying.done:
                yield from tidier.pause(0.2, 0.5)
            yield from actor.repair()
            if oracle.truth and not oracle.pending:
                yield from actor.take_back()
                yield from actor.repair()

    def _end(self):
        """Remove the faults and tidy up. Then check that board and game agree."""
        oracle, world = self.oracle, self.world
        person = self.people[0]
        while len(world.tasks) > 1:
            yield from person.pause(0.2, 0.5)
        world.log("", "the faults end")
        world.table.remove_faults()
        for cell in sorted(world.masked):
            world.send_event(MaskSensor(cell, world.t, is_bad=False))
        yield from person.deny_surprises(12.0)
        yield from person.repair()
        while lit := [cell for cell in world.facts["take_off"] if cell in person.resting()]:
            yield from person.until(person.hands.take_off(lit[0]))
            yield from person.pause(0.4, 0.5)
        yield from person.deny_surprises(12.0)
        yield from person.repair()
        facts, session = world.facts, world.session
        wanted = sorted(oracle.position.pieces)
        if session.position != oracle.position:
            oracle.failures.append(
                f"The position is {session.position.notation_line} instead of {oracle.position.notation_line}."
            )
        if sorted(person.standing()) != wanted or facts["felt"] != wanted:
            oracle.failures.append(f"At the end, {facts['felt']} are detected instead of {wanted}.")
        if facts["missing"] or facts["extra"] or facts["strangers"] or facts["take_off"] or facts["about"]:
            oracle.failures.append(f"At the end, the board still asks: {text(*session.messages)}")
        rest = "act" if not find_outcome(oracle.position) else "over" if wanted else "menu"
        if world.phase != rest:
            oracle.failures.append(f"At the end, the phase is {world.phase}.")


class _Watched:
    """Main task that also ends at the first failure."""

    def __init__(self, task, oracle):
        self.task, self.oracle = task, oracle

    @property
    def done(self):
        return self.task.done or bool(self.oracle.failures)


def play_game(seed, number, faults=(), kind=CampaignGame, **options):
    """Play a game. Return its figures and failures."""
    campaign_game = kind(seed, number, faults, **options)
    figures: Figures = campaign_game.play()
    return figures, campaign_game.oracle.failures
