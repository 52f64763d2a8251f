"""Lamps shown one after the other, where a chain is broken, and how bright it is to be."""

from math import ceil, log2

import pytest

from pond_hw.board import Sample
from pond_hw.messages.message import Message
from pond_hw.profile import load_profile
from pond_hw.rules import get_grid
from pond_hw.setup.findings import FAULT, GOOD
from pond_hw.setup.lamp_places import cell_lamps, name_lamp, usable_lamps
from pond_hw.setup.lamp_steps import LEVELS, BreakSearch, BrightnessStep, LampTest
from pond_hw.setup.step import StepReply, StepTick
from tests.setup.pages import asked

SMALL, FOURS = load_profile("direct-4x4"), load_profile("hall-4x4")


def touched(step, at, cell=5):
    """The step after somebody has touched a cell."""
    size = step.profile.size**2
    for after, down in ((0.0, ()), (0.1, (cell,)), (0.4, ())):
        step = step.after(Sample(tuple(int(n in down) for n in range(size)), at + after))
    return step.after(StepTick(at + 0.6))


def test_every_lamp_is_shown_once_along_the_chain():
    step, seen = LampTest.one_by_one(FOURS), []
    while not step.result:
        seen.append(tuple(step.lit_lamps))
        step = step.after(StepReply("n", 0.0))
    assert seen == [(place,) for place in range(64)]
    assert step.result.findings == ()
    assert step.lit_lamps == {}


def test_rows_come_from_the_top_and_cells_from_a1():
    assert set(LampTest.by_row(FOURS).lit_lamps) == {
        place for cell in get_grid(4).cells[12:] for place in cell_lamps(FOURS, cell)
    }
    assert asked(LampTest.by_row(FOURS))[0] == Message("lamp_walk.lit", shown=Message("lamp.row", row="4"))
    assert set(LampTest.by_cell(FOURS).lit_lamps) == set(cell_lamps(FOURS, "a1"))


def test_what_is_not_as_it_should_be_is_told_with_its_cells():
    step = LampTest.by_cell(SMALL).after(StepReply("n", 0.0)).after(StepReply("x", 0.0))
    assert step.page.drawing == (Message("lamp_walk.wrong", shown=Message("lamp.one_cell", cell="b1")),)
    step = step.after(StepReply("b", 0.0)).after(StepReply("x", 0.0))
    while not step.result:
        step = step.after(StepReply("n", 0.0))
    (finding,) = step.result.findings
    assert (finding.grade, finding.kind, finding.cells) == (FAULT, "lamp", ("b1",))
    assert finding.message == Message("lamp_walk.not_seen", shown=Message("lamp.one_cell", cell="b1"))


def test_a_touch_goes_on():
    step = touched(LampTest.by_cell(SMALL), 0.0)
    assert step.number == 1
    assert touched(step, 2.0).number == 2


@pytest.mark.parametrize("profile", [SMALL, FOURS], ids=lambda profile: profile.name)
def test_where_a_chain_is_broken_is_found_in_few_questions(profile):
    places = usable_lamps(profile)
    for lamps in range(len(places) + 1):
        step = BreakSearch(profile)
        while not step.result:
            (place,) = step.lit_lamps
            step = step.after(StepReply("y" if place in places[:lamps] else "n", 1.0))
        (finding,) = step.result.findings
        assert step.asked <= ceil(log2(len(places) + 1))
        if lamps == len(places):
            assert (finding.grade, finding.kind) == (GOOD, "chain")
            assert finding.message == Message("lamp_break.all_good", lamps=lamps, questions=step.asked)
        else:
            assert (finding.grade, finding.kind) == (FAULT, "broken chain")
            assert finding.figures["place"] == places[lamps]
            lamp = name_lamp(profile, places[lamps])
            assert finding.message == Message("lamp_break.dark_from", lamp=lamp)
            before = {"before": name_lamp(profile, places[lamps - 1])} if lamps else {}
            case = "between" if lamps else "first"
            assert finding.cause == Message(f"lamp_break.cause.{case}", **before, lamp=lamp)
            assert finding.cure.id == f"lamp_break.cure.{case}"


def test_a_chain_that_is_broken_names_every_cell_behind_the_break():
    step = BreakSearch(SMALL)
    while not step.result:
        (place,) = step.lit_lamps
        step = step.after(StepReply("y" if place < 12 else "n", 1.0))
    dark = {cell for cell in get_grid(4).cells if cell_lamps(SMALL, cell)[0] >= 12}
    assert set(step.result.findings[0].cells) == dark


def test_a_touch_is_a_yes_and_silence_is_no_answer():
    step = BreakSearch(SMALL).after(Sample((0,) * 16, 0.0))
    yes = touched(step, 1.0)
    assert (yes.asked, yes.low, yes.high) == (1, 9, 16)
    for at in (9.0, 3600.0):
        yes.after(StepTick(at))
        assert (yes.asked, yes.low, yes.high) == (1, 9, 16)
    assert yes.due > 3600.0
    no = yes.after(StepReply("n", 3600.0))
    assert (no.asked, no.low, no.high) == (2, 9, 12)


def test_who_looks_for_a_lamp_of_a_score_strip_is_told_where_that_is():
    big = load_profile("simulated-5x5")
    step = BreakSearch(big)
    while not step.result and step.low < 100:
        step = step.after(StepReply("y", 1.0))
    (place,) = step.lit_lamps
    assert place == 113
    asks, hint, _ = asked(step)
    assert asks == Message("lamp_break.ask", lamp=Message("lamp.strip.dark", place=113, point=7))
    assert hint == Message("lamp.look_at.dark")


def test_brightness_is_changed_between_its_ends_and_kept_if_it_is_wanted():
    step = BrightnessStep(SMALL)
    step.after(StepReply("-", 0.0))
    assert step.level == 0
    dim = max(max(colour) for colour in step.lit_lamps.values())
    for _ in range(20):
        step = step.after(StepReply("+", 0.0))
    assert LEVELS[step.level] == 1.0
    assert max(max(colour) for colour in step.lit_lamps.values()) > dim
    kept = step.after(StepReply("y", 0.0)).result
    assert (kept.changes, kept.log_line) == ({"lamps.brightness": 1.0}, "lamps: brightness 100%")


def test_a_brightness_that_is_not_kept_is_no_change():
    assert BrightnessStep(SMALL).after(StepReply("+", 0.0)).after(StepReply("n", 0.0)).result.changes == {}


def test_a_brightness_that_is_the_profiles_is_no_change():
    step = BrightnessStep(SMALL)
    while LEVELS[step.level] != SMALL.chain.brightness:
        step = step.after(StepReply("+", 0.0))
    assert step.after(StepReply("y", 0.0)).result.changes == {}
