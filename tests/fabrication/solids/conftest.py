"""Shared fixtures."""

import pytest

from tests.fabrication.solids.boards import built


@pytest.fixture(scope="session", autouse=True)
def _delete_solids():
    """Delete all solids: the library reports any that still exist when Python exits."""
    yield
    built.cache_clear()
