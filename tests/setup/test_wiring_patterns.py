"""Tests of the layouts of lamps and sensors."""

from dataclasses import replace
from math import isqrt

import pytest

from pond_hw.messages.message import Message
from pond_hw.profile.library import list_shipped, load_profile
from pond_hw.setup.wiring_findings import describe_lamps, describe_sensors
from pond_hw.setup.wiring_patterns import CELLS, DRAWN, GRID, TURNED, lamp_points, list_patterns, list_wirings
from tests.messages.says import text
from tests.setup.walker import ActualBoard, chain_rows, turn_drawing

EVERY = tuple((way, fro) for way in range(8) for fro in (False, True))


def rows_of(profile, cells):
    """Return a pattern as rows, the top row first."""
    return ActualBoard.as_drawn(replace(profile, chain=replace(profile.chain, cell_positions=cells))).lamps


def drawn_as(profile, rows):
    where = lamp_points(profile.size, isqrt(profile.chain.lamps_per_cell))
    return replace(profile, chain=replace(profile.chain, cell_positions=tuple(rows[v][u] for u, v in where)))


def find_pattern(profile, rows):
    """Return the pattern with these rows."""
    (found,) = [
        each
        for each in list_patterns(profile.size, profile.chain.cell_positions)
        if rows_of(profile, each.cells) == rows
    ]
    return found


@pytest.mark.parametrize("name", list_shipped())
@pytest.mark.parametrize(("way", "fro"), EVERY)
def test_chain_may_begin_in_any_corner(name, way, fro):
    profile = load_profile(name)
    rows = turn_drawing(
        chain_rows(sorted(profile.chain.cell_positions), len(ActualBoard.as_drawn(profile).lamps), fro), way
    )
    assert find_pattern(profile, rows)


@pytest.mark.parametrize("name", list_shipped())
@pytest.mark.parametrize("way", range(8))
def test_any_drawing_has_eight_orientations(name, way):
    profile = load_profile(name)
    found = find_pattern(profile, turn_drawing(ActualBoard.as_drawn(profile).lamps, way))
    assert found.distance == (TURNED if way else DRAWN)


@pytest.mark.parametrize("name", list_shipped())
def test_patterns_are_unique_and_use_all_lamps(name):
    profile = load_profile(name)
    found = [each.cells for each in list_patterns(profile.size, profile.chain.cell_positions)]
    assert len(set(found)) == len(found)
    assert all(sorted(each) == sorted(profile.chain.cell_positions) for each in found)


def test_strips_and_unused_lamps_stay_in_place():
    profile = load_profile("pwm-4x4")
    chain = replace(
        profile.chain, cell_positions=tuple(position + 1 for position in profile.chain.cell_positions), lamp_count=17
    )
    assert {0} == set(range(17)).difference(*(each.cells for each in list_patterns(4, chain.cell_positions)))


def test_duplicate_patterns_are_dropped():
    assert len(list_patterns(4, load_profile("pwm-4x4").chain.cell_positions)) == 16
    assert len(list_patterns(4, load_profile("hall-4x4").chain.cell_positions)) == 32


def test_irregular_drawing_adds_eight_patterns():
    profile = load_profile("pwm-4x4")
    wild = [[3, 0, 7, 12], [1, 14, 9, 2], [8, 4, 15, 5], [10, 6, 11, 13]]
    assert len(list_patterns(4, drawn_as(profile, wild).chain.cell_positions)) == 16 + 8


def test_patterns_are_described():
    profile = load_profile("pwm-4x4")  # drawn serpentine from the top left
    rows, straight = ActualBoard.as_drawn(profile).lamps, chain_rows(range(16), 4, False)
    assert describe_lamps(find_pattern(profile, rows)) == Message("lamps.as_drawn")
    assert describe_lamps(find_pattern(profile, turn_drawing(rows, 1))) == Message("lamps.turned", turn="right")
    assert describe_lamps(find_pattern(profile, [row[::-1] for row in rows])) == Message(
        "lamps.turned", turn="left_right"
    )
    path = {"corner": "top_left", "course": "rows_straight"}
    assert describe_lamps(find_pattern(profile, straight)) == Message("lamps.chain", **path)
    path = {"corner": "top_right", "course": "columns_straight"}
    assert describe_lamps(find_pattern(profile, turn_drawing(straight, 1))) == Message("lamps.chain", **path)
    back = find_pattern(profile, turn_drawing(rows, 2)).path
    assert (back.corner, back.course) == ("bottom_right", "rows_to_and_fro")


@pytest.mark.parametrize("name", list_shipped())
def test_every_pattern_has_a_description(name):
    profile = load_profile(name)
    for lamps in list_patterns(profile.size, profile.chain.cell_positions):
        assert text(describe_lamps(lamps)).endswith(".")
    wirings = list_wirings(profile.size, by_line=True)
    assert len({describe_sensors(wires) for wires in wirings}) == len(wirings)
    assert all(text(describe_sensors(wires)).endswith(".") for wires in wirings)


def test_order_within_a_cell_turns_with_the_board():
    profile = load_profile("hall-4x4")
    rows = [
        [0, 1, 4, 5, 8, 9, 12, 13],
        [3, 2, 7, 6, 11, 10, 15, 14],
        [16, 17, 20, 21, 24, 25, 28, 29],
        [19, 18, 23, 22, 27, 26, 31, 30],
        [32, 33, 36, 37, 40, 41, 44, 45],
        [35, 34, 39, 38, 43, 42, 47, 46],
        [48, 49, 52, 53, 56, 57, 60, 61],
        [51, 50, 55, 54, 59, 58, 63, 62],
    ]
    path = {"corner": "top_left", "course": "rows_straight"}
    assert describe_lamps(find_pattern(profile, rows)) == Message("lamps.chain_of_cells", **path)
    for way in range(1, 8):
        assert find_pattern(profile, turn_drawing(rows, way)).distance == CELLS
    mine = drawn_as(profile, turn_drawing(rows, 3))
    assert find_pattern(mine, turn_drawing(rows, 3)).distance == DRAWN
    assert all(find_pattern(mine, turn_drawing(rows, way)).distance == TURNED for way in range(8) if way != 3)


def test_path_over_all_lamps_is_not_a_cell_path():
    profile = load_profile("matrix-5x5")
    nears = [each.distance for each in list_patterns(5, profile.chain.cell_positions)]
    assert nears == sorted(nears)
    assert [nears.count(near) for near in (DRAWN, TURNED, GRID, CELLS)] == [1, 7, 8, 16]


@pytest.mark.parametrize("size", [3, 4, 5])
def test_sensor_wirings_are_turned_or_serpentine(size):
    found = {each.inputs: each for each in list_wirings(size)}
    assert len(found) == len(list_wirings(size)) == 24
    drawn = [[y * size + x for x in range(size)] for y in reversed(range(size))]
    fro = [row[::-1] if line % 2 else row for line, row in enumerate(drawn)]
    for base, nears in ((drawn, (0, 1)), (fro, (2, 2))):
        for way in range(8):
            rows = turn_drawing(base, way)
            each = found[tuple(i for row in rows[::-1] for i in row)]
            assert each.distance == nears[way > 0]
    right = found[tuple(i for row in turn_drawing(drawn, 1)[::-1] for i in row)]
    assert describe_sensors(right) == Message("sensors.turned", turn="right")
