"""Turns with pieces: hand movements, messages, and whether the board matches the game in the end."""

import pytest

from pond_hw.messages.message import Message
from pond_hw.rules import DARK, Action
from pond_hw.session import (
    CellRole,
)
from pond_hw.session.pieces.interpretations import (
    FURTHER_CONFIRM_SECONDS,
)
from tests.messages.says import ids
from tests.session.pieces.helpers import (
    A_DAY,
    ABOUT_TO_SCORE,
    BOARD_DIFFERS,
    QUIET,
    QUIET_DARK_TO_MOVE,
    SHORT_REST,
    extra,
    follow_lamps,
    lift_pieces,
    make_empty_table,
    make_gesture,
    make_table,
    missing,
    played,
    prompt,
    put,
    put_back,
    put_pieces,
    question,
    swipe,
    take_off,
    turn_over,
    wait,
)
from tests.session.pieces.oracle import possible_orders, sensor_changes
from tests.session.tables import HOLD, TIME_TOLERANCE, draw_on_failure

# Turns


def test_putting_piece_down_places_egg():
    table = put_pieces(make_empty_table(), "b2")
    assert played(table) == "@b2"
    assert table.messages == (Message("turn.place", side="light", cell="b2"), prompt("dark", "place"))
    assert table.phase == "act"


def test_egg_counts_after_settle_time():
    table = make_empty_table(settle_seconds=0.4).drop("b2").wait(0.4 - TIME_TOLERANCE)
    assert played(table) == ""
    assert played(table.wait(2 * TIME_TOLERANCE)) == "@b2"


@pytest.mark.parametrize(
    ("source", "target", "symbol"),
    [
        ("b2", "c2", "tadpole"),
        ("d1", "c1", "frog"),
        ("d1", "d2", "frog"),
    ],
)
def test_lifting_and_putting_down_moves_piece(source, target, symbol):
    table = put_pieces(lift_pieces(make_table(), source), target)
    assert played(table) == source + target
    assert table.messages[0] == Message(f"turn.move.{symbol}", side="light", source=source, target=target)
    assert table.phase == "act"


def test_frog_hops_over_piece():
    table = make_table("e..f/..../.T.e/E..F l 10 10 0 0")
    put_pieces(lift_pieces(table, "d1"), "d3")
    assert played(table) == "d1d3"
    assert table.messages == (
        Message("turn.move.frog", side="light", source="d1", target="d3"),
        Message("turn.develop.egg", cells=("d4",), count=1),
        Message("turn.develop.tadpole", cells=("d2",), count=1),
        turn_over("d2", "d4"),
        prompt("dark"),
    )
    assert table.shown(CellRole.FLIP) == ["d2", "d4"]


def test_quick_move_to_neighbouring_cell_is_announced():
    table = lift_pieces(make_table("...f/..../Te../E..F l 10 11 0 0"), "a2")
    assert table.shown(CellRole.TARGET) == ["a3"]
    assert played(table.drop("a3").wait(0.2)) == ""  # it may be off the centre of a2
    assert played(table.wait(0.1)) == "a2a3"


# Lifted pieces


def test_lifted_piece_lights_targets():
    table = lift_pieces(make_table(), "b2")
    assert table.phase == "in_hand"
    assert table.shown(CellRole.CHOSEN) == ["b2"]
    assert table.shown(CellRole.TARGET) == ["b1", "a2", "c2", "b3"]
    assert table.messages == (
        Message("chosen.tadpole", cell="b2", cells=("b1", "a2", "c2", "b3")),
        Message("lifted.put_back", cell="b2"),
    )


def test_piece_put_back_has_not_moved():
    table = put_pieces(lift_pieces(make_table(), "b2"), "b2")
    assert played(table) == ""
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
def test_immovable_piece_must_be_put_back(line, cell, why, step):
    table = lift_pieces(make_table(line), cell)
    assert table.phase == "differs"
    assert table.shown(CellRole.PUT) == [cell]
    assert not table.shown(CellRole.TARGET, CellRole.TAKE_OFF)
    assert table.messages == (why, step)
    assert table.session.refusal.cell == cell
    put_pieces(table, cell)
    assert (table.phase, played(table)) == ("act", "")
    assert played(put_pieces(table, "c3")) == "@c3"


def test_illegal_move_is_refused_and_repaired():
    table = put_pieces(lift_pieces(make_table(), "b2"), "d3")
    assert played(table) == ""
    assert table.phase == "differs"
    assert (table.shown(CellRole.TAKE_OFF), table.shown(CellRole.PUT)) == (["d3"], ["b2"])
    assert table.session.refusal.cell == "d3"
    assert table.messages == (Message("illegal.tadpole_reach"), put_back("tadpole", "d3", "b2"))
    assert follow_lamps(table) == 1
    assert table.at_rest()


