"""The search gives the same results as an exhaustive search, and can be stopped at any time."""

from random import Random

import pytest

from pond_hw.engine.packed import MIN_WIN_VALUE, WIN_VALUE, pack_action, pack_position
from pond_hw.rules import VARIANTS, Action, Position, parse_variant

PONDS = "standard", "big", "mini", "3x3/8/5"


def rules_of(kernel, pond):
    return kernel.rules.PackedRules(pond.size, pond.target)


def reached(rules, pond, seed, plies):
    """Return an unfinished position of a random game, and the keys of the positions before it."""
    while True:
        rng, position, past = Random(seed), rules.start_position(pond.spawn), []
        for _ in range(plies):
            if not rules.count_actions(position):
                break
            past.append(rules.position_key(position))
            position = rules.play_action(position, rng.choice(rules.legal_actions(position)))
        if rules.count_actions(position):
            return position, past
        seed += 1000


class Everything:
    """Exhaustive search in twenty lines. It plays every action to the full depth, without a table or pruning."""

    def __init__(self, kernel, rules, draw_value=0):
        self.rules, self.kernel, self.draw_value = rules, kernel.search, draw_value
        self.judge = kernel.search.PackedSearch(rules, 2)

    def value(self, position, depth, ply, path):
        if ended := self.ended(position, ply):
            return ended[0]
        if depth < 1:
            return self.exchange(position, ply, self.kernel.EXCHANGE_DEPTH)
        key = self.rules.position_key(position)
        if key in path[-4::-2] and ply:
            return self.value_of_draw(ply)
        return max(
            -self.value(self.rules.play_action(position, action), depth - 1, ply + 1, [*path, key])
            for action in self.rules.legal_actions(position)
        )

    def exchange(self, position, ply, left):
        if ended := self.ended(position, ply):
            return ended[0]
        best = self.judge.evaluate_position(position, self.rules.count_actions(position))
        for action in self.rules.legal_actions(position) if left else ():
            after = self.rules.play_action(position, action)
            light = (after[5] & 31) - (position[5] & 31) - (after[5] >> 5) + (position[5] >> 5)
            if (-light if position[6] else light) > 0:
                best = max(best, -self.exchange(after, ply + 1, left - 1))
        return best

    def ended(self, position, ply):
        turns = self.rules.outcome(position)
        if not turns:
            return None
        winner = {1: 0, 2: 1}.get(turns)
        if winner is None:
            return (self.value_of_draw(ply),)
        return (WIN_VALUE - ply if winner == position[6] else ply - WIN_VALUE,)

    def value_of_draw(self, ply):
        return -self.draw_value if ply % 2 else self.draw_value


@pytest.mark.parametrize("name", PONDS)
def test_search_matches_exhaustive_search(kernel, name):
    pond = parse_variant(name)
    rules = rules_of(kernel, pond)
    search = kernel.search.PackedSearch(rules, 1 << 12)
    search.is_selective = False
    plain = kernel.rules.__file__.endswith(".py")
    for plies in (0, 14, 26) if plain else (0, 9, 14, 19, 26, 33):
        position, past = reached(rules, pond, plies, plies)
        draw_value = -25 if plies % 2 else 0
        everything = Everything(kernel, rules, draw_value)
        search.begin_search(position, past, bool, value_margin=2 * WIN_VALUE, draw_value=draw_value)
        for depth in (1, 2) if plain or pond.size == 5 else (1, 2, 3):
            assert search.search_depth(depth)
            found = dict(zip(search.actions, search.values, strict=True))
            for action, value in found.items():
                path = [*past, rules.position_key(position)]
                truth = -everything.value(rules.play_action(position, action), depth - 1, 1, path)
                assert value == truth, (position, depth, action)


def test_plain_and_compiled_search_the_same_positions(kernel):
    """The result of the plain kernel is the reference."""
    pond = VARIANTS["standard"]
    rules = rules_of(kernel, pond)
    search = kernel.search.PackedSearch(rules, 1 << 10)
    reported = []
    for plies in (0, 11, 22):
        position, past = reached(rules, pond, 5, plies)
        search.begin_search(position, past, bool, max_nodes=3000, value_margin=60)
        depth = 1
        while search.search_depth(depth):
            depth += 1
        reported.append(
            (search.actions[0], search.values[0], search.finished_depth, search.nodes, search.principal_variation(4))
        )
    from pond_hw.engine.packed import PLAIN_KERNEL

    if kernel is not PLAIN_KERNEL:
        rules = rules_of(PLAIN_KERNEL, pond)
        search = PLAIN_KERNEL.search.PackedSearch(rules, 1 << 10)
        for plies, compiled in zip((0, 11, 22), reported, strict=True):
            position, past = reached(rules, pond, 5, plies)
            search.begin_search(position, past, bool, max_nodes=3000, value_margin=60)
            depth = 1
            while search.search_depth(depth):
                depth += 1
            plain = (
                search.actions[0],
                search.values[0],
                search.finished_depth,
                search.nodes,
                search.principal_variation(4),
            )
            assert plain == compiled


def test_win_value_includes_distance(kernel):
    #   4 . . . .      light has nine points; an egg on d1 completes a set of its own
    #   3 . . . E
    #   2 . . t F
    #   1 . . . .
    pond = VARIANTS["standard"]
    position = pack_position(Position.from_notation("..../...E/..tF/.... l 2 10 9 2", pond))
    search = kernel.search.PackedSearch(rules_of(kernel, pond), 1 << 10)
    search.begin_search(position, [], bool)
    search.search_depth(1)
    assert search.actions[0] == pack_action(Action.from_notation("@d1"), pond)
    assert search.values[0] == WIN_VALUE - 1


