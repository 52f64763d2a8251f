"""Afternoons at a board with pieces: what hands do, what the board says to it, and that board and game match in the end.

Each test is a story. The hand is `Wooden`: it lifts, drops and waits; `messages` is what the board says, `shown` what
the lamps show. Unless a story says otherwise the sensors feel that something stands there, and not what.
"""

from itertools import pairwise

import pytest

from pond_hw.messages.message import Message, as_message
from pond_hw.rules import DARK, LIGHT, STANDARD, VARIANTS, Action, Position, parse_variant
from pond_hw.session import (
    BoardIsRight,
    BoardState,
    CellRole,
    ConfirmationState,
    MaskSensor,
    NewGame,
    Occupancy,
    RedoTurns,
    ResignGame,
    Session,
    SetUpGame,
    TakeAction,
    TroubleChanged,
    UndoTurns,
)
from pond_hw.session.pieces.interpretations import (
    CONFIRM_SECONDS,
    FURTHER_CONFIRM_SECONDS,
    OFFERED_STUCK_SECONDS,
    STUCK_SECONDS,
)
from pond_hw.session.pieces.sensors import FLICKER_SECONDS, TRUST_AGAIN_SECONDS
from tests.messages.says import ids
from tests.session.wooden import HOLD, JIFFY, Wooden, changes, drawing, follow, orders

QUIET = "e..f/..../.T../E..F l 10 11 0 0"
"""Light has an egg on a1, a tadpole on b2 and a frog on d1; dark an egg on a4 and a frog on d4."""

DARKS = QUIET.replace("l", "d")
"""The same, and it is dark's turn."""

PRESSED = "...f/..../TeT./E.EF l 8 11 0 0"
"""An egg on b1 makes tadpoles of a1, b2 and c1; then the three of row 2 score."""

FOUR = "...f/..../TeTT/E.E. l 8 11 0 0"
"""An egg on b1 makes a tadpole of b2 too; then the four of row 2 score."""

A_DAY = 86_400.0
LIGHT_WINS = Message("outcome.score", winner="light", most=11, least=10)
NOD = Message("pending.nod", side="light", seconds=3.0)
DIFFERS = Message("mismatch.differs")
BREATH = 0.3
"""Seconds: a little longer than it takes to settle."""


def prompt(side, choices="place_or_move"):
    return Message(f"prompt.pieces.{choices}", side=side)


def missing(*cells):
    return Message("mismatch.missing", cells=cells, count=len(cells))


def extra(*cells):
    return Message("mismatch.extra", cells=cells, count=len(cells))


def turn_over(*cells):
    return Message("hands.turn_over", cells=cells, count=len(cells))


def take_off(*cells):
    return Message("hands.take_off", cells=cells, count=len(cells))


def put(symbol, cell, side="light"):
    return Message(f"repair.put.{symbol}", cell=cell, side=side)


def put_back(symbol, source, target, side="light"):
    return Message(f"repair.move.{symbol}", source=source, target=target, side=side)


def is_it(action, symbol="tadpole", side="light", subject="pending"):
    """What is asked about an action that may have been meant, such as `@b2` or `b2b3`."""
    source, target = Action.from_notation(action)
    if source is None:
        return Message(f"{subject}.place", side=side, cell=target)
    return Message(f"{subject}.move.{symbol}", side=side, source=source, target=target)


def wait(side="light"):
    return Message("pending.wait", side=side, seconds=3.0)


def take_back(count=1, seconds=3.0):
    return Message("pending.take_back", count=count, seconds=seconds)


def offer(cell):
    return Message("mismatch.offer", side="light", cell=cell)


def sit_down(line=QUIET, **how):
    """A board on which everything stands where it should."""
    return Wooden.at(Position.from_notation(line), **how)


def empty(pond=STANDARD, size=None, **occupancy):
    """A board with nothing on it, before the first turn."""
    wood = BoardState(occupancy=Occupancy(**occupancy), confirmation=ConfirmationState(was_in_sync=True))
    return Wooden(Session.start_game(pond, size, board_state=wood))


def does(table, event, **fields):
    """A face, a program or the board itself lets something happen."""
    return table.after(event(instant=table.time, **fields))


def up(table, *cells, rest=BREATH):
    """Pieces are lifted one after the other, each after a short rest."""
    for cell in cells:
        table.lift(cell).wait(rest)
    return table


def down(table, *cells, owner=None, rest=BREATH):
    """Pieces are put down one after the other, each followed by a short rest."""
    for cell in cells:
        table.drop(cell, owner=owner).wait(rest)
    return table


def nod(table, cell):
    """A piece that may not move is lifted and put back."""
    return down(up(table, cell), cell)


def swipe(table, *path, pause=0.1):
    """A piece is slid along these cells; in between it is felt on two."""
    for before, cell in pairwise(path):
        table.drop(cell).wait(0.05).lift(before).wait(pause)
    return table.wait(BREATH - pause)


def flicker(table, cell, times, every=0.1):
    """A sensor that feels now this, now that."""
    for _ in range(times):
        table.touch(cell, cell not in table.felt).wait(every)
    return table


def taken(table):
    return " ".join(map(str, table.actions))


def mend(table):
    """Do what the lamps ask until they ask for nothing any more; how many steps that were."""
    count = 0
    while follow(table):
        count += 1
        assert count <= 40, table.drawn("it never ends")
    return count


# A turn


def test_an_egg_is_placed_by_putting_it_there():
    table = down(empty(), "b2")
    assert taken(table) == "@b2"
    assert table.messages == (Message("turn.place", side="light", cell="b2"), prompt("dark", "place"))
    assert table.phase == "act"


def test_an_egg_counts_when_it_has_stood_for_as_long_as_the_profile_asks():
    table = empty(settle_seconds=0.4).drop("b2").wait(0.4 - JIFFY)
    assert taken(table) == ""
    assert taken(table.wait(2 * JIFFY)) == "@b2"


@pytest.mark.parametrize(
    ("source", "target", "symbol"),
    [
        ("b2", "c2", "tadpole"),
        ("d1", "c1", "frog"),
        ("d1", "d2", "frog"),
    ],
)
def test_a_piece_moves_by_being_lifted_and_put_down(source, target, symbol):
    table = down(up(sit_down(), source), target)
    assert taken(table) == source + target
    assert table.messages[0] == Message(f"turn.move.{symbol}", side="light", source=source, target=target)
    assert table.phase == "act"


def test_a_frog_hops_over_another_piece():
    table = sit_down("e..f/..../.T.e/E..F l 10 10 0 0")
    down(up(table, "d1"), "d3")
    assert taken(table) == "d1d3"
    assert table.messages == (
        Message("turn.move.frog", side="light", source="d1", target="d3"),
        Message("turn.develop.egg", cells=("d4",), count=1),
        Message("turn.develop.tadpole", cells=("d2",), count=1),
        turn_over("d2", "d4"),
        prompt("dark"),
    )
    assert table.shown(CellRole.FLIP) == ["d2", "d4"]


def test_a_frog_with_one_way_to_go_counts_at_the_instant_it_stands_there():
    table = up(sit_down("..../..../e.../FeE. l 11 11 0 0"), "a1")
    assert table.shown(CellRole.TARGET) == ["a3"]
    assert taken(table.drop("a3")) == "a1a3"


def test_a_cell_beside_its_own_is_too_near_to_be_sure_at_once():
    table = up(sit_down("...f/..../Te../E..F l 10 11 0 0"), "a2")
    assert table.shown(CellRole.TARGET) == ["a3"]
    assert taken(table.drop("a3").wait(0.2)) == ""  # it may be put back on a2, off the middle
    assert taken(table.wait(0.1)) == "a2a3"


# A piece in the hand


def test_a_lifted_piece_lights_where_it_may_go():
    table = up(sit_down(), "b2")
    assert table.phase == "in_hand"
    assert table.shown(CellRole.CHOSEN) == ["b2"]
    assert table.shown(CellRole.TARGET) == ["b1", "a2", "c2", "b3"]
    assert table.messages == (
        Message("chosen.tadpole", cell="b2", cells=("b1", "a2", "c2", "b3")),
        Message("lifted.put_back", cell="b2"),
    )


def test_a_piece_that_is_put_back_on_its_cell_has_not_moved():
    table = down(up(sit_down(), "b2"), "b2")
    assert taken(table) == ""
    assert table.phase == "act"
    assert not table.shown(CellRole.CHOSEN, CellRole.TARGET)
    assert table.messages == (prompt("light"),)


@pytest.mark.parametrize(
    ("line", "cell", "why", "step"),
    [
        (QUIET, "a1", Message("illegal.egg_cannot_move"), put("egg", "a1")),
        (QUIET, "a4", Message("illegal.other_owner", cell="a4", owner="dark", side="light"), put("egg", "a4", "dark")),
        (QUIET, "d4", Message("illegal.other_owner", cell="d4", owner="dark", side="light"), put("frog", "d4", "dark")),
        (
            "..../..../Ee../TE.. l 10 12 0 0",
            "a1",
            Message("illegal.nowhere_to_go.tadpole", cell="a1"),
            put("tadpole", "a1"),
        ),
    ],
    ids=["an egg", "the other side's egg", "the other side's frog", "a piece that is hemmed in"],
)
def test_what_may_not_be_lifted_has_to_be_put_back(line, cell, why, step):
    table = up(sit_down(line), cell)
    assert table.phase == "differs"
    assert table.shown(CellRole.PUT) == [cell]
    assert not table.shown(CellRole.TARGET, CellRole.TAKE_OFF)
    assert table.messages == (why, step)
    assert table.session.refusal.cell == cell
    down(table, cell)
    assert (table.phase, taken(table)) == ("act", "")
    assert taken(down(table, "c3")) == "@c3"


