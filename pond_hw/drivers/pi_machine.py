"""Detection of this computer: its model, a suitable lamp driver, and anything that a board needs but is missing.

This module only looks at files and claims no device. It never tries out rpi_ws281x, because a failure would crash
the program.
"""

from __future__ import annotations

import errno
import importlib.util
import os
import struct
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from pond_hw.board import BoardFault
from pond_hw.drivers.lamp_pulses import ENCODINGS, LampEncoding
from pond_hw.messages.message import Message
from pond_hw.optional_packages import describe_missing_package, format_pip_command
from pond_hw.profile import board_profile
from pond_hw.profile.board_profile import Profile, find_i2c_bus

SPI_DEVICE = "/dev/spidev0.0"
GPIO_MEMORY_DEVICE = "/dev/gpiomem"
PIO_DEVICE = "/dev/pio0"

HEADER_CHIP_PREFIX = "pinctrl-"
"""Prefix of the header GPIO chip's label: pinctrl-bcm2835, pinctrl-bcm2711, pinctrl-rp1. The chip's number proves
nothing: on the Raspberry Pi 5 it has been 4, then 0, then 11 or more.
"""

GET_CHIP_INFO = 0x8044B401
"""GPIO_GET_CHIPINFO_IOCTL of linux/gpio.h."""

CHIP_INFO = struct.Struct("32s32sI")
"""Name, label and number of lines of a GPIO chip: `struct gpiochip_info` of linux/gpio.h."""

MAX_TRANSFER_BYTES = 65532
"""Maximum bytes in one SPI transfer of a Pi, whatever the size of the kernel's buffer."""

DEFAULT_BUFFER_BYTES = 4096

PULSE_SOURCES = {12: "PWM", 18: "PWM", 21: "PCM"}
"""Peripheral that rpi_ws281x uses for each GPIO. For GPIO 10 it uses SPI."""

SIMULATED_INSTEAD = Message("machine.instead")

PI5_NEOPIXEL_HELPER = "adafruit_raspberry_pi5_neopixel_write"
"""Module that the NeoPixel library needs on a Raspberry Pi 5. It is not installed with pond: its licence is GPL-2.0-only."""


def _list_usb_boards() -> list[str]:
    from pond_hw.drivers.usb_link import list_board_ports

    return list_board_ports()


