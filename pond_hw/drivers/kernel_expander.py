"""The lines of an MCP23017 that the kernel drives itself, as after dtoverlay=mcp23017, through lgpio.

The lines are claimed, so that the kernel leaves their directions alone and no other program takes them. That is all
that its driver can do for us: it switches no pull-up on, and writes a setting only when it changes one, which after a
dip of the supply is never. So whoever reads here keeps the settings right over the bus, beside it.
"""

from __future__ import annotations

from pathlib import Path

from pond_hw.board import BoardFault
from pond_hw.drivers.gpio import error_text, load_lgpio
from pond_hw.drivers.scan import SensorReadError

I2C_DEVICES = Path("/sys/bus/i2c/devices")


def find_chip_number(bus_number: int, address: int) -> int | None:
    """The 2 of /dev/gpiochip2, if the kernel drives the chip at an address of an I2C bus."""
    for chip_folder in (I2C_DEVICES / f"{bus_number}-{address:04x}").glob("gpiochip*"):
        return int(chip_folder.name.removeprefix("gpiochip"))
    return None


class ExpanderLines:
    """All lines of one chip, read at one go.

    Args:
        chip_number: the 2 of /dev/gpiochip2.
        output_levels: the lines that are driven, with their levels; all others are inputs.

    Raises:
        BoardFault: they cannot be had.
    """

    def __init__(self, chip_number: int, output_levels: dict[int, int]) -> None:
        self._lgpio = load_lgpio()
        self._number = chip_number
        self._driven, self._read = [*output_levels], [line for line in range(16) if line not in output_levels]
        self._handle: int | None = None
        try:
            self._handle = self._lgpio.gpiochip_open(chip_number)
            self._lgpio.group_claim_output(self._handle, self._driven, [*output_levels.values()])
            self._lgpio.group_claim_input(self._handle, self._read)
        except self._lgpio.error as error:
            self.close()
            raise BoardFault(
                f"The kernel drives an expander as /dev/gpiochip{chip_number}, and its lines cannot be had: "
                f"{error_text(error)}. Stop the program that has them, or take dtoverlay=mcp23017 out of config.txt."
            ) from error

    @property
    def gpio(self) -> int:
        """The levels of its 16 pins as bits, named as in Adafruit's driver.

        Raises:
            SensorReadError: the chip did not answer.
        """
        port_word = 0
        for line_group in (self._read, self._driven):
            port_word |= self._read_group(line_group)
        return port_word

    def close(self) -> None:
        """Let go of the lines. Closing twice is no fault."""
        if self._handle is not None:
            self._lgpio.gpiochip_close(self._handle)
            self._handle = None

    def _read_group(self, line_group: list[int]) -> int:
        try:
            _, group_bits = self._lgpio.group_read(self._handle, line_group[0])
        except self._lgpio.error as error:
            raise SensorReadError(
                f"the kernel does not reach the expander that it drives as /dev/gpiochip{self._number} ({error_text(error)})"
            ) from error
        return sum(1 << line for line_index, line in enumerate(line_group) if group_bits >> line_index & 1)
