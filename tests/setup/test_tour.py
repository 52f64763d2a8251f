"""The menu of set-up, its steps one after the other, and what is told of them."""

from dataclasses import replace

import pytest

from pond_hw.board import HealthEvent, Sample
from pond_hw.profile import load_profile
from pond_hw.rules import PondError, get_grid
from pond_hw.setup.findings import FAULT, GOOD, WARNING, SetupFinding
from pond_hw.setup.result_pages import RESULT_COLUMNS, RESULT_LINES, ResultPages
from pond_hw.setup.step import StepReply, StepResult, StepTick
from pond_hw.setup.wizard import GUIDE, KINDS, SetupWizard, begin_step

PROFILE = load_profile("direct-4x4")
REST = Sample((0,) * 16, 0.5)


class Done:
    """A step that is done."""

    def __init__(self, *findings, **changes):
        self.result = StepResult(findings, changes)


@pytest.fixture
def tour():
    return SetupWizard(PROFILE).after(REST)


def choices(tour):
    return [choice.key for choice in tour.page.choices]


@pytest.mark.parametrize("board", ["direct-4x4", "hall-5x5", "simulated-4x4"])
def test_every_step_of_the_menu_begins_by_its_key_and_is_left_by_q(board):
    profile = load_profile(board)
    tour = SetupWizard(profile)
    keys = [key for key in choices(tour) if key != "q"]
    assert keys == [kind.key for kind in KINDS if kind.fits(profile)]
    for key in keys:
        begun = tour.after(StepReply(key, 1.0))
        assert begun.step
        assert "q" in choices(begun), begun.name
        assert len(begun.page.lines) <= 16
        left = begun.after(StepReply("q", 2.0))
        settled = left.settled(profile, "", 2.0) if left.finished else left
        assert (settled.step, settled.over, settled.results.get("map")) == (None, False, None)
    assert tour.after(StepReply("q", 1.0)).over


def test_a_new_board_with_linear_halls_is_calibrated_after_its_wires_are_known(tour):
    assert "4, 6, 7 and 8, in this order" in tour.page.prompt
    assert "4, 6, 9, 7 and 8, in this order" in SetupWizard(load_profile("hall-5x5")).page.prompt


def test_what_is_no_answer_changes_nothing(tour):
    before = replace(tour)
    assert tour.after(StepReply("x", 1.0)) == before
    assert tour.after(StepTick(1.0)) == before


def test_who_leaves_a_step_is_told_that_nothing_has_changed(tour):
    left = tour.after(StepReply("6", 1.0)).after(StepReply("q", 2.0))
    assert left.page.lines[-1] == "The step map was left; nothing has changed."


@pytest.mark.parametrize(
    ("step", "cells", "words"),
    [
        ("nope", (), "There is no step 'nope'. There are lamps,"),
        ("n" * 50, (), "There is no step 'nnnnnnnnnnnnnnnnnnnn'."),
        ("sensors", ("e5",), "e5 is not a cell of this 4x4 board."),
        ("map", ("b2",), "The step map is for the whole board; by cell there are sensors, calibrate."),
        ("calibrate", (), "The step calibrate is for linear hall sensors, and direct-4x4 has none."),
    ],
)
def test_what_cannot_be_done_is_said(tour, step, cells, words):
    with pytest.raises(PondError, match=words.replace("(", r"\(")):
        tour.begin(step, 1.0, cells)


def test_a_cell_that_is_named_twice_is_done_once():
    assert begin_step(PROFILE, "sensors", 0.0, ("b2", "c3", "b2")).queue == ("b2", "c3")


@pytest.mark.parametrize("name", GUIDE)
def test_a_step_knows_from_the_beginning_what_the_sensors_said_last(tour, name):
    """They say nothing again until something changes: else the first touch would be taken for what was always there."""
    for each in (tour.begin(name, 1.0), tour.guided(1.0)):
        assert each.step.fingers.raw_levels if each.name == "map" else each.step.heard.last


def test_what_was_read_by_another_wiring_is_forgotten(tour):
    assert replace(tour, step=Done(), name="map").settled(PROFILE, "", 1.0).latest == REST
    other = replace(PROFILE, title="other")
    assert replace(tour, step=Done(), name="map").settled(other, "", 1.0).latest is None


