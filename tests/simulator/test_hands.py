"""Touches caused by hands whose motions take time. Traces have a row per cell and a character per time step."""

from collections import Counter
from itertools import pairwise
from random import Random
from textwrap import dedent
from threading import Event

import pytest

from pond_hw.messages.message import Message, as_message
from pond_hw.rules import DARK, LIGHT, PondError, get_grid
from pond_hw.simulator.board_with_pieces import PhysicalPiece, TableClock
from tests.conftest import long_after_first
from tests.messages.says import says
from tests.simulator.hands import CROSS_SECONDS, FLIP_SECONDS, SWEEP_SECONDS, HandTable, SimulatedHands

SETTLE = 0.25
"""Debounce time, as in the profiles."""

MAX_ACCIDENTAL_SECONDS = 0.2
"""Maximum duration of accidental contacts."""

SEEDS = range(150)


class HandsBench:
    """Simulated hands at a table in simulated time. It records the touches."""

    def __init__(self, *pieces, seed=1, size=4, hold=0.06, **named):
        self.clock, self.touches = TableClock(), []
        self.table = self.clock.table = HandTable(size, 1, self.clock.now, hold=hold, **named)
        for cell in pieces:
            self.table.drop(cell, LIGHT)
        self.at_first = self.table.occupied_cells
        self.table.open(lambda touch: None)
        self.table.open(self.touches.append)
        self.touches.clear()
        self.hands = SimulatedHands(self.table, Random(seed))

    def wait(self, seconds):
        until = self.clock.now() + seconds
        while self.clock.now() < until:
            self.clock.wait(until, Event())

    def after(self, motion):
        """Wait until the motion is done and has been reported, and return it."""
        self.wait(motion.ends_at - self.clock.now() + 0.3)
        return motion

    def drawn(self, *cells, step=0.05):
        """Draw a trace of when each cell sensed a piece, by default for the cells that changed."""
        cells = cells or sorted({touch.cell for touch in self.touches})
        rows = []
        for cell in cells:
            there, row = cell in self.at_first, ""
            touches = [touch for touch in self.touches if touch.cell == cell]
            for number in range(round(self.clock.now() / step) + 1):
                while touches and touches[0].instant <= number * step:
                    there = touches.pop(0).down
                row += "#" if there else "."
            rows.append(f"{cell} {row}")
        return rows

    def spans(self, *, there):
        """Return, for each cell, the durations with (or without) a piece, from touch to touch."""
        spans = {}
        for cell in get_grid(self.table.size).cells:
            touches = [touch for touch in self.touches if touch.cell == cell]
            spans[cell] = [
                after.instant - before.instant for before, after in pairwise(touches) if before.down == there
            ]
        return spans

    def word(self):
        return " ".join(f"{'+' if touch.down else '-'}{touch.cell}" for touch in self.touches)


def trace(text):
    return dedent(text).strip().splitlines()


def test_moved_piece_disappears_then_appears():
    bench = HandsBench("b2")
    motion = bench.after(bench.hands.move("b2", "c3", hovers=()))
    assert motion.is_done
    assert list(motion.end_cells.values()) == ["c3"]
    assert list(bench.table.standing_pieces) == ["c3"]
    assert bench.drawn() == trace("""
        b2 ##........................
        c3 ...................#######
        """)


def test_hover_is_sensed_briefly():
    bench = HandsBench("b2", seed=4, hold=0.01)
    bench.after(bench.hands.move("b2", "c3", hovers=["b3", "c4"]))
    assert bench.word() == "-b2 +b3 -b3 +c4 -c4 +c3"


def test_hand_sometimes_sets_piece_down_twice():
    words = Counter()
    for seed in SEEDS:
        bench = HandsBench("b2", seed=seed, hold=0.005)
        bench.after(bench.hands.move("b2", "c3", hovers=()))
        words[bench.word()] += 1
    assert set(words) == {"-b2 +c3", "-b2 +c3 -c3 +c3"}
    assert words["-b2 +c3"] > words["-b2 +c3 -c3 +c3"] > 5


def test_some_moves_hover_on_the_way():
    words = Counter()
    for seed in SEEDS:
        bench = HandsBench("b2", seed=seed, hold=0.005)
        bench.after(bench.hands.move("b2", "c3"))
        words[bench.word()] += 1
    assert words["-b2 +c3"] > len(SEEDS) / 2
    assert any("+c2 -c2" in word for word in words)
    assert any("+b3 -b3" in word for word in words)


def test_slide_is_detected_in_every_cell():
    bench = HandsBench("a1", hold=0.01)
    motion = bench.after(bench.hands.slide(["a1", "a2", "a3", "b3"]))
    assert list(motion.end_cells.values()) == ["b3"]
    assert bench.drawn(step=0.025) == trace("""
        a1 ######............................
        a2 ......#####.......................
        a3 ...........#######................
        b3 ..................################
        """)


