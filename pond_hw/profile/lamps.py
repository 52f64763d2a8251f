"""The tables [lamps] and [strips] of a profile: the chain, and where each of its lamps is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from pond_hw.messages.plurals import join_words
from pond_hw.profile import pi_header
from pond_hw.profile.board_profile import LampSettings
from pond_hw.profile.faults import quote_value
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


ParsedStrips = tuple[LocatedList[int], LocatedList[int]]
"""The score strips: for light and for dark the lamps from the first point on."""


def parse_strips(root: TomlTable) -> ParsedStrips:
    """Read [strips], as far as that can be done."""
    table = root.read_table("strips")
    if "strips" not in root.values:
        return LocatedList([], 0), LocatedList([], 0)
    light_strip, dark_strip = (table.read_list(side, parse_integer) for side in (StripFields.light, StripFields.dark))
    table.check_keys()
    light, dark = light_strip.length, dark_strip.length
    if light is not None and dark is not None and (not light or light != dark):
        sentence = f"Both strips must have the same number of lamps, at least one: light has {light} and dark {dark}."
        table.add_fault("dark", sentence)
    return light_strip, dark_strip


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
    lamp_count = table.read_field(LampFields.count)
    size, max_side = (TRELLIS_ROWS, 1) if is_trellis else (size, MAX_CELL_SIDE)
    drawing = table.read_drawing("cells", size, LAMP_FORM, max_side)
    unused = table.read_list(LampFields.unused, parse_integer)
    colour_order = LampFields.colours.default if is_trellis else table.read_field(LampFields.colours)
    brightness = table.read_number(LampFields.brightness)
    budget_ma = table.read_number(LampFields.budget_ma)
    slew_ma = table.read_number(replace(LampFields.slew_ma, default=DEFAULT_SLEW_SHARE * budget_ma))
    elsewhere = {"pin": f"No GPIO sends data to these lamps, the driver being {quote_value(driver)}. Leave `pin` out."}
    if is_trellis:
        elsewhere["colours"] = "The lamps of a NeoTrellis are known to take GRB. Leave `colours` out."
    table.check_keys(elsewhere)

    if is_trellis:  # whatever is written, its lamps are known
        if lamp_count not in (TRELLIS_ROWS**2, None):
            sentence = f"A NeoTrellis has {TRELLIS_ROWS**2} lamps: write {TRELLIS_ROWS**2}, not {lamp_count}."
            table.add_fault("count", sentence)
        lamp_count = TRELLIS_ROWS**2
    lamp_lists = {"light's strip": strips[0], "dark's strip": strips[1], "`unused`": unused}
    _check_numbers(table, lamp_count, drawing, lamp_lists)
    _check_currents(table, lamp_count, budget_ma, slew_ma)
    chain = None
    if driver and lamp_count and size and colour_order:
        places = tuple(lamp for cell in get_grid(size).cells for lamp, at, _ in drawing.things if at == cell)
        lamps_per_cell, strip_places = drawing.words_per_side**2, (strips[0].values, strips[1].values)
        chain = LampSettings(
            driver, pin, lamp_count, lamps_per_cell, places, strip_places, colour_order, brightness, budget_ma, slew_ma
        )
    return ParsedLamps(table, driver, pin, drawing.things, budget_ma, chain)


def _parse_data_pin(table: TomlTable, driver: str | None) -> int | None:
    """The GPIO that the data leaves by, if this driver, or some driver if it is not known, can send by it."""
    if driver is not None and driver not in pi_header.LAMP_PINS:
        return None
    pin = table.read_field(LampFields.pin if driver else replace(LampFields.pin, example=""))
    fit = pi_header.LAMP_PINS[driver or "auto"]  # which knows all that any driver knows
    if pin is None or pin in fit:
        return pin
    if driver:
        pin_list = "" if driver == "spi" else " (SPI 10, PWM 12 and 18, PCM 21)"
        table.add_fault("pin", f'The driver "{driver}" sends by GPIO {join_words(fit, "or")}{pin_list}, not by {pin}.')
    return None


def _check_currents(table: TomlTable, count: int | None, budget_ma: float, slew_ma: float) -> None:
    """Dark lamps draw current too, and what is left must light them; and it cannot rise by more than all of it."""
    least_ma = VISIBLE_LAMP_MA * (count or 0)
    if budget_ma < least_ma:
        dark_text = f"{count} lamps draw {DARK_LAMP_MA * (count or 0):g} mA when they are dark"
        advice = f"write {least_ma:g} or more, not {budget_ma:g}"
        table.add_fault("budget_ma", f"{dark_text}, and need as much again to be seen: {advice}.")
    if slew_ma > budget_ma:
        sentence = f"The current cannot rise by more than the budget: write {budget_ma:g} or less, not {slew_ma:g}."
        table.add_fault("slew_ma", sentence)


def _check_numbers(
    table: TomlTable, count: int | None, grid_drawing: GridDrawing[int], lamp_lists: dict[str, LocatedList[int]]
) -> None:
    """Every lamp of the chain has one place: in a cell, or in one of these lists.

    Args:
        table: [lamps].
        count: how many lamps there are, if that is known.
        grid_drawing: those in the cells.
        lamp_lists: the others, by what they are in.
    """
    located_lamps = [*grid_drawing.things]
    for list_name, listed_lamps in lamp_lists.items():
        located_lamps += ((lamp, list_name, location) for lamp, location in listed_lamps.items)
    first: dict[int, str] = {}
    for lamp, part_name, location in sorted(located_lamps, key=lambda drawn: drawn[2].line):
        if sentence := _misplaced_sentence(lamp, count, part_name, first.get(lamp)):
            table.faults.append(location.make_fault(sentence))
        first.setdefault(lamp, part_name)
    is_complete = grid_drawing.is_complete and all(listed_lamps.is_complete for listed_lamps in lamp_lists.values())
    if is_complete and (missing := [lamp for lamp in range(count or 0) if lamp not in first]):
        lost = f"Lamp {missing[0]} is" if len(missing) == 1 else f"Lamps {_format_ranges(missing)} are"
        advice = "Draw every lamp where it is, list those that stay dark under `unused`, or mend `count`."
        table.add_fault("cells", f"{lost} nowhere. {advice}")


def _misplaced_sentence(lamp: int, count: int | None, part_name: str, first_part: str | None) -> str:
    """What is wrong with a lamp in this part of the board, after it may have been in another one; else nothing."""
    lamp_name = str(lamp) if abs(lamp) < 10**6 else "with so large a number"
    if not 0 <= lamp < (math.inf if count is None else count):
        range_text = "the first is 0" if count is None else f"the chain has {count}, from 0 to {count - 1}"
        return f"There is no lamp {lamp_name}: {range_text}."
    if first_part:
        both_places = f"in {part_name}" if first_part == part_name else f"in {first_part} and in {part_name}"
        return f"Lamp {lamp_name} is used twice, {both_places}. Each lamp of the chain has one place."
    return ""


def _format_ranges(lamp_numbers: Sequence[int]) -> str:
    """Numbers in rising order, neighbours together: `3, 5 to 8 and 10`."""
    numbered_runs = groupby(enumerate(lamp_numbers), lambda numbered: numbered[1] - numbered[0])
    runs = [[lamp_number for _, lamp_number in run] for _, run in numbered_runs]
    return join_words(f"{run[0]} to {run[-1]}" if len(run) > 2 else join_words(run) for run in runs)