def test_two_lifted_pieces_must_be_put_back():
    table = make_table().lift("b2", "d1").wait(SHORT_REST)
    assert table.phase == "differs"
    assert table.messages == (
        BOARD_DIFFERS,
        missing("b2", "d1"),
        put("frog", "d1"),
        Message("repair.more", count=1),
    )
    put_pieces(table, "d1")
    assert (table.phase, table.session.in_hand) == ("in_hand", "b2")
    put_pieces(table, "b2")
    assert (table.phase, played(table)) == ("act", "")


# Hand tasks


def test_hand_tasks_are_shown_until_done():
    table = put_pieces(make_table(ABOUT_TO_SCORE), "b1")
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
    table.wait(A_DAY)  # there is no time limit
    assert table.shown(CellRole.TAKE_OFF) == ["a2", "b2", "c2"]


def test_removals_are_counted_down():
    table = put_pieces(make_table(ABOUT_TO_SCORE), "b1")
    for cell, left in (("b2", take_off("a2", "c2")), ("a2", take_off("c2"))):
        assert left in lift_pieces(table, cell).messages
        assert table.phase == "take_off"
    lift_pieces(table, "c2")
    assert table.phase == "act"
    assert "hands.take_off" not in ids(table.messages)
    assert not table.shown(CellRole.TAKE_OFF)


@pytest.mark.parametrize("order", [("a1", "c1"), ("c1", "a1")])
def test_pieces_are_flipped_in_any_order(order):
    table = lift_pieces(put_pieces(make_table(ABOUT_TO_SCORE), "b1"), "a2", "b2", "c2")
    one, other = order
    make_gesture(table, one)
    assert table.messages == (turn_over(other), prompt("dark"))
    assert table.shown(CellRole.FLIP) == [other]
    make_gesture(table, other)
    assert table.messages == (prompt("dark"),)
    assert not table.shown(CellRole.FLIP)
    assert (played(table), table.phase) == ("@b1", "act")


@pytest.mark.parametrize("first", ["a1", "c1"])
def test_pieces_are_flipped_at_the_same_time(first):
    table = put_pieces(make_table(ABOUT_TO_SCORE), "b1").lift("a1", "c1").wait(2.0)
    assert table.phase == "take_off"  # no piece is reported missing
    assert not any(message_id.startswith("mismatch.") for message_id in ids(table.messages))
    put_pieces(table, *sorted(["a1", "c1"], key=lambda cell: cell != first))
    assert not table.shown(CellRole.FLIP)
    assert (played(table), table.phase) == ("@b1", "take_off")


def test_next_player_may_lift_piece_during_flips():
    table = put_pieces(make_table(ABOUT_TO_SCORE), "b1").lift("a1", "c1").wait(1.0)
    lift_pieces(table, "d4")
    assert (table.phase, table.session.in_hand) == ("in_hand", "d4")
    assert table.shown(CellRole.TARGET) == ["d2", "d3", "b4", "c4"]
    put_pieces(table, "c1", "a1", "d3")
    assert played(table) == "@b1 d4d3"


@pytest.mark.parametrize(
    ("hands", "action"),
    [
        ((), "@c3"),
        (("d4",), "d4d3"),
    ],
    ids=["an egg", "a move"],
)
def test_action_during_flip_counts_when_piece_is_back(hands, action):
    table = lift_pieces(put_pieces(make_table(ABOUT_TO_SCORE), "b1"), "a1", *hands)
    put_pieces(table, action[-2:])
    assert (played(table), table.phase) == ("@b1", "differs")
    assert table.messages == (
        Message("pending.put_back", cells=("a1",), count=1),
        question(action, "frog", "dark", "pending.then"),
    )
    assert table.shown(CellRole.PUT) == ["a1"]
    assert action[-2:] not in table.shown(CellRole.TAKE_OFF)
    assert played(put_pieces(table.wait(100), "a1")) == f"@b1 {action}"


def test_moved_piece_need_not_be_flipped():
    table = put_pieces(make_table("e..f/..../.T../EE.F d 0 11 9 0"), "a2")  # Light has no eggs left to place
    put_pieces(lift_pieces(table, "a1", "b2"), "d2")
    assert (played(table), table.shown(CellRole.PUT)) == ("@a2", ["a1"])
    assert table.messages == (
        Message("pending.put_back", cells=("a1",), count=1),
        question("b2d2", "frog", "light", "pending.then"),
    )


