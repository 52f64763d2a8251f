"""Find puzzles in games between programs from random openings.

    python -m tools.puzzle_finder --seed 1 --out found.jsonl

The same seed finds the same puzzles on any machine. This takes about an hour with the compiled engine (`make fast`),
and days without it. No human games are used.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from pond_hw.engine.levels import EngineLevel, LevelEngine
from pond_hw.engine.packed import (
    UNDECIDED,
    PackedPosition,
    PackedSearch,
    packed_rules,
    unpack_action,
    unpack_position,
)
from pond_hw.engine.prover import Prover
from pond_hw.engine.searcher import Searcher
from pond_hw.lab.engine_game import GameRunner
from pond_hw.lab.openings import square_symmetries
from pond_hw.puzzles.puzzle import PIECES_TO_SCORE, PuzzleKind
from pond_hw.puzzles.solving import is_right
from pond_hw.rules import PondError, Variant, parse_variant

GAMES = {
    "standard": 45,
    "mini": 45,
    "3x3/6/3": 45,
    "3x3/5/3": 20,
    "4x4/8/5": 20,
    "small-11": 15,
    "small-14": 15,
    "big": 10,
    "5x5/9/6": 6,
    "big-15": 4,
}
"""Number of games between good players per variant, for puzzles of all kinds."""

SHARP_GAMES = {"standard": 150, "mini": 200, "4x4/8/5": 250, "3x3/6/3": 400}
"""Number of games between weak players per variant, for the rare `only` puzzles."""

WEAK_LEVELS = (
    EngineLevel(2, 0, 2_000, error_deviation=100, worst_loss=400, oversight_rate=0.3),
    EngineLevel(3, 1, 4_000, error_deviation=100, worst_loss=300, oversight_rate=0.3),
)
"""Weak players, which make and overlook many threats. Neither these nor `LEVELS` change when Pond's own levels do."""

LEVELS = (
    WEAK_LEVELS[1],
    EngineLevel(4, 2, 10_000, error_deviation=90, worst_loss=250, oversight_rate=0.1),
    EngineLevel(5, 3, 20_000, error_deviation=60, worst_loss=150),
    EngineLevel(6, 5, 30_000, error_deviation=30, worst_loss=80),
)
"""Good players. Weaker players leave wins that are too easy to find, and stronger players leave few wins."""

PROOF_NODES = 300_000
"""Maximum number of positions for one proof. Puzzles that need more are skipped."""

SHARP_NODES = 30_000
"""Maximum number of positions for one proof in the many games between weak players."""

JUDGING_NODES = 25_000
"""Maximum number of positions for judging all actions in a puzzle: a few seconds without the compiled engine."""

SEARCH_NODES = 3_000_000
"""Maximum number of positions for measuring the search depth. Puzzles that need more are skipped."""

MAX_OWN_ACTIONS = 5
"""Maximum length of forced wins."""

MAX_PREVENTED_ACTIONS = 3
"""Maximum length of the opponent's win that the answer to a `save` puzzle prevents."""

MAX_OPPONENT_ACTIONS = 3
"""Maximum length of the opponent's win after a wrong action in an `only` puzzle."""

SHARP_OWN_ACTIONS = 4
"""Maximum length of forced wins in `only` puzzles."""

MIN_CHOICES = 5
"""Minimum number of legal actions, so that guessing is not too easy."""

TEMPTING_LOSS = 100
"""Maximum apparent loss of a tempting wrong action, compared with the answer, in hundredths of a piece."""

SCORE_DEPTH = 3
"""Depth at which a search must agree that the answer to a `score` puzzle is the best action."""

TABLE_ENTRIES = 1 << 20
"""Size of the proof table, in positions."""

ENGINE_MEGABYTES = 16
"""Size of each player's transposition table."""

ENGINE_SECONDS = 3600.0
"""Time limit in seconds. It is never reached, so results do not depend on the clock."""


class _PlainSearcher(Searcher):
    """Searcher that evaluates pieces and mobility only.

    It does not use the learned values, so later versions of Pond find the same puzzles.
    """

    def __init__(self, variant: Variant) -> None:
        super().__init__(ENGINE_MEGABYTES)
        self._pond = variant
        self._search = PackedSearch(packed_rules(variant), 1 << self._table_size.bit_length() - 1)


class _PlainLevel(LevelEngine):
    """Level with a `_PlainSearcher`."""

    def __init__(self, level: EngineLevel, variant: Variant) -> None:
        super().__init__(level, ENGINE_MEGABYTES, ENGINE_SECONDS)
        self._searcher = _PlainSearcher(variant)


