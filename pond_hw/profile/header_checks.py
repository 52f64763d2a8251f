"""What may be wired to which GPIO of the header: the rules between the tables of a profile.

Each takes what has been read with its places and gives the faults; what could not be read is left out. The Pi's own
facts are in `pi_header`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pond_hw.messages.plurals import join_words
from pond_hw.profile import pi_header
from pond_hw.profile.board_profile import AdcPins, MatrixCrossing
from pond_hw.profile.faults import FileLocation, ProfileFault
from pond_hw.profile.toml_table import DrawnThings, TomlTable


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


class AdcChip(NamedTuple):
    """An MCP3008: its letter, its GPIOs, and the table in which they are written."""

    letter: str
    adc_pins: AdcPins
    table: TomlTable


def check_gpios(pin_uses: Iterable[PinUse], buses: Sequence[ReservedBus]) -> Iterator[ProfileFault]:
    """No GPIO has two uses, or one that it is not fit for."""
    first_uses: dict[int, PinUse] = {}
    for use in sorted(pin_uses, key=lambda use: use.location.line):
        if reason := _unfit_reason(use, buses):
            yield use.location.make_fault(f"GPIO {use.gpio} {reason}. Give {use.used_by} another one.")
        elif use.gpio in first_uses:
            yield use.location.make_fault(_shared_pin_sentence(first_uses[use.gpio], use))
        else:
            first_uses[use.gpio] = use


def _unfit_reason(use: PinUse, buses: Sequence[ReservedBus]) -> str:
    """Why a GPIO cannot serve at all, to follow its name; empty if it can."""
    if use.gpio not in pi_header.HEADER_GPIOS:
        return f"is not on the header, which ends with {pi_header.HEADER_GPIOS[-1]}"
    if use.gpio in pi_header.ID_EEPROM_GPIOS:
        return "is kept for the ID EEPROM of add-on boards"
    if bus := next((bus for bus in buses if use.gpio in bus.gpios), None):
        return f"belongs to {bus.name}, which takes {join_words(sorted(bus.gpios))} for {bus.users}"
    if use.gpio in pi_header.FIXED_PULL_UPS and use.role in ("drive", "out"):
        return "has a pull-up resistor on the Pi: it can be read, but should not be driven"
    return ""


def _shared_pin_sentence(first_use: PinUse, two: PinUse) -> str:
    pin_roles = {first_use.role, two.role}
    if pin_roles == {"drive", "sense"}:
        drive_use, sense_use = (first_use, two) if first_use.role == "drive" else (two, first_use)
        uses = f"is driven for {drive_use.used_by} and read for {sense_use.used_by}"
        return f"GPIO {two.gpio} {uses}. A line of the matrix is one or the other: take two GPIOs."
    own = "Give each cell a pin of its own." if pin_roles == {"cell"} else "Give each a GPIO of its own."
    return f"GPIO {first_use.gpio} is used twice, for {first_use.used_by} and for {two.used_by}. {own}"


def check_header_room(size: int | None, driver: str | None, location: FileLocation) -> Iterator[ProfileFault]:
    """With lamps on SPI there are too few GPIOs for a large board with a wire from each cell."""
    taken = len(pi_header.SPI0.all_gpios)
    left = len(pi_header.HEADER_GPIOS) - taken
    if driver == "gpio" and size and size**2 > left:
        yield location.make_fault(
            f"{size**2} cells cannot have a GPIO each beside lamps on SPI: of the header's {len(pi_header.HEADER_GPIOS)} "
            f'SPI takes {taken}, and {left} are left. Take the driver "matrix", with {2 * size} GPIOs, or "mcp23017", '
            "with 2."
        )


def list_matrix_lines(crossings: DrawnThings[MatrixCrossing]) -> Iterable[PinUse]:
    """The GPIOs of a matrix, each line once.

    One line at a time is driven low while the others are let go; the lines that are read have pull-ups, and the
    diode at each crossing lets current through only towards the driven line.
    """
    line_uses: dict[tuple[int, str], PinUse] = {}
    for (drive_gpio, sense_gpio), cell, location in crossings:
        line_uses.setdefault((drive_gpio, "drive"), PinUse(drive_gpio, cell, location, "drive"))
        line_uses.setdefault((sense_gpio, "sense"), PinUse(sense_gpio, cell, location, "sense"))
    return line_uses.values()


def check_buzzer_pwm(lamps_gpio: int, buzzer: PinUse | None) -> Iterator[ProfileFault]:
    """Both channels of the PWM run at the lamps' clock."""
    if buzzer and {lamps_gpio, buzzer.gpio} <= set(pi_header.PWM_GPIOS) and lamps_gpio != buzzer.gpio:
        yield buzzer.location.make_fault(
            f"The lamps on GPIO {lamps_gpio} need the whole PWM, and GPIO {buzzer.gpio} hangs on it too. "
            f"Give the buzzer another GPIO than {join_words(pi_header.PWM_GPIOS, 'or')}."
        )


