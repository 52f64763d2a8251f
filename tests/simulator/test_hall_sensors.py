"""What sensors feel of hands that take their time. A trace is drawn: a row a cell, a sign for so many seconds."""

from collections import Counter
from itertools import pairwise
from random import Random
from textwrap import dedent
from threading import Event

import pytest

from pond_hw.messages.message import Message, as_message
from pond_hw.rules import DARK, LIGHT, PondError, get_grid
from pond_hw.simulator.board_with_pieces import PhysicalPiece, TableClock
from tests.conftest import first_now_rest_long
from tests.messages.says import says
from tests.simulator.hands import CROSS_SECONDS, FLIP_SECONDS, SWEEP_SECONDS, HandTable, SimulatedHands

SETTLE = 0.25
"""What a difference must hold still to count, as the profiles have it."""

BY_THE_WAY = 0.2
"""What nobody means is over before that."""

SEEDS = range(150)


class Table:
    """A table on which time passes, and which remembers what was felt."""

    def __init__(self, *pieces, seed=1, size=4, hold=0.06, **named):
        self.clock, self.felt = TableClock(), []
        self.wood = self.clock.table = HandTable(size, 1, self.clock.now, hold=hold, **named)
        for cell in pieces:
            self.wood.drop(cell, LIGHT)
        self.at_first = self.wood.occupied_cells
        self.wood.open(lambda touch: None)
        self.wood.open(self.felt.append)
        self.felt.clear()
        self.hands = SimulatedHands(self.wood, Random(seed))

    def wait(self, seconds):
        until = self.clock.now() + seconds
        while self.clock.now() < until:
            self.clock.wait(until, Event())

    def after(self, motion):
        """Wait until it is done and was felt; give it."""
        self.wait(motion.ends_at - self.clock.now() + 0.3)
        return motion

    def drawn(self, *cells, step=0.05):
        """When each cell felt a piece; without cells, those where anything changed."""
        cells = cells or sorted({touch.cell for touch in self.felt})
        rows = []
        for cell in cells:
            there, row = cell in self.at_first, ""
            touches = [touch for touch in self.felt if touch.cell == cell]
            for number in range(round(self.clock.now() / step) + 1):
                while touches and touches[0].instant <= number * step:
                    there = touches.pop(0).down
                row += "#" if there else "."
            rows.append(f"{cell} {row}")
        return rows

    def spans(self, *, there):
        """For each cell how long, at a time, a piece was felt there or not felt, from touch to touch."""
        spans = {}
        for cell in get_grid(self.wood.size).cells:
            touches = [touch for touch in self.felt if touch.cell == cell]
            spans[cell] = [
                after.instant - before.instant for before, after in pairwise(touches) if before.down == there
            ]
        return spans

    def word(self):
        return " ".join(f"{'+' if touch.down else '-'}{touch.cell}" for touch in self.felt)


def trace(text):
    return dedent(text).strip().splitlines()


def test_a_piece_that_is_moved_is_gone_and_then_there():
    table = Table("b2")
    motion = table.after(table.hands.move("b2", "c3", hovers=()))
    assert motion.is_done
    assert list(motion.end_cells.values()) == ["c3"]
    assert list(table.wood.standing_pieces) == ["c3"]
    assert table.drawn() == trace("""
        b2 ##........................
        c3 ...................#######
        """)


def test_a_hand_that_hovers_over_a_cell_on_its_way_is_felt_there_for_a_moment():
    table = Table("b2", seed=4, hold=0.01)
    table.after(table.hands.move("b2", "c3", hovers=["b3", "c4"]))
    assert table.word() == "-b2 +b3 -b3 +c4 -c4 +c3"


def test_now_and_then_a_hand_sets_a_piece_down_twice():
    words = Counter()
    for seed in SEEDS:
        table = Table("b2", seed=seed, hold=0.005)
        table.after(table.hands.move("b2", "c3", hovers=()))
        words[table.word()] += 1
    assert set(words) == {"-b2 +c3", "-b2 +c3 -c3 +c3"}
    assert words["-b2 +c3"] > words["-b2 +c3 -c3 +c3"] > 5


def test_now_and_then_a_hand_hovers_over_a_cell_on_its_way():
    words = Counter()
    for seed in SEEDS:
        table = Table("b2", seed=seed, hold=0.005)
        table.after(table.hands.move("b2", "c3"))
        words[table.word()] += 1
    assert words["-b2 +c3"] > len(SEEDS) / 2
    assert any("+c2 -c2" in word for word in words)
    assert any("+b3 -b3" in word for word in words)


