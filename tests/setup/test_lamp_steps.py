"""Tests of the lamp steps."""

from dataclasses import replace
from fractions import Fraction
from math import ceil, log2

import pytest

from pond_hw.board import Frame, Sample
from pond_hw.drivers.lamp_chain import ChainLamps
from pond_hw.drivers.lamp_pulses import BYTE_ALIGNED, ENCODINGS, PACKED
from pond_hw.lights import FRAME_SECONDS
from pond_hw.lights.current_limiter import profile_limiter
from pond_hw.messages.message import Message
from pond_hw.profile import list_shipped, load_profile
from pond_hw.profile.library import BOARDS_FOLDER
from pond_hw.rules import PondError, get_grid
from pond_hw.setup.findings import FAULT, GOOD, WARNING
from pond_hw.setup.lamp_positions import cell_lamps, lamp_levels, name_lamp, usable_lamps
from pond_hw.setup.lamp_steps import BREATH_SECONDS, LEVELS, BreakSearch, BrightnessStep, LampTest, SignalStep
from pond_hw.setup.step import StepReply, StepTick
from pond_hw.setup.step_table import begin_step
from pond_hw.setup.wizard import SetupWizard
from tests.drivers.ws2812 import LOW, RecordedWire, levels_with_pauses, pulses
from tests.setup.setup_session import open_session
from tests.setup.simulated_user import prompt_messages

SMALL, FOURS = load_profile("pwm-4x4"), load_profile("hall-4x4")
ON_SPI = load_profile("direct-4x4")


def touch(step, at, cell=5):
    """Return the step after a touch."""
    size = step.profile.size**2
    for after, down in ((0.0, ()), (0.1, (cell,)), (0.4, ())):
        step = step.after(Sample(tuple(int(n in down) for n in range(size)), at + after))
    return step.after(StepTick(at + 0.6))


def test_every_lamp_is_shown_once():
    step, seen = LampTest.one_by_one(FOURS), []
    while not step.result:
        seen.append(tuple(step.lit_lamps))
        step = step.after(StepReply("n", 0.0))
    assert seen == [(position,) for position in range(66)]
    assert step.result.findings == ()
    assert step.lit_lamps == {}


def test_rows_and_cells_are_shown_in_order():
    assert set(LampTest.by_row(FOURS).lit_lamps) == {
        position for cell in get_grid(4).cells[12:] for position in cell_lamps(FOURS, cell)
    }
    assert prompt_messages(LampTest.by_row(FOURS))[0] == Message("lamp_walk.lit", shown=Message("lamp.row", row="4"))
    assert set(LampTest.by_cell(FOURS).lit_lamps) == set(cell_lamps(FOURS, "a1"))


def test_wrong_lamps_are_reported_with_their_cells():
    step = LampTest.by_cell(SMALL).after(StepReply("n", 0.0)).after(StepReply("x", 0.0))
    assert step.page.drawing == (Message("lamp_walk.wrong", shown=Message("lamp.one_cell", cell="b1")),)
    step = step.after(StepReply("b", 0.0)).after(StepReply("x", 0.0))
    while not step.result:
        step = step.after(StepReply("n", 0.0))
    (finding,) = step.result.findings
    assert (finding.grade, finding.kind, finding.cells) == (FAULT, "lamp", ("b1",))
    assert finding.message == Message("lamp_walk.not_seen", shown=Message("lamp.one_cell", cell="b1"))


def test_touch_continues_to_the_next_lamp():
    step = touch(LampTest.by_cell(SMALL), 0.0)
    assert step.number == 1
    assert touch(step, 2.0).number == 2


@pytest.mark.parametrize("profile", [SMALL, FOURS], ids=lambda profile: profile.name)
def test_break_is_found_in_few_questions(profile):
    positions = usable_lamps(profile)
    for lamps in range(len(positions) + 1):
        step = BreakSearch(profile)
        while not step.result:
            (position,) = step.lit_lamps
            step = step.after(StepReply("y" if position in positions[:lamps] else "n", 1.0))
        (finding,) = step.result.findings
        assert step.question_count <= ceil(log2(len(positions) + 1))
        if lamps == len(positions):
            assert (finding.grade, finding.kind) == (GOOD, "chain")
            assert finding.message == Message("lamp_break.all_good", lamps=lamps, questions=step.question_count)
        else:
            assert (finding.grade, finding.kind) == (FAULT, "broken chain")
            assert finding.figures["place"] == positions[lamps]
            lamp = name_lamp(profile, positions[lamps])
            assert finding.message == Message("lamp_break.dark_from", lamp=lamp)
            before = {"before": name_lamp(profile, positions[lamps - 1])} if lamps else {}
            case = "between" if lamps else "first"
            assert finding.cause == Message(f"lamp_break.cause.{case}", **before, lamp=lamp)
            assert finding.cure.id == f"lamp_break.cure.{case}"


