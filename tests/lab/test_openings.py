"""First actions: those alike are one, and what they are worth is what an exact solver says."""

import pytest

from pond_hw.engine.packed import SURE, rules_of
from pond_hw.lab.openings import alike, images, solved, valued
from pond_hw.rules import grid, variant


def test_cells_that_are_alike_when_the_board_is_turned_or_mirrored_are_one():
    assert alike(4) == {
        "a1": ("a1", "d1", "a4", "d4"),
        "b1": ("b1", "c1", "a2", "d2", "a3", "d3", "b4", "c4"),
        "b2": ("b2", "c2", "b3", "c3"),
    }
    many = {cell: len(same) for cell, same in alike(5).items()}
    assert many == {"a1": 4, "b1": 8, "c1": 4, "b2": 4, "c2": 4, "c3": 1}
    for size in (3, 4, 5):
        assert sorted(cell for same in alike(size).values() for cell in same) == sorted(grid(size).cells)
        assert len(set(images(size))) == 8


def test_an_image_of_a_game_is_a_game():
    pond = variant("3x3/4/3")
    rules = rules_of(pond)
    for way in images(3):
        position = rules.start(4)
        other = rules.start(4)
        for _ in range(12):
            actions = rules.actions(position)
            assert sorted(way[n >> 5] * 32 + way[n & 31] for n in actions) == sorted(rules.actions(other))
            if not actions:
                break
            action = actions[len(actions) // 2]
            position = rules.play(position, action)
            other = rules.play(other, way[action >> 5] * 32 + way[action & 31])


@pytest.mark.slow
def test_what_is_sure_by_looking_ahead_is_true():
    pond = variant("3x3/2/1")
    truth, found = solved(pond), valued(pond, 20_000, 1)
    assert truth.keys() == found.values.keys() == alike(3).keys()
    assert (truth["b2"] >= SURE, truth["a1"] <= -SURE, truth["b1"] <= -SURE) == (True, True, True)
    assert found.values["a1"] == truth["a1"]
    assert all(found.values[cell] * truth[cell] > 0 for cell in truth if abs(found.values[cell]) >= SURE)
    assert 5 <= found.depth < 53


def test_cells_that_are_alike_have_equal_values():
    from pond_hw.engine.packed import Search

    pond = variant("mini")
    rules = rules_of(pond)
    search = Search(rules, 1 << 12)
    search.reduces = False
    search.begin(rules.start(pond.spawn), [], bool, margin=40_000)
    for depth in (1, 2, 3):
        assert search.deepen(depth)
    cells = grid(4).cells
    values = {cells[action // 33]: value for action, value in zip(search.actions, search.values, strict=True)}
    for same in alike(4).values():
        assert len({values[cell] for cell in same}) == 1, same


def test_the_same_search_has_the_same_answer_and_all_values_are_of_one_depth():
    pond = variant("mini")
    found = valued(pond, 1500, 1)
    assert valued(pond, 1500, 1) == found
    assert found.depth >= 2
    assert found.nodes >= 1500
    assert max(map(abs, found.values.values())) < SURE  # none is missing
