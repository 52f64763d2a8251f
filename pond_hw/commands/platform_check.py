"""What only some systems can do."""

from __future__ import annotations

import sys

from pond_hw.rules import PondError


def require_unix(feature: str) -> None:
    """See to it that this is no Windows; to be called before anything is imported that Windows lacks.

    Raises:
        PondError: it is one.
    """
    if sys.platform == "win32":
        raise PondError(f"`{feature}` needs Linux or macOS; `pond play` plays here.")