def test_broken_chain_names_every_dark_cell():
    step = BreakSearch(SMALL)
    while not step.result:
        (position,) = step.lit_lamps
        step = step.after(StepReply("y" if position < 12 else "n", 1.0))
    dark = {cell for cell in get_grid(4).cells if cell_lamps(SMALL, cell)[0] >= 12}
    assert set(step.result.findings[0].cells) == dark


def test_touch_means_yes_and_silence_means_nothing():
    step = BreakSearch(SMALL).after(Sample((0,) * 16, 0.0))
    yes = touch(step, 1.0)
    assert (yes.question_count, yes.low, yes.high) == (1, 9, 16)
    for at in (9.0, 3600.0):
        yes.after(StepTick(at))
        assert (yes.question_count, yes.low, yes.high) == (1, 9, 16)
    assert yes.due > 3600.0
    no = yes.after(StepReply("n", 3600.0))
    assert (no.question_count, no.low, no.high) == (2, 9, 12)


def test_strip_lamp_has_a_location_hint():
    big = load_profile("simulated-5x5")
    step = BreakSearch(big)
    while not step.result and step.low < 100:
        step = step.after(StepReply("y", 1.0))
    (position,) = step.lit_lamps
    assert position == 113
    asks, hint, _ = prompt_messages(step)
    assert asks == Message("lamp_break.ask", lamp=Message("lamp.strip.dark", place=113, point=7))
    assert hint == Message("lamp.look_at.dark")


def test_brightness_stays_within_limits_and_is_saved():
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


def test_discarded_brightness_changes_nothing():
    assert BrightnessStep(SMALL).after(StepReply("+", 0.0)).after(StepReply("n", 0.0)).result.changes == {}


def test_brightness_of_the_profile_changes_nothing():
    step = BrightnessStep(SMALL)
    while LEVELS[step.level] != SMALL.chain.brightness:
        step = step.after(StepReply("+", 0.0))
    assert step.after(StepReply("y", 0.0)).result.changes == {}


THRESHOLD = 500
"""Minimum length in ns of a pulse that simulated lamps read as 1; within the limits of all data sheets."""


def frames_sent(profile, step, seconds):
    """Return the frames sent within some seconds."""
    wire, time = RecordedWire(), 0.0
    lamps = ChainLamps(profile.size, profile.chain, wire, lambda: time)
    lamps.open()
    limiter = profile_limiter(profile)
    frame = Frame.dark_frame(profile.size, profile.chain.lamps_per_cell, len(profile.chain.strip_positions[0]))
    while time < seconds:
        step.after(StepTick(time))
        frame = limiter.limit_frame(lamp_levels(profile, step.lit_lamps), frame)
        lamps.show(frame)
        time += FRAME_SECONDS
    return wire.sent


def seen(encoding, hz, chain_bytes, pause_after):
    """Return the colours of lamps that measure pulse widths, if the sender pauses once for the duration of a bit."""
    line = levels_with_pauses(encoding.encode(chain_bytes), {pause_after: (1, LOW)}, parts=1)
    bits = "".join("1" if pulse.high >= THRESHOLD else "0" for pulse in pulses(line, hz)[1])[: len(chain_bytes) * 8]
    return int(bits, 2).to_bytes(len(chain_bytes))


def decode_colours(lamps, lamp):
    """Return the colours of all lamps from the bytes sent to a chain."""
    return lamps[lamp * 3 : lamp * 3 + 3]


