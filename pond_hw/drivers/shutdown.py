"""Closes a board: its lamps go dark, and a bus that hangs is not waited for."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable

from pond_hw.board import Lamps

LOG = logging.getLogger("pond")

CLOSING_SECONDS = 1.0
"""Seconds that a board has to let go of its devices; one whose bus hangs never does."""


def close_with_timeout(close_board: Callable[[], None], lamps: Lamps) -> bool:
    """Stop sensing and leave the lamps dark; returns False if a hanging bus was left behind.

    Args:
        close_board: does it, if the bus lets it.
        lamps: those of the board, which may be put out whatever becomes of the sensors.
    """
    ending_thread = threading.Thread(target=close_board, name="pond ending", daemon=True)
    ending_thread.start()
    ending_thread.join(CLOSING_SECONDS)
    if not ending_thread.is_alive():
        return True
    LOG.warning("the sensors hang and are left behind")
    dark_thread = threading.Thread(target=lamps.close, name="pond lamps ending", daemon=True)
    dark_thread.start()
    dark_thread.join(CLOSING_SECONDS / 4)
    return False


def exit_now(error: BaseException | None) -> None:
    """End this process. Python itself would wait for what libraries do at the end, on a bus that hangs."""
    if error:
        LOG.critical("The service has ended.", exc_info=error)
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(1 if error else 0)
