"""Learned static evaluation: a sum of table entries.

Some tables have an entry for each pattern in a row, a column or a block of two by three cells, as seen by the side to
move. Other tables cover the pieces that both sides need, their spawns and their numbers of legal actions.
`tools.training` creates the tables, and `pond_hw.engine.learned_values` loads them.

A *code* represents a sequence of cells as a number in base 7, with the first cell as the lowest digit. An empty cell is
0, an egg, tadpole or frog of the side to move is 1 to 3, and one of its opponent is 4 to 6. Symmetric patterns share an
entry. There are separate tables for lines and blocks on the edge and in the interior. Blocks are read from the cell
nearest to a corner.

Like rules.py, this is typed Python that `make fast` compiles; the notes there apply here too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pond_hw.engine.packed.table import zeros

if TYPE_CHECKING:
    from librt.vecs import append, vec
    from mypy_extensions import i64, u8

TRIPLE_PATTERNS: Final = 7**3

BLOCK_PATTERNS: Final = TRIPLE_PATTERNS * TRIPLE_PATTERNS

LANE_BITS: Final = 12
"""Bits per column in a number that holds a three-cell code for each column."""

LANE_MASK: Final = (1 << LANE_BITS) - 1

CODE_BITS: Final = 17
"""Bits per code in a number that holds all codes of a line. They are enough for the code of a block as well."""

CODE_MASK: Final = (1 << CODE_BITS) - 1

NEEDED_TABLE_SIZE: Final = 11
"""Table size for the number of pieces that a side needs to reach the target; larger values are clamped."""

SPAWN_TABLE_SIZE: Final = 16
"""Table size for the number of eggs in a spawn; larger values are clamped."""

ACTION_TABLE_SIZE: Final = 48
"""Table size for the number of legal actions; larger values are clamped."""

COUNT_NUMBERS: Final = (
    NEEDED_TABLE_SIZE * NEEDED_TABLE_SIZE + SPAWN_TABLE_SIZE * SPAWN_TABLE_SIZE + 2 * ACTION_TABLE_SIZE
)
"""Number of entries per phase for pieces needed, spawns, own actions and the opponent's actions."""

NUMBER_STEP: Final = 2
"""Hundredths of a piece per unit of an entry. Entries are bytes with an offset of 128."""

PHASES: Final = 3
"""Number of game phases with tables of their own. The total number of eggs in both spawns determines the phase."""

EARLY_SPAWN: Final = 14
LATE_SPAWN: Final = 5
"""Maximum number of eggs in both spawns during the late phase. In the early phase there are at least `EARLY_SPAWN`."""


def pattern_count(size: i64) -> i64:
    return (2 * 7**4 + 2 * BLOCK_PATTERNS) if size == 4 else (3 * 7**5 + 4 * BLOCK_PATTERNS)


def read_steps(packed_numbers: bytes) -> vec[u8]:
    """Convert the bytes to a vector that compiled code can index quickly."""
    steps = vec[u8](capacity=len(packed_numbers))
    for step in packed_numbers:
        steps = append(steps, u8(step))
    return steps


if __file__.endswith((".py", ".pyc")):
    globals()["read_steps"] = bytes  # plain Python indexes bytes directly
    globals()["i64"] = int  # a machine word when compiled, an ordinary integer here


