"""What a board asks of the Pi it is on: fragments of config.txt, a word of cmdline.txt, a kernel module, a unit.

`install.sh` calls it; the profile is read, and checked, by the package that lies beside this folder.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import NamedTuple

from pond_hw.drivers.probe import PULSES, USUAL_BUFFER
from pond_hw.drivers.spi import encode
from pond_hw.profile import Analog, Expanders, Profile, ProfileError, Trellis, load
from pond_hw.profile.pi import SPI0, SPI1

SPI_PIN = 10

FIVE = ("Raspberry Pi 5", "Raspberry Pi Compute Module 5")
"""How the models begin whose PWM and PCM pins rpi_ws281x does not know; the NeoPixel library uses PIO there."""

PIP = "/opt/pond/bin/pip"

SPI_BUFFER_WORD = "spidev.bufsiz=65536"
"""For a chain whose bytes are more than spidev sends at once if it is told nothing else."""


class Unfit(Exception):
    """This Pi cannot drive that board; one sentence that says what to do."""


class Needs(NamedTuple):
    """What a board asks of its Pi.

    Attributes:
        fragments: names of files in boot/, in the order in which they go into config.txt.
        words: words for cmdline.txt.
        modules: kernel modules to load at the start.
        unit: the service that can drive the board.
        quiet: whether the analogue sound output must not be used.
        pio: whether the service must be let near /dev/pio0.
        remarks: sentences about what only the builder can do.
    """

    fragments: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    unit: str = "pond.service"
    quiet: bool = False
    pio: bool = False
    remarks: tuple[str, ...] = ()


def needs(profile: Profile, model: str = "") -> Needs:
    """Tell what a board asks of the Pi it is on.

    Args:
        profile: how the board is built.
        model: which Pi it is, in its own words; empty if that is not known.

    Raises:
        Unfit: this Pi cannot drive that board.
    """
    lamps, sensors = _lamps(profile, model), _sensors(profile)
    return lamps._replace(
        fragments=lamps.fragments + sensors.fragments,
        modules=tuple(dict.fromkeys(lamps.modules + sensors.modules)),
        remarks=lamps.remarks + sensors.remarks,
    )


def _lamps(profile: Profile, model: str) -> Needs:
    chain = profile.chain
    if chain.pin is None:
        return Needs()
    if chain.pin == SPI_PIN:
        long = len(encode(bytes(3 * chain.count))) > USUAL_BUFFER
        return Needs(("spi-lamps",), words=(SPI_BUFFER_WORD,) if long else (), modules=("spidev",))
    if not model.startswith(FIVE):
        pwm = PULSES.get(chain.pin) == "PWM"
        return Needs(("pwm-lamps",) if pwm else (), unit="pond-root.service", quiet=pwm)
    if chain.driver == "ws281x":
        raise Unfit(
            f"rpi_ws281x does not know the {model}: move the lamps' data wire from GPIO {chain.pin} to GPIO 10 and "
            'give the profile driver = "spi" and pin = 10.'
        )
    remark = (
        f"On a Raspberry Pi 5 lamps on GPIO {chain.pin} need a helper that does not come with Pond; "
        f"once all else is done: sudo {PIP} install Adafruit-Blinka-Raspberry-Pi5-Neopixel"
    )
    return Needs(pio=True, remarks=(remark,))


def _sensors(profile: Profile) -> Needs:
    wiring = profile.sensing.wiring
    if isinstance(wiring, Expanders | Trellis):
        bus = wiring.bus
        if bus == 1:
            fragment = "mcp23017" if isinstance(wiring, Expanders) else "neotrellis"
            return Needs((fragment,), modules=("i2c-dev",))
        remark = f"The board is on I2C bus {bus}: switch it on yourself, with dtoverlay=i2c{bus} in config.txt."
        return Needs(modules=("i2c-dev",), remarks=(remark,))
    if isinstance(wiring, Analog):
        chips = wiring.chips.values()
        fragments = ["spi0-sensors"] if any(SPI0.drives(chip) for chip in chips) else []
        selects = [SPI1.selects.index(chip.select) + 1 for chip in chips if SPI1.drives(chip)]
        if selects:  # the overlays take one, two or three select pins, in this order
            fragments.append(f"spi1-{max(selects)}cs")
        return Needs(tuple(fragments), modules=("spidev",) if fragments else ())
    return Needs()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what a board needs, as lines for a shell; remarks and what is wrong go to standard error."""
    parser = argparse.ArgumentParser(description="What a board asks of the Pi it is on.")
    parser.add_argument("board", help="the name of a profile, or the path of one")
    parser.add_argument("--model", default="", help="which Pi it is for")
    asked = parser.parse_args(arguments)
    try:
        what = needs(load(asked.board), asked.model)
    except (ProfileError, Unfit) as error:
        print(error, file=sys.stderr)
        return 2
    for name in ("fragments", "words", "modules"):
        print(f"{name}={' '.join(getattr(what, name))}")
    print(f"unit={what.unit}")
    for name in ("quiet", "pio"):
        print(f"{name}={'yes' if getattr(what, name) else ''}")
    for remark in what.remarks:
        print(remark, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
