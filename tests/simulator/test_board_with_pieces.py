"""Simulated table with pieces: actions are immediate, and the polling interval makes no difference."""

from itertools import combinations
from math import inf, nextafter
from random import Random
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pond_hw.board import Board, Frame, Touch
from pond_hw.messages.message import Message
from pond_hw.rules import DARK, LIGHT, PondError, get_grid
from pond_hw.simulator.board_with_pieces import PhysicalPiece, TableClock
from pond_hw.simulator.hall_sensors import OFF_STRENGTH, ON_STRENGTH, squared_reach, tick_at
from pond_hw.simulator.sensor_faults import FAULT_KINDS, SensorFault
from tests.clock import Clock
from tests.simulator.hands import HandTable, SimulatedHands


@pytest.fixture
def touches():
    return []


@pytest.fixture
def table(touches):
    table = HandTable(4, 4, Clock(7.0))
    table.open(touches.append)
    return table


def test_lift_and_drop_report_one_touch(table, touches):
    for cell in get_grid(4).cells:
        table.drop(cell)
        table.lift(cell)
        table.put_aside()
    assert touches == [Touch(cell, down, 7.0) for cell in get_grid(4).cells for down in (True, False)]
    assert table.next_due == inf


def test_full_board_is_detected_everywhere(table):
    for cell in get_grid(4).cells:
        table.drop(cell)
    assert table.occupied_cells == frozenset(table.standing_pieces) == set(get_grid(4).cells)
    table.lift("b2")
    assert table.occupied_cells == frozenset(table.standing_pieces) == set(get_grid(4).cells) - {"b2"}
    table.clear_board()
    assert table.occupied_cells == frozenset(table.standing_pieces) == frozenset()
    assert (len(table.off_board_pieces), len(table.held_pieces)) == (15, 1)


def test_move_lifts_and_drops_the_same_piece(table, touches):
    egg = table.drop("b2", LIGHT)
    assert table.lift("b2") is egg
    assert table.held_pieces == [egg]
    assert table.standing_pieces == {}
    assert table.drop("b3") is egg
    assert table.held_pieces == []
    assert table.standing_pieces == {"b3": egg}
    assert [(touch.cell, touch.down) for touch in touches] == [("b2", True), ("b2", False), ("b3", True)]


def test_last_lifted_piece_is_put_down_first(table):
    first, second = table.drop("a1", LIGHT), table.drop("b1", DARK)
    table.lift("a1")
    table.lift("b1")
    assert [table.drop("a1"), table.drop("b1")] == [second, first]


def test_piece_put_aside_is_not_used_again(table):
    old = table.drop("a1", LIGHT)
    table.lift("a1")
    assert table.put_aside() is old
    assert table.off_board_pieces == [old]
    new = table.drop("a1", DARK)
    assert new is not old
    assert new.owner is DARK


def test_turning_over_reports_lift_and_drop(table, touches):
    egg = table.drop("c3", LIGHT)
    assert table.turn_over("c3", "tadpole") is egg
    assert egg.face == "tadpole"
    assert [touch.down for touch in touches] == [True, False, True]
    assert table.turn_over("c3").face == "tadpole"


def test_held_piece_is_not_cleared(table):
    egg, other = table.drop("a1"), table.drop("b2")
    motion = SimulatedHands(table, Random(1)).move("a1", "c3", after=1.0)
    table.clear_board()
    assert table.standing_pieces == {"a1": egg}
    assert table.off_board_pieces == [other]
    table.poll(motion.ends_at + 1.0)
    assert table.standing_pieces == {"c3": egg}


REFUSALS = {
    "lift a1": Message("illegal.no_piece", cell="a1"),
    "lift b2 b2": Message("illegal.no_piece", cell="b2"),
    "lift e5": Message("illegal.no_such_cell", cell="e5", size=4),
    "drop e5": Message("illegal.no_such_cell", cell="e5", size=4),
    "drop b2": Message("held.cell_taken", cell="b2"),
    "turn_over a1": Message("illegal.no_piece", cell="a1"),
    "put_aside": Message("simulator.empty_hand"),
}


