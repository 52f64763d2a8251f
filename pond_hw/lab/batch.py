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

    def engine_for(self, plan: TournamentPlan, player_name: str) -> Engine | ExternalEngine:
        if self.plan != plan:
            check_version(plan)
            self.close_engines()
            self.plan, self.engines = plan, {}
        if player_name not in self.engines:
            # No patience is needed here; what a level does must not depend on how much else the machine has to do.
            self.engines[player_name] = (
                ExternalEngine(player_name, plan.limit)
                if is_external_name(player_name)
                else make_engine(player_name, plan.memory, inf)
            )
        return self.engines[player_name]

    def close_engines(self) -> None:
        for cached_engine in self.engines.values():
            if isinstance(cached_engine, ExternalEngine):
                cached_engine.close()


_engine_cache = _EngineCache()


def close_engines() -> None:
    """No more is played here for now: no program from outside goes on running."""
    _engine_cache.close_engines()


def play_batch(plan: TournamentPlan, match_number: int, batch_number: int) -> list[list[Any]]:
    """The games of a piece, pair by pair, as they are written down; see `tally.GAME_COLUMNS`.

    Args:
        plan: what is played.
        match_number: of the match.
        batch_number: its number in the match.

    Raises:
        PondError: this is not the program that the plan was made for.
    """
    match = plan.all_matches[match_number]
    try:
        first_engine, second_engine = (_engine_cache.engine_for(plan, player_name) for player_name in match.players)
    except PondError as error:
        raise PondError(f"A worker cannot play this: {error}.") from None
    game_runner = GameRunner(match.variant)
    game_rows: list[list[Any]] = []
    for pair_number in plan.pair_numbers(match, batch_number):
        opening = game_runner.random_opening(plan.opening, plan.seeded_random(match, "opening", pair_number))
        for game_number, (light, dark) in (
            (2 * pair_number, (first_engine, second_engine)),
            (2 * pair_number + 1, (second_engine, first_engine)),
        ):
            if plan.is_study:
                opening = game_runner.random_opening(
                    plan.opening, plan.seeded_random(match, "opening", game_number), game_number
                )
            game_result = game_runner.play_game(light, dark, opening, plan.seeded_random(match, "game", game_number))
            game_row = [
                game_result.winner,
                game_result.reason,
                game_result.length,
                game_result.light,
                game_result.dark,
                int(game_result.had_repetition),
            ]
            if plan.records:
                game_row.append(" ".join(str(unpack_action(action, match.variant)) for action in game_result.actions))
            game_rows.append(game_row)
    return game_rows
