"""What may be wired to what: the rules that hold between the keys of a profile.

Each takes what has been read with its places and gives the faults; what could not be read is left out. The Pi's own
facts are in `pi`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pond_hw.profile import pi_header
from pond_hw.profile.board_profile import Adc, Channel, Crossing, ExpanderPin
from pond_hw.profile.faults import Fault, Place, listed
from pond_hw.rules import Cell

_NOT_TOGETHER = {
    ("hall", "matrix"): "Hall sensors hold their wire all the time and cannot share the lines of a matrix. Take the "
    'driver "gpio" or "mcp23017" for digital ones, "mcp3008" for linear ones.',
    ("button", "mcp3008"): 'An MCP3008 measures, and is for linear hall sensors: write kind = "hall", or take the '
    'driver "gpio", "matrix" or "mcp23017" for buttons.',
    ("hall", "neotrellis"): 'A NeoTrellis has buttons. Write kind = "button".',
}
"""Sensors that some drivers cannot read, and why not."""

TRELLIS_ROWS = 4
"""A NeoTrellis has 4 rows of 4 keys, with a lamp under each."""

REST = (256, 767)
"""Between which counts a linear hall sensor is at rest: half its supply, give or take a quarter."""

LAMP_DARK = 1.0
"""What a lamp draws that shows nothing, in mA."""

LAMP_SEEN = 2.0
"""What a lamp must be given so that it can be seen at all, in mA: as much again."""


class Use(NamedTuple):
    """A GPIO and what it is for.

    Attributes:
        gpio: its number.
        by: whose it is, as a sentence calls it: `b3`, `the key`.
        place: where that is written.
        role: `cell` for a sensor's own wire; `drive` and `sense` for the lines of a matrix; else `out` or `in`.
    """

    gpio: int
    by: str
    place: Place
    role: str


class Bus(NamedTuple):
    """GPIOs that the Pi itself holds, and for whom, as a sentence calls them: `the lamps`."""

    name: str
    gpios: Sequence[int]
    users: str

    @classmethod
    def spi0(cls, users: str) -> Bus:
        """SPI0, which takes all its GPIOs or none."""
        return cls(pi_header.SPI0.name, pi_header.SPI0.gpios, users)


class Chip(NamedTuple):
    """An MCP3008: its letter, its GPIOs, and where they and each of them are written."""

    letter: str
    adc: Adc
    place: Place
    places: Mapping[str, Place]


def kind_fits(kind: str, driver: str, place: Place) -> Iterator[Fault]:
    """Some sensors cannot be read in some ways."""
    if (kind, driver) in _NOT_TOGETHER:
        yield place.fault(_NOT_TOGETHER[kind, driver])


def twice(found: Iterable[tuple[object, str, Place]], name: str) -> Iterator[Fault]:
    """What a cell has is its own.

    Args:
        found: the things, their cells, and where they are drawn.
        name: what to call such a thing.
    """
    first: dict[object, str] = {}
    for thing, cell, place in found:
        if thing in first:
            yield place.fault(
                f"{name.capitalize()} {thing} is used twice, for {first[thing]} and for {cell}. "
                f"Give each cell a {name} of its own."
            )
        first.setdefault(thing, cell)


def named_once(found: Iterable[tuple[Cell, Place]]) -> Iterator[Fault]:
    """A cell that is named twice is likely to be meant for another one."""
    seen = set()
    for cell, place in found:
        if cell in seen:
            yield place.fault(f"{cell} is named twice. Name each cell once.")
        seen.add(cell)


def i2c_bus(bus: int, place: Place) -> Iterator[Fault]:
    """There is one I2C bus that every Pi has on the same GPIOs."""
    if bus != 1:
        why = "is kept for the ID EEPROM of add-on boards" if bus == 0 else "is not in the same place on every Pi"
        yield place.fault(f"Write 1, the bus on GPIO 2 and 3, not {bus}: bus {bus} {why}.")


def gpios(uses: Iterable[Use], buses: Sequence[Bus]) -> Iterator[Fault]:
    """No GPIO has two uses, or one that it is not fit for."""
    first: dict[int, Use] = {}
    for use in sorted(uses, key=lambda use: use.place.line):
        gpio, other = use.gpio, f"Give {use.by} another one."
        bus = next((bus for bus in buses if gpio in bus.gpios), None)
        if gpio not in pi_header.HEADER:
            yield use.place.fault(f"GPIO {gpio} is not on the header, which ends with {pi_header.HEADER[-1]}. {other}")
        elif gpio in pi_header.ID_EEPROM:
            yield use.place.fault(f"GPIO {gpio} is kept for the ID EEPROM of add-on boards. {other}")
        elif bus:
            taken = listed(sorted(bus.gpios))
            yield use.place.fault(f"GPIO {gpio} belongs to {bus.name}, which takes {taken} for {bus.users}. {other}")
        elif gpio in pi_header.FIXED_PULL_UPS and use.role in ("drive", "out"):
            yield use.place.fault(
                f"GPIO {gpio} has a pull-up resistor on the Pi: it can be read, but should not be driven. {other}"
            )
        elif gpio in first:
            yield use.place.fault(_shared(first[gpio], use))
        else:
            first[gpio] = use


def _shared(one: Use, two: Use) -> str:
    roles = {one.role, two.role}
    if roles == {"drive", "sense"}:
        drive, sense = (one, two) if one.role == "drive" else (two, one)
        return (
            f"GPIO {one.gpio} is driven for {drive.by} and read for {sense.by}. "
            "A line of the matrix is one or the other: take two GPIOs."
        )
    own = "Give each cell a pin of its own." if roles == {"cell"} else "Give each a GPIO of its own."
    return f"GPIO {one.gpio} is used twice, for {one.by} and for {two.by}. {own}"


def room_on_the_header(size: int | None, driver: str | None, place: Place) -> Iterator[Fault]:
    """With lamps on SPI there are too few GPIOs for a large board with a wire from each cell."""
    taken = len(pi_header.SPI0.gpios)
    left = len(pi_header.HEADER) - taken
    if driver == "gpio" and size and size**2 > left:
        yield place.fault(
            f"{size**2} cells cannot have a GPIO each beside lamps on SPI: of the header's {len(pi_header.HEADER)} "
            f'SPI takes {taken}, and {left} are left. Take the driver "matrix", with {2 * size} GPIOs, or "mcp23017", '
            "with 2."
        )


def matrix_lines(crossings: Iterable[tuple[Crossing, str, Place]]) -> Iterator[Use]:
    """The GPIOs of a matrix, each line once.

    One line at a time is driven low while the others are let go; the lines that are read have pull-ups, and the
    diode at each crossing lets current through only towards the driven line.
    """
    seen = set()
    for (drive, sense), cell, place in crossings:
        for gpio, role in ((drive, "drive"), (sense, "sense")):
            if (gpio, role) not in seen:
                seen.add((gpio, role))
                yield Use(gpio, cell, place, role)


def expander_inputs(pins: Iterable[tuple[ExpanderPin, str, Place]]) -> Iterator[Fault]:
    """Two pins of an MCP23017 are no inputs, whatever older data sheets said."""
    for pin, cell, place in pins:
        if pin.bit == 7:
            yield place.fault(
                f"{pin} cannot be an input: since 2022 the data sheet allows GPA7 and GPB7 as outputs only, because as "
                f"inputs they can corrupt the bus. Give {cell} another pin, on a second chip if need be."
            )


def key_beside_pretended(place: Place) -> Iterator[Fault]:
    """Fingers in memory bring a key of their own, or none: the one on the header is not read beside them."""
    yield place.fault("Simulated sensors have no key: this one would never be read. Leave [key] out.")


def chips_apart(chips: Sequence[Chip]) -> Iterator[Fault]:
    """MCP3008s on the same wires are told apart by what selects them."""
    selected: dict[tuple[int, ...], str] = {}
    for chip in chips:
        if chip.adc in selected:
            yield chip.places["select"].fault(
                f"GPIO {chip.adc.select} selects chip {selected[chip.adc]} as well as chip {chip.letter}. "
                "Give each chip a select pin of its own."
            )
        selected.setdefault(chip.adc, chip.letter)
        for spi in _serving(chips):
            if chip.adc[:3] == spi.wires and not spi.drives(chip.adc):
                yield chip.places["select"].fault(
                    f"On the wires of {spi.name} GPIO {listed(spi.selects, 'or')} can select chip {chip.letter}, "
                    f"GPIO {chip.adc.select} cannot. Take one of these, or four GPIOs away from that bus."
                )


def _serving(chips: Sequence[Chip]) -> list[pi_header.Spi]:
    """The Pi's SPI buses that serve some of these chips."""
    return [spi for spi in (pi_header.SPI0, pi_header.SPI1) if any(spi.drives(chip.adc) for chip in chips)]


