"""The pins of a Raspberry Pi Pico as far as a profile must know them. A GPIO is the number after GP.

                 USB
   GP0   1  +---------+  40  VBUS, the cable's 5 V       I2C0 lies on GP4 (SDA) and GP5 (SCL); a Pico has no
   GP1   2  |         |  39  VSYS                        pull-ups for it that would do.
ground   3  |         |  38  ground
   GP2   4  |         |  37  3V3_EN                      GP23 to GP25 and GP29 have no pin: the Pico itself uses
   GP3   5  |         |  36  3V3 OUT                     them. GP28 stays free, the quietest input of the
   GP4   6  |         |  35  ADC_VREF                    converter, with its own ground.
   GP5   7  |         |  34  GP28
ground   8  |         |  33  ground                      By the Pico's data sheet, chapter "Pico Pinout"; with a
   GP6   9  |         |  32  GP27                        Pico H the pins are soldered in.
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
"""For each GPIO that a board may use its pin on the Pico."""

GROUND_PINS = (3, 8, 13, 18, 23, 28, 33, 38)
VBUS_PIN, LOGIC_PIN = 40, 36
"""The cable's 5 V, and the Pico's 3.3 V."""

I2C_GPIOS = (4, 5)
"""Data and clock of I2C0, as MicroPython has them by default."""

USB_CURRENT_MA = 500.0
"""What a port of a computer must give a device that has asked for it, in mA: USB 2.0, "high-power" (7.2.1)."""

PICO_CURRENT_MA = 100.0
"""What is left of that for the Pico itself and its sensors, in mA. Its data sheet measures 92 at most, with video."""

LOGIC_CURRENT_MA = 300.0
"""What the Pico's data sheet advises to take from 3V3 OUT at most, in mA."""