class LearnedEvaluation:
    """Evaluation tables for one grid size.

    Args:
        size: number of rows and columns, 4 or 5.
        target: number of its own pieces that a side must score to end the game.
        packed_numbers: entries of all phases, patterns first, then counts; see `NUMBER_STEP`.
    """

    def __init__(self, size: int, target: int, packed_numbers: bytes) -> None:
        self.size: i64 = size
        self.target: i64 = target
        self.numbers: vec[u8] = read_steps(packed_numbers)
        self.line_patterns: i64 = 7**size
        self.patterns: i64 = pattern_count(size)
        self.block_start: i64 = (2 if size == 4 else 3) * 7**size
        self.zero_sum: i64 = 128 * (
            4 + 2 * size + (size - 2) * 2 * (size - 1)
        )  # sum of the offsets of all entries used
        # Codes of a line by the mask of its cells: the first three, the last three in reverse, those beside the first
        # (size 5), and those beyond the first three. `row_codes` packs all of them, `row_lanes` has one lane per cell.
        self.row_codes: vec[i64] = zeros(32)
        self.row_lanes: vec[i64] = zeros(32)
        for mask in range(1 << size):
            for x in range(size):
                if mask >> x & 1:
                    weights = (
                        7**x if x < 3 else 0,
                        7 ** (size - 1 - x) if x > size - 4 else 0,
                        7 ** (x - 1) if size == 5 and 0 < x < 4 else 0,
                        7 ** (x - 3) if x > 2 else 0,
                    )
                    self.row_codes[mask] += sum(weight << CODE_BITS * part for part, weight in enumerate(weights))
                    self.row_lanes[mask] += 1 << LANE_BITS * x
        self.lanes: vec[i64] = zeros(size)
        self.codes: vec[i64] = zeros(2 * size)

    def evaluate(
        self,
        light: i64,
        dark: i64,
        eggs: i64,
        tadpoles: i64,
        spawn: i64,
        scored: i64,
        mover: i64,
        own_actions: i64,
        other_actions: i64,
    ) -> i64:
        """Return the value for the side to move, excluding the pieces already scored.

        The first seven arguments are the position. `own_actions` is the number of legal actions of the side to move.
        `other_actions` is the number that the opponent would have if it were its turn.
        """
        size = self.size
        numbers = self.numbers  # attribute lookups cost as much as an addition
        codes = self.codes
        row_codes = self.row_codes
        row_lanes = self.row_lanes
        lanes = self.lanes
        other = light if mover else dark
        own_spawn = spawn >> 5 if mover else spawn & 31
        other_spawn = spawn & 31 if mover else spawn >> 5
        own_need = self.target - (scored >> 5 if mover else scored & 31)
        other_need = self.target - (scored & 31 if mover else scored >> 5)
        phase: i64 = 0 if own_spawn + other_spawn >= EARLY_SPAWN else 2 if own_spawn + other_spawn <= LATE_SPAWN else 1

        count_start = PHASES * self.patterns + phase * COUNT_NUMBERS
        need_index = min(own_need, NEEDED_TABLE_SIZE - 1) * NEEDED_TABLE_SIZE + min(other_need, NEEDED_TABLE_SIZE - 1)
        spawn_index = min(own_spawn, SPAWN_TABLE_SIZE - 1) * SPAWN_TABLE_SIZE + min(other_spawn, SPAWN_TABLE_SIZE - 1)
        total = i64(numbers[count_start + need_index]) - self.zero_sum
        count_start += NEEDED_TABLE_SIZE * NEEDED_TABLE_SIZE
        total += i64(numbers[count_start + spawn_index])
        count_start += SPAWN_TABLE_SIZE * SPAWN_TABLE_SIZE
        total += i64(numbers[count_start + min(own_actions, ACTION_TABLE_SIZE - 1)])
        total += i64(numbers[count_start + ACTION_TABLE_SIZE + min(other_actions, ACTION_TABLE_SIZE - 1)])

        # Codes of all rows, then of all columns.
        all_pieces = light | dark
        odd_cells = all_pieces & ~tadpoles
        high_cells = all_pieces & ~eggs
        row_mask = (1 << size) - 1
        for y in range(size):
            odd_row = odd_cells & row_mask
            high_row = high_cells & row_mask
            other_row = other & row_mask
            codes[y] = row_codes[odd_row] + 2 * row_codes[high_row] + 3 * row_codes[other_row]
            lanes[y] = row_lanes[odd_row] + 2 * row_lanes[high_row] + 3 * row_lanes[other_row]
            odd_cells >>= size
            high_cells >>= size
            other >>= size
        third_row = lanes[2]
        last_row = lanes[size - 1]
        last_but_one = lanes[size - 2]
        first = lanes[0] + 7 * lanes[1] + 49 * third_row
        last = last_row + 7 * last_but_one + 49 * lanes[size - 3]
        beside: i64 = 0
        fourth_lanes = last_row
        if size == 5:
            beside = lanes[1] + 7 * third_row + 49 * last_but_one
            fourth_lanes = last_but_one + 7 * last_row
        for x in range(size, 2 * size):
            codes[x] = (
                first & LANE_MASK
                | (last & LANE_MASK) << CODE_BITS
                | (beside & LANE_MASK) << 2 * CODE_BITS
                | (fourth_lanes & LANE_MASK) << 3 * CODE_BITS
            )
            first >>= LANE_BITS
            last >>= LANE_BITS
            beside >>= LANE_BITS
            fourth_lanes >>= LANE_BITS

        # Add the entries of each line and of the blocks that it forms with the previous line: rows, then columns.
        line_start = phase * self.patterns
        code: i64 = 0
        for index in range(2 * size):
            place = index - size if index >= size else index
            code_before = code
            code = codes[index]
            line_index = line_start + min(place, size - 1 - place) * self.line_patterns
            total += i64(numbers[line_index + (code & CODE_MASK) + TRIPLE_PATTERNS * (code >> 3 * CODE_BITS)])
            if place:
                # The line nearer to the edge is the first of the block. All codes are combined at once.
                near = code_before if place < 3 else code
                block = near + TRIPLE_PATTERNS * (code_before + code - near)
                block_index = line_start + self.block_start
                if 1 < place < size - 1:
                    block_index += BLOCK_PATTERNS
                total += i64(numbers[block_index + (block & CODE_MASK)])
                total += i64(numbers[block_index + (block >> CODE_BITS & CODE_MASK)])
                if size == 5:
                    block_index += 2 * BLOCK_PATTERNS
                    total += i64(numbers[block_index + (block >> 2 * CODE_BITS & CODE_MASK)])
        return NUMBER_STEP * total
