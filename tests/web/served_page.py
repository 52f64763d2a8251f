"""A served board and the page beside it, both real processes; fingers come over the socket, and phones by the page."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException

from tests.waiting import wait_for
from tests.web.browser import HOME, PATIENCE


def _start(*arguments, state_folder):
    command = [sys.executable, "-m", "pond_hw", *map(str, arguments)]
    environment = {**os.environ, "STATE_DIRECTORY": str(state_folder)}  # seats and games are this table's own
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)


def _free_port():
    with socket.create_server((HOME, 0)) as taken:
        return taken.getsockname()[1]


class ServedPage:
    """A board, its socket, and its page.

    Args:
        folder: where the socket is made.
        board: more for `pond serve`, such as `--variant mini`. Games are kept where --journal says, or not at all.
        page: more for `pond web`.
    """

    def __init__(self, folder, *board, page=("--spectators",)):
        self.folder, self.path, self.port = folder, folder / "pond.sock", _free_port()
        self.board_options, self.page_options = board, page
        self.processes = []
        try:
            self.begin_board()
            self.begin_page()
            wait_for(self.is_laid)
        except BaseException:
            self.close()
            raise

    @property
    def address(self):
        return f"http://{HOME}:{self.port}/"

    def begin_board(self):
        self.board = self._begin("serve", "--board", "simulated-4x4", "--socket", self.path, *self.board_options)

    def begin_page(self):
        self.page = self._begin("web", *self.page_options, "--port", self.port, "--socket", self.path)

    def _begin(self, *arguments):
        self.processes.append(_start(*arguments, state_folder=self.folder))
        return self.processes[-1]

    def is_laid(self):
        """Whether the board can be connected to, and the page answers and has heard of the board."""
        for process in (self.board, self.page):
            assert process.poll() is None, process.stderr.read()
        return self.path.exists() and "gone" not in self.read_messages()

    def read_messages(self):
        """What the page comes with, by its type; that the board is gone, as long as nothing answers."""
        with suppress(OSError, HTTPException), closing(HTTPConnection(HOME, self.port, timeout=PATIENCE)) as visitor:
            visitor.request("GET", "/")
            answer = visitor.getresponse()
            if answer.status == 200:
                (messages,) = re.findall('id="beginning"[^>]*>(.*?)</script>', answer.read().decode(), re.DOTALL)
                return {message["type"]: message for message in json.loads(messages)}
        return {"gone": {}}

    def call(self):
        """A program connects to the socket."""
        return SocketClient(self.path)

    def press(self, *cells):
        """A finger touches these cells, one after the other."""
        with self.call() as finger:
            for cell in cells:
                finger.says({"touch": cell})

    def kill_board(self):
        """The power of the board goes; that of the page stays."""
        self.board.send_signal(signal.SIGKILL)
        self.board.wait(PATIENCE)

    def kill_page(self):
        """The page's process goes, and has no time to say so."""
        self.page.send_signal(signal.SIGKILL)
        self.page.wait(PATIENCE)

    def close(self):
        for process in self.processes:
            if process.poll() is None:
                process.terminate()
        for process in self.processes:
            process.communicate(timeout=PATIENCE)


class SocketClient:
    """A program at the socket of the board: it says lines, and hears all that comes."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(os.fspath(path))
        self.lines = self.socket.makefile("r", encoding="utf-8")
        self.hello = self.hears("hello")
        self.state = self.hears("state")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lines.close()
        self.socket.close()

    def hears(self, kind):
        """The next line of this kind."""
        for line in self.lines:
            heard = json.loads(line)
            if heard["type"] == "state":
                self.state = heard
            if heard["type"] == kind:
                return heard
        raise AssertionError(f"no {kind} came")

    def says(self, line):
        """Says a line; gives the state after it."""
        self.socket.sendall(json.dumps(line).encode() + b"\n" + b'{"ask":"frame"}\n')
        self.frame = self.hears("frame")  # whatever the line did has been told by then
        return self.state
