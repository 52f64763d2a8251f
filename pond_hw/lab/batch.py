"""One piece of a tournament, played by whoever has a hand free."""

from __future__ import annotations

from math import inf
from threading import local
from typing import Any

from pond_hw.engine.engine_names import make_engine
from pond_hw.engine.engines import Engine
from pond_hw.engine.external_program import ExternalEngine, is_external_name
from pond_hw.engine.packed import unpack_action
from pond_hw.lab.engine_game import GameRunner
from pond_hw.lab.tournament_plan import TournamentPlan, check_version
from pond_hw.rules import PondError


class _EngineCache(local):
    """The minds that play in one thread, and the plan they sit there for: they keep the memory that they have taken."""

    plan: TournamentPlan | None = None

    def __init__(self) -> None:
        self.engines: dict[str, Engine | ExternalEngine] = {}

    def engine_for(self, plan: TournamentPlan, name: str) -> Engine | ExternalEngine:
        if self.plan != plan:
            check_version(plan)
            self.close_engines()
            self.plan, self.engines = plan, {}
        if name not in self.engines:
            # No patience is needed here; what a level does must not depend on how much else the machine has to do.
            self.engines[name] = (
                ExternalEngine(name, plan.limit) if is_external_name(name) else make_engine(name, plan.memory, inf)
            )
        return self.engines[name]

    def close_engines(self) -> None:
        for each in self.engines.values():
            if isinstance(each, ExternalEngine):
                each.close()


_engine_cache = _EngineCache()


def close_engines() -> None:
    """No more is played here for now: no program from outside goes on running."""
    _engine_cache.close_engines()


def play_batch(plan: TournamentPlan, number: int, piece: int) -> list[list[Any]]:
    """The games of a piece, pair by pair, as they are written down; see `tally.GAME_COLUMNS`.

    Args:
        plan: what is played.
        number: of the match.
        piece: its number in the match.

    Raises:
        PondError: this is not the program that the plan was made for.
    """
    match = plan.all_matches[number]
    try:
        first, second = (_engine_cache.engine_for(plan, name) for name in match.players)
    except PondError as error:
        raise PondError(f"A worker cannot play this: {error}.") from None
    table = GameRunner(match.variant)
    games: list[list[Any]] = []
    for pair in plan.pair_numbers(match, piece):
        opening = table.random_opening(plan.opening, plan.seeded_random(match, "opening", pair))
        for game, (light, dark) in ((2 * pair, (first, second)), (2 * pair + 1, (second, first))):
            if plan.is_study:
                opening = table.random_opening(plan.opening, plan.seeded_random(match, "opening", game), game)
            bout = table.play_game(light, dark, opening, plan.seeded_random(match, "game", game))
            told = [bout.winner, bout.reason, bout.length, bout.light, bout.dark, int(bout.had_repetition)]
            if plan.records:
                told.append(" ".join(str(unpack_action(action, match.variant)) for action in bout.actions))
            games.append(told)
    return games
