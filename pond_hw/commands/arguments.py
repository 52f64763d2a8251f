"""What several commands take: numbers, variants, boards, players, and where games are kept.

It is loaded with every command, so it imports little; what only some commands need is imported when they ask for it.
"""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from math import inf
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING, Any

from pond_hw.commands.command_output import print_note
from pond_hw.engine import DEFAULT_THINKING, PLAYER_NAMES, Player, ThinkingLimits, make_player
from pond_hw.rules import PondError, Position, Variant, parse_variant

if TYPE_CHECKING:
    from pond_hw.blackbox import BlackBox
    from pond_hw.messages.message import Message
    from pond_hw.simulator.options import PieceOptions

Players = tuple[Player | None, Player | None]
"""Who plays light and dark; None for a human."""

LONGEST_NAME = 30
"""Letters of a player's name, at the most."""


def require_unix(feature: str) -> None:
    """See to it that this is no Windows; to be called before anything is used that Windows lacks.

    Raises:
        PondError: it is one.
    """
    if sys.platform == "win32":
        raise PondError(f"`{feature}` needs Linux or macOS; `pond play` plays here.")


# Numbers, as argparse's `type` reads them


def parse_whole_number(number_text: str) -> int:
    """Read a whole number."""
    if not re.fullmatch(r"-?[0-9]{1,12}", number_text, re.ASCII):
        raise ArgumentTypeError(f"{number_text[:20]!r} is not a whole number of at most 12 digits.")
    return int(number_text)


def range_parser(expected: str, least: int, most: float = inf) -> Callable[[str], int]:
    """What reads a whole number from `least` to `most`; `expected` begins the sentence if it is another one."""

    def parse_in_range(number_text: str) -> int:
        whole_number = parse_whole_number(number_text)
        if not least <= whole_number <= most:
            raise ArgumentTypeError(f"{expected}, not {whole_number}.")
        return whole_number

    return parse_in_range


def count_parser(nouns: str) -> Callable[[str], int]:
    """What reads how many of these: one or more."""
    return range_parser(f"a number of {nouns} is 1 or more", 1)


def decimal_parser(least: float, most: float, unit: str = "") -> Callable[[str], float]:
    """What reads a number with up to three decimals; `unit` is such as ` of seconds`."""

    def parse_decimal(number_text: str) -> float:
        is_decimal = re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,3})?", number_text, re.ASCII)
        if not is_decimal or not least <= float(number_text) <= most:
            raise ArgumentTypeError(f"{number_text[:20]!r} is not a number{unit} from {least:g} to {most:g}.")
        return float(number_text)

    return parse_decimal


parse_seconds = decimal_parser(0.1, 3600, " of seconds")
"""Reads for how many seconds somebody may think."""


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


# Variants and positions


def variant_option(variant_text: str) -> Variant:
    """Read the name of a variant, for argparse's `type`."""
    try:
        return parse_variant(variant_text)
    except PondError as error:
        raise ArgumentTypeError(str(error)) from None


def add_variant_option(parser: ArgumentParser, purpose: str) -> None:
    """Add `--variant`."""
    help_text = f"{purpose}; a name, or NxN/S/T such as 3x3/9/5"
    parser.add_argument("--variant", metavar="V", type=variant_option, help=help_text)


def add_position_arguments(
    parser: ArgumentParser, purpose: str = "a position on one line, in quotes; a variant: its start"
) -> None:
    """Add a position, and the variant that it may need."""
    parser.add_argument("position", metavar="POSITION|VARIANT", help=purpose)
    add_variant_option(parser, "the pond the position stands in (standard; five rows: big)")


def read_position(options: Namespace) -> Position:
    """The position that was asked for; that of a variant is its start.

    Raises:
        PondError: there is no such position or variant, or two variants were named.
    """
    if " " in options.position or "." in options.position or not options.position:
        return Position.from_notation(options.position, options.variant)
    if options.variant:
        raise PondError(f"{options.position} is a variant already; --variant goes with a position.")
    return Position.start(parse_variant(options.position))


# Boards: which one, how many lamps a cell has, what kind of pieces a simulated one feels, what is recorded of it


def add_board_option(parser: ArgumentParser, *, required: bool = True) -> None:
    """Add `--board`."""
    help_text = "the board: a name that `pond boards` lists, or the path of a .toml of your own"
    usual = "" if required else " (the one that the service serves)"
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
    add_flag(parser, "--pieces", "play with pieces that sensors feel, not with buttons")
    add_flag(parser, "--colours", "with --pieces: the sensors tell whose piece it is")
    add_flag(parser, "--plain", "with --pieces: they have no faces to be turned over")
    help_text = "with --pieces: what goes wrong, such as bounce or stuck-on:b2; may be given several times"
    add_list(parser, "--fault", "KIND[:CELL]", help_text)


