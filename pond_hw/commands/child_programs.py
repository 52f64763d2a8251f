"""Programs of Pond that run beside this one and end with it, however it ends.

As a program itself (`python -m pond_hw.commands.child_programs FOLDER COMMAND ...`) it is one of them: it runs a command of Pond
until standard input ends. If the program that it was beside was killed, it clears the folder away.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

from pond_hw.messages.message import Message
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.rules import PondError

START_SECONDS, STOP_SECONDS = 30.0, 5.0
"""How long a program may take to start and to stop."""

LOOK_SECONDS = 0.05


class ChildProgram:
    """A program that runs beside this one.

    Args:
        folder: a private folder of this program and those beside it, in which it may keep things.
        arguments: the command of Pond and what it takes.
    """

    def __init__(self, folder: Path, arguments: Sequence[str]) -> None:
        self._command = arguments[0]
        self._output, self._complaints = (folder / f"{arguments[0]}.{kind}" for kind in ("out", "log"))
        command = [sys.executable, "-m", __name__, str(folder), *arguments]
        own_state = {"STATE_DIRECTORY": str(folder)} if arguments[0] == "web" else {}
        with self._output.open("wb") as output, self._complaints.open("wb") as complaints:
            self._process = subprocess.Popen(
                command,
                env=os.environ | own_state,
                stdin=subprocess.PIPE,  # which ends when this program does
                stdout=output,
                stderr=complaints,
                start_new_session=True,  # Ctrl-C is for this program
            )

    def read_output(self) -> list[str]:
        """The whole lines that it has printed so far."""
        return self._output.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]

    def wait_until(self, is_ready: Callable[[], object]) -> None:
        """Wait until something is so.

        Raises:
            PondError: it has ended before, or takes too long.
        """
        give_up_at = monotonic() + START_SECONDS
        while not is_ready():
            if self._process.poll() is not None:
                message_id = "child.board_ended" if self._command == "serve" else "child.ended"
                raise PondError(Message(message_id, reason=self._find_reason()))
            if monotonic() > give_up_at:
                raise PondError(Message("child.too_slow"))
            sleep(LOOK_SECONDS)

    def stop(self) -> None:
        """Let it end, and wait until it has."""
        assert self._process.stdin
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _find_reason(self) -> str:
        """The last that it said before it ended."""
        lines = self._complaints.read_text(encoding="utf-8", errors="replace").splitlines()
        reasons = [line.removeprefix("pond: ") for line in lines if line.strip()]
        return replace_unprintable(reasons[-1]) if reasons else str(self._process.returncode)


class ChildPrograms:
    """All that runs beside this program, in a private folder.

    Attributes:
        folder: that folder.
    """

    def __init__(self, folder: Path, exit_stack: ExitStack) -> None:
        self.folder = folder
        self._exit_stack = exit_stack

    def start(self, *arguments: str) -> ChildProgram:
        """Start a program: the command of Pond and what it takes."""
        program = ChildProgram(self.folder, arguments)
        self._exit_stack.callback(program.stop)
        return program


@contextmanager
def open_child_programs() -> Iterator[ChildPrograms]:
    """A place for programs that run as long as the context lasts."""
    with ExitStack() as exit_stack:
        folder = Path(tempfile.mkdtemp(prefix="pond-"))
        exit_stack.callback(shutil.rmtree, folder, ignore_errors=True)
        yield ChildPrograms(folder, exit_stack)


def main(arguments: Sequence[str]) -> int:
    """Run a command of Pond until standard input ends; the exit code."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # until the command has a way of its own to end
    folder, *command = arguments
    starter = os.getppid()

    def end_with_input() -> None:
        with suppress(OSError):
            while os.read(0, 4096):
                pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=end_with_input, daemon=True).start()
    from pond_hw.commands.main import main as run_pond

    try:
        return run_pond(command)
    finally:
        if os.getppid() != starter:  # which was killed, and clears nothing away any more
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
