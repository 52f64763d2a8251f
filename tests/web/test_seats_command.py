"""`pond web seats` and `pond web revoke` with a served board and a client that has listed seats."""

import json
import socket
import subprocess
import sys

import pytest

from pond_hw.commands.main import main
from pond_hw.messages.message import Message
from tests.conftest import each, skip_outside_ci
from tests.messages.says import text
from tests.waiting import wait_for

if sys.platform == "win32":
    skip_outside_ci("needs a Unix")

PATIENCE = 20.0


@pytest.fixture
def path(folder):
    """The socket of a served board."""
    path = folder / "pond.sock"
    command = [sys.executable, "-m", "pond_hw", "serve", "--board", "simulated-4x4", "--unsaved", "--socket", str(path)]
    board = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    wait_for(path.exists)
    yield path
    board.terminate()
    board.communicate(timeout=PATIENCE)


@pytest.fixture
def page(path):
    """A client that has listed three seats and receives the board's lines."""
    with socket.socket(socket.AF_UNIX) as page:
        page.settimeout(PATIENCE)
        page.connect(str(path))
        seats = [
            {"seat": 1, "sides": ["light"]},
            {"seat": 2, "sides": ["dark"]},
            {"seat": 4, "sides": ["light", "dark"]},
        ]
        page.sendall(f"{json.dumps({'command': 'seats', 'seats': seats})}\n".encode())
        with page.makefile() as lines:
            while "seats" not in json.loads(next(lines)):
                pass
            yield lines


def read_revoked_seats(lines):
    while (message := json.loads(next(lines)))["type"] != "revoked":
        pass
    return message["seat"]


@pytest.mark.slow
def test_seats_are_listed_and_revoked(path, page, capsys):
    def said(*words):
        assert main(["web", *words, "--socket", str(path)]) == 0
        return capsys.readouterr().out.splitlines()

    light, dark = (text(Message(f"web.seats.{side}", number=n)) for side, n in (("light", 1), ("dark", 2)))
    both = text(Message("web.seats.both", number=4))
    assert said("seats") == [light, dark, both]
    assert said("seats", "--language", "nl")[0] == "Plaats 1 speelt Licht."
    assert said("revoke", "2") == [text(Message("web.seats.revoked", number=2))]
    assert read_revoked_seats(page) == 2
    assert said("seats") == [light, both]
    assert main(["web", "revoke", "2", "--socket", str(path)]) == 2
    assert capsys.readouterr().err == f"pond: {text(Message('web.seats.no_such', number='2'))}\n"
    assert said("revoke", "all") == [text(Message("web.seats.revoked", number=number)) for number in (1, 4)]
    assert read_revoked_seats(page) is None
    assert said("seats") == said("revoke", "all") == [text(Message("web.seats.none"))]


@each(
    "words, message",
    [
        (["revoke"], Message("web.seats.which")),
        (["revoke", "one"], Message("web.seats.which")),
        (["revoke", "-1"], Message("web.seats.which")),
        (["revoke", "²"], Message("web.seats.which")),
        (["seats", "all"], Message("web.seats.no_choice")),
        (["seats", "--spectators"], Message("web.page_only", option="--spectators", what="seats")),
        (["revoke", "1", "--port", "80"], Message("web.page_only", option="--port", what="revoke")),
        (["seats"], Message("remote.not_served", socket="/nowhere/pond.sock")),
        (["revoke", "all"], Message("remote.not_served", socket="/nowhere/pond.sock")),
    ],
)
def test_invalid_arguments_are_reported(words, message, capsys):
    if words[-1] == "-1":
        words = [words[0], "--", "-1"]
    assert main(["web", "--socket", "/nowhere/pond.sock", *words]) == 2
    assert capsys.readouterr().err == f"pond: {text(message)}\n"


def test_silent_board_times_out(folder, capsys, monkeypatch):
    monkeypatch.setattr("pond_hw.server.socket_client.ANSWER_TIMEOUT_SECONDS", 0.1)
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(folder / "pond.sock"))
        silent.listen()
        assert main(["web", "seats", "--socket", str(folder / "pond.sock")]) == 2
    assert capsys.readouterr().err == f"pond: {text(Message('web.seats.no_answer'))}\n"