def chips_off_the_lamps_bus(chips: Iterable[Chip]) -> Iterator[Fault]:
    """Lamps have no select pin: they would show whatever a chip on their bus is told."""
    for chip in chips:
        taken = sorted(set(chip.adc) & set(pi_header.SPI0.gpios))
        if taken:
            yield chip.place.fault(
                f"Lamps show whatever is sent on their SPI bus, so nothing may share it; chip {chip.letter} is on GPIO "
                f"{listed(taken)}. Put it on SPI1 (clock 21, mosi 20, miso 19, select 18, 17 or 16) or on other GPIOs."
            )


def chip_pins(chips: Sequence[Chip]) -> tuple[list[Use], list[Bus]]:
    """The buses that the Pi serves chips by, and the GPIOs by which the program must serve the others itself."""
    buses = []
    for spi in _serving(chips):
        served = [chip for chip in chips if spi.drives(chip.adc)]
        letters = [chip.letter for chip in served]
        users = f"chip {letters[0]}" if len(letters) == 1 else f"the chips {listed(letters)}"
        if spi is pi_header.SPI0:
            buses.append(Bus.spi0(users))
        else:  # one can have it with one, two or three select pins, in this order
            upto = max(spi.selects.index(chip.adc.select) for chip in served) + 1
            buses.append(Bus(spi.name, (*spi.wires, *spi.selects[:upto]), users))
    uses = []
    seen = {spi.wires for spi in _serving(chips)}  # whoever sits on these wires too is told by `chips_apart`
    for chip in chips:
        if not any(spi.drives(chip.adc) for spi in (pi_header.SPI0, pi_header.SPI1)):
            keys = ("select",) if chip.adc[:3] in seen else chip.adc._fields
            uses += [_pin_of(chip, key) for key in keys]
            seen.add(chip.adc[:3])
    return uses, buses