class Candidate(NamedTuple):
    """Puzzle without a grade. Fields are as in `Puzzle`, except that the answer is the kernel's number for it."""

    kind: PuzzleKind
    actions: int
    against: int
    position: PackedPosition
    answer: int


class PuzzleFinder:
    """Finds puzzles for one variant."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.prover = Prover(variant, PROOF_NODES, TABLE_ENTRIES)
        self.rules = self.prover.rules
        self._search = PackedSearch(self.rules, 1 << 18)
        self._search.is_selective = False

    def find_in(self, position: PackedPosition) -> Iterator[Candidate]:
        """Yield the puzzles in a position."""
        actions = self.rules.legal_actions(position)
        if len(actions) >= MIN_CHOICES:
            gains = {action: self.prover.own_gain(position, action) for action in actions}
            right = [action for action in actions if gains[action] >= PIECES_TO_SCORE]
            if len(right) == 1:
                yield Candidate(PuzzleKind.SCORE, 1, 0, position, right[0])
            with suppress(PondError):  # The proof was too long.
                yield from self._find_forced(position, actions)

    def _find_forced(self, position: PackedPosition, actions: list[int]) -> Iterator[Candidate]:
        """Yield a `win` or `only` puzzle if there is a forced win, otherwise a `save` puzzle."""
        own = 0
        with suppress(PondError):
            own = self._count_own_actions(position, MAX_OWN_ACTIONS)
        if own:
            right = self._find_winning(position, actions, own)
            if len(right) == 1:
                against = 0
                with suppress(PondError):
                    against = self._count_opponent_actions(position, actions, right[0])
                yield Candidate(PuzzleKind.ONLY if against else PuzzleKind.WIN, own, against, position, right[0])
            return
        remaining = actions
        for count in range(1, MAX_PREVENTED_ACTIONS + 1):
            remaining = [
                action
                for action in remaining
                if not self.prover.is_lost(self.rules.play_action(position, action), count)
            ]
            if len(remaining) == 1:
                yield Candidate(PuzzleKind.SAVE, count, 0, position, remaining[0])
            if len(remaining) < 2:
                return

    def find_only(self, position: PackedPosition) -> Iterator[Candidate]:
        """Yield the `only` puzzle in a position."""
        actions = self.rules.legal_actions(position)
        if len(actions) < MIN_CHOICES:
            return
        with suppress(PondError):
            own = self._count_own_actions(position, SHARP_OWN_ACTIONS)
            right = self._find_winning(position, actions, own) if own else []
            if len(right) == 1 and (against := self._count_opponent_actions(position, actions, right[0])):
                yield Candidate(PuzzleKind.ONLY, own, against, position, right[0])

    def _count_own_actions(self, position: PackedPosition, max_count: int) -> int:
        """Return the number of own actions in the quickest forced win; 0 if there is none."""
        return next((count for count in range(1, max_count + 1) if self.prover.can_win(position, count)), 0)

    def _find_winning(self, position: PackedPosition, actions: list[int], own_actions: int) -> list[int]:
        after = ((action, self.rules.play_action(position, action)) for action in actions)
        return [action for action, position_after in after if self.prover.must_lose(position_after, own_actions - 1)]

    def _count_opponent_actions(self, position: PackedPosition, actions: list[int], answer: int) -> int:
        """Return how many actions the opponent needs to win after any action but the answer; 0 if it cannot."""
        others = [self.rules.play_action(position, action) for action in actions if action != answer]
        for count in range(1, MAX_OPPONENT_ACTIONS + 1):
            if all(self.prover.is_lost(after, count) for after in others):
                return count
        return 0

    def count_proof_nodes(self, found: Candidate) -> int:
        """Return the number of positions needed to judge all actions in a puzzle, starting from an empty table."""
        prover = Prover(self.variant, JUDGING_NODES)
        for action in self.rules.legal_actions(found.position):
            is_right(prover, found.kind, found.position, action, found.actions)
            after = self.rules.play_action(found.position, action)
            if found.kind is PuzzleKind.ONLY and action != found.answer:
                prover.is_lost(after, found.against)
        return prover.nodes

    def measure(self, found: Candidate) -> tuple[int, int] | None:
        """Return the search depth from which the answer remains best, and the number of tempting wrong actions.

        The search is not selective. Return None if the puzzle takes too long or teaches a bad action.
        """
        search, position = self._search, found.position
        search.begin_search(position, [], bool, 0)
        search.rank_actions()
        value_by_action = dict(zip(search.actions, search.values, strict=True))
        min_value = value_by_action[found.answer] - TEMPTING_LOSS
        tempting = sum(value >= min_value for value in value_by_action.values()) - 1
        proof_depth = {PuzzleKind.SCORE: SCORE_DEPTH, PuzzleKind.SAVE: 2 * found.actions}.get(
            found.kind, max(2 * found.actions - 1, 2 * found.against)
        )
        needed = 1
        search.begin_search(position, [], bool, SEARCH_NODES)
        for depth in range(1, proof_depth + 1):
            if not search.search_depth(depth):
                return None
            if search.actions[0] != found.answer:
                needed = depth + 1
        if needed > (1 if found.kind is PuzzleKind.SCORE else proof_depth):
            return None
        with suppress(PondError):
            if self.count_proof_nodes(found) <= JUDGING_NODES:
                return needed, tempting
        return None


def find_puzzles(variant: Variant, seed: str, game_count: int, *, sharp: bool = False) -> Iterator[dict[str, Any]]:
    """Yield the puzzles found in some games: at most one of each kind and length per game, and no equivalent puzzles.

    If `sharp`, weak players play, and only `only` puzzles are searched for.
    """
    runner, finder, seen = GameRunner(variant), PuzzleFinder(variant), set[PackedPosition]()
    find_in, levels = (finder.find_only, WEAK_LEVELS) if sharp else (finder.find_in, LEVELS)
    for game_number in range(game_count):
        game_name = f"{variant.name} {'sharp ' if sharp else ''}{game_number}"
        rng = Random(f"{seed}/{game_name}")
        opening = runner.random_opening(rng.randrange(4, 13), rng)
        light, dark = (_PlainLevel(rng.choice(levels), variant) for _ in range(2))
        game = runner.play_game(light, dark, opening, rng)
        finder.prover = Prover(variant, SHARP_NODES if sharp else PROOF_NODES, TABLE_ENTRIES)
        position, found_kinds = finder.rules.start_position(variant.spawn), set[tuple[PuzzleKind, int]]()
        positions = [position := finder.rules.play_action(position, action) for action in game.actions]
        rng.shuffle(positions)
        for position in positions:
            if finder.rules.outcome(position) != UNDECIDED:
                continue
            canonical = canonical_position(position, variant.size)
            for found in find_in(position):
                if (found.kind, found.actions) in found_kinds or canonical in seen:
                    continue
                measured = finder.measure(found)
                if measured:
                    found_kinds.add((found.kind, found.actions))
                    seen.add(canonical)
                    yield candidate_to_json(variant, found, *measured) | {"game": game_name}


def canonical_position(position: PackedPosition, size: int) -> PackedPosition:
    """Return the representative of all positions that are equivalent under symmetry and exchange of colours."""
    light, dark, eggs, tadpoles, spawn, scored, mover = position
    if mover:
        light, dark, spawn, scored = dark, light, _swap_pair(spawn), _swap_pair(scored)
    images = [[_turn_mask(mask, way) for mask in (light, dark, eggs, tadpoles)] for way in square_symmetries(size)]
    light, dark, eggs, tadpoles = min(images)
    return light, dark, eggs, tadpoles, spawn, scored, 0


def _swap_pair(pair: int) -> int:
    return pair >> 5 | (pair & 31) << 5


def _turn_mask(mask: int, way: tuple[int, ...]) -> int:
    return sum(1 << target for source, target in enumerate(way) if mask >> source & 1)


def candidate_to_json(variant: Variant, found: Candidate, depth: int, tempting: int) -> dict[str, Any]:
    return {
        "kind": str(found.kind),
        "actions": found.actions,
        "against": found.against,
        "variant": variant.name,
        "position": unpack_position(found.position, variant).notation_line,
        "answer": str(unpack_action(found.answer, variant)),
        "depth": depth,
        "tempting": tempting,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tools.puzzle_finder", description="Find puzzles in games of programs."
    )
    parser.add_argument("--seed", default="1", help="random seed (1)")
    help_text = f"only on these ponds: {', '.join(GAMES)}"
    parser.add_argument("--variants", metavar="V", nargs="+", choices=GAMES, default=list(GAMES), help=help_text)
    parser.add_argument("--sharp", action="store_true", help="search only the games of weak players")
    parser.add_argument("--out", type=Path, required=True, help="the file to write")
    options = parser.parse_args()
    with options.out.open("w", encoding="utf-8") as out:
        plan = [] if options.sharp else [(name, GAMES[name], False) for name in options.variants]
        plan += [(name, SHARP_GAMES[name], True) for name in options.variants if name in SHARP_GAMES]
        for name, game_count, sharp in plan:
            puzzles = find_puzzles(parse_variant(name), options.seed, game_count, sharp=sharp)
            for count, found in enumerate(puzzles, start=1):
                out.write(json.dumps(found) + "\n")
                out.flush()
                if count % 20 == 0:
                    print(name, "sharp" if sharp else "", count, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
