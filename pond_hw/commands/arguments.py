"""What several commands take: numbers, variants, boards, players, and where games are kept.

It is loaded with every command, so it imports little; what only some commands need is imported when they ask for it.
"""

from __future__ import annotations

import os
import re
import sys
from argparse import Action, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
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
"""Who plays light and dark; None for a human."""


def require_unix(feature: str) -> None:
    """Refuse to run on Windows. Call this before anything is used that Windows lacks.

    Raises:
        PondError: this is Windows.
    """
    if sys.platform == "win32":
        raise PondError(Message("argument.needs_unix", feature=feature))


# Numbers, as argparse's `type` reads them


def parse_whole_number(number_text: str) -> int:
    """Read a whole number."""
    if not re.fullmatch(r"-?[0-9]{1,12}", number_text, re.ASCII):
        raise _wrong_argument("not_whole", text=number_text[:20])
    return int(number_text)


def _wrong_argument(kind: str, **arguments: str | float) -> ArgumentTypeError:
    """What is wrong with the value of an option: the message `argument.KIND`, in English like all that argparse says."""
    return ArgumentTypeError(to_english(Message(f"argument.{kind}", **arguments)))


def range_parser(rule: str, least: int, most: float = inf) -> Callable[[str], int]:
    """What reads a whole number from `least` to `most`; if it is another one, the error states the rule."""

    def parse_in_range(number_text: str) -> int:
        whole_number = parse_whole_number(number_text)
        if not least <= whole_number <= most:
            raise _wrong_argument("out_of_range", rule=rule, number=whole_number)
        return whole_number

    return parse_in_range


def count_parser(nouns: str) -> Callable[[str], int]:
    """What reads how many of these: one or more."""
    return range_parser(f"a number of {nouns} is 1 or more", 1)


def decimal_parser(least: float, most: float, unit: str = "number") -> Callable[[str], float]:
    """What reads a number with up to three decimals; the unit is `seconds` or `megabytes`, if there is one."""

    def parse_decimal(number_text: str) -> float:
        is_decimal = re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,3})?", number_text, re.ASCII)
        if not is_decimal or not least <= float(number_text) <= most:
            raise _wrong_argument(f"not_{unit}", text=number_text[:20], least=least, most=most)
        return float(number_text)

    return parse_decimal


parse_seconds = decimal_parser(0.1, 3600, "seconds")
"""Reads how long a program may think."""


# Options of the usual kinds


def add_flag(parser: ArgumentParser, option_name: str, help_text: str) -> None:
    """Add an option that is given or not."""
    parser.add_argument(option_name, action="store_true", help=help_text)


def add_number(
    parser: ArgumentParser,
    name: str,
    help_text: str,
    parse: Callable[[str], float] = parse_whole_number,
    **settings: Any,
) -> None:
    """Add an option with a number, which `parse` reads; a whole one, if nothing is said."""
    parser.add_argument(name, type=parse, help=help_text, **{"metavar": "N"} | settings)


def add_list(parser: ArgumentParser, option_name: str, metavar: str, help_text: str, **settings: Any) -> None:
    """Add an option that may be given several times."""
    parser.add_argument(option_name, metavar=metavar, action="append", default=[], help=help_text, **settings)


class FileOption(Action):
    """An option with the name of a file, for argparse's `action`."""

    def __call__(
        self,
        parser: ArgumentParser,  # noqa: ARG002 - argparse's signature
        namespace: Namespace,
        values: Any,
        option_string: str | None = None,  # noqa: ARG002
    ) -> None:
        """Keep the name.

        Raises:
            PondError: it is empty, which to the system would be a folder, the one where we are.
        """
        if not values:
            raise PondError(Message("option.needs_file", option=self.option_strings[0]))
        setattr(namespace, self.dest, values)


# The language


def add_language_option(
    parser: ArgumentParser, default: str = "$POND_LANGUAGE, or the system's", languages: Iterable[str] = LANGUAGES
) -> None:
    """Add `--language`."""
    codes = list(languages)
    help_text = f"the language: {', '.join(codes)} ({default})"
    parser.add_argument("--language", metavar="CODE", choices=codes, help=help_text)
    parser.set_defaults(languages=codes)


def read_language(options: Namespace) -> str:
    """Return the language that was asked for, or that of the system; English if the command has no such language."""
    code = choose_language(options.language, os.environ)
    return code if code in options.languages else "en"


