"""Runs the whole program in a pseudo-terminal with 80 columns and 24 rows."""

import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

from tests.conftest import skip_outside_ci


class PseudoTerminal:
    """A `pond` process in its own terminal.

    Attributes:
        pid: process ID.
        shown: all output so far.
    """

    def __init__(self, *words):
        try:
            self.pid, self._terminal = pty.fork()
        except OSError as error:
            skip_outside_ci(f"needs a pseudo-terminal: {error}")
        if not self.pid:
            os.execv(sys.executable, [sys.executable, "-m", "pond_hw", *words])
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self._settings = termios.tcgetattr(self._terminal)
        self.shown = b""

    def type(self, keys):
        os.write(self._terminal, keys)

    def wait_for(self, wanted, seconds=20.0):
        """Read output until it contains a text, or until the program ends if the text is None."""
        begun, end = len(self.shown), time.monotonic() + seconds
        while not (wanted and wanted in self.shown[begun:]):
            assert time.monotonic() < end, self.shown[-2000:]
            if select.select([self._terminal], [], [], 0.2)[0]:
                try:
                    self.shown += os.read(self._terminal, 1 << 16)
                except OSError:  # the terminal is closed
                    break

    def leave(self, exit_input):
        """End the program with keys or a signal, and check that it restores the terminal."""
        if isinstance(exit_input, bytes):
            self.type(exit_input)
        else:
            os.kill(self.pid, exit_input)
        self.wait_for(None)
        _, status = os.waitpid(self.pid, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        assert b"Traceback" not in self.shown
        assert b"\x1b[?1049l" in self.shown  # back from the alternate screen
        assert b"\x1b[?25h" in self.shown  # cursor visible again
        assert termios.tcgetattr(self._terminal) == self._settings
        os.close(self._terminal)
