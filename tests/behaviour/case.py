"""One case: commands that are run one after the other in a folder of their own, and all that came of them."""

import base64
import hashlib
import json
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

LIMIT = 300.0
"""Seconds after which a command is said to hang."""

SHOWN = 100_000
"""Bytes up to which a written file is kept as text, with its times masked; of larger ones only the digest is."""

MARK = "mark9"
"""A cell, and something to ask for, that there is not."""


@dataclass
class Step:
    """One command: its arguments and its input; with `peek` its own files are looked at before it ends and they go."""

    args: list[str]
    given: str = ""
    peek: bool = False


@dataclass
class Case:
    """Input of a recorded run.

    Attributes:
        group, name: what it is called.
        steps: the commands.
        files: what lies in the folder before, by path, in Base64.
        kept: patterns of the files whose content belongs to what comes out.
        masks: patterns of what is different each time, such as how long something took.
    """

    group: str
    name: str
    steps: list[Step]
    files: dict[str, str] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    masks: list[str] = field(default_factory=list)

    def text(self) -> str:
        return json.dumps(asdict(self), indent=1) + "\n"

    @staticmethod
    def read(text: str) -> "Case":
        content_text: dict[str, Any] = json.loads(text)
        return Case(**{**content_text, "steps": [Step(**step) for step in content_text["steps"]]})

    def run(self) -> str:
        """All that comes out, with what is different each time masked."""
        began = datetime.now(UTC)
        with scratch(self.files) as folder:
            out = "".join(_ran(step, folder) for step in self.steps)
            out += "".join(_written(folder, sorted({path for each in self.kept for path in folder.rglob(each)})))
            return _masked(out, folder, {began.date(), datetime.now(UTC).date()}, self.masks)


@contextmanager
def scratch(files: dict[str, str]) -> Iterator[Path]:
    """A folder of its own, with a home in it and these files."""
    with tempfile.TemporaryDirectory(
        prefix="behaviour_", dir="/tmp"
    ) as name:  # as long everywhere, no hyphen: lines are broken
        folder = Path(name)
        for each in ("home", "tmp"):
            (folder / each).mkdir()
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(base64.b64decode(content))
        yield folder


def packed(content: bytes) -> str:
    """The content of a file, as a case holds it."""
    return base64.b64encode(content).decode()


def started(args: list[str], folder: Path) -> subprocess.Popen[bytes]:
    """The `pond` of this checkout, with nothing in its environment that it was not given here."""
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(folder / "home"),
        "TMPDIR": str(folder / "tmp"),
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TZ": "UTC",
        "LANG": "C.UTF-8",
        "COLUMNS": "80",
    }
    command = [sys.executable, "-m", "pond_hw", *args]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=folder, env=environment, stdin=pipe, stdout=pipe, stderr=pipe)


def _ran(step: Step, folder: Path) -> str:
    """Return the output and the exit status of a command as text."""
    process = started([each.replace("<folder>", str(folder)) for each in step.args], folder)
    timer = threading.Timer(LIMIT, process.kill)
    timer.start()
    given, seen, peeked = step.given.encode(errors="surrogateescape"), b"", list[str]()
    if step.peek:
        seen, peeked = _peek(process, given + _mark(step.args), folder)
        given = b""
    out, content_text = process.communicate(given)
    timer.cancel()
    parts = [f"$ pond {' '.join(step.args)}", (seen + out).decode(errors="backslashreplace"), *peeked]
    parts += ["[stderr]", content_text.decode(errors="backslashreplace")] if content_text else []
    return "\n".join([*parts, f"[exit {process.returncode}]", ""])


def _peek(process: "subprocess.Popen[bytes]", given: bytes, folder: Path) -> tuple[bytes, list[str]]:
    """The lines that come out up to the mark, and then what the program has put into its own folder."""
    assert process.stdin
    assert process.stdout
    stdin, seen = process.stdin, b""

    def give() -> None:
        with suppress(BrokenPipeError):  # it has left
            stdin.write(given)
            stdin.flush()

    writer = threading.Thread(target=give)
    writer.start()
    for line in process.stdout:
        if b'"error"' in line and MARK.encode() in line:
            break
        seen += line
    else:
        process.wait()
    writer.join()
    files = sorted(path for path in (folder / "tmp").glob("*/**/*") if path.is_file())
    return seen, [re.sub(r"tmp/[^/\n]+/", "tmp/<x>/", each) for each in _written(folder, files)]


