"""Learned evaluation: the same in both kernels, for both sides and in every orientation."""

import lzma
from random import Random

import pytest

from pond_hw.engine.learned_values import LEARNED_SIZES, learned_evaluation, values_path
from pond_hw.engine.packed import MIN_WIN_VALUE, PLAIN_KERNEL
from pond_hw.engine.packed.evaluation import COUNT_NUMBERS, PHASES, pattern_count
from pond_hw.engine.searcher import Searcher
from pond_hw.rules import parse_variant
from tests.engine.packed.test_search import Everything, reached, rules_of

PONDS = "standard", "mini", "small-14", "big", "big-15", "4x4/25/20", "5x5/3/2"
EACH_GRID = pytest.mark.parametrize("name", ["standard", pytest.param("big", marks=pytest.mark.slow)])


def shipped_numbers(size):
    return lzma.decompress(values_path(size).read_bytes())


def search_of(kernel, name, numbers=b""):
    pond = parse_variant(name)
    learned = kernel.evaluation.LearnedEvaluation(pond.size, pond.target, numbers or shipped_numbers(pond.size))
    return pond, kernel.search.PackedSearch(rules_of(kernel, pond), 1 << 10, learned)


def played(rules, pond, games=3):
    """Yield the unfinished positions of some random games."""
    rng = Random(1)
    for _ in range(games):
        position = rules.start_position(pond.spawn)
        while actions := rules.legal_actions(position):
            yield position
            position = rules.play_action(position, rng.choice(actions))


def value_of(search, position):
    return search.evaluate_position(position, search.rules.count_actions(position))


def turned(position, size, way):
    """Return a position after rotating and mirroring it."""

    def image(mask):
        result = 0
        for cell in range(size * size):
            if mask >> cell & 1:
                y, x = divmod(cell, size)
                x, y = (size - 1 - x if way & 1 else x), (size - 1 - y if way & 2 else y)
                result |= 1 << (x * size + y if way & 4 else y * size + x)
        return result

    return (*map(image, position[:4]), *position[4:])


@pytest.mark.parametrize("name", PONDS)
def test_plain_and_compiled_agree(kernel, name):
    pond, search = search_of(kernel, name)
    _, plain = search_of(PLAIN_KERNEL, name)
    values = [value_of(search, position) for position in played(search.rules, pond)]
    assert values == [value_of(plain, position) for position in played(plain.rules, pond)]
    assert len(set(values)) > 10
    assert max(map(abs, values)) < MIN_WIN_VALUE


@pytest.mark.parametrize("name", PONDS)
def test_evaluation_ignores_rotation_and_colour_swap(kernel, name):
    pond, search = search_of(kernel, name)
    for position in list(played(search.rules, pond))[::5]:
        light, dark, eggs, tadpoles, spawn, scored, mover = position
        value = value_of(search, position)
        assert {value_of(search, turned(position, pond.size, way)) for way in range(8)} == {value}
        pairs = [(pair >> 5) + 32 * (pair & 31) for pair in (spawn, scored)]
        assert value_of(search, (dark, light, eggs, tadpoles, *pairs, 1 - mover)) == value


@EACH_GRID
def test_evaluation_adds_exactly_the_expected_entries(kernel, name):
    """Each entry contains the last byte of its own index, so that a sum reveals which entries were used."""
    size = parse_variant(name).size
    for shift in (0, 7, 14):
        count = PHASES * (pattern_count(size) + COUNT_NUMBERS)
        numbers = bytes(128 + (index >> shift & 127) for index in range(count))
        pond, search = search_of(kernel, name, numbers)
        for position in list(played(search.rules, pond, 2))[::7]:
            places = expected_places(search.rules, position, size)
            gain = (position[5] & 31) - (position[5] >> 5)
            expected = 100 * (-gain if position[6] else gain) + 2 * sum(place >> shift & 127 for place in places)
            assert value_of(search, position) == expected