# Variants and positions


def variant_option(variant_text: str) -> Variant:
    """Read the name of a variant, for argparse's `type`."""
    try:
        return parse_variant(variant_text)
    except PondError as error:
        raise ArgumentTypeError(to_english(error.message)) from None


def add_variant_option(parser: ArgumentParser, purpose: str) -> None:
    """Add `--variant`."""
    help_text = f"{purpose}; a name, or NxN/S/T such as 3x3/9/5"
    parser.add_argument("--variant", metavar="V", type=variant_option, help=help_text)


def add_position_arguments(
    parser: ArgumentParser, purpose: str = "a position on one line, in quotes; or a variant, for its start"
) -> None:
    """Add a position, and the variant that it may need."""
    parser.add_argument("position", metavar="POSITION|VARIANT", help=purpose)
    add_variant_option(parser, "the pond of the position (standard; with five rows: big)")


def read_position(options: Namespace) -> Position:
    """The position that was asked for; that of a variant is its start.

    Raises:
        PondError: there is no such position or variant, or two variants were named.
    """
    if " " in options.position or "." in options.position or not options.position:
        return Position.from_notation(options.position, options.variant)
    if options.variant:
        raise PondError(Message("argument.variant_twice", variant=options.position))
    return Position.start(parse_variant(options.position))


# Boards: which one, how many lamps a cell has, what kind of pieces a simulated one feels, what is recorded of it


def add_board_option(parser: ArgumentParser, *, required: bool = True) -> None:
    """Add `--board`."""
    help_text = "the board: a name that `pond boards` lists, or the path of your own .toml"
    usual = "" if required else " (the board that the service uses)"
    parser.add_argument("--board", metavar="PROFILE", required=required, help=help_text + usual)


def add_lamps_option(parser: ArgumentParser, usual: str) -> None:
    """Add `--cells`, the number of lamps in a cell."""
    from pond_hw.lights import LAMP_COUNTS

    lamp_counts = [str(lamp_count) for lamp_count in LAMP_COUNTS]
    help_text = f"lamps in a cell: {', '.join(lamp_counts)} ({usual})"
    parser.add_argument("--cells", metavar="N", choices=lamp_counts, help=help_text)


def read_lamp_count(options: Namespace) -> int | None:
    """How many lamps in a cell were asked for, if anybody did."""
    return int(options.cells) if options.cells else None


def add_piece_options(parser: ArgumentParser) -> None:
    """Add what turns the buttons of a simulated board into pieces that it feels."""
    add_flag(parser, "--pieces", "play with pieces that sensors detect, not with buttons")
    add_flag(parser, "--colours", "with --pieces: the sensors know whose piece it is")
    add_flag(parser, "--turned", "with --pieces: they show what they are, and you turn them over as they grow")
    help_text = "with --pieces: a fault, such as bounce or stuck-on:b2; may be given several times"
    add_list(parser, "--fault", "KIND[:CELL]", help_text)


def choose_pieces(options: Namespace, game_variant: Variant) -> PieceOptions | None:
    """The kind of pieces that was asked for, or None for buttons.

    Raises:
        PondError: what was asked for goes with pieces only, or there is no such fault.
    """
    if not options.pieces:
        if misplaced := [f"--{name}" for name in ("colours", "turned", "fault") if getattr(options, name)]:
            raise PondError(Message("argument.needs_pieces", option=misplaced[0]))
        return None
    from pond_hw.simulator.board_with_pieces import PieceOptions
    from pond_hw.simulator.sensor_faults import parse_fault

    faults = tuple(parse_fault(fault, game_variant.size) for fault in options.fault)
    return PieceOptions(faults, options.colours, options.turned, options.seed or 0)


def add_black_box_option(parser: ArgumentParser) -> None:
    """Add `--record`."""
    help_text = "record all sensors and lamps in this new file, for `pond replay-board`"
    parser.add_argument("--record", metavar="FILE", action=FileOption, help=help_text)


