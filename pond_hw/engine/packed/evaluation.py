"""What a position is worth without looking ahead, as learned from games: a sum of numbers out of tables.

The tables hold a number for every pattern of a row or column and of a block of two by three cells, seen by the side to
move; and for what both sides still need, have in their spawns, and can do. `pond_hw.lab.training` makes the tables, and
`pond_hw.engine.learned_values` reads them.

A *code* is some cells in digits to the base 7, the first cell in the lowest: 0 empty, 1 to 3 an own egg, tadpole or frog, 4
to 6 one of the other side. Patterns that are the same but for a turn of the board have one number: the tables differ for lines
and blocks at the edge and inside, blocks are read with the cell that is nearest to a corner first.

Like rules.py this is plain typed Python which `make fast` compiles, together with it; the same advice holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pond_hw.engine.packed.table import zeros

if TYPE_CHECKING:
    from librt.vecs import append, vec
    from mypy_extensions import i64, u8

TRIPLE_PATTERNS: Final = 7**3
"""Patterns of three cells in a line."""

BLOCK_PATTERNS: Final = TRIPLE_PATTERNS * TRIPLE_PATTERNS
"""Patterns of a block: six cells."""

LANE_BITS: Final = 12
"""The codes of three cells, one for each column, lie side by side in one number, with so many bits for each."""

LANE_MASK: Final = (1 << LANE_BITS) - 1

NEED_LIMIT: Final = 11
"""Pieces that a side needs to reach the target: from here on they count as one less than this."""

SPAWN_LIMIT: Final = 16
"""Eggs in a spawn: from here on they count as one less than this."""

ACTION_LIMIT: Final = 48
"""Legal actions: from here on they count as one less than this."""

COUNT_NUMBERS: Final = NEED_LIMIT * NEED_LIMIT + SPAWN_LIMIT * SPAWN_LIMIT + 2 * ACTION_LIMIT
"""Numbers of a phase that are no patterns: for the needs, for the spawns, for own actions and for the other's."""

NUMBER_STEP: Final = 2
"""A number is kept as a byte: 128 is 0, and each more or less is so many hundredths of a piece."""

PHASES: Final = 3
"""The tables are there three times, for different numbers of eggs in both spawns."""

EARLY_SPAWN: Final = 14
LATE_SPAWN: Final = 5
"""From so many eggs on in both spawns it is early; up to so many it is late."""


def pattern_count(size: i64) -> i64:
    """How many patterns of lines and blocks a grid of four or five rows has in a phase."""
    return (2 * 7**4 + 2 * BLOCK_PATTERNS) if size == 4 else (3 * 7**5 + 4 * BLOCK_PATTERNS)


def read_steps(packed_numbers: bytes) -> vec[u8]:
    """The bytes as the compiler looks them up at once."""
    steps = vec[u8](capacity=len(packed_numbers))
    for step in packed_numbers:
        steps = append(steps, u8(step))
    return steps


if __file__.endswith(".py"):
    globals()["read_steps"] = bytes  # the interpreter looks them up as they are
    globals()["i64"] = int  # what is one machine word there is an ordinary number here


