"""What may be wired to what: the rules that hold between the keys of a profile.

Each takes what has been read with its places and gives the faults; what could not be read is left out. The Pi's own
facts are in `pi`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pond_hw.profile import pi_header
from pond_hw.profile.board_profile import AdcChannel, AdcPins, ExpanderPin, MatrixCrossing
from pond_hw.profile.faults import FileLocation, ProfileFault, join_words
from pond_hw.rules import Cell

_KIND_CONFLICTS = {
    ("hall", "matrix"): "Hall sensors hold their wire all the time and cannot share the lines of a matrix. Take the "
    'driver "gpio" or "mcp23017" for digital ones, "mcp3008" for linear ones.',
    ("button", "mcp3008"): 'An MCP3008 measures, and is for linear hall sensors: write kind = "hall", or take the '
    'driver "gpio", "matrix" or "mcp23017" for buttons.',
    ("hall", "neotrellis"): 'A NeoTrellis has buttons. Write kind = "button".',
}
"""Sensors that some drivers cannot read, and why not."""

TRELLIS_ROWS = 4
"""A NeoTrellis has 4 rows of 4 keys, with a lamp under each."""

REST_COUNTS = (256, 767)
"""Between which counts a linear hall sensor is at rest: half its supply, give or take a quarter."""

DARK_LAMP_MA = 1.0
"""What a lamp draws that shows nothing, in mA."""

VISIBLE_LAMP_MA = 2.0
"""What a lamp must be given so that it can be seen at all, in mA: as much again."""


class PinUse(NamedTuple):
    """A GPIO and what it is for.

    Attributes:
        gpio: its number.
        used_by: whose it is, as a sentence calls it: `b3`, `the key`.
        location: where that is written.
        role: `cell` for a sensor's own wire; `drive` and `sense` for the lines of a matrix; else `out` or `in`.
    """

    gpio: int
    used_by: str
    location: FileLocation
    role: str


class ReservedBus(NamedTuple):
    """GPIOs that the Pi itself holds, and for whom, as a sentence calls them: `the lamps`."""

    name: str
    gpios: Sequence[int]
    users: str

    @classmethod
    def for_spi0(cls, users: str) -> ReservedBus:
        """SPI0, which takes all its GPIOs or none."""
        return cls(pi_header.SPI0.name, pi_header.SPI0.all_gpios, users)


class AdcChip(NamedTuple):
    """An MCP3008: its letter, its GPIOs, and where they and each of them are written."""

    letter: str
    adc_pins: AdcPins
    location: FileLocation
    pin_locations: Mapping[str, FileLocation]


def check_kind(kind: str, driver: str, place: FileLocation) -> Iterator[ProfileFault]:
    """Some sensors cannot be read in some ways."""
    if (kind, driver) in _KIND_CONFLICTS:
        yield place.make_fault(_KIND_CONFLICTS[kind, driver])


def check_unique(found: Iterable[tuple[object, str, FileLocation]], name: str) -> Iterator[ProfileFault]:
    """What a cell has is its own.

    Args:
        found: the things, their cells, and where they are drawn.
        name: what to call such a thing.
    """
    first: dict[object, str] = {}
    for thing, cell, place in found:
        if thing in first:
            yield place.make_fault(
                f"{name.capitalize()} {thing} is used twice, for {first[thing]} and for {cell}. "
                f"Give each cell a {name} of its own."
            )
        first.setdefault(thing, cell)


def check_named_once(found: Iterable[tuple[Cell, FileLocation]]) -> Iterator[ProfileFault]:
    """A cell that is named twice is likely to be meant for another one."""
    seen = set()
    for cell, place in found:
        if cell in seen:
            yield place.make_fault(f"{cell} is named twice. Name each cell once.")
        seen.add(cell)


def check_i2c_bus(bus: int, place: FileLocation) -> Iterator[ProfileFault]:
    """There is one I2C bus that every Pi has on the same GPIOs."""
    if bus != 1:
        why = "is kept for the ID EEPROM of add-on boards" if bus == 0 else "is not in the same place on every Pi"
        yield place.make_fault(f"Write 1, the bus on GPIO 2 and 3, not {bus}: bus {bus} {why}.")


def check_gpios(uses: Iterable[PinUse], buses: Sequence[ReservedBus]) -> Iterator[ProfileFault]:
    """No GPIO has two uses, or one that it is not fit for."""
    first: dict[int, PinUse] = {}
    for use in sorted(uses, key=lambda use: use.location.line):
        gpio, other = use.gpio, f"Give {use.used_by} another one."
        bus = next((bus for bus in buses if gpio in bus.gpios), None)
        if gpio not in pi_header.HEADER_GPIOS:
            yield use.location.make_fault(
                f"GPIO {gpio} is not on the header, which ends with {pi_header.HEADER_GPIOS[-1]}. {other}"
            )
        elif gpio in pi_header.ID_EEPROM_GPIOS:
            yield use.location.make_fault(f"GPIO {gpio} is kept for the ID EEPROM of add-on boards. {other}")
        elif bus:
            taken = join_words(sorted(bus.gpios))
            yield use.location.make_fault(
                f"GPIO {gpio} belongs to {bus.name}, which takes {taken} for {bus.users}. {other}"
            )
        elif gpio in pi_header.FIXED_PULL_UPS and use.role in ("drive", "out"):
            yield use.location.make_fault(
                f"GPIO {gpio} has a pull-up resistor on the Pi: it can be read, but should not be driven. {other}"
            )
        elif gpio in first:
            yield use.location.make_fault(_shared_pin_sentence(first[gpio], use))
        else:
            first[gpio] = use


def _shared_pin_sentence(one: PinUse, two: PinUse) -> str:
    roles = {one.role, two.role}
    if roles == {"drive", "sense"}:
        drive, sense = (one, two) if one.role == "drive" else (two, one)
        return (
            f"GPIO {one.gpio} is driven for {drive.used_by} and read for {sense.used_by}. "
            "A line of the matrix is one or the other: take two GPIOs."
        )
    own = "Give each cell a pin of its own." if roles == {"cell"} else "Give each a GPIO of its own."
    return f"GPIO {one.gpio} is used twice, for {one.used_by} and for {two.used_by}. {own}"


def check_header_room(size: int | None, driver: str | None, place: FileLocation) -> Iterator[ProfileFault]:
    """With lamps on SPI there are too few GPIOs for a large board with a wire from each cell."""
    taken = len(pi_header.SPI0.all_gpios)
    left = len(pi_header.HEADER_GPIOS) - taken
    if driver == "gpio" and size and size**2 > left:
        yield place.make_fault(
            f"{size**2} cells cannot have a GPIO each beside lamps on SPI: of the header's {len(pi_header.HEADER_GPIOS)} "
            f'SPI takes {taken}, and {left} are left. Take the driver "matrix", with {2 * size} GPIOs, or "mcp23017", '
            "with 2."
        )


def list_matrix_lines(crossings: Iterable[tuple[MatrixCrossing, str, FileLocation]]) -> Iterator[PinUse]:
    """The GPIOs of a matrix, each line once.

    One line at a time is driven low while the others are let go; the lines that are read have pull-ups, and the
    diode at each crossing lets current through only towards the driven line.
    """
    seen = set()
    for (drive, sense), cell, place in crossings:
        for gpio, role in ((drive, "drive"), (sense, "sense")):
            if (gpio, role) not in seen:
                seen.add((gpio, role))
                yield PinUse(gpio, cell, place, role)


def check_expander_inputs(pins: Iterable[tuple[ExpanderPin, str, FileLocation]]) -> Iterator[ProfileFault]:
    """Two pins of an MCP23017 are no inputs, whatever older data sheets said."""
    for pin, cell, place in pins:
        if pin.bit == 7:
            yield place.make_fault(
                f"{pin} cannot be an input: since 2022 the data sheet allows GPA7 and GPB7 as outputs only, because as "
                f"inputs they can corrupt the bus. Give {cell} another pin, on a second chip if need be."
            )


def check_simulated_key(place: FileLocation) -> Iterator[ProfileFault]:
    """Fingers in memory bring a key of their own, or none: the one on the header is not read beside them."""
    yield place.make_fault("Simulated sensors have no key: this one would never be read. Leave [key] out.")


def check_chip_selects(chips: Sequence[AdcChip]) -> Iterator[ProfileFault]:
    """MCP3008s on the same wires are told apart by what selects them."""
    selected: dict[tuple[int, ...], str] = {}
    for chip in chips:
        if chip.adc_pins in selected:
            yield chip.pin_locations["select"].make_fault(
                f"GPIO {chip.adc_pins.select} selects chip {selected[chip.adc_pins]} as well as chip {chip.letter}. "
                "Give each chip a select pin of its own."
            )
        selected.setdefault(chip.adc_pins, chip.letter)
        for spi in _serving_buses(chips):
            if chip.adc_pins[:3] == spi.data_gpios and not spi.serves_chip(chip.adc_pins):
                yield chip.pin_locations["select"].make_fault(
                    f"On the wires of {spi.name} GPIO {join_words(spi.select_gpios, 'or')} can select chip {chip.letter}, "
                    f"GPIO {chip.adc_pins.select} cannot. Take one of these, or four GPIOs away from that bus."
                )


def _serving_buses(chips: Sequence[AdcChip]) -> list[pi_header.SpiBus]:
    """The Pi's SPI buses that serve some of these chips."""
    return [spi for spi in (pi_header.SPI0, pi_header.SPI1) if any(spi.serves_chip(chip.adc_pins) for chip in chips)]


