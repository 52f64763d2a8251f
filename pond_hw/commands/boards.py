"""`pond boards`: which boards there are profiles for, and what one of them is."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from pond_hw.commands.command import CommandEntry

COMMAND = CommandEntry("boards", "List the boards there are profiles for, or describe one of them.", "hall-5x5")


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command takes."""
    help_text = "one of them, or the path of a .toml of your own"
    parser.add_argument("board", metavar="PROFILE", nargs="?", help=help_text)


def run_command(options: Namespace) -> None:
    """Print the boards, or about one of them."""
    from pond_hw.commands.profile_text import describe_profile, list_profiles

    print("\n".join(describe_profile(options.board) if options.board else list_profiles()))