def test_next_turn_may_precede_removal():
    table = put_pieces(put_pieces(make_table(ABOUT_TO_SCORE), "b1"), "c3")
    assert played(table) == "@b1 @c3"
    assert table.phase == "take_off"
    assert table.messages[-3:] == (turn_over("a1", "c1"), take_off("a2", "b2", "c2"), prompt("light"))
    lift_pieces(table, "a2", "b2", "c2")
    assert (table.phase, played(table)) == ("act", "@b1 @c3")


def test_pending_flips_are_requested_in_every_turn():
    table = put_pieces(make_table("...f/..../..../E..F l 11 12 0 0"), "b1", "c4")  # Dark does not wait for a1
    assert table.messages[-2:] == (turn_over("a1", "d4"), prompt("light"))
    lift_pieces(table, "a1").wait(1.0)  # Light flips it now, and places an egg beside it with the other hand
    put_pieces(table, "a2")
    assert played(table) == "@b1 @c4"
    assert table.messages == (question("a1a2", "tadpole"), wait())
    put_pieces(table.wait(1.0), "a1")
    assert table.messages[:2] == (question("@a2"), wait())
    assert played(table.wait(HOLD)) == "@b1 @c4 @a2"


def test_piece_taken_away_instead_of_flipped_is_missing():
    table = lift_pieces(put_pieces(make_table(), "a2"), "b2")  # a1 and b2 must be flipped
    table.wait(A_DAY)
    assert turn_over("a1", "b2") in table.messages
    lift_pieces(table, "a4")
    assert table.phase == "differs"
    assert table.messages[:2] == (BOARD_DIFFERS, missing("a4", "b2"))
    put_pieces(table, "a4", "b2")
    assert (played(table), table.phase) == ("@a2", "act")
    assert table.shown(CellRole.FLIP) == ["a1"]


class TestMoveBeforeFlip:
    """A piece is moved before it is flipped. A player could also be holding it, and have placed an egg with the other hand."""

    def move_unflipped(self):
        table = make_table(QUIET_DARK_TO_MOVE)
        put_pieces(table, "b3")  # Dark's turn; Light's tadpole on b2 becomes a frog
        return put_pieces(lift_pieces(table, "b2"), "d2")

    def test_move_counts_after_three_seconds(self):
        table = self.move_unflipped()
        assert (played(table), table.phase) == ("@b3", "differs")
        assert table.messages == (question("b2d2", "frog"), wait())
        assert table.shown(CellRole.PENDING) == ["b2", "d2"]
        hold = table.session.view.scene.confirm_window
        assert hold.until - hold.since == pytest.approx(HOLD)
        table.wait(hold.until - TIME_TOLERANCE - table.time)
        assert played(table) == "@b3"
        assert played(table.wait(2 * TIME_TOLERANCE)) == "@b3 b2d2"
        assert table.session.board_state.tasks.cells_to_flip == {"d1"}  # no longer b2

    def test_quick_move_is_announced(self):
        table = put_pieces(lift_pieces(put_pieces(make_table(QUIET_DARK_TO_MOVE), "b3"), "b2", rest=0.1), "d2")
        assert (played(table), table.shown(CellRole.PENDING)) == ("@b3", ["b2", "d2"])

    def test_any_touch_cancels_move(self):
        table = lift_pieces(self.move_unflipped().wait(2.0), "d2")
        assert table.session.view.scene.confirm_window is None
        put_pieces(table.wait(10), "b2")
        assert (played(table), table.phase) == ("@b3", "act")

    def test_flipped_piece_counts_at_once(self):
        table = make_table(QUIET_DARK_TO_MOVE)
        put_pieces(lift_pieces(make_gesture(put_pieces(table, "b3"), "b2"), "b2"), "d2")
        assert played(table) == "@b3 b2d2"

    def test_move_counts_at_once_without_eggs(self):
        table = put_pieces(make_table("e..f/..../.T../EE.F d 0 11 9 0"), "b3")
        assert played(put_pieces(lift_pieces(table, "b2"), "d2")) == "@b3 b2d2"

    def test_move_counts_at_once_with_plain_pieces(self):
        table = make_table(QUIET_DARK_TO_MOVE, asks_to_flip=False)
        put_pieces(table, "b3")
        assert not table.shown(CellRole.FLIP)
        assert "hands.turn_over" not in ids(table.messages)
        assert played(put_pieces(lift_pieces(table, "b2"), "d2")) == "@b3 b2d2"


@pytest.mark.parametrize("cell", ["a2", "b2", "c2"])
def test_egg_on_scored_cell_counts(cell):
    table = lift_pieces(put_pieces(make_table(ABOUT_TO_SCORE), "b1"), "a2", "b2", "c2")
    assert played(put_pieces(table, cell)) == f"@b1 @{cell}"