def _pin_of(chip: Chip, key: str) -> Use:
    role = "in" if key == "miso" else "out"
    return Use(getattr(chip.adc, key), f"the {key} of chip {chip.letter}", chip.places[key], role)


def chips_used(chips: Mapping[str, Place], channels: Iterable[Channel]) -> Iterator[Fault]:
    """No chip lies idle: where one does, something has been drawn wrong."""
    used = {channel.chip for channel in channels}
    for letter, place in chips.items():
        if letter not in used:
            yield place.fault(f"No cell is on chip {letter}. Draw one there, or leave the chip out.")


def thresholds(on: int, off: int, place: Place) -> Iterator[Fault]:
    """A magnet that goes must go further than to where it was first felt."""
    if off >= on:
        yield place.fault(f"on is {on} and off is {off}: off must be less, or a magnet would come and go at once.")


def at_rest(found: Iterable[tuple[int, str, Place]]) -> Iterator[Fault]:
    """A linear hall sensor at rest gives about half its supply."""
    low, high = REST
    for count, cell, place in found:
        if not low <= count <= high:
            yield place.fault(
                f"{count} for {cell} is no sensor at rest, which reads {low} to {high}, about half of 1023. "
                "Measure it with no magnet near, or look at its wires."
            )


def channels_exist(found: Iterable[tuple[Channel, str, Place]], letters: Container[str]) -> Iterator[Fault]:
    """A cell is on a chip that is there."""
    for channel, cell, place in found:
        if channel.chip not in letters:
            yield place.fault(
                f"{channel} for {cell} is on a chip that sensors.chips does not name. "
                f"Add a line for chip {channel.chip} there, or draw another channel."
            )