def choose_pieces(options: Namespace, game_variant: Variant) -> PieceOptions | None:
    """The kind of pieces that was asked for, or None for buttons.

    Raises:
        PondError: what was asked for goes with pieces only, or there is no such fault.
    """
    if not options.pieces:
        if misplaced := [f"--{name}" for name in ("colours", "plain", "fault") if getattr(options, name)]:
            raise PondError(f"{misplaced[0]} goes with --pieces.")
        return None
    from pond_hw.simulator.options import PieceOptions
    from pond_hw.simulator.sensor_faults import parse_fault

    faults = tuple(parse_fault(fault, game_variant.size) for fault in options.fault)
    return PieceOptions(faults, options.colours, options.plain, options.seed or 0)


def add_black_box_option(parser: ArgumentParser) -> None:
    """Add `--record`."""
    help_text = "keep all that sensors say and lamps show in this new file, for `pond replay-board`"
    parser.add_argument("--record", metavar="FILE", help=help_text)


@contextmanager
def open_black_box(
    options: Namespace, profile: str = "", warn: Callable[[Message], None] | None = None
) -> Iterator[BlackBox | None]:
    """A new black box, if one was asked for. If it cannot be kept to the end, `warn` is told; or else it is said then.

    Raises:
        PondError: there cannot be one.
    """
    if options.record is None:
        yield None
        return
    from pond_hw.blackbox import BlackBox

    warnings: list[Message] = []
    try:
        with closing(BlackBox(Path(options.record), options.command, profile, warn or warnings.append)) as box:
            yield box
    finally:
        for warning in warnings:
            print_note(str(warning))


# Players: programs and people, what programs may take for their thinking, what people are called


def add_seat_options(parser: ArgumentParser, light: str, dark: str) -> None:
    """Add `--light` and `--dark`; these play if nobody is named."""
    for side, usual in (("light", light), ("dark", dark)):
        help_text = f"who plays {side}: human, random, greedy, or level-1 to level-8 ({usual})"
        parser.add_argument(f"--{side}", metavar="PLAYER", choices=PLAYER_NAMES, help=help_text)


def add_player_options(parser: ArgumentParser, light: str, dark: str) -> None:
    """Add who plays, how long and with how much memory programs think, and what people are called."""
    add_seat_options(parser, light, dark)
    add_number(parser, "--seed", "the chances of programs (new ones each time)")
    help_text = "how long a level takes for an action, 0.1 to 3600 (until it is ready, 3 at most)"
    add_number(parser, "--think", help_text, parse_seconds, metavar="SECONDS")
    help_text = f"how much memory a level may fill with positions, 1 to 4096 ({DEFAULT_THINKING.megabytes:g})"
    add_number(parser, "--memory", help_text, decimal_parser(1, 4096, " of megabytes"), metavar="MB")
    add_flag(parser, "--ponder", "levels go on thinking while you think")
    help_text = "what the human players are called in `pond games`, such as Ada,Ben; either may be left out (,Ben)"
    parser.add_argument("--names", metavar="LIGHT,DARK", type=parse_names, help=help_text)


def parse_names(names_text: str) -> tuple[str | None, ...]:
    """Read what one or two people are called, for argparse's `type`."""
    person_names = [person_name.strip() for person_name in names_text.split(",")]
    if len(person_names) > 2:
        raise ArgumentTypeError("two names are written with a comma between them, such as Ada,Ben.")
    for person_name in person_names:
        if len(person_name) > LONGEST_NAME or not person_name.isprintable():
            raise ArgumentTypeError(f"{person_name[:20]!r} is not a name of at most {LONGEST_NAME} letters.")
        if person_name.casefold() in PLAYER_NAMES:
            raise ArgumentTypeError(f"--light and --dark use the name {person_name}. Choose another one.")
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
            raise PondError("--names needs two names with a comma between them here, such as Ada,Ben.")
        names = tuple(None if player else names[0] for player in players)
    for side, player, person_name in zip(("light", "dark"), players, names, strict=True):
        if player and person_name:
            raise PondError(f"{side} is played by {player.name}, not by {person_name}; leave that name out of --names.")
    return names[0], names[1]


# Journals: where games are kept


def add_journal_option(parser: ArgumentParser, usual: str = "your own state folder") -> None:
    """Add `--journal`."""
    parser.add_argument("--journal", metavar="FOLDER", help=f"where games are kept ({usual})")


def add_saving_options(parser: ArgumentParser, usual: str) -> None:
    """Add `--journal`, and `--unsaved` for games that are not kept."""
    add_journal_option(parser, usual)
    add_flag(parser, "--unsaved", "keep no game")


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
            raise PondError("--journal names where games are kept, and --unsaved keeps none: give one of them.")
        return None
    if options.journal is None:
        from pond_hw.journal.location import default_folder

        return default_folder() if usual else None
    if not options.journal:
        raise PondError("--journal needs the name of a folder.")
    folder = Path(options.journal)
    for path in (folder, *folder.parents):
        if path.is_file() or path.is_char_device():
            raise PondError(f"{path} is not a folder. Name a folder for --journal.")
    return folder
