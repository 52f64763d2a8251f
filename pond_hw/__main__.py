"""The command `pond` from its first instant: Ctrl-C is quiet before anything else has been imported."""

from __future__ import annotations

import os
import signal
import sys

from pond_hw.ctrl_c import INTERRUPTED, leave_at_once

AGAIN = 0.01
"""Seconds until a Ctrl-C that was lost is pressed again."""


def main() -> int:
    """Run the command line; Ctrl-C never prints a traceback, whatever is being imported or closed.

    Returns:
        The exit code.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # in the background nobody presses Ctrl-C
        from pond_hw.commands.main import main as run

        return run()
    signal.signal(signal.SIGINT, leave_at_once)
    from pond_hw.commands.main import main as run

    sys.unraisablehook = _keep_ctrl_c
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        code = run()
        signal.signal(signal.SIGINT, leave_at_once)
    except KeyboardInterrupt:
        leave_at_once()
    except Exception as error:
        # A library in C++, or the making of a class, has made an exception of its own of Ctrl-C.
        if KeyboardInterrupt.__name__ in str(error) or isinstance(error.__cause__, KeyboardInterrupt):
            leave_at_once()
        raise
    if code == INTERRUPTED:  # all is put away, and nobody waits for a thread, or for a library that was half imported
        os._exit(code)
    return code


def _keep_ctrl_c(lost: sys.UnraisableHookArgs) -> None:
    """Press Ctrl-C again if it came where no exception can pass, such as in an import's clean-up."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        from threading import Timer

        again = Timer(AGAIN, os.kill, (os.getpid(), signal.SIGINT))  # in here it would be lost, too
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(lost)


if __name__ == "__main__":
    sys.exit(main())