def check_lamp_bus(chips: Iterable[AdcChip]) -> Iterator[ProfileFault]:
    """Lamps have no select pin: they would show whatever a chip on their bus is told."""
    for chip in chips:
        taken = sorted(set(chip.adc_pins) & set(pi_header.SPI0.all_gpios))
        if taken:
            yield chip.location.make_fault(
                f"Lamps show whatever is sent on their SPI bus, so nothing may share it; chip {chip.letter} is on GPIO "
                f"{join_words(taken)}. Put it on SPI1 (clock 21, mosi 20, miso 19, select 18, 17 or 16) or on other GPIOs."
            )


def list_chip_pins(chips: Sequence[AdcChip]) -> tuple[list[PinUse], list[ReservedBus]]:
    """The buses that the Pi serves chips by, and the GPIOs by which the program must serve the others itself."""
    buses = []
    for spi in _serving_buses(chips):
        served = [chip for chip in chips if spi.serves_chip(chip.adc_pins)]
        letters = [chip.letter for chip in served]
        users = f"chip {letters[0]}" if len(letters) == 1 else f"the chips {join_words(letters)}"
        if spi is pi_header.SPI0:
            buses.append(ReservedBus.for_spi0(users))
        else:  # one can have it with one, two or three select pins, in this order
            upto = max(spi.select_gpios.index(chip.adc_pins.select) for chip in served) + 1
            buses.append(ReservedBus(spi.name, (*spi.data_gpios, *spi.select_gpios[:upto]), users))
    uses = []
    seen = {
        spi.data_gpios for spi in _serving_buses(chips)
    }  # whoever sits on these wires too is told by `check_chip_selects`
    for chip in chips:
        if not any(spi.serves_chip(chip.adc_pins) for spi in (pi_header.SPI0, pi_header.SPI1)):
            keys = ("select",) if chip.adc_pins[:3] in seen else chip.adc_pins._fields
            uses += [_chip_pin_use(chip, key) for key in keys]
            seen.add(chip.adc_pins[:3])
    return uses, buses


