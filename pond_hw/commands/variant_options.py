"""The variant, and the position of one, that a command is about."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace

from pond_hw.rules import PondError, Position, Variant, parse_variant


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
