"""Switches or digital hall sensors on PCF8575s, over I2C alone.

The chip has no registers. A write sets its sixteen pins, a read returns their levels. A current source of 30 to
300 µA holds up a pin that is set high, and a switch to ground pulls it low. A pin that is set low is driven.
After power-on all pins are high.

Each reading sets the pins first, in the same transfer, so a chip reads correctly again right after a brown-out.
The write also switches on a stronger pull-up for a moment, which raises long wires faster than the current source
does.

A chip without power, or a bus without a chip, can read as all ones or all zeros. Bit 7 of each port is therefore
a canary with a known level:

    bit     7   6 5 4 3 2 1 0
    P0      1   . . . . . . .      high
    P1      0   . . . . . . .      driven low

INT is left unconnected, since Pond polls often enough. The kernel's driver (dtoverlay=pcf857x) does not
interfere: it writes only when a program requests it.
"""

from __future__ import annotations

from pond_hw.drivers.debounce import SensorLevel
from pond_hw.drivers.i2c_bus import I2cBus
from pond_hw.drivers.scan import SensorReadError
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import ExpanderWiring
from pond_hw.profile.chips import PCF8575

CANARY_PINS = 0x8080

CANARY_LEVELS = 0x0080

PORT_SETTINGS = (0xFFFF & ~CANARY_PINS | CANARY_LEVELS).to_bytes(2, "little")
"""Settings of all pins, P0 first. Every pin except P17 is high, and therefore an input."""


class QuasiBidirectionalReader:
    """Switches to ground on one or more PCF8575s. By default the reader opens and closes the I2C bus of its wiring."""

    raw_values = edge_fd = None

    def __init__(self, wiring: ExpanderWiring, i2c_bus: I2cBus | None = None) -> None:
        self._wiring, self._shared_bus = wiring, i2c_bus
        self._bus: I2cBus | None = None
        self._addresses = sorted({pin.address for pin in wiring.pins.values()})
        self._bits = tuple((pin.address, 1 << PCF8575.find_number(pin)) for pin in wiring.pins.values())

    def open(self) -> None:
        if self._bus is None:
            self._bus = self._shared_bus or I2cBus(self._wiring.bus)
        self.read_levels()

    def read_levels(self) -> tuple[SensorLevel, ...]:
        words = {address: self._read_word(address) for address in self._addresses}
        return tuple([0 if words[address] & pin_mask else 1 for address, pin_mask in self._bits])

    def is_configured(self) -> bool:
        """Return True: each reading sets the pins and checks the canaries."""
        return True

    def close(self) -> None:
        """Release the bus. The chips keep their settings: they drive only an unconnected pin."""
        if self._bus is not None and self._shared_bus is None:
            self._bus.close()
        self._bus = None

    def _read_word(self, address: int) -> int:
        """Set the pins of a chip and return their levels, with P0 in the lower half."""
        assert self._bus is not None, "it is read while it is open"
        levels = bytearray(2)
        self._bus.writeto_then_readfrom(address, PORT_SETTINGS, levels)
        word = int.from_bytes(levels, "little")
        if word & CANARY_PINS != CANARY_LEVELS:
            arguments = {"chip": PCF8575.title, "address": f"0x{address:02x}", "value": f"0x{word:04x}"}
            raise SensorReadError(Message("expander.impossible", **arguments))
        return word
