"""A tournament from its plan to what it comes to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from typing import NamedTuple

from pond_hw.lab import elo
from pond_hw.lab.executor import Games, Hands
from pond_hw.lab.results_file import Ledger, Piece
from pond_hw.lab.tally import Tally
from pond_hw.lab.tournament_plan import Match, Plan, all_pieces
from pond_hw.rules import PondError

OFTEN = 0.5
"""Seconds from one word about progress to the next, if nothing is finished meanwhile."""


class Verdict(NamedTuple):
    """What the test has decided about a match.

    Attributes:
        better: whether it is `elo1` rather than `elo0`.
        likelihood: how sure that is, as `strength.likelihood` tells it.
        games: after how many.
    """

    better: bool
    likelihood: float
    games: int


class Standing:
    """What has been played of a tournament, and what is still to be.

    A test looks at a match in the order of its games, after each piece, and what lies behind its decision is not
    counted. So it decides the same, however many played at the same time.

    Args:
        plan: what is played.

    Attributes:
        matches: those of the plan.
        tallies: what counts of each match.
        verdicts: what the test has decided about each.
        played: games that were played, also those that do not count.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.matches: list[Match] = plan.matches
        self.tallies = [Tally() for _ in self.matches]
        self.verdicts: list[Verdict | None] = [None] * len(self.matches)
        self.played = 0
        self._there: set[tuple[int, int]] = set()
        self._next = [0] * len(self.matches)
        self._waiting: dict[tuple[int, int], Tally] = {}

    def put(self, piece: Piece) -> None:
        """Count a piece, once."""
        if piece[:2] in self._there:
            return
        self._there.add(piece[:2])
        tally = Tally.of(piece.games)
        self.played += tally.games
        if not self.plan.test:
            self.tallies[piece.match].add(tally)
            return
        self._waiting[piece[:2]] = tally
        match = piece.match
        while not self.verdicts[match] and (here := self._waiting.pop((match, self._next[match]), None)):
            self.tallies[match].add(here)
            self._next[match] += 1
            self.verdicts[match] = self._asked(self.tallies[match])

    def _asked(self, tally: Tally) -> Verdict | None:
        assert self.plan.test
        found = elo.likelihood(tally.pairs, *self.plan.test)
        return Verdict(found > 0, found, tally.games) if abs(found) >= elo.BOUND else None

    def lacking(self) -> Iterator[tuple[int, int]]:
        """The pieces that are still to be played, in order; a decision made meanwhile counts."""
        for match, piece in all_pieces(self.plan):
            if not self.verdicts[match] and (match, piece) not in self._there:
                yield match, piece

    def counts(self, piece: Piece) -> bool:
        """Whether a piece is among those that count."""
        return not self.verdicts[piece.match] or piece.number < self._next[piece.match]

    @property
    def counted(self) -> int:
        """Games that count."""
        return sum(tally.games for tally in self.tallies)

    @property
    def total(self) -> int:
        """Games that will count in the end, at the most."""
        pairs = zip(self.tallies, self.verdicts, strict=True)
        return sum(tally.games if verdict else self.plan.games for tally, verdict in pairs)

    @property
    def complete(self) -> bool:
        """Whether nothing is to be played any more."""
        return next(self.lacking(), None) is None


def carry_out(standing: Standing, hands: Hands, ledger: Ledger | None, told: Callable[[Standing], None]) -> None:
    """Play what is lacking.

    Args:
        standing: what has been played so far; it is brought up to date.
        hands: who plays.
        ledger: where it is written down, if anywhere.
        told: is told of progress, again and again.

    Raises:
        PondError: it cannot go on; what was written down stands.
    """
    under_way: dict[Future[Games], tuple[int, int]] = {}
    lacking = standing.lacking()
    while True:
        while len(under_way) < hands.room() and (following := next(lacking, None)):
            under_way[hands.play(standing.plan, *following)] = following
        if all(standing.verdicts[match] for match, _ in under_way.values()):
            return  # nothing is under way any more, or nothing that would count
        done, _ = wait(under_way, OFTEN, FIRST_COMPLETED)
        for future in done:
            finished = Piece(*under_way.pop(future), _games(future))
            if ledger:
                ledger.write(finished)
            standing.put(finished)
        told(standing)


def _games(future: Future[Games]) -> Games:
    try:
        return future.result()
    except BrokenExecutor:
        raise PondError("A process that played has died; was it short of memory? Fewer --workers need less.") from None
    except (ImportError, AttributeError, RuntimeError) as error:  # in Dask's words, what it could not unpack
        why = error.__cause__ if isinstance(error, RuntimeError) else error
        if not isinstance(why, (ImportError, AttributeError, TypeError)):
            raise
        raise PondError(
            f"The cluster has not this version of Pond: {why}. Scheduler and workers need the same as this machine."
        ) from None
