"""Fixtures for the simulated Pi: `--pi NAME` gives the board."""

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
    """Profile that the simulated Pi was wired for."""
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
    """Empty board; frames sent earlier are discarded."""
    made = BoardOnPi(board)
    made.take_frames()
    yield made
    made.disconnect()


@pytest.fixture
def installation(board, table):
    """Running Pi with Pond installed and a client connected."""
    with Installation(board) as made:
        assert made.state == "active", made.read_log()
        table.connect()
        yield made
        table.disconnect()
