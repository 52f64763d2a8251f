"""Which board is meant, how many lamps a cell has, and what kind of pieces a simulated one feels."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from pond_hw.commands.options import add_flag, add_list
from pond_hw.rules import PondError, Variant

if TYPE_CHECKING:
    from pond_hw.simulator.options import PieceOptions


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
