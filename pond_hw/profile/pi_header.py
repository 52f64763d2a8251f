"""Raspberry Pi header, as needed for profiles. GPIOs are BCM numbers.

       3.3 V  1  2  5 V               The same on every Pi with 40 pins. The labels beside
  SDA GPIO 2  3  4  5 V               the GPIOs are their other functions:
  SCL GPIO 3  5  6  ground
      GPIO 4  7  8  GPIO 14 UART      SDA, SCL    I2C, with fixed pull-ups
      ground  9 10  GPIO 15 UART      ID          the EEPROM of an add-on board
     GPIO 17 11 12  GPIO 18 PWM       SPI0        all five while SPI is on
     GPIO 27 13 14  ground            PWM         one pair for lamps, or for sound
     GPIO 22 15 16  GPIO 23           PCM         digital sound
       3.3 V 17 18  GPIO 24
SPI0 GPIO 10 19 20  ground            SPI1 uses 16 to 21:
SPI0  GPIO 9 21 22  GPIO 25             21 clock, 20 mosi, 19 miso,
SPI0 GPIO 11 23 24  GPIO 8  SPI0        18, 17 and 16 select chips
      ground 25 26  GPIO 7  SPI0
  ID  GPIO 0 27 28  GPIO 1  ID
      GPIO 5 29 30  ground
      GPIO 6 31 32  GPIO 12 PWM
 PWM GPIO 13 33 34  ground
 PWM GPIO 19 35 36  GPIO 16
     GPIO 26 37 38  GPIO 20
      ground 39 40  GPIO 21 PCM
"""

from __future__ import annotations

from typing import NamedTuple

from pond_hw.profile.chips import AdcPins

HEADER_GPIOS = range(28)

HEADER_PINS = dict(
    zip(
        HEADER_GPIOS,
        (27, 28, 3, 5, 7, 29, 31, 26, 24, 21, 19, 23, 32, 33, 8, 10, 36, 11, 12, 35, 38, 40, 15, 16, 18, 22, 37, 13),
        strict=True,
    )
)

ID_EEPROM_GPIOS = (0, 1)
"""GPIOs read at boot to identify an add-on board; unusable for anything else."""

I2C_GPIOS = (2, 3)
"""Data and clock pins of I2C bus 1."""

FIXED_PULL_UPS = I2C_GPIOS
"""GPIOs with 1.8 kΩ pull-ups on the Pi itself, which cannot be switched off."""

PWM_GPIOS = (12, 13, 18, 19)
"""GPIOs with pulse-width modulation. Its two channels share a clock."""


class SpiBus(NamedTuple):
    """SPI bus of the header: its wires, and the GPIOs that can select a chip, in order of preference."""

    name: str
    clock: int
    mosi: int
    miso: int
    select_gpios: tuple[int, ...]

    @property
    def data_gpios(self) -> tuple[int, int, int]:
        return self.clock, self.mosi, self.miso

    @property
    def all_gpios(self) -> tuple[int, ...]:
        return (*self.data_gpios, *self.select_gpios)

    def serves_chip(self, chip: AdcPins) -> bool:
        return chip[:3] == self.data_gpios and chip.select in self.select_gpios


SPI0 = SpiBus("SPI0", clock=11, mosi=10, miso=9, select_gpios=(8, 7))
SPI1 = SpiBus("SPI1", clock=21, mosi=20, miso=19, select_gpios=(18, 17, 16))

LAMP_PINS = {"auto": (10, 12, 18, 21), "spi": (10,), "ws281x": (10, 12, 18, 21), "neopixel": (10, 12, 18, 21)}
"""Data GPIOs supported by each lamp driver: SPI0's mosi 10, PWM 12 and 18, PCM 21."""

HEADER_CURRENT_MA = 500.0
"""Maximum lamp current from the header's 5 V pins, in mA."""

PI_CURRENT_MA = 1200.0
"""Supply current in mA reserved for the Pi itself.

Typical currents of a bare board, from the table under "Power supply" in Raspberry Pi's documentation: Zero 2 W 350,
3B 400, 4B 600, Pi 5 800. The value is one and a half times the largest, to allow for peaks and sensors.
"""

SUPPLY_LOAD_PERCENT = 80
"""Maximum load of a separate lamp supply, as a percentage of its rating: cheap supplies sag and run hot near it."""
