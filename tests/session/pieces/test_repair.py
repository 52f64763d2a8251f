"""Accidents and their repair."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pond_hw.messages.message import Message
from pond_hw.rules import DARK, LIGHT, Side, get_grid
from pond_hw.session import (
    CellRole,
    RepairStep,
)
from pond_hw.session.pieces.interpretations import (
    STUCK_SECONDS,
)
from pond_hw.session.pieces.repair import plan_repair
from tests.session.pieces.helpers import (
    A_DAY,
    ABOUT_TO_SCORE,
    SHORT_REST,
    follow_lamps,
    lift_pieces,
    make_table,
    missing,
    played,
    put_pieces,
)
from tests.session.pieces.oracle import follow_lamp
from tests.session.tables import HOLD


@st.composite
def boards(draw, most=3):
    """Draw a grid, the expected owners by cell, the actual owners, and whether sensors know them."""
    on = get_grid(draw(st.sampled_from((3, 4, 5))))
    sides = st.dictionaries(st.sampled_from(on.cells), st.sampled_from(Side), max_size=len(on.cells))
    expected = draw(sides)
    lifted = draw(st.lists(st.sampled_from(sorted(expected)), max_size=most, unique=True)) if expected else []
    stands = {cell: side for cell, side in expected.items() if cell not in lifted}
    free = sorted(set(on.cells) - stands.keys())
    put = draw(st.lists(st.sampled_from(free), max_size=most, unique=True)) if free else []
    stands |= {cell: draw(st.sampled_from(Side)) for cell in put}
    return on, expected, stands, draw(st.booleans())


def differences(expected, stands, owners_known):
    """Return the missing and extra pieces as detected."""
    missing = {cell: side for cell, side in expected.items() if cell not in stands}
    extra = {cell: side if owners_known else None for cell, side in stands.items() if cell not in expected}
    strangers = [cell for cell in stands if owners_known and stands[cell] is not expected.get(cell, stands[cell])]
    missing |= {cell: expected[cell] for cell in strangers}
    return missing, extra | {cell: stands[cell] for cell in strangers}


@given(boards(most=6))
@example((get_grid(3), {"a1": LIGHT, "b1": DARK}, {"a1": DARK, "b1": LIGHT}, True))
@example((get_grid(3), {"a1": LIGHT}, {"a1": DARK}, True))
def test_following_repair_steps_restores_agreement(board):
    on, expected, stands, owners_known = board
    missing, extra = differences(expected, stands, owners_known)
    most = len(missing) + len(extra) if owners_known else max(len(missing), len(extra))
    done = 0
    while missing or extra:
        source, target = plan_repair(on, missing, extra)[0]
        assert source is not None or target is not None
        assert source is None or source in extra, "there is no piece to take"
        assert target is None or (target in missing and target not in extra), "the target is not a free missing cell"
        moved = stands.pop(source) if source else expected[target]
        if target:
            stands[target] = moved
        missing, extra = differences(expected, stands, owners_known)
        done += 1
        assert done <= most, "the steps do not lead to agreement"
    if owners_known:
        assert stands == expected
    else:
        assert stands.keys() == expected.keys()


@given(boards(), st.randoms(use_true_random=False))
def test_every_differing_cell_is_in_exactly_one_step(board, rng):
    on, expected, stands, owners_known = board
    missing, extra = differences(expected, stands, owners_known)
    found = plan_repair(on, missing, extra)
    assert sorted(step.source for step in found if step.source) == sorted(extra)
    assert sorted(step.target for step in found if step.target) == sorted(missing)
    shuffled = [dict(rng.sample(sorted(cells.items()), len(cells))) for cells in (missing, extra)]
    assert plan_repair(on, *shuffled) == found


def test_extra_piece_goes_to_nearest_missing_cell():
    on = get_grid(4)
    assert plan_repair(on, {"a1": LIGHT, "d4": DARK}, {"c4": None, "b1": None}) == (
        RepairStep("b1", "a1"),
        RepairStep("c4", "d4"),
    )


def test_extra_pieces_are_removed_before_missing_pieces_are_added():
    on = get_grid(3)
    assert plan_repair(on, {"a1": LIGHT}, {"c3": DARK}) == (RepairStep("c3", None), RepairStep(None, "a1"))
    assert plan_repair(on, {"a1": LIGHT}, {}) == (RepairStep(None, "a1"),)
    assert plan_repair(on, {}, {"c3": None, "a1": None}) == (RepairStep("a1", None), RepairStep("c3", None))


def test_swapped_pieces_change_places_off_the_board():
    on = get_grid(3)
    swapped = plan_repair(on, {"a1": LIGHT, "c3": DARK}, {"a1": DARK, "c3": LIGHT})
    assert swapped == (RepairStep("a1", None), RepairStep("c3", "a1"), RepairStep(None, "c3"))


def test_piece_waits_until_its_cell_is_free():
    on = get_grid(3)
    found = plan_repair(on, {"a1": LIGHT, "c1": DARK}, {"a1": DARK, "b1": LIGHT})
    assert found == (RepairStep("a1", "c1"), RepairStep("b1", "a1"))


# Accidents


@pytest.mark.parametrize(
    ("fallen", "steps"),
    [
        ({"a4": "b4"}, 1),
        ({"a4": None}, 1),
        ({"d4": None, "a1": "b1"}, 2),
        ({"a1": "a2", "b2": "c3"}, 2),
        ({"a1": None, "a4": "a3", "d1": None}, 3),
        ({"a1": "b1", "b2": "c2", "d1": None, "d4": "c4"}, 4),
        ({"a1": "b1", "b2": None, "d1": "d2", "d4": "c4", "a4": "a3"}, 5),
    ],
    ids=lambda value: f"{len(value)} pieces" if isinstance(value, dict) else "",
)
def test_knocked_over_pieces_are_repaired_one_at_a_time(fallen, steps):
    table = make_table()
    for cell, to in fallen.items():
        table.lift(cell)
        if to:
            table.wait(0.05).drop(to)
    table.wait(SHORT_REST)
    assert (played(table), table.phase) == ("", "differs")
    if steps > 1:
        assert {*fallen, *fallen.values()} - {None} <= table.named
        assert Message("repair.more", count=steps - 1) in table.messages
    assert len(table.shown(CellRole.TAKE_OFF)) <= 1
    assert len(table.shown(CellRole.PUT, CellRole.CHOSEN)) <= 1
    assert follow_lamps(table) <= steps
    assert table.at_rest()
    assert played(table) == ""


@pytest.mark.parametrize("up_or_down", [1, -1], ids=["up", "down"])
@pytest.mark.parametrize("gap", [0.0, 0.05, 0.2])
def test_sweeping_a_row_takes_no_turn(gap, up_or_down):
    table = make_table("e..f/..../TtFe/E... l 10 9 0 0")
    for column in "abcd":
        table.lift(f"{column}2").wait(gap / 2)
        if f"{column}{2 + up_or_down}" not in table.detected:
            table.drop(f"{column}{2 + up_or_down}")
        table.wait(gap / 2)
    table.wait(SHORT_REST)
    assert (played(table), table.phase) == ("", "differs")
    assert missing("a2", "b2", "c2", "d2") in table.messages
    assert follow_lamps(table) <= 8
    assert table.at_rest()
    assert played(table) == ""


def test_sweep_with_legal_first_move_takes_no_turn():
    table = make_table(ABOUT_TO_SCORE)
    for cell, to in (("a2", "a3"), ("b2", "b3"), ("c2", "c3")):  # a2 can only go to a3
        table.lift(cell).wait(0.1).drop(to).wait(0.1)
    table.wait(SHORT_REST)
    assert (played(table), table.phase) == ("", "differs")
    assert follow_lamps(table) == 3
    assert table.at_rest()


@pytest.mark.parametrize("fallen", [("c3", "a1"), ("a1", "b2", "c3"), ("a4", "c2", "c3", "d1"), ("c2", "c3", "a1")])
def test_slow_repair_undoes_no_turn(fallen):
    table = put_pieces(make_table(), "c3", "c2", rest=1.0)
    table.lift(*fallen).wait(60)
    assert (played(table), table.phase) == ("@c3 @c2", "differs")
    for _ in fallen:
        assert follow_lamp(table)
        table.wait(30)
        assert played(table) == "@c3 @c2"
    assert table.phase == "act"
    assert table.detected == table.position.pieces.keys()


def test_repair_in_another_order_undoes_no_turn():
    table = put_pieces(make_table(), "c3", rest=1.0).lift("a1", "b2", "c3").wait(1.0)
    put_pieces(table, "b2", "a1").wait(60)  # the last turn's piece is still missing
    assert (played(table), table.phase, table.shown(CellRole.PUT)) == ("@c3", "differs", ["c3"])
    put_pieces(table, "c3")
    assert (played(table), table.phase) == ("@c3", "act")
    lift_pieces(table, "c3").wait(HOLD)  # from now on it is a gesture again
    assert played(table) == ""


def test_two_stuck_sensors_are_masked_in_turn():
    table = make_table().drop("c3", "c2").wait(STUCK_SECONDS + SHORT_REST)
    (first,) = table.session.board_state.sensors.masked_cells
    table.wait(STUCK_SECONDS)
    assert (table.phase, table.session.board_state.sensors.masked_cells) == ("act", {"c2", "c3"})
    assert not lift_pieces(table, first).session.board_state.sensors.masked_cells & {first}


@pytest.mark.parametrize("cell", ["b2", "d1"])
def test_movable_piece_may_be_held_for_a_day(cell):
    table = lift_pieces(make_table(), cell).wait(A_DAY)
    assert (table.phase, table.session.in_hand) == ("in_hand", cell)
    assert played(put_pieces(table.fork(), cell)) == ""
    for target in table.shown(CellRole.TARGET):
        assert played(put_pieces(table.fork(), target)) == cell + target


@pytest.mark.parametrize("cell", ["a1", "a4", "d4"])
def test_immovable_piece_is_still_missing_after_a_day(cell):
    table = lift_pieces(make_table(), cell).wait(A_DAY)
    assert (table.phase, table.shown(CellRole.PUT)) == ("differs", [cell])
    assert not table.session.board_state.sensors.masked_cells
    elsewhere = put_pieces(table.fork(), "c3").wait(60)
    assert (played(elsewhere), elsewhere.phase) == ("", "differs")
    put_pieces(table, cell)
    assert (played(table), table.phase) == ("", "act")


def test_accident_can_be_repaired_after_a_day():
    table = make_table().lift("a1", "a4", "d1").drop("b1", "a3").wait(A_DAY)
    assert (played(table), table.phase) == ("", "differs")
    follow_lamps(table)
    assert table.at_rest()
