"""Numbers on the command line, as argparse's `type` reads them."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from collections.abc import Callable


def parse_whole_number(number_text: str) -> int:
    """Read a whole number."""
    if not re.fullmatch(r"-?[0-9]{1,12}", number_text, re.ASCII):
        raise ArgumentTypeError(f"{number_text[:20]!r} is not a whole number of at most 12 digits.")
    return int(number_text)


def count_parser(nouns: str) -> Callable[[str], int]:
    """What reads how many of these: one or more."""

    def parse_count(number_text: str) -> int:
        item_count = parse_whole_number(number_text)
        if item_count < 1:
            raise ArgumentTypeError(f"a number of {nouns} is 1 or more, not {item_count}.")
        return item_count

    return parse_count


def range_parser(meaning: str, least: int, most: int) -> Callable[[str], int]:
    """What reads a whole number from `least` to `most`; `meaning` begins the sentence if it is another one."""

    def parse_in_range(number_text: str) -> int:
        whole_number = parse_whole_number(number_text)
        if not least <= whole_number <= most:
            raise ArgumentTypeError(f"{meaning} {least} to {most}, not {whole_number}.")
        return whole_number

    return parse_in_range


def decimal_parser(least: float, most: float, unit: str = "") -> Callable[[str], float]:
    """What reads a number with up to three decimals; `unit` is such as ` of seconds`."""

    def parse_decimal(text: str) -> float:
        if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,3})?", text, re.ASCII) or not least <= float(text) <= most:
            raise ArgumentTypeError(f"{text[:20]!r} is not a number{unit} from {least:g} to {most:g}.")
        return float(text)

    return parse_decimal


def seconds_parser() -> Callable[[str], float]:
    """What reads for how many seconds somebody may think."""
    return decimal_parser(0.1, 3600, " of seconds")
