"""The tables [lamps] and [strips] of a profile: the chain, and where each of its lamps is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pond_hw.profile import checks, pi_header
from pond_hw.profile.board_profile import Chain
from pond_hw.profile.faults import Place, shown
from pond_hw.profile.fields import Listed, Spot, Table
from pond_hw.rules import Cell, grid

DRIVERS = (*pi_header.LAMP_PINS, "neotrellis", "simulated")

ORDERS = ("GRB", "RGB", "BRG", "RBG", "GBR", "BGR")
"""The orders in which lamps can take their colours; the first is by far the usual one."""

MOST_LAMPS = 2000
"""As many as 25 cells of 64 lamps and two long strips have together."""

MOST_ALONG_A_SIDE = 8
"""Lamps along the side of a cell: for more nothing is drawn that could be shown."""

MOST_CURRENT = 20_000
"""The largest current that a profile can speak of, in mA: 100 W are enough for a table."""

USUAL_SLEW = 0.3
"""The share of the budget by which the current may rise in a frame, if nothing is said."""

_NUMBER = re.compile("[0-9]{1,4}")

_Found = list[tuple[int, str, Place]]
"""Lamps: the number of each, what it is in, and where that is written."""


class Lamps(NamedTuple):
    """What the table says, as far as it can be read.

    Attributes:
        table: where it is.
        driver: what drives the lamps.
        pin: the GPIO that their data leaves by, if this driver can send by it; or some driver, if it is not known.
        cells: the number of each lamp that is drawn, its cell, and where it is drawn.
        budget: what they may draw, in mA.
        chain: all of it, if all of it could be read.
    """

    table: Table
    driver: str | None
    pin: int | None
    cells: list[tuple[int, Cell, Place]]
    budget: float | None
    chain: Chain | None

    @property
    def on_spi(self) -> bool:
        """Whether the lamps need SPI0."""
        return self.driver == "spi" or self.pin == pi_header.SPI0.mosi


class Strips(NamedTuple):
    """The score strips: for light and for dark the lamps from the first point on."""

    light: Listed
    dark: Listed

    @property
    def whole(self) -> bool:
        """Whether all of them could be read."""
        return self.light.whole and self.dark.whole


NO_STRIPS = Strips(Listed([], 0), Listed([], 0))

LOST_STRIPS = Strips(Listed([], None), Listed([], None))
"""There are strips, and nothing of them can be read."""


def read_strips(table: Table) -> Strips:
    """Read [strips], as far as that can be done."""
    light, dark = (table.wholes(side, such_as="[16, 17, 18]") for side in ("light", "dark"))
    table.close()
    if light.length is not None and dark.length is not None:
        table.faults.extend(checks.strips_alike(light.length, dark.length, table.place("dark")))
    return Strips(light, dark)


def read_lamps(table: Table, strips: Strips, size: int | None) -> Lamps:
    """Read [lamps].

    Args:
        table: it.
        strips: the score strips, as far as they can be read.
        size: the board's rows and columns, if they are known.
    """
    driver = table.choice("driver", DRIVERS, such_as='"auto"')
    trellis = driver == "neotrellis"
    pin = _pin(table, driver)
    count = table.whole("count", 1, MOST_LAMPS, such_as="16")
    size, most = (checks.TRELLIS_ROWS, 1) if trellis else (size, MOST_ALONG_A_SIDE)
    drawing = table.drawing("cells", size, "lamp", "0 1 2 3", most)
    cells = _numbers(table, drawing.spots if drawing else ())
    unused = table.wholes("unused")
    colours = ORDERS[0] if trellis else table.choice("colours", ORDERS, default=ORDERS[0])
    brightness = table.number("brightness", 0.01, 1, default=1)
    budget = table.number("budget_ma", 1, MOST_CURRENT, such_as="400")
    slew = table.number("slew_ma", 1, MOST_CURRENT, default=USUAL_SLEW * (budget or 0))
    elsewhere = {"pin": f"No GPIO sends data to these lamps, the driver being {shown(driver)}. Leave `pin` out."}
    if trellis:
        elsewhere["colours"] = "The lamps of a NeoTrellis are known to take GRB. Leave `colours` out."
    table.close(elsewhere)

    if trellis:  # whatever is written, its lamps are known
        if count is not None:
            table.faults.extend(checks.trellis_count(count, table.place("count")))
        count = checks.TRELLIS_ROWS**2
    whole = drawing is not None and drawing.fits and len(cells) == len(drawing.spots)
    whole = whole and strips.whole and unused.whole
    named = [*cells, *_beside(strips, unused.numbers)]
    table.faults.extend(checks.lamps_once(named, count, table.place("cells") if whole else None))
    if budget is not None and count is not None:
        table.faults.extend(checks.enough_to_see(budget, count, table.place("budget_ma")))
    if budget is not None and slew is not None:
        table.faults.extend(checks.slew_within_budget(slew, budget, table.place("slew_ma")))
    chain = None
    if driver and count and drawing and size and colours and brightness and budget and slew:
        chain = Chain(
            driver=driver,
            pin=pin,
            count=count,
            per_cell=drawing.side**2,
            cells=tuple(number for cell in grid(size).cells for number, at, _ in cells if at == cell),
            strips=(
                tuple(number for number, _ in strips.light.numbers),
                tuple(number for number, _ in strips.dark.numbers),
            ),
            colours=colours,
            brightness=brightness,
            budget=budget,
            slew=slew,
        )
    return Lamps(table, driver, pin, cells, budget, chain)


def _beside(strips: Strips, unused: Iterable[tuple[int, Place]]) -> Iterator[tuple[int, str, Place]]:
    """The lamps that are in no cell."""
    light, dark = strips.light.numbers, strips.dark.numbers
    for numbers, where in ((light, "light's strip"), (dark, "dark's strip"), (unused, "`unused`")):
        yield from ((number, where, place) for number, place in numbers)


def _pin(table: Table, driver: str | None) -> int | None:
    if driver is None:  # the pin may be there, and if lamps can hang on it, it is taken
        pin = table.gpio("pin", "")
        return pin if any(pin in fit for fit in pi_header.LAMP_PINS.values()) else None
    if driver not in pi_header.LAMP_PINS:
        return None
    pin = table.gpio("pin", "10")
    wrong = [] if pin is None else list(checks.lamp_pin(driver, pin, table.place("pin")))
    table.faults.extend(wrong)
    return None if wrong else pin


def _numbers(table: Table, spots: Iterable[Spot]) -> _Found:
    found = []
    for spot in spots:
        if _NUMBER.fullmatch(spot.word):
            found.append((int(spot.word), spot.at, spot.place))
        else:
            table.faults.append(
                spot.place.fault(f"{shown(spot.word)} in {spot.at} is no lamp. Write its number in the chain, 0 first.")
            )
    return found
