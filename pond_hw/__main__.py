"""The command `pond` from its first instant: Ctrl-C is quiet before anything else has been imported."""

from __future__ import annotations

import os
import signal
import sys

from pond_hw.interrupts import INTERRUPTED, InterruptHandler, exit_at_once


def main() -> int:
    """Run the command line; Ctrl-C never prints a traceback, whatever is being imported or closed.

    Returns:
        The exit code.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # in the background nobody presses Ctrl-C
        from pond_hw.commands.main import main as run

        return run()
    signal.signal(signal.SIGINT, exit_at_once)
    from pond_hw.commands.main import main as run

    handler = InterruptHandler()
    sys.unraisablehook = handler.press_again_if_lost
    try:
        signal.signal(signal.SIGINT, handler)
        code = run()
        signal.signal(signal.SIGINT, exit_at_once)
    except KeyboardInterrupt:
        exit_at_once()
    except Exception as error:
        # A library in C++, or the making of a class, has made an exception of its own of Ctrl-C.
        if KeyboardInterrupt.__name__ in str(error) or isinstance(error.__cause__, KeyboardInterrupt):
            exit_at_once()
        raise
    if code == INTERRUPTED:  # all is put away, and nobody waits for a thread, or for a library that was half imported
        os._exit(code)
    return code


if __name__ == "__main__":
    sys.exit(main())
