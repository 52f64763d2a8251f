"""Tests of training the evaluation."""

import lzma
import sys
from random import Random

import numpy as np
import pytest

from pond_hw.engine.learned_values import values_path
from pond_hw.engine.packed import LearnedEvaluation, PackedSearch, packed_rules
from pond_hw.engine.packed.evaluation import COUNT_NUMBERS, PHASES, pattern_count
from pond_hw.rules import VARIANTS
from tools import training
from tools.training_games import (
    TRAINING_VARIANTS,
    UNKNOWN_RESULT,
    TrainingPosition,
    describe_position,
    play_training_games,
)


def games(size=4, count=120, seed=3):
    return play_training_games(size, 30, count, Random(seed), lambda variant: None)


@pytest.mark.slow
def test_same_seed_gives_the_same_positions():
    positions = games()
    assert positions == games()
    assert positions != games(seed=4)
    assert len(positions) >= 120
    assert {each.result for each in positions} >= {UNKNOWN_RESULT, 0, 2}


@pytest.mark.slow
def test_result_is_for_the_side_to_move():
    """Positions with a decisive value have the matching result."""
    sure = [each for each in games(count=400) if abs(each.value) == 19_999 and each.result != UNKNOWN_RESULT]
    assert len(sure) > 5
    assert {(each.value > 0) * 2 for each in sure} <= {0, 2}
    assert all(each.result == (2 if each.value > 0 else 0) for each in sure)


def test_position_is_described_for_the_side_to_move():
    rules = packed_rules(VARIANTS["standard"])
    position = 0b1, 0b110, 0b10, 0b100, 12 + 32 * 11, 0 + 32 * 3, 1
    actions = rules.count_actions(position), rules.count_actions((*position[:6], 0))
    reported = describe_position(rules, position, 42)
    assert reported == TrainingPosition(0b110, 0b1, 0b10, 0b100, 11, 12, 7, 10, *actions, 42)


@pytest.mark.parametrize("size", TRAINING_VARIANTS)
def test_evaluation_uses_the_fitted_numbers(size):
    rng = np.random.default_rng(1)
    numbers = rng.integers(-60, 60, PHASES * (pattern_count(size) + COUNT_NUMBERS)).astype(np.float32)
    packed_numbers = training.pack_numbers(2 * numbers, size)
    variant = VARIANTS[TRAINING_VARIANTS[size][0]]
    rules = packed_rules(variant)
    search = PackedSearch(rules, 2, LearnedEvaluation(size, variant.target, packed_numbers))
    rows, values, random_source = [], [], Random(1)
    for _ in range(4):
        position = rules.start_position(variant.spawn)
        while actions := rules.legal_actions(position):
            rows.append(describe_position(rules, position, 0))
            values.append(search.evaluate_position(position, len(actions)))
            position = rules.play_action(position, random_source.choice(actions))
    positions = np.array(rows, dtype=np.int32)
    sums = (2 * numbers)[training.number_indices(positions, size)].sum(1)
    assert (sums + 100 * (positions[:, 7] - positions[:, 6])).tolist() == values


@pytest.mark.slow
def test_learned_values_reduce_the_error():
    reported = []
    positions = np.array(games(count=2500), dtype=np.int32)
    numbers = training.fit_numbers(positions, 4, report=reported.append)
    assert len(reported) == len(training.EPOCHS)
    indices, expected_chances = (
        training.number_indices(positions, 4),
        training.expected_chances(positions, training.RESULT_SHARE),
    )
    pieces = (100 * (positions[:, 7] - positions[:, 6])).astype(np.float32)
    learned, unlearned = (
        np.square(training.win_chances(values + pieces) - expected_chances)[:2000].mean()
        for values in (numbers[indices].sum(1), np.zeros(len(positions), dtype=np.float32))
    )
    assert learned < 0.9 * unlearned


@pytest.mark.slow
def test_main_is_reproducible(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(training, "NODES", 30)
    files = []
    for folder in ("one", "two"):
        command = ["training", "--sizes", "4", "--positions", "60", "40", "--out", str(tmp_path / folder)]
        monkeypatch.setattr(sys, "argv", command)
        training.main()
        files.append((tmp_path / folder / values_path(4).name).read_bytes())
    assert files[0] == files[1]
    assert len(lzma.decompress(files[0])) == PHASES * (pattern_count(4) + COUNT_NUMBERS)
    assert "generation 2" in capsys.readouterr().out
