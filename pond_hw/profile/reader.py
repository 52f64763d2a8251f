"""From the text of a profile to the profile, or to everything that is wrong with it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping

from pond_hw.profile import checks, pi_header
from pond_hw.profile.board_profile import PowerSupply, Profile, TrellisWiring
from pond_hw.profile.body import parse_body
from pond_hw.profile.checks import PinUse, ReservedBus
from pond_hw.profile.faults import ProfileError, ProfileFault
from pond_hw.profile.fields import TomlTable
from pond_hw.profile.lamps import (
    MAX_CURRENT_MA,
    NO_STRIPS,
    UNREADABLE_STRIPS,
    ParsedLamps,
    ParsedStrips,
    parse_lamps,
    parse_strips,
)
from pond_hw.profile.sensors import ParsedSensors, parse_sensors
from pond_hw.profile.toml_positions import LineLookup, TomlPositions
from pond_hw.rules import SIZES

PROFILE_FORMAT = 1
"""The form of profiles that is read here."""


def parse_profile(text: str, name: str) -> Profile:
    """Read a profile strictly.

    Args:
        text: the whole file, TOML.
        name: what the profile is to be called.

    Raises:
        ProfileError: everything that is wrong with it, each fault with its place and how to mend it.
    """
    parsed = parse_toml(text)
    if isinstance(parsed, ProfileFault):
        raise ProfileError.for_profile(name, [parsed])
    profile, faults = parse_values(*parsed, name)
    if profile is None or faults:
        raise ProfileError.for_profile(name, faults)
    return profile


def parse_toml(text: str) -> tuple[dict[str, object], TomlPositions] | ProfileFault:
    """What TOML makes of a text, and where everything stands in it; or why it is no TOML."""
    text = text.removeprefix("\ufeff")  # some editors begin a UTF-8 file with a mark that it is one
    try:
        return tomllib.loads(text), TomlPositions(text)
    except (ValueError, RecursionError) as error:
        return _toml_fault(text, error)


def parse_values(
    values: Mapping[str, object], places: LineLookup, name: str
) -> tuple[Profile | None, list[ProfileFault]]:
    """A profile from what TOML gives, as far as it can be read, and all that is wrong with it."""
    faults: list[ProfileFault] = []
    return _parse_root(TomlTable(values, (), places, faults), name), faults


def _toml_fault(text: str, error: ValueError | RecursionError) -> ProfileFault:
    """What `tomllib` does not understand; only this can be told then."""
    if isinstance(error, RecursionError):
        return ProfileFault(1, "", "Lists or tables lie too deep inside each other. A profile needs two levels.")
    last = "Mend this first: the rest is read only then."
    if not isinstance(error, tomllib.TOMLDecodeError):
        lines = text.split("\n")
        line = next((number for number, line in enumerate(lines, 1) if re.search("[0-9_]{1000}", line)), 1)
        return ProfileFault(line, "", f"A number here has too many digits to be read. {last}")
    why, _, where = str(error).rpartition(" (at ")
    place = re.fullmatch(r"line (\d+), column (\d+)\)", where)
    if place:
        return ProfileFault(int(place[1]), f"column {place[2]}", f"This is not TOML: {_plain_reason(why)}. {last}")
    return ProfileFault(
        text.rstrip("\n").count("\n") + 1, "at the end", f"This is not TOML: {_plain_reason(why)}. {last}"
    )


def _plain_reason(why: str) -> str:
    if why == "Cannot overwrite a value":
        return "the same key is given a second time"
    if why.startswith("Cannot declare") and why.endswith("twice"):
        return "the same table begins a second time"
    return why[:1].lower() + why[1:]


def _parse_root(root: TomlTable, name: str) -> Profile | None:
    """Read every table, hold them against each other, and put the profile together if nothing is missing."""
    form = root.read_integer("format", 1, 99, such_as=str(PROFILE_FORMAT))
    if form is not None and form != PROFILE_FORMAT:
        root.add_fault("format", f"This program reads profiles of format {PROFILE_FORMAT}, not {form}.")
    title = root.read_line("title", '"Sixteen switches on the header"')
    size = root.read_integer("grid", SIZES[0], SIZES[-1], such_as="4")
    strips = _parse_strips(root)
    sensors = _parse_sensors(root, size)
    lamps = _parse_lamps(root, strips, size)
    supply = _parse_supply(root, lamps)
    key, buzzer = _parse_pin_table(root, "key", "in"), _parse_pin_table(root, "buzzer", "out")
    body = parse_body(root, sensors.driver if sensors else None, sensors.kind if sensors else None)
    root.check_keys()

    if size is not None and sensors and sensors.driver == "neotrellis":
        root.faults.extend(checks.check_trellis_size(size, root.locate_key("grid")))
    if sensors and lamps:
        root.faults.extend(_check_trellis(sensors, lamps))
    if sensors and sensors.driver == "simulated" and "key" in root:
        root.faults.extend(checks.check_simulated_key(root.locate_key("key")))
        key = None  # and of what is to be left out no more need be said
    root.faults.extend(_check_gpios(size, sensors, lamps, key, buzzer))
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
        key_pin=key.gpio if key else None,
        buzzer_pin=buzzer.gpio if buzzer else None,
    )


def _parse_sensors(root: TomlTable, size: int | None) -> ParsedSensors | None:
    table = root.read_table("sensors", keys="kind, driver and cells")
    return parse_sensors(table, size) if table else None


def _parse_lamps(root: TomlTable, strips: ParsedStrips, size: int | None) -> ParsedLamps | None:
    table = root.read_table("lamps", keys="driver, pin, count, budget_ma and cells")
    return parse_lamps(table, strips, size) if table else None


def _parse_strips(root: TomlTable) -> ParsedStrips:
    table = root.read_table("strips")
    if table is None:
        return UNREADABLE_STRIPS if "strips" in root else NO_STRIPS
    return parse_strips(table)


def _parse_supply(root: TomlTable, lamps: ParsedLamps | None) -> PowerSupply | None:
    table = root.read_table("supply", keys="source and current_ma")
    if table is None:
        return None
    source = table.read_choice("source", ("pi", "own"), such_as='"pi"')
    current = table.read_number("current_ma", 100, MAX_CURRENT_MA, such_as="2500")
    table.check_keys()
    scarce = []
    if source == "pi" and current is not None:
        scarce = list(checks.check_pi_current(current, table.locate_key("current_ma")))
        table.faults.extend(scarce)
    if lamps and lamps.budget_ma is not None:
        spent = lamps.table.locate_key("budget_ma")
        if source == "pi":
            table.faults.extend(checks.check_header_current(lamps.budget_ma, None if scarce else current, spent))
        elif source == "own" and current is not None:
            table.faults.extend(checks.check_supply_load(lamps.budget_ma, current, spent))
    return PowerSupply(source, current) if source and current else None


def _parse_pin_table(root: TomlTable, name: str, role: str) -> PinUse | None:
    """A table that holds one pin and may be left out."""
    table = root.read_table(name)
    if table is None:
        return None
    gpio = table.read_gpio("pin", such_as="27")
    table.check_keys()
    return None if gpio is None else PinUse(gpio, f"the {name}", table.locate_key("pin"), role)


def _check_trellis(sensors: ParsedSensors, lamps: ParsedLamps) -> Iterator[ProfileFault]:
    """Keys and lamps of a NeoTrellis belong together."""
    if sensors.driver and lamps.driver:
        yield from checks.check_trellis_drivers(sensors.driver, lamps.driver, lamps.table.locate_key("driver"))
        if isinstance(sensors.wiring, TrellisWiring) and lamps.driver == "neotrellis":
            yield from checks.check_trellis_lamps(sensors.wiring.keys, lamps.located_lamps)


def _check_gpios(
    size: int | None,
    sensors: ParsedSensors | None,
    lamps: ParsedLamps | None,
    key: PinUse | None,
    buzzer: PinUse | None,
) -> Iterator[ProfileFault]:
    """Everything on the header: what is wired to a GPIO of its own, and what one of the Pi's buses serves."""
    uses = [use for use in (key, buzzer) if use]
    buses = []
    lamps_bus = ReservedBus.for_spi0("the lamps") if lamps and lamps.uses_spi else None
    if lamps_bus:
        buses.append(lamps_bus)
    elif lamps and lamps.pin is not None:
        uses.append(PinUse(lamps.pin, "the lamps", lamps.table.locate_key("pin"), "out"))
        if buzzer:
            yield from checks.check_buzzer_pwm(lamps.pin, buzzer.gpio, buzzer.location)
    if sensors:
        cells, chips = sensors.pin_uses, sensors.adc_chips
        if lamps_bus:
            crowded = list(checks.check_header_room(size, sensors.driver, sensors.table.locate_key("driver")))
            stray = list(checks.check_lamp_bus(chips))
            yield from (*crowded, *stray)  # and of those in the lamps' way no more need be said
            cells = [use for use in cells if not (crowded and use.gpio in lamps_bus.gpios)]
            chips = [chip for chip in chips if not set(chip.adc_pins) & set(lamps_bus.gpios)]
        yield from checks.check_chip_selects(chips)
        served, buses_of_chips = checks.list_chip_pins(chips)
        uses += cells + served
        buses += buses_of_chips
        if sensors.driver in ("mcp23017", "neotrellis"):
            buses.append(ReservedBus("I2C", pi_header.I2C_GPIOS, "the sensors"))
    yield from checks.check_gpios(uses, buses)
