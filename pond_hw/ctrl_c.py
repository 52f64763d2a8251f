"""Ctrl-C while there is nothing to put away: the process ends at once, and quietly."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells have it."""


def leave_at_once(*_: int | FrameType | None) -> None:
    """Leave while there is nothing to put away, with the prompt on a line of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # some press it more than once
    if os.isatty(2):
        os.write(2, b"\n")
    os._exit(INTERRUPTED)


@contextmanager
def ctrl_c_leaves_at_once() -> Iterator[None]:
    """For imports of compiled packages: some end in a crash if an exception stops them half way."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is not signal.default_int_handler:  # in the background nobody presses Ctrl-C
        yield
        return
    signal.signal(signal.SIGINT, leave_at_once)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