def test_repetition_counts_as_a_draw(kernel):
    """Light is three pieces behind and can only move back and forth, which repeats positions."""
    #   3 . . .    light's frog on a1, dark's on c3, nothing in the spawns
    #   2 . . .
    #   1 F . .
    pond = parse_variant("3x3/4/4")
    rules = rules_of(kernel, pond)
    first = pack_position(Position.from_notation("..f/.../F.. l 0 0 3 3", pond))
    there = [pack_action(Action.from_notation(text), pond) for text in ("a1b1", "c3b3", "b1a1", "b3c3")]
    position, past = first, []
    for action in there[:3]:
        past.append(rules.position_key(position))
        position = rules.play_action(position, action)
    search = kernel.search.PackedSearch(rules, 1 << 10)
    back = there[3]
    assert rules.position_key(rules.play_action(position, back)) == past[0]
    for draw_value in (0, -25):
        search.begin_search(position, past, bool, value_margin=2 * WIN_VALUE, draw_value=draw_value)
        search.search_depth(4)
        assert dict(zip(search.actions, search.values, strict=True))[back] == draw_value


@pytest.mark.parametrize("most", [50, 500, 5000])
def test_search_stops_at_node_limit_with_partial_result(kernel, most):
    rules = rules_of(kernel, VARIANTS["standard"])
    search = kernel.search.PackedSearch(rules, 1 << 10)
    position, past = reached(rules, VARIANTS["standard"], 3, 12)
    found = []
    for _ in range(2):
        search.begin_search(position, past, bool, max_nodes=most)
        depth = 1
        while search.search_depth(depth):
            depth += 1
        assert search.stopped
        assert search.finished_depth == depth - 1
        assert sorted(search.actions) == sorted(rules.legal_actions(position))
        found.append((search.actions, search.values, search.nodes))
    assert found[0] == found[1]


def test_search_stops_on_request(kernel):
    rules = rules_of(kernel, VARIANTS["big"])
    search = kernel.search.PackedSearch(rules, 1 << 10)
    asked = []

    def stop():
        asked.append(search.nodes)
        return len(asked) == 5

    search.begin_search(rules.start_position(14), [], stop, node_interval=100)
    depth = 1
    while search.search_depth(depth):
        depth += 1
    assert len(asked) == 5
    assert search.stopped
    assert search.nodes - asked[-1] <= 1


def test_error_in_stop_callback_propagates(kernel):
    def stop():
        raise KeyboardInterrupt

    rules = rules_of(kernel, VARIANTS["standard"])
    search = kernel.search.PackedSearch(rules, 1 << 10)
    search.begin_search(rules.start_position(13), [], stop, node_interval=10)
    search.search_depth(1)
    with pytest.raises(KeyboardInterrupt):
        search.search_depth(9)


def test_principal_variation_is_legal(kernel):
    pond = VARIANTS["standard"]
    rules = rules_of(kernel, pond)
    search = kernel.search.PackedSearch(rules, 1 << 14)
    for seed in range(5):
        position, past = reached(rules, pond, seed, 8 + 3 * seed)
        search.begin_search(position, past, bool)
        for depth in range(1, 5):
            search.search_depth(depth)
        line = search.principal_variation(4)
        assert line[0] == search.actions[0]
        for action in line:
            assert action in rules.legal_actions(position)
            position = rules.play_action(position, action)


def test_values_for_the_two_sides_are_opposite(kernel):
    rules = rules_of(kernel, VARIANTS["standard"])
    search = kernel.search.PackedSearch(rules, 2)
    for seed in range(10):
        position = reached(rules, VARIANTS["standard"], seed, 15)[0]
        other = (*position[:6], 1 - position[6])
        value = search.evaluate_position(position, rules.count_actions(position))
        assert value == -search.evaluate_position(other, rules.count_actions(other))


def test_forced_win_values_allow_for_the_longest_game():
    assert 0 < MIN_WIN_VALUE < WIN_VALUE - 60


def test_depth_zero_sees_actions_but_no_replies(kernel):
    for name in PONDS:
        pond = parse_variant(name)
        rules = rules_of(kernel, pond)
        search = kernel.search.PackedSearch(rules, 2)
        for plies in (0, 12, 25):
            position, past = reached(rules, pond, plies, plies)
            search.begin_search(position, past, bool)
            search.rank_actions()
            assert search.values == sorted(search.values, reverse=True)
            assert sorted(search.actions) == sorted(rules.legal_actions(position))
            everything = Everything(kernel, rules)
            for action, value in zip(search.actions, search.values, strict=True):
                assert value == -everything.exchange(rules.play_action(position, action), 1, 0)


def test_repeated_search_gives_the_same_answer(kernel):
    """A table entry has only eight bits for the number of the search that stored it."""
    rules = rules_of(kernel, VARIANTS["standard"])
    search = kernel.search.PackedSearch(rules, 1 << 8)
    position, past = reached(rules, VARIANTS["standard"], 4, 10)
    work = []
    for others in (0, 254, 255, 256):
        for _ in range(others):
            search.begin_search(rules.start_position(13), [], bool)
        search.begin_search(position, past, bool)
        for depth in (1, 2, 3):
            search.search_depth(depth)
        work.append(search.nodes)
    assert len(set(work)) == 1


def test_reused_table_saves_work(kernel):
    rules = rules_of(kernel, VARIANTS["standard"])
    search = kernel.search.PackedSearch(rules, 1 << 12)
    position, past = reached(rules, VARIANTS["standard"], 4, 10)
    work = []
    for keep in (False, False, True):
        search.begin_search(position, past, bool, keep_table=keep)
        for depth in (1, 2, 3, 4):
            search.search_depth(depth)
        work.append(search.nodes)
    assert work[0] == work[1] > work[2]
