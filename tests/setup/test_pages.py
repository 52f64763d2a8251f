"""Whatever a step says fits a screen: 78 columns and 16 lines, and a question of three lines at the most."""

from math import inf

import pytest

from pond_hw.board import HealthEvent, Sample
from pond_hw.profile import load_profile
from pond_hw.rules import get_grid
from pond_hw.setup.calibrate import CalibrationStep
from pond_hw.setup.findings import FAULT, GOOD, REMEDIES_BY_KIND, WARNING, SetupFinding, find_remedy
from pond_hw.setup.findings_page import PAGE_COLUMNS, PAGE_LINES, format_finding_pages, wrap_sentences
from pond_hw.setup.lamp_steps import BreakSearch, BrightnessStep, LampWalk
from pond_hw.setup.live_view import LiveView
from pond_hw.setup.result_pages import LampResult
from pond_hw.setup.sensor_walk import SensorWalk
from pond_hw.setup.step import StepReply, StepTick
from pond_hw.setup.timing import TimingStep
from pond_hw.simulator.workbench import ActualBuild, Workbench, list_flaw_kinds, parse_build
from tests.conftest import first_now_rest_long
from tests.setup.diagnosis import BOARDS, profile_of
from tests.setup.people import Bench, Clock

ASKS = 3
"""Lines that a question may take."""

TROUBLE = "The sensors do not answer: no chip answers at 0x20 on I2C bus 1 (Remote I/O error). The game waits. " * 2


def fits(page):
    assert len(page.lines) <= PAGE_LINES, "\n".join(page.lines)
    for line in page.lines:
        assert len(line) <= PAGE_COLUMNS, line
    assert len(wrap_sentences(page.prompt)) <= ASKS, page.prompt
    choices = "   ".join(f" {choice.key}  {choice.label}" for choice in page.choices if choice.label)
    assert len(wrap_sentences(choices)) <= 2, choices
    done, total = page.step_progress
    assert 0 <= done <= total


def everything(profile, kind, grade=FAULT):
    """A finding of one kind for every cell, as long as they come."""
    wire = "MCP3008 A, channel 3 (leg 4), orange wire"
    cause = find_remedy(kind, profile.sensing.kind)
    return [
        SetupFinding(
            grade, kind, (cell,), f"{cell} did something or other that is told at some length ({wire}).", *cause
        )
        for cell in get_grid(profile.size).cells
    ]


@pytest.mark.parametrize("board", ["direct-4x4", "hall-5x5"])
def test_findings_fit_however_many_there_are(board):
    profile = load_profile(board)
    every = [finding for kind in REMEDIES_BY_KIND for finding in everything(profile, kind)]
    for found in (every, every[:1], every[::11], every[:3], everything(profile, "never", WARNING)[:4]):
        for lines in format_finding_pages(profile, found):
            assert len(lines) <= PAGE_LINES
            assert max(map(len, lines)) <= PAGE_COLUMNS


def test_all_that_was_found_is_on_some_page():
    profile = load_profile("direct-4x4")
    found = [*everything(profile, "never")[:3], SetupFinding(GOOD, "good", ("d4",))]
    told = "\n".join(line for leaf in format_finding_pages(profile, found) for line in leaf)
    for finding in found[:3]:
        assert finding.message.split()[0] + " did something" in told
        assert "dead" in told
    assert "One cell is good." in told


def test_many_of_a_kind_are_told_together():
    profile = load_profile("direct-4x4")
    told = " ".join(
        line.strip() for leaf in format_finding_pages(profile, everything(profile, "never")) for line in leaf
    )
    assert told.count("did something") == 1
    assert "So it is with b1, c1, d1" in told
    assert "c4 and d4." in told


def test_a_board_on_which_all_is_good_says_so():
    profile = load_profile("direct-4x4")
    good = [SetupFinding(GOOD, "good", (cell,)) for cell in get_grid(4).cells]
    assert format_finding_pages(profile, good)[0][-1] == "All 16 cells that were asked for are good."


