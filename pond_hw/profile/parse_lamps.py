"""Parse [lamps] and [strips] of a profile: the chain, and the position of each lamp."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from pond_hw.messages.message import Message
from pond_hw.profile import pi_header
from pond_hw.profile.board_profile import LampSettings
from pond_hw.profile.faults import quote_text, quote_value
from pond_hw.profile.field_kinds import parse_integer
from pond_hw.profile.fields import LAMP_FORM, TRELLIS_ROWS, LampFields, StripFields
from pond_hw.profile.toml_table import DrawnValues, GridDrawing, LocatedList, TomlTable
from pond_hw.rules import Cell, get_grid

MAX_CELL_SIDE = 8
"""Maximum number of lamps along the side of a cell; no animation uses more."""

DEFAULT_SLEW_SHARE = 0.3
"""Default maximum rise of the current per frame, as a fraction of the budget."""

DARK_LAMP_MA = 1.0
"""Current of a dark lamp in mA."""

VISIBLE_LAMP_MA = 2.0
"""Minimum current in mA at which a lamp is visible: twice that of a dark lamp."""


class ParsedLamps(NamedTuple):
    """Contents of [lamps], as far as they are readable.

    Attributes:
        pin: data GPIO, if the driver supports it or is unknown.
        drawn_lamps: number, cell and location of each drawn lamp.
        budget_ma: maximum current in mA; NaN if unreadable.
        chain: complete settings; None after a fault.
    """

    table: TomlTable
    driver: str | None
    pin: int | None
    drawn_lamps: DrawnValues[int]
    budget_ma: float
    chain: LampSettings | None


ParsedStrips = tuple[LocatedList[int], LocatedList[int]]


def parse_strips(root: TomlTable) -> ParsedStrips:
    table = root.read_table("strips")
    if "strips" not in root.values:
        return LocatedList([], 0), LocatedList([], 0)
    light_strip, dark_strip = (table.read_list(side, parse_integer) for side in (StripFields.light, StripFields.dark))
    table.check_keys()
    light, dark = light_strip.length, dark_strip.length
    if light is not None and dark is not None and (not light or light != dark):
        table.add_fault("dark", Message("profile.strips.unequal", light=light, dark=dark))
    return light_strip, dark_strip


def parse_lamps(
    root: TomlTable, strips: ParsedStrips, key_lamps: LocatedList[int], size: int | None, *, any_pin: bool = False
) -> ParsedLamps:
    """Parse [lamps].

    Args:
        root: the whole profile.
        strips: score strips, as far as they are readable.
        key_lamps: lamps of the turn keys, as far as they are readable.
        size: number of rows and columns, if known.
        any_pin: True for a Pico, which drives lamps on any pin and has no encoding.
    """
    table = root.read_table("lamps", "driver", "pin", "count", "budget_ma", "cells")
    driver = table.read_field(LampFields.driver)
    is_trellis = driver == "neotrellis"
    pin = table.read_field(LampFields.pin) if any_pin else _parse_data_pin(table, driver)
    lamp_count = table.read_field(LampFields.count)
    size, max_side = (TRELLIS_ROWS, 1) if is_trellis else (size, MAX_CELL_SIDE)
    drawing = table.read_drawing("cells", size, LAMP_FORM, max_side)
    unused = table.read_list(LampFields.unused, parse_integer)
    colour_order = LampFields.colours.default if is_trellis else table.read_field(LampFields.colours)
    is_by_spi = driver in ("auto", "spi", None) and not any_pin
    encoding = table.read_field(LampFields.encoding) if is_by_spi else LampFields.encoding.default
    brightness = table.read_number(LampFields.brightness)
    budget_ma = table.read_number(LampFields.budget_ma)
    slew_ma = table.read_number(replace(LampFields.slew_ma, default=DEFAULT_SLEW_SHARE * budget_ma))
    elsewhere = {"pin": Message("profile.lamps.needless_pin", driver=quote_text(driver or ""))}
    if is_trellis:
        elsewhere["colours"] = Message("profile.trellis.colours")
    if any_pin:
        elsewhere["encoding"] = Message("profile.pico.encoding")
    elif not is_by_spi:
        elsewhere["encoding"] = Message("profile.lamps.needless_encoding", driver=quote_text(driver or ""))
    table.check_keys(elsewhere)

    if is_trellis:  # its lamps are known, whatever the profile says
        if lamp_count not in (TRELLIS_ROWS**2, None):
            table.add_fault("count", Message("profile.trellis.count", lamps=TRELLIS_ROWS**2, found=lamp_count))
        lamp_count = TRELLIS_ROWS**2
    lamp_lists = {"strips.light": strips[0], "strips.dark": strips[1], "keys.lamps": key_lamps, "lamps.unused": unused}
    _check_numbers(table, lamp_count, drawing, lamp_lists)
    _check_currents(table, lamp_count, budget_ma, slew_ma)
    chain = None
    if driver and lamp_count and size and colour_order and encoding:
        places = tuple(lamp for cell in get_grid(size).cells for lamp, at, _ in drawing.drawn_values if at == cell)
        lamps_per_cell, strip_places = drawing.words_per_side**2, (strips[0].values, strips[1].values)
        lights = colour_order, brightness, budget_ma, slew_ma, encoding
        chain = LampSettings(
            driver, pin, lamp_count, lamps_per_cell, places, strip_places, *lights, key_positions=key_lamps.values
        )
    return ParsedLamps(table, driver, pin, drawing.drawn_values, budget_ma, chain)


def _parse_data_pin(table: TomlTable, driver: str | None) -> int | None:
    """Return the data GPIO, if the driver supports it or is unknown."""
    if driver is not None and driver not in pi_header.LAMP_PINS:
        return None
    pin = table.read_field(LampFields.pin if driver else replace(LampFields.pin, example=""))
    fit = pi_header.LAMP_PINS[driver or "auto"]  # `auto` covers all drivers
    if pin is None or pin in fit:
        return pin
    if driver == "spi":
        table.add_fault("pin", Message("profile.lamps.wrong_pin_for_spi", pin=pin))
    elif driver:
        gpios = tuple(map(str, fit))
        table.add_fault("pin", Message("profile.lamps.wrong_pin", driver=quote_text(driver), gpios=gpios, pin=pin))
    return None


def _check_currents(table: TomlTable, count: int | None, budget_ma: float, slew_ma: float) -> None:
    if count and budget_ma < VISIBLE_LAMP_MA * count:
        currents = {"dark": DARK_LAMP_MA * count, "least": VISIBLE_LAMP_MA * count, "budget": budget_ma}
        table.add_fault("budget_ma", Message("profile.budget.too_low", count=count, **currents))
    if slew_ma > budget_ma:
        table.add_fault("slew_ma", Message("profile.slew.too_high", budget=budget_ma, slew=slew_ma))


def _check_numbers(
    table: TomlTable, count: int | None, grid_drawing: GridDrawing[int], lamp_lists: dict[str, LocatedList[int]]
) -> None:
    """Check that every lamp of the chain has exactly one place, in a cell or in one of the named lists."""
    located_lamps = [*grid_drawing.drawn_values]
    for list_name, listed_lamps in lamp_lists.items():
        located_lamps += ((lamp, list_name, location) for lamp, location in listed_lamps.items)
    first: dict[int, Cell | Message] = {}
    for lamp, part, location in sorted(located_lamps, key=lambda drawn: drawn[2].line):
        if reason := _explain_misplaced(lamp, count, part, first.get(lamp)):
            table.faults.append(location.make_fault(reason))
        first.setdefault(lamp, part)
    is_complete = grid_drawing.is_complete and all(listed_lamps.is_complete for listed_lamps in lamp_lists.values())
    if is_complete and (missing := [lamp for lamp in range(count or 0) if lamp not in first]):
        table.add_fault("cells", Message("profile.lamps.nowhere", lamps=_format_ranges(missing), count=len(missing)))


def _explain_misplaced(
    lamp: int, count: int | None, part: Cell | Message, first_part: Cell | Message | None
) -> Message | None:
    """Return a fault if a lamp can't be drawn in this part of the board, or None. `first_part` is where it is drawn first."""
    number = quote_value(lamp)
    if lamp < 0 and count is None:
        return Message("profile.lamps.negative", lamp=number)
    if count is not None and not 0 <= lamp < count:
        return Message("profile.lamps.not_in_chain", lamp=number, lamps=count, last=count - 1)
    if first_part == part:
        return Message("profile.lamps.twice_in_one", lamp=number, part=part)
    return Message("profile.lamps.twice", lamp=number, first=first_part, second=part) if first_part else None


def _format_ranges(lamp_numbers: Sequence[int]) -> tuple[str, ...]:
    numbered_runs = groupby(enumerate(lamp_numbers), lambda numbered: numbered[1] - numbered[0])
    runs = [[lamp_number for _, lamp_number in run] for _, run in numbered_runs]
    return tuple(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)
