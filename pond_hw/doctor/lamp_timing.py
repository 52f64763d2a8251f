"""The lamps' timing: a clock that holds still, and a buffer that takes a frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pond_hw.doctor.board_needs import by_spi
from pond_hw.doctor.boot_config import Config, filters
from pond_hw.doctor.check_results import Found, fault, good
from pond_hw.doctor.surroundings import Surroundings
from pond_hw.drivers.pi_machine import LARGEST_TRANSFER, choose
from pond_hw.drivers.spi_lamps import encode
from pond_hw.profile.board_profile import Profile

BUFFER_WORD = "spidev.bufsiz=65536"


class Clock(NamedTuple):
    """The core clock of a family, which SPI is made from: its highest and lowest MHz, and the line that holds it."""

    highest: int
    lowest: int
    line: str


CLOCKS = {
    "pi02": Clock(400, 250, "core_freq=250"),
    "pi0": Clock(400, 250, "core_freq=250"),
    "pi3": Clock(400, 250, "core_freq=250"),
    "pi4": Clock(500, 200, "core_freq_min=500"),
}
"""By the filter of config.txt. Pi 1 and 2 have one core clock, and the SPI of a Pi 5 has a clock of its own."""


def look(around: Surroundings, config: Config, profile: Profile) -> Iterator[Found]:
    """Whether what SPI sends has the lamps' timing."""
    if not by_spi(profile, around.machine):
        return
    yield _clock(around, config)
    yield from _buffer(around, profile)


def _clock(around: Surroundings, config: Config) -> Found:
    family = next((CLOCKS[name] for name in CLOCKS if name in filters(around.machine.model)), None)
    if family is None:
        return good("lamps", "The clock of SPI holds still by itself on this model.")
    highest = _mhz(config, "core_freq", _mhz(config, "gpu_freq", family.highest))
    lowest = _mhz(config, "core_freq_min", family.lowest)
    mini_uart = config.values.get("enable_uart") == "1" and family.highest == 400
    moved = config.has("disable-bt") or config.has("miniuart-bt")
    if config.values.get("force_turbo") == "1" or lowest >= highest or (mini_uart and not moved):
        return good("lamps", f"The core clock, which times the lamps, holds still: {config.place} sees to it.")
    told = (
        f"The core clock goes from {lowest} to {highest} MHz and back, and the lamps' timing with it: colours run "
        "wild. "
        f"{family.line} holds it still. Restart the Pi then."
    )
    return fault("lamps", told, config.adding(family.line))


def _mhz(config: Config, key: str, usual: int) -> int:
    told = config.values.get(key, "")
    return int(told) if told.isdecimal() else usual


def _buffer(around: Surroundings, profile: Profile) -> Iterator[Found]:
    count, allowed = profile.chain.count, around.machine.spi_buffer
    by_spidev = choose(profile, around.machine).driver == "spi"
    length = len(encode(bytes(3 * count))) if by_spidev else 12 * count + 24
    if length <= allowed:
        yield good("lamps", f"A frame of {count} lamps is {length} bytes of SPI, and {allowed} go at once.")
        return
    told = f"A frame of {count} lamps is {length} bytes of SPI, and {allowed} go at once."
    if length > LARGEST_TRANSFER:
        yield fault("lamps", f"{told} A Pi never sends more than {LARGEST_TRANSFER}. Use fewer lamps.")
        return
    places = ("boot/firmware/cmdline.txt", "boot/cmdline.txt")
    place = next((each for each in places if around.path(each).is_file()), places[0])
    word = [each for each in around.text(place).split() if each.startswith("spidev.bufsiz=")]
    if BUFFER_WORD in word[-1:]:
        yield fault("lamps", f"{told} /{place} allows more, but this running Pi does not know it yet.", "sudo reboot")
    elif word:
        mend = f"sudo sed -i 's/spidev.bufsiz=[^ ]*/{BUFFER_WORD}/' /{place}"
        yield fault("lamps", f"{told} Allow more, then restart the Pi.", mend)
    else:
        mend = f"sudo sed -i '1s/$/ {BUFFER_WORD}/' /{place}"
        yield fault("lamps", f"{told} Allow more, then restart the Pi.", mend)
