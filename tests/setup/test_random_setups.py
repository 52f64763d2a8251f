"""A sample of `python -m tests.setup.random_setups`."""

import pytest

from tests.setup.random_setups import BOARDS, Run, judge_run, main, run_setup, runs, table


@pytest.mark.slow
@pytest.mark.parametrize(
    ("board", "flaws"),
    [
        ("direct-4x4", ("chatter:b3", "swapped:c3:d1")),
        ("neotrellis-4x4", ("swapped:b2:c4",)),
        pytest.param("direct-4x4", ("stuck-on:a3", "cross-talk:a2"), marks=pytest.mark.long),
        pytest.param("direct-4x4", ("broken:9", "never:a1"), marks=pytest.mark.long),
        pytest.param("hall-5x5", ("dead-chip:b2", "stuck-on:d5"), marks=pytest.mark.long),
        pytest.param("hall-5x5", ("chatter:c3", "noise:a1"), marks=pytest.mark.long),
        pytest.param("simulated-5x5", ("broken:107",), marks=pytest.mark.long),
        pytest.param("matrix-5x5", ("no-diode:b2", "swapped:a1:e5"), marks=pytest.mark.long),
    ],
)
def test_two_faults_are_each_found_at_their_cell(board, flaws):
    _, verdict, wrong = judge_run(Run(board, flaws, 3))
    assert (verdict, wrong) == ("right", [])


@pytest.mark.slow
@pytest.mark.parametrize(
    "board", [pytest.param(board, marks=() if board == "simulated-5x5" else pytest.mark.long) for board in BOARDS]
)
def test_healthy_board_has_no_findings(board):
    found = run_setup(Run(board, (), 5))
    assert {"break", "map", "sensors"} <= {*found}
    assert {each["grade"] for findings in found.values() for each in findings} == {"good"}


@pytest.mark.long
@pytest.mark.parametrize("board", BOARDS)
def test_larger_sample_has_no_false_findings(board):
    results = [judge_run(run) for run in runs([board], 12, 11)]
    assert [each for each in results if each[1] == "false"] == []


@pytest.mark.slow
def test_touch_before_a_question_does_not_answer_it():
    """While d4 is touched, b4 turns out to respond without a touch, so a1 is asked again."""
    _, verdict, wrong = judge_run(Run("owner-4x4", ("chatter:b4", "stuck-on:a2"), 233641))
    assert (verdict, wrong) == ("right", [])


def test_random_faults_are_reproducible():
    first, second = ([run.flaws for run in runs(BOARDS, 20, seed)] for seed in (3, 3))
    assert first == second
    assert {len(flaws) for flaws in first} == {0, 1, 2}
    kinds = {flaw.partition(":")[0] for flaws in first for flaw in flaws}
    assert {"swapped", "broken", "colours", "chatter", "dead-chip"} <= kinds


@pytest.mark.slow
def test_table_has_a_row_per_board_and_fault_count(capsys):
    results = [(Run("direct-4x4", ("never:a1",), 1), "missed", ["never:a1"]), (Run("direct-4x4", (), 1), "right", [])]
    assert [line.split() for line in table(results)][1:] == [
        ["direct-4x4", "0", "1", "1", "0", "0"], ["direct-4x4", "1", "1", "0", "1", "0"],
    ]  # fmt: skip
    assert main(["--boards", "direct-4x4", "--runs", "1", "--seed", "2"]) == 0
    assert capsys.readouterr().out.startswith("board            faults")