@pytest.mark.parametrize(("done", "why"), REFUSALS.items(), ids=REFUSALS)
def test_impossible_handling_is_rejected_and_changes_nothing(table, touches, done, why):
    table.drop("b2")
    verb, *cells = done.split()
    *well, last = [[cell] for cell in cells] or [[]]
    for each in well:
        getattr(table, verb)(*each)
    before = (table.standing_pieces, table.held_pieces[:], touches[:])
    with pytest.raises(PondError) as refused:
        getattr(table, verb)(*last)
    assert refused.value.message == why
    assert (table.standing_pieces, table.held_pieces, touches) == before


def test_touches_have_owners_with_owner_sensors():
    touches = []
    table = HandTable(3, 1, Clock(), colours=True)
    table.open(touches.append)
    table.drop("a1", LIGHT)
    table.drop("b1", DARK)
    table.lift("b1")
    assert touches == [Touch("a1", True, 0.0, LIGHT), Touch("b1", True, 0.0, DARK), Touch("b1", False, 0.0, DARK)]
    table.put_aside()
    with pytest.raises(PondError) as refused:
        table.drop("b1")
    assert refused.value.message == Message("simulator.whose_piece")
    with pytest.raises(PondError) as refused:
        SimulatedHands(table, Random(0)).place("b1")
    assert refused.value.message == Message("simulator.whose_piece")


def test_touches_have_no_owners_without_owner_sensors(table, touches):
    table.drop("a1", DARK)
    assert touches == [Touch("a1", True, 7.0, None)]


def test_standing_pieces_are_reported_at_each_opening():
    table = HandTable(4, 1, Clock(3.0))
    table.drop("b2")
    table.drop("a1")
    for _ in range(2):
        touches = []
        table.open(touches.append)
        assert touches == [Touch("a1", True, 3.0), Touch("b2", True, 3.0)]
        table.close()
        table.drop(table.lift("b2") and "b2")
        assert len(touches) == 2


def test_faulty_board_detects_pieces_with_delay():
    time, touches = Clock(), []
    table = HandTable(4, 1, time, faults=[SensorFault("stuck-off", "d4")])
    table.drop("b2")
    table.open(touches.append)
    assert touches == []
    table.poll(1.0)
    assert [touch.cell for touch in touches] == ["b2"]
    assert 0.06 <= touches[0].instant <= 0.07


def test_faulty_board_reports_standing_pieces_after_its_hold():
    time, touches = Clock(), []
    table = HandTable(4, 1, time, faults=[SensorFault("stuck-off", "d4")])
    table.drop("b2")
    time.time = 5.0
    table.open(touches.append)
    assert touches == []
    table.poll(6.0)
    assert [touch.cell for touch in touches] == ["b2"]
    assert 5.06 <= touches[0].instant <= 5.07


def test_simulated_table_is_a_board(table):
    board = table.to_board()
    assert isinstance(board, Board)
    assert (board.size, board.lamps.lamps_per_cell, board.sensors.has_pieces) == (4, 4, True)
    frame = Frame(4, 4, bytes(range(192)))
    board.lamps.show(frame)
    assert table.to_board().lamps.frame is frame
    assert table.poll_count < table.poll_count
    board.close()
    assert table.to_board().lamps.frame == Frame.dark_frame(4, 4)
    assert HandTable(4, 1, Clock(), strip=10).to_board().lamps.strip_lamps == 10


def test_repr_of_piece_shows_owner_face_and_place():
    assert repr(PhysicalPiece(LIGHT, "egg")) == "<a light piece, egg up, at 0.00 0.00>"
    assert repr(PhysicalPiece()) == "<a piece, some face up, at 0.00 0.00>"


