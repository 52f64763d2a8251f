"""A board's build, read from a TOML file and checked: cells, pins, lamps, currents, timing.

    >>> from pond_hw.profile import load
    >>> board = load("direct-4x4")
    >>> board.sensing.wiring.pins["a1"], board.chain.driver
    (12, 'auto')

A builder describes a board once, as the players see it; drivers, wiring plans and parts lists are taken from that.
The form is told in docs/profile.md. Whatever is wrong with a file is told at once, each fault with its line.
"""

from pond_hw.profile.board_profile import (
    Adc,
    Analog,
    Body,
    Chain,
    Channel,
    Crossing,
    Direct,
    ExpanderPin,
    Expanders,
    Matrix,
    Pretended,
    Profile,
    Sensing,
    Supply,
    Trellis,
    Wiring,
)
from pond_hw.profile.faults import Fault, ProfileError
from pond_hw.profile.library import load, shipped
from pond_hw.profile.reader import read_profile

__all__ = [
    "Adc",
    "Analog",
    "Body",
    "Chain",
    "Channel",
    "Crossing",
    "Direct",
    "ExpanderPin",
    "Expanders",
    "Fault",
    "Matrix",
    "Pretended",
    "Profile",
    "ProfileError",
    "Sensing",
    "Supply",
    "Trellis",
    "Wiring",
    "load",
    "read_profile",
    "shipped",
]
