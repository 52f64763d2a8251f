"""Ends of a process: by Ctrl-C, by the signals that end a service, or without the clean-up of libraries.

One press of Ctrl-C is enough and more do no harm. While there is nothing to clean up, the process ends at once.
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
"""The exit code after Ctrl-C, as shells have it."""

SAME_PRESS_SECONDS = 0.25
"""Seconds in which Ctrl-C means what it meant before: some press it more than once, and a key repeats."""


def exit_at_once(*_: int | FrameType | None) -> None:
    """End the process while there is nothing to clean up, with the prompt on a line of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # some press it more than once
    if os.isatty(2):
        os.write(2, b"\n")
    os._exit(INTERRUPTED)


def exit_now(error: BaseException | None) -> None:
    """End this process without the clean-up of libraries, which waits forever on a bus that hangs."""
    import logging  # not above: this module is loaded before all others, and by every command

    if error:
        logging.getLogger("pond").critical("The service has ended.", exc_info=error)
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(1 if error else 0)


class InterruptHandler:
    """Handler of Ctrl-C while a command runs: as Python's own, but a second press does not interrupt the clean-up."""

    def __init__(self) -> None:
        self._heard_at = float("-inf")

    def __call__(self, *_: int | FrameType | None) -> None:
        """Interrupt what runs.

        Raises:
            KeyboardInterrupt: unless it has just been raised.
        """
        now = time.monotonic()
        if now - self._heard_at >= SAME_PRESS_SECONDS:
            self._heard_at = now
            raise KeyboardInterrupt

    def press_again_if_lost(self, lost: sys.UnraisableHookArgs) -> None:
        """Press Ctrl-C again if it came where no exception can pass, such as in an import's clean-up."""
        if issubclass(lost.exc_type, KeyboardInterrupt):
            from threading import Timer

            again = Timer(SAME_PRESS_SECONDS, os.kill, (os.getpid(), signal.SIGINT))  # in here it would be lost, too
            again.daemon = True
            again.start()
        else:
            sys.__unraisablehook__(lost)


@contextmanager
def exit_on_interrupt() -> Iterator[None]:
    """Let Ctrl-C end the process at once, for imports of compiled packages: an exception makes some of them crash."""
    handler = signal.getsignal(signal.SIGINT)
    if not isinstance(handler, InterruptHandler):  # in the background nobody presses Ctrl-C
        yield
        return
    signal.signal(signal.SIGINT, exit_at_once)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def catch_end_signals() -> list[int]:
    """Return a list that fills with the signals that end this process: SIGTERM, Ctrl-C, a closed terminal.

    It is no threading.Event: a signal within a signal would wait for its lock without end.
    """
    received_signals: list[int] = []
    for signal_number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(signal_number) is not signal.SIG_IGN:
            signal.signal(signal_number, lambda signal_number, _: received_signals.append(signal_number))
    return received_signals
