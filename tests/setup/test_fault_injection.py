"""A sample of `python -m tests.setup.fault_injection`."""

from random import Random

import pytest

from tests.conftest import long_after_first
from tests.setup.fault_injection import (
    BOARDS,
    EXPECTED_KINDS,
    HEALTHY,
    KINDS,
    MAX_FALSE_ALARMS,
    MIN_CORRECT,
    Case,
    cases,
    main,
    rates,
    run_case,
    table,
)


def random_cases(kinds, number, seed):
    """Yield random cases of each kind on each board."""
    rng = Random(seed)
    for board in BOARDS:
        for kind in kinds:
            all_cases = list(cases([board], [kind], seed))
            yield from rng.sample(all_cases, min(number, len(all_cases)))


def assert_good_rates(results):
    """Fail with details if the rates are too low."""
    right, false = rates(results)
    wrong = [(each.case, each.kinds, each.others) for each in results if not each.right]
    assert right >= MIN_CORRECT, wrong
    assert false <= MAX_FALSE_ALARMS, wrong


FAULTS = [kind for kind in KINDS if kind != HEALTHY]


@pytest.mark.slow
@pytest.mark.parametrize("part", long_after_first(range(18)))
def test_injected_fault_is_found_only_at_its_cell(part):
    # Test each kind on random boards that it fits.
    results = []
    for number, kind in enumerate(FAULTS):
        if number % 18 != part:
            continue
        able = [board for board in BOARDS if any(cases([board], [kind], 1))]
        for board in able[number % 2 :: 3]:
            all_cases = list(cases([board], [kind], 1))
            results.append(run_case(all_cases[7 * number % len(all_cases)]))
    assert_good_rates(results)


@pytest.mark.slow
def test_good_board_has_no_findings():
    assert_good_rates(
        [run_case(Case(board, HEALTHY, 0, seed)) for seed, board in enumerate(("direct-4x4", "hall-5x5"))]
    )


@pytest.mark.slow
def test_slips_cause_no_findings():
    results = [run_case(Case("direct-4x4", HEALTHY, 0, seed, slip_rate=0.05)) for seed in range(4)]
    assert [each.kinds for each in results] == [()] * 4


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2))
def test_faults_are_found_in_a_larger_sample(seed):
    assert_good_rates([run_case(case) for case in random_cases(KINDS, 4, seed)])


def test_table_lists_injected_and_found_faults(capsys, tmp_path):
    record = tmp_path / "results.txt"
    arguments = ["--boards", "direct-4x4", "--kinds", "broken", "--seed", "5", "--record", str(record)]
    assert main(arguments) == 0
    results = capsys.readouterr().out
    assert "broken           65  100.00%  broken chain 64, good 1" in results
    assert record.read_text().startswith(results.partition("\n")[0])


def test_missed_fault_lowers_the_rate():
    results = [run_case(Case("direct-4x4", "colours", "RGB", 1))]
    wrong = [type(results[0])(Case("direct-4x4", HEALTHY, 0), False, ("never",), ("a1", "b1"))]
    ill = [type(results[0])(Case("direct-4x4", "never", "a1"), False, (), ())]
    assert rates(results + ill) == (0.5, 0.0)
    assert rates(wrong)[1] == 2 / 16
    assert "never" in "\n".join(table(results + wrong))


def test_every_kind_has_cases():
    injected = {case.kind for case in cases(BOARDS, KINDS, 1)}
    assert injected == set(KINDS)
    assert set(EXPECTED_KINDS) < injected
