"""gpiozero's mock pins instead of copper, for its real classes and our real drivers; a press is a call.

For the tests of a whole board, and for what measures it (tools/companion_bench.py).
"""

from __future__ import annotations

from typing import Any

from pond_hw.profile.board_profile import DirectWiring
from pond_hw.rules import Cell


class MockPins:
    """Context in which all of gpiozero uses mock pins.

    Attributes:
        pins: gpiozero's factory of them: `pins.pin(17).drive_low()` closes a switch to ground.
    """

    pins: Any

    def __enter__(self) -> MockPins:
        from gpiozero import Device
        from gpiozero.pins.mock import MockFactory

        self._before = Device.pin_factory
        Device.pin_factory = self.pins = MockFactory()
        return self

    def __exit__(self, *_: object) -> None:
        from gpiozero import Device

        self.pins.reset()
        Device.pin_factory = self._before

    def press_switch(self, pin_wiring: DirectWiring, cell: Cell) -> None:
        """Close the switch under a cell."""
        self.pins.pin(pin_wiring.pins[cell]).drive_low()

    def release_switch(self, pin_wiring: DirectWiring, cell: Cell) -> None:
        """Open the switch under a cell; the pull-up does the rest."""
        self.pins.pin(pin_wiring.pins[cell]).drive_high()
