"""Tests of pages: every page fits in 78 columns and 16 lines, plus a question of three lines."""

import re
import textwrap
from dataclasses import replace
from math import inf

import pytest

from pond_hw.board import HealthEvent, Sample
from pond_hw.companion import SimulatedClock
from pond_hw.messages.catalogue import Catalogue
from pond_hw.messages.message import Message, as_message
from pond_hw.profile import load_profile
from pond_hw.rules import get_grid
from pond_hw.setup.calibration_step import CalibrationStep
from pond_hw.setup.findings import FAULT, GOOD, WARNING, SetupFinding, draw_findings, find_remedy
from pond_hw.setup.lamp_steps import BreakSearch, BrightnessStep, LampTest
from pond_hw.setup.pages import (
    PAGE_COLUMNS,
    PAGE_LINES,
    Paragraph,
    SetupOption,
    StepPage,
    Table,
    show_page,
    summarise_findings,
)
from pond_hw.setup.sensor_steps import LiveView, SensorTest, TimingStep
from pond_hw.setup.step import StepReply, StepTick
from pond_hw.setup.wizard import LampResult
from pond_hw.simulator.board_with_faults import ActualBuild, FaultyBoard, list_flaw_kinds, parse_build
from tests.conftest import long_after_first
from tests.messages.says import text
from tests.setup.fault_injection import BOARDS, profile_of
from tests.setup.setup_session import open_session
from tests.setup.simulated_user import StepBench, page_text

ASKS = 3
"""Maximum number of lines of a question."""

SCREEN_ROWS = 24
"""Number of rows of a screen, including the title."""

TROUBLE = as_message(
    "The sensors do not answer: no chip answers at 0x20 on I2C bus 1 (Remote I/O error). The game waits. " * 2
)


