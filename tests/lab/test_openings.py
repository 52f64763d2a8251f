"""First actions: those alike are one, and what they are worth is what an exact solver says."""

import pytest

from pond_hw.engine.packed import SURE_VALUE, packed_rules
from pond_hw.lab.openings import equivalent_cells, search_openings, solve_openings, square_symmetries
from pond_hw.rules import get_grid, parse_variant


def test_cells_that_are_alike_when_the_board_is_turned_or_mirrored_are_one():
    assert equivalent_cells(4) == {
        "a1": ("a1", "d1", "a4", "d4"),
        "b1": ("b1", "c1", "a2", "d2", "a3", "d3", "b4", "c4"),
        "b2": ("b2", "c2", "b3", "c3"),
    }
    many = {cell: len(same) for cell, same in equivalent_cells(5).items()}
    assert many == {"a1": 4, "b1": 8, "c1": 4, "b2": 4, "c2": 4, "c3": 1}
    for size in (3, 4, 5):
        assert sorted(cell for same in equivalent_cells(size).values() for cell in same) == sorted(get_grid(size).cells)
        assert len(set(square_symmetries(size))) == 8


def test_an_image_of_a_game_is_a_game():
    pond = parse_variant("3x3/4/3")
    rules = packed_rules(pond)
    for way in square_symmetries(3):
        position = rules.start_position(4)
        other = rules.start_position(4)
        for _ in range(12):
            actions = rules.legal_actions(position)
            assert sorted(way[n >> 5] * 32 + way[n & 31] for n in actions) == sorted(rules.legal_actions(other))
            if not actions:
                break
            action = actions[len(actions) // 2]
            position = rules.play_action(position, action)
            other = rules.play_action(other, way[action >> 5] * 32 + way[action & 31])


@pytest.mark.slow
def test_what_is_sure_by_looking_ahead_is_true():
    pond = parse_variant("3x3/2/1")
    truth, found = solve_openings(pond), search_openings(pond, 20_000, 1)
    assert truth.keys() == found.cell_values.keys() == equivalent_cells(3).keys()
    assert (truth["b2"] >= SURE_VALUE, truth["a1"] <= -SURE_VALUE, truth["b1"] <= -SURE_VALUE) == (True, True, True)
    assert found.cell_values["a1"] == truth["a1"]
    assert all(
        found.cell_values[cell] * truth[cell] > 0 for cell in truth if abs(found.cell_values[cell]) >= SURE_VALUE
    )
    assert 5 <= found.depth < 53


def test_cells_that_are_alike_have_equal_values():
    from pond_hw.engine.packed import PackedSearch

    pond = parse_variant("mini")
    rules = packed_rules(pond)
    search = PackedSearch(rules, 1 << 12)
    search.is_selective = False
    search.begin_search(rules.start_position(pond.spawn), [], bool, value_margin=40_000)
    for depth in (1, 2, 3):
        assert search.search_depth(depth)
    cells = get_grid(4).cells
    values = {cells[action // 33]: value for action, value in zip(search.actions, search.values, strict=True)}
    for same in equivalent_cells(4).values():
        assert len({values[cell] for cell in same}) == 1, same


def test_the_same_search_has_the_same_answer_and_all_values_are_of_one_depth():
    pond = parse_variant("mini")
    found = search_openings(pond, 1500, 1)
    assert search_openings(pond, 1500, 1) == found
    assert found.depth >= 2
    assert found.nodes >= 1500
    assert max(map(abs, found.cell_values.values())) < SURE_VALUE  # none is missing
