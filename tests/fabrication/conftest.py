"""Board fixtures shared with tests/board, for simulated wiring."""

from tests.board.conftest import tools

__all__ = ["tools"]
