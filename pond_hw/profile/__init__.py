"""Board profiles: a board's cells, pins, lamps, currents and timing, read from a TOML file and checked.

    >>> from pond_hw.profile import load_profile
    >>> board = load_profile("direct-4x4")
    >>> board.sensing.wiring.pins["a1"], board.chain.driver
    (12, 'auto')

Drivers, wiring plans and parts lists are all derived from the profile. docs/profile.md describes the format. All faults
in a file are reported at once, each with its line.
"""

from pond_hw.profile.board_profile import BoardBody, MatrixWiring, Profile, SimulatedWiring, TrellisWiring
from pond_hw.profile.faults import ProfileError
from pond_hw.profile.library import list_shipped, load_profile
from pond_hw.profile.reader import parse_profile

__all__ = ["Profile", "ProfileError", "list_shipped", "load_profile", "parse_profile"]
__all__ += ["BoardBody", "MatrixWiring", "SimulatedWiring", "TrellisWiring"]
