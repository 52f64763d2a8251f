"""A service that keeps crashing makes a safe start and leaves the journal alone."""

import json
import os
import socket
import subprocess
import sys

import pytest

from pond_hw.messages.message import Message
from pond_hw.profile import load_profile
from pond_hw.rules import STANDARD, PondError
from pond_hw.server.board_run import QUICK_RESTART_SECONDS, RestartHistory
from tests.server.served import parse_said

pytestmark = pytest.mark.slow


@pytest.fixture
def starts(tmp_path):
    """Return a function that starts a service at the given times and returns whether each start was safe."""
    return lambda *times: [RestartHistory(tmp_path / "starts", lambda at=at: at).needs_safe_start for at in times]


def test_fourth_quick_start_is_a_safe_start(starts):
    assert starts(10.0, 12.0, 14.0, 16.0, 18.0) == [False, False, False, True, True]


def test_start_after_a_minute_is_not_quick(starts):
    assert starts(10.0, 12.0, 14.0, 14.0 + QUICK_RESTART_SECONDS, 76.0) == [False] * 5
    assert starts(1000.0, 1001.0, 1002.0, 1003.0 + QUICK_RESTART_SECONDS) == [False] * 4


def test_clean_exit_clears_the_history(tmp_path):
    for at in (10.0, 11.0, 12.0, 13.0):
        ended = RestartHistory(tmp_path / "starts", lambda at=at: at)
        assert not ended.needs_safe_start
        ended.clear_history()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", ["", "{", "7", '["a"]', "[NaN, NaN, NaN]", "[1e999, 9.0]", "[11.0, 12.0, 13.0]"])
def test_invalid_history_is_ignored(tmp_path, content):
    (tmp_path / "starts").write_text(content)
    assert not RestartHistory(tmp_path / "starts", lambda: 10.0).needs_safe_start  # the last case lies in the future


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.write_text("[" * 100_000)])
def test_unreadable_history_is_replaced(starts, tmp_path, make):
    make(tmp_path / "starts")
    assert starts(10.0, 12.0, 14.0, 16.0) == [False, False, False, True]


def test_unwritable_history_is_ignored(tmp_path):
    for _ in range(5):
        restarts = RestartHistory(tmp_path / "no" / "folder", lambda: 10.0)
        assert not restarts.needs_safe_start
        restarts.clear_history()


def test_safe_start_leaves_the_journal_unchanged(tmp_path):
    listens = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listens.bind(str(tmp_path / "notify"))
    listens.settimeout(20)
    outside = os.environ | {"NOTIFY_SOCKET": str(tmp_path / "notify")}
    command = [sys.executable, "-m", "pond_hw", "serve", "--board", "simulated-4x4"]
    command += ["--socket", str(tmp_path / "pond.sock"), "--journal", str(tmp_path / "journal")]

    def run_service(kill):
        process = subprocess.Popen(command, env=outside, stderr=subprocess.PIPE, text=True)
        try:
            while b"READY=1" not in listens.recv(4096):
                pass
            with socket.socket(socket.AF_UNIX) as caller, caller.makefile("r") as lines:
                caller.connect(str(tmp_path / "pond.sock"))
                caller.sendall(b'{"touch":"b2"}\n')
                lines.readline()
                before, after = json.loads(lines.readline()), json.loads(lines.readline())
            return before, after
        finally:
            process.kill() if kill else process.terminate()
            process.communicate(timeout=20)

    def files():
        return {path.name: path.read_bytes() for path in sorted((tmp_path / "journal").iterdir())}

    with listens:
        assert run_service(kill=True)[1]["last"]["action"] == "@b2"
        for _ in range(2):
            assert run_service(kill=True)[0]["phase"] == "resume"
        left = files()
        before, after = run_service(kill=False)
        assert parse_said(before, "unsaved") == [Message("saving.safe_start")]
        assert (before["phase"], after["last"]["action"]) == ("act", "@b2")  # play is possible
        assert files() == left
        before, _ = run_service(kill=False)  # after the clean exit
        assert (before["phase"], "unsaved" in before) == ("resume", False)


def test_missing_hardware_does_not_count_as_crash(tmp_path, monkeypatch):
    from pond_hw.server.board_run import BoardRun

    monkeypatch.setattr("pond_hw.server.board_run.catch_end_signals", list)  # keeps the signal handlers of the test
    for _ in range(5):
        with pytest.raises(PondError) as refused:
            BoardRun(load_profile("direct-4x4"), STANDARD, (None, None), tmp_path / "pond.sock").run()
        assert refused.value.message.id == "machine.no_pi"
    assert list(tmp_path.iterdir()) == []
