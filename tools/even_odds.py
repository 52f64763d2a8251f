"""Measure the effect of handicaps: help for one side, a head start, and a fair start.

    python -m tools.even_odds 400      # games of each kind; best after `make fast`

A weak player with each kind of help plays a strong player without help, swapping sides after each game. Then one player
plays itself from the empty pond and from the fair starts. Each game has its own seed, so results are reproducible.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from pond_hw.engine.engine_names import make_engine
from pond_hw.engine.engines import Engine, EngineGame
from pond_hw.engine.packed import unpack_action, unpack_position
from pond_hw.lab.elo import score_to_elo, share_interval
from pond_hw.lab.engine_game import DARK_WON, LIGHT_WON, EngineGameResult, GameRunner
from pond_hw.rules import STANDARD, VARIANTS, Position, Side, Variant
from pond_hw.session.game.hints_and_warnings import find_threat
from pond_hw.session.game.start_positions import find_start, list_fair_starts
from tools.fair_starts import measure_light

WEAK, STRONG, ADVISER = "level-2", "level-5", "level-11"
EQUAL = "search@n5000"
"""Player that plays itself."""

MAX_RETRIES = 8
"""Maximum number of warnings that the player heeds before it plays its first choice."""


class HelpedEngine(Engine):
    """Player with help from an adviser: hints for its first actions, or warnings that make it choose again."""

    is_instant = False

    def __init__(
        self, engine: Engine, adviser: Engine | None = None, hint_count: int = 0, *, is_warned: bool = False
    ) -> None:
        self.name = engine.name
        self._engine, self._adviser, self._is_warned = engine, adviser, is_warned
        self.hints_left = hint_count

    def choose_action(self, game: EngineGame, rng: Random, should_stop: Callable[[], bool]) -> int:
        if self._adviser and self.hints_left:
            self.hints_left -= 1
            return self._adviser.choose_action(game, rng, should_stop)
        action = first_choice = self._engine.choose_action(game, rng, should_stop)
        if self._is_warned:
            position = unpack_position(game.position, game.variant)
            for _ in range(MAX_RETRIES):
                if find_threat(position, unpack_action(action, game.variant)) is None:
                    return action
                action = self._engine.choose_action(game, rng, should_stop)
        return first_choice


class HelpKind(NamedTuple):
    """Kind of help for the weak player."""

    name: str
    head_start: int = 0
    hint_count: int = 0
    is_warned: bool = False


HELP_KINDS = (
    HelpKind("nothing"),
    HelpKind("warnings", is_warned=True),
    *(HelpKind(f"{count} hints", hint_count=count) for count in (3, 6, 12)),
    *(HelpKind(f"head start of {pieces}", head_start=pieces) for pieces in range(1, 6)),
    HelpKind("warnings, head start of 3", head_start=3, is_warned=True),
)


def measure_help(kind: HelpKind, variant: Variant, game_count: int) -> float:
    """Return the weak player's share of the points. A draw counts as half a point."""
    runner, points = GameRunner(variant), 0.0
    weak, strong, adviser = make_engine(WEAK), make_engine(STRONG), make_engine(ADVISER) if kind.hint_count else None
    for number in range(game_count):
        helped, side = HelpedEngine(weak, adviser, kind.hint_count, is_warned=kind.is_warned), Side(number % 2)
        starts = (kind.head_start, 0) if side is Side.LIGHT else (0, kind.head_start)
        light, dark = (helped, strong) if side is Side.LIGHT else (strong, helped)
        rng, start = Random(f"{kind.name} {number}"), find_start(variant, starts)
        result = runner.play_game(light, dark, [], rng, start)
        points += _points(result, side)
    return points / game_count


def _points(result: EngineGameResult, side: Side) -> float:
    won, lost = (LIGHT_WON, DARK_WON) if side is Side.LIGHT else (DARK_WON, LIGHT_WON)
    return {won: 1.0, lost: 0.0}.get(result.winner, 0.5)


def main(words: Sequence[str]) -> None:
    game_count = int(words[0]) if words else 400
    print(f"{WEAK} with help against {STRONG} without, {STANDARD.name}, {game_count} games each\n")
    print("| help | share of the points (95 %) | worth, Elo |\n|---|---|---|")
    basis = None
    for kind in HELP_KINDS:
        share = measure_help(kind, STANDARD, game_count)
        basis = score_to_elo(share) if basis is None else basis
        low, high = share_interval(share, game_count)
        print(
            f"| {kind.name} | {share:.0%} ({low:.0%} to {high:.0%}) | {score_to_elo(share) - basis:+.0f} |", flush=True
        )
    print(f"\n{EQUAL} against itself, {game_count} games each\n")
    print("| pond | Light from the empty pond | from the fair starts |\n|---|---|---|")
    for name, variant in VARIANTS.items():
        fair_starts = list_fair_starts(variant)
        shares = [
            measure_light(variant, starts, game_count, EQUAL) for starts in ([Position.start(variant)], fair_starts)
        ]
        cells = [f"{share:.0%} ({{0:.0%}} to {{1:.0%}})".format(*share_interval(share, game_count)) for share in shares]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
