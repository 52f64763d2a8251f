"""The tables [lamps] and [strips] of a profile: the chain, and where each of its lamps is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pond_hw.profile import checks, pi_header
from pond_hw.profile.board_profile import LampSettings
from pond_hw.profile.faults import FileLocation, quote_value
from pond_hw.profile.fields import DrawnWord, NumberList, TomlTable
from pond_hw.rules import Cell, get_grid

LAMP_DRIVERS = (*pi_header.LAMP_PINS, "neotrellis", "simulated")

COLOUR_ORDERS = ("GRB", "RGB", "BRG", "RBG", "GBR", "BGR")
"""The orders in which lamps can take their colours; the first is by far the usual one."""

MAX_LAMPS = 2000
"""As many as 25 cells of 64 lamps and two long strips have together."""

MAX_CELL_SIDE = 8
"""Lamps along the side of a cell: for more nothing is drawn that could be shown."""

MAX_CURRENT_MA = 20_000
"""The largest current that a profile can speak of, in mA: 100 W are enough for a table."""

DEFAULT_SLEW_SHARE = 0.3
"""The share of the budget by which the current may rise in a frame, if nothing is said."""

_LAMP_NUMBER = re.compile("[0-9]{1,4}")

_LocatedLamps = list[tuple[int, str, FileLocation]]
"""Lamps: the number of each, what it is in, and where that is written."""


class ParsedLamps(NamedTuple):
    """What the table says, as far as it can be read.

    Attributes:
        table: where it is.
        driver: what drives the lamps.
        pin: the GPIO that their data leaves by, if this driver can send by it; or some driver, if it is not known.
        located_lamps: the number of each lamp that is drawn, its cell, and where it is drawn.
        budget_ma: what they may draw, in mA.
        chain: all of it, if all of it could be read.
    """

    table: TomlTable
    driver: str | None
    pin: int | None
    located_lamps: list[tuple[int, Cell, FileLocation]]
    budget_ma: float | None
    chain: LampSettings | None

    @property
    def uses_spi(self) -> bool:
        """Whether the lamps need SPI0."""
        return self.driver == "spi" or self.pin == pi_header.SPI0.mosi


class ParsedStrips(NamedTuple):
    """The score strips: for light and for dark the lamps from the first point on."""

    light: NumberList
    dark: NumberList

    @property
    def is_complete(self) -> bool:
        """Whether all of them could be read."""
        return self.light.is_complete and self.dark.is_complete


NO_STRIPS = ParsedStrips(NumberList([], 0), NumberList([], 0))

UNREADABLE_STRIPS = ParsedStrips(NumberList([], None), NumberList([], None))
"""There are strips, and nothing of them can be read."""


def parse_strips(table: TomlTable) -> ParsedStrips:
    """Read [strips], as far as that can be done."""
    light, dark = (table.read_integers(side, such_as="[16, 17, 18]") for side in ("light", "dark"))
    table.check_keys()
    if light.length is not None and dark.length is not None:
        table.faults.extend(checks.check_strip_lengths(light.length, dark.length, table.locate_key("dark")))
    return ParsedStrips(light, dark)


def parse_lamps(table: TomlTable, strips: ParsedStrips, size: int | None) -> ParsedLamps:
    """Read [lamps].

    Args:
        table: it.
        strips: the score strips, as far as they can be read.
        size: the board's rows and columns, if they are known.
    """
    driver = table.read_choice("driver", LAMP_DRIVERS, such_as='"auto"')
    trellis = driver == "neotrellis"
    pin = _parse_data_pin(table, driver)
    count = table.read_integer("count", 1, MAX_LAMPS, such_as="16")
    size, most = (checks.TRELLIS_ROWS, 1) if trellis else (size, MAX_CELL_SIDE)
    drawing = table.read_drawing("cells", size, "lamp", "0 1 2 3", most)
    cells = _parse_lamp_numbers(table, drawing.drawn_words if drawing else ())
    unused = table.read_integers("unused")
    colours = COLOUR_ORDERS[0] if trellis else table.read_choice("colours", COLOUR_ORDERS, default=COLOUR_ORDERS[0])
    brightness = table.read_number("brightness", 0.01, 1, default=1)
    budget = table.read_number("budget_ma", 1, MAX_CURRENT_MA, such_as="400")
    slew = table.read_number("slew_ma", 1, MAX_CURRENT_MA, default=DEFAULT_SLEW_SHARE * (budget or 0))
    elsewhere = {"pin": f"No GPIO sends data to these lamps, the driver being {quote_value(driver)}. Leave `pin` out."}
    if trellis:
        elsewhere["colours"] = "The lamps of a NeoTrellis are known to take GRB. Leave `colours` out."
    table.check_keys(elsewhere)

    if trellis:  # whatever is written, its lamps are known
        if count is not None:
            table.faults.extend(checks.check_trellis_count(count, table.locate_key("count")))
        count = checks.TRELLIS_ROWS**2
    whole = drawing is not None and drawing.fits_grid and len(cells) == len(drawing.drawn_words)
    whole = whole and strips.is_complete and unused.is_complete
    named = [*cells, *_lamps_outside_cells(strips, unused.numbers)]
    table.faults.extend(checks.check_lamps_once(named, count, table.locate_key("cells") if whole else None))
    if budget is not None and count is not None:
        table.faults.extend(checks.check_minimum_budget(budget, count, table.locate_key("budget_ma")))
    if budget is not None and slew is not None:
        table.faults.extend(checks.check_slew(slew, budget, table.locate_key("slew_ma")))
    chain = None
    if driver and count and drawing and size and colours and brightness and budget and slew:
        chain = LampSettings(
            driver=driver,
            data_pin=pin,
            lamp_count=count,
            lamps_per_cell=drawing.words_per_side**2,
            cell_positions=tuple(number for cell in get_grid(size).cells for number, at, _ in cells if at == cell),
            strip_positions=(
                tuple(number for number, _ in strips.light.numbers),
                tuple(number for number, _ in strips.dark.numbers),
            ),
            colour_order=colours,
            brightness=brightness,
            budget_ma=budget,
            slew_ma=slew,
        )
    return ParsedLamps(table, driver, pin, cells, budget, chain)


def _lamps_outside_cells(
    strips: ParsedStrips, unused: Iterable[tuple[int, FileLocation]]
) -> Iterator[tuple[int, str, FileLocation]]:
    """The lamps that are in no cell."""
    light, dark = strips.light.numbers, strips.dark.numbers
    for numbers, where in ((light, "light's strip"), (dark, "dark's strip"), (unused, "`unused`")):
        yield from ((number, where, place) for number, place in numbers)


def _parse_data_pin(table: TomlTable, driver: str | None) -> int | None:
    if driver is None:  # the pin may be there, and if lamps can hang on it, it is taken
        pin = table.read_gpio("pin", "")
        return pin if any(pin in fit for fit in pi_header.LAMP_PINS.values()) else None
    if driver not in pi_header.LAMP_PINS:
        return None
    pin = table.read_gpio("pin", "10")
    wrong = [] if pin is None else list(checks.check_lamp_pin(driver, pin, table.locate_key("pin")))
    table.faults.extend(wrong)
    return None if wrong else pin


def _parse_lamp_numbers(table: TomlTable, spots: Iterable[DrawnWord]) -> _LocatedLamps:
    found = []
    for spot in spots:
        if _LAMP_NUMBER.fullmatch(spot.word):
            found.append((int(spot.word), spot.cell_label, spot.location))
        else:
            table.faults.append(
                spot.location.make_fault(
                    f"{quote_value(spot.word)} in {spot.cell_label} is no lamp. Write its number in the chain, 0 first."
                )
            )
    return found
