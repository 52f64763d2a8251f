"""What the tests of the faces share."""

import tempfile
from pathlib import Path

import pytest

from pond_hw.faces import cli

from .served import Served


@pytest.fixture(autouse=True)
def _terminal(monkeypatch):
    """A terminal with all colours, wherever the tests run."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    for name in ("NO_COLOR", "TEXTUAL_COLOR_SYSTEM"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def pond(capsys):
    """Runs the command; gives its exit code, what it printed, and what it complained of."""

    def run(*arguments):
        try:
            code = cli.main(list(map(str, arguments)))
        except SystemExit as stop:
            code = stop.code
        out, complaint = capsys.readouterr()
        return code, out, complaint

    return run


@pytest.fixture
def folder():
    """A folder whose name is short: the path of a socket has room for a hundred letters."""
    with tempfile.TemporaryDirectory(prefix="pond") as place:
        yield Path(place)


@pytest.fixture
def serve(folder):
    """Serves boards, and stops in the end."""
    served = []

    def begin(pond="standard", **how):
        served.append(Served(folder, pond, **how))
        return served[-1]

    yield begin
    for each in served:
        each.close()


@pytest.fixture
def served(serve):
    """A standard pond on a simulated board, served."""
    return serve()