def _mark(args: list[str]) -> bytes:
    """A line whose error tells that everything before it was answered."""
    return b'{"%s":"%s"}\n' % (b"touch" if args[0] == "setup" else b"ask", MARK.encode())


def _written(folder: Path, paths: list[Path]) -> Iterator[str]:
    for path in paths:
        if path.is_file():
            content = path.read_bytes()
            content_text = f"{len(content)} bytes, sha256 {hashlib.sha256(content).hexdigest()}\n"
            if len(content) <= SHOWN and b"\0" not in content:
                content_text = content.decode(errors="backslashreplace")
            yield f"=== {path.relative_to(folder)}\n{content_text}"


def _masked(text: str, folder: Path, days: "set[Any]", more: list[str]) -> str:
    for known, name in {str(folder): "folder", sys.prefix: "python", str(ROOT): "checkout", VERSION: "version"}.items():
        text = text.replace(known, f"<{name}>")
    for day in days | {max(days) + timedelta(days=1)}:
        text = re.sub(rf"{day}([T ]\d\d:\d\d(:\d\d)?)?( UTC|\+00:00)?", "<now>", text)
    for pattern in (r'(?<="uid": ")[0-9a-f]{32}', *more):
        text = re.sub(pattern, "", text)
    return text


def _version() -> str:
    with scratch({}) as folder:
        return started(["-V"], folder).communicate()[0].decode().split()[-1]


VERSION = _version()


def difference(old: str, new: str) -> str:
    """The first line that differs, as it was and as it is, around the place where it begins to."""
    before, after = old.splitlines(), new.splitlines()
    at = next(
        (n for n, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]),
        min(len(before), len(after)),
    )
    lines = [text[at] if at < len(text) else "(nothing more)" for text in (before, after)]
    place = next((n for n, pair in enumerate(zip(*lines, strict=False)) if pair[0] != pair[1]), min(map(len, lines)))
    begin = max(0, place - 80)
    return f", line {at + 1}" + "".join(
        f"\n    {word} {'…' * (begin > 0)}{line[begin : begin + 240]}"
        for word, line in zip(("was", "is "), lines, strict=True)
    )


class Talk:
    """A program that is spoken to line by line.

    Attributes:
        said: the lines it was sent.
        over: whether it has left.
    """

    def __init__(self, args: list[str], folder: Path) -> None:
        self._process = started([each.replace("<folder>", str(folder)) for each in args], folder)
        self._args = args
        self.said: list[str] = []
        self.over = False
        self.first = self._answers()

    def say(self, line: str | dict[str, Any]) -> list[dict[str, Any]]:
        """Send a line; all that it is answered."""
        line = line if isinstance(line, str) else json.dumps(line)
        if self.over:
            return []
        self.said.append(line)
        assert self._process.stdin
        self._process.stdin.write(line.encode(errors="surrogateescape") + b"\n")
        return self._answers()

    def _answers(self) -> list[dict[str, Any]]:
        """What has come; a line that is no part of the talk asks for an error, which is the last."""
        assert self._process.stdin
        assert self._process.stdout
        answers: list[dict[str, Any]] = []
        try:
            self._process.stdin.write(_mark(self._args))
            self._process.stdin.flush()
        except BrokenPipeError:
            self.over = True
        for line in self._process.stdout:
            answer = json.loads(line)
            if answer["type"] == "error" and MARK in answer["message"]:
                return answers
            answers.append(answer)
        self.over = True
        return answers

    def end(self) -> Step:
        """Let it end; the command with what it was sent."""
        self._process.communicate()
        return Step(self._args, "".join(f"{line}\n" for line in self.said))
