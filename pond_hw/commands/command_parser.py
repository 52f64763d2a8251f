"""Command-line parsers: help in groups of commands, and short error messages."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from keyword import iskeyword
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_output import print_text
from pond_hw.messages.terminal_text import replace_unprintable

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

MAX_SHOWN_LENGTH = 40
"""Maximum number of characters shown when an error quotes an argument."""

OTHER_MODULES = {"cards": "pond_hw.cards.command"}
"""Modules of commands outside this package, by command name. They are strings because nothing may import the card game."""

REWORDED_ERRORS = (
    (r"the following arguments are required: (.*)", r"Missing: \1."),
    (r"(\S+): expected .*", r"\1 needs a value."),
    (r"(\S+): ignored explicit argument .*", r"\1 takes no value."),
    (r"ambiguous option: (\S+) could match (.*)", r"\1 could be any of \2."),
)
"""Patterns of argparse's error messages and their replacements."""


class Parser(argparse.ArgumentParser):
    """Parser that prints each error on one line, followed by a line with the help command."""

    help_width = 78

    def _get_formatter(self) -> argparse.HelpFormatter:
        """Create a formatter with a fixed width. argparse calls this for each option, and would measure the terminal each time."""
        return self.formatter_class(self.prog, width=self.help_width)  # type: ignore[call-arg]

    def error(self, error_text: str) -> NoReturn:
        error_text = error_text.removeprefix("argument ")
        for argparse_pattern, replacement in REWORDED_ERRORS:
            error_text = re.sub(f"^{argparse_pattern}$", replacement, error_text)
        print_text(f"pond: {error_text}\nFor help, type: {self.prog} --help", sys.stderr)
        self.exit(2)

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Print the help. Unlike argparse, raise OSError if that fails."""
        from shutil import get_terminal_size  # Slow to import: it loads two compression libraries.

        self.help_width = get_terminal_size().columns - 2
        (file or sys.stdout).write(self.format_help())

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        choices = [str(choice) for choice in action.choices]
        if isinstance(action, argparse._SubParsersAction):
            raise argparse.ArgumentError(None, f"There is no command {_quote(value)}.{suggest_name(value, choices)}")
        argument_name = "/".join(action.option_strings) or str(action.metavar or action.dest)
        suggestion = suggest_name(value, choices) or f" Choose one of {', '.join(choices)}."
        raise argparse.ArgumentError(None, f"{argument_name} can't be {_quote(value)}.{suggestion}")


class SubcommandParser(Parser):
    """Parser for one command. It loads the command's module on first use, so that Pond starts quickly."""

    is_complete = False

    def complete(self) -> SubcommandParser:
        """Add the command's arguments on the first call, and return the parser itself."""
        if not self.is_complete:
            self.is_complete = True
            module = load_command(self.prog.split()[-1])
            module.add_arguments(self)
            self.set_defaults(run=module.run_command)
        return self

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self.complete()
        return super().parse_known_args(args, namespace)


def load_command(command_name: str) -> ModuleType:
    """Import the module of a command.

    The module has `add_arguments(parser)`, and `run_command(options)`, which returns the exit code or None for 0.
    """
    module_name = command_name.replace("-", "_")
    default_module = f"pond_hw.commands.{module_name}{'_' if iskeyword(module_name) else ''}"
    return import_module(OTHER_MODULES.get(command_name, default_module))


class GroupsFormatter(argparse.HelpFormatter):
    """Formatter that keeps line breaks in the help of a command."""

    def __init__(self, prog: str, **settings: Any) -> None:
        super().__init__(prog, max_help_position=17, **settings)

    def _split_lines(self, text: str, width: int) -> list[str]:
        split_part = super()._split_lines
        return [text_line for text_part in text.split("\n") for text_line in split_part(text_part, width)]


class HelpOption(argparse.Action):
    """The `--help` option of `pond`: without a value, with `all`, or with the name of a command."""

    def __call__(
        self, parser: argparse.ArgumentParser, _namespace: object, values: Any, _option: object = None
    ) -> None:
        assert isinstance(parser, CommandParser)
        parser.print_help_on(values)
        parser.exit()


