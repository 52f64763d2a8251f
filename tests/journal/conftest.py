"""A place for journals where having something written out takes no time."""

import os
import tempfile
from pathlib import Path

import pytest

from pond_hw.journal import store

IN_MEMORY = Path("/dev/shm")


@pytest.fixture
def tmp_path(tmp_path):
    """In memory if the machine has such a place; what a card does to a journal is made up here anyway."""
    if not os.access(IN_MEMORY, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        place = Path(folder) / "place"
        place.mkdir()
        yield place


@pytest.fixture(autouse=True)
def _close_connections(monkeypatch):
    """Whoever is killed in a test closes nothing, and Python 3.13 complains of it at some later time."""
    connected, made = store.connect_database, []

    def remembered(*given):
        made.append(connected(*given))
        return made[-1]

    monkeypatch.setattr(store, "connect_database", remembered)
    yield
    for connection in made:
        connection.close()