def test_sensor_has_hysteresis():
    assert 0.44 < squared_reach(ON_STRENGTH) ** 0.5 < 0.46
    assert 0.58 < squared_reach(OFF_STRENGTH) ** 0.5 < 0.60
    assert squared_reach(1.0) == pytest.approx(0.0)
    assert squared_reach(1.1) < 0.0


def test_instant_belongs_to_the_tick_before_it():
    for tick in range(1, 20_000):
        assert tick_at(tick / 200) == tick
        assert tick_at(nextafter(tick / 200, 0.0)) == tick - 1


# Time: the clock stops at each touch, and the polling interval makes no difference.


def test_table_clock_stops_at_each_touch():
    clock, touches, arrived = TableClock(), [], Event()
    clock.table = table = HandTable(4, 1, clock.now)
    table.drop("b2")
    table.open(lambda touch: (touches.append(touch), arrived.set()))
    SimulatedHands(table, Random(1)).move("b2", "c3", hovers=())
    instants = []
    while clock.now() < 5.0:
        arrived.clear()
        clock.wait(5.0, arrived)
        instants.append(clock.now())
    assert instants == [*(touch.instant for touch in touches[1:]), 5.0]
    assert [(touch.cell, touch.down) for touch in touches] == [("b2", True), ("b2", False), ("c3", True)]


def test_clock_works_without_a_table():
    clock = TableClock()
    clock.wait(2.5, Event())
    assert clock.now() == 2.5


def test_idle_table_has_no_due_time():
    time = Clock()
    table = HandTable(4, 1, time)
    table.open(lambda touch: None)
    table.drop("b2")
    assert table.next_due == inf
    motion = SimulatedHands(table, Random(1)).move("b2", "b3")
    assert table.is_busy
    assert 0.0 < table.next_due <= 0.01
    table.poll(motion.ends_at + 1.0)
    assert not table.is_busy
    assert table.next_due == inf
    time.time = motion.ends_at + 1.0
    table.lift("b3")
    assert table.next_due == inf


ACTS = ["lift", "drop", "move", "slide", "place", "hover", "fumble", "turn_face", "take_off", "knock_over", "sweep"]
ACTS += ["lift_two", "put_off_centre", "fail", "repair", "pick_up", "put_down"]


def act(table, hands, what, rng):
    """Perform a random action of this kind, if possible."""
    cells, standing = get_grid(table.size).cells, sorted(table.standing_pieces) or ["a1"]
    cell, other = rng.choice(standing), rng.choice(cells)
    arguments = {
        "lift": (cell,),
        "drop": (other, LIGHT),
        "move": (cell, other),
        "slide": ([cell, other],),
        "place": (other, DARK),
        "hover": (other, None, LIGHT),
        "lift_two": (cell, rng.choice(standing)),
        "sweep": (rng.sample(standing, min(3, len(standing))),),
        "put_down": (other,),
    }
    try:
        if what == "fail":
            table.add_fault(
                SensorFault(
                    rng.choice(list(FAULT_KINDS)), rng.choice([None, cell]), end=rng.choice([inf, table.now() + 1])
                )
            )
        elif what == "repair":
            table.remove_faults()
        else:
            getattr(table if what in ("lift", "drop") else hands, what)(*arguments.get(what, (cell,)))
    except PondError:
        pass


def play_actions(actions, seed, pauses=(), *, every_tick=False):
    """Perform actions at these times with this polling interval. Return the touches and the final pieces."""
    time, touches, rng = Clock(), [], Random(seed)
    table = HandTable(4, 1, time, seed=seed, colours=True)
    if every_tick:
        table._next_tick = lambda: table._tick + 1
    table.open(touches.append)
    for cell in ("a1", "b1", "b2", "c3", "d4"):
        table.drop(cell, LIGHT)
    hands, pauses = SimulatedHands(table, Random(seed)), list(pauses)
    for wait, what in [*actions, (8.0, "repair"), (8.0, "repair")]:
        until, looked = time.time + wait, time.time
        while pauses and (looked := looked + pauses[-1]) < until:
            pauses.insert(0, pauses.pop())
            table.poll(looked)
        time.time = until
        table.poll(until)
        act(table, hands, what, rng)
    return (
        touches,
        {cell: (token.x, token.y, token.owner) for cell, token in table.standing_pieces.items()},
        table.occupied_cells,
    )


