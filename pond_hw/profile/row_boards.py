"""Row boards: printed circuit boards with the sensors and lamps of one row of cells, all alike.

Each cell has four lamps. The chain runs along the far side of a row and back along the near side, where the undo key is:

     in ->  0   1     2   3     4   5     6   7      far side
    out <- 15  14    13  12    11  10     9   8      near side
             a         b         c         d

The row that is farthest from the undo key is first in the chain.
"""

from __future__ import annotations

from pond_hw.profile.board_profile import MatrixWiring, Profile, SimulatedWiring, TrellisWiring
from pond_hw.rules import get_grid

ROW_SIZES = (4, 5)
"""Numbers of cells for which there are row boards."""

LAMPS_PER_CELL = 4

CELL_PITCH_MM = 33.3
"""Distance in mm between the middles of neighbouring cells."""


def chain_positions(size: int) -> tuple[int, ...]:
    """Return the position in the chain of each lamp in the cells, in the order of `Frame.data`."""
    positions: list[int] = []
    for row_number in range(1, size + 1):
        first = LAMPS_PER_CELL * size * (size - row_number)
        for column in range(size):
            far, near = first + 2 * column, first + LAMPS_PER_CELL * size - 1 - 2 * column
            positions += (far, far + 1, near, near - 1)
    return tuple(positions)


def find_mismatch(profile: Profile) -> str | None:
    """Return the reason why a board cannot consist of row boards, or None if it can.

    The reason is `simulated`, `size`, `lamps` or `matrix`. Only lamps of turn keys may follow those of the cells.
    """
    size, chain, wiring = profile.size, profile.chain, profile.sensing.wiring
    if isinstance(wiring, SimulatedWiring | TrellisWiring) or chain.data_pin is None:
        return "simulated"
    if size not in ROW_SIZES:
        return "size"
    cell_lamps = chain_positions(size)
    if chain.cell_positions != cell_lamps or chain.lamp_count != len(cell_lamps) + len(chain.key_positions):
        return "lamps"
    if isinstance(wiring, MatrixWiring):
        rows = [[wiring.crossings[cell] for cell in cells] for cells in get_grid(size).rows]
        has_one_drive = all(len({drive for drive, _ in row}) == 1 for row in rows)
        if not has_one_drive or len({tuple(sense for _, sense in row) for row in rows}) > 1:
            return "matrix"
    return None


def connector_names(profile: Profile) -> dict[str, str]:
    """Return the connectors of a carrier board by what is plugged into them: `{"row 1": "J11", "key": "J3"}`.

    J1 is for the ribbon cable from the Pi, J2 for the lamp supply.
    """
    names = {f"row {number}": f"J{10 + number}" for number in range(profile.size, 0, -1)}
    names |= {"key": "J3"} if profile.undo_key_pin is not None else {}
    names |= {"buzzer": "J4"} if profile.buzzer_pin is not None else {}
    return names | ({"turn keys": "J5"} if profile.turn_key_pins else {})
