"""Import of Adafruit's libraries, with an explanation if part of Blinka is missing.

Blinka checks its own dependencies only when it is imported, does not declare all of them, and may ask the user at the
terminal whether to install them.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from pond_hw.board import BoardFault
from pond_hw.messages.message import Message
from pond_hw.optional_packages import describe_missing_package

BLINKA_PACKAGES = {"gpiod": "gpiod>=2.2.2,<3", "_rpi_ws281x": "rpi_ws281x"}
"""Packages that Blinka needs on a Pi but does not declare, by module."""


def import_adafruit(module: str, package: str) -> Any:
    """Import one of Adafruit's modules from a package. Raise BoardFault if it cannot be loaded."""
    os.environ["BLINKA_SKIP_DEPENDENCY_CHECK"] = "1"  # otherwise it may offer at the terminal to install more
    try:
        return import_module(module)
    except (ImportError, RuntimeError, NotImplementedError, AttributeError) as error:
        if name := _missing_package(error):
            raise BoardFault(describe_missing_package(name, BLINKA_PACKAGES.get(name, package))) from error
        raise BoardFault(Message("library.adafruit_unloadable", package=package, text=first_line(error))) from error


def first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).strip().splitlines()[0].rstrip(".")


def _missing_package(error: BaseException | None) -> str | None:
    """Return the name of the missing package that caused an error, if any.

    Blinka raises other errors in place of the original one.
    """
    while error:
        if isinstance(error, ModuleNotFoundError) and error.name:
            return error.name.partition(".")[0]
        error = error.__context__
    return None
