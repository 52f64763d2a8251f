"""Inputs that are read at one go, and that say when one of them has changed.

gpiozero configures each pin and keeps the books on who has it. Where its pins are lgpio's, those of a bank are then
handed over to one request of the kernel's, through gpiod: one call reads them all, and the request is a file that can
be read as soon as one of them changes. lgpio's own news of edges wake every half millisecond, and its group
read cannot be had beside gpiozero's claims either: a line that is claimed singly is busy, even for the same handle.

Pins of any other kind, gpiozero's mock pins above all, are read one by one; gpiozero itself tells of their edges.
"""

from __future__ import annotations

import logging
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Protocol

from pond_hw.drivers.debounce import SensorLevel

LOG = logging.getLogger("pond")

CONSUMER = "pond"
"""What the kernel calls whoever has the lines, as `gpioinfo` shows it."""


class InputBank(Protocol):
    """Switches to ground that are read together."""

    @property
    def edge_file(self) -> int | None:
        """The number of a file that can be read as soon as one of them has changed; None if nobody tells."""

    def read_levels(self) -> tuple[SensorLevel, ...]:
        """1 for each input that is at ground.

        Raises:
            OSError: they do not answer; or whatever gpiozero's pins raise.
        """

    def close(self) -> None:
        """Let go of them, so that gpiozero can have its pins back. Closing twice is no fault."""


def open_bank(input_devices: Mapping[int, Any]) -> InputBank:
    """Make a bank of inputs; close it before any of them.

    Args:
        input_devices: gpiozero's inputs by GPIO, at least one, all of one factory. Nothing else may read them from now on.

    Raises:
        OSError: another program has taken a line meanwhile; or whatever gpiozero's pins raise.
    """
    pins = {gpio: input_device.pin for gpio, input_device in input_devices.items()}
    factory = next(iter(pins.values())).factory
    if not is_lgpio(factory):
        return PinBank(pins, tells_edges=True)
    try:
        gpiod = load_gpiod()
    except ImportError as error:
        LOG.warning("pins are read one by one and looked at only now and then while nothing moves: %s", error)
        return PinBank(pins, tells_edges=False)
    return KernelBank(gpiod, factory, pins)


def load_gpiod() -> Any:
    """Import gpiod.

    Raises:
        ImportError: it is not there, or is of the years before its version 2.
    """
    import gpiod

    if not hasattr(gpiod, "request_lines"):
        raise ImportError("gpiod is older than version 2", name="gpiod")
    return gpiod


class KernelBank:
    """Lines of the header that the kernel has lent out as one, with the pulls that gpiozero gave them.

    Args:
        gpiod: the library.
        lgpio_factory: gpiozero's factory of the pins; it gives up its claims on them, until they are closed.
        pins: gpiozero's pins by GPIO.

    Raises:
        OSError: another program has taken a line meanwhile.
    """

    def __init__(self, gpiod: Any, lgpio_factory: Any, pins: Mapping[int, Any]) -> None:
        import lgpio

        line = gpiod.line
        bias_by_pull = {"up": line.Bias.PULL_UP, "down": line.Bias.PULL_DOWN, "floating": line.Bias.DISABLED}
        self._active = line.Value.ACTIVE
        self.edge_file: int | None = None
        biases = {gpio: bias_by_pull[pin.pull] for gpio, pin in pins.items()}
        for gpio in pins:
            lgpio.gpio_free(lgpio_factory._handle, gpio)

        def request_lines(edge_detection: Any) -> Any:
            as_input = {"direction": line.Direction.INPUT, "active_low": True, "edge_detection": edge_detection}
            line_settings = {gpio: gpiod.LineSettings(bias=bias, **as_input) for gpio, bias in biases.items()}
            chip_path = f"/dev/gpiochip{lgpio_factory.chip}"
            return gpiod.request_lines(chip_path, consumer=CONSUMER, config=line_settings)

        try:
            self._request = request_lines(line.Edge.BOTH)
            self.edge_file = self._request.fd
        except (OSError, ValueError) as error:  # the latter for EINVAL
            self._request = request_lines(line.Edge.NONE)
            LOG.warning("the kernel does not tell of edges, so that pins are looked at only now and then: %s", error)

    def read_levels(self) -> tuple[SensorLevel, ...]:
        """1 for each line that is at ground.

        Raises:
            OSError: they do not answer.
        """
        active = self._active
        return tuple([1 if value is active else 0 for value in self._request.get_values()])

    def close(self) -> None:
        """Let go of the lines."""
        self.edge_file = None
        self._request.release()


class PinBank:
    """Pins that gpiozero reads, one by one.

    Args:
        pins: gpiozero's pins by GPIO.
        tells_edges: whether gpiozero is to tell of their edges.
    """

    def __init__(self, pins: Mapping[int, Any], *, tells_edges: bool) -> None:
        self._pins, self._tells_edges = tuple(pins.values()), tells_edges
        # Where news of edges comes out, and where it goes in.
        self._ends: tuple[socket.socket, socket.socket] | None = None

    @property
    def edge_file(self) -> int | None:
        """As in `InputBank`; gpiozero begins to listen when it is first asked for."""
        if self._tells_edges and not self._ends:
            self._ends = socket.socketpair()
            self._ends[1].setblocking(False)
            for pin in self._pins:
                pin.when_changed = self._note_edge
        return self._ends[0].fileno() if self._ends else None

    def read_levels(self) -> tuple[SensorLevel, ...]:
        """1 for each pin that is low."""
        return tuple([1 - pin.state for pin in self._pins])

    def close(self) -> None:
        """Listen no more. The pins stay gpiozero's."""
        self._tells_edges = False
        if self._ends:
            for pin in self._pins:
                pin.when_changed = None
            for end in self._ends:
                end.close()
            self._ends = None

    def _note_edge(self, _ticks: object, _state: object) -> None:
        if ends := self._ends:
            with suppress(OSError):  # if it is full, whoever listens has enough to wake up for
                ends[1].send(b"\0")


def is_lgpio(factory: Any) -> bool:
    """Whether a pin factory of gpiozero is lgpio's: its pins are the kernel's."""
    lgpio_pins = sys.modules.get("gpiozero.pins.lgpio")
    return lgpio_pins is not None and isinstance(factory, lgpio_pins.LGPIOFactory)
