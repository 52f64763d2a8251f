"""Tests of the wizard: menu, order of steps, result pages."""

from dataclasses import replace

import pytest

from pond_hw.board import HealthEvent, Sample
from pond_hw.messages.catalogue import Catalogue, get_catalogue
from pond_hw.messages.message import Message, as_message
from pond_hw.profile import load_profile
from pond_hw.rules import PondError, get_grid
from pond_hw.setup.findings import FAULT, GOOD, WARNING, SetupFinding, find_remedy
from pond_hw.setup.lamp_positions import cell_lamps
from pond_hw.setup.pages import Paragraph, show_page
from pond_hw.setup.step import StepReply, StepResult, StepTick
from pond_hw.setup.step_table import GUIDED_STEPS, STEPS, begin_step
from pond_hw.setup.wizard import BEAT, LampResult, SetupWizard
from tests.setup.setup_session import open_session
from tests.setup.simulated_user import page_text

PROFILE = load_profile("direct-4x4")
REST = Sample((0,) * 16, 0.5)


class Done:
    """A step that is already finished."""

    def __init__(self, *findings, **changes):
        self.result = StepResult(findings, changes)


@pytest.fixture
def wizard():
    return SetupWizard(PROFILE).after(REST)


SAVED = Message("setup.saved_for_now")


def summary(wizard, step):
    """Return the summary of a result in the menu."""
    (menu,) = wizard.page.drawing
    return next(row[-1] for row in menu.rows if row[1] == Message(f"step_name.{step}"))


def choices(wizard):
    return [choice.key for choice in wizard.page.choices]


def test_every_step_begins_in_one_language(monkeypatch):
    read = set()

    def find_entry(self, *entry, find=Catalogue._find_entry):
        read.add(self.language)
        return find(self, *entry)

    monkeypatch.setattr(Catalogue, "_find_entry", find_entry)
    for board in ("direct-4x4", "matrix-5x5", "hall-5x5"):
        menu = SetupWizard(load_profile(board))
        for key in choices(menu):
            show_page(menu.page, get_catalogue("nl"))
            show_page(menu.after(StepReply(key, 1.0)).page, get_catalogue("nl"))
    assert read == {"nl"}


@pytest.mark.parametrize("board", ["direct-4x4", "hall-5x5", "simulated-4x4"])
def test_menu_keys_begin_steps_and_q_leaves_them(board):
    profile = load_profile(board)
    wizard = SetupWizard(profile)
    keys = [key for key in choices(wizard) if key != "q"]
    assert keys == [kind.key for kind in STEPS.values() if kind.fits(profile)]
    for key in keys:
        begun = wizard.after(StepReply(key, 1.0))
        assert begun.step
        assert "q" in choices(begun), begun.name
        assert len(page_text(begun).lines) <= 16
        left = begun.after(StepReply("q", 2.0))
        settled = left.finish_step(profile, (), 2.0) if left.finished else left
        assert (settled.step, settled.over, settled.results.get("map")) == (None, False, None)
    assert wizard.after(StepReply("q", 1.0)).over


def test_linear_halls_are_calibrated_after_wiring(wizard):
    assert wizard.page.prompt == Message("setup.which_step", steps=("4", "6", "7", "8"))
    linear = SetupWizard(load_profile("hall-5x5"))
    assert linear.page.prompt == Message("setup.which_step", steps=("4", "6", "9", "7", "8", "k"))


def test_unknown_reply_changes_nothing(wizard):
    before = replace(wizard)
    assert wizard.after(StepReply("x", 1.0)) == before
    assert wizard.after(StepTick(1.0)) == before


def test_leaving_a_step_reports_no_change(wizard):
    left = wizard.after(StepReply("6", 1.0)).after(StepReply("q", 2.0))
    assert left.page.text == (Message("steps.left", step="map"),)


@pytest.mark.parametrize(
    ("step", "cells", "message"),
    [
        ("nope", (), Message("steps.unknown", step="nope", steps=tuple(STEPS))),
        ("n" * 50, (), Message("steps.unknown", step="n" * 20, steps=tuple(STEPS))),
        ("sensors", ("e5",), Message("steps.unknown_cell", cell="e5", size=4)),
        ("map", ("b2",), Message("steps.whole_board", step="map", steps=("sensors", "calibrate"))),
        ("calibrate", (), Message("steps.needs_linear", step="calibrate", board="direct-4x4")),
        ("signal", ("b2",), Message("steps.whole_board", step="signal", steps=("sensors", "calibrate"))),
    ],
)
def test_impossible_requests_are_reported(wizard, step, cells, message):
    with pytest.raises(PondError) as caught:
        wizard.begin(step, 1.0, cells)
    assert caught.value.message == message


def test_self_debouncing_board_has_no_timing_step():
    profile = load_profile("usb-direct-4x4")
    assert "timing" not in [kind.name for kind in STEPS.values() if kind.fits(profile)]
    with pytest.raises(PondError) as caught:
        begin_step(profile, "timing", 0.0)
    assert caught.value.message == Message("steps.needs_raw", step="timing", board="usb-direct-4x4")


