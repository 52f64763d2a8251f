"""Generate docs/pond.1, the man page, from the command line parser: `make man`."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from pond_hw import __version__
from pond_hw.commands.command_parser import CommandParser
from pond_hw.commands.main import COMMANDS, build_parser

PAGE = Path(__file__).parents[1] / "docs" / "pond.1"

ABOUT = """\
Pond is a board game for two by David Rose, played with eggs, tadpoles and frogs. This program is a companion for it: a
board of lit cells that knows the rules. You can play on a real board or in a terminal. To start, type `pond play`.
`pond cards` plays the card game of the same name, by Michael Schoessow, and keeps its score."""

POSITIONS = """\
A POSITION is one line, in quotes. It lists the rows from the top (E, T and F for light's egg, tadpole and frog; e, t and
f for dark's), the side to move (l or d), both spawns and both scores: '.tt./..FE/ft.T/T..T l 1 1 7 8'. An ACTION is @b2
(place an egg) or b2b3 (move a piece). A VARIANT is a name (standard, mini, big, small-11, small-13, small-14, big-15) or
NxN/S/T, such as 3x3/9/5: the size of the board, the eggs of each side, and the score that wins. A PROFILE is a name that
`pond boards` lists, or the path of your own .toml."""

FILES = {
    "~/.local/state/pond": "Saved games, unless $XDG_STATE_HOME names another folder.",
    "~/.local/state/pond/cards": "Saved card games and scores.",
    "~/.local/state/pond/lessons": "Your own lessons (.toml).",
    "/var/lib/pond": "Saved games of the installed service.",
}

ENVIRONMENT = {
    "POND_JOURNAL": "Another folder for saved games, or `off` to save nothing.",
    "POND_BOARDS": "Folder for the measurements of boards.",
    "POND_KERNEL": "`plain` to run without the compiled engine.",
}

EXIT = {
    "0": "Success.",
    "1": "`pond doctor` found a fault, or the output pipe was closed.",
    "2": "Invalid input, or a failure. Standard error says what happened and what to do.",
    "130": "Stopped by Ctrl-C.",
}


def page(commands: CommandParser) -> str:
    """Return the man page in roff."""
    return "\n".join(_lines(commands)) + "\n"


def _lines(commands: CommandParser) -> Iterator[str]:
    yield f'.TH POND 1 "" "pond {__version__}" "User Commands"'
    yield from (".SH NAME", r"pond \- the board game Pond, on a board that lights up")
    yield from (".SH SYNOPSIS", r".B pond", r".I COMMAND", "[options]")
    yield from (".SH DESCRIPTION", _text(ABOUT), ".PP", _text(POSITIONS))
    yield from (".SH OPTIONS", *_list_arguments(commands))
    for title, names in COMMANDS.items():
        yield f".SH {_text(title).upper()}"
        for name in names:
            yield from _command(name, commands.commands[name])
    for title, entries in (("FILES", FILES), ("ENVIRONMENT", ENVIRONMENT), ("EXIT STATUS", EXIT)):
        yield f".SH {title}"
        for what, means in entries.items():
            yield from (".TP", rf"\fB{_text(what)}\fR", _text(means))
    yield from (".SH SEE ALSO", "README.md and docs/ of the project.")


def _command(name: str, command: argparse.ArgumentParser) -> Iterator[str]:
    positionals = [_usage(action) for action in command._actions if not action.option_strings]
    options = len(positionals) < len(command._actions) - 1  # Every command has --help.
    arguments = " ".join([*positionals, *(["[options]"] if options else [])])
    yield from (rf".SS \fBpond {_text(name)}\fR {arguments}".rstrip(), _text(command.description or ""))
    yield from _list_arguments(command)


def _usage(action: argparse.Action) -> str:
    name = rf"\fI{_text(str(action.metavar or '|'.join(map(str, action.choices or ()))))}\fR"
    forms = {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} ..."}
    return forms.get(str(action.nargs), name)


def _list_arguments(command: argparse.ArgumentParser) -> Iterator[str]:
    """Yield an entry for each argument of a command."""
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction) or (
            isinstance(action, argparse._HelpAction) and not isinstance(command, CommandParser)
        ):
            continue
        names = ", ".join(rf"\fB{_text(name)}\fR" for name in action.option_strings)
        value = "" if action.nargs == 0 else _usage(action)
        yield from (".TP", f"{names} {value}".strip(), _text(action.help or ""))


def _text(text: str) -> str:
    text = " ".join(text.split()).replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq").replace("`", r"\(ga")
    text = text.replace("~", r"\(ti").replace("^", r"\(ha")
    return rf"\&{text}" if text.startswith(".") else text


if __name__ == "__main__":
    PAGE.write_text(page(build_parser()), encoding="utf-8")