def test_every_second_lamp_is_white_and_frames_differ():
    sent = frames_sent(ON_SPI, SignalStep(ON_SPI, "packed", 0.0), BREATH_SECONDS)
    for chain_bytes in sent[len(sent) // 4 :]:  # the limiter ramps up the light
        assert len(chain_bytes) == 64 * 3
        for lamp in range(64):
            red, green, blue = decode_colours(chain_bytes, lamp)
            assert red == green == blue
            assert bool(red) == (lamp % 2 == 0)
    assert len(set(sent)) > 10
    assert len(sent) > BREATH_SECONDS / FRAME_SECONDS / 3


@pytest.mark.slow
def test_pauses_corrupt_packed_but_not_byte_encoding():
    brightest = max(frames_sent(SMALL, SignalStep(SMALL, "packed", 0.0), BREATH_SECONDS))  # a short chain saves time
    assert len(brightest) == 16 * 3
    unlucky, noticed = 0, 0
    for number in range(16 * 33 - 33):  # behind the last lamp nothing is visible
        found = seen(PACKED, Fraction(25_000_000, 3), brightest, len(PACKED.reset_bytes) + number)
        unlucky += found != brightest
        noticed += any(
            max(decode_colours(found, lamp)) - min(decode_colours(found, lamp)) > 8
            or (lamp % 2 and max(decode_colours(found, lamp)) > 8)
            for lamp in range(16)
        )
    assert unlucky > 16 * 33 / 5
    assert noticed >= unlucky * 0.9
    for number in range(len(BYTE_ALIGNED.encode(brightest))):
        assert seen(BYTE_ALIGNED, Fraction(200_000_000, 34), brightest, number) == brightest


def test_steady_lamps_are_good():
    for encoding in ENCODINGS:
        result = SignalStep(ON_SPI, encoding, 0.0).after(StepReply("y", 9.0)).result
        (finding,) = result.findings
        assert (finding.grade, finding.message) == (GOOD, Message("signal.steady", encoding=encoding))
        assert result.changes == {}


def test_corrupt_packed_encoding_can_be_replaced():
    step = SignalStep(ON_SPI, "packed", 0.0).after(StepReply("x", 9.0))
    assert step.page.prompt == (Message("signal.offer"), Message("signal.agree"))
    assert step.lit_lamps  # lamps stay lit during the question
    result = step.after(StepReply("y", 12.0)).result
    assert result.changes == {"lamps.encoding": "byte"}
    assert "byte" in result.log_line
    assert [(each.grade, each.cure) for each in result.findings] == [(WARNING, Message("signal.cure.changed"))]


def test_declined_encoding_changes_nothing():
    result = SignalStep(ON_SPI, "packed", 0.0).after(StepReply("x", 9.0)).after(StepReply("n", 12.0)).result
    assert result.changes == {}
    assert [(each.grade, each.cure) for each in result.findings] == [(FAULT, Message("signal.cure.kept"))]


def test_corrupt_byte_encoding_blames_the_wire():
    result = SignalStep(ON_SPI, "byte", 0.0).after(StepReply("x", 9.0)).result
    assert result.changes == {}
    assert [(each.grade, each.cause) for each in result.findings] == [(FAULT, Message("signal.cause.wire"))]


def test_touch_and_silence_do_not_count_as_answers():
    step = SignalStep(ON_SPI, "packed", 0.0)
    for at, down in ((0.0, 0), (0.1, 1), (0.5, 0)):
        step.after(Sample((down, *[0] * 15), at))
    step.after(StepTick(3600.0))
    assert step.result is None
    assert step.due > 3600.0


def test_signal_step_uses_the_encoding_of_the_board():
    for encoding in ENCODINGS:
        board = replace(ON_SPI, chain=replace(ON_SPI.chain, encoding=encoding))
        assert begin_step(board, "signal", 0.0).encoding == encoding


@pytest.mark.parametrize("board", list_shipped())
def test_signal_step_needs_lamps_on_spi(board):
    profile = load_profile(board, measured=False)
    on_spi = profile.chain.driver == "auto" and profile.chain.data_pin == 10
    assert ("s" in dict(SetupWizard(profile).page.choices)) == on_spi
    if not on_spi:
        with pytest.raises(PondError) as refused:
            begin_step(profile, "signal", 0.0)
        assert refused.value.message == Message("steps.needs_spi", step="signal", board=board)


def test_accepted_encoding_is_saved_and_tested_next(tmp_path):
    board = tmp_path / "kitchen.toml"
    text = (BOARDS_FOLDER / "direct-4x4.toml").read_text(encoding="utf-8")
    board.write_text(text.replace("count = 64", 'count = 64\nencoding = "packed"'), encoding="utf-8")
    with open_session(str(board)) as table:
        table.send({"step": "signal"}, {"wait": 1.0}, {"reply": "x"}, {"reply": "y"}, {"wait": 0.2})
        assert table.controller.profile.chain.encoding == "byte"
        assert table.controller.profile.measured_keys == ("lamps.encoding",)
        table.send({"step": "signal"}, {"wait": 1.0})
        assert table.controller.wizard.step.encoding == "byte"