def _chip_pin_use(chip: AdcChip, key: str) -> PinUse:
    role = "in" if key == "miso" else "out"
    return PinUse(getattr(chip.adc_pins, key), f"the {key} of chip {chip.letter}", chip.pin_locations[key], role)


def check_chips_used(chips: Mapping[str, FileLocation], channels: Iterable[AdcChannel]) -> Iterator[ProfileFault]:
    """No chip lies idle: where one does, something has been drawn wrong."""
    used = {channel.chip for channel in channels}
    for letter, place in chips.items():
        if letter not in used:
            yield place.make_fault(f"No cell is on chip {letter}. Draw one there, or leave the chip out.")


def check_thresholds(on: int, off: int, place: FileLocation) -> Iterator[ProfileFault]:
    """A magnet that goes must go further than to where it was first felt."""
    if off >= on:
        yield place.make_fault(f"on is {on} and off is {off}: off must be less, or a magnet would come and go at once.")


def check_rest_counts(found: Iterable[tuple[int, str, FileLocation]]) -> Iterator[ProfileFault]:
    """A linear hall sensor at rest gives about half its supply."""
    low, high = REST_COUNTS
    for count, cell, place in found:
        if not low <= count <= high:
            yield place.make_fault(
                f"{count} for {cell} is no sensor at rest, which reads {low} to {high}, about half of 1023. "
                "Measure it with no magnet near, or look at its wires."
            )


