"""Tests of the study of handicaps."""

from random import Random

import pytest

from pond_hw.engine.engines import EngineGame, RandomEngine
from pond_hw.engine.packed import packed_rules
from pond_hw.rules import STANDARD, VARIANTS, Side
from tools.even_odds import HelpedEngine, HelpKind, measure_help
from tools.fair_starts import _draw_candidates, measure_light


class CountingEngine(RandomEngine):
    calls = 0

    def choose_action(self, game, rng, should_stop):
        self.calls += 1
        return super().choose_action(game, rng, should_stop)


def test_helped_player_takes_hints_first():
    rules = packed_rules(STANDARD)
    game = EngineGame(STANDARD, rules, rules.start_position(STANDARD.spawn), ())
    player, adviser = CountingEngine(), CountingEngine()
    helped = HelpedEngine(player, adviser, hint_count=2)
    for _ in range(5):
        assert helped.choose_action(game, Random(1), bool) in rules.legal_actions(game.position)
    assert (adviser.calls, player.calls) == (2, 3)


@pytest.mark.slow
def test_head_start_of_five_is_worth_points():
    shares = [measure_help(HelpKind("", head_start=pieces), VARIANTS["mini"], 16) for pieces in (0, 5)]
    assert 0 <= shares[0] < shares[1] <= 1


def test_candidates_have_two_eggs_a_side():
    drawn = list(_draw_candidates(STANDARD, Random(1), 20))
    assert len({position.notation_line for position in drawn}) == 20
    for position in drawn:
        assert (position.scored, position.to_move) == ((0, 0), Side.LIGHT)
        assert tuple(position.spawn) == (STANDARD.spawn - 2,) * 2


def test_light_share_is_reproducible():
    starts = list(_draw_candidates(STANDARD, Random(1), 2))
    assert measure_light(STANDARD, starts, 6, "greedy") == measure_light(STANDARD, starts, 6, "greedy")
