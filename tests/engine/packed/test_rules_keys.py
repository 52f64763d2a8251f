"""Hash keys of positions: unique, machine-independent and uniform."""

from functools import cache

from pond_hw.engine.packed import MAX_WORD, pack_position
from pond_hw.rules import VARIANTS
from tests.rules.positions import PONDS, random_game


@cache
def played():
    """Return every packed position of some games on every pond."""
    games = [random_game(seed, pond) for pond in PONDS for seed in range(4)]
    return sorted({pack_position(turn.after) for game in games for turn in game.turns})


def test_keys_are_unique(turns):
    rules, played_positions = turns.PackedRules(4, 10), played()
    keys = [rules.position_key(position) for position in played_positions]
    assert len(played_positions) > 1300
    assert len(set(keys)) == len(played_positions)
    assert keys == [rules.position_key(position) for position in played_positions]
    assert all(0 <= key <= MAX_WORD for key in keys)


def test_each_number_of_a_position_changes_the_key(turns):
    """The key changes if a single bit in any of the seven numbers changes."""
    rules = turns.PackedRules(5, 10)
    widths = (25, 25, 25, 25, 10, 10, 1)
    for position in played()[::130]:
        others = [
            (*position[:place], position[place] ^ 1 << bit, *position[place + 1 :])
            for place, width in enumerate(widths)
            for bit in range(width)
        ]
        assert len({rules.position_key(other) for other in (position, *others)}) == 1 + sum(widths)


def test_transpositions_have_the_same_key(turns):
    rules = turns.PackedRules(4, 10)
    start = rules.start_position(13)

    def come(*actions):
        position = start
        for action in actions:
            position = rules.play_action(position, action)
        return position

    a1, d4, a4, d1 = (33 * cell for cell in (0, 15, 12, 3))
    assert rules.position_key(come(a1, d4, a4, d1)) == rules.position_key(come(a4, d1, a1, d4))
    assert rules.position_key(come(a1, d4, a4)) != rules.position_key(come(d4, a1, a4))
    assert come(a1, d4, a4, d1) == come(a4, d1, a1, d4)


def test_keys_are_machine_independent(turns):
    assert turns.PackedRules(4, 10).position_key(turns.PackedRules(4, 10).start_position(13)) == 4502462282131456502
    assert (
        turns.PackedRules(5, 10).position_key((1 << 24, 3, 1 << 24 | 1, 2, 33 * 25, 33 * 25, 1)) == 4468816898693078107
    )


def test_key_bits_are_uniform(turns):
    rules, played_positions = turns.PackedRules(4, 10), played()
    for shift in (0, 20, 46):
        slots = {rules.position_key(position) >> shift & 0xFFFF for position in played_positions}
        # the expected number of filled boxes among 65536 for this number of random balls
        expected = 65536 * (1 - (1 - 1 / 65536) ** len(played_positions))
        assert abs(len(slots) - expected) < 6 * expected**0.5 / 2, shift


def test_key_ignores_grid_and_target(turns):
    position = played()[100]
    assert len({turns.PackedRules(pond.size, pond.target).position_key(position) for pond in VARIANTS.values()}) == 1
