"""A sample of `python -m tests.setup.diagnosis`."""

from random import Random

import pytest

from tests.conftest import first_now_rest_long
from tests.setup.diagnosis import BOARDS, FALSE, HEALTHY, KINDS, RIGHT, TOLD_AS, Case, cases, main, rates, table, tried


def some(kinds, number, seed):
    """Yield random cases of each kind on each board."""
    chance = Random(seed)
    for board in BOARDS:
        for kind in kinds:
            there_are = list(cases([board], [kind], seed))
            yield from chance.sample(there_are, min(number, len(there_are)))


def judged(told):
    """Fail with the details if the rates are too low."""
    right, false = rates(told)
    wrong = [(each.case, each.kinds, each.others) for each in told if not each.right]
    assert right >= RIGHT, wrong
    assert false <= FALSE, wrong


FAULTS = [kind for kind in KINDS if kind != HEALTHY]


@pytest.mark.slow
@pytest.mark.parametrize("part", first_now_rest_long(range(18)))
def test_injected_fault_is_found_only_at_its_cell(part):
    # Each kind on some of its boards.
    told = []
    for number, kind in enumerate(FAULTS):
        if number % 18 != part:
            continue
        able = [board for board in BOARDS if any(cases([board], [kind], 1))]
        for board in able[number % 2 :: 3]:
            there_are = list(cases([board], [kind], 1))
            told.append(tried(there_are[7 * number % len(there_are)]))
    judged(told)


@pytest.mark.slow
def test_good_board_has_no_findings():
    judged([tried(Case(board, HEALTHY, 0, seed)) for seed, board in enumerate(("direct-4x4", "hall-5x5"))])


@pytest.mark.slow
def test_slips_cause_no_findings():
    told = [tried(Case("direct-4x4", HEALTHY, 0, seed, errs=0.05)) for seed in range(4)]
    assert [each.kinds for each in told] == [()] * 4


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2))
def test_larger_sample(seed):
    judged([tried(case) for case in some(KINDS, 4, seed)])


def test_table_lists_injected_and_found_faults(capsys, tmp_path):
    record = tmp_path / "told.txt"
    arguments = ["--boards", "direct-4x4", "--kinds", "broken", "--seed", "5", "--record", str(record)]
    assert main(arguments) == 0
    told = capsys.readouterr().out
    assert "broken           17  100.00%  broken chain 16, good 1" in told
    assert record.read_text().startswith(told.partition("\n")[0])


def test_missed_fault_lowers_the_rate():
    told = [tried(Case("direct-4x4", "colours", "RGB", 1))]
    wrong = [type(told[0])(Case("direct-4x4", HEALTHY, 0), False, ("never",), ("a1", "b1"))]
    ill = [type(told[0])(Case("direct-4x4", "never", "a1"), False, (), ())]
    assert rates(told + ill) == (0.5, 0.0)
    assert rates(wrong)[1] == 2 / 16
    assert "never" in "\n".join(table(told + wrong))


def test_every_kind_has_cases():
    planted = {case.kind for case in cases(BOARDS, KINDS, 1)}
    assert planted == set(KINDS)
    assert set(TOLD_AS) < planted