class LongEnglish(Catalogue):
    """English catalogue with every sentence a third longer, as in other languages."""

    def _find_entry(self, message_id, count=None):
        if (entry := super()._find_entry(message_id, count)) is None:
            return None
        longer = " ".join(entry.split()[: len(entry.split()) // 3])
        return entry if message_id.startswith(("list.", "lamp.", "text")) or "{" in longer else f"{entry} {longer}"


LONG = LongEnglish("en")


def assert_fits(step_page):
    drawn = [block for block in step_page.drawing if isinstance(block, str)]
    assert not re.search("[A-Za-z]{3}", " ".join(drawn)), drawn  # words must be messages
    longer = show_page(step_page, LONG)
    assert max(map(len, longer.lines), default=0) <= PAGE_COLUMNS
    choices = "   ".join(f"{choice.key} {choice.label}" for choice in longer.choices if choice.label)
    messages = (*longer.lines, *textwrap.wrap(longer.prompt, PAGE_COLUMNS), *textwrap.wrap(choices, PAGE_COLUMNS))
    assert len(messages) < SCREEN_ROWS, messages
    page = show_page(step_page)
    assert len(page.lines) <= PAGE_LINES, "\n".join(page.lines)
    for line in page.lines:
        assert len(line) <= PAGE_COLUMNS, line
    assert len(textwrap.wrap(page.prompt, PAGE_COLUMNS)) <= ASKS, page.prompt
    choices = "   ".join(f" {choice.key}  {choice.label}" for choice in page.choices if choice.label)
    assert len(textwrap.wrap(choices, PAGE_COLUMNS)) <= 2, choices
    done, total = page.step_progress
    assert 0 <= done <= total


KINDS = (
    "dead chip", "not reached", "stuck on", "flapping", "never", "stuck off", "swapped", "elsewhere", "rotated",
    "missing diode", "cross-talk", "long bounce", "reversed", "poles", "weak", "noise", "drift", "off centre",
)  # fmt: skip

WIRE = "MCP3008 A, channel 3 (pin 4), orange wire"


def all_findings(profile, kind, grade=FAULT):
    """Return the longest possible finding of one kind for every cell."""
    return [
        SetupFinding(
            grade,
            kind,
            (cell,),
            Message("calibrate.noise", cell=cell, counts=123, wire=WIRE),
            *find_remedy(kind, profile.sensing.kind),
        )
        for cell in get_grid(profile.size).cells
    ]


def page_of(profile, found):
    return StepPage(Message("results.shown"), draw_findings(profile, found), text=summarise_findings(found))


def page_parts(page):
    """Return all parts of a long page as text, in order."""
    shown = [show_page(page)]
    while (part := show_page(replace(page, page_index=len(shown)))).lines != shown[0].lines:
        shown.append(part)
    return shown


@pytest.mark.slow
@pytest.mark.parametrize("board", ["direct-4x4", "hall-5x5"])
def test_any_number_of_findings_fits_the_page(board):
    profile = load_profile(board)
    every = [finding for kind in KINDS for finding in all_findings(profile, kind)]
    for found in (every, every[:1], every[::11], every[:3], all_findings(profile, "never", WARNING)[:4]):
        page = page_of(profile, found)
        for part in range(len(page_parts(page))):
            assert_fits(replace(page, page_index=part))


def test_every_finding_is_on_a_page_below_the_grid():
    profile = load_profile("direct-4x4")
    found = [*all_findings(profile, "never")[:3], SetupFinding(GOOD, "good", ("d4",))]
    grid = draw_findings(profile, found)
    shown = page_parts(page_of(profile, found))
    assert {part.lines[: len(grid)] for part in shown} == {grid}
    shown_text = " ".join(" ".join(" ".join(part.lines).split()) for part in shown)
    for finding in found[:3]:
        assert text(finding.message) in shown_text
        assert text(finding.cause) in shown_text
        assert text(finding.cure) in shown_text
    assert text(Message("results.good_cells", count=1)) in shown_text


def test_finding_stays_on_one_page():
    profile = load_profile("hall-5x5")
    found = [all_findings(profile, kind)[number] for number, kind in enumerate(KINDS)]
    cures = [text(finding.cure) for finding in found]
    for part in page_parts(page_of(profile, found)):
        starts = [line[2:4] for line in part.lines if line.startswith("X ")]
        part_text = " ".join(" ".join(part.lines).split())
        for finding, cure in zip(found, cures, strict=True):
            assert (finding.cells[0] in starts) <= (cure in part_text)


def test_many_findings_of_a_kind_share_a_paragraph():
    profile = load_profile("direct-4x4")
    first, *others = all_findings(profile, "never")
    (paragraph, good) = summarise_findings([first, *others, SetupFinding(GOOD, "good", ("d4",))])
    also = Message("results.also", cells=tuple(finding.cells[0] for finding in others))
    assert paragraph == Paragraph((first.message, also), "X", (first.cause, first.cure))
    assert good == Message("results.good_cells", count=1)


def test_good_board_is_summarised():
    good = [SetupFinding(GOOD, "good", (cell,)) for cell in get_grid(4).cells]
    assert summarise_findings(good) == (Message("results.all_good", count=16),)
    assert summarise_findings(()) == (Message("results.none_tried"),)


def test_more_key_cycles_through_pages():
    profile = load_profile("hall-5x5")
    kinds = ("never", "stuck on", "stuck off", "weak", "noise")
    found = tuple(all_findings(profile, kind)[n] for n, kind in enumerate(kinds))
    step = LampResult(profile, found, 0.0)
    first = page_text(step)
    seen = [first.lines]
    step = step.after(StepReply("m", 1.0))
    while page_text(step).lines != first.lines:
        seen.append(page_text(step).lines)
        assert_fits(step.page)
        step = step.after(StepReply("m", 1.0))
    assert len(seen) > 1
    assert first.choices[0] == ("m", text(Message("setup_key.more", page=1, pages=len(seen))))
    turned = step.after(StepReply("m", 1.0))
    assert page_text(turned).lines == seen[1]
    assert page_text(turned.after(StepReply("x", 1.0))).lines == first.lines  # any other key shows the first part


class MarkedEnglish(Catalogue):
    """English catalogue that marks every message."""

    def text(self, messages):
        return f"<{super().text(messages)}>" if isinstance(messages, Message) else super().text(messages)


def test_page_is_translated_when_shown():
    page = StepPage(
        Message("live.title"),
        (Table((("1", Message("live.grid.raw")), ("22", "x"))), "# ."),
        (Message("calibrate.ask"), Message("live.watch")),
        (SetupOption("y", Message("setup_key.yes")), SetupOption("b2")),
        text=(Message("setup.nothing_read"), Paragraph((Message("results.none_tried"),), "X", (Message("cure.weak"),))),
    )
    marked = show_page(page, MarkedEnglish("en"))
    assert marked.title == f"<{text(page.title)}>"
    assert marked.lines[:4] == ("1   <raw>", "22  x", "# .", "")
    assert marked.lines[4] == f"<{text(Message('setup.nothing_read'))}>"
    assert marked.lines[5].startswith("X <")
    assert marked.lines[6].startswith("    <")
    assert marked.prompt == " ".join(f"<{text(asked)}>" for asked in page.prompt)
    assert marked.choices == (("y", f"<{text(Message('setup_key.yes'))}>"), ("b2", ""))
    assert max(map(len, show_page(page, columns=30).lines)) <= 30


def test_full_drawing_leaves_a_line_for_text():
    messages = (Message("setup.nothing_read"), Message("results.none_tried"))
    page = StepPage(Message("live.title"), ("#",) * 16, text=messages)
    assert [part.lines[-1] for part in page_parts(page)] == [text(message) for message in messages]


def test_setup_uses_the_chosen_language():
    with open_session() as table:
        title = table.page["title"]
        table.controller.catalogue = MarkedEnglish("en")
        page = table.send({"step": "bright"}, {"reply": "q"})
        assert page["title"] == f"<{title}>"
        assert page["lines"][-1] == f"<{text(Message('steps.left', step='bright'))}>"


def test_page_json_contains_its_messages():
    with open_session() as table:
        page_messages = table.send({"step": "cells"}, {"reply": "x"})["said"]
    assert page_messages["title"] == {"id": "lamp_walk.title", "arguments": {}}
    assert [message["id"] for message in page_messages["lines"]] == ["lamp_walk.wrong"]
    assert [message["id"] for message in page_messages["asks"]] == ["lamp_walk.lit", "lamp_walk.ask"]
    assert page_messages["asks"][0]["arguments"]["shown"] == {"id": "lamp.one_cell", "arguments": {"cell": "b1"}}
    assert page_messages["choices"]["n"] == {"id": "setup_key.yes_next", "arguments": {}}


def faulty_sensor_test(board):
    """Return a finished sensor test of a board with many faults."""
    profile = profile_of(board)
    kinds = [kind for kind in list_flaw_kinds(profile) if kind != "dead-chip"]
    flaws = dict(zip(get_grid(profile.size).cells[1::2], kinds, strict=False))
    clock = SimulatedClock()
    bench = StepBench(
        FaultyBoard(profile, clock.now, ActualBuild.from_profile(profile), flaws), clock, SensorTest(profile, 0.0)
    )
    while not bench.step.result:
        assert_fits(bench.step.page)
        bench.runner.put(StepReply("n", clock.now()))
        bench.advance(0.05)
    return bench.step


@pytest.mark.slow
@pytest.mark.parametrize("board", long_after_first(("hall-5x5", *(name for name in BOARDS if name != "hall-5x5"))))
def test_sensor_test_pages_fit(board):
    step = faulty_sensor_test(board)
    assert_fits(step.page)
    trouble = SensorTest(profile_of(board), 0.0).after(HealthEvent(TROUBLE, 1.0))
    assert_fits(trouble.page)
    assert_fits(trouble.after(StepTick(9.0)).page)


@pytest.mark.slow
@pytest.mark.parametrize("board", long_after_first(("hall-5x5", *(name for name in BOARDS if name != "hall-5x5"))))
def test_pages_of_other_steps_fit(board):
    profile = profile_of(board)
    cells = get_grid(profile.size).cells
    analog = any(kind == "weak" for kind in list_flaw_kinds(profile))
    raw = (512,) * len(cells) if analog else None
    up, down = ((level,) * len(cells) for level in (0, 1))
    steps = [LampTest.one_by_one(profile), LampTest.by_row(profile), LampTest.by_cell(profile), BreakSearch(profile)]
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
                assert_fits(step.page)
            due = step.due
            step = step.after(StepTick(due if due < inf else 5.0))
            assert_fits(step.page)
            step = step.after(StepReply(key, 6.0)) if key else step
            assert_fits(step.page)


def test_constantly_changing_sensor_fits_the_page():
    profile = load_profile("hall-5x5")
    looks = LiveView(profile).after(Sample((0,) * 25, 0.0, (512,) * 25))
    looks.changes = [10**7] * 25
    assert_fits(looks.page)


def test_broken_chain_result_fits():
    profile = load_profile("hall-4x4")
    for lamps in (0, 1, 30, 64):
        search = BreakSearch(profile)
        while not search.result:
            search = search.after(StepReply("y" if (search.low + search.high) // 2 < lamps else "n", 0.0))
            assert_fits(search.page)


def test_calibration_findings_fit():
    profile = load_profile("hall-5x5")
    built, flaws = parse_build(profile, ["reversed:b2", "never:c3", "weak:d4", "noise:e5"])
    clock = SimulatedClock()
    bench = StepBench(FaultyBoard(profile, clock.now, built, flaws), clock, CalibrationStep(profile, 0.0))
    bench.advance(4.0)
    for _ in range(50):
        bench.runner.put(StepReply("n", clock.now()))
        bench.advance(0.05)
        assert_fits(bench.step.page)
    for _ in range(6):
        bench.runner.put(StepReply("m", clock.now()))
        bench.advance(0.05)
        assert_fits(bench.step.page)
