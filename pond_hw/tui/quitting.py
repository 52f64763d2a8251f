"""Screens that are told from outside to end: by Ctrl-C, by a terminal that goes, by a system that shuts down."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from threading import Timer
from typing import Any

from textual.app import App

STUCK_SECONDS = 10.0
"""How long a screen may take to leave. One that waits for a terminal that is not there any more would wait for ever."""

TERMINAL_RESET = b"\x1b[?1049l\x1b[?25h\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?2004l"
"""Tells a terminal: the page of before, a cursor, no mouse."""


def exit_on_signal(app: App[Any]) -> None:
    """Have a running screen leave the terminal as it was when a signal says so; to be called in its loop."""

    def leave(signal_number: int) -> None:
        app.exit()
        stuck = Timer(STUCK_SECONDS, _force_exit, (app, signal_number))
        stuck.daemon = True
        stuck.start()

    with suppress(NotImplementedError, AttributeError):  # not every system has these signals
        for signal_number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(signal_number, leave, signal_number)


def _force_exit(app: App[Any], signal_number: int) -> None:
    """End the process, whatever it is stuck in. All that was confirmed is on the disk, and who thinks ends with us."""
    if app.is_running:
        with suppress(OSError):
            os.write(2, TERMINAL_RESET)
        os._exit(128 + signal_number)