class LearnedEvaluation:
    """The tables of a grid.

    Args:
        size: rows and columns of the grid, four or five.
        target: own pieces that a side must score to end the game.
        packed_numbers: the numbers of all phases, patterns first, then counts; see `NUMBER_STEP`.
    """

    def __init__(self, size: int, target: int, packed_numbers: bytes) -> None:
        self.size: i64 = size
        self.target: i64 = target
        self.numbers: vec[u8] = read_steps(packed_numbers)
        self.line_patterns: i64 = 7**size
        self.patterns: i64 = pattern_count(size)
        # The codes of a line's cells: first three, last three from the other end, those beside the first (in a line of five),
        # and all beyond the first three. For a mask of a row with all of them in lanes, and for a place in a column.
        first = [7**x if x < 3 else 0 for x in range(size)]
        beside = [7 ** (x - 1) if size == 5 and 0 < x < 4 else 0 for x in range(size)]
        beyond = [7 ** (x - 3) if x > 2 else 0 for x in range(size)]
        self.row_codes: vec[i64] = zeros(32)
        self.row_lanes: vec[i64] = zeros(32)
        self.weights: vec[i64] = zeros(4 * size)
        for x in range(size):
            weights = first[x], first[size - 1 - x], beside[x], beyond[x]
            for lane, weight in enumerate(weights):
                self.weights[4 * x + lane] = weight
            for mask in range(1 << size):
                if mask >> x & 1:
                    self.row_codes[mask] += sum(weight << LANE_BITS * lane for lane, weight in enumerate(weights))
                    self.row_lanes[mask] += 1 << LANE_BITS * x
        self.codes: vec[i64] = zeros(2 * size)
        # Blocks: the line that is nearer to the edge, the one behind it, and where the numbers for blocks like this begin.
        self.near: vec[i64] = zeros(8)
        self.far: vec[i64] = zeros(8)
        self.block_start: vec[i64] = zeros(8)
        line_tables = 2 if size == 4 else 3
        pairs = [(0, 1, 0), (size - 1, size - 2, 0), (1, 2, 1)] + ([(3, 2, 1)] if size == 5 else [])
        self.pair_count: i64 = 2 * len(pairs)
        self.zero_sum: i64 = 128 * (4 + 2 * size + (size - 2) * 2 * len(pairs))  # what all numbers come to if each is 0
        for index, (near, far, kind) in enumerate(pairs):
            for way in range(2):
                self.near[2 * index + way] = near + size * way
                self.far[2 * index + way] = far + size * way
                self.block_start[2 * index + way] = line_tables * 7**size + kind * BLOCK_PATTERNS

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
        """What the tables add to the pieces scored, to the side to move.

        The first seven tell the position; `own_actions` are the legal actions of the side to move, `other_actions` those
        that the other side would have if it were its turn.
        """
        size = self.size
        numbers = self.numbers  # looked up once: each time costs as much as a sum
        codes = self.codes
        row_codes = self.row_codes
        row_lanes = self.row_lanes
        weights = self.weights
        other = light if mover else dark
        own_spawn = spawn >> 5 if mover else spawn & 31
        other_spawn = spawn & 31 if mover else spawn >> 5
        own_need = self.target - (scored >> 5 if mover else scored & 31)
        other_need = self.target - (scored & 31 if mover else scored >> 5)
        phase: i64 = 0 if own_spawn + other_spawn >= EARLY_SPAWN else 2 if own_spawn + other_spawn <= LATE_SPAWN else 1

        count_start = PHASES * self.patterns + phase * COUNT_NUMBERS
        need_index = min(own_need, NEED_LIMIT - 1) * NEED_LIMIT + min(other_need, NEED_LIMIT - 1)
        spawn_index = min(own_spawn, SPAWN_LIMIT - 1) * SPAWN_LIMIT + min(other_spawn, SPAWN_LIMIT - 1)
        total = i64(numbers[count_start + need_index]) - self.zero_sum
        count_start += NEED_LIMIT * NEED_LIMIT
        total += i64(numbers[count_start + spawn_index])
        count_start += SPAWN_LIMIT * SPAWN_LIMIT
        total += i64(numbers[count_start + min(own_actions, ACTION_LIMIT - 1)])
        total += i64(numbers[count_start + ACTION_LIMIT + min(other_actions, ACTION_LIMIT - 1)])

        # The codes of all rows, then of all columns.
        all_pieces = light | dark
        odd_cells = all_pieces & ~tadpoles
        high_cells = all_pieces & ~eggs
        row_mask = (1 << size) - 1
        first: i64 = 0
        last: i64 = 0
        beside: i64 = 0
        beyond: i64 = 0
        for y in range(size):
            odd_row = odd_cells & row_mask
            high_row = high_cells & row_mask
            other_row = other & row_mask
            codes[y] = row_codes[odd_row] + 2 * row_codes[high_row] + 3 * row_codes[other_row]
            lanes = row_lanes[odd_row] + 2 * row_lanes[high_row] + 3 * row_lanes[other_row]
            first += lanes * weights[4 * y]
            last += lanes * weights[4 * y + 1]
            beside += lanes * weights[4 * y + 2]
            beyond += lanes * weights[4 * y + 3]
            odd_cells >>= size
            high_cells >>= size
            other >>= size
        for x in range(size):
            codes[size + x] = (
                first & LANE_MASK
                | (last & LANE_MASK) << LANE_BITS
                | (beside & LANE_MASK) << 2 * LANE_BITS
                | (beyond & LANE_MASK) << 3 * LANE_BITS
            )
            first >>= LANE_BITS
            last >>= LANE_BITS
            beside >>= LANE_BITS
            beyond >>= LANE_BITS
        line_start = phase * self.patterns
        for index in range(size):
            line_index = line_start + min(index, size - 1 - index) * self.line_patterns
            code = codes[index]
            total += i64(numbers[line_index + (code & LANE_MASK) + TRIPLE_PATTERNS * (code >> 3 * LANE_BITS)])
            code = codes[size + index]
            total += i64(numbers[line_index + (code & LANE_MASK) + TRIPLE_PATTERNS * (code >> 3 * LANE_BITS)])
        for pair_index in range(self.pair_count):
            near = codes[self.near[pair_index]]
            far = codes[self.far[pair_index]]
            block_start = line_start + self.block_start[pair_index]
            total += i64(numbers[block_start + (near & LANE_MASK) + TRIPLE_PATTERNS * (far & LANE_MASK)])
            near >>= LANE_BITS
            far >>= LANE_BITS
            total += i64(numbers[block_start + (near & LANE_MASK) + TRIPLE_PATTERNS * (far & LANE_MASK)])
            if size == 5:
                near >>= LANE_BITS
                far >>= LANE_BITS
                block_start += 2 * BLOCK_PATTERNS
                total += i64(numbers[block_start + (near & LANE_MASK) + TRIPLE_PATTERNS * (far & LANE_MASK)])
        return NUMBER_STEP * total
