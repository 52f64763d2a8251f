"""Shared board tests on simulated wiring."""

from tests.board.conftest import tools

__all__ = ["tools"]
