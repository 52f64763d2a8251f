"""Who plays: programs and people, what programs may take for their thinking, what people are called."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import TYPE_CHECKING

from pond_hw.commands.number_types import decimal_parser, seconds_parser
from pond_hw.commands.options import add_flag, add_number
from pond_hw.rules import PondError

if TYPE_CHECKING:
    from pond_hw.engine import Player, ThinkingLimits

LONGEST_NAME = 30
"""Letters of a player's name, at the most."""


def add_seat_options(parser: ArgumentParser, light: str, dark: str) -> None:
    """Add `--light` and `--dark`; these play if nobody is named."""
    from pond_hw.engine import PLAYER_NAMES

    for side, usual in (("light", light), ("dark", dark)):
        help_text = f"who plays {side}: human, random, greedy, or level-1 to level-8 ({usual})"
        parser.add_argument(f"--{side}", metavar="PLAYER", choices=PLAYER_NAMES, help=help_text)


def add_player_options(parser: ArgumentParser, light: str, dark: str) -> None:
    """Add who plays, how long and with how much memory programs think, and what people are called."""
    from pond_hw.engine import DEFAULT_THINKING

    add_seat_options(parser, light, dark)
    add_number(parser, "--seed", "the chances of programs (new ones each time)")
    help_text = "how long a level takes for an action, 0.1 to 3600 (until it is ready, 3 at most)"
    add_number(parser, "--think", help_text, seconds_parser(), metavar="SECONDS")
    help_text = f"how much memory a level may fill with positions, 1 to 4096 ({DEFAULT_THINKING.megabytes:g})"
    add_number(parser, "--memory", help_text, decimal_parser(1, 4096, " of megabytes"), metavar="MB")
    add_flag(parser, "--ponder", "levels go on thinking while you think")
    help_text = "what the human players are called in `pond games`, such as Ada,Ben; either may be left out (,Ben)"
    parser.add_argument("--names", metavar="LIGHT,DARK", type=parse_names, help=help_text)


def parse_names(names_text: str) -> tuple[str | None, ...]:
    """Read what one or two people are called, for argparse's `type`."""
    from pond_hw.engine import PLAYER_NAMES

    person_names = [person_name.strip() for person_name in names_text.split(",")]
    if len(person_names) > 2:
        raise ArgumentTypeError("two names are written with a comma between them, such as Ada,Ben.")
    for person_name in person_names:
        if len(person_name) > LONGEST_NAME or not person_name.isprintable():
            raise ArgumentTypeError(f"{person_name[:20]!r} is not a name of at most {LONGEST_NAME} letters.")
        if person_name.casefold() in PLAYER_NAMES:
            raise ArgumentTypeError(f"--light and --dark use the name {person_name}. Choose another one.")
    return tuple(person_name or None for person_name in person_names)


def choose_players(options: Namespace, light: str, dark: str) -> tuple[Player | None, Player | None]:
    """Who plays light and dark; these if nobody is named."""
    from random import SystemRandom

    from pond_hw.engine import make_player

    seed = SystemRandom().getrandbits(32) if options.seed is None else options.seed
    thinking = choose_thinking(options)
    return make_player(options.light or light, seed, thinking), make_player(options.dark or dark, seed + 1, thinking)


def choose_thinking(options: Namespace) -> ThinkingLimits:
    """What levels may take for their thinking."""
    from pond_hw.engine import DEFAULT_THINKING, ThinkingLimits

    megabytes = DEFAULT_THINKING.megabytes if options.memory is None else options.memory
    return ThinkingLimits(options.think, megabytes, options.ponder)


def choose_names(options: Namespace, players: tuple[Player | None, Player | None]) -> tuple[str | None, str | None]:
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