def test_after_a_step_its_findings_are_told_until_somebody_goes_on(tour):
    bad = SetupFinding(FAULT, "never", ("b2",), "b2 said nothing.", "Its wire is off.", "Solder it.")
    told = replace(tour, step=Done(bad, SetupFinding(GOOD, "good", ("a1",))), name="sensors").settled(
        PROFILE, "Saved.", 3.0
    )
    text = "\n".join(told.page.lines)
    for part in ("1 fault, 1 good cell.", "Saved.", "X b2 said nothing.", "    Its wire is off.", "2  .   X"):
        assert part in text
    assert told.results["sensors"].findings[0] == bad
    menu = told.after(StepReply("q", 4.0)).settled(PROFILE, "", 4.0)
    assert menu.step is None
    assert any("sensors" in line and line.endswith("1 fault") for line in menu.page.lines)


def test_from_there_the_step_is_done_again_for_one_cell_or_for_all(tour):
    def told():
        return replace(tour, step=Done(SetupFinding(GOOD, "good", ("a1",))), name="sensors").settled(PROFILE, "", 3.0)

    one = told().after(StepReply("c3", 4.0)).settled(PROFILE, "", 4.0)
    assert (one.name, one.step.queue) == ("sensors", ("c3",))
    every = told().after(StepReply("r", 4.0)).settled(PROFILE, "", 4.0)
    assert every.step.queue == get_grid(4).cells
    assert told().after(StepReply("e5", 4.0)).finished is None


def test_a_step_for_the_whole_board_is_not_offered_by_cell(tour):
    told = replace(tour, step=Done(SetupFinding(WARNING, "colours")), name="map").settled(PROFILE, "", 3.0)
    assert choices(told) == ["r", "q"]
    assert told.after(StepReply("c3", 4.0)).finished is None


def test_a_step_that_found_nothing_leads_to_the_menu_and_its_note(tour):
    menu = replace(tour, step=Done(), name="bright").settled(PROFILE, "Saved.", 1.0)
    assert menu.step is None
    assert menu.page.lines[-1] == "Saved."
    assert any("bright" in line and line.endswith("good") for line in menu.page.lines)


def test_many_findings_are_told_on_pages_that_fit_and_none_is_torn():
    said = "what was measured of it was this and that and a third thing, and it went on for longer than a line."
    cells = get_grid(5).cells
    findings = tuple(
        SetupFinding(FAULT, "never", (cell,), f"{cell}: {said * (number % 5)}", "A cause.", f"Mend {cell}.")
        for number, cell in enumerate(cells)
    )
    told, seen = ResultPages(load_profile("matrix-5x5"), "sensors", findings), ""
    for number in range(40):
        page = told.page
        assert len(page.lines) <= RESULT_LINES
        assert max(map(len, page.lines)) <= RESULT_COLUMNS
        starts = [line for line in page.lines if line.startswith("X ")]
        assert [line for line in page.lines if "Mend" in line] == [f"    Mend {line[2:4]}." for line in starts]
        seen += "\n".join(page.lines)
        assert ("b" in dict(page.choices)) == (number > 0)
        if "n" not in dict(page.choices):
            break
        told = told.after(StepReply("n", 1.0))
    assert all(f"Mend {cell}." in seen for cell in get_grid(5).cells)
    last = told.page
    assert told.after(StepReply("n", 1.0)).page == last
    assert told.after(StepReply("b", 1.0)).page.lines != last.lines


def test_by_the_lamps_alone_the_steps_follow_and_what_was_found_is_shown(tour):
    now = tour.guided(1.0)
    assert now.name == "map"
    now = replace(now, step=Done()).settled(PROFILE, "", 2.0)
    assert now.name == "sensors"
    bad = SetupFinding(FAULT, "never", ("b2",))
    now = replace(now, step=Done(bad)).settled(PROFILE, "", 3.0)
    assert now.name == "shown"
    assert now.step.findings == (bad,)
    assert now.step.fingers.raw_levels  # so that the first touch counts
    now = now.after(StepReply("q", 4.0)).settled(PROFILE, "", 4.0)
    assert now.over
    assert {name: result.findings for name, result in now.results.items()} == {"map": (), "sensors": (bad,)}


def test_who_leaves_while_the_lamps_lead_has_left_all_of_it(tour):
    assert tour.guided(1.0).after(StepReply("q", 2.0)).over


def test_a_step_that_begins_on_a_board_that_is_not_reached_says_so_at_once(tour):
    dead = tour.after(HealthEvent("The sensors do not answer.", 1.0))
    assert dead.begin("live", 2.0).page.prompt == "The sensors do not answer."
    assert dead.after(HealthEvent(None, 3.0)).begin("live", 4.0).page.prompt != "The sensors do not answer."
