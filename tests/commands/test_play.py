"""`pond play --web`: a board and the page beside a terminal, which end with it however it ends."""

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
from tests.conftest import each, lacks, need
from tests.messages.says import text
from tests.waiting import wait_for

if sys.platform == "win32":
    lacks("needs a Unix")
need("uvicorn", "it serves the page")
need("segno", "it draws the QR code")

PATIENCE = 30.0
BEGIN = text(Message("play.begin"))


class Terminal:
    """`pond play --web`, or with another option that has a board served, in a terminal."""

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

    def see(self, sign):
        """Wait until something is shown."""
        until = monotonic() + PATIENCE
        while sign not in self.shown:
            shows_on = self.read() and monotonic() < until
            assert shows_on, self.shown.decode(errors="replace")[-2000:]

    def read(self):
        """Read what is shown, for a moment; False if it has ended."""
        try:
            if select.select([self.outer], [], [], 0.1)[0]:
                self.shown += os.read(self.outer, 1 << 16)
        except OSError:
            return False
        return True

    def press(self, keys):
        os.write(self.outer, keys)

    def end(self):
        """The exit code; what is shown until then is read, so that nobody waits for us."""
        until = monotonic() + PATIENCE
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
    begun = Terminal(folder, *words, serving=serving)
    try:
        yield begun
    finally:
        begun.close()


@pytest.fixture
def short(folder):
    """A folder whose name is short enough for a socket in a folder in it."""
    return Path(folder)


def nothing_runs(host, port):
    """True if nobody listens there."""
    try:
        socket.create_connection((host, int(port)), timeout=1).close()
    except OSError:
        return True
    return False


@pytest.mark.slow
def test_an_evening_on_a_laptop(short):
    """The page is there, the terminal plays on the same board, and in the end nothing is left."""
    with terminal(short, "--unsaved", "--variant", "mini", "--names", "Ada") as table:
        table.see(BEGIN.encode())
        assert text(Message("play.page_here_only")) in " ".join(table.shown.decode().split())
        host, port = table.address
        assert host == "127.0.0.1"
        page = http.client.HTTPConnection(host, int(port), timeout=PATIENCE)
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
        table.see(b"quit")
        table.press(b"\x03")
        assert table.end() == 0
        assert table.private_folders == []
        wait_for(lambda: nothing_runs(host, port))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "code"), [(signal.SIGINT, 130), pytest.param(signal.SIGKILL, -signal.SIGKILL, marks=pytest.mark.long)]
)
def test_whoever_leaves_before_it_begins_leaves_nothing(short, how, code):
    with terminal(short, "--unsaved") as table:
        table.see(BEGIN.encode())
        (folder,) = table.private_folders
        if how == signal.SIGINT:
            table.press(b"\x03")
        else:
            table.process.send_signal(how)
        assert table.end() == code
        wait_for(lambda: not folder.exists())
        wait_for(lambda: nothing_runs(*table.address))


@pytest.mark.slow
def test_a_terminal_that_is_killed_takes_all_with_it(short):
    with terminal(short, "0.0.0.0", "--unsaved") as table:
        table.see(BEGIN.encode())
        assert "▀▀▀▀▀".encode() in table.shown  # the QR code
        (folder,) = table.private_folders
        table.press(b"\n")
        table.see(b"quit")
        table.process.kill()
        table.process.wait()
        wait_for(lambda: not folder.exists())
        wait_for(lambda: nothing_runs("127.0.0.1", table.address[1]))


@pytest.mark.slow
def test_what_the_board_does_not_take_is_told_in_its_words(short):
    with terminal(short, "--unsaved", "--record", "/nowhere/at/all/evening.box") as table:
        table.see(b"/nowhere/at/all")
        assert table.end() == 2
        assert text(Message("child.board_ended", reason="")).strip() in " ".join(table.shown.decode().split())
        assert table.private_folders == []


@each("words", [["--pieces"], ["--cells", "4"], ["--colours"], ["--turned"], ["--fault", "bounce"]])
def test_options_of_a_board_that_is_only_on_the_screen_are_refused(words, capsys):
    assert main(["play", "--web", *words]) == 2
    assert capsys.readouterr().err == f"pond: {text(Message('argument.screen_board_only', option=words[0]))}\n"


def test_whoever_joins_a_board_serves_no_page_of_it(capsys):
    assert main(["play", "--connect", "--web"]) == 2
    assert capsys.readouterr().err == f"pond: {text(Message('argument.own_game_only', option='--web'))}\n"
