"""The tables [lamps] and [strips] of a profile: the chain, and where each of its lamps is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from pond_hw.profile import pi_header
from pond_hw.profile.board_profile import LampSettings
from pond_hw.profile.faults import join_words, quote_value
from pond_hw.profile.field_kinds import parse_integer
from pond_hw.profile.fields import LAMP_FORM, TRELLIS_ROWS, LampFields, StripFields
from pond_hw.profile.toml_table import DrawnThings, GridDrawing, LocatedList, TomlTable
from pond_hw.rules import get_grid

MAX_CELL_SIDE = 8
"""Lamps along the side of a cell: for more nothing is drawn that could be shown."""

DEFAULT_SLEW_SHARE = 0.3
"""The share of the budget by which the current may rise in a frame, if nothing is said."""

DARK_LAMP_MA = 1.0
"""What a lamp draws that shows nothing, in mA."""

VISIBLE_LAMP_MA = 2.0
"""What a lamp must be given so that it can be seen at all, in mA: as much again."""


class ParsedLamps(NamedTuple):
    """What the table says, as far as it can be read.

    Attributes:
        table: where it is.
        driver: what drives the lamps.
        pin: the GPIO that their data leaves by, if this driver can send by it; or some driver, if it is not known.
        drawn_lamps: the number of each lamp that is drawn, its cell, and where it is drawn.
        budget_ma: what they may draw, in mA; NaN if that cannot be read.
        chain: all of it, if all of it could be read.
    """

    table: TomlTable
    driver: str | None
    pin: int | None
    drawn_lamps: DrawnThings[int]
    budget_ma: float
    chain: LampSettings | None

    @property
    def uses_spi(self) -> bool:
        """Whether the lamps need SPI0."""
        return self.driver == "spi" or self.pin == pi_header.SPI0.mosi


class ParsedStrips(NamedTuple):
    """The score strips: for light and for dark the lamps from the first point on."""

    light: LocatedList[int]
    dark: LocatedList[int]


def parse_strips(root: TomlTable) -> ParsedStrips:
    """Read [strips], as far as that can be done."""
    table = root.read_table("strips")
    if "strips" not in root:
        return ParsedStrips(LocatedList([], 0), LocatedList([], 0))
    strips = ParsedStrips(*(table.read_list(side, parse_integer) for side in (StripFields.light, StripFields.dark)))
    table.check_keys()
    light, dark = strips.light.length, strips.dark.length
    if light is not None and dark is not None and (not light or light != dark):
        sentence = f"Both strips must have the same number of lamps, at least one: light has {light} and dark {dark}."
        table.add_fault("dark", sentence)
    return strips


def parse_lamps(root: TomlTable, strips: ParsedStrips, size: int | None) -> ParsedLamps:
    """Read [lamps].

    Args:
        root: the whole profile.
        strips: the score strips, as far as they can be read.
        size: the board's rows and columns, if they are known.
    """
    table = root.read_table("lamps", "driver, pin, count, budget_ma and cells")
    driver = table.read_field(LampFields.driver)
    is_trellis = driver == "neotrellis"
    pin = _parse_data_pin(table, driver)
    count = table.read_field(LampFields.count)
    size, max_side = (TRELLIS_ROWS, 1) if is_trellis else (size, MAX_CELL_SIDE)
    drawing = table.read_drawing("cells", size, LAMP_FORM, max_side)
    unused = table.read_list(LampFields.unused, parse_integer)
    colours = LampFields.colours.default if is_trellis else table.read_field(LampFields.colours)
    brightness = table.read_number(LampFields.brightness)
    budget = table.read_number(LampFields.budget_ma)
    slew = table.read_number(replace(LampFields.slew_ma, default=DEFAULT_SLEW_SHARE * budget))
    elsewhere = {"pin": f"No GPIO sends data to these lamps, the driver being {quote_value(driver)}. Leave `pin` out."}
    if is_trellis:
        elsewhere["colours"] = "The lamps of a NeoTrellis are known to take GRB. Leave `colours` out."
    table.check_keys(elsewhere)

    if is_trellis:  # whatever is written, its lamps are known
        count = _check_trellis_count(table, count)
    _check_numbers(
        table, count, drawing, {"light's strip": strips.light, "dark's strip": strips.dark, "`unused`": unused}
    )
    _check_currents(table, count, budget, slew)
    chain = None
    if driver and count and size and colours:
        chain = LampSettings(
            driver=driver,
            data_pin=pin,
            lamp_count=count,
            lamps_per_cell=drawing.words_per_side**2,
            cell_positions=tuple(lamp for cell in get_grid(size).cells for lamp, at, _ in drawing.things if at == cell),
            strip_positions=(strips.light.values, strips.dark.values),
            colour_order=colours,
            brightness=brightness,
            budget_ma=budget,
            slew_ma=slew,
        )
    return ParsedLamps(table, driver, pin, drawing.things, budget, chain)


def _parse_data_pin(table: TomlTable, driver: str | None) -> int | None:
    """The GPIO that the data leaves by, if this driver, or some driver if it is not known, can send by it."""
    if driver is not None and driver not in pi_header.LAMP_PINS:
        return None
    pin = table.read_field(LampFields.pin if driver else replace(LampFields.pin, example=""))
    fit = pi_header.LAMP_PINS[driver or "auto"]  # which knows all that any driver knows
    if pin is None or pin in fit:
        return pin
    if driver:
        why = "" if driver == "spi" else " (SPI 10, PWM 12 and 18, PCM 21)"
        table.add_fault("pin", f'The driver "{driver}" sends by GPIO {join_words(fit, "or")}{why}, not by {pin}.')
    return None


def _check_trellis_count(table: TomlTable, count: int | None) -> int:
    known = TRELLIS_ROWS**2
    if count not in (known, None):
        table.add_fault("count", f"A NeoTrellis has {known} lamps: write {known}, not {count}.")
    return known


def _check_currents(table: TomlTable, count: int | None, budget: float, slew: float) -> None:
    """Dark lamps draw current too, and what is left must light them; and it cannot rise by more than all of it."""
    least = VISIBLE_LAMP_MA * (count or 0)
    if budget < least:
        table.add_fault(
            "budget_ma",
            f"{count} lamps draw {DARK_LAMP_MA * (count or 0):g} mA when they are dark, and need as much again to be "
            f"seen: write {least:g} or more, not {budget:g}.",
        )
    if slew > budget:
        sentence = f"The current cannot rise by more than the budget: write {budget:g} or less, not {slew:g}."
        table.add_fault("slew_ma", sentence)


def _check_numbers(
    table: TomlTable, count: int | None, drawing: GridDrawing[int], lists: dict[str, LocatedList[int]]
) -> None:
    """Every lamp of the chain has one place: in a cell, or in one of these lists.

    Args:
        table: [lamps].
        count: how many lamps there are, if that is known.
        drawing: those in the cells.
        lists: the others, by what they are in.
    """
    located = [*drawing.things, *((lamp, name, place) for name, lamps in lists.items() for lamp, place in lamps.items)]
    first: dict[int, str] = {}
    for lamp, part, place in sorted(located, key=lambda drawn: drawn[2].line):
        if lamp < 0 or (count is not None and lamp >= count):
            why = "the first is 0" if count is None else f"the chain has {count}, from 0 to {count - 1}"
            table.faults.append(place.make_fault(f"There is no lamp {_format_lamp_number(lamp)}: {why}."))
        elif lamp in first:
            both = f"in {part}" if first[lamp] == part else f"in {first[lamp]} and in {part}"
            sentence = f"Lamp {_format_lamp_number(lamp)} is used twice, {both}. Each lamp of the chain has one place."
            table.faults.append(place.make_fault(sentence))
        first.setdefault(lamp, part)
    if drawing.is_complete and all(lamps.is_complete for lamps in lists.values()):
        _check_all_placed(table, [lamp for lamp in range(count or 0) if lamp not in first])


def _check_all_placed(table: TomlTable, missing: Sequence[int]) -> None:
    if missing:
        lost = f"Lamp {missing[0]} is" if len(missing) == 1 else f"Lamps {_format_ranges(missing)} are"
        table.add_fault(
            "cells",
            f"{lost} nowhere. Draw every lamp where it is, list those that stay dark under `unused`, or mend `count`.",
        )


def _format_lamp_number(number: int) -> str:
    return str(number) if abs(number) < 10**6 else "with so large a number"


def _format_ranges(numbers: Sequence[int]) -> str:
    """Numbers in rising order, neighbours together: `3, 5 to 8 and 10`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return join_words(f"{run[0]} to {run[-1]}" if len(run) > 2 else join_words(run) for run in runs)