def test_a_slide_is_felt_in_every_cell_on_the_way():
    table = Table("a1", hold=0.01)
    motion = table.after(table.hands.slide(["a1", "a2", "a3", "b3"]))
    assert list(motion.end_cells.values()) == ["b3"]
    assert table.drawn(step=0.025) == trace("""
        a1 ######............................
        a2 ......#####.......................
        a3 ...........#######................
        b3 ..................################
        """)


def test_between_two_cells_both_feel_a_slide_for_a_moment_or_neither_does():
    words = set()
    for seed in range(20):
        table = Table("b2", seed=seed, hold=0.01)
        table.after(table.hands.slide(["b2", "b3"]))
        words.add(table.word())
    assert words == {"-b2 +b3", "+b3 -b2"}


def test_a_slide_stops_where_it_is_told_to():
    table = Table("a1", hold=0.01)
    table.after(table.hands.slide(["a1", "b1", "c1", "d1"], pauses=[0.0, 1.0]))
    spans = table.spans(there=True)
    assert 1.0 < spans["c1"][0] < 1.0 + 2 * CROSS_SECONDS[1]
    assert spans["b1"][0] < BY_THE_WAY


WAYS = {True: {"b4 b3 b2", "d2 c2 b2"}, False: {"b2"}, None: {"b4 b3 b2", "d2 c2 b2", "b2"}}


@pytest.mark.parametrize(("slide", "ways"), WAYS.items())
def test_a_new_piece_comes_from_above_or_slides_in_from_the_nearest_edge_that_is_free(slide, ways):
    seen = set()
    for seed in range(40):
        table = Table("a2", "b1", seed=seed, hold=0.01)
        motion = table.after(table.hands.place("b2", DARK, slide=slide))
        (token,) = motion.end_cells
        assert token.owner is DARK
        assert table.wood.standing_pieces["b2"] is token
        assert table.wood.occupied_cells == {"a2", "b1", "b2"}
        seen.add(" ".join(touch.cell for touch in table.felt if touch.down))
    assert seen >= ways
    assert slide is not True or seen == ways


def test_a_new_piece_never_slides_in_from_farther_away():
    ways = set()
    for seed in range(40):
        table = Table(seed=seed, hold=0.005)
        table.after(table.hands.place("b3", slide=True))
        ways.add(" ".join(touch.cell for touch in table.felt if touch.down))
    assert ways == {"a3 b3", "b4 b3"}


def test_a_cell_that_pieces_stand_around_is_reached_from_above():
    table = Table("b1", "a2", "c2", "b3")
    table.after(table.hands.place("b2", LIGHT, slide=True))
    assert table.word() == "+b2"


def test_a_hand_hovers_over_a_cell_with_what_it_has_just_picked_up():
    table = Table("b2", seed=3, hold=0.01)
    table.after(table.hands.pick_up("b2"))
    (egg,) = table.hands.held_pieces
    motion = table.hands.hover("c3", 0.1)
    assert table.hands.held_pieces == []
    table.after(motion)
    assert table.hands.held_pieces == [egg]
    assert motion.end_cells == {egg: None}
    table.after(table.hands.put_down("d4"))
    assert table.wood.standing_pieces == {"d4": egg}
    assert table.word() == "-b2 +c3 -c3 +d4"


def test_a_hand_that_hovers_with_a_piece_from_beside_the_board_leaves_nothing_there():
    table = Table(seed=3, hold=0.01)
    table.after(table.hands.hover("c3", 0.1, LIGHT))
    assert table.word() == "+c3 -c3"
    assert (table.wood.standing_pieces, table.wood.off_board_pieces, table.hands.held_pieces) == ({}, [], [])


def test_a_hovering_hand_is_felt_or_not_after_all():
    words = set()
    for seed in range(30):
        table = Table(seed=seed, hold=0.01)
        table.after(table.hands.hover("c3"))
        words.add(table.word())
    assert words == {"", "+c3 -c3"}


def test_a_piece_that_slips_out_of_the_hand_is_gone_and_there_and_gone_and_there():
    table = Table("b2", hold=0.01)
    table.after(table.hands.fumble("b2", times=3))
    assert table.word() == "-b2 +b2 -b2 +b2 -b2 +b2"
    assert table.wood.occupied_cells == {"b2"}


