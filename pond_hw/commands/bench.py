"""`pond bench`: how fast and how light the companion is on this machine."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from pond_hw.commands.arguments import add_number, require_unix
from pond_hw.messages.message import Message, PondError

LONGEST_SECONDS = 3600
"""For so long a companion at rest is watched, at the most."""


def add_arguments(parser: ArgumentParser) -> None:
    add_number(parser, "--seconds", "how long to measure a resting board (10)", default=10)


def run_command(options: Namespace) -> None:
    if not 1 <= options.seconds <= LONGEST_SECONDS:
        raise PondError(Message("command.wrong_seconds", most=LONGEST_SECONDS, seconds=options.seconds))
    require_unix(f"pond {options.command}")
    from pond_hw.commands.bench_measurements import measure_everything

    measure_everything(options.seconds)