def test_slide_is_sensed_by_both_cells_or_neither():
    words = set()
    for seed in range(20):
        bench = HandsBench("b2", seed=seed, hold=0.01)
        bench.after(bench.hands.slide(["b2", "b3"]))
        words.add(bench.word())
    assert words == {"-b2 +b3", "+b3 -b2"}


def test_slide_pauses_on_the_way():
    bench = HandsBench("a1", hold=0.01)
    bench.after(bench.hands.slide(["a1", "b1", "c1", "d1"], pauses=[0.0, 1.0]))
    spans = bench.spans(there=True)
    assert 1.0 < spans["c1"][0] < 1.0 + 2 * CROSS_SECONDS[1]
    assert spans["b1"][0] < MAX_ACCIDENTAL_SECONDS


WAYS = {True: {"b4 b3 b2", "d2 c2 b2"}, False: {"b2"}, None: {"b4 b3 b2", "d2 c2 b2", "b2"}}


@pytest.mark.parametrize(("slide", "ways"), WAYS.items())
def test_new_piece_drops_or_slides_in_from_free_edge(slide, ways):
    seen = set()
    for seed in range(40):
        bench = HandsBench("a2", "b1", seed=seed, hold=0.01)
        motion = bench.after(bench.hands.place("b2", DARK, slide=slide))
        (token,) = motion.end_cells
        assert token.owner is DARK
        assert bench.table.standing_pieces["b2"] is token
        assert bench.table.occupied_cells == {"a2", "b1", "b2"}
        seen.add(" ".join(touch.cell for touch in bench.touches if touch.down))
    assert seen >= ways
    assert slide is not True or seen == ways


def test_new_piece_slides_in_only_from_nearest_edge():
    ways = set()
    for seed in range(40):
        bench = HandsBench(seed=seed, hold=0.005)
        bench.after(bench.hands.place("b3", slide=True))
        ways.add(" ".join(touch.cell for touch in bench.touches if touch.down))
    assert ways == {"a3 b3", "b4 b3"}


def test_enclosed_cell_is_reached_from_above():
    bench = HandsBench("b1", "a2", "c2", "b3")
    bench.after(bench.hands.place("b2", LIGHT, slide=True))
    assert bench.word() == "+b2"


def test_held_piece_hovers_and_stays_in_the_hand():
    bench = HandsBench("b2", seed=3, hold=0.01)
    bench.after(bench.hands.pick_up("b2"))
    (egg,) = bench.hands.held_pieces
    motion = bench.hands.hover("c3", 0.1)
    assert bench.hands.held_pieces == []
    bench.after(motion)
    assert bench.hands.held_pieces == [egg]
    assert motion.end_cells == {egg: None}
    bench.after(bench.hands.put_down("d4"))
    assert bench.table.standing_pieces == {"d4": egg}
    assert bench.word() == "-b2 +c3 -c3 +d4"


def test_hover_with_a_new_piece_leaves_no_piece():
    bench = HandsBench(seed=3, hold=0.01)
    bench.after(bench.hands.hover("c3", 0.1, LIGHT))
    assert bench.word() == "+c3 -c3"
    assert (bench.table.standing_pieces, bench.table.off_board_pieces, bench.hands.held_pieces) == ({}, [], [])


def test_hovering_hand_may_be_sensed():
    words = set()
    for seed in range(30):
        bench = HandsBench(seed=seed, hold=0.01)
        bench.after(bench.hands.hover("c3"))
        words.add(bench.word())
    assert words == {"", "+c3 -c3"}


def test_fumbled_piece_comes_and_goes():
    bench = HandsBench("b2", hold=0.01)
    bench.after(bench.hands.fumble("b2", times=3))
    assert bench.word() == "-b2 +b2 -b2 +b2 -b2 +b2"
    assert bench.table.occupied_cells == {"b2"}


def test_two_pieces_are_lifted_together_and_put_back():
    bench = HandsBench("b2", "c3")
    bench.after(bench.hands.lift_two("b2", "c3", 1.0))
    assert sorted(bench.word().split()[:2]) == ["-b2", "-c3"]
    assert sorted(bench.word().split()[2:]) == ["+b2", "+c3"]
    assert all(1.0 < span[0] < 2.0 for cell, span in bench.spans(there=False).items() if span)


def test_knocked_over_piece_moves_immediately():
    bench = HandsBench("b2")
    motion = bench.after(bench.hands.knock_over("b2", "c3"))
    assert motion.ends_at < 0.35
    assert list(bench.table.standing_pieces) == ["c3"]


