"""Generate docs/commands.md, the reference of all commands, from the command line parser: `make man`."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from pond_hw.commands.command_parser import CommandParser
from pond_hw.commands.main import COMMANDS, build_parser

PAGE = Path(__file__).parents[1] / "docs" / "commands.md"

BEGINNING = """\
# All commands

This page is generated from the program (`make man`). `pond COMMAND --help` shows the same text. If you installed Pond
with `make play` or `make test`, type `.venv/bin/pond` instead of `pond`. Defaults are in brackets.

Your shell can complete commands, options, boards and files. For bash, add `eval "$(pond completion bash)"` to
`~/.bashrc`. For zsh, add `eval "$(pond completion zsh)"` to `~/.zshrc`, after `compinit`. For fish, add
`pond completion fish | source` to `~/.config/fish/config.fish`. To read the man page, run `man -l docs/pond.1`.
"""


def page(commands: CommandParser) -> str:
    return "\n".join([BEGINNING, *_lines(commands)])


def _lines(commands: CommandParser) -> Iterator[str]:
    for title, names in COMMANDS.items():
        yield from (f"## {title[0].upper()}{title[1:]}", "")
        for name in names:
            yield from _command(name, commands.commands[name])


def _command(name: str, command: argparse.ArgumentParser) -> Iterator[str]:
    actions = [action for action in command._actions if not isinstance(action, argparse._HelpAction)]
    yield from (f"### pond {name}", "", command.description or "", "")
    if actions:
        yield from ("| | |", "|---|---|")
        yield from (f"| `{_usage(action)}` | {_escape(action.help or '')} |" for action in actions)
        yield ""


def _usage(action: argparse.Action) -> str:
    value = "" if action.nargs == 0 else str(action.metavar or "|".join(map(str, action.choices or ())))
    return _escape(" ".join(filter(None, (", ".join(action.option_strings), value))))


def _escape(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")


if __name__ == "__main__":
    PAGE.write_text(page(build_parser()), encoding="utf-8")
