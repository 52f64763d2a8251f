"""`pond completion`: the script with which a shell completes commands, options, names and files."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from pond_hw.commands.parser import CommandParser
from pond_hw.rules.variants import VARIANTS

FILES = {"FILE", "FILE.pond", "FILE|FOLDER", "PATH"}
FOLDERS = {"FOLDER"}
"""What stands in the help where a file or a folder is wanted."""


def script(parser: CommandParser, shell: str) -> str:
    """The completion script of a shell.

    Args:
        parser: of all commands; it is of no use for reading a command line afterwards.
        shell: its name.
    """
    import shtab

    from pond_hw.engine import NAMES
    from pond_hw.profile import shipped

    names = {"PROFILE": shipped(), "V": VARIANTS, "VARIANT": VARIANTS, "POSITION|VARIANT": VARIANTS, "PLAYER": NAMES}
    for action in _actions(parser):
        wanted = str(action.metavar)
        if wanted in FILES:
            vars(action)["complete"] = shtab.FILE
        elif wanted in FOLDERS:
            vars(action)["complete"] = shtab.DIRECTORY
        elif wanted in names and action.choices is None:
            action.choices = tuple(names[wanted])
    return shtab.complete(parser, shell=shell)


def _actions(parser: CommandParser) -> Iterable[argparse.Action]:
    return (action for command in parser.commands.values() for action in command._actions)
