"""Pins of a Raspberry Pi Pico, as needed for profiles. A GPIO is the number after GP.

                 USB
   GP0   1  +---------+  40  VBUS, the cable's 5 V       I2C0 is on GP4 (SDA) and GP5 (SCL); the Pico's own
   GP1   2  |         |  39  VSYS                        pull-ups are too weak for it.
ground   3  |         |  38  ground
   GP2   4  |         |  37  3V3_EN                      GP23 to GP25 and GP29 have no pin: the Pico itself uses
   GP3   5  |         |  36  3V3 OUT                     them. GP28 stays free: it is the quietest input of the
   GP4   6  |         |  35  ADC_VREF                    converter, with its own ground.
   GP5   7  |         |  34  GP28
ground   8  |         |  33  ground                      Source: the Pico's data sheet, chapter "Pico Pinout".
   GP6   9  |         |  32  GP27                        A Pico H comes with soldered pins.
   GP7  10  |         |  31  GP26
   GP8  11  |         |  30  RUN
   GP9  12  |         |  29  GP22
ground  13  |         |  28  ground
  GP10  14  |         |  27  GP21
  GP11  15  |         |  26  GP20
  GP12  16  |         |  25  GP19
  GP13  17  |         |  24  GP18
ground  18  |         |  23  ground
  GP14  19  |         |  22  GP17
  GP15  20  +---------+  21  GP16
"""

from __future__ import annotations

PICO_PINS = dict(
    zip(
        (*range(23), 26, 27),
        (*(1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17, 19, 20, 21, 22, 24, 25, 26, 27, 29), 31, 32),
        strict=True,
    )
)

GROUND_PINS = (3, 8, 13, 18, 23, 28, 33, 38)
VBUS_PIN, LOGIC_PIN = 40, 36
"""Pins that carry the cable's 5 V and the Pico's 3.3 V."""

I2C_GPIOS = (4, 5)
"""Data and clock pins of I2C0, which are MicroPython's defaults."""

USB_CURRENT_MA = 500.0
"""Current in mA that a USB port supplies to a device that requests it: USB 2.0, "high-power" (7.2.1)."""

PICO_CURRENT_MA = 100.0
"""Part of the USB current in mA for the Pico itself and its sensors. The maximum in its data sheet is 92 mA, with video."""

LOGIC_CURRENT_MA = 300.0
"""Maximum current in mA from 3V3 OUT, as recommended in the Pico's data sheet."""
