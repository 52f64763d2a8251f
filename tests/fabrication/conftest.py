"""Copper in memory in the place of a Pi's, as the shared tests of boards have it."""

from tests.board.conftest import tools

__all__ = ["tools"]
