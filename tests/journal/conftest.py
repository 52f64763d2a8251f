"""Fixtures of the journal tests."""

import os
import tempfile
from pathlib import Path

import pytest

from pond_hw.journal import store

IN_MEMORY = Path("/dev/shm")


@pytest.fixture
def tmp_path(tmp_path):
    """Use a folder in memory if possible, to save time: these tests simulate disk errors anyway."""
    if not os.access(IN_MEMORY, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        place = Path(folder) / "place"
        place.mkdir()
        yield place


@pytest.fixture(autouse=True)
def _close_connections(monkeypatch):
    """Close connections that a simulated kill leaves open; Python 3.13 warns about them later."""
    connected, made = store.connect_database, []

    def remembered(*given):
        made.append(connected(*given))
        return made[-1]

    monkeypatch.setattr(store, "connect_database", remembered)
    yield
    for connection in made:
        connection.close()