def check_channels_exist(
    found: Iterable[tuple[AdcChannel, str, FileLocation]], letters: Container[str]
) -> Iterator[ProfileFault]:
    """A cell is on a chip that is there."""
    for channel, cell, place in found:
        if channel.chip not in letters:
            yield place.make_fault(
                f"{channel} for {cell} is on a chip that sensors.chips does not name. "
                f"Add a line for chip {channel.chip} there, or draw another channel."
            )


def check_scan_rate(hold_ms: float, scans: float, place: FileLocation) -> Iterator[ProfileFault]:
    """While a level is held still there must be time for two readings of it."""
    if hold_ms * scans < 1000:
        apart = 1000 / scans
        yield place.make_fault(
            f"A level must be read twice to be believed, and {scans:g} readings a second are {apart:.3g} ms apart. "
            f"Let debounce_ms be {apart:.3g} or more, not {hold_ms:g}, or raise scans."
        )


def check_settle_time(kind: str, settle_ms: float, place: FileLocation) -> Iterator[ProfileFault]:
    """Only pieces are slid about and need a moment to come to rest."""
    if kind == "button" and settle_ms:
        yield place.make_fault("Buttons have nothing to settle; settle_ms is for hall sensors. Leave it out.")


def check_lamp_pin(driver: str, gpio: int, place: FileLocation) -> Iterator[ProfileFault]:
    """Only some GPIOs can send what lamps understand, and not every driver knows all of these."""
    fit = pi_header.LAMP_PINS[driver]
    if gpio not in fit:
        why = "" if driver == "spi" else " (SPI 10, PWM 12 and 18, PCM 21)"
        yield place.make_fault(f'The driver "{driver}" sends by GPIO {join_words(fit, "or")}{why}, not by {gpio}.')


def check_buzzer_pwm(lamps: int, buzzer: int, place: FileLocation) -> Iterator[ProfileFault]:
    """Both channels of the PWM run at the lamps' clock."""
    if lamps in pi_header.PWM_GPIOS and buzzer in pi_header.PWM_GPIOS and lamps != buzzer:
        yield place.make_fault(
            f"The lamps on GPIO {lamps} need the whole PWM, and GPIO {buzzer} hangs on it too. "
            f"Give the buzzer another GPIO than {join_words(pi_header.PWM_GPIOS, 'or')}."
        )


