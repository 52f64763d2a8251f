"""Train the evaluation with games that the search plays against itself: `make train`, or `python -m tools.training`.

Each generation plays with the values learned by the previous one; the first uses pieces and mobility only. The tables
(`engine.packed.evaluation`) are then fitted by logistic regression with Adam (Kingma and Ba, 2015), to predict a mix of
the game's result and the search's value. The same seed gives the same games on any machine. Fitted values may differ in
the last digit between processors.
"""

from __future__ import annotations

import argparse
import lzma
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from time import monotonic
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pond_hw.engine.learned_values import LEARNED_SIZES, values_path
from pond_hw.engine.packed import MIN_WIN_VALUE, WIN_VALUE, LearnedEvaluation, is_compiled
from pond_hw.engine.packed.evaluation import (
    ACTION_TABLE_SIZE,
    BLOCK_PATTERNS,
    COUNT_NUMBERS,
    EARLY_SPAWN,
    LATE_SPAWN,
    NEEDED_TABLE_SIZE,
    NUMBER_STEP,
    PHASES,
    SPAWN_TABLE_SIZE,
    TRIPLE_PATTERNS,
    pattern_count,
)
from pond_hw.engine.packed.search import PIECE_VALUE
from pond_hw.rules import Variant
from tools.training_games import UNKNOWN_RESULT, play_training_games

Integers: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[np.float32]

POSITIONS: Final = {
    4: (700_000, 500_000, 700_000),
    5: (400_000, 300_000, 600_000, 1_200_000, 2_400_000, 4_800_000, 4_800_000),
}
"""Number of positions in each generation, by board size."""

NODES: Final = 1_000
"""Number of positions searched per action in a training game."""

LOGIT_VALUE: Final = 160
"""Advantage, in hundredths of a piece, that multiplies the odds of winning by e. This value fits the first search best."""

RESULT_SHARE: Final = 0.5
"""Weight of the game's result; the rest is the search's value."""

ENOUGH_POSITIONS: Final = 4_000_000
"""Minimum number of positions for fitting to the last generation alone. Its games are the best."""

ENOUGH_RESULT_SHARE: Final = 0.7
"""Weight of the game's result when fitting to the last generation alone."""

EPOCHS: Final = (1.0, 1.0, 0.25, 0.0625)
"""Learning rate of each epoch, in hundredths of a piece per step."""

BATCH: Final = 8192
"""Number of positions per step."""

DECAY: Final = 0.001
"""Weight decay, which keeps the values of rare patterns small."""

VALIDATION_DIVISOR: Final = 20
"""One position in this many is held back for validation."""


def line_codes(positions: Integers, size: int) -> Integers:
    """Return the codes of all rows, then all columns, of each position; see `engine.packed.evaluation`."""
    own, other, eggs, tadpoles = positions.T[:4]
    odd_cells, high_cells = (own | other) & ~tadpoles, (own | other) & ~eggs
    codes = np.zeros((len(positions), 2 * size), dtype=np.int32)
    for y in range(size):
        for x in range(size):
            digits = sum(
                weight * (plane >> size * y + x & 1) for weight, plane in ((1, odd_cells), (2, high_cells), (3, other))
            )
            codes[:, y] += digits * 7**x
            codes[:, size + x] += digits * 7**y
    return codes


def mirror(codes: Integers, length: int) -> Integers:
    """Return the codes of the reversed lines. `length` is the number of cells in a line."""
    mirrored = np.zeros_like(codes)
    for index in range(length):
        mirrored += codes // 7**index % 7 * 7 ** (length - 1 - index)
    return mirrored


