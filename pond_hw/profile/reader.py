"""From the text of a profile to the profile, or to everything that is wrong with it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping

from pond_hw.profile import checks, pi_header
from pond_hw.profile.board_profile import Profile, Supply, Trellis
from pond_hw.profile.body import read_body
from pond_hw.profile.checks import Bus, Use
from pond_hw.profile.faults import Fault, ProfileError
from pond_hw.profile.fields import Table
from pond_hw.profile.lamps import LOST_STRIPS, MOST_CURRENT, NO_STRIPS, Lamps, Strips, read_lamps, read_strips
from pond_hw.profile.sensors import Sensors, read_sensors
from pond_hw.profile.toml_positions import Lines, Places
from pond_hw.rules import SIZES

FORMAT = 1
"""The form of profiles that is read here."""


def read_profile(text: str, name: str) -> Profile:
    """Read a profile strictly.

    Args:
        text: the whole file, TOML.
        name: what the profile is to be called.

    Raises:
        ProfileError: everything that is wrong with it, each fault with its place and how to mend it.
    """
    parsed = read_toml(text)
    if isinstance(parsed, Fault):
        raise ProfileError.of(name, [parsed])
    profile, faults = read_values(*parsed, name)
    if profile is None or faults:
        raise ProfileError.of(name, faults)
    return profile


def read_toml(text: str) -> tuple[dict[str, object], Places] | Fault:
    """What TOML makes of a text, and where everything stands in it; or why it is no TOML."""
    text = text.removeprefix("\ufeff")  # some editors begin a UTF-8 file with a mark that it is one
    try:
        return tomllib.loads(text), Places(text)
    except (ValueError, RecursionError) as error:
        return _not_toml(text, error)


def read_values(values: Mapping[str, object], places: Lines, name: str) -> tuple[Profile | None, list[Fault]]:
    """A profile from what TOML gives, as far as it can be read, and all that is wrong with it."""
    faults: list[Fault] = []
    return _read(Table(values, (), places, faults), name), faults


def _not_toml(text: str, error: ValueError | RecursionError) -> Fault:
    """What `tomllib` does not understand; only this can be told then."""
    if isinstance(error, RecursionError):
        return Fault(1, "", "Lists or tables lie too deep inside each other. A profile needs two levels.")
    last = "Mend this first: the rest is read only then."
    if not isinstance(error, tomllib.TOMLDecodeError):
        lines = text.split("\n")
        line = next((number for number, line in enumerate(lines, 1) if re.search("[0-9_]{1000}", line)), 1)
        return Fault(line, "", f"A number here has too many digits to be read. {last}")
    why, _, where = str(error).rpartition(" (at ")
    place = re.fullmatch(r"line (\d+), column (\d+)\)", where)
    if place:
        return Fault(int(place[1]), f"column {place[2]}", f"This is not TOML: {_plainly(why)}. {last}")
    return Fault(text.rstrip("\n").count("\n") + 1, "at the end", f"This is not TOML: {_plainly(why)}. {last}")


def _plainly(why: str) -> str:
    if why == "Cannot overwrite a value":
        return "the same key is given a second time"
    if why.startswith("Cannot declare") and why.endswith("twice"):
        return "the same table begins a second time"
    return why[:1].lower() + why[1:]


def _read(root: Table, name: str) -> Profile | None:
    """Read every table, hold them against each other, and put the profile together if nothing is missing."""
    form = root.whole("format", 1, 99, such_as=str(FORMAT))
    if form is not None and form != FORMAT:
        root.fault("format", f"This program reads profiles of format {FORMAT}, not {form}.")
    title = root.line("title", '"Sixteen switches on the header"')
    size = root.whole("grid", SIZES[0], SIZES[-1], such_as="4")
    strips = _strips(root)
    sensors = _sensors(root, size)
    lamps = _lamps(root, strips, size)
    supply = _supply(root, lamps)
    key, buzzer = _single(root, "key", "in"), _single(root, "buzzer", "out")
    body = read_body(root, sensors.driver if sensors else None, sensors.kind if sensors else None)
    root.close()

    if size is not None and sensors and sensors.driver == "neotrellis":
        root.faults.extend(checks.trellis_size(size, root.place("grid")))
    if sensors and lamps:
        root.faults.extend(_trellis(sensors, lamps))
    if sensors and sensors.driver == "simulated" and "key" in root:
        root.faults.extend(checks.key_beside_pretended(root.place("key")))
        key = None  # and of what is to be left out no more need be said
    root.faults.extend(_gpios(size, sensors, lamps, key, buzzer))
    if not (title and size and sensors and sensors.sensing and lamps and lamps.chain and supply):
        return None
    return Profile(
        name,
        title,
        size,
        sensors.sensing,
        lamps.chain,
        supply,
        body,
        key=key.gpio if key else None,
        buzzer=buzzer.gpio if buzzer else None,
    )


def _sensors(root: Table, size: int | None) -> Sensors | None:
    table = root.table("sensors", keys="kind, driver and cells")
    return read_sensors(table, size) if table else None


def _lamps(root: Table, strips: Strips, size: int | None) -> Lamps | None:
    table = root.table("lamps", keys="driver, pin, count, budget_ma and cells")
    return read_lamps(table, strips, size) if table else None


def _strips(root: Table) -> Strips:
    table = root.table("strips")
    if table is None:
        return LOST_STRIPS if "strips" in root else NO_STRIPS
    return read_strips(table)


def _supply(root: Table, lamps: Lamps | None) -> Supply | None:
    table = root.table("supply", keys="source and current_ma")
    if table is None:
        return None
    source = table.choice("source", ("pi", "own"), such_as='"pi"')
    current = table.number("current_ma", 100, MOST_CURRENT, such_as="2500")
    table.close()
    scarce = []
    if source == "pi" and current is not None:
        scarce = list(checks.left_by_the_pi(current, table.place("current_ma")))
        table.faults.extend(scarce)
    if lamps and lamps.budget is not None:
        spent = lamps.table.place("budget_ma")
        if source == "pi":
            table.faults.extend(checks.within_the_pins(lamps.budget, None if scarce else current, spent))
        elif source == "own" and current is not None:
            table.faults.extend(checks.within_own_supply(lamps.budget, current, spent))
    return Supply(source, current) if source and current else None


def _single(root: Table, name: str, role: str) -> Use | None:
    """A table that holds one pin and may be left out."""
    table = root.table(name)
    if table is None:
        return None
    gpio = table.gpio("pin", such_as="27")
    table.close()
    return None if gpio is None else Use(gpio, f"the {name}", table.place("pin"), role)


def _trellis(sensors: Sensors, lamps: Lamps) -> Iterator[Fault]:
    """Keys and lamps of a NeoTrellis belong together."""
    if sensors.driver and lamps.driver:
        yield from checks.trellis_whole(sensors.driver, lamps.driver, lamps.table.place("driver"))
        if isinstance(sensors.wiring, Trellis) and lamps.driver == "neotrellis":
            yield from checks.trellis_lamps(sensors.wiring.keys, lamps.cells)


def _gpios(
    size: int | None, sensors: Sensors | None, lamps: Lamps | None, key: Use | None, buzzer: Use | None
) -> Iterator[Fault]:
    """Everything on the header: what is wired to a GPIO of its own, and what one of the Pi's buses serves."""
    uses = [use for use in (key, buzzer) if use]
    buses = []
    lamps_bus = Bus.spi0("the lamps") if lamps and lamps.on_spi else None
    if lamps_bus:
        buses.append(lamps_bus)
    elif lamps and lamps.pin is not None:
        uses.append(Use(lamps.pin, "the lamps", lamps.table.place("pin"), "out"))
        if buzzer:
            yield from checks.buzzer_beside_pwm(lamps.pin, buzzer.gpio, buzzer.place)
    if sensors:
        cells, chips = sensors.uses, sensors.chips
        if lamps_bus:
            crowded = list(checks.room_on_the_header(size, sensors.driver, sensors.table.place("driver")))
            stray = list(checks.chips_off_the_lamps_bus(chips))
            yield from (*crowded, *stray)  # and of those in the lamps' way no more need be said
            cells = [use for use in cells if not (crowded and use.gpio in lamps_bus.gpios)]
            chips = [chip for chip in chips if not set(chip.adc) & set(lamps_bus.gpios)]
        yield from checks.chips_apart(chips)
        served, buses_of_chips = checks.chip_pins(chips)
        uses += cells + served
        buses += buses_of_chips
        if sensors.driver in ("mcp23017", "neotrellis"):
            buses.append(Bus("I2C", pi_header.I2C, "the sensors"))
    yield from checks.gpios(uses, buses)
