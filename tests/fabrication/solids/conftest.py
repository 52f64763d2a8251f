"""What all of these tests share."""

import pytest

from tests.fabrication.solids.boards import built


@pytest.fixture(scope="session", autouse=True)
def _no_solid_outlives_the_tests():
    """The library of solids complains of each that is still there when Python ends."""
    yield
    built.cache_clear()
