"""Recorded protocol conversations, as text.

Each file in `transcripts/` contains one conversation:

    $ pond headless --variant mini             the command; a served board gets its own socket
    < {"type":"hello", ...}                    a line sent by the program
    > {"command":"undo"}                       a line sent to the program
    phone > {"ask":"state"}                    a line from a named client of a served board; the first one connects it
    phone < {"type":"state", ...}              a line sent to that client
    ~ 0.8                                      wait 0.8 s of real time; only for a served board
    # ...                                      a comment

Lines are compared as text, so the order of the fields in a message counts. To add a conversation, write the command and
the lines sent to the program, run `python -m tests.behaviour replay --update NAME`, and check the result. On a served
board, times, signs and lit cells are masked. In a line sent to the program, `{lit}` stands for the cell that the board
asks for.
"""

from __future__ import annotations

import json
import re
import socket
import subprocess
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from tests.behaviour.case import MARK, STEP_TIMEOUT_SECONDS, VERSION, describe_difference, start_pond, temporary_folder

TRANSCRIPTS = Path(__file__).with_name("transcripts")
JOIN_SECONDS = 60.0

MASKS = (
    (r'"(t|at|until|since)":\d+(?:\.\d+)?(?:e-\d+)?', r'"\1":<instant>'),
    (r'"asks":\{"cell":"[a-e][1-5]"', '"asks":{"cell":"<lit>"'),
    (r'"sign":\{[^}]*\}', '"sign":<sign>'),
    (r'"permission\.sign\.\w+","arguments":\{"number":\d+\}', '"permission.sign.<sign>"'),
    (r"It shows an? \w+ \d+\.", "It shows <sign>."),
)
"""Patterns of values that differ in each run on a served board, with their replacements."""

MARK_LINE = json.dumps({"ask": MARK}).encode() + b"\n"


def find_transcripts() -> list[Path]:
    """Return the files of the recorded conversations."""
    return sorted(TRANSCRIPTS.glob("*.txt"))


def replay(text: str) -> str:
    """Replay a conversation, and return its new text."""
    command = re.search(r"^\$ pond (.*)$", text, re.MULTILINE)
    assert command, "a transcript names its command"
    args = command[1].split()
    with ExitStack() as stack:
        folder = stack.enter_context(temporary_folder({}))
        conversation = (ServedConversation if args[0] == "serve" else Conversation)(args, folder, stack)
        return "\n".join(_replay_lines(text, conversation)).replace(VERSION, "<version>") + "\n"


def _replay_lines(text: str, conversation: Conversation) -> Iterable[str]:
    for line in text.splitlines():
        if spoken := re.fullmatch(r"((?:\w+ )?)> (.*)", line):
            name = spoken[1].strip()
            yield from conversation.join(name)
            yield line
            yield from conversation.send(name, spoken[2])
        elif wait := re.fullmatch(r"~ (\S+)", line):
            yield line
            sleep(float(wait[1]))
        elif not re.match(r"(\w+ )?< ", line):
            yield line


class Conversation:
    """A conversation with `pond headless`."""

    def __init__(self, args: list[str], folder: Path, stack: ExitStack) -> None:
        self._folder, self._stack = folder, stack
        self._process = self._start(args)
        self._first: list[str] | None = None

    def _start(self, args: list[str]) -> subprocess.Popen[bytes]:
        process = self._stack.enter_context(start_pond(args, self._folder))
        timer = threading.Timer(STEP_TIMEOUT_SECONDS, process.kill)
        timer.start()
        self._stack.callback(timer.cancel)
        self._stack.callback(process.terminate)
        return process

    def join(self, name: str) -> list[str]:
        """Return the lines that a client receives before it sends any."""
        if self._first is not None:
            return []
        assert not name, "only a served board has named clients"
        self._first = self.send(name, None)
        return self._first

    def send(self, _: str, line: str | None) -> list[str]:
        """Send a line, and return the lines received."""
        assert self._process.stdin
        assert self._process.stdout
        given = b"" if line is None else line.encode() + b"\n"
        self._process.stdin.write(given + MARK_LINE)
        self._process.stdin.flush()
        return [f"< {answer}" for answer in _read_to_mark(self._process.stdout.readline)]


class ServedConversation(Conversation):
    """A conversation between several clients and `pond serve`."""

    def __init__(self, args: list[str], folder: Path, stack: ExitStack) -> None:
        self._socket = folder / "pond.sock"
        self._clients: dict[str, tuple[Callable[[bytes], Any], Callable[[], bytes]]] = {}
        self._lit = ""
        super().__init__([*args, "--socket", str(self._socket)], folder, stack)

    def join(self, name: str) -> list[str]:
        if name in self._clients:
            return []
        assert name, "a client of a served board has a name"
        connection = self._stack.enter_context(socket.socket(socket.AF_UNIX))
        connection.settimeout(STEP_TIMEOUT_SECONDS)
        until = monotonic() + JOIN_SECONDS
        while connection.connect_ex(str(self._socket)) != 0:
            assert monotonic() < until, "the board is not served"
            assert self._process.poll() is None, "the service has ended"
            sleep(0.02)
        self._clients[name] = connection.sendall, self._stack.enter_context(connection.makefile("rb")).readline
        return self._listen()

    def send(self, name: str, line: str | None) -> list[str]:
        send, _ = self._clients[name]
        send((line or "").replace("{lit}", self._lit).encode() + b"\n")
        return self._listen([name, *(each for each in self._clients if each != name)])

    def _listen(self, names: Sequence[str] = ()) -> list[str]:
        """Return the lines sent to each client. Listen twice, because an event can have effects one step later."""
        heard: dict[str, list[str]] = {name: [] for name in names or self._clients}
        for _ in range(2):
            for name, answers in heard.items():
                send, read_line = self._clients[name]
                send(MARK_LINE)
                answers.extend(_read_to_mark(read_line))
        return [f"{name} < {self._mask(answer)}" for name, answers in heard.items() for answer in answers]

    def _mask(self, answer: str) -> str:
        if asks := json.loads(answer).get("asks"):
            self._lit = asks["cell"]
        for pattern, replacement in MASKS:
            answer = re.sub(pattern, replacement, answer)
        return answer


def _read_to_mark(read_line: Callable[[], bytes]) -> Iterable[str]:
    """Yield lines until the error that answers the mark."""
    while line := read_line().decode().rstrip("\n"):
        if '"error"' in line and MARK in line:
            return
        yield line
    yield "(end)"


def find_difference(path: Path) -> str:
    """Replay a recorded conversation. Return the difference, or an empty string."""
    recorded = path.read_text()
    now = replay(recorded)
    return "" if now == recorded else path.name + describe_difference(recorded, now)


def replay_all(names: Sequence[str] = (), *, update: bool = False) -> int:
    """Replay the recorded conversations, and print or record the differences. Return 1 if there are any."""
    differ = 0
    for path in find_transcripts():
        if names and path.stem not in names:
            continue
        if update:
            path.write_text(replay(path.read_text()))
        elif found := find_difference(path):
            differ += 1
            print(found)
    if not update:
        print(f"recorded conversations: {differ} differ" if differ else "recorded conversations: all as recorded")
    return int(differ > 0)