@contextmanager
def open_black_box(
    options: Namespace, profile: str = "", warn: Callable[[str], None] | None = None
) -> Iterator[BlackBox | None]:
    """A new black box, if one was asked for. If it cannot be kept to the end, `warn` is told; or else it is said then.

    Raises:
        PondError: there cannot be one.
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


# Players: programs and people, what programs may take for their thinking, what people are called

PLAYER_CHOICES = (HUMAN, *LEVEL_NAMES, *PLAYER_NAMES[1:])
"""Everything that `--light` and `--dark` take."""


def add_seat_options(parser: ArgumentParser, light: str, dark: str) -> None:
    """Add `--light` and `--dark`; these play if nobody is named."""
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
    """Add who plays, how long and with how much memory programs think, and what people are called."""
    add_seat_options(parser, light, dark)
    add_number(parser, "--seed", "makes programs play the same again (new each time)")
    help_text = "how long a level thinks about an action, 0.1 to 3600 (until it is ready, at most 3)"
    add_number(parser, "--think", help_text, parse_seconds, metavar="SECONDS")
    help_text = f"how much memory a level may use for positions, 1 to 4096 ({DEFAULT_THINKING.megabytes:g})"
    add_number(parser, "--memory", help_text, decimal_parser(1, 4096, "megabytes"), metavar="MB")
    add_flag(parser, "--ponder", "levels also think during your turn")
    help_text = "the names of the human players, such as Ada,Ben; you can leave one out (,Ben)"
    parser.add_argument("--names", metavar="LIGHT,DARK", type=parse_names, help=help_text)


def parse_names(names_text: str) -> tuple[str | None, ...]:
    """Read what one or two people are called, for argparse's `type`."""
    person_names = [person_name.strip() for person_name in names_text.split(",")]
    if len(person_names) > 2:
        raise _wrong_argument("too_many_names")
    for person_name in person_names:
        if fault := find_name_fault(person_name):
            raise ArgumentTypeError(to_english(fault))
    return tuple(person_name or None for person_name in person_names)


def choose_thinking(options: Namespace) -> ThinkingLimits:
    """What levels may take for their thinking."""
    megabytes = DEFAULT_THINKING.megabytes if options.memory is None else options.memory
    return ThinkingLimits(options.think, megabytes, options.ponder)


def choose_players(options: Namespace, light: str, dark: str) -> Players:
    """Who plays light and dark; these if nobody is named."""
    seed = SystemRandom().getrandbits(32) if options.seed is None else options.seed
    thinking = choose_thinking(options)
    return make_player(options.light or light, seed, thinking), make_player(options.dark or dark, seed + 1, thinking)


def choose_names(options: Namespace, players: Players) -> tuple[str | None, str | None]:
    """What the human players are called.

    Raises:
        PondError: a name was given to a program, or one name to two humans.
    """
    names: tuple[str | None, ...] = options.names or (None, None)
    if len(names) == 1:
        if players.count(None) != 1:
            raise PondError(Message("argument.two_names_needed"))
        names = tuple(None if player else names[0] for player in players)
    for side, player, person_name in zip(("light", "dark"), players, names, strict=True):
        if player and person_name:
            raise PondError(Message(f"argument.name_of_program.{side}", program=player.name, person=person_name))
    return names[0], names[1]


# Journals: where games are kept


def add_journal_option(parser: ArgumentParser, usual: str = "your own state folder") -> None:
    """Add `--journal`."""
    parser.add_argument("--journal", metavar="FOLDER", help=f"where games are kept ({usual})")


def add_saving_options(parser: ArgumentParser, usual: str) -> None:
    """Add `--journal`, and `--unsaved` for games that are not kept."""
    add_journal_option(parser, usual)
    add_flag(parser, "--unsaved", "keep no games")


def choose_journal(options: Namespace, *, usual: bool = True) -> Path | None:
    """Where games are kept; None if nowhere.

    Args:
        options: what was given.
        usual: whether they are kept in the usual folder if none is named.

    Raises:
        PondError: what was asked for contradicts itself.
    """
    if getattr(options, "unsaved", False):
        if options.journal is not None:
            raise PondError(Message("argument.journal_and_unsaved"))
        return None
    if options.journal is None:
        from pond_hw.journal.folder import default_folder

        return default_folder() if usual else None
    if not options.journal:
        raise PondError(Message("argument.journal_needs_folder"))
    folder = Path(options.journal)
    for path in (folder, *folder.parents):
        if path.is_file() or path.is_char_device():
            raise PondError(Message("argument.journal_no_folder", path=str(path)))
    return folder
