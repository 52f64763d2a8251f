"""What was found, by rhythm alone: steady, slow, twice."""

import pytest

from pond_hw.board import Sample
from pond_hw.profile import load_profile
from pond_hw.rules import get_grid
from pond_hw.setup.findings import FAULT, GOOD, WARNING, SetupFinding
from pond_hw.setup.lamp_places import cell_lamps
from pond_hw.setup.step import StepReply, StepTick
from pond_hw.setup.wizard import BEAT, LampResult

PROFILE = load_profile("matrix-5x5")
CELLS = get_grid(5).cells


def shown(*findings):
    return LampResult(PROFILE, findings, 10.0).after(Sample((0,) * 25, 10.0))


def rhythm(shown, cell):
    """Sixteen beats of a cell: two rounds."""
    beats = ""
    for _ in range(16):
        places = cell_lamps(PROFILE, cell)
        assert len({place in shown.lit_lamps for place in places}) == 1  # all of a cell or nothing of it
        beats += "#" if places[0] in shown.lit_lamps else "."
        assert shown.due - shown.at <= BEAT + 1e-6
        shown = shown.after(StepTick(shown.due))
    return beats


GOOD_ONE = SetupFinding(GOOD, "good", ("a1",))


@pytest.mark.parametrize(
    ("finding", "beats"),
    [
        (GOOD_ONE, "#" * 16),
        (SetupFinding(WARNING, "noise", ("a1",)), "####....####...."),
        (SetupFinding(FAULT, "never", ("a1",)), "#.#.....#.#....."),
    ],
    ids=lambda value: getattr(value, "grade", ""),
)
def test_each_grade_has_a_rhythm_of_its_own(finding, beats):
    assert rhythm(shown(finding), "a1") == beats


def test_nothing_blinks_more_than_three_times_a_second():
    assert 1 / (2 * BEAT) <= 3


def test_what_was_not_asked_stays_dark():
    assert rhythm(shown(GOOD_ONE), "b1") == "." * 16


@pytest.mark.parametrize("worst_first", [True, False])
def test_of_a_cell_the_worst_is_shown(worst_first):
    findings = [SetupFinding(FAULT, "never", ("a1",)), SetupFinding(WARNING, "noise", ("a1",)), GOOD_ONE]
    assert rhythm(shown(*(findings if worst_first else findings[::-1])), "a1").startswith("#.#.")


def test_a_cell_that_another_one_answers_for_is_not_blamed():
    talk = SetupFinding(FAULT, "cross-talk", ("b1", "a1"))
    assert rhythm(shown(talk, GOOD_ONE), "a1") == "#" * 16
    assert rhythm(shown(talk, GOOD_ONE), "b1").startswith("#.#.")


def test_a_chip_that_is_dead_is_shown_on_all_its_cells():
    dead = shown(SetupFinding(FAULT, "dead chip", CELLS[:16]))
    assert {cell for cell in CELLS if rhythm(dead, cell).startswith("#.#.")} == set(CELLS[:16])


def test_a_fault_of_the_whole_board_is_shown_everywhere_and_what_is_good_of_it_nowhere():
    assert {rhythm(shown(SetupFinding(FAULT, "not reached")), cell)[:4] for cell in CELLS} == {"#.#."}
    assert {rhythm(shown(SetupFinding(GOOD, "chain")), cell) for cell in CELLS} == {"." * 16}


def test_a_touch_anywhere_goes_on_even_the_first_one():
    now = shown(GOOD_ONE)
    down = Sample(tuple(int(cell == "c3") for cell in CELLS), 12.0)
    now = now.after(down).after(StepTick(12.2))
    assert now.result is None
    now = now.after(Sample((0,) * 25, 12.3)).after(StepTick(12.5))
    assert now.result
    assert not now.result.findings
    assert now.due == float("inf")


def test_a_face_may_go_on_too():
    assert shown(GOOD_ONE).after(StepReply("q", 11.0)).result
    assert shown(GOOD_ONE).after(StepReply("x", 11.0)).result is None
