"""Switches on the Pi's pins, through gpiozero, and explanations of why a pin cannot be used."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from traceback import clear_frames
from typing import Any

from pond_hw.board import BoardFault
from pond_hw.drivers.debounce import SensorLevel
from pond_hw.drivers.input_bank import InputBank, open_bank
from pond_hw.drivers.pi_machine import Machine, explain_missing_gpio
from pond_hw.drivers.scan import SensorReadError
from pond_hw.messages.message import Argument, Message
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.profile.board_profile import DirectWiring

REAL_LGPIO_FUNCTION = "gpiochip_open"
"""Function that only the real lgpio has. For Python versions without a prebuilt wheel, the package `lgpio` is empty."""


def get_pin_factory() -> Any:
    """Return gpiozero's pin factory: the one that the environment names, otherwise lgpio.

    Raise BoardFault if no pins are usable.
    """
    from gpiozero import Device

    if Device.pin_factory is None:
        factory_name = os.environ.get("GPIOZERO_PIN_FACTORY", "")
        Device.pin_factory = _lgpio_factory() if factory_name.lower() in {"", "lgpio"} else _named_factory(factory_name)
    return Device.pin_factory


def load_lgpio() -> Any:
    """Import lgpio.

    On import, lgpio changes to the folder LG_WD and creates a named pipe for edge events there, which Pond does not
    use. It is given a temporary folder, which is deleted once the pipe is open. Then the working folder is
    restored.

    Raises:
        BoardFault: lgpio is missing or cannot be loaded.
    """
    working_folder = os.open(".", os.O_RDONLY)
    lgpio_folder = os.environ.get("LG_WD")
    try:
        if lgpio_folder:
            import lgpio
        else:
            runtime_folder = os.environ.get("RUNTIME_DIRECTORY", "").partition(":")[0]
            with TemporaryDirectory(prefix="lgpio-", dir=runtime_folder or None) as pipe_folder:
                os.environ["LG_WD"] = pipe_folder
                import lgpio
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError):
            raise BoardFault(Message("lgpio.not_installed")) from error
        raise BoardFault(Message("lgpio.unloadable", text=error_text(error))) from error
    except OSError as error:
        raise BoardFault(Message("lgpio.no_pipe", text=error_text(error))) from error
    finally:
        os.fchdir(working_folder)
        os.close(working_folder)
        if lgpio_folder is None:
            os.environ.pop("LG_WD", None)
    if not hasattr(lgpio, REAL_LGPIO_FUNCTION):
        raise BoardFault(Message("lgpio.placeholder"))
    return lgpio


def pin_errors() -> tuple[type[Exception], ...]:
    from gpiozero import GPIOZeroError

    lgpio_error = getattr(sys.modules.get("lgpio"), "error", None)
    return (GPIOZeroError, OSError, lgpio_error) if lgpio_error else (GPIOZeroError, OSError)


def error_text(error: Exception) -> str:
    """Return the text of an error, without the quotation marks that lgpio adds."""
    quoted_text = re.fullmatch("(['\"])(.*)\\1", str(error), re.DOTALL)
    return (quoted_text[2] if quoted_text else str(error)) or type(error).__name__


@contextmanager
def explain_pin_errors(pin_user: str | Message, *pins: int) -> Iterator[None]:
    """Raise BoardFault in place of any error from gpiozero or lgpio. `pin_user` is a cell or a message naming a part."""
    from gpiozero import GPIOPinInUse, PinInvalidPin

    arguments: dict[str, Argument] = {"user": pin_user, "pins": tuple(map(str, pins)), "count": len(pins)}
    try:
        yield
    except GPIOPinInUse as error:
        raise BoardFault(Message("pin.used_twice", **arguments)) from error
    except PinInvalidPin as error:
        raise BoardFault(Message("pin.not_on_this_pi", **arguments)) from error
    except pin_errors() as error:
        # The traceback would keep the half-built device alive, and with it gpiozero's reservation of the pin.
        clear_frames(error.__traceback__)
        if "busy" in str(error):
            raise BoardFault(Message("pin.busy", **arguments)) from error
        raise BoardFault(Message("pin.unusable", **arguments, text=error_text(error))) from error


def pulled_up_input(pin: int, pin_user: str | Message) -> Any:
    """Return a GPIO as an input with the Pi's pull-up: low while a switch to ground is closed.

    This is gpiozero's InputDevice. A DigitalInputDevice also listens for edges, for which lgpio wakes every half
    millisecond.
    """
    from gpiozero import InputDevice

    with explain_pin_errors(pin_user, pin):
        return InputDevice(pin, pull_up=True)


class PinReader:
    """Base class for sensors on gpiozero's pins. Subclasses claim the pins and read them."""

    raw_values: tuple[int, ...] | None = None

    def __init__(self) -> None:
        self._held: list[Any] = []
        self._bank: InputBank | None = None
        self._faults: tuple[type[Exception], ...] = ()

    def open(self) -> None:
        self.close()
        get_pin_factory()
        self._faults = pin_errors()
        try:
            self._claim_pins()
        except BoardFault:
            self.close()
            raise

    def read_levels(self) -> tuple[SensorLevel, ...]:
        try:
            return self._read_pins()
        except SensorReadError:
            raise
        except self._faults as error:
            text = describe_system_error(error) if isinstance(error, OSError) else error_text(error)
            raise SensorReadError(self._explain_failure(text)) from error

    def is_configured(self) -> bool:
        return True

    @property
    def edge_fd(self) -> int | None:
        return self._bank.edge_fd if self._bank else None

    def close(self) -> None:
        if self._bank:
            self._bank.close()
            self._bank = None
        while self._held:
            self._held.pop().close()

    def _open_bank(self, pin_user: str | Message, input_devices: Mapping[int, Any]) -> InputBank:
        with explain_pin_errors(pin_user, *input_devices):
            self._bank = open_bank(input_devices)
        return self._bank

    def _claim_pins(self) -> None:
        raise NotImplementedError

    def _read_pins(self) -> tuple[SensorLevel, ...]:
        raise NotImplementedError

    def _explain_failure(self, text: str) -> Message:
        return Message("gpio.unreadable", text=text)


