"""Inputs that are read in one call, with a file that becomes readable when one of them changes.

gpiozero configures each pin and tracks its owner. With lgpio's pins, a bank then moves its lines to a single
kernel request through gpiod: one call reads them all, and its file reports edges. lgpio's own edge events wake
the process every half millisecond. Its group read conflicts with gpiozero's claims: a line claimed on its own is
busy, even for the same handle.

Pins of any other kind, mainly gpiozero's mock pins, are read one by one, with gpiozero's own edge events.
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
"""Name under which the lines are held, as shown by `gpioinfo`."""


class InputBank(Protocol):
    """Switches to ground that are read together."""

    @property
    def edge_fd(self) -> int | None:
        """Descriptor of a file that becomes readable when an input changes; None if edges are not reported."""

    def read_levels(self) -> tuple[SensorLevel, ...]:
        """Return 1 for each input that is at ground. Errors from the kernel or from gpiozero's pins pass through."""

    def close(self) -> None:
        """Release the lines for gpiozero. Closing twice is allowed."""


def open_bank(input_devices: Mapping[int, Any]) -> InputBank:
    """Combine gpiozero's inputs from one factory into a bank. Only the bank may read them; close it before any of them."""
    pins = {gpio: input_device.pin for gpio, input_device in input_devices.items()}
    factory = next(iter(pins.values())).factory
    if not is_lgpio(factory):
        return PinBank(pins, reports_edges=True)
    try:
        gpiod = load_gpiod()
    except ImportError as error:
        LOG.warning("pins are read one by one and polled: %s", error)
        return PinBank(pins, reports_edges=False)
    return KernelBank(gpiod, factory, pins)


def load_gpiod() -> Any:
    import gpiod

    if not hasattr(gpiod, "request_lines"):
        raise ImportError("gpiod is older than version 2", name="gpiod")
    return gpiod


class KernelBank:
    """Header lines in one kernel request, with the pulls that gpiozero gave them.

    gpiozero's claims on the pins are released until the pins are closed.
    """

    def __init__(self, gpiod: Any, lgpio_factory: Any, pins: Mapping[int, Any]) -> None:
        import lgpio

        line = gpiod.line
        bias_by_pull = {"up": line.Bias.PULL_UP, "down": line.Bias.PULL_DOWN, "floating": line.Bias.DISABLED}
        self._active = line.Value.ACTIVE
        self.edge_fd: int | None = None
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
            self.edge_fd = self._request.fd
        except (OSError, ValueError) as error:  # ValueError stands for EINVAL
            self._request = request_lines(line.Edge.NONE)
            LOG.warning("the kernel reports no edges, so the pins are polled: %s", error)

    def read_levels(self) -> tuple[SensorLevel, ...]:
        active = self._active
        return tuple([1 if value is active else 0 for value in self._request.get_values()])

    def close(self) -> None:
        self.edge_fd = None
        self._request.release()


class PinBank:
    """Pins that are read one by one through gpiozero."""

    def __init__(self, pins: Mapping[int, Any], *, reports_edges: bool) -> None:
        self._pins, self._reports_edges = tuple(pins.values()), reports_edges
        # reading and writing ends of the socket for edge events
        self._ends: tuple[socket.socket, socket.socket] | None = None

    @property
    def edge_fd(self) -> int | None:
        """Descriptor as in `InputBank`. The first use makes gpiozero listen for edges."""
        if self._reports_edges and not self._ends:
            self._ends = socket.socketpair()
            self._ends[1].setblocking(False)
            for pin in self._pins:
                pin.when_changed = self._note_edge
        return self._ends[0].fileno() if self._ends else None

    def read_levels(self) -> tuple[SensorLevel, ...]:
        return tuple([1 - pin.state for pin in self._pins])

    def close(self) -> None:
        self._reports_edges = False
        if self._ends:
            for pin in self._pins:
                pin.when_changed = None
            for end in self._ends:
                end.close()
            self._ends = None

    def _note_edge(self, _ticks: object, _state: object) -> None:
        if ends := self._ends:
            with suppress(OSError):  # a full buffer already wakes the reader
                ends[1].send(b"\0")


def is_lgpio(factory: Any) -> bool:
    lgpio_pins = sys.modules.get("gpiozero.pins.lgpio")
    return lgpio_pins is not None and isinstance(factory, lgpio_pins.LGPIOFactory)
