"""Commands that install an optional part of Pond in the environment of this Python."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import sys
from pathlib import Path

from pond_hw.messages.message import Message

CLONE_FOLDER = Path(__file__).resolve().parent.parent
"""The folder of the clone, if Pond runs from one."""

PACKAGE_FOLDER = "/usr/lib/pond"
"""Folder of the program in Debian's package: a virtual environment that only apt changes."""

ADD_TO_PACKAGE = "sudo python3 -m pip install --target /usr/local/lib/pond"
"""Command that adds a Python package to that program, in a folder of the machine that the program looks into."""


def format_install_command(extra: str, variables: str = "") -> str:
    """Return the command that installs an extra of pyproject.toml.

    Args:
        extra: such as `study`. In a clone, the make target of that name installs it.
        variables: what else `make` is to be given, such as `BOARDS=hall-4x4`.

    Returns:
        A line for a shell. In a clone it calls make, which installs by the hashes of the lock; elsewhere pip, with the
        names of the packages, because Pond itself is on no index.
    """
    if not (CLONE_FOLDER / "Makefile").is_file():
        return format_pip_command(*_list_extra_packages(extra))
    folder = "" if Path.cwd() == CLONE_FOLDER else f"-C {shlex.quote(str(CLONE_FOLDER))}"
    own = Path(sys.prefix)
    other = f"VENV={shlex.quote(str(own))}" if sys.prefix != sys.base_prefix and own != CLONE_FOLDER / ".venv" else ""
    return " ".join(filter(None, ("make", folder, extra, variables, other)))


def format_pip_command(*packages: str) -> str:
    """Return the command that installs packages where this Python finds them, with sudo if that is needed."""
    if sys.prefix == PACKAGE_FOLDER:
        return f"{ADD_TO_PACKAGE} {' '.join(map(shlex.quote, packages))}"
    if importlib.util.find_spec("pip"):
        pip = f"{shlex.quote(sys.executable)} -m pip"
    else:  # a virtual environment without pip, which the system's pip serves from outside
        pip = f"python3 -m pip --python {shlex.quote(sys.executable)}"
    sudo = "" if os.access(sys.prefix, os.W_OK) else "sudo "
    return f"{sudo}{pip} install {' '.join(map(shlex.quote, packages))}"


def describe_missing_package(module: str, package: str) -> Message:
    """Describe a missing Python module and how to install its package."""
    return Message("install.missing_package", module=module, command=format_pip_command(package))


def _list_extra_packages(extra: str) -> list[str]:
    """List the packages of an extra, as the installed distribution names them."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        wanted = requires("pond-hw") or []
    except PackageNotFoundError:
        wanted = []
    packages = [re.fullmatch(rf"([^;]+?) *; *extra == ['\"]{extra}['\"]", line) for line in wanted]
    return [found[1] for found in packages if found] or [f"pond-hw[{extra}]"]
