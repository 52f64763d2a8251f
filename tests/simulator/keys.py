"""The key beside the cells of a simulated board."""

from pond_hw.board import KeyEvent


def press_key(hands, *, down):
    """A finger comes down on the key of a `SimulatedBoard`, or leaves it."""
    if hands._put:
        hands._put(KeyEvent(down, hands.now()))