def readings(hold_ms: float, scans: float, place: Place) -> Iterator[Fault]:
    """While a level is held still there must be time for two readings of it."""
    if hold_ms * scans < 1000:
        apart = 1000 / scans
        yield place.fault(
            f"A level must be read twice to be believed, and {scans:g} readings a second are {apart:.3g} ms apart. "
            f"Let debounce_ms be {apart:.3g} or more, not {hold_ms:g}, or raise scans."
        )


def settling(kind: str, settle_ms: float, place: Place) -> Iterator[Fault]:
    """Only pieces are slid about and need a moment to come to rest."""
    if kind == "button" and settle_ms:
        yield place.fault("Buttons have nothing to settle; settle_ms is for hall sensors. Leave it out.")


def lamp_pin(driver: str, gpio: int, place: Place) -> Iterator[Fault]:
    """Only some GPIOs can send what lamps understand, and not every driver knows all of these."""
    fit = pi_header.LAMP_PINS[driver]
    if gpio not in fit:
        why = "" if driver == "spi" else " (SPI 10, PWM 12 and 18, PCM 21)"
        yield place.fault(f'The driver "{driver}" sends by GPIO {listed(fit, "or")}{why}, not by {gpio}.')


def buzzer_beside_pwm(lamps: int, buzzer: int, place: Place) -> Iterator[Fault]:
    """Both channels of the PWM run at the lamps' clock."""
    if lamps in pi_header.PWM and buzzer in pi_header.PWM and lamps != buzzer:
        yield place.fault(
            f"The lamps on GPIO {lamps} need the whole PWM, and GPIO {buzzer} hangs on it too. "
            f"Give the buzzer another GPIO than {listed(pi_header.PWM, 'or')}."
        )


def lamps_once(lamps: Iterable[tuple[int, str, Place]], count: int | None, drawn: Place | None) -> Iterator[Fault]:
    """Every lamp of the chain has one place.

    Args:
        lamps: the number of each, what it is in, and where that is written.
        count: how many there are, if that is known.
        drawn: where to draw one that is missing; None if what is written is not all there is.
    """
    first: dict[int, str] = {}
    for number, where, place in sorted(lamps, key=lambda lamp: lamp[2].line):
        if number < 0 or (count is not None and number >= count):
            why = "the first is 0" if count is None else f"the chain has {count}, from 0 to {count - 1}"
            yield place.fault(f"There is no lamp {_short(number)}: {why}.")
        elif number in first:
            both = f"in {where}" if first[number] == where else f"in {first[number]} and in {where}"
            yield place.fault(f"Lamp {_short(number)} is used twice, {both}. Each lamp of the chain has one place.")
        first.setdefault(number, where)
    missing = [number for number in range(count or 0) if number not in first]
    if missing and drawn:
        what = f"Lamp {missing[0]} is" if len(missing) == 1 else f"Lamps {_runs(missing)} are"
        yield drawn.fault(
            f"{what} nowhere. Draw every lamp where it is, list those that stay dark under `unused`, or mend `count`."
        )


def _short(number: int) -> str:
    return str(number) if abs(number) < 10**6 else "with so large a number"


