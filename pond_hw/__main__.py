"""Entry point of the `pond` command. Handles Ctrl-C before importing anything else."""

from __future__ import annotations

import os
import signal
import sys

from pond_hw.interrupts import INTERRUPTED, InterruptHandler, exit_interrupted


def main() -> int:
    """Run the command line and return its exit code. Ctrl-C never prints a traceback, even during imports and clean-up."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # a background job ignores Ctrl-C
        from pond_hw.commands.main import main as run

        return run()
    signal.signal(signal.SIGINT, exit_interrupted)
    from pond_hw.commands.main import main as run

    handler = InterruptHandler()
    sys.unraisablehook = handler.resend_if_lost
    try:
        signal.signal(signal.SIGINT, handler)
        code = run()
        signal.signal(signal.SIGINT, exit_interrupted)
    except KeyboardInterrupt:
        exit_interrupted()
    except Exception as error:
        # C++ libraries and class creation replace KeyboardInterrupt with an exception of their own.
        if KeyboardInterrupt.__name__ in str(error) or isinstance(error.__cause__, KeyboardInterrupt):
            exit_interrupted()
        raise
    if code == INTERRUPTED:  # do not wait for threads or half-imported libraries
        os._exit(code)
    return code


if __name__ == "__main__":
    sys.exit(main())
