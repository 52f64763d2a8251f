"""Fixtures for tests on the simulated Pi. `--pi NAME` selects the board."""

from pathlib import Path

import pytest

from pond_hw.rules import parse_record
from tests.kernel.breadboard import is_simulated_pi
from tests.kernel.inside.board_on_pi import BoardOnPi
from tests.kernel.inside.installation import Installation

GAMES = Path(__file__).resolve().parents[2] / "games"
GAME_NAMES = {
    "direct-4x4": "standard-eleven-beat-ten",
    "hall-4x4": "mini-eight-beat-seven",
    "hall-5x5": "big-15-dark-wins",
    "pwm-4x4": "standard-eleven-beat-ten",
}


@pytest.fixture
def board(request):
    """Name of the profile that the simulated Pi is wired for."""
    name = request.config.getoption("--pi")
    if not (name and is_simulated_pi()):
        pytest.skip("needs the simulated Pi (tests/kernel/pi.py), and --pi with the name of its board")
    return name


@pytest.fixture
def game(board):
    """Record of the game to play."""
    return parse_record((GAMES / f"{GAME_NAMES[board]}.pond").read_text(encoding="utf-8"))


@pytest.fixture
def table(board):
    """Empty board. Frames sent earlier are discarded."""
    board_on_pi = BoardOnPi(board)
    board_on_pi.take_frames()
    yield board_on_pi
    board_on_pi.disconnect()


@pytest.fixture
def installation(board, table):
    """Running Pi with Pond installed, and a connected client."""
    with Installation(board) as running:
        assert running.state == "active", running.read_log()
        table.connect()
        yield running
        table.disconnect()
