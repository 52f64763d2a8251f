"""What a command of `pond` is. Each declares itself in a file of its own; `main.COMMANDS` lists them."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from enum import Enum
from typing import NamedTuple


class CommandGroup(Enum):
    """The groups in which `pond --help` shows the commands, by their titles, in order."""

    PLAY = "Play"
    GAMES = "Games that were played"
    MANY_GAMES = "Many games"
    BOARDS = "Boards and set-up"
    PROGRAMS = "For programs and shells"


class Command(NamedTuple):
    """A command of `pond`.

    A module that declares one imports little: it is loaded at every start. What `run` needs it imports itself.

    Attributes:
        name: the word behind `pond`.
        group: where the help shows it.
        summary: one line for the help.
        example: a command line that does something useful.
        add_arguments: adds what it takes to its parser; called only when somebody asks for this command.
        run: does it with what was given; returns the exit code, None for 0.
        prints: whether it prints its results, so that an error of the system without a file is one of the output.
    """

    name: str
    group: CommandGroup
    summary: str
    example: str
    add_arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], int | None]
    prints: bool = True
