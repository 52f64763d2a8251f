"""Random games: reproducible, legal and unbiased."""

from collections import Counter
from math import sqrt

from pond_hw.engine.packed import MAX_GAME_ACTIONS, MAX_WORD
from pond_hw.rules import parse_variant


def tally(rules, spawn, games, *most):
    """Return the numbers of light's wins, dark's wins, draws and actions in random games."""
    outcomes, actions = Counter(), 0
    for _ in range(games):
        last, length = rules.play_random(rules.start_position(spawn), *most)
        outcomes[rules.outcome(last)] += 1
        actions += length
    return outcomes[1], outcomes[2], outcomes[3], actions


def test_same_seed_gives_same_games_in_both_kernels(turns):
    rules = turns.PackedRules(4, 10)
    rules.seed_random(1)
    assert tally(rules, 13, 60) == (31, 28, 1, 2416)
    rules = turns.PackedRules(5, 10)
    rules.seed_random(MAX_WORD)
    assert tally(rules, 14, 30) == (15, 13, 2, 1433)


def test_other_seeds_give_other_games(turns):
    lasts = set()
    for seed in range(50):
        rules = turns.PackedRules(4, 10)
        rules.seed_random(seed)
        lasts.add(rules.play_random(rules.start_position(13)))
    assert len(lasts) == 50


def test_random_game_is_legal(turns):
    """Choosing from the list of legal actions with the same random numbers gives the same game."""
    for name in ("standard", "big", "3x3/9/5"):
        pond = parse_variant(name)
        rules = turns.PackedRules(pond.size, pond.target)
        rules.seed_random(7)
        last, length = rules.play_random(rules.start_position(pond.spawn))
        assert rules.outcome(last)
        rules.seed_random(7)
        position = rules.start_position(pond.spawn)
        for _ in range(length):
            actions = rules.legal_actions(position)
            position = rules.play_action(position, actions[rules.random_below(len(actions))])
        assert position == last


def test_random_game_stops_at_action_limit(turns):
    rules = turns.PackedRules(4, 10)
    rules.seed_random(1)
    position, length = rules.play_random(rules.start_position(13), 5)
    assert length == 5
    assert rules.outcome(position) == 0
    assert tally(rules, 13, 4, 5) == (0, 0, 0, 20)
    assert rules.play_random(rules.start_position(13), 0) == (rules.start_position(13), 0)
    assert MAX_GAME_ACTIONS > 1000


def test_random_actions_are_uniform(turns):
    rules = turns.PackedRules(4, 10)
    rules.seed_random(5)
    for many in (1, 2, 3, 7, 16, 25, 46):
        drawn = Counter(rules.random_below(many) for _ in range(2000))
        assert set(drawn) <= set(range(many))
        mean = 2000 / many
        assert all(abs(drawn[number] - mean) < 4.5 * sqrt(mean) for number in range(many)), (many, drawn)


def test_consecutive_random_numbers_are_independent(turns):
    rules = turns.PackedRules(4, 10)
    rules.seed_random(6)
    numbers = [rules.random_below(5) for _ in range(5001)]
    for distance in (1, 2):
        pairs = Counter(zip(numbers, numbers[distance:], strict=False))
        assert len(pairs) == 25
        assert all(abs(many - 200) < 4.5 * sqrt(200) for many in pairs.values()), pairs
