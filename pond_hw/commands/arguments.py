"""Arguments shared by several commands: numbers, variants, boards, players and journals.

Every command loads this module, so anything that only some commands need is imported inside the functions.
"""

from __future__ import annotations

import os
import re
import sys
from argparse import Action, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from math import inf
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING, Any

from pond_hw.commands.command_output import print_note
from pond_hw.engine import (
    DEFAULT_THINKING,
    HUMAN,
    LEVEL_NAMES,
    PLAYER_NAMES,
    MakePlayer,
    Player,
    ThinkingLimits,
    make_player,
)
from pond_hw.engine.player_name import find_name_fault
from pond_hw.messages.catalogue import LANGUAGES, choose_language, to_english
from pond_hw.messages.message import Message
from pond_hw.rules import PondError, Position, Variant, parse_variant

if TYPE_CHECKING:
    from pond_hw.blackbox import BlackBox
    from pond_hw.messages.message import Message
    from pond_hw.simulator.board_with_pieces import PieceOptions

Players = tuple[Player | None, Player | None]
"""Players of light and dark; None stands for a human."""


def require_unix(feature: str) -> None:
    """Raise PondError on Windows. Call this before importing a module that Windows lacks."""
    if sys.platform == "win32":
        raise PondError(Message("argument.needs_unix", feature=feature))


# Numbers, for argparse's `type`


def parse_whole_number(number_text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,12}", number_text, re.ASCII):
        raise _wrong_argument("not_whole", text=number_text[:20])
    return int(number_text)


def _wrong_argument(kind: str, **arguments: str | float) -> ArgumentTypeError:
    """Return an error for an invalid value, with the message `argument.KIND` in English, like argparse's own errors."""
    return ArgumentTypeError(to_english(Message(f"argument.{kind}", **arguments)))


def range_parser(rule: str, minimum: int, maximum: float = inf) -> Callable[[str], int]:
    """Return a parser for whole numbers in a range. Its error message contains `rule`, which states the range."""

    def parse_in_range(number_text: str) -> int:
        whole_number = parse_whole_number(number_text)
        if not minimum <= whole_number <= maximum:
            raise _wrong_argument("out_of_range", rule=rule, number=whole_number)
        return whole_number

    return parse_in_range


def count_parser(nouns: str) -> Callable[[str], int]:
    """Return a parser for positive whole numbers."""
    return range_parser(f"the number of {nouns} must be 1 or more", 1)


def decimal_parser(minimum: float, maximum: float, unit: str = "number") -> Callable[[str], float]:
    """Return a parser for numbers with up to three decimals. The unit (`seconds`, `megabytes`) selects the error message."""

    def parse_decimal(number_text: str) -> float:
        is_decimal = re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,3})?", number_text, re.ASCII)
        if not is_decimal or not minimum <= float(number_text) <= maximum:
            raise _wrong_argument(f"not_{unit}", text=number_text[:20], least=minimum, most=maximum)
        return float(number_text)

    return parse_decimal


parse_seconds = decimal_parser(0.1, 3600, "seconds")
"""Parser for a thinking time."""


# Common types of option


def add_flag(parser: ArgumentParser, option_name: str, help_text: str) -> None:
    parser.add_argument(option_name, action="store_true", help=help_text)


def add_number(
    parser: ArgumentParser,
    name: str,
    help_text: str,
    parse: Callable[[str], float] = parse_whole_number,
    **settings: Any,
) -> None:
    """Add an option that takes a number, by default a whole number."""
    parser.add_argument(name, type=parse, help=help_text, **{"metavar": "N"} | settings)


def add_list(parser: ArgumentParser, option_name: str, metavar: str, help_text: str, **settings: Any) -> None:
    """Add an option that can be given several times."""
    parser.add_argument(option_name, metavar=metavar, action="append", default=[], help=help_text, **settings)


class FileOption(Action):
    """Option that takes a file name, for argparse's `action`."""

    def __call__(
        self,
        parser: ArgumentParser,  # noqa: ARG002 - argparse's signature
        namespace: Namespace,
        values: Any,
        option_string: str | None = None,  # noqa: ARG002
    ) -> None:
        """Store the name. Raise PondError if it is empty, because the system would treat it as the current folder."""
        if not values:
            raise PondError(Message("option.needs_file", option=self.option_strings[0]))
        setattr(namespace, self.dest, values)


# Language


def add_language_option(
    parser: ArgumentParser,
    default: str = "$POND_LANGUAGE, or the system language",
    languages: Iterable[str] = LANGUAGES,
) -> None:
    codes = list(languages)
    help_text = f"language: {', '.join(codes)} ({default})"
    parser.add_argument("--language", metavar="CODE", choices=codes, help=help_text)
    parser.set_defaults(languages=codes)


