"""What a command of `pond` is. Each has a module of its own; `main.COMMAND_MODULES` lists them.

The module of a command is loaded at every start, so it imports little; what `run_command` needs it imports itself.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import NamedTuple, Protocol


class CommandEntry(NamedTuple):
    """What the help says of a command.

    Attributes:
        name: the word behind `pond`.
        summary: one line for the help.
        example: what may stand behind the name.
        prints: whether it prints its results, so that an error of the system without a file is one of the output.
    """

    name: str
    summary: str
    example: str = ""
    prints: bool = True


class CommandModule(Protocol):
    """What the module of a command holds."""

    COMMAND: CommandEntry

    def add_arguments(self, parser: ArgumentParser, /) -> None:
        """Add what the command takes to its parser; called only when somebody asks for this command."""

    def run_command(self, options: Namespace, /) -> int | None:
        """Do it with what was given; returns the exit code, None for 0."""
