"""Keys beside the cells of a simulated board."""

from pond_hw.board import KeyEvent


def press_key(hands, *, down):
    """Press or release the key of a `SimulatedBoard`."""
    if hands._put:
        hands._put(KeyEvent(down, hands.now()))