def _runs(numbers: Sequence[int]) -> str:
    """Numbers in rising order, neighbours together: `3, 5 to 8 and 10`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return listed(f"{run[0]} to {run[-1]}" if len(run) > 2 else listed(run) for run in runs)


def strips_alike(light: int, dark: int, place: Place) -> Iterator[Fault]:
    """A point takes as much room on one side as on the other."""
    if not light or light != dark:
        yield place.fault(
            f"Both strips must have the same number of lamps, at least one: light has {light} and dark {dark}."
        )


def enough_to_see(budget: float, count: int, place: Place) -> Iterator[Fault]:
    """Dark lamps draw current too; what is left must be enough to light them."""
    least = LAMP_SEEN * count
    if budget < least:
        yield place.fault(
            f"{count} lamps draw {LAMP_DARK * count:g} mA when they are dark, and need as much again to be seen: "
            f"write {least:g} or more, not {budget:g}."
        )


def left_by_the_pi(current: float, place: Place) -> Iterator[Fault]:
    """A supply for the Pi and the lamps must give more than the Pi needs; in mA."""
    if current <= pi_header.PI_NEEDS:
        yield place.fault(
            f"The Pi itself needs {pi_header.PI_NEEDS:g} mA, and from {current:g} nothing is left for the lamps. "
            "Take a larger supply."
        )


def within_own_supply(budget: float, current: float, place: Place) -> Iterator[Fault]:
    """The lamps leave a supply of their own some room; in mA."""
    most = current * pi_header.OWN_SUPPLY_LOAD / 100
    if budget > most:
        yield place.fault(
            f"A supply should not run at more than {pi_header.OWN_SUPPLY_LOAD} %: of {current:g} mA write {most:g} "
            f"or less, not {budget:g}, or take a larger supply."
        )


def within_the_pins(budget: float, current: float | None, place: Place) -> Iterator[Fault]:
    """The lamps take no more from the Pi than its pins can give, nor than the Pi leaves.

    Args:
        budget: what the lamps may draw, in mA.
        current: what the supply gives, in mA, more than the Pi needs; None if that is not known.
        place: where the budget is written.
    """
    left = pi_header.FROM_THE_PINS if current is None else current - pi_header.PI_NEEDS
    if budget > min(left, pi_header.FROM_THE_PINS):
        why = (
            f"The supply's {current:g} mA leave {left:g} when the Pi has its {pi_header.PI_NEEDS:g}"
            if current is not None and left < pi_header.FROM_THE_PINS
            else f"The Pi's 5 V pins give lamps {pi_header.FROM_THE_PINS:g} mA"
        )
        yield place.fault(
            f"{why}: write {min(left, pi_header.FROM_THE_PINS):g} or less, not {budget:g}, or give the lamps a supply "
            'of their own (source = "own").'
        )


def slew_within_budget(slew: float, budget: float, place: Place) -> Iterator[Fault]:
    """The current cannot rise by more than all of it."""
    if slew > budget:
        yield place.fault(f"The current cannot rise by more than the budget: write {budget:g} or less, not {slew:g}.")


def trellis_whole(sensors: str, lamps: str, place: Place) -> Iterator[Fault]:
    """A NeoTrellis is keys and lamps in one; taking half of it is not provided for."""
    if sensors == "neotrellis" and lamps != "neotrellis":
        yield place.fault(f'The keys of a NeoTrellis have its own lamps under them: write "neotrellis", not "{lamps}".')
    if lamps == "neotrellis" and sensors != "neotrellis":
        yield place.fault(
            f'The lamps of a NeoTrellis lie under its keys: write "neotrellis" for the sensors too, not "{sensors}".'
        )


def trellis_size(size: int, place: Place) -> Iterator[Fault]:
    """A NeoTrellis is as large as it is."""
    if size != TRELLIS_ROWS:
        yield place.fault(f"A NeoTrellis has {TRELLIS_ROWS} rows of keys: write {TRELLIS_ROWS}, not {size}.")


def trellis_count(count: int, place: Place) -> Iterator[Fault]:
    """And so is its chain."""
    if count != TRELLIS_ROWS**2:
        yield place.fault(f"A NeoTrellis has {TRELLIS_ROWS**2} lamps: write {TRELLIS_ROWS**2}, not {count}.")


def trellis_lamps(keys: Mapping[str, int], lamps: Iterable[tuple[int, str, Place]]) -> Iterator[Fault]:
    """Under every key of a NeoTrellis lies the lamp with the same number."""
    for lamp, cell, place in lamps:
        key = keys.get(cell, lamp)
        if key != lamp:
            yield place.fault(f"Under {cell} lies key {key}, and its lamp has the same number: {key}, not {lamp}.")
