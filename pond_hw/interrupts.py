"""Handling of Ctrl-C and termination signals, and exits that skip library clean-up.

A single press of Ctrl-C is enough, and further presses do no harm.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130
"""Exit code after Ctrl-C, as used by shells."""

SAME_PRESS_SECONDS = 0.25
"""Seconds during which further interrupts count as the same press, since a held key repeats."""


def exit_interrupted(*_: int | FrameType | None) -> None:
    """End the process immediately, with the shell's prompt on a new line. For programs with nothing to clean up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the key may be pressed again or repeat
    if os.isatty(2):
        os.write(2, b"\n")
    os._exit(INTERRUPTED)


def exit_without_cleanup(error: BaseException | None) -> None:
    """End the process without library clean-up, which would wait forever for a hung bus."""
    import logging  # not at the top: every command loads this module first

    if error:
        logging.getLogger("pond").critical("The service has ended.", exc_info=error)
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(1 if error else 0)


class InterruptHandler:
    """Ctrl-C handler that works like Python's own, except that a second press does not interrupt the clean-up."""

    def __init__(self) -> None:
        self._interrupted_at = float("-inf")

    def __call__(self, *_: int | FrameType | None) -> None:
        now = time.monotonic()
        if now - self._interrupted_at >= SAME_PRESS_SECONDS:
            self._interrupted_at = now
            raise KeyboardInterrupt

    def resend_if_lost(self, lost: sys.UnraisableHookArgs) -> None:
        """Resend an interrupt that Python dropped because no exception can propagate there, such as in clean-up after an import."""
        if issubclass(lost.exc_type, KeyboardInterrupt):
            from threading import Timer

            timer = Timer(SAME_PRESS_SECONDS, os.kill, (os.getpid(), signal.SIGINT))  # raising here would lose it again
            timer.daemon = True
            timer.start()
        else:
            sys.__unraisablehook__(lost)


@contextmanager
def exit_on_interrupt() -> Iterator[None]:
    """Let Ctrl-C end the process immediately during imports of compiled packages, some of which crash on KeyboardInterrupt."""
    handler = signal.getsignal(signal.SIGINT)
    if not isinstance(handler, InterruptHandler):  # a background job ignores Ctrl-C
        yield
        return
    signal.signal(signal.SIGINT, exit_interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def catch_end_signals() -> list[int]:
    """Return a list to which termination signals (SIGTERM, SIGINT, SIGHUP) are appended as they arrive.

    A threading.Event could deadlock: a signal that interrupts its handler would wait for its lock.
    """
    received_signals: list[int] = []
    for signal_number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(signal_number) is not signal.SIG_IGN:
            signal.signal(signal_number, lambda signal_number, _: received_signals.append(signal_number))
    return received_signals
