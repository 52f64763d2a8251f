"""The simulated board behaves like a real one."""

import pytest

from pond_hw.board import Board, Frame, Touch
from pond_hw.messages.message import Message
from pond_hw.rules import PondError, get_grid
from pond_hw.simulator import SimulatedBoard


@pytest.fixture
def touches():
    return []


@pytest.fixture
def hands(touches):
    board = SimulatedBoard(4, 4, now=lambda: 7.0)
    board.open(touches.append)
    return board


def test_every_cell_can_be_pressed_and_released(hands, touches):
    for cell in get_grid(4).cells:
        hands.touch(cell)
    assert touches == [Touch(cell, down, 7.0) for cell in get_grid(4).cells for down in (True, False)]


def test_held_button_is_not_pressed_again(hands, touches):
    hands.press("b2")
    hands.press("b2")
    hands.release("b2")
    hands.release("b2")
    assert [touch.down for touch in touches] == [True, False]


def test_two_buttons_report_two_touches(hands, touches):
    hands.press("a1")
    hands.press("d4")
    assert hands.pressed_cells == {"a1", "d4"}
    assert len(touches) == 2


def test_press_outside_the_board_is_rejected(hands):
    with pytest.raises(PondError) as refused:
        hands.touch("e5")
    assert refused.value.message == Message("illegal.no_such_cell", cell="e5", size=4)


def test_lamps_keep_their_frame_until_closed(hands, touches):
    frame = Frame(4, 4, bytes(range(192)))
    hands.to_board().lamps.show(frame)
    assert hands.to_board().lamps.frame is frame
    hands.to_board().close()
    assert hands.to_board().lamps.frame == Frame.dark_frame(4, 4)
    hands.touch("a1")
    assert touches == []


def test_frame_has_lamps_of_each_cell():
    frame = Frame(3, 4, bytes(range(108)))
    assert frame["a1"] == ((0, 1, 2), (3, 4, 5), (6, 7, 8), (9, 10, 11))
    assert frame["b1"][0] == (12, 13, 14)  # b1 follows a1: row by row
    assert frame["c3"][-1] == (105, 106, 107)
    assert list(frame.colours_by_cell) == list(get_grid(3).cells)


def test_different_grid_sizes_are_rejected():
    with pytest.raises(ValueError, match="but the lamps have"):
        Board(SimulatedBoard(4, 1, lambda: 0.0), SimulatedBoard(5, 1, lambda: 0.0))