def test_duplicate_cell_is_tested_once():
    assert begin_step(PROFILE, "sensors", 0.0, ("b2", "c3", "b2")).queue == ("b2", "c3")


@pytest.mark.parametrize("name", [name for name in GUIDED_STEPS if STEPS[name].fits(PROFILE)])
def test_new_step_gets_the_latest_sample(wizard, name):
    """Without it, the first touch would look like a sensor that is stuck from the start."""
    for each in (wizard.begin(name, 1.0), wizard.begin_guided(1.0)):
        assert each.step.detector.raw_levels if each.name == "map" else each.step.log.last


def test_changed_wiring_drops_the_latest_sample(wizard):
    assert replace(wizard, step=Done(), name="map").finish_step(PROFILE, (), 1.0).latest == REST
    other = replace(PROFILE, title="other")
    assert replace(wizard, step=Done(), name="map").finish_step(other, (), 1.0).latest is None


def test_findings_are_shown_until_the_user_continues(wizard):
    bad = SetupFinding(
        FAULT, "never", ("b2",), Message("calibrate.take_off", cell="b2"), *find_remedy("never", "button")
    )
    results = replace(wizard, step=Done(bad, SetupFinding(GOOD, "good", ("a1",))), name="sensors").finish_step(
        PROFILE, (SAVED,), 3.0
    )
    assert results.page.text == (
        Paragraph((Message("results.faults", count=1), Message("results.good_cells", count=1))),
        SAVED,
        Paragraph((bad.message,), "X", (bad.cause, bad.cure)),
    )
    assert any("2  .   X" in line for line in results.page.drawing)
    assert results.results["sensors"].findings[0] == bad
    menu = results.after(StepReply("q", 4.0)).finish_step(PROFILE, (), 4.0)
    assert menu.step is None
    assert summary(menu, "sensors") == Message("came_of_step.fault", count=1)


def test_results_offer_the_step_again(wizard):
    def results():
        return replace(wizard, step=Done(SetupFinding(GOOD, "good", ("a1",))), name="sensors").finish_step(
            PROFILE, (), 3.0
        )

    one = results().after(StepReply("c3", 4.0)).finish_step(PROFILE, (), 4.0)
    assert (one.name, one.step.queue) == ("sensors", ("c3",))
    every = results().after(StepReply("r", 4.0)).finish_step(PROFILE, (), 4.0)
    assert every.step.queue == get_grid(4).cells
    assert results().after(StepReply("e5", 4.0)).finished is None


def test_whole_board_step_is_not_offered_by_cell(wizard):
    results = replace(wizard, step=Done(SetupFinding(WARNING, "colours")), name="map").finish_step(PROFILE, (), 3.0)
    assert choices(results) == ["r", "q"]
    assert results.after(StepReply("c3", 4.0)).finished is None


def test_step_without_findings_returns_to_the_menu(wizard):
    menu = replace(wizard, step=Done(), name="bright").finish_step(PROFILE, (SAVED,), 1.0)
    assert menu.step is None
    assert menu.page.text == (SAVED,)
    assert summary(menu, "bright").id == "came_of_step.good"


def test_findings_are_listed_in_order_below_the_grid(wizard):
    cells = get_grid(4).cells
    findings = tuple(
        SetupFinding(FAULT, "never", (cell,), Message("calibrate.take_off", cell=cell), *find_remedy("never", "button"))
        for cell in cells
    )
    results = replace(wizard, step=Done(*findings), name="sensors").finish_step(PROFILE, (), 3.0)
    _, *paragraphs = results.page.text
    assert [paragraph.messages for paragraph in paragraphs] == [(finding.message,) for finding in findings]
    first = page_text(results)
    assert first.choices[0].key == "m"
    second = page_text(results.after(StepReply("m", 4.0)))
    assert first.lines[:5] == second.lines[:5] == results.page.drawing
    assert first.lines != second.lines
    assert results.finished is None


def test_guided_steps_follow_and_show_findings(wizard):
    now = wizard.begin_guided(1.0)
    assert now.name == "map"
    now = replace(now, step=Done()).finish_step(PROFILE, (), 2.0)
    assert now.name == "sensors"
    bad = SetupFinding(FAULT, "never", ("b2",))
    now = replace(now, step=Done(bad)).finish_step(PROFILE, (), 3.0)
    assert now.name == "shown"
    assert now.step.findings == (bad,)
    assert now.step.detector.raw_levels  # so the first touch counts
    now = now.after(StepReply("q", 4.0)).finish_step(PROFILE, (), 4.0)
    assert now.over
    assert {name: result.findings for name, result in now.results.items()} == {"map": (), "sensors": (bad,)}


def test_leaving_a_guided_step_ends_setup(wizard):
    assert wizard.begin_guided(1.0).after(StepReply("q", 2.0)).over