class DirectReader(PinReader):
    """A switch or digital hall sensor from each GPIO to ground: 1 while it is closed."""

    def __init__(self, wiring: DirectWiring) -> None:
        super().__init__()
        self._wiring = wiring
        self._pin_user: Message | None = None  # None for a cell

    def _claim_pins(self) -> None:
        for cell, pin in self._wiring.pins.items():
            self._held.append(pulled_up_input(pin, self._pin_user or cell))
        cells = tuple(self._wiring.pins)
        input_devices = dict(zip(self._wiring.pins.values(), self._held, strict=True))
        self._open_bank(self._pin_user or f"{cells[0]}-{cells[-1]}", input_devices)

    def _read_pins(self) -> tuple[SensorLevel, ...]:
        return self._bank.read_levels() if self._bank else ()


class GpioSwitch(DirectReader):
    """A single switch from a GPIO to ground: a key beside the cells, by its name in `Profile.key_pins`."""

    def __init__(self, pin: int, key_name: str = "key") -> None:
        super().__init__(DirectWiring({key_name: pin}))
        self._pin, self._pin_user = pin, Message(f"pin_user.{key_name}")

    def _explain_failure(self, text: str) -> Message:
        return Message("gpio.key_unreadable", pin=self._pin, text=text)


def _named_factory(factory_name: str) -> Any:
    from gpiozero import Device

    factory_errors: tuple[type[Exception], ...] = (*pin_errors(), ImportError, AttributeError)
    try:
        Device.ensure_pin_factory()
    except factory_errors as error:
        raise BoardFault(Message("gpio.wrong_factory", name=factory_name, text=error_text(error))) from error
    return Device.pin_factory


def _lgpio_factory() -> Any:
    from gpiozero import GPIOZeroError
    from gpiozero.pins import local

    try:
        local.get_pi_revision()
    except (OSError, GPIOZeroError) as error:
        raise BoardFault(Message("gpio.no_pi")) from error
    lgpio = load_lgpio()
    from gpiozero.pins.lgpio import LGPIOFactory

    machine = Machine()
    if lack := explain_missing_gpio(machine):
        raise BoardFault(lack)
    try:
        return LGPIOFactory(int(machine.gpio_device.removeprefix("/dev/gpiochip")))
    except lgpio.error as error:
        raise BoardFault(Message("gpio.unusable", text=error_text(error))) from error
