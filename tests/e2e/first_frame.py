"""Run a command in a pseudo-terminal until the board is drawn, then quit with Ctrl-C: `first_frame.py make play`.

This script needs only Python, because it runs where nothing has been installed yet.
"""

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time

TIMEOUT_SECONDS = 1800
"""Maximum time in seconds until the board is drawn. First, `make play` sets up a virtual environment, maybe on emulated
hardware.
"""

KEYS = b"quit"
"""Key label shown below a drawn board."""

ALTERNATE_SCREEN = b"\x1b[?1049h"
"""Escape sequence that switches to the alternate screen."""


def main(command: list[str]) -> int:
    """Run the command. Return 0 if the board was drawn and Ctrl-C ended the command without an error."""
    child, terminal = pty.fork()
    if not child:
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    began = time.monotonic()
    shown = read(terminal, began + TIMEOUT_SECONDS, lambda shown: KEYS in shown.partition(ALTERNATE_SCREEN)[2])
    before, seen, _ = shown.partition(ALTERNATE_SCREEN)
    sys.stdout.write(re.sub(r"\r(\x1b\[K|\n)?", "\n", before.decode(errors="replace")))
    if not seen or KEYS not in shown:
        print(f"failed: no board was seen after {time.monotonic() - began:.0f} s\n{shown[-2000:]!r}")
        os.close(terminal)
        return 1
    print(f"the first frame was there after {time.monotonic() - began:.0f} s")
    os.write(terminal, b"\x03")
    left = read(terminal, time.monotonic() + 120)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code or b"Traceback" in left:
        print(f"failed: it ended with {code}\n{left[-2000:]!r}")
    return 1 if b"Traceback" in left else code


def read(terminal: int, until: float, enough=lambda shown: False) -> bytes:
    """Read the output until a condition is true, the program ends, or the time is up."""
    shown = b""
    while not enough(shown) and (rest := until - time.monotonic()) > 0:
        if select.select([terminal], [], [], rest)[0]:
            try:
                new = os.read(terminal, 1 << 16)
            except OSError:
                break
            if not new:
                break
            shown += new
    return shown


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