action_lists = st.lists(
    st.tuples(st.sampled_from([0.0, 0.004, 0.005, 0.05, 0.33, 1.7]), st.sampled_from(ACTS)), min_size=1, max_size=12
)


@given(actions=action_lists, seed=st.integers(0, 999), pauses=st.lists(st.floats(0.001, 3.0), min_size=1, max_size=4))
def test_poll_interval_does_not_change_the_result(actions, seed, pauses):
    assert play_actions(actions, seed, pauses) == play_actions(actions, seed)


@given(actions=action_lists, seed=st.integers(0, 999))
def test_skipped_ticks_change_nothing(actions, seed):
    assert play_actions(actions, seed, every_tick=True) == play_actions(actions, seed)


@given(actions=action_lists, seed=st.integers(0, 999))
def test_same_seed_repeats_touches_in_order(actions, seed):
    touches, standing, end = play_actions(actions, seed)
    assert (touches, standing, end) == play_actions(actions, seed)
    there = {}
    for touch in touches:
        assert touch.owner is not None
        assert there.get(touch.cell) is (None if touch.down else touch.owner)
        there[touch.cell] = touch.owner if touch.down else None
    assert {cell for cell, owner in there.items() if owner is not None} == end
    assert touches == sorted(touches, key=lambda touch: touch.instant)


@given(actions=action_lists, seed=st.integers(0, 999))
def test_sensors_at_rest_report_nearby_pieces_only(actions, seed):
    _, standing, occupied = play_actions(actions, seed)
    for number, cell in enumerate(get_grid(4).cells):
        y, x = divmod(number, 4)
        squares = [(x - u) ** 2 + (y - v) ** 2 for u, v, _ in standing.values()]
        nearest = min(squares, default=inf)
        assert cell in occupied or nearest > squared_reach(ON_STRENGTH)
        assert cell not in occupied or nearest <= squared_reach(OFF_STRENGTH)


@given(actions=action_lists, seed=st.integers(0, 999))
def test_pieces_are_never_duplicated_or_lost(actions, seed):
    time, rng = Clock(), Random(seed)
    table = HandTable(4, 1, time, seed=seed)
    hands = SimulatedHands(table, Random(seed))
    pieces = [table.drop(cell, LIGHT) for cell in ("a1", "b1", "b2", "c3", "d4")]
    for wait, what in [*((wait, what) for wait, what in actions if what not in ("place", "drop")), (9.0, "repair")]:
        time.time += wait
        act(table, hands, what, rng)
    places = [*table.standing_pieces.values(), *table.held_pieces, *hands.held_pieces, *table.off_board_pieces]
    assert all(one is not other for one, other in combinations(places, 2))
    assert all(piece in places for piece in pieces)


def test_watchers_get_samples_before_the_hold():
    time, seen, touches = Clock(), [], []
    table = HandTable(4, 1, time)
    table.sample_watchers.append(seen.append)
    table.open(touches.append)
    table.drop("b2", LIGHT)  # sensed at once
    table.poll(1.0)
    table.add_fault(SensorFault("stuck-on", "d4"))  # from now on sensors debounce
    time.time = 1.0
    table.poll(1.03)
    assert [[number for number, level in enumerate(reading.levels) if level] for reading in seen] == [[], [5], [5, 15]]
    assert [touch.cell for touch in touches] == ["b2"]
    table.poll(2.0)
    assert len(seen) == 3
    assert [touch.cell for touch in touches] == ["b2", "d4"]
