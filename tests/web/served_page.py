"""A served board and its page, both as real processes."""

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
from tests.web.browser import LOCALHOST, PATIENCE


def _start(*arguments, state_folder):
    command = [sys.executable, "-m", "pond_hw", *map(str, arguments)]
    environment = {**os.environ, "STATE_DIRECTORY": str(state_folder)}  # own seats and games
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)


def _free_port():
    with socket.create_server((LOCALHOST, 0)) as taken:
        return taken.getsockname()[1]


class ServedPage:
    """A board, its socket, and its page.

    Args:
        folder: folder of the socket.
        board: more options for `pond serve`, such as `--variant mini`. Games are saved only with --journal.
        page: options for `pond web`.
    """

    def __init__(self, folder, *board, page=("--spectators",)):
        self.folder, self.path, self.port = folder, folder / "pond.sock", _free_port()
        self.board_options, self.page_options = board, page
        self.processes = []
        try:
            self.start_board()
            self.start_page()
            wait_for(self.is_ready)
        except BaseException:
            self.close()
            raise

    @property
    def address(self):
        return f"http://{LOCALHOST}:{self.port}/"

    def start_board(self):
        self.board = self._begin("serve", "--board", "simulated-4x4", "--socket", self.path, *self.board_options)

    def start_page(self):
        self.page = self._begin("web", *self.page_options, "--port", self.port, "--socket", self.path)

    def _begin(self, *arguments):
        self.processes.append(_start(*arguments, state_folder=self.folder))
        return self.processes[-1]

    def is_ready(self):
        """Return True if the board accepts connections and the page shows it."""
        for process in (self.board, self.page):
            assert process.poll() is None, process.stderr.read()
        return self.path.exists() and "gone" not in self.read_messages()

    def read_messages(self):
        """Return the messages contained in the page, by type; just `gone` if the page cannot be loaded."""
        with (
            suppress(OSError, HTTPException),
            closing(HTTPConnection(LOCALHOST, self.port, timeout=PATIENCE)) as visitor,
        ):
            visitor.request("GET", "/")
            answer = visitor.getresponse()
            if answer.status == 200:
                (messages,) = re.findall('id="beginning"[^>]*>(.*?)</script>', answer.read().decode(), re.DOTALL)
                return {message["type"]: message for message in json.loads(messages)}
        return {"gone": {}}

    def connect(self):
        """Connect a program to the board's socket."""
        return SocketClient(self.path)

    def press(self, *cells):
        """Touch these cells in order."""
        with self.connect() as finger:
            for cell in cells:
                finger.send({"touch": cell})

    def kill_board(self):
        """Kill the board, but not the page."""
        self.board.send_signal(signal.SIGKILL)
        self.board.wait(PATIENCE)

    def kill_page(self):
        """Kill the page, so that it cannot close its connections."""
        self.page.send_signal(signal.SIGKILL)
        self.page.wait(PATIENCE)

    def close(self):
        for process in self.processes:
            if process.poll() is None:
                process.terminate()
        for process in self.processes:
            process.communicate(timeout=PATIENCE)


class SocketClient:
    """A program connected to the board's socket."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(os.fspath(path))
        self.lines = self.socket.makefile("r", encoding="utf-8")
        self.hello = self.receive("hello")
        self.state = self.receive("state")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lines.close()
        self.socket.close()

    def receive(self, kind):
        """Return the next line of this type."""
        for line in self.lines:
            heard = json.loads(line)
            if heard["type"] == "state":
                self.state = heard
            if heard["type"] == kind:
                return heard
        raise AssertionError(f"no {kind} came")

    def send(self, line):
        """Send a line. Return the state after it."""
        self.socket.sendall(json.dumps(line).encode() + b"\n" + b'{"ask":"frame"}\n')
        self.frame = self.receive("frame")  # by then all other answers have arrived
        return self.state


class FarHome:
    """The program of the link, controlled by the test."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.lines = self.socket.makefile()

    def send(self, *lines):
        self.socket.sendall("".join(json.dumps(line) + "\n" for line in lines).encode())

    def leave(self):
        self.lines.close()
        self.socket.close()

    def read_wish(self):
        return next(line for line in map(json.loads, self.lines) if line["type"] == "wish")