class CommandParser(Parser):
    """Parser for `pond`, which lists commands in groups with an example for each."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(formatter_class=GroupsFormatter, add_help=False, **settings)
        help_text = "show the commands for players, or all of them"
        self.add_argument("-h", "--help", nargs="?", metavar="all", action=HelpOption, help=help_text)
        self._shows_all = False
        self._groups: dict[str, list[argparse.Action]] = {}
        self._summaries: dict[str, str] = {}
        self._commands = self.add_subparsers(prog=self.prog, metavar="COMMAND", parser_class=SubcommandParser)

    def add_group(self, group_title: str, commands: Mapping[str, tuple[str, str]]) -> None:
        """Add a group of commands. `commands` maps each name to its summary and example arguments."""
        group_actions = self._groups[group_title] = []
        for name, (summary, example) in commands.items():
            help_text = f"{summary}\nExample: pond {name} {example}".rstrip()
            group_actions.append(argparse.Action([], name, nargs=0, help=help_text))
            self._summaries[name] = summary

    def _add_parsers(self, names: Iterable[str]) -> None:
        """Add any missing parsers for these commands. Adding all of them is slow, and most runs need only one."""
        for name in names:
            if name not in self._commands.choices:
                summary = self._summaries[name]
                parser = self._commands.add_parser(name, help=summary, description=summary)
                parser.set_defaults(command=name, parser=parser, all_commands=self)

    @property
    def commands(self) -> Mapping[str, SubcommandParser]:
        self._add_parsers(self._summaries)
        return {command_name: parser.complete() for command_name, parser in self._commands.choices.items()}

    def print_help_on(self, subject: str | None) -> None:
        """Print the help for players, for all commands (`all`), or for one command."""
        if subject in (None, "all"):
            self._shows_all = subject == "all"
            self.print_help()
        elif subject in self._summaries:
            self.commands[subject].print_help()
        else:
            self.error(f"There is no command {_quote(subject)}.{suggest_name(subject, self._summaries)}")

    def format_help(self) -> str:
        """Return the help for the first group of commands, or for all commands and options."""
        formatter = self._get_formatter()
        sections = list(self._groups.items())[: None if self._shows_all else 1]
        if self._shows_all:
            sections.append(("Options", [action for action in self._actions if action.option_strings]))
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        for section_title, section_actions in sections:
            formatter.start_section(section_title)
            formatter.add_arguments(section_actions)
            formatter.end_section()
        formatter.add_text(self.epilog)
        return formatter.format_help()

    def read_command_line(self, arguments: Sequence[str] | None = None) -> argparse.Namespace:
        """Parse the command line. Raise SystemExit after printing an error or the requested help."""
        given_arguments = sys.argv[1:] if arguments is None else list(arguments)
        if given_arguments[:1] in ([], ["help"]):
            given_arguments[:1] = ["--help"]
        self._add_parsers([name for name in given_arguments[:1] if name in self._summaries] or self._summaries)
        parsed_options, unknown_arguments = self.parse_known_args(given_arguments)
        parser: Parser = getattr(parsed_options, "parser", self)
        if unknown_arguments:
            wrong = unknown_arguments[0].partition("=")[0]
            if not wrong.startswith("-"):
                parser.error(f"{_quote(wrong)} is one word too many.")
            known_options = [option_name for action in parser._actions for option_name in action.option_strings]
            parser.error(f"There is no option {_quote(wrong)} here.{suggest_name(wrong, known_options)}")
        if parser is self:
            self.error("Name a command.")
        return parsed_options


def suggest_name(unknown_name: object, possible_names: Iterable[str]) -> str:
    """Return " Did you mean ...?" with the closest name, or an empty string if none is close."""
    from difflib import get_close_matches

    close_names = (
        [] if str(unknown_name).isdecimal() else get_close_matches(str(unknown_name), list(possible_names), n=1)
    )
    return f" Did you mean {close_names[0]}?" if close_names else ""


def _quote(given_value: object) -> str:
    value_text = str(given_value)
    shown_text = value_text if len(value_text) <= MAX_SHOWN_LENGTH else f"{value_text[:MAX_SHOWN_LENGTH]}..."
    return to_english(Message("list.quoted", text=replace_unprintable(shown_text)))
