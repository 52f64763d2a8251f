"""gpiozero's mock pins, for tests and benchmarks of a complete board with the real drivers."""

from __future__ import annotations

from typing import Any

from pond_hw.profile.board_profile import DirectWiring
from pond_hw.rules import Cell


class MockPins:
    """Context manager that makes gpiozero use mock pins. `pins` is gpiozero's factory."""

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
        self.pins.pin(pin_wiring.pins[cell]).drive_low()

    def release_switch(self, pin_wiring: DirectWiring, cell: Cell) -> None:
        """Open the switch of a cell; the pull-up makes the pin high."""
        self.pins.pin(pin_wiring.pins[cell]).drive_high()
