"""Rules for GPIOs that involve several tables of a profile.

Each rule takes located values and yields faults. Unreadable values are left out. Facts about the Pi are in `pi_header`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from pond_hw.messages.message import Message
from pond_hw.profile import pi_header, pico_header
from pond_hw.profile.board_profile import MatrixCrossing
from pond_hw.profile.chips import AdcPins
from pond_hw.profile.faults import FileLocation, ProfileFault
from pond_hw.profile.toml_table import DrawnValues, TomlTable
from pond_hw.rules import Cell


class PinUse(NamedTuple):
    """Use of a GPIO.

    Attributes:
        used_by: a cell, or the key of the profile that names the GPIO, such as `buzzer.pin`.
        role: `cell` for a sensor's own wire; `drive` or `sense` for the lines of a matrix; otherwise `out` or `in`.
    """

    gpio: int
    used_by: Cell | Message
    location: FileLocation
    role: str


class ReservedBus(NamedTuple):
    """GPIOs that the Pi reserves for a bus, and the tables of the profile that use the bus."""

    name: str
    gpios: Sequence[int]
    users: tuple[str, ...]


class AdcChip(NamedTuple):
    """Converter: its letter, its GPIOs, and its table in the profile."""

    letter: str
    adc_pins: AdcPins
    table: TomlTable


def check_gpios(pin_uses: Iterable[PinUse], buses: Sequence[ReservedBus]) -> Iterator[ProfileFault]:
    return _check_uses(pin_uses, lambda use: _explain_unfit(use, buses))


def _check_uses(
    pin_uses: Iterable[PinUse], explain_unfit: Callable[[PinUse], Message | None]
) -> Iterator[ProfileFault]:
    first_uses: dict[int, PinUse] = {}
    for use in sorted(pin_uses, key=lambda use: use.location.line):
        if reason := explain_unfit(use):
            yield use.location.make_fault(reason)
        elif use.gpio in first_uses:
            yield use.location.make_fault(_explain_sharing(first_uses[use.gpio], use))
        else:
            first_uses[use.gpio] = use


def check_pico_gpios(pin_uses: Iterable[PinUse], buses: Sequence[ReservedBus]) -> Iterator[ProfileFault]:
    known_uses = []
    for use in pin_uses:
        if use.gpio in pico_header.PICO_PINS:
            known_uses.append(use)
        else:
            yield use.location.make_fault(Message("profile.pico.gpio", gpio=use.gpio, user=use.used_by))
    yield from _check_uses(known_uses, lambda use: _explain_bus(use, buses))


def _explain_unfit(use: PinUse, buses: Sequence[ReservedBus]) -> Message | None:
    gpio, user = use.gpio, use.used_by
    if gpio not in pi_header.HEADER_GPIOS:
        return Message("profile.gpio.not_on_header", gpio=gpio, last=pi_header.HEADER_GPIOS[-1], user=user)
    if gpio in pi_header.ID_EEPROM_GPIOS:
        return Message("profile.gpio.id_eeprom", gpio=gpio, user=user)
    if reason := _explain_bus(use, buses):
        return reason
    if gpio in pi_header.FIXED_PULL_UPS and use.role in ("drive", "out"):
        return Message("profile.gpio.pull_up", gpio=gpio, user=user)
    return None


def _explain_bus(use: PinUse, buses: Sequence[ReservedBus]) -> Message | None:
    if bus := next((bus for bus in buses if use.gpio in bus.gpios), None):
        gpios, users = tuple(map(str, sorted(bus.gpios))), bus.users
        return Message("profile.gpio.on_bus", gpio=use.gpio, bus=bus.name, gpios=gpios, users=users, user=use.used_by)
    return None


def _explain_sharing(first: PinUse, second: PinUse) -> Message:
    pin_roles = {first.role, second.role}
    if pin_roles == {"drive", "sense"}:
        drive_use, sense_use = (first, second) if first.role == "drive" else (second, first)
        driven, read = drive_use.used_by, sense_use.used_by
        return Message("profile.gpio.driven_and_read", gpio=first.gpio, driven=driven, read=read)
    kind = "cells" if pin_roles == {"cell"} else "others"
    return Message(f"profile.gpio.shared_by_{kind}", gpio=first.gpio, first=first.used_by, second=second.used_by)


def check_header_room(size: int | None, driver: str | None, location: FileLocation) -> Iterator[ProfileFault]:
    """Check that lamps on SPI leave enough GPIOs for a board with one wire per cell."""
    taken = len(pi_header.SPI0.all_gpios)
    left = len(pi_header.HEADER_GPIOS) - taken
    if driver == "gpio" and size and size**2 > left:
        yield location.make_fault(
            Message("profile.gpio.too_few", cells=size**2, gpios=taken + left, taken=taken, left=left, lines=2 * size)
        )


def list_matrix_lines(crossings: DrawnValues[MatrixCrossing]) -> Iterable[PinUse]:
    """Return the GPIOs of a matrix, each line once.

    One line at a time is driven low while the others float. The read lines have pull-ups, and the diode at each crossing
    conducts only towards the driven line.
    """
    line_uses: dict[tuple[int, str], PinUse] = {}
    for (drive_gpio, sense_gpio), cell, location in crossings:
        line_uses.setdefault((drive_gpio, "drive"), PinUse(drive_gpio, cell, location, "drive"))
        line_uses.setdefault((sense_gpio, "sense"), PinUse(sense_gpio, cell, location, "sense"))
    return line_uses.values()


def check_buzzer_pwm(lamps_gpio: int, buzzer: PinUse | None) -> Iterator[ProfileFault]:
    """Check that lamps and buzzer don't both use PWM, because both of its channels run at the lamps' clock rate."""
    if buzzer and {lamps_gpio, buzzer.gpio} <= set(pi_header.PWM_GPIOS) and lamps_gpio != buzzer.gpio:
        gpios = tuple(map(str, pi_header.PWM_GPIOS))
        reason = Message("profile.gpio.buzzer_on_pwm", lamps=lamps_gpio, gpio=buzzer.gpio, gpios=gpios)
        yield buzzer.location.make_fault(reason)


def check_chip_selects(adc_chips: Sequence[AdcChip]) -> Iterator[ProfileFault]:
    selected: dict[tuple[int, ...], str] = {}
    for chip in adc_chips:
        if chip.adc_pins in selected:
            first = selected[chip.adc_pins]
            reason = Message("profile.chip.shared_select", gpio=chip.adc_pins.select, first=first, second=chip.letter)
            yield chip.table.locate_key("select").make_fault(reason)
        selected.setdefault(chip.adc_pins, chip.letter)
        for spi in _serving_buses(adc_chips):
            if chip.adc_pins[:3] == spi.data_gpios and not spi.serves_chip(chip.adc_pins):
                gpio, gpios = chip.adc_pins.select, tuple(map(str, spi.select_gpios))
                reason = Message("profile.chip.wrong_select", bus=spi.name, gpio=gpio, gpios=gpios, chip=chip.letter)
                yield chip.table.locate_key("select").make_fault(reason)


def _serving_buses(chips: Sequence[AdcChip]) -> list[pi_header.SpiBus]:
    return [spi for spi in (pi_header.SPI0, pi_header.SPI1) if any(spi.serves_chip(chip.adc_pins) for chip in chips)]


def check_lamp_bus(adc_chips: Iterable[AdcChip]) -> Iterator[ProfileFault]:
    """Check that no chip is on the lamps' bus. Lamps have no select pin, so they would show the chip's data."""
    for chip in adc_chips:
        if taken := sorted(set(chip.adc_pins) & set(pi_header.SPI0.all_gpios)):
            reason = Message("profile.chip.on_lamp_bus", chip=chip.letter, gpios=tuple(map(str, taken)))
            yield chip.table.locate_key().make_fault(reason)


def list_chip_pins(chips: Sequence[AdcChip]) -> tuple[list[PinUse], list[ReservedBus]]:
    """Return the GPIOs of chips that need bit-banging, and the Pi's buses that serve the other chips."""
    buses = []
    for spi in _serving_buses(chips):
        served = [chip for chip in chips if spi.serves_chip(chip.adc_pins)]
        bus_users = tuple(chip.table.dotted_key() for chip in served)
        bus_gpios = spi.all_gpios  # SPI0 always takes all its GPIOs
        if spi is pi_header.SPI1:  # it uses as many select pins as it needs, in this order
            bus_gpios = bus_gpios[: 4 + max(spi.select_gpios.index(chip.adc_pins.select) for chip in served)]
        buses.append(ReservedBus(spi.name, bus_gpios, bus_users))
    pin_uses = []
    # Other conflicts on these wires are reported by `check_chip_selects`
    seen_wires = {spi.data_gpios for spi in _serving_buses(chips)}
    for chip in chips:
        if not any(spi.serves_chip(chip.adc_pins) for spi in (pi_header.SPI0, pi_header.SPI1)):
            pin_keys = ("select",) if chip.adc_pins[:3] in seen_wires else chip.adc_pins._fields
            for key in pin_keys:
                gpio, location = getattr(chip.adc_pins, key), chip.table.locate_key(key)
                pin_uses.append(PinUse(gpio, location.place, location, "in" if key == "miso" else "out"))
            seen_wires.add(chip.adc_pins[:3])
    return pin_uses, buses
