"""Imports Adafruit's libraries, which need Blinka, and explains which part of it is missing.

Blinka looks for what it needs only when it is imported, does not ask for it when it is installed, and at a terminal
asks whoever sits there whether to install it.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from pond_hw.board import BoardFault
from pond_hw.messages.message import Message
from pond_hw.optional_packages import describe_missing_package

BLINKA_PACKAGES = {"gpiod": "gpiod>=2.2.2,<3", "_rpi_ws281x": "rpi_ws281x"}
"""What Blinka needs on a Pi and does not bring along, and what to install for it."""


def import_adafruit(module: str, package: str) -> Any:
    """Import one of Adafruit's modules.

    Args:
        module: its name.
        package: what to install for it.

    Raises:
        BoardFault: it cannot be loaded.
    """
    os.environ["BLINKA_SKIP_DEPENDENCY_CHECK"] = "1"  # else it may ask at the terminal whether to install more
    try:
        return import_module(module)
    except (ImportError, RuntimeError, NotImplementedError, AttributeError) as error:
        if name := _missing_package(error):
            raise BoardFault(describe_missing_package(name, BLINKA_PACKAGES.get(name, package))) from error
        raise BoardFault(Message("library.adafruit_unloadable", package=package, text=first_line(error))) from error


def first_line(error: Exception) -> str:
    """The first line of a library's error, without a full stop."""
    return (str(error) or type(error).__name__).strip().splitlines()[0].rstrip(".")


def _missing_package(error: BaseException | None) -> str | None:
    """The missing package behind an error, if there is one: Blinka turns it into other errors."""
    while error:
        if isinstance(error, ModuleNotFoundError) and error.name:
            return error.name.partition(".")[0]
        error = error.__context__
    return None