def check_chip_selects(adc_chips: Sequence[AdcChip]) -> Iterator[ProfileFault]:
    """MCP3008s on the same wires are told apart by what selects them."""
    selected: dict[tuple[int, ...], str] = {}
    for chip in adc_chips:
        if chip.adc_pins in selected:
            yield chip.table.locate_key("select").make_fault(
                f"GPIO {chip.adc_pins.select} selects chip {selected[chip.adc_pins]} as well as chip {chip.letter}. "
                "Give each chip a select pin of its own."
            )
        selected.setdefault(chip.adc_pins, chip.letter)
        for spi in _serving_buses(adc_chips):
            if chip.adc_pins[:3] == spi.data_gpios and not spi.serves_chip(chip.adc_pins):
                yield chip.table.locate_key("select").make_fault(
                    f"On the wires of {spi.name} GPIO {join_words(spi.select_gpios, 'or')} can select chip {chip.letter}, "
                    f"GPIO {chip.adc_pins.select} cannot. Take one of these, or four GPIOs away from that bus."
                )


def _serving_buses(chips: Sequence[AdcChip]) -> list[pi_header.SpiBus]:
    """The Pi's SPI buses that serve some of these chips."""
    return [spi for spi in (pi_header.SPI0, pi_header.SPI1) if any(spi.serves_chip(chip.adc_pins) for chip in chips)]


def check_lamp_bus(adc_chips: Iterable[AdcChip]) -> Iterator[ProfileFault]:
    """Lamps have no select pin: they would show whatever a chip on their bus is told."""
    for chip in adc_chips:
        if taken := sorted(set(chip.adc_pins) & set(pi_header.SPI0.all_gpios)):
            yield chip.table.locate_key().make_fault(
                f"Lamps show whatever is sent on their SPI bus, so nothing may share it; chip {chip.letter} is on GPIO "
                f"{join_words(taken)}. Put it on SPI1 (clock 21, mosi 20, miso 19, select 18, 17 or 16) or on other GPIOs."
            )


def list_chip_pins(chips: Sequence[AdcChip]) -> tuple[list[PinUse], list[ReservedBus]]:
    """The buses that the Pi serves chips by, and the GPIOs by which the program must serve the others itself."""
    buses = []
    for spi in _serving_buses(chips):
        served = [chip for chip in chips if spi.serves_chip(chip.adc_pins)]
        letters = [chip.letter for chip in served]
        bus_users = f"chip {letters[0]}" if len(letters) == 1 else f"the chips {join_words(letters)}"
        bus_gpios = spi.all_gpios  # SPI0 takes all its GPIOs or none
        if spi is pi_header.SPI1:  # one can have it with one, two or three select pins, in this order
            bus_gpios = bus_gpios[: 4 + max(spi.select_gpios.index(chip.adc_pins.select) for chip in served)]
        buses.append(ReservedBus(spi.name, bus_gpios, bus_users))
    pin_uses = []
    # whoever sits on these wires too is told by `check_chip_selects`
    seen_wires = {spi.data_gpios for spi in _serving_buses(chips)}
    for chip in chips:
        if not any(spi.serves_chip(chip.adc_pins) for spi in (pi_header.SPI0, pi_header.SPI1)):
            pin_keys = ("select",) if chip.adc_pins[:3] in seen_wires else chip.adc_pins._fields
            for key in pin_keys:
                use, role = f"the {key} of chip {chip.letter}", "in" if key == "miso" else "out"
                pin_uses.append(PinUse(getattr(chip.adc_pins, key), use, chip.table.locate_key(key), role))
            seen_wires.add(chip.adc_pins[:3])
    return pin_uses, buses