def test_step_on_an_unreachable_board_reports_it(wizard):
    dead = wizard.after(HealthEvent(as_message("The sensors do not answer."), 1.0))
    assert dead.begin("live", 2.0).page.prompt == as_message("The sensors do not answer.")
    assert dead.after(HealthEvent(None, 3.0)).begin("live", 4.0).page.prompt == Message("live.watch")


FIVE = load_profile("matrix-5x5")
CELLS = get_grid(5).cells


def lamp_result(*findings):
    return LampResult(FIVE, findings, 10.0).after(Sample((0,) * 25, 10.0))


def rhythm(shown, cell):
    """Return sixteen beats (two rounds) of a cell."""
    beats = ""
    for _ in range(16):
        positions = cell_lamps(FIVE, cell)
        assert len({position in shown.lit_lamps for position in positions}) == 1  # all lamps of a cell together
        beats += "#" if positions[0] in shown.lit_lamps else "."
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
def test_each_grade_has_its_own_rhythm(finding, beats):
    assert rhythm(lamp_result(finding), "a1") == beats


def test_blinking_stays_below_three_times_a_second():
    assert 1 / (2 * BEAT) <= 3


def test_unexamined_cells_stay_dark():
    assert rhythm(lamp_result(GOOD_ONE), "b1") == "." * 16


@pytest.mark.parametrize("worst_first", [True, False])
def test_worst_finding_of_a_cell_is_shown(worst_first):
    findings = [SetupFinding(FAULT, "never", ("a1",)), SetupFinding(WARNING, "noise", ("a1",)), GOOD_ONE]
    assert rhythm(lamp_result(*(findings if worst_first else findings[::-1])), "a1").startswith("#.#.")


def test_answering_cell_is_not_blamed():
    talk = SetupFinding(FAULT, "cross-talk", ("b1", "a1"))
    assert rhythm(lamp_result(talk, GOOD_ONE), "a1") == "#" * 16
    assert rhythm(lamp_result(talk, GOOD_ONE), "b1").startswith("#.#.")


def test_dead_chip_is_shown_on_all_its_cells():
    dead = lamp_result(SetupFinding(FAULT, "dead chip", CELLS[:16]))
    assert {cell for cell in CELLS if rhythm(dead, cell).startswith("#.#.")} == set(CELLS[:16])


def test_fault_of_the_whole_board_is_shown_on_all_cells():
    assert {rhythm(lamp_result(SetupFinding(FAULT, "not reached")), cell)[:4] for cell in CELLS} == {"#.#."}
    assert {rhythm(lamp_result(SetupFinding(GOOD, "chain")), cell) for cell in CELLS} == {"." * 16}


def test_any_touch_ends_the_lamp_result():
    now = lamp_result(GOOD_ONE)
    down = Sample(tuple(int(cell == "c3") for cell in CELLS), 12.0)
    now = now.after(down).after(StepTick(12.2))
    assert now.result is None
    now = now.after(Sample((0,) * 25, 12.3)).after(StepTick(12.5))
    assert now.result
    assert not now.result.findings
    assert now.due == float("inf")


def test_key_ends_the_lamp_result():
    assert lamp_result(GOOD_ONE).after(StepReply("q", 11.0)).result
    assert lamp_result(GOOD_ONE).after(StepReply("x", 11.0)).result is None


BOARDS = ("direct-4x4", "matrix-5x5", "hall-5x5")
WAITING_STEPS = [(board, kind.name) for board in BOARDS for kind in STEPS.values() if kind.fits(load_profile(board))]
AT_ONCE = {("matrix-5x5", "sensors"), ("hall-5x5", "calibrate")}
WAITING_STEPS = [
    each if each[0] == "direct-4x4" or each in AT_ONCE else pytest.param(*each, marks=pytest.mark.long)
    for each in WAITING_STEPS
]


@pytest.mark.parametrize(("board", "step"), WAITING_STEPS)
def test_untimed_steps_wait_for_an_answer(board, step):
    with open_session(board) as table:
        before = table.send({"step": step}, {"wait": 7})
        table.send({"wait": 12}, {"wait": 24})
        assert (table.page["step"], table.page["asks"]) == (step, before["asks"])
        assert table.results == {}


@pytest.mark.parametrize("board", ["direct-4x4", "hall-4x4", "matrix-5x5", "usb-hall-4x4"])
def test_guided_board_without_answers_is_not_examined(board):
    profile = load_profile(board)
    cells = get_grid(profile.size).cells
    at, wizard = 0.0, SetupWizard(profile).begin_guided(0.0)
    for corner in (None, 0, None, profile.size - 1, None):  # both corners, then no more answers
        wizard = wizard.after(Sample(tuple(int(n == corner) for n in range(len(cells))), at))
        at += 0.5
        wizard = wizard.after(StepTick(at))
    while wizard.name != "shown":
        at = wizard.due
        wizard = wizard.after(StepTick(at))
        wizard = wizard.finish_step(profile, (), at)
    assert at < 3600.0
    assert {each.kind for result in wizard.results.values() for each in result.findings} == {"not examined"}
    assert FAULT not in {each.grade for result in wizard.results.values() for each in result.findings}