def test_a_step_that_no_rule_allows_is_refused_and_led_back_by_light():
    table = down(up(sit_down(), "b2"), "d3")
    assert taken(table) == ""
    assert table.phase == "differs"
    assert (table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == (["d3"], ["b2"])
    assert table.session.refusal.cell == "d3"
    assert table.messages == (Message("illegal.tadpole_reach"), put_back("tadpole", "d3", "b2"))
    assert mend(table) == 1
    assert table.at_rest()


def test_two_pieces_lifted_together_are_both_put_back():
    table = sit_down().lift("b2", "d1").wait(BREATH)
    assert table.phase == "differs"
    assert table.messages == (
        DIFFERS,
        missing("b2", "d1"),
        put("frog", "d1"),
        Message("repair.more", count=1),
    )
    down(table, "d1")
    assert (table.phase, table.session.in_hand) == ("in_hand", "b2")
    down(table, "b2")
    assert (table.phase, taken(table)) == ("act", "")


# What is left to do after a turn


def test_what_has_developed_and_what_has_scored_is_said_and_lit_until_it_is_done():
    table = down(sit_down(PRESSED), "b1")
    assert table.phase == "take_off"
    assert table.shown(CellRole.FLIP) == ["a1", "c1"]
    assert table.shown(CellRole.TAKE_OFF) == ["a2", "b2", "c2"]
    assert table.messages[2:] == (
        Message("turn.set.tadpole", cells=("a2", "b2", "c2"), count=3),
        Message("turn.gain", side="light", count=2),
        Message("turn.gain", side="dark", count=1),
        turn_over("a1", "c1"),
        take_off("a2", "b2", "c2"),
        prompt("dark"),
    )
    table.wait(A_DAY)  # there is no hurry
    assert table.shown(CellRole.TAKE_OFF) == ["a2", "b2", "c2"]


def test_what_is_left_to_take_off_is_counted_down():
    table = down(sit_down(PRESSED), "b1")
    for cell, left in (("b2", take_off("a2", "c2")), ("a2", take_off("c2"))):
        assert left in up(table, cell).messages
        assert table.phase == "take_off"
    up(table, "c2")
    assert table.phase == "act"
    assert "hands.take_off" not in ids(table.messages)
    assert not table.shown(CellRole.TAKE_OFF)


@pytest.mark.parametrize("order", [("a1", "c1"), ("c1", "a1")])
def test_faces_are_turned_over_one_by_one_in_any_order(order):
    table = up(down(sit_down(PRESSED), "b1"), "a2", "b2", "c2")
    one, other = order
    nod(table, one)
    assert table.messages == (turn_over(other), prompt("dark"))
    assert table.shown(CellRole.FLIP) == [other]
    nod(table, other)
    assert table.messages == (prompt("dark"),)
    assert not table.shown(CellRole.FLIP)
    assert (taken(table), table.phase) == ("@b1", "act")


@pytest.mark.parametrize("first", ["a1", "c1"])
def test_several_faces_are_turned_over_at_once_and_come_back_in_any_order(first):
    table = down(sit_down(PRESSED), "b1").lift("a1", "c1").wait(2.0)
    assert table.phase == "take_off"  # and no word of anything missing
    assert not any(message_id.startswith("mismatch.") for message_id in ids(table.messages))
    down(table, *sorted(["a1", "c1"], key=lambda cell: cell != first))
    assert not table.shown(CellRole.FLIP)
    assert (taken(table), table.phase) == ("@b1", "take_off")


def test_the_next_player_lifts_a_piece_while_faces_are_being_turned():
    table = down(sit_down(PRESSED), "b1").lift("a1", "c1").wait(1.0)
    up(table, "d4")
    assert (table.phase, table.session.in_hand) == ("in_hand", "d4")
    assert table.shown(CellRole.TARGET) == ["d2", "d3", "b4", "c4"]
    down(table, "c1", "a1", "d3")
    assert taken(table) == "@b1 d4d3"


@pytest.mark.parametrize(
    ("hands", "action"),
    [
        ((), "@c3"),
        (("d4",), "d4d3"),
    ],
    ids=["an egg", "a move"],
)
def test_what_the_next_player_does_while_a_face_is_being_turned_counts_as_soon_as_that_is_back(hands, action):
    table = up(down(sit_down(PRESSED), "b1"), "a1", *hands)
    down(table, action[-2:])
    assert (taken(table), table.phase) == ("@b1", "differs")
    assert table.messages == (
        Message("pending.put_back", cells=("a1",), count=1),
        is_it(action, "frog", "dark", "pending.then"),
    )
    assert table.shown(CellRole.PUT) == ["a1"]
    assert action[-2:] not in table.shown(CellRole.TAKE_OFF)
    assert taken(down(table.wait(100), "a1")) == f"@b1 {action}"


def test_of_two_pieces_to_be_turned_the_one_that_has_moved_is_not_waited_for():
    table = down(sit_down("e..f/..../.T../EE.F d 0 11 9 0"), "a2")  # light has no egg left to place
    down(up(table, "a1", "b2"), "d2")
    assert (taken(table), table.shown(CellRole.PUT)) == ("@a2", ["a1"])
    assert table.messages == (
        Message("pending.put_back", cells=("a1",), count=1),
        is_it("b2d2", "frog", "light", "pending.then"),
    )


def test_the_next_turn_may_be_taken_before_the_scored_pieces_are_off():
    table = down(down(sit_down(PRESSED), "b1"), "c3")
    assert taken(table) == "@b1 @c3"
    assert table.phase == "take_off"
    assert table.messages[-3:] == (turn_over("a1", "c1"), take_off("a2", "b2", "c2"), prompt("light"))
    up(table, "a2", "b2", "c2")
    assert (table.phase, taken(table)) == ("act", "@b1 @c3")


def test_faces_that_nobody_has_turned_are_asked_for_turn_after_turn():
    table = down(sit_down("...f/..../..../E..F l 11 12 0 0"), "b1", "c4")  # dark does not wait for a1
    assert table.messages[-2:] == (turn_over("a1", "d4"), prompt("light"))
    up(table, "a1").wait(1.0)  # light turns it now, and places an egg beside it with the other hand
    down(table, "a2")
    assert taken(table) == "@b1 @c4"
    assert table.messages == (is_it("a1a2", "tadpole"), wait())
    down(table.wait(1.0), "a1")
    assert table.messages[:2] == (is_it("@a2"), wait())
    assert taken(table.wait(HOLD)) == "@b1 @c4 @a2"


def test_a_piece_that_is_taken_away_during_development_is_waited_for():
    table = up(down(sit_down(), "a2"), "b2")  # a1 and b2 are to be turned over
    table.wait(A_DAY)
    assert turn_over("a1", "b2") in table.messages
    up(table, "a4")
    assert table.phase == "differs"
    assert table.messages[:2] == (DIFFERS, missing("a4", "b2"))
    down(table, "a4", "b2")
    assert (taken(table), table.phase) == ("@a2", "act")
    assert table.shown(CellRole.FLIP) == ["a1"]


class TestAPieceThatMovesBeforeItWasTurnedOver:
    """It could still be in a hand, and an egg beside it be the other hand's."""

    def moved(self):
        table = sit_down(DARKS)
        down(table, "b3")  # dark; light's tadpole on b2 becomes a frog
        return down(up(table, "b2"), "d2")

    def test_is_announced_and_counts_after_three_seconds(self):
        table = self.moved()
        assert (taken(table), table.phase) == ("@b3", "differs")
        assert table.messages == (is_it("b2d2", "frog"), wait())
        assert table.shown(CellRole.PENDING) == ["b2", "d2"]
        hold = table.session.view.scene.confirm_window
        assert hold.until - hold.since == pytest.approx(HOLD)
        table.wait(hold.until - JIFFY - table.time)
        assert taken(table) == "@b3"
        assert taken(table.wait(2 * JIFFY)) == "@b3 b2d2"
        assert table.session.board_state.tasks.cells_to_flip == {"d1"}  # and b2 no more

    def test_is_announced_also_when_it_moved_in_one_go(self):
        table = down(up(down(sit_down(DARKS), "b3"), "b2", rest=0.1), "d2")
        assert (taken(table), table.shown(CellRole.PENDING)) == ("@b3", ["b2", "d2"])

    def test_is_called_off_by_any_hand(self):
        table = up(self.moved().wait(2.0), "d2")
        assert table.session.view.scene.confirm_window is None
        down(table.wait(10), "b2")
        assert (taken(table), table.phase) == ("@b3", "act")

    def test_counts_at_once_when_it_was_turned_where_it_stood(self):
        table = sit_down(DARKS)
        down(up(nod(down(table, "b3"), "b2"), "b2"), "d2")
        assert taken(table) == "@b3 b2d2"

    def test_counts_at_once_when_there_is_no_egg_left_that_could_be_placed(self):
        table = down(sit_down("e..f/..../.T../EE.F d 0 11 9 0"), "b3")
        assert taken(down(up(table, "b2"), "d2")) == "@b3 b2d2"

    def test_counts_at_once_where_pieces_have_no_faces(self):
        table = sit_down(DARKS, has_faces=False)
        down(table, "b3")
        assert not table.shown(CellRole.FLIP)
        assert "hands.turn_over" not in ids(table.messages)
        assert taken(down(up(table, "b2"), "d2")) == "@b3 b2d2"


@pytest.mark.parametrize("cell", ["a2", "b2", "c2"])
def test_a_scored_piece_that_is_put_back_is_not_taken_for_an_egg(cell):
    table = up(down(sit_down(PRESSED), "b1"), "a2", "b2", "c2")
    down(table, cell)
    assert taken(table) == "@b1"
    assert table.phase == "differs"
    assert table.messages == (is_it(f"@{cell}", side="dark"), wait("dark"))
    up(table.wait(2.5), cell)
    assert (taken(table), table.phase) == ("@b1", "act")
    assert taken(down(table, cell).wait(HOLD)) == f"@b1 @{cell}"  # and if it is one, it waits


HOP_THAT_SCORES = "...T/t.tf/...T/...T d 10 10 0 0"
"""Dark's frog can only hop from d3 to b3, and all three in that row score. It counts as soon as it is felt."""


@pytest.mark.parametrize("away", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("felt", [0.02, 0.08, 0.4])
@pytest.mark.parametrize("owners", [False, True])
def test_a_scored_piece_that_a_hand_had_not_let_go_yet_is_still_to_be_taken_off(felt, away, owners):
    table = up(sit_down(HOP_THAT_SCORES, owners=owners), "d3")
    table.drop("b3", owner=DARK).wait(felt).lift("b3").wait(away).drop("b3", owner=DARK).wait(30.0)
    assert (taken(table), table.phase, table.shown(CellRole.TAKE_OFF)) == ("d3b3", "take_off", ["a3", "b3", "c3"])
    assert up(table, "a3", "b3", "c3").at_rest()


@pytest.mark.parametrize("cell", ["a2", "b2", "c2"])
def test_one_that_is_put_back_later_and_slips_is_asked_about_all_the_same(cell):
    table = up(down(sit_down(PRESSED), "b1"), "a2", "b2", "c2").wait(5.0)
    table.drop(cell).wait(0.3).lift(cell).wait(0.1).drop(cell).wait(BREATH)
    assert table.messages == (is_it(f"@{cell}", side="dark"), wait("dark"))


@pytest.mark.parametrize(("felt", "away"), [(0.6, 0.3), (0.1, 1.2)])
def test_but_one_that_had_stood_there_or_was_away_for_long_may_be_an_egg(felt, away):
    table = up(sit_down(HOP_THAT_SCORES), "d3")
    table.drop("b3").wait(felt).lift("b3").wait(away).drop("b3").wait(BREATH)
    assert table.messages == (is_it("@b3"), wait())


@pytest.mark.parametrize("after", [0.1, 0.9])
def test_what_is_put_down_just_after_a_scored_piece_was_taken_off_may_be_that_piece(after):
    table = down(up(down(sit_down(PRESSED), "b1"), "a2", rest=after), "d3")
    assert taken(table) == "@b1"
    assert table.messages == (is_it("@d3", side="dark"), wait("dark"))
    assert taken(table.wait(HOLD)) == "@b1 @d3"


@pytest.mark.parametrize("after", [1.1, -0.1])
def test_what_is_put_down_well_after_that_or_before_it_is_another_piece(after):
    table = down(sit_down(PRESSED), "b1")
    if after > 0:
        table.lift("a2").wait(after).drop("d3")
    else:
        table.drop("d3").wait(-after).lift("a2")
    assert taken(table.wait(BREATH)) == "@b1 @d3"


@pytest.mark.parametrize(("scored", "asked"), [("b2", True), ("c2", False)], ids=["dark's", "light's"])
def test_with_sensors_that_tell_it_may_be_only_a_piece_of_its_own_side(scored, asked):
    table = down(sit_down(PRESSED, owners=True), "b1", owner=LIGHT)
    down(up(table, scored, rest=0.1), "d3", owner=DARK)
    assert taken(table) == ("@b1" if asked else "@b1 @d3")


# Slides, hands that hover, sensors that let go for a moment


@pytest.mark.parametrize(
    "path",
    ["b2 b3", "b2 c2", "b2 b1", "b2 b3 b2 c2", "b2 c2 c3 b3", "d1 c1", "d1 d2 d3", "d1 d2 c2 c1", "d1 c1 c2 d2 d3"],
)
def test_a_slide_that_ends_where_the_piece_may_go_is_one_turn(path):
    table = swipe(sit_down(), *path.split())
    source, *_, target = path.split()
    assert taken(table) == source + target


@pytest.mark.parametrize(
    "path", ["b2 b3 c3", "b2 c2 d2", "b2 c2 c3 d3", "b2 b3 b4 c4 c3", "d1 c1 c2", "d1 d2 c2 c3 d3 c3"]
)
def test_a_slide_that_ends_elsewhere_is_none(path):
    table = swipe(sit_down(), *path.split())
    source, *_, target = path.split()
    assert (taken(table), table.phase) == ("", "differs")
    assert any(
        message.arguments.get("source") == target and message.arguments["target"] == source
        for message in table.messages
    )
    assert mend(table) == 1
    assert table.at_rest()


def test_a_slide_there_and_back_is_nothing():
    table = swipe(sit_down(), "b2", "b3", "c3", "c2", "b2")
    assert (taken(table), table.phase) == ("", "act")


@pytest.mark.parametrize("pause", [0.01, 0.1, 0.19])
def test_a_slide_may_stop_for_less_than_it_takes_to_settle(pause):
    assert taken(swipe(sit_down(), "d1", "c1", "c2", "d2", "d3", pause=pause)) == "d1d3"


@pytest.mark.slow
def test_every_slide_of_up_to_four_cells_is_the_turn_where_it_rests_or_none():
    """All that any path over empty cells can do with the frog, the tadpole and an egg."""
    rest, legal = sit_down(), {str(action) for action in sit_down().session.allowed_actions}
    beside = {cell: [c for c in rest.position.grid.cells if _steps(cell, c) == 1] for cell in rest.position.grid.cells}
    paths = [[source] for source in ("d1", "b2", "a1")]
    done = 0
    for path in paths:
        if len(path) < 5:
            free = [cell for cell in beside[path[-1]] if cell not in rest.position.pieces or cell == path[0]]
            paths += [[*path, cell] for cell in free]
        if len(path) == 1:
            continue
        table, meant = swipe(rest.fork(), *path), path[0] + path[-1]
        with drawing(table, *path):
            assert taken(table) == (meant if meant in legal else "")
            assert table.phase == ("act" if meant in legal or path[0] == path[-1] else "differs")
        done += 1
    assert done > 200


def _steps(one, other):
    return abs(ord(one[0]) - ord(other[0])) + abs(int(one[1]) - int(other[1]))


def test_a_hand_that_hovers_over_cells_has_not_made_up_its_mind():
    table = up(sit_down(), "b2")
    for cell in ("b3", "c2", "b1", "c2", "d3"):
        table.drop(cell).wait(0.2).lift(cell).wait(0.1)
    assert taken(table.wait(BREATH)) == ""
    assert table.phase == "in_hand"
    assert taken(down(table, "c2")) == "b2c2"


def test_an_egg_that_slides_to_its_cell_is_no_question():
    table = sit_down().drop("c3").wait(0.1).lift("c3").wait(0.05).drop("c2")
    assert taken(table.wait(BREATH)) == "@c2"


def test_an_egg_that_hovers_over_the_board_is_not_placed():
    table = sit_down().drop("c3").wait(0.2).lift("c3").wait(5)
    assert (taken(table), table.phase) == ("", "act")


def test_a_sensor_that_lets_go_for_a_moment_is_no_hand():
    table = sit_down()
    said = table.messages
    for gap in (0.05, 0.1, 0.2):
        table.lift("d1").wait(gap).drop("d1").wait(gap)
    assert (taken(table.wait(10)), table.phase, table.messages) == ("", "act", said)


def test_two_quick_touches_that_come_to_nothing_do_nothing():
    table = sit_down()
    table.drop("c3").lift("c3").lift("d4").drop("d4").wait(10)
    assert (taken(table), table.phase) == ("", "act")
    assert not table.session.view.scene.confirm_window


# Two quick turns


@pytest.mark.parametrize("pair", ["b2c2 d4d3", "b2b3 d4c4", "b2a2 d4d2", "@c3 d4d3", "@b3 d4d3", "b2b3 @d3"])
@pytest.mark.parametrize("gap", [0.0, 0.05, 0.08])
def test_two_quick_turns_are_both_taken_however_the_hands_interleave(pair, gap):
    """Only one order of them is legal: it is light's turn, and the pieces that move tell whose they are."""
    for order in orders(changes(*map(Action.from_notation, pair.split()))):
        table = sit_down()
        for cell, there in order:
            table.touch(cell, there).wait(gap)
        with drawing(table, order):
            assert taken(table.wait(BREATH)) == pair


@pytest.mark.parametrize("pair", ["@c3 @c4", "@a3 @d3", "@b3 @c2"])
def test_of_two_quick_turns_that_could_be_either_way_round_none_is_taken(pair):
    for order in orders(changes(*map(Action.from_notation, pair.split()))):
        table = sit_down()
        for cell, there in order:
            table.touch(cell, there).wait(0.05)
        table.wait(BREATH)
        assert (taken(table), table.phase) == ("", "differs")
        cells = sorted(cell for cell, _ in order)
        assert table.messages[:2] == (DIFFERS, extra(*cells))
        mend(table)
        assert table.at_rest()


@pytest.mark.parametrize(
    ("line", "before", "quickly"),
    [
        (DARKS, ("b3",), ("b2d2", "@c4")),  # b2 may be in a hand, to be turned over
        ("..../..T./Te../...f l 11 11 0 0", (), ("c3c2", "@a4")),  # what scores is taken off as well
    ],
    ids=["a face to be turned over", "a turn that scores"],
)
def test_of_two_quick_turns_with_something_to_do_between_them_none_is_taken(line, before, quickly):
    table = down(sit_down(line), *before)
    so_far = taken(table)
    for cell, there in changes(*map(Action.from_notation, quickly)):
        table.touch(cell, there).wait(0.05)
    table.wait(BREATH)
    assert (taken(table), table.phase) == (so_far, "differs")


def test_who_puts_an_egg_where_the_piece_has_just_left_is_asked():
    """Felt is the same as if light had placed an egg, and dark done nothing."""
    table = sit_down("..../.T../.e../.... l 12 12 0 0").lift("b3").wait(0.05)
    table.drop("c3").wait(0.05).drop("b3").wait(BREATH)
    assert (taken(table), table.phase) == ("", "differs")
    assert table.messages == (is_it("@c3"), wait())


@pytest.mark.parametrize("thinks", [0.3, 1.0])
def test_the_second_player_may_lift_before_the_first_egg_has_settled(thinks):
    table = sit_down().drop("c3").wait(0.1).lift("d4").wait(thinks)
    assert taken(down(table.fork(), "d4")) == "@c3"
    assert taken(down(table, "d3")) == "@c3 d4d3"


def test_a_second_player_who_thinks_with_the_piece_in_the_hand_is_asked():
    table = sit_down().drop("c3").wait(0.1).lift("d4").wait(BREATH)
    assert table.messages[-2:] == (
        is_it("@c3", subject="mismatch.half_done"),
        Message("mismatch.put_back_first", cell="d4"),
    )
    down(table.wait(5.0 - BREATH), "d3")
    assert table.messages == (is_it("@c3"), is_it("d4d3", "frog", "dark"), wait())
    assert taken(table.wait(HOLD)) == "@c3 d4d3"


def test_a_piece_that_is_felt_on_the_next_cell_too_is_not_a_second_turn():
    """It may stand between the two; sensors that tell owners know better."""
    table = sit_down().lift("b2").wait(0.05).drop("b3", "b4").wait(BREATH)
    assert (taken(table), table.phase) == ("", "differs")
    table = sit_down(owners=True).lift("b2").wait(0.05).drop("b3", owner=LIGHT).drop("b4", owner=DARK).wait(BREATH)
    assert taken(table) == "b2b3 @b4"


@pytest.mark.parametrize(("pushed", "felt"), [("a1", "b1"), ("a1", "a2"), ("a4", "b3")])
def test_a_piece_that_is_pushed_so_that_two_cells_feel_it_is_asked_about(pushed, felt):
    """It may also be an egg, that was put down while the piece beside it was touched."""
    table = sit_down().lift(pushed).wait(0.03).drop(felt).wait(0.03).drop(pushed).wait(BREATH)
    assert (taken(table), table.phase) == ("", "differs")
    assert table.messages == (is_it(f"@{felt}"), wait())
    up(table.wait(2.0), felt)
    assert (taken(table), table.phase) == ("", "act")


def test_a_piece_that_is_lifted_after_another_was_put_where_it_may_go_is_asked_about():
    table = sit_down().lift("b2").wait(0.03).drop("c2").wait(0.03).drop("b2").wait(BREATH)
    assert table.messages == (is_it("@c2"), wait())
    up(table, "b2")
    assert (taken(table), table.shown(CellRole.PENDING)) == ("", ["b2", "c2"])
    assert taken(down(table, "b2").wait(HOLD)) == ""  # it is likelier that the piece was slid
    assert taken(table.wait(FURTHER_CONFIRM_SECONDS - HOLD)) == "@c2"


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
    ids=lambda value: f"{len(value)} of them" if isinstance(value, dict) else "",
)
def test_pieces_that_were_knocked_over_are_named_and_led_back_one_at_a_time(fallen, steps):
    table = sit_down()
    for cell, to in fallen.items():
        table.lift(cell)
        if to:
            table.wait(0.05).drop(to)
    table.wait(BREATH)
    assert (taken(table), table.phase) == ("", "differs")
    if steps > 1:
        assert {*fallen, *fallen.values()} - {None} <= table.named
        assert Message("repair.more", count=steps - 1) in table.messages
    assert len(table.shown(CellRole.TAKE_OFF)) <= 1
    assert len(table.shown(CellRole.PUT, CellRole.CHOSEN)) <= 1
    assert mend(table) <= steps
    assert table.at_rest()
    assert taken(table) == ""


@pytest.mark.parametrize("up_or_down", [1, -1], ids=["up", "down"])
@pytest.mark.parametrize("gap", [0.0, 0.05, 0.2])
def test_a_sleeve_over_a_whole_row_commits_nothing(gap, up_or_down):
    table = sit_down("e..f/..../TtFe/E... l 10 9 0 0")
    for column in "abcd":
        table.lift(f"{column}2").wait(gap / 2)
        if f"{column}{2 + up_or_down}" not in table.felt:
            table.drop(f"{column}{2 + up_or_down}")
        table.wait(gap / 2)
    table.wait(BREATH)
    assert (taken(table), table.phase) == ("", "differs")
    assert missing("a2", "b2", "c2", "d2") in table.messages
    assert mend(table) <= 8
    assert table.at_rest()
    assert taken(table) == ""


def test_a_sleeve_commits_nothing_even_if_its_first_piece_goes_where_it_might_have_moved():
    table = sit_down(PRESSED)
    for cell, to in (("a2", "a3"), ("b2", "b3"), ("c2", "c3")):  # a2 has nowhere to go but a3
        table.lift(cell).wait(0.1).drop(to).wait(0.1)
    table.wait(BREATH)
    assert (taken(table), table.phase) == ("", "differs")
    assert mend(table) == 3
    assert table.at_rest()


@pytest.mark.parametrize("fallen", [("c3", "a1"), ("a1", "b2", "c3"), ("a4", "c2", "c3", "d1"), ("c2", "c3", "a1")])
def test_mending_an_accident_takes_no_turn_back_however_long_it_takes(fallen):
    table = down(sit_down(), "c3", "c2", rest=1.0)
    table.lift(*fallen).wait(60)
    assert (taken(table), table.phase) == ("@c3 @c2", "differs")
    for _ in fallen:
        assert follow(table)
        table.wait(30)
        assert taken(table) == "@c3 @c2"
    assert table.phase == "act"
    assert table.felt == table.position.pieces.keys()


def test_who_mends_an_accident_in_an_order_of_their_own_takes_nothing_back_either():
    table = down(sit_down(), "c3", rest=1.0).lift("a1", "b2", "c3").wait(1.0)
    down(table, "b2", "a1").wait(60)  # the last turn's piece is still missing
    assert (taken(table), table.phase, table.shown(CellRole.PUT)) == ("@c3", "differs", ["c3"])
    down(table, "c3")
    assert (taken(table), table.phase) == ("@c3", "act")
    up(table, "c3").wait(HOLD)  # from here on it is a gesture again
    assert taken(table) == ""


def test_a_piece_that_nobody_takes_off_is_left_for_later_and_asked_for_again():
    table = does(sit_down(), NewGame, variant=STANDARD).wait(BREATH)
    asked = []
    for _ in range(10):
        asked += table.shown(CellRole.TAKE_OFF)
        table.wait(STUCK_SECONDS)
    assert sorted(asked[:5]) == ["a1", "a4", "b2", "d1", "d4"]
    assert asked[5:] == asked[:5]
    assert table.session.board_state.sensors.masked_cells == frozenset()
    assert mend(table) == 5
    assert table.at_rest()


def hovers(table, cell="c2"):
    """A hand is there, and does nothing."""
    return table.drop(cell).wait(0.1).lift(cell).wait(BREATH)


class TestPiecesThatNobodyTakesOffASecondTime:
    """Another game is asked for, and the five pieces of this one are to be taken off."""

    def asked(self, table=None):
        return does(table or sit_down(), NewGame, variant=STANDARD).wait(BREATH)

    def test_when_hands_have_taken_the_others_they_are_put_down_to_their_sensors(self):
        table = self.asked(flicker(sit_down(), "c3", 13)).wait(STUCK_SECONDS)  # one sensor is known to be bad already
        (second,) = table.shown(CellRole.TAKE_OFF)
        first = next(iter(table.session.board_state.tasks.deferred))
        up(table, *sorted({"a1", "a4", "b2", "d1", "d4"} - {first, second}))
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("differs", {"c3"})
        table.wait(2 * STUCK_SECONDS)
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("act", {"c3", first, second})

    def test_all_are_asked_for_before_that(self):
        table = hovers(self.asked().wait(STUCK_SECONDS))
        for _ in range(3):
            table.wait(STUCK_SECONDS)
            assert (table.phase, table.session.board_state.sensors.masked_cells) == ("differs", frozenset())

    def test_a_hand_that_was_there_only_before_does_not_count(self):
        table = self.asked(hovers(sit_down())).wait(10 * STUCK_SECONDS)
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("differs", frozenset())

    def test_nor_one_that_only_hovers(self):
        table = hovers(self.asked().wait(STUCK_SECONDS)).wait(10 * STUCK_SECONDS)
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("differs", frozenset())

    def test_nor_one_that_puts_such_a_piece_straight(self):
        table = self.asked().wait(STUCK_SECONDS)
        (cell,) = table.session.board_state.tasks.deferred
        table.lift(cell).drop(cell).wait(10 * STUCK_SECONDS)
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("differs", frozenset())


@pytest.mark.parametrize("cell", ["b2", "d1"])
def test_a_piece_that_is_in_a_hand_for_a_day_may_still_go_anywhere(cell):
    table = up(sit_down(), cell).wait(A_DAY)
    assert (table.phase, table.session.in_hand) == ("in_hand", cell)
    assert taken(down(table.fork(), cell)) == ""
    for target in table.shown(CellRole.TARGET):
        assert taken(down(table.fork(), target)) == cell + target


@pytest.mark.parametrize("cell", ["a1", "a4", "d4"])
def test_a_piece_that_may_not_move_is_still_missed_after_a_day_and_is_no_egg_elsewhere(cell):
    table = up(sit_down(), cell).wait(A_DAY)
    assert (table.phase, table.shown(CellRole.PUT)) == ("differs", [cell])
    assert not table.session.board_state.sensors.masked_cells
    elsewhere = down(table.fork(), "c3").wait(60)
    assert (taken(elsewhere), elsewhere.phase) == ("", "differs")
    down(table, cell)
    assert (taken(table), table.phase) == ("", "act")


def test_everything_is_knocked_about_and_somebody_comes_back_after_a_day():
    table = sit_down().lift("a1", "a4", "d1").drop("b1", "a3").wait(A_DAY)
    assert (taken(table), table.phase) == ("", "differs")
    mend(table)
    assert table.at_rest()


# Taking back by hand


class TestTakingATurnBack:
    def test_a_placed_egg_is_taken_off_again(self):
        table = up(down(sit_down(), "c3"), "c3")
        assert table.phase == "differs"
        assert table.messages == (take_back(),)
        assert table.shown(CellRole.PENDING) == ["c3"]
        assert taken(table.wait(HOLD - BREATH)) == "@c3"
        table.wait(BREATH)
        assert (taken(table), table.phase) == ("", "act")
        assert table.messages == (Message("undo.done", count=1), prompt("light"))

    def test_a_piece_goes_back_to_where_it_came_from(self):
        table = down(up(down(up(sit_down(), "b2"), "c2").wait(5), "c2"), "b2")
        assert table.shown(CellRole.PENDING) == ["b2", "c2"]
        assert taken(table) == "b2c2"
        assert taken(table.wait(HOLD)) == ""
        assert table.at_rest()

    def test_any_hand_says_no(self):
        table = up(down(sit_down(), "c3"), "c3").wait(2.5)
        down(table, "c3").wait(10)
        assert (taken(table), table.phase) == ("@c3", "act")

    def test_who_has_said_no_and_tries_about_is_led_on_by_the_lamps(self):
        table = down(up(down(sit_down(), "c3"), "c3"), "d3")
        table.lift("d3").drop("d2").wait(BREATH)
        up(table, "d2")  # nothing is missing but the egg, as when going back was announced
        assert (table.phase, table.shown(CellRole.PUT), table.shown(CellRole.PENDING)) == ("differs", ["c3"], [])
        assert taken(table.wait(60)) == "@c3"

    def test_who_has_said_no_may_still_say_yes_afterwards(self):
        table = up(nod(down(sit_down(), "c3"), "c3").wait(10), "c3")
        assert table.shown(CellRole.PENDING) == ["c3"]
        assert taken(table.wait(HOLD)) == ""

    def test_scored_pieces_are_asked_for_by_light(self):
        table = up(down(sit_down(PRESSED), "b1"), "a2", "b2", "c2", rest=0.5)
        up(table, "b1")
        table.wait(60)
        down(table, "a2", "b2", rest=0.5)
        assert table.phase == "differs"
        assert table.messages[-2:] == (put("tadpole", "c2"), Message("mismatch.leads_back"))
        assert table.shown(CellRole.PUT) == ["c2"]
        down(table, "c2")
        assert (taken(table), table.phase) == ("@b1", "differs")
        assert {"a2", "b2", "c2", "b1"} <= set(table.shown(CellRole.PENDING))
        table.wait(HOLD)
        assert taken(table) == ""
        assert table.position == Position.from_notation(PRESSED)
        assert table.at_rest()

    def test_half_way_between_the_lamps_lead_to_the_game(self):
        table = up(down(sit_down(FOUR), "b1"), "a2", "b2", "c2", "d2")
        down(table, "a2", "b2")
        assert (table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == (["a2"], [])

    def test_scored_pieces_that_still_stand_need_not_be_put_back(self):
        table = down(up(down(sit_down(FOUR), "b1"), "a2", "b2", "c2"), "a2", "b2")
        assert (table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == (["b1", "d2"], ["c2"])

    def test_with_something_else_missing_the_lamps_lead_to_the_game(self):
        table = up(down(sit_down(FOUR), "b1"), "a2", "b2", "c2", "d2").wait(2.0)
        table.lift("d4").drop("a2", "b2", "c2").wait(BREATH)
        assert table.phase == "differs"
        assert "mismatch.leads_back" not in ids(table.messages)

    def test_after_an_accident_the_lamps_lead_to_the_game(self):
        table = up(down(sit_down(PRESSED), "b1"), "a2", "b2", "c2").wait(2.0)
        table.lift("a1", "d1", "d4").drop("a2", "b2").wait(BREATH)
        down(table, "a1", "d1", "d4")
        assert (table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == (["a2"], [])

    def test_whoever_says_no_is_led_to_the_game(self):
        table = up(down(sit_down(PRESSED), "b1"), "a2", "b2", "c2")
        up(down(up(table, "b1"), "a2", "b2", "c2"), "c2")
        assert table.shown(CellRole.PUT) == ["b1"]

    def test_a_programs_turn_that_scored_is_not_put_back(self):
        table = sit_down(FOUR)
        table.session = table.session.with_human_sides((DARK,))
        mend(does(table, TakeAction, action=Action.from_notation("@b1")).wait(BREATH))
        down(up(table, "a2", "b2", "c2", "d2").wait(2.0), "a2", "b2", "c2")
        assert (table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == (["a2"], [])

    def test_nor_one_of_a_face_that_nobody_has_followed(self):
        table = does(sit_down(FOUR), TakeAction, action=Action.from_notation("@b1")).wait(BREATH)
        down(up(table, "a2", "b2", "c2", "d2").wait(2.0), "a2", "b2", "c2")
        assert table.shown(CellRole.PUT) == ["b1"]

    def test_two_turns_take_six_seconds(self):
        table = up(down(sit_down(), "c3", "c2", rest=1.0), "c2", "c3")
        assert table.messages[0] == take_back(2, 6.0)
        assert taken(table.wait(FURTHER_CONFIRM_SECONDS - BREATH)) == "@c3 @c2"
        assert taken(table.wait(BREATH)) == ""
        assert table.messages[0] == Message("undo.done", count=2)

    def test_who_stops_on_the_way_back_by_two_takes_one_back(self):
        table = up(down(sit_down(), "c3", "c2", rest=1.0), "c2").wait(HOLD)
        assert taken(table) == "@c3"

    def test_nobody_takes_a_resignation_back_by_hand(self):
        table = down(sit_down(), "c3")
        does(table, ResignGame)
        up(table, "c3").wait(60)
        assert (taken(table), table.phase) == ("@c3", "over")
        assert table.messages == (Message("outcome.resignation", winner="light", loser="dark"),)

    def test_a_game_that_ended_on_the_board_can_be_taken_back(self):
        table = down(sit_down("..../..../TeT./.... l 2 3 9 9"), "b1")
        assert (table.phase, table.messages[-2:]) == ("over", (LIGHT_WINS, take_off("a2", "b2", "c2")))
        assert table.shown(CellRole.TAKE_OFF) == ["a2", "b2", "c2"]
        up(table, "a2", "b2", "c2").wait(30)
        assert (taken(table), table.phase) == ("@b1", "over")
        up(down(table, "c2", "b2", "a2"), "b1")
        assert table.messages[0] == take_back()
        assert taken(table.wait(HOLD)) == ""
        assert table.at_rest()

    def test_a_turn_of_a_face_that_ends_the_game_is_not_taken_back_because_nobody_follows_it(self):
        table = sit_down("..../..../TeT./.... l 2 3 9 9")
        does(table, TakeAction, action=Action.from_notation("@b1")).wait(5)
        table.drop("d4").wait(0.1).lift("d4").wait(60)  # somebody points at the board
        assert (taken(table), table.phase, table.shown(CellRole.PENDING)) == ("@b1", "differs", [])
        assert table.shown(CellRole.PUT) == ["b1"]

    def test_what_is_too_many_when_the_game_is_over_is_named_and_led_away(self):
        table = down(sit_down("..../..../TeT./.... l 2 3 9 9"), "b1")
        up(table, "a2", "b2", "c2")
        table.drop("d1").wait(BREATH)
        assert (table.phase, table.messages) == (
            "differs",
            (Message("illegal.game_over"), Message("repair.take_off", cell="d1")),
        )
        assert table.shown(CellRole.TAKE_OFF) == ["d1"]
        assert (table.lift("d1").wait(BREATH).phase, table.messages) == ("over", (LIGHT_WINS,))

    def test_whoever_puts_the_pieces_in_their_box_then_is_asked_for_nothing(self):
        table = up(down(sit_down(), "c3"), "c3")
        does(table, ResignGame)
        for cell in sorted(table.session.position.pieces.keys() & table.felt)[:-1]:
            assert (up(table, cell).phase, table.shown(CellRole.PUT)) == ("over", [])

    def test_a_last_turn_that_a_face_took_is_followed_by_hand(self):
        table = sit_down("..../..../TeT./.... l 2 3 9 9")
        does(table, TakeAction, action=Action.from_notation("@b1")).wait(BREATH)
        assert (table.phase, table.shown(CellRole.PUT)) == ("differs", ["b1"])
        assert (table.drop("b1").wait(BREATH).phase, table.shown(CellRole.PUT)) == ("over", [])

    def test_against_a_program_its_turn_goes_with_ones_own(self):
        table = sit_down()
        table.session = table.session.with_human_sides((LIGHT,))
        down(table, "c3")
        does(table, TakeAction, action=Action.from_notation("d4d3")).wait(BREATH)
        assert mend(table) == 1
        down(up(table, "d3"), "d4")
        assert "pending.take_back" not in ids(table.messages)  # nobody takes back a program's turn alone
        assert taken(table.wait(60)) == "@c3 d4d3"
        up(table, "c3")
        assert table.messages[0] == take_back(2)
        assert taken(table.wait(HOLD)) == ""
        assert table.at_rest()


# Another game, on the board alone


class TestTheMenu:
    def cleared(self, table):
        return table.lift(*table.felt).wait(BREATH)

    def test_opens_when_the_board_stays_empty_for_three_seconds(self):
        table = self.cleared(sit_down())
        assert table.phase == "differs"
        assert len(table.shown(CellRole.PENDING)) == 16
        assert table.messages == (Message("pending.another_game", seconds=3.0),)
        assert table.wait(HOLD - BREATH).phase == "differs"
        assert table.wait(BREATH).phase == "menu"
        assert table.shown(CellRole.DEFAULT_CHOICE) == ["a1"]
        assert table.shown(CellRole.CHOICE) == ["b1", "c1", "d1", "a3"]
        assert table.messages == (
            Message("menu.choose", choices=("a1 standard", "b1 mini", "c1 small-11", "d1 small-14")),
            Message("menu.help", cell="a3"),
            Message("menu.go_on"),
        )

    @pytest.mark.parametrize(
        ("cell", "pond"), [("a1", "standard"), ("b1", "mini"), ("c1", "small-11"), ("d1", "small-14")]
    )
    def test_a_piece_that_is_put_on_a_cell_and_taken_off_chooses(self, cell, pond):
        table = down(self.cleared(sit_down()).wait(HOLD), cell)
        assert (table.phase, table.shown(CellRole.TAKE_OFF)) == ("menu", [cell])
        assert table.messages == (Message("menu.picked", cell=cell, variant=pond),)
        table.wait(A_DAY)
        assert table.phase == "menu"
        up(table, cell)
        assert table.session.variant == parse_variant(pond)
        assert (taken(table), table.phase) == ("", "act")
        assert table.position == Position.start(parse_variant(pond))
        assert taken(down(table, "b2")) == "@b2"

    def test_a_second_piece_beside_the_first_chooses_nothing(self):
        table = down(self.cleared(sit_down()).wait(HOLD), "b1", "d4")
        assert (table.session.variant, table.phase) == (STANDARD, "differs")
        assert mend(table) == 4
        assert table.at_rest()

    def test_putting_the_pieces_back_is_the_way_back(self):
        table = down(sit_down(), "c3")
        self.cleared(table).wait(HOLD)
        assert table.phase == "menu"
        down(table, "d4", "a1", "b2", "c3", "a4", "d1")
        assert (taken(table), table.phase) == ("@c3", "act")
        assert table.position.piece_at("b2")

    def test_a_piece_beside_the_lit_cells_is_the_first_that_comes_back(self):
        table = down(self.cleared(sit_down()).wait(HOLD), "b2")
        assert table.phase == "differs"
        assert mend(table) == 4
        assert table.at_rest()

    def test_a_hand_before_the_three_seconds_are_over_says_no(self):
        table = self.cleared(sit_down()).wait(2.5)
        down(table, "a1", "a4", "d4", "b2", "d1").wait(30)
        assert (taken(table), table.phase) == ("", "act")

    def test_a_pond_of_ones_own_is_among_the_choices(self):
        table = down(empty(parse_variant("4x4/6/6")), "a1", "d4")
        self.cleared(table).wait(HOLD)
        assert table.shown(CellRole.DEFAULT_CHOICE) == ["a2"]
        assert "a2 4x4/6/6" in table.named
        up(down(table, "a2"), "a2")
        assert (taken(table), table.session.variant) == ("", parse_variant("4x4/6/6"))

    def test_a_board_of_five_rows_has_seven_choices_with_a_pond_of_ones_own(self):
        table = down(empty(parse_variant("5x5/7/4")), "a1", "e5")
        self.cleared(table).wait(HOLD)
        assert table.shown(CellRole.CHOICE, CellRole.DEFAULT_CHOICE) == ["a1", "b1", "c1", "d1", "e1", "a2", "b2", "a4"]
        assert {"c1 big", "d1 small-11", "e1 small-14", "a2 big-15", "b2 5x5/7/4"} < table.named
        up(down(table, "c1"), "c1")
        assert (table.session.variant, table.phase) == (VARIANTS["big"], "act")

    def test_a_small_pond_on_a_large_board_keeps_the_menu_of_the_board(self):
        table = down(empty(VARIANTS["mini"], 5), "a1", "c3")
        self.cleared(table).wait(HOLD)
        assert table.shown(CellRole.DEFAULT_CHOICE) == ["b1"]
        up(down(table, "c1"), "c1")
        assert table.session.variant == VARIANTS["big"]

    def test_before_the_first_turn_two_pieces_and_off_again_open_it(self):
        table = self.cleared(down(empty(), "b2", "c3"))
        assert table.wait(HOLD).phase == "menu"

    def test_one_egg_that_is_taken_off_again_is_a_turn_taken_back_and_no_menu(self):
        table = self.cleared(down(empty(), "b2")).wait(30)
        assert (taken(table), table.phase) == ("", "act")

    @pytest.mark.parametrize("left", ["b1", None])
    def test_when_the_game_is_over_with_next_to_nothing_left_it_is_too(self, left):
        line = "..../..../TeT./.... l 2 3 9 9" if left else "..../..../E.E./.T.. l 1 4 9 9"
        table = down(sit_down(line), "b1") if left else down(up(sit_down(line), "b1"), "b2")
        assert table.session.is_over
        up(table, "a2", "b2", "c2", *filter(None, [left])).wait(HOLD + 1.0)
        assert table.phase == "menu"
        up(down(table, "b1"), "b1")
        assert (table.session.variant.name, table.phase) == ("mini", "act")

    def test_when_the_game_is_over_it_is_the_way_to_another(self):
        table = down(sit_down(), "c3")
        does(table, ResignGame)
        self.cleared(table).wait(HOLD)
        assert table.phase == "menu"
        up(down(table, "b1"), "b1")
        assert (table.session.variant.name, table.phase) == ("mini", "act")


# When the board wakes up, and when faces and programs do something


class TestPiecesThatStandThereAlready:
    def test_chips_that_took_long_to_open_leave_the_sensors_their_time(self):
        table = empty().wait(3.0)
        table.session = table.session.after_wakeup(table.time)
        down(table, "b2", rest=2.0)
        assert (taken(table), table.phase) == ("", "differs")

    def woken(self, *cells):
        table = Wooden(Session.start_game(STANDARD, board_state=BoardState().after_wakeup(0.0)))
        for cell in cells:
            table.drop(cell).wait(0.05)
        return table.wait(2.0)

    def test_nothing_there_is_a_game_that_may_begin(self):
        assert taken(down(self.woken(), "b2")) == "@b2"

    @pytest.mark.parametrize("cells", [("b2",), ("b2", "c3"), ("a1", "b2", "c3", "d4")])
    def test_are_no_turns_and_have_to_be_taken_off(self, cells):
        table = self.woken(*cells)
        assert (taken(table), table.phase) == ("", "differs")
        assert table.messages[:2] == (DIFFERS, extra(*cells))
        assert mend(table) == len(cells)
        assert table.at_rest()
        assert taken(down(table, "b2")) == "@b2"

    def test_are_all_waited_for_before_a_word_is_said(self):
        table = Wooden(Session.start_game(STANDARD, board_state=BoardState().after_wakeup(0.0)))
        table.drop("b2").wait(0.4).drop("c3").wait(0.4)
        assert (table.phase, table.messages) == ("act", (prompt("light", "place"),))
        table.wait(0.5)
        assert (table.phase, taken(table)) == ("differs", "")
        assert extra("b2", "c3") in table.messages

    def test_one_that_could_be_a_turn_becomes_one_when_it_is_put_down_again(self):
        table = self.woken("b2")
        assert table.messages[-1] == offer("b2")
        assert taken(nod(table, "b2")) == "@b2"

    def test_or_when_a_face_says_that_the_board_is_right(self):
        table = does(self.woken("b2"), BoardIsRight)
        assert (taken(table), table.phase) == ("@b2", "act")


class TestWhatFacesAndProgramsDo:
    def test_a_programs_turn_is_carried_out_as_the_lamps_say(self):
        table = sit_down()
        table.session = table.session.with_human_sides((LIGHT,))
        down(table, "c3")
        does(table, TakeAction, action=Action.from_notation("d4d3")).wait(BREATH)
        assert (table.phase, table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == ("differs", ["d4"], ["d3"])
        assert put_back("frog", "d4", "d3", "dark") in table.messages
        assert mend(table) == 1
        assert (table.phase, table.shown(CellRole.FLIP)) == ("act", ["c3"])

    def test_a_programs_piece_goes_where_a_persons_has_just_left(self):
        table = sit_down(".f../..../.T../.... l 12 12 0 0")
        table.session = table.session.with_human_sides((LIGHT,))
        down(up(table.wait(5.0), "b2"), "a2").wait(5.0)
        does(table, TakeAction, action=Action.from_notation("b4b2")).wait(BREATH)
        assert (table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == (["b4"], ["b2"])
        assert mend(table) == 1

    def test_slow_slide_replaces_the_turn_until_the_program_answers(self):
        table = sit_down("..../..../..../F..e l 12 12 0 0")
        table.session = table.session.with_human_sides((LIGHT,))
        down(up(table.wait(5.0), "a1"), "b1").wait(1.5)
        assert taken(table) == "a1b1"
        down(up(table, "b1"), "c1").wait(BREATH)
        assert (taken(table), table.phase) == ("a1b1", "differs")
        table.wait(CONFIRM_SECONDS)
        assert (taken(table), table.phase) == ("a1c1", "act")

    def test_slow_slide_to_where_the_piece_may_not_go_is_sent_back(self):
        table = sit_down("..../..../..../F..e l 12 12 0 0")
        table.session = table.session.with_human_sides((LIGHT,))
        down(up(table.wait(5.0), "a1"), "b1").wait(1.5)
        down(up(table, "b1"), "b4").wait(60)
        assert (taken(table), table.phase) == ("a1b1", "differs")

    def test_piece_of_the_last_turn_is_sent_back_if_another_person_may_have_moved_it(self):
        table = sit_down("..../..../..../F..e l 12 12 0 0")
        down(up(table.wait(5.0), "a1"), "b1").wait(1.5)
        down(up(table, "b1"), "c1").wait(60)
        assert (taken(table), table.phase) == ("a1b1", "differs")

    def test_a_turn_that_a_face_has_taken_is_carried_out_and_not_taken_back(self):
        table = does(sit_down(), TakeAction, action=Action.from_notation("@c3")).wait(BREATH)
        assert table.messages[-1] == put("egg", "c3")

    def test_a_programs_piece_in_a_hand_is_no_second_turn(self):
        table = sit_down()
        table.session = table.session.with_human_sides((LIGHT,))
        table.drop("c3").wait(0.1).lift("d4").wait(BREATH)
        assert (taken(down(table, "d4")), table.phase) == ("", "differs")

    def test_an_egg_of_a_program_is_put_where_it_is_lit(self):
        table = sit_down(DARKS)
        table.session = table.session.with_human_sides((LIGHT,))
        does(table.wait(BREATH), TakeAction, action=Action.from_notation("@c3")).wait(BREATH)
        assert (table.phase, table.shown(CellRole.PUT)) == ("differs", ["c3"])
        assert put("egg", "c3", "dark") in table.messages
        down(table, "c3")
        assert (taken(table), table.phase) == ("@c3", "act")

    def test_nobody_acts_for_a_program(self):
        table = sit_down(DARKS)
        table.session = table.session.with_human_sides((LIGHT,))
        down(table.wait(BREATH), "c3")
        assert (taken(table), table.phase) == ("", "differs")
        up(table, "c3", "d4")
        assert (table.phase, table.shown(CellRole.PUT)) == ("differs", ["d4"])
        assert not table.shown(CellRole.TARGET)
        assert table.messages == (missing("d4"), put("frog", "d4", "dark"))
        down(table, "d4")
        assert (taken(table), table.phase) == ("", "act")

    def test_nor_for_a_program_and_oneself_in_two_quick_turns(self):
        table = sit_down(DARKS)
        table.session = table.session.with_human_sides((LIGHT,))
        for cell, there in changes(Action.from_notation("d4d3"), Action.from_notation("b2c2")):
            table.touch(cell, there).wait(0.05)
        assert (taken(table.wait(60)), table.phase) == ("", "differs")

    def test_what_a_face_takes_back_or_plays_again_is_asked_for_by_light(self):
        table = down(sit_down(), "c3", "c2", rest=1.0)
        does(table, UndoTurns).wait(BREATH)
        assert (table.phase, table.shown(CellRole.TAKE_OFF)) == ("differs", ["c2"])
        assert mend(table) == 1
        assert (taken(table), table.phase) == ("@c3", "act")
        does(table, RedoTurns).wait(BREATH)
        assert (table.phase, table.shown(CellRole.PUT)) == ("differs", ["c2"])
        assert mend(table) == 1
        assert (taken(table), table.phase) == ("@c3 @c2", "act")

    def test_scored_pieces_that_a_face_brings_back_are_asked_for_by_light(self):
        table = up(down(sit_down(PRESSED), "b1"), "a2", "b2", "c2", rest=1.0)
        does(table, UndoTurns).wait(BREATH)
        assert table.phase == "differs"
        assert mend(table) == 4 - 1  # the egg from b1 is the nearest for one of them
        assert table.at_rest()

    def test_the_last_piece_that_a_face_brings_back_is_asked_for_too_and_is_in_no_hand(self):
        table = up(down(sit_down(PRESSED), "b1"), "a2", "b2", "c2", rest=1.0)
        does(table, UndoTurns).wait(BREATH)
        down(up(table, "b1"), "b2", "c2", rest=1.0)
        assert (table.phase, table.shown(CellRole.PUT)) == ("differs", ["a2"])
        assert taken(down(table, "a2")) == ""
        assert table.at_rest()

    def test_pieces_that_were_turned_over_are_turned_back(self):
        table = down(sit_down(), "b1")  # a1 and b2 develop, and a1 is turned over
        assert table.session.board_state.tasks.cells_to_flip == {"a1", "b2"}
        nod(table, "a1")
        up(does(table, UndoTurns), "b1")
        assert (table.phase, table.session.board_state.tasks.cells_to_flip, table.shown(CellRole.FLIP)) == (
            "act",
            {"a1"},
            ["a1"],
        )
        assert turn_over("a1") in table.messages
        assert nod(table, "a1").session.board_state.tasks.cells_to_flip == frozenset()

    def test_pieces_that_were_turned_over_and_not_yet_back_are_right_again_when_the_turn_is_played_again(self):
        table = nod(down(sit_down(), "b1"), "a1")
        does(does(table, UndoTurns), RedoTurns).wait(BREATH)
        assert table.session.board_state.tasks.cells_to_flip == {"b2"}

    def test_who_takes_a_turn_back_with_the_pieces_turns_back_what_was_turned_over(self):
        table = up(nod(down(sit_down(), "b1"), "a1"), "b1").wait(HOLD)
        assert (table.actions, table.session.board_state.tasks.cells_to_flip) == ((), {"a1"})

    def test_those_that_have_not_been_taken_off_yet_may_stay(self):
        table = does(down(sit_down(PRESSED), "b1"), UndoTurns).wait(BREATH)
        assert (table.phase, table.shown(CellRole.TAKE_OFF)) == ("differs", ["b1"])
        assert mend(table) == 1
        assert table.at_rest()

    def test_in_a_new_game_an_egg_where_something_scored_in_the_last_one_is_no_question(self):
        table = up(down(sit_down(PRESSED), "b1"), "a2", "b2", "c2")
        mend(does(table, NewGame, variant=STANDARD).wait(BREATH))
        assert taken(down(table.wait(2.0), "a2")) == "@a2"

    def test_a_new_game_asks_for_an_empty_board(self):
        table = does(down(sit_down(), "c3"), NewGame, variant=VARIANTS["mini"]).wait(BREATH)
        assert table.phase == "differs"
        assert table.messages[:2] == (DIFFERS, extra("a1", "a4", "b2", "c3", "d1", "d4"))
        table.wait(600)  # nobody is in a hurry
        assert mend(table) == 6
        assert (table.at_rest(), table.session.variant.name) == (True, "mini")
        assert taken(down(table, "b2")) == "@b2"

    def test_whose_a_piece_is_that_has_stood_still_is_not_forgotten(self):
        table = up(down(empty(), "b2", "c1"), "b2")
        does(table, UndoTurns).wait(BREATH)
        assert table.messages[:3] == (DIFFERS, missing("b2"), extra("c1"))
        assert not any(message_id.startswith("repair.move.") for message_id in ids(table.messages))  # it is dark's
        assert mend(table) == 2

    @pytest.mark.parametrize("gap", [0.0, 0.05])
    def test_the_lamps_send_back_the_piece_that_was_put_down_first_not_one_that_came_later(self, gap):
        # The frog lands between c2 and c1, and dark's next egg comes to stand nearer to where the frog came from.
        table = sit_down("..../..../F.../.... l 12 13 0 0").lift("a2").wait(0.8)
        table.drop("c1").wait(gap).drop("c2").wait(0.4).drop("a3").wait(BREATH)
        assert table.phase == "differs"
        assert (table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == (["c2"], ["a2"])

    def test_for_that_it_does_not_matter_that_a_hand_had_hovered_there_before(self):
        table = sit_down("..../..../F.../.... l 12 13 0 0").drop("c2").wait(0.2).lift("c2").wait(5.0)
        table.lift("a2").wait(0.8).drop("c2").wait(0.1).drop("c1").wait(0.3).drop("a3").wait(BREATH)
        assert (table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == (["c2"], ["a2"])

    def test_what_stood_there_before_a_piece_was_lifted_does_not_make_the_next_one_a_later_one(self):
        table = sit_down("..../..../F.../.... l 12 13 0 0").drop("d4").drop("d3").wait(3.0)  # two eggs at once
        table.lift("a2").wait(0.8).drop("c2").wait(0.4).drop("a3").wait(BREATH)
        mended = [
            (step.source, step.target) for step in table.session.board_state.confirmation.interpretation.repair_steps
        ]
        assert ("c2", "a2") in mended
        assert ("a3", "a2") not in mended

    def test_a_piece_close_by_is_sent_back_though_one_at_the_other_end_was_put_down_before_it(self):
        table = sit_down("..../..../..../E... l 12 13 0 0").lift("a1").wait(0.1).drop("d4").wait(0.2).drop("b1")
        table.wait(BREATH)
        assert table.phase == "differs"
        assert (table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == (["b1"], ["a1"])

    def test_the_lamps_never_put_a_piece_where_another_left_after_it_was_there(self):
        table = down(sit_down(), "c3").drop("d3").drop("c4").wait(3.0)  # two eggs at once, and then a frog disappears
        up(table, "d4")
        assert table.messages[:3] == (DIFFERS, missing("d4"), extra("c4", "d3"))
        assert (table.shown(CellRole.PUT), table.shown(CellRole.TAKE_OFF)) == ([], ["d3"])

    def test_an_egg_placed_before_the_programs_turn_was_followed_is_not_taken_for_the_programs(self):
        table = sit_down()
        table.session = table.session.with_human_sides((LIGHT,))
        down(table, "c3")
        does(table, TakeAction, action=Action.from_notation("@d3")).wait(BREATH)
        assert table.messages == (put("egg", "d3", "dark"),)
        down(table, "c2")
        assert not any(message_id.startswith("repair.move.") for message_id in ids(table.messages))
        assert (taken(table), mend(table)) == ("@c3 @d3", 2)

    def test_who_resigns_while_a_takeback_is_announced_has_resigned(self):
        table = up(down(empty(), "b2", "c4"), "c4")
        assert table.messages[0] == take_back()
        does(table, ResignGame).wait(60)
        assert (taken(table), table.phase) == ("@b2 @c4", "over")
        assert table.messages[0].id == "outcome.resignation"

    def test_a_position_that_was_set_up_on_an_empty_board_is_built_by_the_lamps_and_opens_no_menu(self):
        table = does(empty(), SetUpGame, position=Position.from_notation(QUIET)).wait(600)
        assert (table.phase, table.shown(CellRole.CHOICE)) == ("differs", [])
        assert mend(table) == 5
        assert table.at_rest()

    def test_two_nods_while_something_is_too_many_change_nothing(self):
        table = does(down(empty(), "b2", "d4"), UndoTurns)
        nod(nod(table.wait(BREATH), "b2"), "b2")
        assert (table.phase, table.shown(CellRole.TAKE_OFF)) == ("differs", ["d4"])

    def test_pieces_on_cells_that_are_not_asked_are_not_a_cleared_board(self):
        table = sit_down("..../.E../..../.... l 12 13 0 0")
        does(does(table, MaskSensor, cell="b3"), ResignGame).wait(60)
        assert (table.phase, table.shown(CellRole.PENDING)) == ("over", [])


class TestTheBoardIsRight:
    def test_of_a_programs_turn_it_is_not_asked(self):
        table = down(sit_down(), "c3")
        table.session = table.session.with_human_sides((LIGHT,))
        does(table, TakeAction, action=Action.from_notation("@d3")).wait(BREATH)
        assert "mismatch.stood_so" not in ids(table.messages)
        does(table, BoardIsRight)
        assert taken(table) == "@c3 @d3"

    def test_nor_of_a_game_that_the_players_have_ended(self):
        table = does(down(sit_down(), "c3"), ResignGame)
        does(up(table, "c3"), BoardIsRight)
        assert (taken(table), table.phase) == ("@c3", "over")
        assert table.messages == (Message("board.game_ended"),)

    def test_only_what_is_felt_now_counts(self):
        table = down(up(sit_down().lift("a1"), "b2").drop("b3").wait(BREATH), "a1")
        table.lift("b3")  # and before that has held still
        does(table, BoardIsRight)
        assert taken(table) == ""

    def test_if_it_stands_as_the_game_once_did(self):
        table = down(sit_down(), "c3", "c2", "d2", rest=1.0)
        table.lift("c3", "c2", "d2").wait(BREATH)
        assert table.messages[-1] == Message("mismatch.stood_so", count=3)
        does(table, BoardIsRight)
        assert (taken(table), table.phase) == ("", "act")
        assert table.messages[0] == Message("undo.done", count=3)

    def test_if_one_turn_explains_it(self):
        table = down(sit_down().lift("a1", "b2"), "b3", "a1")
        assert (taken(table), table.phase) == ("", "differs")
        assert table.messages[-1] == offer("b3")
        does(table, BoardIsRight)
        assert (taken(table), table.phase) == ("b2b3", "act")

    def test_if_it_has_never_stood_so_there_are_the_lamps_and_setting_up(self):
        table = does(down(up(sit_down(), "a1"), "c1"), BoardIsRight)
        assert table.phase == "differs"
        assert table.messages == (Message("board.never_stood_so"),)
        assert mend(table) == 1

    def test_if_they_agree_there_is_nothing_to_decide(self):
        table = does(sit_down(), BoardIsRight)
        assert (table.messages, table.phase) == ((Message("board.agrees"),), "act")

    def test_a_board_of_buttons_has_no_opinion(self):
        session = Session.start_game(STANDARD).after(BoardIsRight(1.0))
        assert session.messages == (Message("board.has_buttons"),)


class TestSettingUp:
    POSITION = Position.from_notation("..../.t../.T../.... d 12 12 0 0")

    def test_a_position_that_stands_there_is_the_game_at_once(self):
        table = sit_down()
        table.lift(*table.felt).drop("b2", "b3").wait(BREATH)
        does(table, SetUpGame, position=self.POSITION).wait(BREATH)
        assert (table.phase, table.position, taken(table)) == ("act", self.POSITION, "")
        assert table.messages == (Message("game.set_up"), prompt("dark"))
        assert taken(down(up(table, "b3"), "c3")) == "b3c3"

    def test_the_last_piece_is_taken_off_when_another_stands_there_or_the_menu_would_open(self):
        table = sit_down("..../..../..../E... l 12 13 0 0")
        does(table, SetUpGame, position=Position.from_notation("...e/..../..../.... l 13 12 0 0")).wait(BREATH)
        assert (table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == ([], ["d4"])
        assert mend(table) == 2
        assert table.at_rest()

    def test_one_that_does_not_is_asked_for_by_light(self):
        table = does(sit_down(), SetUpGame, position=self.POSITION).wait(BREATH)
        assert table.phase == "differs"
        assert table.messages[:3] == (DIFFERS, missing("b3"), extra("a1", "a4", "d1", "d4"))
        mend(table)
        assert table.at_rest()
        assert table.position == self.POSITION

    def test_before_anything_has_agreed_a_piece_nearby_may_be_of_either_side(self):
        table = Wooden(Session.start_game(STANDARD, board_state=BoardState().after_wakeup(0.0))).drop("b4").wait(2.0)
        does(table, SetUpGame, position=Position.from_notation("e.../..../..../.... l 13 12 0 0")).wait(BREATH)
        assert (table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == (["b4"], ["a4"])

    def test_one_for_a_larger_board_is_refused(self):
        table = does(sit_down(), SetUpGame, position=Position.start(VARIANTS["big"]))
        assert table.messages == (Message("variant.does_not_fit", variant="big", size=5, board=4),)
        assert table.position == Position.from_notation(QUIET)


# Sensors that are bad


class TestAMaskedCell:
    def masked(self, *cells, line=QUIET):
        table = sit_down(line)
        for cell in cells:
            does(table, MaskSensor, cell=cell)
        return table.wait(BREATH)

    def test_is_shown_as_masked(self):
        sights = self.masked("c3").session.view.cells
        assert [cell for cell, sight in sights.items() if sight.is_masked] == ["c3"]

    def test_feels_what_it_likes(self):
        table = flicker(self.masked("c3", "d1"), "c3", 5, every=1.0)
        flicker(table, "d1", 4, every=1.0)
        assert (taken(table), table.phase) == ("", "act")

    def test_a_piece_that_leaves_it_unseen_is_inferred_if_nothing_else_is_possible(self):
        table = self.masked("b2", line="E..f/..../.T../E..F l 0 12 9 0")  # no egg is left
        assert taken(down(table, "b3")) == "b2b3"

    def test_what_may_have_happened_is_announced_one_after_the_other(self):
        table = down(self.masked("b2"), "c2")
        assert (taken(table), table.phase, table.shown(CellRole.PENDING)) == ("", "differs", ["c2"])
        assert table.messages == (is_it("@c2"), wait(), Message("pending.something_else"))
        nod(table, "c2")
        assert table.shown(CellRole.PENDING) == ["b2", "c2"]
        assert table.messages[0] == is_it("b2c2")
        nod(table, "c2")
        assert table.messages[0] == is_it("@c2")
        nod(table, "c2").wait(HOLD)
        assert taken(table) == "b2c2"

    def test_a_piece_with_only_one_reading_is_no_question(self):
        assert taken(down(self.masked("b2"), "d3")) == "@d3"

    def test_an_egg_beside_an_empty_one_is_no_question(self):
        assert taken(down(self.masked("c3"), "c2")) == "@c2"

    def test_one_that_was_named_and_does_not_feel_its_piece_makes_no_question_of_an_egg_elsewhere(self):
        position = Position.from_notation(QUIET)
        table = Wooden.at(position, felt=position.pieces.keys() - {"a4"}, known_bad=frozenset({"a4"}))
        assert taken(down(table, "d3")) == "@d3"

    def test_an_egg_beside_it_is_announced_for_the_piece_may_have_been_pushed(self):
        table = down(self.masked("b2"), "c3")
        assert (taken(table), table.shown(CellRole.PENDING)) == ("", ["c3"])
        assert taken(table.wait(HOLD)) == "@c3"

    def test_the_other_piece_of_two_may_be_lifted_and_no_menu_opens(self):
        table = up(self.masked("a4", line="e.../..../.T../.... l 12 12 0 0"), "b2").wait(30)
        assert (table.phase, table.session.in_hand) == ("in_hand", "b2")

    def test_one_that_is_named_good_again_is_asked_again(self):
        table = down(self.masked("b2"), "c2")
        does(table, MaskSensor, cell="b2", is_bad=False).wait(BREATH)
        assert taken(table) == "@c2"
        assert not table.session.board_state.sensors.masked_cells

    def test_the_piece_of_one_that_has_felt_nothing_yet_is_sought_beside_it(self):
        position = Position.from_notation(QUIET)
        table = Wooden.at(position, felt=position.pieces.keys() - {"a4"}, known_bad=frozenset({"a4"}))
        down(does(table, MaskSensor, cell="a4", is_bad=False).wait(BREATH), "b4")
        assert (table.phase, table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == ("differs", ["b4"], ["a4"])

    def test_two_nods_tell_that_an_egg_was_put_where_nothing_is_felt(self):
        table = self.masked("b3").wait(60)  # the egg has stood there for a minute
        assert (taken(table), table.phase) == ("", "act")
        assert (taken(nod(table, "a1").wait(HOLD)), table.phase) == ("", "act")  # one is a slip of the hand
        nod(table, "a1")
        assert table.messages == (is_it("@b3"), NOD)
        assert taken(nod(table, "a1")) == "@b3"

    def test_what_was_nodded_onto_one_that_was_named_makes_no_question_of_the_next_egg(self):
        table = nod(nod(nod(self.masked("b3"), "a1"), "a1"), "a1")
        assert taken(down(table, "d2")) == "@b3 @d2"

    def test_the_third_nod_says_yes_to_one_thing_only(self):
        table = nod(nod(nod(self.masked("b3", "d2"), "a1"), "a1"), "a1")
        assert len(table.actions) == 1
        assert len(table.wait(60).actions) == 1
        assert table.phase == "act"

    def test_a_hand_on_it_while_it_is_asked_says_no(self):
        table = nod(nod(self.masked("b3"), "a1"), "a1").wait(1.0).drop("b3").wait(BREATH)
        assert not table.session.view.scene.confirm_window
        assert taken(nod(table, "a1")) == ""

    def test_a_piece_that_scores_on_it_is_asked_for_as_long_as_it_feels_one_or_until_the_next_turn(self):
        table = down(self.masked("c2", line=PRESSED), "b1").wait(HOLD)
        assert (taken(table), table.shown(CellRole.TAKE_OFF)) == ("@b1", ["a2", "b2", "c2"])
        assert up(table.fork(), "a2", "b2", "c2").shown(CellRole.TAKE_OFF) == []
        sticks = down(up(table, "a2", "b2"), "d3").wait(HOLD)
        assert (sticks.actions[1:], sticks.shown(CellRole.TAKE_OFF)) == ((Action.from_notation("@d3"),), [])

    def test_one_that_feels_nothing_asks_for_none(self):
        table = up(sit_down(PRESSED), "c2")
        does(table, MaskSensor, cell="c2").wait(BREATH)
        assert down(table, "b1").wait(HOLD).shown(CellRole.TAKE_OFF) == ["a2", "b2"]

    def test_without_a_third_nod_nothing_has_happened(self):
        table = nod(nod(self.masked("b3"), "a1"), "d4").wait(HOLD)  # two pieces were put straight
        assert (taken(table), table.phase) == ("", "act")
        assert (taken(nod(table, "a1").wait(HOLD)), table.phase) == ("", "act")
        assert nod(table, "a1").messages[0] == is_it("@b3")

    def test_who_is_interrupted_while_it_is_asked_is_asked_from_the_beginning(self):
        table = nod(nod(up(sit_down(), "b2"), "a1"), "a1").wait(HOLD)
        assert table.messages[0] == is_it("b2a2")
        up(down(table, "b2"), "b2")
        assert nod(nod(table, "a1"), "a1").messages[0] == is_it("b2b1")

    def test_a_turn_is_taken_back_as_ever(self):
        table = up(down(self.masked("a4"), "c3"), "c3")
        assert table.shown(CellRole.PENDING) == ["c3"]
        assert taken(table.wait(HOLD)) == ""

    def test_a_piece_that_goes_back_where_it_came_from_has_moved_though_the_egg_placed_since_is_not_felt(self):
        table = down(up(self.masked("d3"), "b2"), "c2")
        does(table, TakeAction, action=Action.from_notation("@d3")).wait(BREATH)
        astray = down(up(table.fork(), "c2"), "c4")
        astray.lift("c4").drop("b2").wait(BREATH)  # board and game differed already, and nothing is an action
        assert (taken(astray), astray.phase) == ("b2c2 @d3", "differs")
        assert astray.messages[0] == take_back(2, 6.0)
        assert taken(down(up(table, "c2"), "b2")) == "b2c2 @d3 c2b2"

    def test_a_piece_that_may_move_does_not_nod(self):
        table = nod(nod(self.masked("b3"), "b2"), "b2")
        assert (taken(table), table.phase) == ("", "act")
        assert table.messages == (prompt("light"),)

    def test_two_eggs_that_are_lifted_together_do_not_nod(self):
        table = self.masked("b3", line="e..f/..../.T../E..E l 10 11 0 0")
        for _ in range(2):
            table.lift("a1", "d1").wait(BREATH).drop("a1", "d1").wait(BREATH)
        assert (taken(table), table.phase) == ("", "act")

    def test_two_nods_with_something_else_in_between_are_one_and_one(self):
        table = nod(nod(nod(self.masked("b3"), "a1"), "b2"), "a1")
        assert (taken(table), table.phase) == ("", "act")
        assert nod(table, "a1").messages[0] == is_it("@b3")

    def test_what_was_put_down_unseen_is_asked_for_before_a_scored_piece_is_given_up(self):
        table = up(down(sit_down(PRESSED), "b1"), "a2", "b2")
        does(table, MaskSensor, cell="b3").wait(BREATH)
        nod(nod(table, "b1"), "b1")
        assert table.messages[0] == is_it("@b3", side="dark")
        assert (table.session.board_state.sensors.masked_cells, set(table.session.board_state.tasks.to_remove)) == (
            {"b3"},
            {"c2"},
        )

    def test_a_face_that_is_turned_over_while_it_is_asked_says_no(self):
        table = up(down(sit_down(DARKS), "c4"), "b2").wait(60)  # the frog on d4 is an egg now, and not turned yet
        nod(nod(table, "a1"), "a1")
        assert table.messages[0] == is_it("b2b1")
        nod(table, "d4")
        assert (taken(table), table.session.in_hand) == ("@c4", "b2")
        assert not table.shown(CellRole.PENDING, CellRole.FLIP)

    def test_a_nod_with_what_was_placed_last_is_a_nod_too(self):
        table = does(down(sit_down(), "c3"), MaskSensor, cell="b3")
        nod(nod(table, "c3"), "c3")
        assert table.messages[0] == is_it("@b3", side="dark")

    def test_a_piece_that_was_put_on_a_sensor_that_has_just_failed_is_found_by_nods(self):
        table = up(sit_down(), "b2").wait(60)  # it stands on c2, and nobody feels that
        assert (taken(table), table.phase) == ("", "in_hand")
        nod(nod(table, "a1"), "a1")
        for cell in ("b1", "a2"):
            assert table.messages[0] == is_it(f"b2{cell}")
            table.wait(HOLD)
        assert table.messages[0] == is_it("b2c2")
        assert taken(nod(table, "a1")) == "b2c2"
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("act", {"c2"})

    def test_two_nods_tell_that_a_piece_was_put_where_nothing_is_felt(self):
        table = up(self.masked("b3"), "b2").wait(60)
        assert (table.phase, table.session.in_hand) == ("in_hand", "b2")
        nod(nod(table, "a1"), "a1")
        assert table.messages == (is_it("b2b3"), NOD)
        assert taken(nod(table, "a1")) == "b2b3"

    def test_a_cell_that_the_board_has_not_cannot_be_masked(self):
        assert self.masked("e5").messages == (Message("illegal.no_such_cell", cell="e5", size=4),)

    def test_a_board_of_buttons_has_nothing_to_mask(self):
        session = Session.start_game(STANDARD).after(MaskSensor("b2", 1.0))
        assert session.messages == (Message("board.has_buttons"),)


class TestASensorThatGoesBad:
    @pytest.mark.parametrize("cell", ["c3", "b2", "d4"])
    def test_one_that_flickers_is_masked_within_five_seconds_and_heals(self, cell):
        table = sit_down()
        flicker(table, cell, 12)
        assert table.time < 1.0 + 5.0
        assert table.session.board_state.sensors.masked_cells == {cell}
        kind = "sees_too_much" if cell in table.felt else "sees_nothing"
        assert table.messages[0] == Message(f"sensor.{kind}", cells=(cell,), count=1)
        assert (taken(table), table.phase) == ("", "act")
        table.wait(TRUST_AGAIN_SECONDS)
        assert not table.session.board_state.sensors.masked_cells
        assert table.messages == (Message("sensor.works_again", cells=(cell,), count=1), prompt("light"))
        assert table.at_rest()

    def test_a_look_at_something_else_does_not_heal_it_sooner(self):
        table = hovers(flicker(sit_down(), "c3", 12).wait(TRUST_AGAIN_SECONDS - 0.8))
        assert table.session.board_state.sensors.masked_cells == {"c3"}

    def test_a_question_that_was_asked_for_its_sake_is_answered_when_it_has_healed(self):
        table = down(flicker(sit_down(), "b2", 12).wait(TRUST_AGAIN_SECONDS - 1.0), "c3")
        assert (taken(table), table.shown(CellRole.PENDING)) == ("", ["c3"])
        assert taken(table.wait(1.0)) == "@c3"

    def test_one_that_is_named_good_is_believed_at_once(self):
        table = flicker(sit_down(), "c3", 12)
        assert not does(table, MaskSensor, cell="c3", is_bad=False).session.board_state.sensors.masked_cells

    def test_each_heals_by_itself(self):
        table = flicker(flicker(sit_down(), "c3", 12), "d4", 13)  # d4 is left without its piece
        assert table.session.board_state.sensors.masked_cells == {"c3", "d4"}
        table.wait(TRUST_AGAIN_SECONDS)
        assert table.session.board_state.sensors.masked_cells == {"d4"}
        assert table.phase == "act"

    def test_play_goes_on_while_it_flickers(self):
        table = flicker(sit_down(), "d4", 13)
        for _ in range(10):
            flicker(table, "d4", 1)
            down(table, "c2") if "c2" not in table.felt else None
        assert taken(table) == "@c2"

    def test_one_that_flickers_more_slowly_than_a_hand_is_not_masked(self):
        table = flicker(sit_down(), "b2", 20, every=FLICKER_SECONDS / 9 + 0.01)
        assert not table.session.board_state.sensors.masked_cells

    def test_one_that_feels_what_is_not_there_is_masked_after_twenty_seconds(self):
        """Light has no eggs left, so it cannot be one of those."""
        table = down(sit_down("e..f/..../.T../EE.F l 0 11 9 0"), "c4")
        assert (taken(table), table.phase, table.shown(CellRole.TAKE_OFF)) == ("", "differs", ["c4"])
        table.wait(STUCK_SECONDS - BREATH - JIFFY)
        assert table.phase == "differs"
        table.wait(BREATH)
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("act", {"c4"})
        assert table.messages[0] == Message("sensor.sees_too_much", cells=("c4",), count=1)
        assert taken(down(up(table, "b2"), "b3")) == "b2b3"

    def test_a_hand_that_only_hovers_does_not_begin_the_twenty_seconds_anew(self):
        table = down(sit_down("e..f/..../.T../EE.F l 0 11 9 0"), "c4").wait(STUCK_SECONDS / 2)
        table.drop("c3").wait(0.1).lift("c3").wait(STUCK_SECONDS / 2)
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("act", {"c4"})

    def test_one_that_could_feel_the_turn_that_the_board_waits_for_is_given_a_minute(self):
        table = Wooden(Session.start_game(STANDARD, board_state=BoardState().after_wakeup(0.0))).drop("b2").wait(2.0)
        assert table.wait(OFFERED_STUCK_SECONDS - 3.0).phase == "differs"
        assert table.wait(3.0).phase == "act"
        assert table.session.board_state.sensors.masked_cells == {"b2"}

    def test_one_that_does_not_feel_its_piece_is_masked_by_two_nods(self):
        table = up(sit_down(), "a4")  # the piece stands there, and the sensor is dead
        table.wait(60)
        assert (table.phase, table.shown(CellRole.PUT)) == ("differs", ["a4"])
        nod(table, "d4")
        assert table.phase == "differs"
        nod(table, "a1")
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("act", {"a4"})
        assert table.messages[0] == Message("sensor.sees_nothing", cells=("a4",), count=1)

    def test_putting_one_of_two_missing_pieces_back_is_no_nod(self):
        table = down(up(sit_down(), "b2", "a4"), "b2")  # a4 fell off the table when b2 was put straight
        assert (table.phase, table.shown(CellRole.PUT)) == ("differs", ["a4"])
        nod(table, "d4")  # and one nod is a slip of the hand
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("differs", frozenset())

    def test_a_nod_before_its_piece_was_missed_does_not_count(self):
        table = up(nod(sit_down(), "a1"), "a4").wait(60)
        nod(table, "d4")
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("differs", frozenset())
        nod(table, "d4")
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("act", {"a4"})

    def test_two_nods_while_several_pieces_are_missing_mask_none(self):
        table = nod(nod(up(sit_down(), "a4", "d4"), "a1"), "a1")
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("differs", frozenset())

    def test_a_piece_that_is_put_elsewhere_and_comes_back_does_not_nod(self):
        table = up(sit_down(), "a4")
        for _ in range(2):
            table.lift("d4").drop("c3").wait(BREATH).lift("c3").drop("d4").wait(BREATH)
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("differs", frozenset())

    def test_a_second_one_is_masked_by_two_nods_too_and_the_first_stays_so(self):
        table = nod(nod(up(sit_down(), "a4"), "a1"), "a1")
        nod(nod(up(table, "d4"), "a1"), "a1")
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("act", {"a4", "d4"})

    def test_a_scored_piece_that_stands_on_one_is_to_be_taken_off_too(self):
        table = sit_down(PRESSED)
        flicker(table, "c2", 12)
        assert table.wait(BREATH).session.board_state.sensors.masked_cells == {"c2"}
        table = down(table, "b1").wait(HOLD)
        assert table.shown(CellRole.TAKE_OFF) == ["a2", "b2", "c2"]
        assert up(table, "a2", "b2", "c2").shown(CellRole.TAKE_OFF) == []

    def test_one_that_was_bad_a_moment_ago_places_no_egg_by_itself(self):
        table = flicker(sit_down(), "c3", 13).wait(FLICKER_SECONDS)  # it sticks ...
        assert table.session.board_state.sensors.masked_cells == {"c3"}
        table.lift("c3").wait(3.0)  # ... lets go ...
        assert not table.session.board_state.sensors.masked_cells
        down(table, "c3")  # ... and sticks again, or somebody means it
        assert (table.phase, taken(table)) == ("differs", "")
        assert table.messages[:2] == (is_it("@c3"), wait())
        assert taken(table.wait(HOLD)) == "@c3"

    def test_nor_is_it_half_of_two_quick_turns(self):
        table = flicker(sit_down(), "c3", 13).wait(FLICKER_SECONDS).lift("c3").wait(3.0)
        assert taken(sit_down().drop("c3").lift("d4").drop("b4").wait(BREATH)) == "@c3 d4b4"
        table.drop("c3").lift("d4").drop("b4").wait(BREATH)
        assert (table.phase, taken(table)) == ("differs", "")

    def test_after_a_minute_it_is_one_like_others(self):
        table = flicker(sit_down(), "c3", 13).wait(FLICKER_SECONDS).lift("c3").wait(OFFERED_STUCK_SECONDS + 1)
        assert taken(down(table, "c3")) == "@c3"

    def test_one_that_goes_on_feeling_a_scored_piece_is_masked_by_two_nods(self):
        table = up(down(sit_down(PRESSED), "b1"), "a2", "b2")  # c2 was taken off too, and its sensor sticks
        table.wait(60)
        assert (table.phase, table.shown(CellRole.TAKE_OFF)) == ("take_off", ["c2"])
        nod(table, "b1")
        assert table.phase == "take_off"
        nod(table, "d1")
        assert (table.phase, table.session.board_state.sensors.masked_cells, table.actions[1:]) == ("act", {"c2"}, ())
        assert Message("sensor.sees_too_much", cells=("c2",), count=1) in table.messages
        table.lift("c2").wait(BREATH)  # it lets go
        assert (table.phase, table.session.board_state.sensors.masked_cells) == ("act", frozenset())

    def test_two_nods_while_several_scored_pieces_still_stand_mask_none(self):
        table = up(down(sit_down(PRESSED), "b1"), "a2")
        nod(nod(table, "b1"), "d1")
        assert (table.shown(CellRole.TAKE_OFF), table.session.board_state.sensors.masked_cells) == (
            ["b2", "c2"],
            frozenset(),
        )

    def test_with_such_a_sensor_an_egg_is_announced_for_it_could_be_that_piece(self):
        table = down(nod(nod(up(sit_down(), "a4"), "d4"), "d4"), "c3")
        assert table.messages == (is_it("@c3"), wait())
        assert taken(table.wait(HOLD)) == "@c3"

    def test_it_is_believed_again_as_soon_as_it_feels_its_piece(self):
        table = nod(nod(up(sit_down(), "a4"), "d4"), "d4")
        assert table.session.board_state.sensors.masked_cells == {"a4"}
        down(table, "a4")
        assert not table.session.board_state.sensors.masked_cells
        assert table.messages[0] == Message("sensor.works_again", cells=("a4",), count=1)


# Sensors that tell whose piece it is, and those that do not


class TestOwners:
    def test_an_egg_of_the_wrong_side_is_seen_and_named(self):
        table = down(sit_down(owners=True), "c3", owner=DARK)
        assert (taken(table), table.phase, table.session.refusal.cell) == ("", "differs", "c3")
        assert table.messages == (
            Message("illegal.other_owner", cell="c3", owner="dark", side="light"),
            Message("repair.take_off", cell="c3"),
        )
        assert mend(table) == 1
        assert taken(down(table, "c3", owner=LIGHT)) == "@c3"

    def test_an_egg_in_place_of_the_piece_that_was_lifted_is_seen(self):
        table = down(up(sit_down(owners=True), "b2"), "c2", owner=DARK)
        assert (taken(table), table.phase) == ("", "differs")
        assert table.shown(CellRole.TAKE_OFF) == ["c2"]
        mend(table)
        assert table.at_rest()

    def test_two_swapped_pieces_are_named_and_led_back(self):
        table = sit_down(owners=True).lift("a1", "a4").wait(0.1).drop("a1", owner=DARK).drop("a4", owner=LIGHT)
        table.wait(BREATH)
        assert table.phase == "differs"
        assert table.messages[:3] == (
            DIFFERS,
            Message("mismatch.wrong_owner", cell="a1", side="dark"),
            Message("mismatch.wrong_owner", cell="a4", side="light"),
        )
        assert table.messages[-1] == Message("repair.more", count=2)
        assert mend(table) == 3
        assert table.at_rest()
        assert table.owners == {cell: piece.owner for cell, piece in table.position.pieces.items()}

    def test_sensors_that_do_not_tell_take_one_piece_for_another(self):
        """The limit: what is felt is the same. The lamps show owner and symbol, so that people see it."""
        table = sit_down().lift("a1", "a4").wait(0.1).drop("a1", "a4").wait(BREATH)
        assert (taken(table), table.phase) == ("", "act")
        assert table.session.view.cells["a1"].piece.owner is LIGHT
        assert taken(down(table, "c3")) == "@c3"

    def test_quick_eggs_side_by_side_are_two_turns_if_the_sensors_tell_whose_they_are(self):
        table = sit_down(owners=True).drop("c3", owner=LIGHT).wait(0.05).drop("c2", owner=DARK).wait(BREATH)
        assert taken(table) == "@c3 @c2"


# When the sensors are lost for a while


class TestTrouble:
    SAYS = as_message("The sensors do not answer. The game waits until they are back.")

    def lost(self, table):
        return does(table, TroubleChanged, message=self.SAYS).wait(5)

    def back(self, table):
        return does(table, TroubleChanged, message=None).wait(2)

    def test_a_piece_that_is_in_a_hand_still_is_afterwards(self):
        table = self.lost(up(sit_down(), "b2"))
        assert table.messages == (self.SAYS,)
        assert table.session.view.scene.has_trouble
        does(table, TroubleChanged, message=None)
        assert table.messages[0] == Message("trouble.over")
        table.wait(2)
        assert table.messages == (
            Message("chosen.tadpole", cell="b2", cells=("b1", "a2", "c2", "b3")),
            Message("lifted.put_back", cell="b2"),
        )
        assert (table.phase, table.session.in_hand) == ("in_hand", "b2")
        assert taken(down(table, "c2")) == "b2c2"

    def test_what_was_done_meanwhile_is_asked_and_not_guessed(self):
        table = self.lost(up(sit_down(), "b2"))
        table.drop("c2")  # as they come back
        assert taken(table.wait(5)) == ""
        self.back(table)
        assert (taken(table), table.phase) == ("", "differs")
        assert table.messages[-1] == offer("c2")
        nod(table.fork(), "c2")
        assert taken(nod(table.fork(), "c2")) == "b2c2"
        assert mend(table) == 1
        assert table.at_rest()

    def test_an_egg_that_had_just_been_put_down_is_put_down_once_more(self):
        table = self.back(self.lost(sit_down().drop("c3").wait(0.1)))
        assert (taken(table), table.phase) == ("", "differs")
        assert taken(nod(table, "c3")) == "@c3"

    def test_nothing_that_is_felt_meanwhile_is_said(self):
        table = up(self.lost(sit_down()), "a1", "b2", rest=2.0)
        assert (taken(table), table.messages) == ("", (self.SAYS,))

    def test_what_was_to_be_taken_off_and_turned_over_still_is(self):
        table = self.back(self.lost(down(sit_down(PRESSED), "b1")))
        assert table.messages[:3] == (
            Message("trouble.over"),
            turn_over("a1", "c1"),
            take_off("a2", "b2", "c2"),
        )
        up(table, "a2", "b2", "c2")
        assert (taken(table), table.phase) == ("@b1", "act")

    def test_what_was_announced_is_not_done_in_the_dark_nor_afterwards(self):
        table = self.lost(up(down(sit_down(), "c3"), "c3")).wait(60)
        assert taken(table) == "@c3"
        self.back(table)
        assert table.shown(CellRole.PUT) == ["c3"]  # who knows what fell over meanwhile
        assert taken(table.wait(HOLD)) == "@c3"