def test_two_pieces_are_lifted_together_and_put_back():
    table = Table("b2", "c3")
    table.after(table.hands.lift_two("b2", "c3", 1.0))
    assert sorted(table.word().split()[:2]) == ["-b2", "-c3"]
    assert sorted(table.word().split()[2:]) == ["+b2", "+c3"]
    assert all(1.0 < span[0] < 2.0 for cell, span in table.spans(there=False).items() if span)


def test_a_piece_that_is_knocked_over_lies_somewhere_else_at_once():
    table = Table("b2")
    motion = table.after(table.hands.knock_over("b2", "c3"))
    assert motion.ends_at < 0.35
    assert list(table.wood.standing_pieces) == ["c3"]


def test_it_may_roll_to_a_free_cell_near_by_or_off_the_board():
    ends = set()
    for seed in range(60):
        table = Table("a1", "a2", seed=seed)
        motion = table.after(table.hands.knock_over("a1"))
        ends |= set(motion.end_cells.values())
        assert len(table.wood.standing_pieces) + len(table.wood.off_board_pieces) == 2
    assert ends == {"b1", None}
    words = set()
    for seed in range(20):
        table = Table("b2", seed=seed, hold=0.005)
        table.after(table.hands.knock_over("b2", off=True))
        words.add(table.word())
    assert words >= {"-b2", "-b2 +a2 -a2"}
    assert (table.wood.standing_pieces, len(table.wood.off_board_pieces), table.wood.occupied_cells) == (
        {},
        1,
        frozenset(),
    )


def test_it_may_lie_between_cells_where_no_sensor_feels_it_or_two_do():
    felt = Counter()
    for seed in SEEDS:
        table = Table("b2", seed=seed)
        table.after(table.hands.knock_over("b2", "b3"))
        assert list(table.wood.standing_pieces) == ["b3"]
        felt[table.wood.occupied_cells] += 1
    assert set(felt) == {frozenset(), frozenset({"b3"}), frozenset({"b2", "b3"})}
    assert max(felt, key=felt.get) == {"b3"}


def test_a_sleeve_pushes_many_pieces_within_a_second():
    ends = set()
    for seed in range(40):
        table = Table("a1", "b1", "c2", "d2", "b3", seed=seed)
        motion = table.after(table.hands.sweep(["a1", "b1", "c2", "d2"]))
        assert motion.ends_at <= SWEEP_SECONDS[1] + 0.3
        assert len(motion.end_cells) == 4
        on_board = [cell for cell in motion.end_cells.values() if cell]
        assert len(set(on_board)) == len(on_board)
        assert set(table.wood.standing_pieces) == {"b3", *on_board}
        assert len(table.wood.off_board_pieces) == 4 - len(on_board)
        ends |= set(motion.end_cells.values())
    assert None in ends


def test_a_piece_that_is_put_down_badly_is_still_felt_in_its_own_cell_alone():
    for seed in SEEDS:
        table = Table("b2", seed=seed)
        motion = table.after(table.hands.put_off_centre("b2", "b3"))
        (token,) = motion.end_cells
        assert 1.28 <= token.y <= 1.42
        assert table.wood.occupied_cells == {"b2"}
    table = Table("b2")
    table.after(table.hands.put_off_centre("b2", "b3", by=0.47))
    assert table.wood.occupied_cells == set()


def test_turning_a_piece_over_takes_a_while_and_shows_another_face():
    for seed in range(20):
        table = Table("b2", seed=seed)
        motion = table.after(table.hands.turn_face("b2", face="tadpole"))
        ((token, cell),) = motion.end_cells.items()
        assert (cell, token.face) == ("b2", "tadpole")
        (gone,) = table.spans(there=False)["b2"][:1]
        assert FLIP_SECONDS[0] < gone < FLIP_SECONDS[1] + 1.0


def test_a_piece_may_be_held_for_a_day():
    table = Table("b2")
    table.after(table.hands.turn_face("b2", 86400.0))
    assert table.spans(there=False)["b2"][0] > 86400.0
    assert table.wood.occupied_cells == {"b2"}


def test_a_piece_that_is_taken_off_is_beside_the_board():
    table = Table("b2", "c3")
    egg = table.wood.standing_pieces["b2"]
    motion = table.hands.take_off("b2")
    assert not motion.is_done
    table.after(motion)
    assert motion.is_done
    assert table.wood.off_board_pieces == [egg]
    assert table.word() == "-b2"


