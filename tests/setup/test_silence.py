"""Somebody begins a step and goes to the kitchen: on a healthy board nothing is called faulty, whatever the step."""

import pytest

from pond_hw.board import Sample
from pond_hw.profile import load_profile
from pond_hw.rules import get_grid
from pond_hw.setup import wizard
from pond_hw.setup.findings import FAULT
from pond_hw.setup.step import StepTick
from pond_hw.setup.wizard import SetupWizard
from tests.setup.by_lines import sitting

BOARDS = ("direct-4x4", "matrix-5x5", "hall-5x5")
STEPS = [(board, kind.name) for board in BOARDS for kind in wizard.STEPS.values() if kind.fits(load_profile(board))]
AT_ONCE = {("matrix-5x5", "sensors"), ("hall-5x5", "calibrate")}
STEPS = [
    each if each[0] == "direct-4x4" or each in AT_ONCE else pytest.param(*each, marks=pytest.mark.long)
    for each in STEPS
]


@pytest.mark.parametrize(("board", "step"), STEPS)
def test_on_a_screen_every_step_waits_for_an_answer(board, step):
    with sitting(board) as table:
        before = table.says({"step": step}, {"wait": 7})
        table.says({"wait": 12}, {"wait": 24})
        assert (table.page["step"], table.page["asks"]) == (step, before["asks"])
        assert table.results == {}


@pytest.mark.parametrize("board", ["direct-4x4", "hall-4x4", "matrix-5x5"])
def test_by_the_lamps_alone_a_board_that_nobody_answers_is_not_examined(board):
    profile = load_profile(board)
    cells = get_grid(profile.size).cells
    at, tour = 0.0, SetupWizard(profile).guided(0.0)
    for corner in (None, 0, None, profile.size - 1, None):  # both corners, and then the telephone rings
        tour = tour.after(Sample(tuple(int(n == corner) for n in range(len(cells))), at))
        at += 0.5
        tour = tour.after(StepTick(at))
    while tour.name != "shown":
        at = tour.due
        tour = tour.after(StepTick(at))
        tour = tour.settled(profile, (), at)
    assert at < 3600.0
    assert {each.kind for result in tour.results.values() for each in result.findings} == {"not examined"}
    assert FAULT not in {each.grade for result in tour.results.values() for each in result.findings}