def test_knocked_over_piece_rolls_nearby_or_off():
    ends = set()
    for seed in range(60):
        bench = HandsBench("a1", "a2", seed=seed)
        motion = bench.after(bench.hands.knock_over("a1"))
        ends |= set(motion.end_cells.values())
        assert len(bench.table.standing_pieces) + len(bench.table.off_board_pieces) == 2
    assert ends == {"b1", None}
    words = set()
    for seed in range(20):
        bench = HandsBench("b2", seed=seed, hold=0.005)
        bench.after(bench.hands.knock_over("b2", off=True))
        words.add(bench.word())
    assert words >= {"-b2", "-b2 +a2 -a2"}
    assert (bench.table.standing_pieces, len(bench.table.off_board_pieces), bench.table.occupied_cells) == (
        {},
        1,
        frozenset(),
    )


def test_knocked_over_piece_may_lie_between_cells():
    counts = Counter()
    for seed in SEEDS:
        bench = HandsBench("b2", seed=seed)
        bench.after(bench.hands.knock_over("b2", "b3"))
        assert list(bench.table.standing_pieces) == ["b3"]
        counts[bench.table.occupied_cells] += 1
    assert set(counts) == {frozenset(), frozenset({"b3"}), frozenset({"b2", "b3"})}
    assert max(counts, key=counts.get) == {"b3"}


def test_sweep_pushes_many_pieces_within_a_second():
    ends = set()
    for seed in range(40):
        bench = HandsBench("a1", "b1", "c2", "d2", "b3", seed=seed)
        motion = bench.after(bench.hands.sweep(["a1", "b1", "c2", "d2"]))
        assert motion.ends_at <= SWEEP_SECONDS[1] + 0.3
        assert len(motion.end_cells) == 4
        on_board = [cell for cell in motion.end_cells.values() if cell]
        assert len(set(on_board)) == len(on_board)
        assert set(bench.table.standing_pieces) == {"b3", *on_board}
        assert len(bench.table.off_board_pieces) == 4 - len(on_board)
        ends |= set(motion.end_cells.values())
    assert None in ends


def test_off_centre_piece_is_sensed_in_its_cell():
    for seed in SEEDS:
        bench = HandsBench("b2", seed=seed)
        motion = bench.after(bench.hands.put_off_centre("b2", "b3"))
        (token,) = motion.end_cells
        assert 1.28 <= token.y <= 1.42
        assert bench.table.occupied_cells == {"b2"}
    bench = HandsBench("b2")
    bench.after(bench.hands.put_off_centre("b2", "b3", by=0.47))
    assert bench.table.occupied_cells == set()


def test_turning_over_takes_time_and_changes_face():
    for seed in range(20):
        bench = HandsBench("b2", seed=seed)
        motion = bench.after(bench.hands.turn_face("b2", face="tadpole"))
        ((token, cell),) = motion.end_cells.items()
        assert (cell, token.face) == ("b2", "tadpole")
        (gone,) = bench.spans(there=False)["b2"][:1]
        assert FLIP_SECONDS[0] < gone < FLIP_SECONDS[1] + 1.0


def test_piece_can_be_held_for_a_day():
    bench = HandsBench("b2")
    bench.after(bench.hands.turn_face("b2", 86400.0))
    assert bench.spans(there=False)["b2"][0] > 86400.0
    assert bench.table.occupied_cells == {"b2"}


def test_removed_piece_is_beside_the_board():
    bench = HandsBench("b2", "c3")
    egg = bench.table.standing_pieces["b2"]
    motion = bench.hands.take_off("b2")
    assert not motion.is_done
    bench.after(motion)
    assert motion.is_done
    assert bench.table.off_board_pieces == [egg]
    assert bench.word() == "-b2"


def test_two_people_act_at_the_same_time():
    bench = HandsBench("a1", "d4")
    other = SimulatedHands(bench.table, Random(9))
    one, two = bench.hands.turn_face("a1", 1.0), other.move("d4", "c4", after=0.3)
    with pytest.raises(PondError, check=says("A hand has got hold of the piece on a1 already")):
        other.take_off("a1")
    with pytest.raises(PondError, check=says("A piece is on its way to c4 already")):
        bench.table.drop("c4")
    bench.wait(0.25)
    assert bench.table.occupied_cells == {"d4"}
    bench.after(one)
    bench.after(two)
    assert bench.table.occupied_cells == {"a1", "c4"}


def test_motion_may_begin_later():
    bench = HandsBench("a1")
    bench.hands.move("a1", "a2", after=5.0)
    bench.wait(5.0)
    assert bench.touches == []
    assert bench.table.occupied_cells == {"a1"}
    bench.wait(3.0)
    assert bench.table.occupied_cells == {"a2"}