def check_lamps_once(
    lamps: Iterable[tuple[int, str, FileLocation]], count: int | None, drawn: FileLocation | None
) -> Iterator[ProfileFault]:
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
            yield place.make_fault(f"There is no lamp {_format_lamp_number(number)}: {why}.")
        elif number in first:
            both = f"in {where}" if first[number] == where else f"in {first[number]} and in {where}"
            yield place.make_fault(
                f"Lamp {_format_lamp_number(number)} is used twice, {both}. Each lamp of the chain has one place."
            )
        first.setdefault(number, where)
    missing = [number for number in range(count or 0) if number not in first]
    if missing and drawn:
        what = f"Lamp {missing[0]} is" if len(missing) == 1 else f"Lamps {_format_ranges(missing)} are"
        yield drawn.make_fault(
            f"{what} nowhere. Draw every lamp where it is, list those that stay dark under `unused`, or mend `count`."
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


def check_strip_lengths(light: int, dark: int, place: FileLocation) -> Iterator[ProfileFault]:
    """A point takes as much room on one side as on the other."""
    if not light or light != dark:
        yield place.make_fault(
            f"Both strips must have the same number of lamps, at least one: light has {light} and dark {dark}."
        )


def check_minimum_budget(budget: float, count: int, place: FileLocation) -> Iterator[ProfileFault]:
    """Dark lamps draw current too; what is left must be enough to light them."""
    least = VISIBLE_LAMP_MA * count
    if budget < least:
        yield place.make_fault(
            f"{count} lamps draw {DARK_LAMP_MA * count:g} mA when they are dark, and need as much again to be seen: "
            f"write {least:g} or more, not {budget:g}."
        )


def check_pi_current(current: float, place: FileLocation) -> Iterator[ProfileFault]:
    """A supply for the Pi and the lamps must give more than the Pi needs; in mA."""
    if current <= pi_header.PI_CURRENT_MA:
        yield place.make_fault(
            f"The Pi itself needs {pi_header.PI_CURRENT_MA:g} mA, and from {current:g} nothing is left for the lamps. "
            "Take a larger supply."
        )


def check_supply_load(budget: float, current: float, place: FileLocation) -> Iterator[ProfileFault]:
    """The lamps leave a supply of their own some room; in mA."""
    most = current * pi_header.SUPPLY_LOAD_PERCENT / 100
    if budget > most:
        yield place.make_fault(
            f"A supply should not run at more than {pi_header.SUPPLY_LOAD_PERCENT} %: of {current:g} mA write {most:g} "
            f"or less, not {budget:g}, or take a larger supply."
        )


def check_header_current(budget: float, current: float | None, place: FileLocation) -> Iterator[ProfileFault]:
    """The lamps take no more from the Pi than its pins can give, nor than the Pi leaves.

    Args:
        budget: what the lamps may draw, in mA.
        current: what the supply gives, in mA, more than the Pi needs; None if that is not known.
        place: where the budget is written.
    """
    left = pi_header.HEADER_CURRENT_MA if current is None else current - pi_header.PI_CURRENT_MA
    if budget > min(left, pi_header.HEADER_CURRENT_MA):
        why = (
            f"The supply's {current:g} mA leave {left:g} when the Pi has its {pi_header.PI_CURRENT_MA:g}"
            if current is not None and left < pi_header.HEADER_CURRENT_MA
            else f"The Pi's 5 V pins give lamps {pi_header.HEADER_CURRENT_MA:g} mA"
        )
        yield place.make_fault(
            f"{why}: write {min(left, pi_header.HEADER_CURRENT_MA):g} or less, not {budget:g}, or give the lamps a supply "
            'of their own (source = "own").'
        )


def check_slew(slew: float, budget: float, place: FileLocation) -> Iterator[ProfileFault]:
    """The current cannot rise by more than all of it."""
    if slew > budget:
        yield place.make_fault(
            f"The current cannot rise by more than the budget: write {budget:g} or less, not {slew:g}."
        )


def check_trellis_drivers(sensors: str, lamps: str, place: FileLocation) -> Iterator[ProfileFault]:
    """A NeoTrellis is keys and lamps in one; taking half of it is not provided for."""
    if sensors == "neotrellis" and lamps != "neotrellis":
        yield place.make_fault(
            f'The keys of a NeoTrellis have its own lamps under them: write "neotrellis", not "{lamps}".'
        )
    if lamps == "neotrellis" and sensors != "neotrellis":
        yield place.make_fault(
            f'The lamps of a NeoTrellis lie under its keys: write "neotrellis" for the sensors too, not "{sensors}".'
        )


def check_trellis_size(size: int, place: FileLocation) -> Iterator[ProfileFault]:
    """A NeoTrellis is as large as it is."""
    if size != TRELLIS_ROWS:
        yield place.make_fault(f"A NeoTrellis has {TRELLIS_ROWS} rows of keys: write {TRELLIS_ROWS}, not {size}.")


def check_trellis_count(count: int, place: FileLocation) -> Iterator[ProfileFault]:
    """And so is its chain."""
    if count != TRELLIS_ROWS**2:
        yield place.make_fault(f"A NeoTrellis has {TRELLIS_ROWS**2} lamps: write {TRELLIS_ROWS**2}, not {count}.")


def check_trellis_lamps(
    keys: Mapping[str, int], lamps: Iterable[tuple[int, str, FileLocation]]
) -> Iterator[ProfileFault]:
    """Under every key of a NeoTrellis lies the lamp with the same number."""
    for lamp, cell, place in lamps:
        key = keys.get(cell, lamp)
        if key != lamp:
            yield place.make_fault(f"Under {cell} lies key {key}, and its lamp has the same number: {key}, not {lamp}.")