def expected_places(rules, position, size):
    """Return the table indices of a position, computed cell by cell."""
    light, dark, eggs, tadpoles, spawn, scored, mover = position
    own, other = (dark, light) if mover else (light, dark)

    def digit(x, y):
        bit = 1 << y * size + x
        symbol = 1 if eggs & bit else 2 if tadpoles & bit else 3
        return symbol if own & bit else symbol + 3 if other & bit else 0

    spawns, scores = ([pair >> 5, pair & 31] if mover else [pair & 31, pair >> 5] for pair in (spawn, scored))
    phase = 0 if sum(spawns) >= 14 else 2 if sum(spawns) <= 5 else 1
    places, tables = [], (size + 1) // 2
    for swapped in (False, True):

        def cell(along, line, swapped=swapped):
            return digit(line, along) if swapped else digit(along, line)

        for line in range(size):
            code = sum(cell(along, line) * 7**along for along in range(size))
            places.append(phase * pattern_count(size) + min(line, size - 1 - line) * 7**size + code)
        near_lines = [(0, 1, 0), (size - 1, -1, 0), (1, 1, 1)] + ([(3, -1, 1)] if size == 5 else [])
        for near, step, kind in near_lines:
            for first, along_step, part in ((0, 1, 0), (size - 1, -1, 0), (1, 1, 1))[: 3 if size == 5 else 2]:
                block = sum(
                    cell(first + along_step * index, near + step * row) * 7 ** (index + 3 * row)
                    for row in range(2)
                    for index in range(3)
                )
                table = kind + 2 * part
                places.append(phase * pattern_count(size) + tables * 7**size + table * 7**6 + block)
    needs = [min(rules.target - score, 10) for score in scores]
    actions = [rules.count_actions(position), rules.count_actions((*position[:6], 1 - mover))]
    counts = [needs[0] * 11 + needs[1], 121 + min(spawns[0], 15) * 16 + min(spawns[1], 15)]
    counts += [377 + min(actions[0], 47), 425 + min(actions[1], 47)]
    return places + [3 * pattern_count(size) + phase * COUNT_NUMBERS + count for count in counts]


@EACH_GRID
def test_search_with_evaluation_matches_full_search(kernel, name):
    pond, search = search_of(kernel, name)
    everything = Everything(kernel, search.rules)
    everything.judge = search_of(kernel, name)[1]
    search.is_selective = False
    for plies in (13, 24):
        position, past = reached(search.rules, pond, plies, plies)
        search.begin_search(position, past, bool, value_margin=40_000)
        for depth in (1, 2):
            assert search.search_depth(depth)
            for action, value in zip(search.actions, search.values, strict=True):
                path = [*past, search.rules.position_key(position)]
                assert value == -everything.value(search.rules.play_action(position, action), depth - 1, 1, path)


def test_plain_and_compiled_search_same_positions(kernel):
    found = []
    for each in (kernel, PLAIN_KERNEL):
        pond, search = search_of(each, "standard")
        position, past = reached(search.rules, pond, 5, 17)
        search.begin_search(position, past, bool, max_nodes=3000)
        depth = 1
        while search.search_depth(depth):
            depth += 1
        found.append((search.actions, search.values, search.nodes, search.principal_variation(4)))
    assert found[0] == found[1]


def test_learned_files_are_small_and_complete():
    assert sum(values_path(size).stat().st_size for size in LEARNED_SIZES) < 1_000_000
    for size in LEARNED_SIZES:
        assert len(shipped_numbers(size)) == PHASES * (pattern_count(size) + COUNT_NUMBERS)


def test_grids_of_three_rows_have_no_learned_values():
    assert learned_evaluation(parse_variant("3x3/6/3")) is None
    assert learned_evaluation(parse_variant("mini")) is not None


def test_searcher_can_ignore_learned_values():
    from pond_hw.engine.engines import EngineGame
    from pond_hw.engine.searcher import SearchLimits
    from pond_hw.rules import Record

    game = EngineGame.from_record(Record())
    with_it, without = (
        Searcher(1, uses_learned=uses).search_game(game, SearchLimits(depth=2)) for uses in (True, False)
    )
    assert with_it.values != without.values
    assert {value % 3 for value in without.values} == {0}  # mobility only: no set is possible within two actions