def test_two_people_act_at_the_same_time():
    table = Table("a1", "d4")
    other = SimulatedHands(table.wood, Random(9))
    one, two = table.hands.turn_face("a1", 1.0), other.move("d4", "c4", after=0.3)
    with pytest.raises(PondError, check=says("A hand has got hold of the piece on a1 already")):
        other.take_off("a1")
    with pytest.raises(PondError, check=says("A piece is on its way to c4 already")):
        table.wood.drop("c4")
    table.wait(0.25)
    assert table.wood.occupied_cells == {"d4"}
    table.after(one)
    table.after(two)
    assert table.wood.occupied_cells == {"a1", "c4"}


def test_a_hand_may_begin_later():
    table = Table("a1")
    table.hands.move("a1", "a2", after=5.0)
    table.wait(5.0)
    assert table.felt == []
    assert table.wood.occupied_cells == {"a1"}
    table.wait(3.0)
    assert table.wood.occupied_cells == {"a2"}


def test_while_a_hand_is_at_work_verbs_are_felt_as_late_as_it_is():
    table = Table("a1", "c3")
    table.hands.turn_face("a1", 1.0)
    table.wood.lift("c3")
    assert table.felt == []
    table.wait(0.1)
    assert table.felt[0].cell == "c3"
    assert 0.06 <= table.felt[0].instant <= 0.07


def test_what_is_gone_before_it_was_felt_was_never_there():
    table = Table()
    motion = table.hands.place("b2", LIGHT, slide=False)
    while not motion.is_done:
        table.clock.wait(table.wood.next_due, Event())
        table.wood.poll(table.clock.now())
    assert not table.wood.is_busy
    table.wood.lift("b2")
    table.wait(1.0)
    assert table.word() in ("", "+b2 -b2")


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
def test_what_cannot_be_done_is_said_and_nothing_moves(asked, why):
    table = Table("a1", "a2")
    what, *cells = asked.split()
    with pytest.raises(PondError) as refused:
        getattr(table.hands, what)(*(cell.split("-") if "-" in cell else cell for cell in cells))
    assert refused.value.message == why
    table.wait(3.0)
    assert table.felt == []
    assert sorted(table.wood.standing_pieces) == ["a1", "a2"]


def test_the_same_dice_do_the_same():
    def felt(seed):
        table = Table("a1", "b2", "c3", seed=seed)
        for what, cell in [("fumble", "a1"), ("turn_face", "b2"), ("knock_over", "c3"), ("put_off_centre", "a1")]:
            table.after(getattr(table.hands, what)(cell))
        return table.felt

    assert felt(1) == felt(1)
    assert felt(1) != felt(2)


# What nobody means is over in less than a fifth of a second, whatever the dice say and the sensors' hold is.

ORDINARY = {
    "a hover": (lambda hands: hands.hover("c3"), "there"),
    "hovers on the way": (lambda hands: hands.move("b2", "d4", hovers=["b3", "c3", "c4"]), "there"),
    "a slide": (lambda hands: hands.slide(["b2", "b3", "c3", "d3"]), "there"),
    "a new piece": (lambda hands: hands.place("c2", LIGHT, slide=True), "there"),
    "a fumble": (lambda hands: hands.fumble("b2"), "gone"),
    "a piece that is put down twice": (lambda hands: hands.put_off_centre("b2"), "there"),
}


@pytest.mark.parametrize("hold", first_now_rest_long([0.06, 0.01]))
@pytest.mark.parametrize(("do", "what"), ORDINARY.values(), ids=ORDINARY)
def test_what_nobody_means_is_over_soon(do, what, hold):
    longest, changes = 0.0, 0
    for seed in SEEDS:
        table = Table("b2", seed=seed, hold=hold)
        motion = table.after(do(table.hands))
        meant = set(motion.end_cells.values()) if what == "there" else set()
        spans = [
            span for cell, spans in table.spans(there=what == "there").items() if cell not in meant for span in spans
        ]
        longest, changes = max(longest, *spans, 0.0), changes + len(table.felt)
        assert table.wood.occupied_cells == set(table.wood.standing_pieces)
    assert changes
    assert longest < BY_THE_WAY


@pytest.mark.slow
def test_while_a_piece_is_slid_nothing_holds_still_for_as_long_as_it_takes_to_count():
    for seed in SEEDS:
        table = Table("a1", seed=seed)
        table.after(table.hands.slide(["a1", "b1", "c1", "d1", "d2"]))
        assert all(after.instant - before.instant < SETTLE for before, after in pairwise(table.felt))


def test_a_token_is_what_the_motion_says():
    table = Table()
    motion = table.hands.place("a1", LIGHT)
    assert [type(token) for token in motion.end_cells] == [PhysicalPiece]
