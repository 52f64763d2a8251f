"""Child processes that run Pond commands, and end when this process ends for any reason.

This module is also their entry point. `python -m pond_hw.commands.child_programs FOLDER COMMAND ...` runs a command
until standard input ends. If the parent was killed, the child deletes the folder.
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

POLL_SECONDS = 0.05


class ChildProgram:
    """Child process that runs a Pond command. Its output goes to files in a folder shared with other children."""

    def __init__(self, folder: Path, arguments: Sequence[str]) -> None:
        self._command = arguments[0]
        self._output_path, self._error_path = (folder / f"{arguments[0]}.{kind}" for kind in ("out", "log"))
        command = [sys.executable, "-m", __name__, str(folder), *arguments]
        extra_environment = {"STATE_DIRECTORY": str(folder)} if arguments[0] == "web" else {}
        with self._output_path.open("wb") as output, self._error_path.open("wb") as error_output:
            self._process = subprocess.Popen(
                command,
                env=os.environ | extra_environment,
                stdin=subprocess.PIPE,  # Closes when this program ends, even if it is killed.
                stdout=output,
                stderr=error_output,
                start_new_session=True,  # Ctrl-C must only reach this program.
            )

    def read_output(self) -> list[str]:
        """Return the complete lines printed so far."""
        return self._output_path.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]

    def wait_until(self, is_ready: Callable[[], object]) -> None:
        """Wait until a condition is true. Raise PondError if the program ends or takes too long."""
        deadline = monotonic() + START_SECONDS
        while not is_ready():
            if self._process.poll() is not None:
                message_id = "child.board_ended" if self._command == "serve" else "child.ended"
                raise PondError(Message(message_id, reason=self._find_reason()))
            if monotonic() > deadline:
                raise PondError(Message("child.too_slow"))
            sleep(POLL_SECONDS)

    def stop(self) -> None:
        """Ask the program to end, and kill it if it does not."""
        assert self._process.stdin
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _find_reason(self) -> str:
        """Return the last line of standard error, or the exit code."""
        lines = self._error_path.read_text(encoding="utf-8", errors="replace").splitlines()
        reasons = [line.removeprefix("pond: ") for line in lines if line.strip()]
        return replace_unprintable(reasons[-1]) if reasons else str(self._process.returncode)


class ChildPrograms:
    """Child processes that share a private folder."""

    def __init__(self, folder: Path, exit_stack: ExitStack) -> None:
        self.folder = folder
        self._exit_stack = exit_stack

    def start(self, *arguments: str) -> ChildProgram:
        program = ChildProgram(self.folder, arguments)
        self._exit_stack.callback(program.stop)
        return program


@contextmanager
def open_child_programs() -> Iterator[ChildPrograms]:
    """Create a folder for child programs. On exit, stop the programs and delete the folder."""
    with ExitStack() as exit_stack:
        folder = Path(tempfile.mkdtemp(prefix="pond-"))
        exit_stack.callback(shutil.rmtree, folder, ignore_errors=True)
        yield ChildPrograms(folder, exit_stack)


def main(arguments: Sequence[str]) -> int:
    """Run a Pond command until standard input ends. Return the exit code."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # The command may install its own handler later.
    folder, *command = arguments
    parent = os.getppid()

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
        if os.getppid() != parent:  # The parent was killed and cannot clean up.
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
