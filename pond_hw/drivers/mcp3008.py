"""Linear hall sensors on MCP3008 converters: counts become poles, and poles identify the owner of a piece.

The kernel reads a converter on the pins of SPI1: gpiozero claims the pins, then one call reads all inputs. On other
pins gpiozero bit-bangs the converter, which is many times slower and suits only a few sensors. SPI0 belongs to the
lamps: bytes for a converter there would appear as colours.

lgpio and spidev need a call for each input and deselect the converter only after it. The kernel takes several transfers
in one message and deselects in between, which starts the next conversion (linux/spi/spidev.h).
"""

from __future__ import annotations

import fcntl
import gc
import os
import struct
import warnings
from array import array
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pond_hw.board import BoardFault
from pond_hw.drivers.debounce import HysteresisFilter, SensorLevel
from pond_hw.drivers.gpio import PinReader, explain_pin_errors
from pond_hw.drivers.input_bank import is_lgpio
from pond_hw.drivers.pi_machine import Machine, explain_missing_device
from pond_hw.drivers.scan import SensorReadError
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import AnalogWiring
from pond_hw.profile.chips import AdcPins
from pond_hw.profile.pi_header import SPI0, SPI1

SPI1_PIN_NAMES = {
    **{wire: f"GPIO{getattr(SPI1, wire)}" for wire in ("clock", "mosi", "miso")},
    "select": tuple(f"GPIO{gpio}" for gpio in SPI1.select_gpios),
}
"""Pins of a Pi's second SPI bus, which gpiozero does not know."""

MIN_COUNT, MAX_COUNT = 2, 1021
"""Range of a hall sensor's counts. If all inputs of a converter are outside it, the supply is missing or MISO is
loose or stuck.
"""

BIT_BANGED_INTERVAL = 3
"""Interval, in readings, at which a bit-banged converter is read unless something moves. Reading one of its inputs
takes longer than reading two dozen inputs on SPI1.
"""

SPEED_HZ = 500_000

CONVERSION_BYTES = 3

TRANSFER = struct.Struct("=QQIIHBBBBBB")
"""Layout of `struct spi_ioc_transfer`: send and receive addresses, number of bytes, speed, delay, bits per word, whether to
deselect after the transfer, and four fields that are 0.
"""


class AnalogReader(PinReader):
    """A linear hall sensor in each cell. Its level is the pole that it detects: +1 above rest, -1 below, 0 none."""

    def __init__(self, wiring: AnalogWiring) -> None:
        super().__init__()
        self.raw_values: tuple[int, ...] = tuple(wiring.rest.values())
        self._wiring = wiring
        self._kernel_converters: dict[str, KernelConverter] = {}
        self._device_paths = {chip: path for chip, pins in wiring.chips.items() if (path := _kernel_device(pins))}
        self._of_chip: dict[str, list[int]] = {chip: [] for chip in wiring.chips}
        for number, channel in enumerate(wiring.channels.values()):
            self._of_chip[channel.chip].append(number)
        self.close()

    def open(self) -> None:
        """Claim every converter, unless it is open already. Converters have no settings to restore."""
        if not self._held:
            gc.collect()  # a closed bus that is collected later would remove a newer one from gpiozero's reservations
            super().open()

    def close(self) -> None:
        for converter in self._kernel_converters.values():
            converter.close()
        self._kernel_converters = {}
        super().close()
        self._reading_number = 0
        self._hysteresis = HysteresisFilter(tuple(self._wiring.rest.values()), self._wiring.on, self._wiring.off)

    def _claim_pins(self) -> None:
        for chip, channel in self._wiring.channels.values():
            self._held.append(_open_channel(chip, channel, self._wiring.chips))
        if is_lgpio(self._held[0].pin_factory):
            for letter, device_path in self._device_paths.items():
                if self._of_chip[letter]:
                    self._open_converter(letter, device_path)

    def _open_converter(self, letter: str, device_path: str) -> None:
        channels = list(self._wiring.channels.values())
        with explain_pin_errors(Message("pin_user.converter", chip=letter), *self._wiring.chips[letter]):
            self._kernel_converters[letter] = KernelConverter(
                device_path, [channels[number].channel for number in self._of_chip[letter]]
            )

    def _read_pins(self) -> tuple[SensorLevel, ...]:
        counts = self._read_counts(with_slow=not self._reading_number % BIT_BANGED_INTERVAL)
        self._reading_number += 1
        if any(abs(now - before) >= self._wiring.off for now, before in zip(counts, self.raw_values, strict=True)):
            # Read a large change again at once: the filter ignores a value that appears only once.
            self._hysteresis.add_counts(counts)
            counts = self._read_counts(with_slow=True)
        self.raw_values = counts
        return self._hysteresis.add_counts(counts)

    def _read_counts(self, *, with_slow: bool) -> tuple[int, ...]:
        """Return the counts of all sensors in the order of the cells. Slow converters are only read if `with_slow`."""
        counts = list(self.raw_values)
        for chip, sensor_numbers in self._of_chip.items():
            if chip not in self._device_paths and not with_slow:
                continue
            converter = self._kernel_converters.get(chip)
            chip_counts = (
                converter.read_counts() if converter else [self._held[number].raw_value for number in sensor_numbers]
            )
            for rail, stuck_counts in (("zero", range(MIN_COUNT + 1)), ("ones", range(MAX_COUNT, 1024))):
                if sensor_numbers and all(count in stuck_counts for count in chip_counts):
                    miso = self._wiring.chips[chip].miso
                    raise SensorReadError(Message(f"converter.stuck.{rail}", chip=chip, miso=miso))
            for number, count in zip(sensor_numbers, chip_counts, strict=True):
                counts[number] = count
        return tuple(counts)

    def _explain_failure(self, text: str) -> Message:
        return Message("converter.unreadable", text=text)


