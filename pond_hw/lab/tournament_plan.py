"""Plan of a tournament, which determines its games, their division into batches, and all results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import ceil
from random import Random
from typing import Any, NamedTuple

from pond_hw import __version__
from pond_hw.engine.engine_names import make_engine
from pond_hw.engine.external_program import ACTION_SECONDS, ExternalEngine, is_external_name
from pond_hw.engine.searcher import TABLE_MEGABYTES
from pond_hw.messages.message import Message
from pond_hw.rules import PondError, Variant, parse_variant

FORMAT_VERSION = 1
"""Version of the file and of the JSON object, increased when a field is removed or changes its meaning."""

DEFAULT_GAMES = 100
"""Default number of games between two players on each variant."""

DEFAULT_TEST_GAMES = 100_000
"""Default maximum number of games per match if there is a sequential test."""

MAX_PLAYERS = 30
MAX_ELO = 1000

OWN_VERSION = f"pond {__version__}"


class TournamentMatch(NamedTuple):
    """Match between two players on a variant."""

    variant: Variant
    players: tuple[str, str]


class SequentialTest(NamedTuple):
    """Sequential test that decides whether the first player's Elo advantage is `elo0` or `elo1`."""

    elo0: float
    elo1: float


class TournamentPlan(NamedTuple):
    """Plan of a tournament, or of a study if there is only one player, which then plays against itself.

    Attributes:
        games: number of games per match, or the maximum number if there is a test.
        opening: number of random actions at the beginning, the same in both games of a pair. In a study each game has its
            own opening, and all possible first actions take turns.
        memory: size of each player's transposition table in megabytes.
        test: sequential test that ends matches early, or None.
        records: True to save the actions of each game.
        pairs: number of pairs per batch if the players are quick; such a batch takes some hundredths of a second. With
            slower players a batch is a single pair, so that an interruption loses little.
        program: version of Pond. Another version may play differently.
        limit: time limit of an external program for one action, in seconds.
    """

    players: tuple[str, ...]
    variants: tuple[str, ...]
    games: int
    seed: int = 0
    opening: int = 4
    memory: int = ceil(TABLE_MEGABYTES)
    test: SequentialTest | None = None
    records: bool = False
    pairs: int = 50
    program: str = OWN_VERSION
    limit: float = ACTION_SECONDS

    @property
    def external_players(self) -> list[str]:
        return [name for name in self.players if is_external_name(name)]

    @property
    def is_study(self) -> bool:
        """True if there is one player, which plays against itself."""
        return len(self.players) == 1

    @property
    def plan_kind(self) -> str:
        """`study` or `tournament`, for message ids."""
        return "study" if self.is_study else "tournament"

    @property
    def all_matches(self) -> list[TournamentMatch]:
        """All matches, variant by variant: each player against those listed after it."""
        player_pairs = [(self.players[0], self.players[0])] if self.is_study else list(combinations(self.players, 2))
        return [TournamentMatch(parse_variant(name), pair) for name in self.variants for pair in player_pairs]

    @property
    def timed_players(self) -> list[str]:
        """Players with a time limit. Their games are not reproducible."""
        return [name for name in self.players if name.endswith("s") and "@" in name and not is_external_name(name)]

    def pairs_per_batch(self, match: TournamentMatch) -> int:
        """Return the number of pairs per batch in this match; the last batch may have fewer."""
        is_quick = all(not is_external_name(name) and make_engine(name).is_instant for name in match.players)
        return self.pairs if is_quick else 1

    def count_batches(self, match: TournamentMatch) -> int:
        return -(-self.games // (2 * self.pairs_per_batch(match)))

    def pair_numbers(self, match: TournamentMatch, batch_number: int) -> range:
        """Return the numbers of the pairs in a batch."""
        pair_count = self.pairs_per_batch(match)
        return range(batch_number * pair_count, min((batch_number + 1) * pair_count, self.games // 2))

    def seeded_random(self, match: TournamentMatch, rng_purpose: str, pair_number: int) -> Random:
        """Return the random number generator for an opening or a game. It depends only on the plan's seed and the arguments."""
        return Random("/".join((str(self.seed), match.variant.name, *match.players, rng_purpose, str(pair_number))))

    def to_json(self) -> dict[str, object]:
        plan_fields: dict[str, object] = {"form": FORMAT_VERSION, **self._asdict()}
        if not self.external_players:
            del plan_fields["limit"]
        return plan_fields | {"test": self.test._asdict() if self.test else None}

    def list_differences(self, other_plan: TournamentPlan) -> list[str]:
        """List the fields that differ in another plan, as `name: THEIRS / OURS`."""
        own_fields, other_fields = self.to_json(), other_plan.to_json()
        return [
            f"{name}: {_format_value(other_fields[name])} / {_format_value(own_fields[name])}"
            for name in own_fields
            if name in other_fields and own_fields[name] != other_fields[name]
        ]


def make_plan(
    players: Sequence[str], variants: Sequence[str], *, game_count: int | None = None, **values: Any
) -> TournamentPlan:
    """Make a plan. Options that are None get their default values. Raise PondError if the plan is invalid."""
    if game_count is None:
        game_count = DEFAULT_TEST_GAMES if values.get("test") else DEFAULT_GAMES
    plan_fields = {name: value for name, value in values.items() if value is not None}
    plan = TournamentPlan(tuple(players), tuple(variants), game_count, **plan_fields)
    _check_plan(plan)
    return plan


def parse_plan(plan_fields: Mapping[str, Any]) -> TournamentPlan:
    """Parse a plan written by `TournamentPlan.to_json`. Raise PondError if it is invalid."""
    if plan_fields.get("form") != FORMAT_VERSION:
        raise PondError(
            Message("plan.wrong_format", format=str(plan_fields.get("form"))[:20], known_format=FORMAT_VERSION)
        )
    try:
        test = plan_fields["test"]
        parsed: dict[str, Any] = {name: _parse_strings(plan_fields[name]) for name in ("players", "variants")}
        parsed |= {name: _parse_integer(plan_fields[name]) for name in ("games", "seed", "opening", "memory", "pairs")}
        parsed_plan = TournamentPlan(
            **parsed,
            test=None if test is None else SequentialTest(float(test["elo0"]), float(test["elo1"])),
            records=bool(plan_fields["records"]),
            program=str(plan_fields["program"]),
            limit=float(plan_fields.get("limit", ACTION_SECONDS)),
        )
    except (KeyError, TypeError, ValueError):
        raise PondError(Message("plan.none")) from None
    _check_plan(parsed_plan)
    return parsed_plan


def all_batches(plan: TournamentPlan) -> Iterator[tuple[int, int]]:
    """Yield the match number and batch number of each batch, in order."""
    for match_number, match in enumerate(plan.all_matches):
        for batch_number in range(plan.count_batches(match)):
            yield match_number, batch_number


def check_version(plan: TournamentPlan) -> None:
    """Check that the plan was made by this version of Pond. Raise PondError if another version may play differently."""
    if plan.program != OWN_VERSION:
        raise PondError(Message(f"plan.other_version.{plan.plan_kind}", theirs=plan.program, ours=OWN_VERSION))


def _check_plan(plan: TournamentPlan) -> None:
    if not plan.players:
        raise PondError(Message("plan.no_player"))
    if len(plan.players) > MAX_PLAYERS:
        raise PondError(Message("plan.too_many_players", most=MAX_PLAYERS, players=len(plan.players)))
    if plan.is_study and plan.external_players:
        raise PondError(Message("plan.study_of_program"))
    for name in plan.players:
        if is_external_name(name):
            ExternalEngine(name)
        else:
            make_engine(name)
    _check_range("limit", plan.limit, 0.1, 3600)
    _check_unique(plan.players, "player")
    if not plan.variants:
        raise PondError(Message("plan.no_pond"))
    for name in plan.variants:
        parse_variant(name)
    _check_unique(plan.variants, "pond")
    _check_range(f"games_of_{plan.plan_kind}", plan.games, 2, 10_000_000)
    if plan.games % 2:
        raise PondError(Message(f"plan.odd_games.{plan.plan_kind}", games=plan.games))
    _check_range("opening", plan.opening, 0, 40)
    _check_range("memory", plan.memory, 1, 4096)
    _check_range("pairs", plan.pairs, 1, 1000)
    if plan.test:
        elo0, elo1 = plan.test
        if not -MAX_ELO <= elo0 < elo1 <= MAX_ELO:
            raise PondError(Message("plan.wrong_test", most=MAX_ELO, elo0=elo0, elo1=elo1))


def _check_range(field: str, value: float, lowest: float, highest: float) -> None:
    if not lowest <= value <= highest:
        raise PondError(Message(f"plan.range.{field}", lowest=lowest, highest=highest, found=value))


def _check_unique(names: Sequence[str], name_kind: str) -> None:
    for name in names:
        if names.count(name) > 1:
            raise PondError(Message(f"plan.twice.{name_kind}", name=name))


def _parse_strings(parsed_value: Any) -> tuple[str, ...]:
    if not isinstance(parsed_value, list) or not all(isinstance(each, str) for each in parsed_value):
        raise TypeError
    return tuple(parsed_value)


def _parse_integer(parsed_value: Any) -> int:
    if type(parsed_value) is not int:
        raise TypeError
    return parsed_value


def _format_value(value: object) -> str:
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    if isinstance(value, dict):
        return " ".join(f"{name} {each:g}" for name, each in value.items())
    if value is None or isinstance(value, bool):
        return "yes" if value else "-"
    return str(value)
