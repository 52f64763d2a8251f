"""A file for a recording."""

import pytest


@pytest.fixture
def path(tmp_path):
    return tmp_path / "box"
