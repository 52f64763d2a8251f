"""Tests of `pond play --web`, in which the board, the page and the terminal end together."""

import http.client
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

import pytest

from pond_hw.commands.main import main
from pond_hw.messages.message import Message
from tests.conftest import each, require, skip_outside_ci
from tests.messages.says import text
from tests.waiting import wait_for

if sys.platform == "win32":
    skip_outside_ci("needs a Unix")
require("uvicorn", "it serves the page")
require("segno", "it draws the QR code")

TIMEOUT_SECONDS = 30.0
START_PROMPT = text(Message("play.begin"))


class Terminal:
    """Pseudo-terminal that runs `pond play` with an option that serves a board."""

    def __init__(self, folder, *words, serving="--web"):
        self.folder = folder
        outer, inner = os.openpty()
        self.outer, self.shown = outer, b""
        environment = os.environ | {
            "TMPDIR": str(folder),
            "XDG_STATE_HOME": str(folder / "state"),
            "POND_LANGUAGE": "en",
        }
        command = [sys.executable, "-m", "pond_hw", "play", serving, *words]
        self.process = subprocess.Popen(
            [sys.executable, "-c", IN_TERMINAL, *command], stdin=inner, stdout=inner, stderr=inner, env=environment
        )
        os.close(inner)

    def wait_until_shown(self, expected):
        until = monotonic() + TIMEOUT_SECONDS
        while expected not in self.shown:
            continues = self.read() and monotonic() < until
            assert continues, self.shown.decode(errors="replace")[-2000:]

    def read(self):
        """Read output for 0.1 s. Return False if the terminal has ended."""
        try:
            if select.select([self.outer], [], [], 0.1)[0]:
                self.shown += os.read(self.outer, 1 << 16)
        except OSError:
            return False
        return True

    def press(self, keys):
        os.write(self.outer, keys)

    def wait_for_exit(self):
        """Return the exit code. Keep reading, so that a full buffer never blocks the program."""
        until = monotonic() + TIMEOUT_SECONDS
        while self.process.poll() is None:
            assert monotonic() < until
            self.read() or sleep(0.1)
        return self.process.returncode

    def close(self):
        self.process.kill()
        self.process.wait()
        with suppress(OSError):
            os.close(self.outer)

    @property
    def private_folders(self):
        return list(self.folder.glob("pond-*"))

    @property
    def address(self):
        return re.search(r"http://([0-9.]+):([0-9]+)/", self.shown.decode()).groups()


IN_TERMINAL = r"""
import fcntl, os, struct, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
os.execv(sys.argv[1], sys.argv[1:])
"""


@contextmanager
def terminal(folder, *words, serving="--web"):
    started = Terminal(folder, *words, serving=serving)
    try:
        yield started
    finally:
        started.close()


@pytest.fixture
def short_folder(folder):
    """Folder with a path short enough for a socket inside it."""
    return Path(folder)


def is_port_free(host, port):
    try:
        socket.create_connection((host, int(port)), timeout=1).close()
    except OSError:
        return True
    return False


@pytest.mark.slow
def test_web_game_works_from_start_to_end(short_folder):
    """The page loads, the terminal plays on the same board, and no process or file is left at the end."""
    with terminal(short_folder, "--unsaved", "--variant", "mini", "--names", "Ada") as table:
        table.wait_until_shown(START_PROMPT.encode())
        assert text(Message("play.page_here_only")) in " ".join(table.shown.decode().split())
        host, port = table.address
        assert host == "127.0.0.1"
        page = http.client.HTTPConnection(host, int(port), timeout=TIMEOUT_SECONDS)
        page.request("GET", "/")
        assert page.getresponse().status == 200
        page.close()
        (folder,) = table.private_folders
        assert folder.stat().st_mode & 0o077 == 0
        with socket.socket(socket.AF_UNIX) as asking:
            asking.connect(str(folder / "pond.sock"))
            hello = json.loads(asking.makefile().readline())
        assert (hello["variant"], hello["names"]["light"]) == ("mini", "Ada")
        table.press(b"\n")
        table.wait_until_shown(b"quit")
        table.press(b"\x03")
        assert table.wait_for_exit() == 0
        assert table.private_folders == []
        wait_for(lambda: is_port_free(host, port))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "code"), [(signal.SIGINT, 130), pytest.param(signal.SIGKILL, -signal.SIGKILL, marks=pytest.mark.long)]
)
def test_early_exit_leaves_no_processes(short_folder, how, code):
    with terminal(short_folder, "--unsaved") as table:
        table.wait_until_shown(START_PROMPT.encode())
        (folder,) = table.private_folders
        if how == signal.SIGINT:
            table.press(b"\x03")
        else:
            table.process.send_signal(how)
        assert table.wait_for_exit() == code
        wait_for(lambda: not folder.exists())
        wait_for(lambda: is_port_free(*table.address))


@pytest.mark.slow
def test_killed_terminal_ends_board_and_page(short_folder):
    with terminal(short_folder, "0.0.0.0", "--unsaved") as table:
        table.wait_until_shown(START_PROMPT.encode())
        assert "▀▀▀▀▀".encode() in table.shown  # the QR code
        (folder,) = table.private_folders
        table.press(b"\n")
        table.wait_until_shown(b"quit")
        table.process.kill()
        table.process.wait()
        wait_for(lambda: not folder.exists())
        wait_for(lambda: is_port_free("127.0.0.1", table.address[1]))


@pytest.mark.slow
def test_board_error_is_shown(short_folder):
    with terminal(short_folder, "--unsaved", "--record", "/nowhere/at/all/evening.box") as table:
        table.wait_until_shown(b"/nowhere/at/all")
        assert table.wait_for_exit() == 2
        assert text(Message("child.board_ended", reason="")).strip() in " ".join(table.shown.decode().split())
        assert table.private_folders == []


@each("words", [["--pieces"], ["--cells", "4"], ["--colours"], ["--turned"], ["--fault", "bounce"]])
def test_screen_only_options_are_refused(words, capsys):
    assert main(["play", "--web", *words]) == 2
    assert capsys.readouterr().err == f"pond: {text(Message('argument.screen_board_only', option=words[0]))}\n"


def test_web_is_refused_with_connect(capsys):
    assert main(["play", "--connect", "--web"]) == 2
    assert capsys.readouterr().err == f"pond: {text(Message('argument.own_game_only', option='--web'))}\n"


@each("words", [["--dark", "level-1"], ["--names", "Ada"], ["--seed", "1"]])
def test_linked_game_is_for_two_people(words, capsys):
    assert main(["play", "--link", "mqtt://broker.example", *words]) == 2
    assert capsys.readouterr().err == f"pond: {text(Message('argument.two_people_only', option=words[0]))}\n"


@pytest.mark.slow
def test_linked_game_starts_with_an_invitation_and_goes_on(short_folder):
    """No broker answers at this address, so both terminals wait."""
    invitation = rb"pond-join:mqtt://127\.0\.0\.1:9/pond/[A-Z2-7-]+"
    with terminal(short_folder, "mqtt://127.0.0.1:9", "--variant", "mini", serving="--link") as table:
        table.wait_until_shown(START_PROMPT.encode())
        first = re.search(invitation, table.shown)[0]
        table.press(b"\r")
        table.wait_until_shown(b"help")
        table.press(b"q")
        assert table.wait_for_exit() == 0
        assert table.private_folders == []
    with terminal(short_folder, serving="--link") as table:
        table.wait_until_shown(START_PROMPT.encode())
        assert re.search(invitation, table.shown)[0] == first
