"""One piece of a tournament, played in this process by the engines of its players."""

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
from pond_hw.messages.message import Message
from pond_hw.rules import PondError


class _EngineCache(local):
    """The engines that play in one thread, and the plan they play for: they keep the memory that they have taken."""

    plan: TournamentPlan | None = None

    def __init__(self) -> None:
        self.engines: dict[str, Engine | ExternalEngine] = {}

    def find_engine(self, plan: TournamentPlan, player_name: str) -> Engine | ExternalEngine:
        if self.plan != plan:
            check_version(plan)
            close_engines()
            self.plan, self.engines = plan, {}
        if player_name not in self.engines and is_external_name(player_name):
            self.engines[player_name] = ExternalEngine(player_name, plan.limit)
        elif player_name not in self.engines:
            # No patience is needed here; what a level does must not depend on how much else the machine has to do.
            self.engines[player_name] = make_engine(player_name, plan.memory, inf)
        return self.engines[player_name]


_engine_cache = _EngineCache()


def close_engines() -> None:
    """No more is played in this thread for now: no program from outside goes on running."""
    for engine in _engine_cache.engines.values():
        if isinstance(engine, ExternalEngine):
            engine.close()


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
        engines = [_engine_cache.find_engine(plan, player_name) for player_name in match.players]
    except PondError as error:
        raise PondError(Message("lab.worker_cannot_play", reason=error.message)) from None
    game_runner, game_rows = GameRunner(match.variant), list[list[Any]]()
    pair_numbers = plan.pair_numbers(match, batch_number)
    for game_number in range(2 * pair_numbers.start, 2 * pair_numbers.stop):
        opening_number, first_turn = (game_number, game_number) if plan.is_study else (game_number // 2, None)
        opening_chance = plan.seeded_random(match, "opening", opening_number)
        opening = game_runner.random_opening(plan.opening, opening_chance, first_turn)
        light, dark = engines[:: -1 if game_number % 2 else 1]
        game_result = game_runner.play_game(light, dark, opening, plan.seeded_random(match, "game", game_number))
        game_row = [*game_result[:5], int(game_result.had_repetition)]
        if plan.records:
            game_row.append(" ".join(str(unpack_action(action, match.variant)) for action in game_result.actions))
        game_rows.append(game_row)
    return game_rows