def read_language(options: Namespace) -> str:
    """Return the language given by the option or the environment, or English if the command does not support it."""
    code = choose_language(options.language, os.environ)
    return code if code in options.languages else "en"


# Variants and positions


def variant_option(variant_text: str) -> Variant:
    """Parse the name of a variant, for argparse's `type`."""
    try:
        return parse_variant(variant_text)
    except PondError as error:
        raise ArgumentTypeError(to_english(error.message)) from None


def add_variant_option(parser: ArgumentParser, purpose: str, default: str = "") -> None:
    help_text = f"{purpose}: a name, or size/spawn/target such as 3x3/9/5" + (f" ({default})" if default else "")
    parser.add_argument("--variant", metavar="V", type=variant_option, help=help_text)


def add_position_arguments(
    parser: ArgumentParser, purpose: str = "a position on one line, in quotes, or a variant for its start position"
) -> None:
    """Add a position argument, and `--variant` for positions that need it."""
    parser.add_argument("position", metavar="POSITION|VARIANT", help=purpose)
    add_variant_option(parser, "the pond of the position", "standard; five rows: big")


def read_position(options: Namespace) -> Position:
    """Return the position; if a variant is given instead, return its start position."""
    if " " in options.position or "." in options.position or not options.position:
        return Position.from_notation(options.position, options.variant)
    if options.variant:
        raise PondError(Message("argument.variant_twice", variant=options.position))
    return Position.start(parse_variant(options.position))


# Boards


def add_board_option(parser: ArgumentParser, *, required: bool = True) -> None:
    help_text = "the board: a name that `pond boards` lists, or the path of your own .toml"
    default = "" if required else " (the board that the service uses)"
    parser.add_argument("--board", metavar="PROFILE", required=required, help=help_text + default)


def add_lamps_option(parser: ArgumentParser, default: str) -> None:
    """Add `--cells`, the number of lamps per cell."""
    from pond_hw.lights import LAMP_COUNTS

    lamp_counts = [str(lamp_count) for lamp_count in LAMP_COUNTS]
    help_text = f"lamps per cell: {', '.join(lamp_counts)} ({default})"
    parser.add_argument("--cells", metavar="N", choices=lamp_counts, help=help_text)


def read_lamp_count(options: Namespace) -> int | None:
    return int(options.cells) if options.cells else None


def add_piece_options(parser: ArgumentParser) -> None:
    """Add the options for a simulated board with pieces."""
    add_flag(parser, "--pieces", "play with pieces that sensors detect, not with buttons")
    add_flag(parser, "--colours", "with --pieces: the sensors detect whose piece it is")
    add_flag(parser, "--turned", "with --pieces: pieces show their kind, and you turn them over as they grow")
    help_text = "with --pieces: simulate a fault, such as bounce or stuck-on:b2; repeatable"
    add_list(parser, "--fault", "KIND[:CELL]", help_text)


def choose_pieces(options: Namespace, game_variant: Variant) -> PieceOptions | None:
    """Return the options for a simulated board with pieces, or None for a board with buttons."""
    if not options.pieces:
        if misplaced := [f"--{name}" for name in ("colours", "turned", "fault") if getattr(options, name)]:
            raise PondError(Message("argument.needs_pieces", option=misplaced[0]))
        return None
    from pond_hw.simulator.board_with_pieces import PieceOptions
    from pond_hw.simulator.sensor_faults import parse_fault

    faults = tuple(parse_fault(fault, game_variant.size) for fault in options.fault)
    return PieceOptions(faults, options.colours, options.turned, options.seed or 0)


def add_black_box_option(parser: ArgumentParser) -> None:
    help_text = "record all sensors and lamps to a new file, for `pond replay-board`"
    parser.add_argument("--record", metavar="FILE", action=FileOption, help=help_text)


@contextmanager
def open_black_box(
    options: Namespace, profile: str = "", warn: Callable[[str], None] | None = None
) -> Iterator[BlackBox | None]:
    """Open the recording named by `--record`, or yield None without that option.

    If the recording ends early, call `warn`. If `warn` is None, print a note at the end.
    """
    if options.record is None:
        yield None
        return
    from pond_hw.blackbox import BlackBox

    warnings: list[str] = []
    try:
        with closing(BlackBox(Path(options.record), options.command, profile, warn or warnings.append)) as box:
            yield box
    finally:
        for warning in warnings:
            print_note(warning)


# Players

