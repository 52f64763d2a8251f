"""Setup that a board needs on its Pi: lines in config.txt, a kernel parameter, kernel modules, a unit and drop-ins.

`pond-board` runs this module. The package beside this folder reads and checks the profile.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pond_hw.drivers.lamp_pulses import ENCODINGS
from pond_hw.drivers.pi_machine import (
    DEFAULT_BUFFER_BYTES,
    PULSE_SOURCES,
    Machine,
    choose_driver,
    explain_missing_ws281x,
)
from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import PondError
from pond_hw.profile import Profile, ProfileError, load_profile
from pond_hw.profile.board_profile import AnalogWiring, ExpanderWiring, TrellisWiring
from pond_hw.profile.pi_header import SPI0, SPI1

UNKNOWN = Machine(Path(os.devnull))
"""An unknown Pi."""

PIP = "python3 -m pip install --target /usr/local/lib/pond"

SPI_BUFFER_WORD = "spidev.bufsiz=65536"
"""Larger SPI buffer, for chains whose frames exceed spidev's default."""


class Unfit(PondError):
    """This Pi cannot drive the board. The message says what to do."""


class Needs(NamedTuple):
    """Requirements of a board.

    Attributes:
        fragments: names of files in boot/, in the order of their lines in config.txt.
        words: kernel parameters for cmdline.txt.
        modules: kernel modules to load at boot.
        unit: service that can drive the board.
        quiet: True if the analogue sound output must not be used.
        drop_ins: names of drop-ins in this folder. Each gives the unit access to one more device.
        remarks: steps that the builder must take by hand.
    """

    fragments: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    unit: str = "pond.service"
    quiet: bool = False
    drop_ins: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def find_needs(profile: Profile, machine: Machine = UNKNOWN) -> Needs:
    """Return the requirements of a board on a Pi.

    Raises:
        Unfit: this Pi cannot drive the board.
    """
    if profile.controller == "pico":
        return Needs(drop_ins=("usb",))
    lamps, sensors = _lamps(profile, machine), _sensors(profile)
    return lamps._replace(
        fragments=lamps.fragments + sensors.fragments,
        modules=tuple(dict.fromkeys(lamps.modules + sensors.modules)),
        remarks=lamps.remarks + sensors.remarks,
    )


def _lamps(profile: Profile, machine: Machine) -> Needs:
    chain, driver = profile.chain, choose_driver(profile, machine).driver
    if driver not in ("spi", "ws281x", "neopixel"):
        return Needs()
    if machine.is_pi5 and driver == "ws281x":
        raise Unfit(explain_missing_ws281x(machine, chain.data_pin))
    if machine.is_pi5 and driver == "neopixel":
        remark = (
            f"On a Raspberry Pi 5, lamps on GPIO {chain.data_pin} need a library that Pond does not include. "
            f"Install it last: sudo {PIP} Adafruit-Blinka-Raspberry-Pi5-Neopixel"
        )
        return Needs(drop_ins=("pio",), remarks=(remark,))
    if chain.data_pin in PULSE_SOURCES:
        pwm = PULSE_SOURCES[chain.data_pin] == "PWM"
        return Needs(("pwm-lamps",) if pwm else (), unit="pond-root.service", quiet=pwm)
    # Make room for the longest encoding, since set-up may change it. rpi_ws281x and the NeoPixel library send fewer bytes.
    needs_large_buffer = max(each.frame_bytes(chain.lamp_count) for each in ENCODINGS.values()) > DEFAULT_BUFFER_BYTES
    return Needs(
        ("spi-lamps",),
        words=(SPI_BUFFER_WORD,) if needs_large_buffer else (),
        modules=("spidev",),
        drop_ins=() if driver == "spi" else ("gpiomem",),
    )


def _sensors(profile: Profile) -> Needs:
    wiring = profile.sensing.wiring
    if isinstance(wiring, ExpanderWiring | TrellisWiring):
        return Needs(("expanders" if isinstance(wiring, ExpanderWiring) else "neotrellis",), modules=("i2c-dev",))
    if isinstance(wiring, AnalogWiring):
        chips = wiring.chips.values()
        fragments = ["spi0-sensors"] if any(SPI0.serves_chip(chip) for chip in chips) else []
        selects = [SPI1.select_gpios.index(chip.select) + 1 for chip in chips if SPI1.serves_chip(chip)]
        if selects:  # an overlay enables select pins 1 to n, so n is the highest in use
            fragments.append(f"spi1-{max(selects)}cs")
        return Needs(tuple(fragments), modules=("spidev",) if fragments else ())
    return Needs()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the requirements as shell code. Remarks and errors go to standard error."""
    parser = argparse.ArgumentParser(description="Print what a board needs on its Pi.")
    parser.add_argument("board", help="name or path of a profile")
    parser.add_argument("--machine", type=Path, default=UNKNOWN.root, help="folder that holds the Pi's /proc")
    options = parser.parse_args(arguments)
    try:
        needs = find_needs(load_profile(options.board), Machine(options.machine))
    except (ProfileError, Unfit) as error:
        print(to_english(error.message), file=sys.stderr)
        return 2
    for name in ("fragments", "words", "modules"):
        print(f"{name}={' '.join(getattr(needs, name))}")
    print(f"unit={needs.unit}")
    print(f"quiet={'yes' if needs.quiet else ''}")
    print(f"drop_ins={' '.join(needs.drop_ins)}")
    for remark in needs.remarks:
        print(remark, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