def test_more_pages_come_by_a_key_and_begin_again():
    profile = load_profile("hall-5x5")
    kinds = ("never", "stuck on", "stuck off", "weak", "noise")
    found = tuple(everything(profile, kind)[n] for n, kind in enumerate(kinds))
    step = LampResult(profile, found, 0.0)
    first = step.page
    assert first.choices[0].label.startswith("more (1 of ")
    seen = [first.lines]
    step = step.after(StepReply("m", 1.0))
    while step.page.lines != first.lines:
        seen.append(step.page.lines)
        fits(step.page)
        step = step.after(StepReply("m", 1.0))
    assert len(seen) > 1
    assert first.choices[0].label == f"more (1 of {len(seen)})"


def ill_walk(board):
    """The exercise at its end, passed over on a board on which much is wrong, one kind in each cell."""
    profile = profile_of(board)
    kinds = [kind for kind in list_flaw_kinds(profile) if kind != "dead-chip"]
    flaws = dict(zip(get_grid(profile.size).cells[1::2], kinds, strict=False))
    clock = Clock()
    bench = Bench(
        Workbench(profile, clock.now, ActualBuild.from_profile(profile), flaws), clock, SensorWalk(profile, 0.0)
    )
    while not bench.step.result:
        fits(bench.step.page)
        bench.walk.put(StepReply("n", clock.time))
        bench.passes(0.05)
    return bench.step


@pytest.mark.slow
@pytest.mark.parametrize("board", first_now_rest_long(("hall-5x5", *(name for name in BOARDS if name != "hall-5x5"))))
def test_what_the_exercise_says_fits(board):
    step = ill_walk(board)
    fits(step.page)
    trouble = SensorWalk(profile_of(board), 0.0).after(HealthEvent(TROUBLE, 1.0))
    fits(trouble.page)
    fits(trouble.after(StepTick(9.0)).page)


@pytest.mark.parametrize("board", first_now_rest_long(("hall-5x5", *(name for name in BOARDS if name != "hall-5x5"))))
def test_what_other_steps_say_fits(board):
    profile = profile_of(board)
    cells = get_grid(profile.size).cells
    analog = any(kind == "weak" for kind in list_flaw_kinds(profile))
    raw = (512,) * len(cells) if analog else None
    up, down = ((level,) * len(cells) for level in (0, 1))
    steps = [LampWalk.one_by_one(profile), LampWalk.by_row(profile), LampWalk.by_cell(profile), BreakSearch(profile)]
    steps += [BrightnessStep(profile), LiveView(profile), TimingStep(profile, 0.0)]
    if analog:
        steps.append(CalibrationStep(profile, 0.0))
    for begun in steps:
        step = begun
        for key in (None, "x", "n", "y", "m", "+", "z", *"xxxxxxxxxxxxx", *"nn", *"mmm"):
            for event in (
                Sample(up, 1.0, raw),
                HealthEvent(TROUBLE, 2.0),
                Sample(down, 3.0, raw),
                HealthEvent(None, 4.0),
            ):
                step = step.after(event)
                fits(step.page)
            due = step.due
            step = step.after(StepTick(due if due < inf else 5.0))
            fits(step.page)
            step = step.after(StepReply(key, 6.0)) if key else step
            fits(step.page)


def test_a_sensor_that_changes_all_the_time_does_not_break_the_page():
    profile = load_profile("hall-5x5")
    looks = LiveView(profile).after(Sample((0,) * 25, 0.0, (512,) * 25))
    looks.changes = [10**7] * 25
    fits(looks.page)


def test_what_the_end_of_a_broken_chain_says_fits():
    profile = load_profile("hall-4x4")
    for lamps in (0, 1, 30, 64):
        search = BreakSearch(profile)
        while not search.result:
            search = search.after(StepReply("y" if (search.low + search.high) // 2 < lamps else "n", 0.0))
            fits(search.page)


def test_what_a_calibration_has_found_fits():
    profile = load_profile("hall-5x5")
    built, flaws = parse_build(profile, ["reversed:b2", "never:c3", "weak:d4", "noise:e5"])
    clock = Clock()
    bench = Bench(Workbench(profile, clock.now, built, flaws), clock, CalibrationStep(profile, 0.0))
    bench.passes(4.0)
    for _ in range(50):
        bench.walk.put(StepReply("n", clock.time))
        bench.passes(0.05)
        fits(bench.step.page)
    for _ in range(6):
        bench.walk.put(StepReply("m", clock.time))
        bench.passes(0.05)
        fits(bench.step.page)
