"""`pond completion`: print a shell script that completes commands, options, names and files."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from itertools import chain

from pond_hw.commands.arguments import PLAYER_CHOICES
from pond_hw.commands.command_parser import CommandParser
from pond_hw.profile import list_shipped
from pond_hw.rules.variants import VARIANTS

SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")

FILES = {"FILE", "FILE.pond", "FILE|FOLDER", "PATH"}
"""Metavars of arguments that are completed with file names."""


def add_arguments(parser: ArgumentParser) -> None:
    help_text = "bash, zsh, fish, tcsh or powershell; docs/commands.md says where to put it"
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=help_text)


def run_command(options: Namespace) -> None:
    print(completion_script(options.all_commands, options.shell))


def completion_script(parser: CommandParser, shell_name: str) -> str:
    """Return the completion script for a shell. This changes the parser, which can no longer parse a command line."""
    import shtab

    names_by_metavar = dict.fromkeys(("V", "VARIANT", "POSITION|VARIANT"), tuple(VARIANTS))
    names_by_metavar |= {"PROFILE": tuple(list_shipped()), "PLAYER": PLAYER_CHOICES}
    for action in chain.from_iterable(command._actions for command in parser.commands.values()):
        value_name = str(action.metavar)
        if value_name in FILES:
            vars(action)["complete"] = shtab.FILE
        elif value_name == "FOLDER":
            vars(action)["complete"] = shtab.DIRECTORY
        elif value_name in names_by_metavar and action.choices is None:
            action.choices = names_by_metavar[value_name]
    return shtab.complete(parser, shell=shell_name)