def test_actions_are_debounced_while_a_hand_moves():
    bench = HandsBench("a1", "c3")
    bench.hands.turn_face("a1", 1.0)
    bench.table.lift("c3")
    assert bench.touches == []
    bench.wait(0.1)
    assert bench.touches[0].cell == "c3"
    assert 0.06 <= bench.touches[0].instant <= 0.07


def test_piece_removed_before_detection_is_not_reported():
    bench = HandsBench()
    motion = bench.hands.place("b2", LIGHT, slide=False)
    while not motion.is_done:
        bench.clock.wait(bench.table.next_due, Event())
        bench.table.poll(bench.clock.now())
    assert not bench.table.is_busy
    bench.table.lift("b2")
    bench.wait(1.0)
    assert bench.word() in ("", "+b2 -b2")


REFUSALS = {
    "move b2 b3": Message("illegal.no_piece", cell="b2"),
    "move a1 a2": Message("held.cell_taken", cell="a2"),
    "move a1 e5": Message("illegal.no_such_cell", cell="e5", size=4),
    "hover e5": Message("illegal.no_such_cell", cell="e5", size=4),
    "fumble e5": Message("illegal.no_such_cell", cell="e5", size=4),
    "lift_two a1 a1": as_message("Only one piece stands on a1: name two cells."),
    "knock_over a1 a2": Message("held.cell_taken", cell="a2"),
    "put_off_centre a1 e1": Message("illegal.no_such_cell", cell="e1", size=4),
    "put_down b2": as_message("There is no piece in this hand: pick one up first."),
    "place a1": Message("held.cell_taken", cell="a1"),
    "slide a1-a2-a3": Message("held.cell_taken", cell="a2"),
    "slide a1-b2": as_message("b2 is not beside a1: no piece can be slid from one to the other."),
    "sweep a1-b1": Message("illegal.no_piece", cell="b1"),
}


@pytest.mark.parametrize(("asked", "why"), REFUSALS.items(), ids=REFUSALS)
def test_impossible_motion_raises_and_moves_nothing(asked, why):
    bench = HandsBench("a1", "a2")
    what, *cells = asked.split()
    with pytest.raises(PondError) as refused:
        getattr(bench.hands, what)(*(cell.split("-") if "-" in cell else cell for cell in cells))
    assert refused.value.message == why
    bench.wait(3.0)
    assert bench.touches == []
    assert sorted(bench.table.standing_pieces) == ["a1", "a2"]


def test_same_seed_repeats_motions():
    def record_touches(seed):
        bench = HandsBench("a1", "b2", "c3", seed=seed)
        for what, cell in [("fumble", "a1"), ("turn_face", "b2"), ("knock_over", "c3"), ("put_off_centre", "a1")]:
            bench.after(getattr(bench.hands, what)(cell))
        return bench.touches

    assert record_touches(1) == record_touches(1)
    assert record_touches(1) != record_touches(2)


# Accidental contacts last less than a fifth of a second, for any seed and hold time.

ORDINARY = {
    "hover": (lambda hands: hands.hover("c3"), "there"),
    "move with hovers on the way": (lambda hands: hands.move("b2", "d4", hovers=["b3", "c3", "c4"]), "there"),
    "slide": (lambda hands: hands.slide(["b2", "b3", "c3", "d3"]), "there"),
    "new piece": (lambda hands: hands.place("c2", LIGHT, slide=True), "there"),
    "fumble": (lambda hands: hands.fumble("b2"), "gone"),
    "piece put down twice": (lambda hands: hands.put_off_centre("b2"), "there"),
}


@pytest.mark.parametrize("hold", long_after_first([0.06, 0.01]))
@pytest.mark.parametrize(("do", "what"), ORDINARY.values(), ids=ORDINARY)
def test_accidental_contacts_are_short(do, what, hold):
    longest, changes = 0.0, 0
    for seed in SEEDS:
        bench = HandsBench("b2", seed=seed, hold=hold)
        motion = bench.after(do(bench.hands))
        meant = set(motion.end_cells.values()) if what == "there" else set()
        spans = [
            span for cell, spans in bench.spans(there=what == "there").items() if cell not in meant for span in spans
        ]
        longest, changes = max(longest, *spans, 0.0), changes + len(bench.touches)
        assert bench.table.occupied_cells == set(bench.table.standing_pieces)
    assert changes
    assert longest < MAX_ACCIDENTAL_SECONDS


@pytest.mark.slow
def test_sliding_piece_never_settles():
    for seed in SEEDS:
        bench = HandsBench("a1", seed=seed)
        bench.after(bench.hands.slide(["a1", "b1", "c1", "d1", "d2"]))
        assert all(after.instant - before.instant < SETTLE for before, after in pairwise(bench.touches))


def test_motion_ends_in_expected_cells():
    bench = HandsBench()
    motion = bench.hands.place("a1", LIGHT)
    assert [type(token) for token in motion.end_cells] == [PhysicalPiece]