def read_chip_label(device_path: Path) -> str:
    """Return the label of a GPIO chip; empty if this process may not open it or it is not a GPIO chip."""
    import fcntl  # missing on Windows

    try:
        descriptor = os.open(device_path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        chip_info = fcntl.ioctl(descriptor, GET_CHIP_INFO, bytes(CHIP_INFO.size))
    except OSError:
        return ""
    finally:
        os.close(descriptor)
    _, label, _ = CHIP_INFO.unpack(chip_info)
    return str(label.rstrip(b"\0").decode(errors="replace"))


@dataclass(frozen=True, slots=True)
class Machine:
    """The computer that Pond runs on.

    Attributes:
        root: folder that holds its /proc, /sys and /dev.
        usable: returns True if a file may be read and written.
        pins_mocked: True if gpiozero uses mock pins.
        usb_boards: finds the serial ports of Picos.
        chip_label: reads the label of a GPIO chip; empty if it cannot be read.
    """

    root: Path = Path("/")
    euid: int = field(default_factory=lambda: os.geteuid() if hasattr(os, "geteuid") else 0)  # missing on Windows
    usable: Callable[[Path], bool] = lambda device_path: os.access(device_path, os.R_OK | os.W_OK)
    pins_mocked: bool = field(default_factory=lambda: os.environ.get("GPIOZERO_PIN_FACTORY", "").lower() == "mock")
    usb_boards: Callable[[], list[str]] = _list_usb_boards
    chip_label: Callable[[Path], str] = read_chip_label

    @property
    def model_name(self) -> str:
        """Model, such as `Raspberry Pi 4 Model B Rev 1.4`; empty if unknown."""
        return self._read_text("proc/device-tree/model")

    @property
    def is_pi(self) -> bool:
        return "Raspberry Pi" in self.model_name

    @property
    def is_pi5(self) -> bool:
        """True for the Raspberry Pi 5 family, which has different GPIO hardware, memory and drivers."""
        try:
            revision = int.from_bytes((self.root / "proc/device-tree/system/linux,revision").read_bytes())
        except OSError:
            return self.model_name.startswith(("Raspberry Pi 5", "Raspberry Pi Compute Module 5"))
        return revision >> 12 & 0xF == 4  # the processor: BCM2712

    @property
    def has_gapless_spi(self) -> bool:
        """True if the SPI controller leaves no gap between bytes, as on models up to the Raspberry Pi 4.

        See the DMA code in Linux's `drivers/spi/spi-bcm2835.c`. Other computers use other drivers; the Pi 5 uses
        `spi-dw`.
        """
        return self.is_pi and not self.is_pi5

    @property
    def gpio_chips(self) -> dict[str, str]:
        """Labels of the GPIO chips by device, in numerical order."""
        chip_paths = [path for path in (self.root / "dev").glob("gpiochip*") if path.name[8:].isdecimal()]
        chip_paths.sort(key=lambda path: int(path.name[8:]))
        return {f"/dev/{path.name}": self.chip_label(path) for path in chip_paths}

    @property
    def gpio_device(self) -> str:
        """Device of the header's pins. If no label can be read, the likeliest of the GPIO chips."""
        chip_labels = self.gpio_chips
        headers = [device for device, label in chip_labels.items() if label.startswith(HEADER_CHIP_PREFIX)]
        unread = [device for device, label in chip_labels.items() if not label]
        default_devices = ["/dev/gpiochip4", "/dev/gpiochip0"] if self.is_pi5 else ["/dev/gpiochip0"]
        return [*headers, *(device for device in default_devices if device in unread), *unread, "/dev/gpiochip0"][0]

    @property
    def is_spi_on(self) -> bool:
        relative_path = self._read_text("proc/device-tree/aliases/spi0").lstrip("/")
        return self._read_text(f"proc/device-tree/{relative_path}/status") in {"okay", "ok"}

    @property
    def spi_buffer_bytes(self) -> int:
        buffer_text = self._read_text("sys/module/spidev/parameters/bufsiz")
        return min(int(buffer_text) if buffer_text.isdecimal() else DEFAULT_BUFFER_BYTES, MAX_TRANSFER_BYTES)

    def has_device(self, device: str) -> bool:
        return (self.root / device.lstrip("/")).exists()

    def may_use(self, device: str) -> bool:
        return self.usable(self.root / device.lstrip("/"))

    def is_forbidden(self, device: str) -> bool:
        """Return True if a device is closed to this process whatever its groups, for example because its unit is sandboxed."""
        try:
            os.close(os.open(self.root / device.lstrip("/"), os.O_RDWR | os.O_CLOEXEC))
        except OSError as error:
            return error.errno == errno.EPERM  # the file mode would give EACCES
        return False

    def _read_text(self, relative_path: str) -> str:
        try:
            return (self.root / relative_path).read_text(encoding="utf-8", errors="replace").strip("\0\n ")
        except OSError:
            return ""


class DriverChoice(NamedTuple):
    """A lamp driver, and a message that names it and gives the reason."""

    driver: str
    message: Message


def choose_driver(profile: Profile, machine: Machine) -> DriverChoice:
    """Return the lamp driver that the profile names or, for `auto`, the one that suits the pin and the machine."""
    chain = profile.chain
    if profile.controller == "pico":
        return DriverChoice("usb", Message("lamp_driver.usb"))
    if chain.driver != "auto":
        message = Message("lamp_driver.named", driver=chain.driver, profile=profile.name)
        return DriverChoice(chain.driver, message)
    if chain.data_pin not in PULSE_SOURCES:
        return DriverChoice("spi", Message("lamp_driver.spi"))
    if machine.is_pi5:
        return DriverChoice("neopixel", Message("lamp_driver.neopixel", pin=chain.data_pin))
    source = PULSE_SOURCES[chain.data_pin]
    return DriverChoice("ws281x", Message("lamp_driver.ws281x", pin=chain.data_pin, source=source))


class EncodingChoice(NamedTuple):
    """An encoding for the lamp bits, its name in a profile, and a message that gives the reason."""

    encoding: LampEncoding
    name: str
    message: Message


def choose_encoding(profile: Profile, machine: Machine) -> EncodingChoice:
    """Return the lamp encoding that the profile names or, for `auto`, the one that suits the machine's SPI and the chain."""
    name, case = profile.chain.encoding, "named"
    if name == "auto":
        name = case = "packed" if machine.has_gapless_spi else "byte"
        if ENCODINGS[name].frame_bytes(profile.chain.lamp_count) > MAX_TRANSFER_BYTES:
            name, case = "byte", "long"
    return EncodingChoice(ENCODINGS[name], name, Message(f"lamp_encoding.{case}", encoding=name, profile=profile.name))


def find_machine_fault(profile: Profile, machine: Machine, *, awaits_cable: bool = False) -> BoardFault | None:
    """Return the reason why the machine cannot run a board, before any device is opened; None if nothing seems missing.

    A board on USB may be plugged in later if `awaits_cable`.
    """
    if pi_fault := no_pi_fault(profile, machine):
        return pi_fault
    lacks = (check() for check in _list_checks(profile, machine, awaits_cable=awaits_cable))
    return next((BoardFault(lack) for lack in lacks if lack), None)


def no_pi_fault(profile: Profile, machine: Machine, instead: Message = SIMULATED_INSTEAD) -> BoardFault | None:
    if machine.is_pi or profile.controller == "pico" or not list(_list_checks(profile, machine)):
        return None
    return BoardFault(Message("machine.no_pi", profile=profile.name, instead=instead))


def needs_pins(profile: Profile) -> bool:
    """Return True if a board's sensors, keys or buzzer use the header's own pins."""
    if profile.controller == "pico":
        return False
    on_pins = (board_profile.DirectWiring, board_profile.MatrixWiring, board_profile.AnalogWiring)
    return isinstance(profile.sensing.wiring, on_pins) or bool(profile.key_pins) or profile.buzzer_pin is not None


def _list_checks(
    profile: Profile, machine: Machine, *, awaits_cable: bool = False
) -> Iterator[Callable[[], Message | None]]:
    """Yield a check for each board part that is not simulated."""
    chain = profile.chain
    if profile.controller == "pico":
        yield lambda: explain_missing_usb(machine, awaits_cable=awaits_cable)
        return
    if needs_pins(profile) and not machine.pins_mocked:
        yield lambda: explain_missing_gpio(machine)
    if (bus := find_i2c_bus(profile.sensing.wiring)) is not None:
        yield lambda: explain_missing_i2c(machine, bus)
    driver = choose_driver(profile, machine).driver
    if driver == "spi":
        encoding = choose_encoding(profile, machine).encoding
        yield lambda: explain_missing_spi(machine, chain.lamp_count, encoding.frame_bytes(chain.lamp_count))
    elif driver == "ws281x":
        yield lambda: explain_missing_ws281x(machine, chain.data_pin, chain.lamp_count)
    elif driver == "neopixel":
        yield lambda: explain_missing_neopixel(machine, chain.data_pin, chain.lamp_count)


def explain_missing_usb(machine: Machine, *, awaits_cable: bool = False) -> Message | None:
    """Return the reason why a Pico on a cable cannot be used, or None. It may be plugged in later if `awaits_cable`."""
    if lack := _explain_missing_module("serial", "pyserial"):
        return lack
    devices = machine.usb_boards()
    if not devices:
        return None if awaits_cable else Message("usb.no_board")
    if sys.platform != "linux":
        return None  # unlike Linux, other systems do not restrict ports by group
    lacks = [explain_missing_permission(machine, device, "dialout") for device in devices]
    return None if None in lacks else lacks[0]


def explain_missing_gpio(machine: Machine) -> Message | None:
    return explain_missing_header(machine) or explain_missing_permission(machine, machine.gpio_device, "gpio")


def explain_missing_header(machine: Machine) -> Message | None:
    chip_labels = machine.gpio_chips
    if not chip_labels:
        return Message("gpio.no_device", device=machine.gpio_device)
    if any(not label or label.startswith(HEADER_CHIP_PREFIX) for label in chip_labels.values()):
        return None
    chips = tuple(f"{device.removeprefix('/dev/')} ({label})" for device, label in chip_labels.items())
    return Message("gpio.no_header", chips=chips)


def explain_missing_i2c(machine: Machine, bus: int) -> Message | None:
    device = f"/dev/i2c-{bus}"
    return explain_missing_device(machine, device, "i2c", Message("i2c.off", device=device, bus=bus))


def explain_missing_spi(machine: Machine, count: int, length: int) -> Message | None:
    """Return the reason why SPI cannot send `length` bytes for `count` lamps in one transfer, or None if it can."""
    return (
        _explain_missing_module("spidev", "spidev")
        or _explain_missing_spi_device(machine)
        or _explain_small_spi_buffer(machine, count, length)
    )


def explain_missing_ws281x(machine: Machine, pin: int | None, count: int = 0) -> Message | None:
    if machine.is_pi5:
        return Message("ws281x.no_pi5")
    if not machine.is_pi:
        return Message("ws281x.no_pi")
    if pin in PULSE_SOURCES and machine.euid:
        return Message("ws281x.no_root", pin=pin, source=PULSE_SOURCES[pin])
    if lack := _explain_missing_module("rpi_ws281x", "rpi_ws281x"):
        return lack
    if pin in PULSE_SOURCES:
        return None
    return (
        _explain_missing_spi_device(machine)
        or explain_missing_permission(machine, GPIO_MEMORY_DEVICE, "gpio")
        # It reserves four colours per lamp and three SPI bits per bit.
        or _explain_small_spi_buffer(machine, count, count * 12 + 24)
    )


def explain_missing_neopixel(machine: Machine, pin: int | None, count: int = 0) -> Message | None:
    if not machine.is_pi:
        return Message("neopixel.no_pi")
    if lack := _explain_missing_module("neopixel", "adafruit-circuitpython-neopixel"):
        return lack
    if not machine.is_pi5:
        return explain_missing_ws281x(machine, pin, count)  # used by the NeoPixel library
    if not _is_importable(PI5_NEOPIXEL_HELPER):
        return Message("neopixel.no_helper", command=format_pip_command("Adafruit-Blinka-Raspberry-Pi5-Neopixel"))
    return explain_missing_device(machine, PIO_DEVICE, "gpio", Message("neopixel.no_device", device=PIO_DEVICE))


def _explain_missing_spi_device(machine: Machine) -> Message | None:
    case = "off" if machine.is_pi else "no_pi"
    if not machine.has_device(SPI_DEVICE) and machine.is_spi_on:
        case = "no_device"
    return explain_missing_device(machine, SPI_DEVICE, "spi", Message(f"spi.{case}", device=SPI_DEVICE))


def explain_missing_device(machine: Machine, device: str, group: str, missing: Message) -> Message | None:
    """Return why a device cannot be used (no permission, or `missing` if it does not exist), or None if it can."""
    return explain_missing_permission(machine, device, group) if machine.has_device(device) else missing


def _explain_small_spi_buffer(machine: Machine, count: int, length: int) -> Message | None:
    if length <= machine.spi_buffer_bytes:
        return None
    if length > MAX_TRANSFER_BYTES:
        return Message("spi.too_many_lamps", lamps=count, needed=length, most=MAX_TRANSFER_BYTES)
    return Message("spi.small_buffer", lamps=count, needed=length, allowed=machine.spi_buffer_bytes)


def explain_missing_permission(machine: Machine, device: str, group: str) -> Message | None:
    if machine.may_use(device):
        return None
    if machine.is_forbidden(device):
        return Message("device.closed", device=device)
    return Message("device.group", device=device, group=group)


def _explain_missing_module(module_name: str, package_name: str) -> Message | None:
    return None if _is_importable(module_name) else describe_missing_package(module_name, package_name)


def _is_importable(module_name: str) -> bool:
    if module_name in sys.modules:
        return sys.modules[module_name] is not None  # None blocks the import
    return importlib.util.find_spec(module_name) is not None