HOP_THAT_SCORES = "...T/t.tf/...T/...T d 10 10 0 0"
"""Dark's frog can only hop from d3 to b3, where all three pieces in the row score."""


@pytest.mark.parametrize("away", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("detected", [0.02, 0.08, 0.4])
@pytest.mark.parametrize("owners", [False, True])
def test_scored_piece_still_in_hand_must_be_removed(detected, away, owners):
    table = lift_pieces(make_table(HOP_THAT_SCORES, owners=owners), "d3")
    table.drop("b3", owner=DARK).wait(detected).lift("b3").wait(away).drop("b3", owner=DARK).wait(30.0)
    assert (played(table), table.phase, table.shown(CellRole.TAKE_OFF)) == ("d3b3", "take_off", ["a3", "b3", "c3"])
    assert lift_pieces(table, "a3", "b3", "c3").at_rest()


@pytest.mark.parametrize(("detected", "away", "is_announced"), [(0.6, 0.3, True), (0.6, 1.2, False)])
def test_piece_returned_to_scored_cell_may_be_egg(detected, away, is_announced):
    table = lift_pieces(make_table(HOP_THAT_SCORES), "d3")
    table.drop("b3").wait(detected).lift("b3").wait(away).drop("b3").wait(SHORT_REST)
    assert (table.messages == (question("@b3"), wait())) == is_announced
    assert played(table.wait(HOLD)) == "d3b3 @b3"


@pytest.mark.parametrize("after", [1.1, 0.1, -0.1])
def test_egg_placed_during_removal_is_a_new_piece(after):
    table = put_pieces(make_table(ABOUT_TO_SCORE), "b1")
    if after > 0:
        table.lift("a2").wait(after).drop("d3")
    else:
        table.drop("d3").wait(-after).lift("a2")
    assert played(table.wait(SHORT_REST)) == "@b1 @d3"


# Slides, hovering hands and dropouts


@pytest.mark.parametrize(
    "path",
    ["b2 b3", "b2 c2", "b2 b1", "b2 b3 b2 c2", "b2 c2 c3 b3", "d1 c1", "d1 d2 d3", "d1 d2 c2 c1", "d1 c1 c2 d2 d3"],
)
def test_slide_to_target_is_one_turn(path):
    table = swipe(make_table(), *path.split())
    source, *_, target = path.split()
    assert played(table) == source + target


@pytest.mark.parametrize(
    "path", ["b2 b3 c3", "b2 c2 d2", "b2 c2 c3 d3", "b2 b3 b4 c4 c3", "d1 c1 c2", "d1 d2 c2 c3 d3 c3"]
)
def test_slide_elsewhere_is_not_a_turn(path):
    table = swipe(make_table(), *path.split())
    source, *_, target = path.split()
    assert (played(table), table.phase) == ("", "differs")
    assert any(
        message.arguments.get("source") == target and message.arguments["target"] == source
        for message in table.messages
    )
    assert follow_lamps(table) == 1
    assert table.at_rest()


def test_sliding_there_and_back_is_not_a_turn():
    table = swipe(make_table(), "b2", "b3", "c3", "c2", "b2")
    assert (played(table), table.phase) == ("", "act")


@pytest.mark.parametrize("pause", [0.01, 0.1, 0.19])
def test_slide_may_pause_briefly(pause):
    assert played(swipe(make_table(), "d1", "c1", "c2", "d2", "d3", pause=pause)) == "d1d3"


@pytest.mark.slow
def test_every_slide_of_up_to_four_cells_is_interpreted():
    """A frog, a tadpole and an egg take every path over empty cells."""
    rest, legal = make_table(), {str(action) for action in make_table().session.allowed_actions}
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
        with draw_on_failure(table, *path):
            assert played(table) == (meant if meant in legal else "")
            assert table.phase == ("act" if meant in legal or path[0] == path[-1] else "differs")
        done += 1
    assert done > 200


def _steps(one, other):
    return abs(ord(one[0]) - ord(other[0])) + abs(int(one[1]) - int(other[1]))


def test_hovering_hand_takes_no_turn():
    table = lift_pieces(make_table(), "b2")
    for cell in ("b3", "c2", "b1", "c2", "d3"):
        table.drop(cell).wait(0.2).lift(cell).wait(0.1)
    assert played(table.wait(SHORT_REST)) == ""
    assert table.phase == "in_hand"
    assert played(put_pieces(table, "c2")) == "b2c2"


def test_egg_sliding_to_its_cell_counts():
    table = make_table().drop("c3").wait(0.1).lift("c3").wait(0.05).drop("c2")
    assert played(table.wait(SHORT_REST)) == "@c2"


def test_hovering_egg_is_not_placed():
    table = make_table().drop("c3").wait(0.2).lift("c3").wait(5)
    assert (played(table), table.phase) == ("", "act")


def test_dropout_does_not_count_as_lift():
    table = make_table()
    messages = table.messages
    for gap in (0.05, 0.1, 0.2):
        table.lift("d1").wait(gap).drop("d1").wait(gap)
    assert (played(table.wait(10)), table.phase, table.messages) == ("", "act", messages)


def test_two_quick_touches_change_nothing():
    table = make_table()
    table.drop("c3").lift("c3").lift("d4").drop("d4").wait(10)
    assert (played(table), table.phase) == ("", "act")
    assert not table.session.view.scene.confirm_window


# Two quick turns


@pytest.mark.parametrize("pair", ["@c3 @c4", "@a3 @d3", "@b3 @c2"])
def test_two_quick_turns_of_unknown_order_do_not_count(pair):
    for order in possible_orders(sensor_changes(*map(Action.from_notation, pair.split()))):
        table = make_table()
        for cell, there in order:
            table.touch(cell, there).wait(0.05)
        table.wait(SHORT_REST)
        assert (played(table), table.phase) == ("", "differs")
        cells = sorted(cell for cell, _ in order)
        assert table.messages[:2] == (BOARD_DIFFERS, extra(*cells))
        follow_lamps(table)
        assert table.at_rest()


def test_egg_on_cell_just_left_is_announced():
    """The sensors report the same if Light places an egg and Dark has not played."""
    table = make_table("..../.T../.e../.... l 12 12 0 0").lift("b3").wait(0.05)
    table.drop("c3").wait(0.05).drop("b3").wait(SHORT_REST)
    assert (played(table), table.phase) == ("", "differs")
    assert table.messages == (question("@c3"), wait())


@pytest.mark.parametrize("thinks", [0.3, 1.0])
def test_next_player_may_lift_before_egg_settles(thinks):
    table = make_table().drop("c3").wait(0.1).lift("d4").wait(thinks)
    assert played(put_pieces(table.fork(), "d4")) == "@c3"
    assert played(put_pieces(table, "d3")) == "@c3 d4d3"


def test_next_player_may_hold_piece():
    table = make_table().drop("c3").wait(0.1).lift("d4").wait(SHORT_REST)
    assert table.messages[-2:] == (
        question("@c3", subject="mismatch.half_done"),
        Message("mismatch.put_back_first", cell="d4"),
    )
    assert played(put_pieces(table.wait(5.0 - SHORT_REST), "d3")) == "@c3 d4d3"


def test_off_centre_piece_is_not_a_second_turn():
    """The piece may be between the two cells."""
    table = make_table().lift("b2").wait(0.05).drop("b3", "b4").wait(SHORT_REST)
    assert (played(table), table.phase) == ("", "differs")


def test_off_centre_piece_is_not_a_second_turn_when_repeated():
    """The board asked for the piece to be taken off, and it is off-centre again."""
    table = make_empty_table().wait(1.0).drop("b2", "c2").wait(1.5)
    assert (played(table), table.phase) == ("", "differs")
    table.lift("b2").wait(0.02).lift("c2").wait(1.5).drop("b2", "c2").wait(SHORT_REST)
    assert (played(table), table.phase) == ("", "differs")


@pytest.mark.parametrize(("pushed", "detected"), [("a1", "b1"), ("a1", "a2"), ("a4", "b3")])
def test_pushed_piece_on_two_cells_is_announced(pushed, detected):
    """It may also be an egg that was put down while the piece beside it was touched."""
    table = make_table().lift(pushed).wait(0.03).drop(detected).wait(0.03).drop(pushed).wait(SHORT_REST)
    assert (played(table), table.phase) == ("", "differs")
    assert table.messages == (question(f"@{detected}"), wait())
    lift_pieces(table.wait(2.0), detected)
    assert (played(table), table.phase) == ("", "act")


def test_lift_just_before_egg_on_target_is_announced():
    table = make_table().lift("b2").wait(0.03).drop("c2").wait(0.03).drop("b2").wait(SHORT_REST)
    assert table.messages == (question("@c2"), wait())
    lift_pieces(table, "b2")
    assert (played(table), table.shown(CellRole.PENDING)) == ("", ["b2", "c2"])
    assert played(put_pieces(table, "b2").wait(HOLD)) == ""  # a slide is likelier
    assert played(table.wait(FURTHER_CONFIRM_SECONDS - HOLD)) == "@c2"
