"""Commands that install Pond's optional packages in this Python environment."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import sys
from pathlib import Path

from pond_hw.messages.message import Message

CLONE_FOLDER = Path(__file__).resolve().parent.parent
"""Root folder of the clone, if Pond runs from one."""

PACKAGE_FOLDER = "/usr/lib/pond"
"""Folder of the Debian package: a virtual environment that only apt may change."""

ADD_TO_PACKAGE = "sudo python3 -m pip install --target /usr/local/lib/pond"
"""Command that installs a Python package for the Debian package, in a separate folder on its search path."""


def format_install_command(extra: str, variables: str = "") -> str:
    """Return the shell command that installs one of the extras in pyproject.toml.

    In a clone the command is `make`, which installs from the lock file. Elsewhere it is pip with package names, because Pond
    is not in any package index.

    Args:
        extra: name of the extra, such as `study`; the make target has the same name.
        variables: variables for `make`, such as `BOARDS=hall-4x4`.
    """
    if not (CLONE_FOLDER / "Makefile").is_file():
        return format_pip_command(*_list_extra_packages(extra))
    folder = "" if Path.cwd() == CLONE_FOLDER else f"-C {shlex.quote(str(CLONE_FOLDER))}"
    own = Path(sys.prefix)
    other = f"VENV={shlex.quote(str(own))}" if sys.prefix != sys.base_prefix and own != CLONE_FOLDER / ".venv" else ""
    return " ".join(filter(None, ("make", folder, extra, variables, other)))


def format_pip_command(*packages: str) -> str:
    """Return the command that installs packages for this Python, with sudo if needed."""
    if sys.prefix == PACKAGE_FOLDER:
        return f"{ADD_TO_PACKAGE} {' '.join(map(shlex.quote, packages))}"
    if importlib.util.find_spec("pip"):
        pip = f"{shlex.quote(sys.executable)} -m pip"
    else:  # the system's pip can install into a virtual environment without pip
        pip = f"python3 -m pip --python {shlex.quote(sys.executable)}"
    sudo = "" if os.access(sys.prefix, os.W_OK) else "sudo "
    return f"{sudo}{pip} install {' '.join(map(shlex.quote, packages))}"


def describe_missing_package(module: str, package: str) -> Message:
    return Message("install.missing_package", module=module, command=format_pip_command(package))


def _list_extra_packages(extra: str) -> list[str]:
    """List the packages of an extra from the metadata of the installed distribution."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        requirements = requires("pond-hw") or []
    except PackageNotFoundError:
        requirements = []
    packages = [re.fullmatch(rf"([^;]+?) *; *extra == ['\"]{extra}['\"]", line) for line in requirements]
    return [found[1] for found in packages if found] or [f"pond-hw[{extra}]"]