def shared_patterns(size: int) -> Integers:
    """Return for each pattern of a phase the equivalent pattern that stores its value."""
    shared, lines, blocks = (
        np.arange(length).astype(np.int32) for length in (pattern_count(size), 7**size, BLOCK_PATTERNS)
    )
    same_line = np.minimum(lines, mirror(lines, size))
    near, far = blocks % TRIPLE_PATTERNS, blocks // TRIPLE_PATTERNS
    line_tables = (size + 1) // 2
    block_start = line_tables * 7**size
    for table in range(line_tables):
        shared[table * 7**size :][: 7**size] = table * 7**size + same_line
    if size == 4:  # Blocks of the two inner lines are symmetric.
        inner_start = block_start + BLOCK_PATTERNS
        shared[inner_start:] = inner_start + np.minimum(blocks, far + TRIPLE_PATTERNS * near)
    else:  # Blocks one cell from the edge are symmetric.
        for start in (block_start + 2 * BLOCK_PATTERNS, block_start + 3 * BLOCK_PATTERNS):
            same_block = np.minimum(blocks, mirror(near, 3) + TRIPLE_PATTERNS * mirror(far, 3))
            shared[start : start + BLOCK_PATTERNS] = start + same_block
    return shared


def number_indices(positions: Integers, size: int) -> Integers:
    """Return the indices of the values that add up to the evaluation of each position."""
    codes, line_tables = line_codes(positions, size), (size + 1) // 2
    parts = [codes % TRIPLE_PATTERNS, mirror(codes, size) % TRIPLE_PATTERNS]
    if size == 5:
        parts.append(codes // 7 % TRIPLE_PATTERNS)
    pairs = [(0, 1, 0), (size - 1, size - 2, 0), (1, 2, 1)] + ([(3, 2, 1)] if size == 5 else [])
    pattern_indices = list[Integers]()
    for way in (0, size):
        pattern_indices += [min(line, size - 1 - line) * 7**size + codes[:, way + line] for line in range(size)]
        for near, far, kind in pairs:
            for part_number, part in enumerate(parts):
                start = line_tables * 7**size + (kind + 2 * (part_number == 2)) * BLOCK_PATTERNS
                pattern_indices.append(start + part[:, way + near] + TRIPLE_PATTERNS * part[:, way + far])

    spawns, needs, actions = positions[:, 4:6], positions[:, 6:8], np.minimum(positions[:, 8:10], ACTION_TABLE_SIZE - 1)
    phases = np.where(spawns.sum(1) >= EARLY_SPAWN, 0, np.where(spawns.sum(1) <= LATE_SPAWN, 2, 1))[:, None]
    spawns, needs = np.minimum(spawns, SPAWN_TABLE_SIZE - 1), np.minimum(needs, NEEDED_TABLE_SIZE - 1)
    start_of_spawns = NEEDED_TABLE_SIZE * NEEDED_TABLE_SIZE
    start_of_actions = start_of_spawns + SPAWN_TABLE_SIZE * SPAWN_TABLE_SIZE
    count_indices = [
        needs[:, 0] * NEEDED_TABLE_SIZE + needs[:, 1],
        start_of_spawns + spawns[:, 0] * SPAWN_TABLE_SIZE + spawns[:, 1],
        start_of_actions + actions[:, 0],
        start_of_actions + ACTION_TABLE_SIZE + actions[:, 1],
    ]
    patterns = shared_patterns(size)[np.stack(pattern_indices, 1)] + pattern_count(size) * phases
    counts = PHASES * pattern_count(size) + COUNT_NUMBERS * phases + np.stack(count_indices, 1)
    return np.concatenate([patterns, counts], 1).astype(np.int32)


def win_chances(values: Floats) -> Floats:
    """Convert values to expected points, from 0 to 1."""
    return np.asarray(1 / (1 + np.exp(-np.clip(values / LOGIT_VALUE, -30, 30))), dtype=np.float32)


def expected_chances(positions: Integers, result_share: float) -> Floats:
    """Return the target points: a weighted mean of the search's value and the game's result."""
    values = np.clip(positions[:, 10], -WIN_VALUE, WIN_VALUE).astype(np.float32)
    by_value, results = win_chances(values), positions[:, 11]
    is_settled = (results == UNKNOWN_RESULT) | (np.abs(values) >= MIN_WIN_VALUE)
    blended = (1 - result_share) * by_value + result_share * results / 2
    return np.where(is_settled, by_value, blended).astype(np.float32)


def fit_numbers(
    positions: Integers, size: int, result_share: float = RESULT_SHARE, report: Callable[[str], object] = print
) -> Floats:
    """Return the values that fit the positions best. Each row of `positions` is a `TrainingPosition`."""
    indices = number_indices(positions, size)
    expected = expected_chances(positions, result_share)
    piece_values = (PIECE_VALUE * (positions[:, 7] - positions[:, 6])).astype(np.float32)
    number_count = PHASES * (pattern_count(size) + COUNT_NUMBERS)
    numbers: Floats = np.zeros(number_count, dtype=np.float32)
    mean, square = np.zeros_like(numbers), np.zeros_like(numbers)
    learned_count = len(positions) - len(positions) // VALIDATION_DIVISOR
    rng = np.random.default_rng(0)
    for epoch, speed in enumerate(EPOCHS):
        order = rng.permutation(learned_count)
        for start in range(0, learned_count, BATCH):
            chosen = order[start : start + BATCH]
            chances = win_chances(numbers[indices[chosen]].sum(1) + piece_values[chosen])
            errors = np.repeat(chances - expected[chosen], indices.shape[1])
            slope = np.bincount(indices[chosen].ravel(), errors, minlength=number_count).astype(np.float32)
            slope += DECAY * numbers
            mean += 0.1 * (slope - mean)
            square += 0.01 * (slope * slope - square)
            numbers -= speed * mean / (np.sqrt(square) + 1e-3)
        tested = slice(learned_count, None)
        chances = win_chances(numbers[indices[tested]].sum(1) + piece_values[tested])
        loss = -(expected[tested] * np.log(chances + 1e-7) + (1 - expected[tested]) * np.log(1 - chances + 1e-7)).mean()
        report(f"  fit {epoch + 1} of {len(EPOCHS)}: cross-entropy {loss:.4f} on positions not learned from")
    return numbers


def pack_numbers(numbers: Floats, size: int) -> bytes:
    """Encode all values in the format of `LearnedEvaluation`."""
    patterns = numbers[: PHASES * pattern_count(size)].reshape(PHASES, -1)[:, shared_patterns(size)]
    counts = numbers[PHASES * pattern_count(size) :]
    steps = np.round(np.concatenate([patterns.ravel(), counts]) / NUMBER_STEP)
    return (np.clip(steps, -127, 127) + 128).astype(np.uint8).tobytes()


def train(size: int, position_counts: Sequence[int], seed: int, report: Callable[[str], object] = print) -> bytes:
    """Return the values for a board size, after one generation of games for each of `position_counts`."""
    packed_numbers = b""
    all_positions = list[Integers]()
    for generation, position_count in enumerate(position_counts):
        started = monotonic()

        def learned_for(variant: Variant, packed_numbers: bytes = packed_numbers) -> LearnedEvaluation | None:
            return LearnedEvaluation(size, variant.target, packed_numbers) if packed_numbers else None

        rng = Random(seed + 2 * generation + size - 4)
        found = play_training_games(size, NODES, position_count, rng, learned_for)
        report(f"{size}x{size}, generation {generation + 1}: {len(found)} positions in {monotonic() - started:.0f} s")
        all_positions.append(np.array(found, dtype=np.int32))
        if len(found) >= ENOUGH_POSITIONS:
            fitted, result_share = all_positions[-1], ENOUGH_RESULT_SHARE
        else:
            fitted, result_share = np.concatenate(all_positions), RESULT_SHARE
        packed_numbers = pack_numbers(fit_numbers(fitted, size, result_share, report), size)
    return packed_numbers


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.training", description="Train the evaluation of positions.")
    help_text = f"grid sizes ({' '.join(map(str, LEARNED_SIZES))})"
    parser.add_argument("--sizes", type=int, nargs="+", default=LEARNED_SIZES, choices=LEARNED_SIZES, help=help_text)
    parser.add_argument("--positions", type=int, nargs="+", help="number of positions in each generation")
    parser.add_argument("--seed", type=int, default=1, help="random seed (1)")
    parser.add_argument("--out", type=Path, help="the output folder (the one that Pond reads)")
    options = parser.parse_args()
    if not is_compiled():
        print("This takes a day without the compiled kernel: make fast")
    for size in options.sizes:
        packed_numbers = train(size, options.positions or POSITIONS[size], options.seed)
        path = options.out / values_path(size).name if options.out else values_path(size)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(lzma.compress(packed_numbers, preset=9))
        print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
