"""Where the sensor of a cell is wired, in the words of the table that the board was built by."""

from __future__ import annotations

from pond_hw.fabrication.circuit import circuit
from pond_hw.fabrication.wiring_table import table
from pond_hw.profile.board_profile import Analog, Expanders, Pretended, Profile, Trellis
from pond_hw.rules import Cell, grid


def wired_to(profile: Profile) -> dict[Cell, str]:
    """For each cell where its sensor goes, such as `MCP23017 at 0x21, pin GPB2 (leg 3), purple wire`."""
    wiring = profile.sensing.wiring
    if isinstance(wiring, Trellis):
        return {cell: f"key {key} of the NeoTrellis" for cell, key in wiring.keys.items()}
    if isinstance(wiring, Pretended):
        return dict.fromkeys(grid(profile.size).cells, "a pretended sensor")
    return {cell: row.told for cell, row in table(profile, circuit(profile)).items()}


def chips(profile: Profile) -> dict[str, tuple[Cell, ...]]:
    """The chips that read sensors, as trouble names them, with the cells of each; none if there are no chips."""
    wiring = profile.sensing.wiring
    found: dict[str, list[Cell]] = {}
    if isinstance(wiring, Expanders):
        for cell, place in wiring.pins.items():
            found.setdefault(f"0x{place.address:02x}", []).append(cell)
    if isinstance(wiring, Analog):
        for cell, channel in wiring.channels.items():
            found.setdefault(f"converter {channel.chip}", []).append(cell)
    if isinstance(wiring, Trellis):
        found[f"0x{wiring.address:02x}"] = list(wiring.keys)
    return {chip: tuple(cells) for chip, cells in found.items()}