PLAYER_CHOICES = (HUMAN, *LEVEL_NAMES, *PLAYER_NAMES[1:])
"""Allowed values for `--light` and `--dark`."""


def add_seat_options(parser: ArgumentParser, light: str, dark: str) -> None:
    """Add `--light` and `--dark`, with these default players."""
    level_words = {program: name for name, program in LEVEL_NAMES.items()}
    for side, default in (("light", light), ("dark", dark)):
        help_text = (
            f"who plays {side}: human, {', '.join(LEVEL_NAMES)}; or random, greedy, level-1 to level-12 "
            f"({level_words.get(default, default)})"
        )
        parser.add_argument(f"--{side}", metavar="PLAYER", type=_find_program, choices=PLAYER_CHOICES, help=help_text)


def _find_program(player_name: str) -> str:
    return LEVEL_NAMES.get(player_name, player_name)


def add_player_options(parser: ArgumentParser, light: str, dark: str) -> None:
    """Add the options for players: who plays, thinking time, memory, and the names of humans."""
    add_seat_options(parser, light, dark)
    add_number(
        parser, "--seed", "random seed for the programs; the same seed gives the same play (a new one each time)"
    )
    help_text = "seconds that a level may think about an action, 0.1 to 3600 (as long as it needs, at most 3)"
    add_number(parser, "--think", help_text, parse_seconds, metavar="SECONDS")
    help_text = f"megabytes that a level may use for positions, 1 to 4096 ({DEFAULT_THINKING.megabytes:g})"
    add_number(parser, "--memory", help_text, decimal_parser(1, 4096, "megabytes"), metavar="MB")
    add_flag(parser, "--ponder", "levels also think during your turn")
    help_text = "names of the human players, such as Ada,Ben; you can leave one out (,Ben)"
    parser.add_argument("--names", metavar="LIGHT,DARK", type=parse_names, help=help_text)


def parse_names(names_text: str) -> tuple[str | None, ...]:
    """Parse the names of one or two people, for argparse's `type`."""
    person_names = [person_name.strip() for person_name in names_text.split(",")]
    if len(person_names) > 2:
        raise _wrong_argument("too_many_names")
    for person_name in person_names:
        if fault := find_name_fault(person_name):
            raise ArgumentTypeError(to_english(fault))
    return tuple(person_name or None for person_name in person_names)


def choose_player_maker(options: Namespace) -> MakePlayer:
    """Return a factory of players that obey the options for thinking."""
    megabytes = DEFAULT_THINKING.megabytes if options.memory is None else options.memory
    return partial(make_player, thinking_limits=ThinkingLimits(options.think, megabytes, options.ponder))


def choose_players(options: Namespace, light: str, dark: str) -> Players:
    seed = SystemRandom().getrandbits(32) if options.seed is None else options.seed
    make_seated = choose_player_maker(options)
    return make_seated(options.light or light, seed), make_seated(options.dark or dark, seed + 1)


def choose_names(options: Namespace, players: Players) -> tuple[str | None, str | None]:
    """Return the names of the human players. Raise PondError if they don't match the players."""
    names: tuple[str | None, ...] = options.names or (None, None)
    if len(names) == 1:
        if players.count(None) != 1:
            raise PondError(Message("argument.two_names_needed"))
        names = tuple(None if player else names[0] for player in players)
    for side, player, person_name in zip(("light", "dark"), players, names, strict=True):
        if player and person_name:
            raise PondError(Message(f"argument.name_of_program.{side}", program=player.name, person=person_name))
    return names[0], names[1]


# Journals


def add_journal_option(parser: ArgumentParser, default: str = "your state folder") -> None:
    parser.add_argument("--journal", metavar="FOLDER", help=f"folder for saved games ({default})")


def add_saving_options(parser: ArgumentParser, default: str) -> None:
    """Add `--journal` and `--unsaved`."""
    add_journal_option(parser, default)
    add_flag(parser, "--unsaved", "don't save games")


def choose_journal(options: Namespace, *, use_default: bool = True) -> Path | None:
    """Return the folder for saved games, or None if games are not saved.

    Without an option, return the default folder if `use_default` is True, else None.
    """
    if getattr(options, "unsaved", False):
        if options.journal is not None:
            raise PondError(Message("argument.journal_and_unsaved"))
        return None
    if options.journal is None:
        from pond_hw.journal.folder import default_folder

        return default_folder() if use_default else None
    if not options.journal:
        raise PondError(Message("argument.journal_needs_folder"))
    folder = Path(options.journal)
    for path in (folder, *folder.parents):
        if path.is_file() or path.is_char_device():
            raise PondError(Message("argument.journal_no_folder", path=str(path)))
    return folder
