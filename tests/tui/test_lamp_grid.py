"""A frame that keys move over the cells of a board."""

from pond_hw.rules import get_grid
from pond_hw.tui.lamp_grid import CellCursor


class Frame(CellCursor):
    cursor = "b2"
    board_grid = get_grid(3)
    drawn = 0

    def show_cursor(self):
        self.drawn += 1


def test_arrows_move_by_a_cell_and_stop_at_the_edge():
    frame = Frame()
    for _ in range(3):
        frame.action_go(1, 0)
    frame.action_go(0, -1)
    assert (frame.cursor, frame.drawn) == ("c1", 2)


def test_letters_and_digits_name_a_column_and_a_row_that_there_is():
    frame = Frame()
    frame.action_column(0)
    frame.action_row(2)
    frame.action_row(4)
    assert (frame.cursor, frame.drawn) == ("a3", 2)