class KernelConverter:
    """Inputs (0 to 7) of a converter behind a device such as /dev/spidev1.0."""

    def __init__(self, device_path: str, channels: Sequence[int]) -> None:
        sent_bytes = [byte for channel in channels for byte in (1, (8 + channel) << 4, 0)]
        self._sent, self._received = array("B", sent_bytes), array("B", bytes(len(sent_bytes)))
        sent_at, received_at = self._sent.buffer_info()[0], self._received.buffer_info()[0]
        last = len(sent_bytes) - CONVERSION_BYTES
        self._message = b"".join(
            TRANSFER.pack(
                sent_at + start, received_at + start, CONVERSION_BYTES, SPEED_HZ, 0, 8, start != last, 0, 0, 0, 0
            )
            for start in range(0, len(sent_bytes), CONVERSION_BYTES)
        )
        self._request = 1 << 30 | len(self._message) << 16 | ord("k") << 8  # SPI_IOC_MESSAGE
        self._device: int | None = os.open(device_path, os.O_RDWR | os.O_CLOEXEC)

    def read_counts(self) -> list[int]:
        if self._device is None:
            raise OSError("the converter is closed")
        fcntl.ioctl(self._device, self._request, self._message)
        received = self._received
        return [
            (received[start + 1] & 3) << 8 | received[start + 2] for start in range(0, len(received), CONVERSION_BYTES)
        ]

    def close(self) -> None:
        if self._device is not None:
            os.close(self._device)
            self._device = None


def _open_channel(chip_letter: str, channel: int, chips: Mapping[str, AdcPins]) -> Any:
    from gpiozero import MCP3008, SPISoftwareFallback
    from gpiozero.pins.data import SPI_HARDWARE_PINS

    SPI_HARDWARE_PINS.setdefault(1, SPI1_PIN_NAMES)
    chip = chips[chip_letter]
    with explain_pin_errors(Message("pin_user.converter", chip=chip_letter), *chip), warnings.catch_warnings():
        warnings.simplefilter("error", SPISoftwareFallback)
        try:
            return MCP3008(channel, **{f"{wire}_pin": gpio for wire, gpio in chip._asdict().items()})
        except SPISoftwareFallback as fallback:
            raise BoardFault(_explain_missing_spi(chip, chips.values(), str(fallback))) from fallback


def _kernel_device(chip: AdcPins) -> str | None:
    """Return the kernel's device for a converter on the pins of an SPI bus; None for other pins."""
    for spi_bus in (SPI0, SPI1):
        if chip[:3] == (spi_bus.clock, spi_bus.mosi, spi_bus.miso) and chip.select in spi_bus.select_gpios:
            return f"/dev/spidev{spi_bus.name[-1]}.{spi_bus.select_gpios.index(chip.select)}"
    return None


def _explain_missing_spi(chip: AdcPins, chips: Collection[AdcPins], fallback_text: str) -> Message:
    spi_bus, device = SPI1 if chip.clock == SPI1.clock else SPI0, _kernel_device(chip)
    assert device, "it lies on the pins of a bus"
    switched_off = Message("spi.off", device=device)
    if spi_bus is SPI1:
        highest_select = max(SPI1.select_gpios.index(each.select) for each in chips if each.clock == SPI1.clock)
        switched_off = Message("spi.off_spi1", device=device, overlay=f"spi1-{highest_select + 1}cs")
    return explain_missing_device(Machine(), device, "spi", switched_off) or Message(
        "spi.unusable", device=device, text=fallback_text
    )
