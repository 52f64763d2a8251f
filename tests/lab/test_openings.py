"""Values of first actions."""

import pytest

from pond_hw.engine.packed import MIN_WIN_VALUE, packed_rules
from pond_hw.lab.openings import equivalent_cells, search_openings, solve_openings, square_symmetries
from pond_hw.rules import get_grid, parse_variant


def test_symmetric_cells_are_equivalent():
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


def test_symmetries_map_legal_actions():
    pond = parse_variant("3x3/4/3")
    rules = packed_rules(pond)
    for symmetry in square_symmetries(3):
        position = rules.start_position(4)
        other = rules.start_position(4)
        for _ in range(12):
            actions = rules.legal_actions(position)
            assert sorted(symmetry[n >> 5] * 32 + symmetry[n & 31] for n in actions) == sorted(
                rules.legal_actions(other)
            )
            if not actions:
                break
            action = actions[len(actions) // 2]
            position = rules.play_action(position, action)
            other = rules.play_action(other, symmetry[action >> 5] * 32 + symmetry[action & 31])


@pytest.mark.slow
def test_forced_results_agree_with_the_solver():
    pond = parse_variant("3x3/2/1")
    exact, found = solve_openings(pond), search_openings(pond, 20_000, 1)
    assert exact.keys() == found.cell_values.keys() == equivalent_cells(3).keys()
    assert (exact["b2"] >= MIN_WIN_VALUE, exact["a1"] <= -MIN_WIN_VALUE, exact["b1"] <= -MIN_WIN_VALUE) == (
        True,
        True,
        True,
    )
    assert found.cell_values["a1"] == exact["a1"]
    assert all(
        found.cell_values[cell] * exact[cell] > 0 for cell in exact if abs(found.cell_values[cell]) >= MIN_WIN_VALUE
    )
    assert 5 <= found.depth < 53


def test_equivalent_cells_have_equal_values():
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


def test_search_openings_is_reproducible():
    pond = parse_variant("mini")
    found = search_openings(pond, 1500, 1)
    assert search_openings(pond, 1500, 1) == found
    assert found.depth >= 2
    assert found.nodes >= 1500
    assert max(map(abs, found.cell_values.values())) < MIN_WIN_VALUE  # none is missing
