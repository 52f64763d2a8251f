"""Games between two programs."""

from random import Random

import pytest

from pond_hw.engine.engines import GreedyEngine, RandomEngine
from pond_hw.engine.packed import packed_rules, unpack_action
from pond_hw.lab import engine_game
from pond_hw.lab.engine_game import REPETITION, TOO_LONG, GameRunner
from pond_hw.rules import EndReason, Position, find_outcome, parse_variant, play
from tests.conftest import each

PONDS = ["standard", "big", "3x3/6/3", "3x3/9/1"]


class RepeatingEngine:
    """Engine that moves back whenever it can, and otherwise plays at random."""

    name, quick = "goes-back", True

    def __init__(self):
        self.last = None

    def choose_action(self, game, rng, stop):
        actions = game.rules.legal_actions(game.position)
        back = [action for action in actions if self.last == (action & 31, action >> 5) and action % 33]
        chosen = back[0] if back else rng.choice([a for a in actions if a % 33] or actions)
        self.last = chosen >> 5, chosen & 31
        return chosen

    def ponder(self, game, stop):
        pass


def replay_positions(pond, game):
    """Return the positions of a game, computed by the rules."""
    positions = [Position.start(parse_variant(pond))]
    for number in game.actions:
        positions.append(play(positions[-1], unpack_action(number, parse_variant(pond))).after)
    return positions


@each("pond", PONDS)
def test_games_end_according_to_the_rules(pond):
    runner = GameRunner(parse_variant(pond))
    for seed in range(15):
        rng = Random(seed)
        game = runner.play_game(RandomEngine(), GreedyEngine(), runner.random_opening(4, rng), rng)
        last = replay_positions(pond, game)[-1]
        assert game.length == len(game.actions)
        assert (game.light, game.dark) == last.scored
        ended = find_outcome(last)
        assert game.winner == ("draw" if ended.winner is None else str(ended.winner))
        assert game.reason == ("score" if ended.reason is EndReason.SCORE else "elimination")


@each("pond", PONDS)
def test_openings_do_not_end_the_game(pond):
    rules, runner = packed_rules(parse_variant(pond)), GameRunner(parse_variant(pond))
    for seed in range(30):
        position = rules.start_position(parse_variant(pond).spawn)
        opening = runner.random_opening(12, Random(seed))
        for action in opening:
            assert action in rules.legal_actions(position)
            position = rules.play_action(position, action)
        assert rules.count_actions(position)
        assert len(opening) == 12 or "3x3" in pond
    assert len({tuple(runner.random_opening(4, Random(seed))) for seed in range(30)}) > 10
    assert runner.random_opening(0, Random(1)) == []


def test_third_repetition_is_a_draw():
    runner, draws_found = GameRunner(parse_variant("big")), 0
    for seed in range(40):
        game = runner.play_game(RepeatingEngine(), RepeatingEngine(), [], Random(seed))
        positions = replay_positions("big", game)
        max_repeats = max(map(positions.count, positions))
        assert (game.reason == REPETITION) == (max_repeats == 3)
        assert game.had_repetition == (max_repeats > 1)
        if game.reason == REPETITION:
            assert game.winner == "draw"
            assert positions.count(positions[-1]) == 3
            draws_found += 1
    assert draws_found


def test_overlong_game_is_a_draw(monkeypatch):
    monkeypatch.setattr(engine_game, "MAX_ACTIONS", 10)
    game = GameRunner(parse_variant("standard")).play_game(RandomEngine(), RandomEngine(), [], Random(1))
    assert game[:3] == ("draw", TOO_LONG, 10)


def test_same_seed_gives_the_same_game():
    runner = GameRunner(parse_variant("standard"))
    one, same, other = (runner.play_game(RandomEngine(), GreedyEngine(), [], Random(seed)) for seed in (1, 1, 2))
    assert one == same
    assert one != other


@pytest.mark.parametrize("side", [0, 1])
def test_light_moves_first(side):
    requests = []

    class WatchedEngine(RandomEngine):
        def choose_action(self, game, rng, stop):
            requests.append(game.position[6])
            return super().choose_action(game, rng, stop)

    sides = [RandomEngine(), WatchedEngine()] if side else [WatchedEngine(), RandomEngine()]
    GameRunner(parse_variant("standard")).play_game(*sides, [], Random(1))
    assert set(requests) == {side}
