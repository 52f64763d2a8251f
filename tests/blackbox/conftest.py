"""Fixtures of the black box tests."""

import pytest


@pytest.fixture
def path(tmp_path):
    return tmp_path / "box"
