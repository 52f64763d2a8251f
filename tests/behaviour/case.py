"""A test case: commands that run one after the other in a temporary folder, and their results."""

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

STEP_TIMEOUT_SECONDS = 300.0
"""Seconds before a command is considered to hang."""

MAX_STORED_BYTES = 100_000
"""Maximum size in bytes of a written file to store as text, with times masked. For a larger file, store only the digest."""

MARK = "mark9"
"""Name of a cell and a request that don't exist. The error about it shows that all earlier lines have been answered."""


@dataclass
class Step:
    """A command with its arguments and input. With `peek`, its temporary files are read before it ends and deletes them."""

    args: list[str]
    given: str = ""
    peek: bool = False


@dataclass
class Case:
    """Input of a recorded run.

    Attributes:
        group, name: identification.
        steps: commands to run.
        files: files in the folder at the start, by path, in Base64.
        kept: patterns of the files whose content is part of the result.
        masks: patterns of values that differ in each run, such as durations.
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
        """Return the results, with the values that differ in each run masked."""
        began = datetime.now(UTC)
        with temporary_folder(self.files) as folder:
            out = "".join(_run_step(step, folder) for step in self.steps)
            out += "".join(_read_files(folder, sorted({path for each in self.kept for path in folder.rglob(each)})))
            return _mask_values(out, folder, {began.date(), datetime.now(UTC).date()}, self.masks)


@contextmanager
def temporary_folder(files: dict[str, str]) -> Iterator[Path]:
    """Create a temporary folder that contains a home folder and these files."""
    with tempfile.TemporaryDirectory(
        prefix="behaviour_", dir="/tmp"
    ) as name:  # always of the same length and without hyphens, because lines are wrapped
        folder = Path(name)
        for each in ("home", "tmp"):
            (folder / each).mkdir()
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(base64.b64decode(content))
        yield folder


def encode_content(content: bytes) -> str:
    """Encode the content of a file for `Case.files`."""
    return base64.b64encode(content).decode()


def start_pond(args: list[str], folder: Path) -> subprocess.Popen[bytes]:
    """Start the `pond` of this checkout with a minimal environment."""
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


def _run_step(step: Step, folder: Path) -> str:
    """Run a command. Return its output and exit status as text."""
    process = start_pond([each.replace("<folder>", str(folder)) for each in step.args], folder)
    timer = threading.Timer(STEP_TIMEOUT_SECONDS, process.kill)
    timer.start()
    given, seen, peeked = step.given.encode(errors="surrogateescape"), b"", list[str]()
    if step.peek:
        seen, peeked = _peek(process, given + _mark_line(step.args), folder)
        given = b""
    out, content_text = process.communicate(given)
    timer.cancel()
    parts = [f"$ pond {' '.join(step.args)}", (seen + out).decode(errors="backslashreplace"), *peeked]
    parts += ["[stderr]", content_text.decode(errors="backslashreplace")] if content_text else []
    return "\n".join([*parts, f"[exit {process.returncode}]", ""])


def _peek(process: "subprocess.Popen[bytes]", given: bytes, folder: Path) -> tuple[bytes, list[str]]:
    """Return the output up to the mark, then the files in the program's temporary folder."""
    assert process.stdin
    assert process.stdout
    stdin, seen = process.stdin, b""

    def give() -> None:
        with suppress(BrokenPipeError):  # it has exited
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
    return seen, [re.sub(r"tmp/[^/\n]+/", "tmp/<x>/", each) for each in _read_files(folder, files)]


def _mark_line(args: list[str]) -> bytes:
    """Return a line that causes an error, which shows that all earlier lines have been answered."""
    return b'{"%s":"%s"}\n' % (b"touch" if args[0] == "setup" else b"ask", MARK.encode())


def _read_files(folder: Path, paths: list[Path]) -> Iterator[str]:
    for path in paths:
        if path.is_file():
            content = path.read_bytes()
            content_text = f"{len(content)} bytes, sha256 {hashlib.sha256(content).hexdigest()}\n"
            if len(content) <= MAX_STORED_BYTES and b"\0" not in content:
                content_text = content.decode(errors="backslashreplace")
            yield f"=== {path.relative_to(folder)}\n{content_text}"


def _mask_values(text: str, folder: Path, days: "set[Any]", more: list[str]) -> str:
    for known, name in {str(folder): "folder", sys.prefix: "python", str(ROOT): "checkout", VERSION: "version"}.items():
        text = text.replace(known, f"<{name}>")
    for day in days | {max(days) + timedelta(days=1)}:
        text = re.sub(rf"{day}([T ]\d\d:\d\d(:\d\d)?)?( UTC|\+00:00)?", "<now>", text)
    for pattern in (r'(?<="uid": ")[0-9a-f]{32}', *more):
        text = re.sub(pattern, "", text)
    return text


def _version() -> str:
    with temporary_folder({}) as folder:
        return start_pond(["-V"], folder).communicate()[0].decode().split()[-1]


VERSION = _version()


def describe_difference(old: str, new: str) -> str:
    """Return the first line that differs, old and new, cut to the part around the first difference."""
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


class LineClient:
    """Line-by-line conversation with a program.

    Attributes:
        sent_lines: lines sent to the program.
        has_exited: True if the program has exited.
    """

    def __init__(self, args: list[str], folder: Path) -> None:
        self._process = start_pond([each.replace("<folder>", str(folder)) for each in args], folder)
        self._args = args
        self.sent_lines: list[str] = []
        self.has_exited = False
        self.first_answers = self._read_answers()

    def send(self, line: str | dict[str, Any]) -> list[dict[str, Any]]:
        """Send a line, and return the answers."""
        line = line if isinstance(line, str) else json.dumps(line)
        if self.has_exited:
            return []
        self.sent_lines.append(line)
        assert self._process.stdin
        self._process.stdin.write(line.encode(errors="surrogateescape") + b"\n")
        return self._read_answers()

    def _read_answers(self) -> list[dict[str, Any]]:
        """Return all answers so far. An invalid line is sent, and its error message comes last."""
        assert self._process.stdin
        assert self._process.stdout
        answers: list[dict[str, Any]] = []
        try:
            self._process.stdin.write(_mark_line(self._args))
            self._process.stdin.flush()
        except BrokenPipeError:
            self.has_exited = True
        for line in self._process.stdout:
            answer = json.loads(line)
            if answer["type"] == "error" and MARK in answer["message"]:
                return answers
            answers.append(answer)
        self.has_exited = True
        return answers

    def finish(self) -> Step:
        """End the program, and return its command with the input."""
        self._process.communicate()
        return Step(self._args, "".join(f"{line}\n" for line in self.sent_lines))
