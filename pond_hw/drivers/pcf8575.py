"""Switches or digital hall sensors on PCF8575s, over I2C alone.

The chip has no registers. A write sets its sixteen pins, a read returns their levels. A pin that is set high is held up by
a current source of 30 to 300 µA, and whatever closes to ground pulls it low; a pin that is set low is driven. After
power-on all pins are high.

Each reading sets the pins first, in the same transfer. So a chip that a brown-out has reset reads right again at once, and
no setting can be lost between two readings. The write also switches on a stronger pull-up for a moment, which lifts long
wires faster than the current source does.

A chip without supply, and a bus without a chip, can still read as all ones or all zeros. So bit 7 of each port is a canary
that always reads the same:

    bit     7   6 5 4 3 2 1 0
    P0      1   . . . . . . .      high
    P1      0   . . . . . . .      driven low

INT stays open: Pond asks often enough. The driver of the kernel (dtoverlay=pcf857x) does not disturb: it writes only when a
program asks it to.
"""

from __future__ import annotations

from pond_hw.drivers.debounce import SensorLevel
from pond_hw.drivers.i2c_bus import I2cBus
from pond_hw.drivers.scan import SensorReadError
from pond_hw.messages.message import Message
from pond_hw.profile.board_profile import ExpanderWiring
from pond_hw.profile.chips import PCF8575

CANARY_PINS = 0x8080
"""P07 and P17."""

CANARY_LEVELS = 0x0080
"""Levels of the canaries: P07 high, P17 low."""

PORT_SETTINGS = (0xFFFF & ~CANARY_PINS | CANARY_LEVELS).to_bytes(2, "little")
"""Settings of all pins, P0 first: every pin but P17 is high, and so an input."""


class QuasiBidirectionalReader:
    """Switches to ground on one or more PCF8575s.

    Args:
        wiring: which cell is on which pin.
        i2c_bus: the I2C bus; by default the one that the wiring names, opened and closed with this.
    """

    raw_values = edge_file = None

    def __init__(self, wiring: ExpanderWiring, i2c_bus: I2cBus | None = None) -> None:
        self._wiring, self._given = wiring, i2c_bus
        self._bus: I2cBus | None = None
        self._addresses = sorted({pin.address for pin in wiring.pins.values()})
        self._bits = tuple((pin.address, 1 << PCF8575.find_number(pin)) for pin in wiring.pins.values())

    def open(self) -> None:
        """Reach every chip and set its pins.

        Raises:
            BoardFault: there is no bus.
            SensorReadError: a chip is not reached, or reads as none can.
        """
        if self._bus is None:
            self._bus = self._given or I2cBus(self._wiring.bus)
        self.read_levels()

    def read_levels(self) -> tuple[SensorLevel, ...]:
        """Return 1 for each pin that is at ground.

        Raises:
            SensorReadError: a chip was not reached, or reads as none can.
        """
        words = {address: self._read_word(address) for address in self._addresses}
        return tuple([0 if words[address] & pin_mask else 1 for address, pin_mask in self._bits])

    def is_configured(self) -> bool:
        """Return True: each reading sets the pins, and its canaries show that they were set."""
        return True

    def close(self) -> None:
        """Let go of the bus. The chips stay as they are: they drive nothing but a pin that leads nowhere."""
        if self._bus is not None and self._given is None:
            self._bus.close()
        self._bus = None

    def _read_word(self, address: int) -> int:
        """Set the pins of a chip, then read them: P0 in the lower half."""
        assert self._bus is not None, "it is read while it is open"
        levels = bytearray(2)
        self._bus.writeto_then_readfrom(address, PORT_SETTINGS, levels)
        word = int.from_bytes(levels, "little")
        if word & CANARY_PINS != CANARY_LEVELS:
            facts = {"chip": PCF8575.title, "address": f"0x{address:02x}", "value": f"0x{word:04x}"}
            raise SensorReadError(Message("expander.impossible", **facts))
        return word
