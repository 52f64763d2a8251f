"""The step `signal`: its light is spoilt by a pause in the packed bits and by none in the others, and it offers these."""

from dataclasses import replace
from fractions import Fraction

import pytest

from pond_hw.board import Frame, Sample
from pond_hw.drivers.lamp_chain import ChainLamps
from pond_hw.drivers.lamp_pulses import BYTE_ALIGNED, ENCODINGS, PACKED
from pond_hw.lights import FRAME_SECONDS
from pond_hw.lights.lamp_limits import profile_limiter
from pond_hw.messages.message import Message
from pond_hw.profile import list_shipped, load_profile
from pond_hw.profile.library import BOARDS_FOLDER
from pond_hw.rules import PondError
from pond_hw.setup.findings import FAULT, GOOD, WARNING
from pond_hw.setup.lamp_places import lamp_levels
from pond_hw.setup.lamp_steps import BREATH_SECONDS, SignalStep
from pond_hw.setup.step import StepReply, StepTick
from pond_hw.setup.wizard import SetupWizard, begin_step
from tests.drivers.ws2812 import LOW, levels_with_pauses, pulses
from tests.setup.by_lines import sitting

SMALL = load_profile("direct-4x4", measured=False)

THRESHOLD = 500
"""ns that a pulse is high for from which on this eye's lamps take it for a 1: between all datasheets' windows."""


class Caught:
    """A wire that ends in a list."""

    def __init__(self):
        self.sent = []

    def open(self):
        pass

    def send_bytes(self, chain_bytes):
        self.sent.append(chain_bytes)

    def close(self):
        pass


def frames_sent(profile, step, seconds):
    """What goes down the chain while the step is looked at for so long, frame by frame."""
    wire, time = Caught(), 0.0
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
    """What lamps show that only look at how long a pulse is high, after one pause of one bit time."""
    line = levels_with_pauses(encoding.encode(chain_bytes), {pause_after: (1, LOW)}, parts=1)
    bits = "".join("1" if pulse.high >= THRESHOLD else "0" for pulse in pulses(line, hz)[1])[: len(chain_bytes) * 8]
    return int(bits, 2).to_bytes(len(chain_bytes))


def shows(lamps, lamp):
    """The three colours of a lamp in the bytes of a chain."""
    return lamps[lamp * 3 : lamp * 3 + 3]


def test_every_second_lamp_is_white_and_every_frame_has_other_bits():
    sent = frames_sent(SMALL, SignalStep(SMALL, "packed", 0.0), BREATH_SECONDS)
    for chain_bytes in sent[len(sent) // 4 :]:  # the limiter lets the light rise by and by
        for lamp in range(16):
            red, green, blue = shows(chain_bytes, lamp)
            assert red == green == blue
            assert bool(red) == (lamp % 2 == 0)
    assert len(set(sent)) > 10
    assert len(sent) > BREATH_SECONDS / FRAME_SECONDS / 3


@pytest.mark.slow
def test_a_pause_within_a_pulse_of_the_packed_bits_is_seen_and_one_in_the_byte_bits_is_not():
    brightest = max(frames_sent(SMALL, SignalStep(SMALL, "packed", 0.0), BREATH_SECONDS))
    unlucky, noticed = 0, 0
    for number in range(16 * 33 - 33):  # behind the last lamp nobody sees anything
        found = seen(PACKED, Fraction(25_000_000, 3), brightest, len(PACKED.reset_bytes) + number)
        unlucky += found != brightest
        noticed += any(
            max(shows(found, lamp)) - min(shows(found, lamp)) > 8 or (lamp % 2 and max(shows(found, lamp)) > 8)
            for lamp in range(16)
        )
    assert unlucky > 16 * 33 / 5
    assert noticed >= unlucky * 0.9
    for number in range(len(BYTE_ALIGNED.encode(brightest))):
        assert seen(BYTE_ALIGNED, Fraction(200_000_000, 34), brightest, number) == brightest


def test_what_is_steady_is_good_and_changes_nothing():
    for encoding in ENCODINGS:
        result = SignalStep(SMALL, encoding, 0.0).after(StepReply("y", 9.0)).result
        (finding,) = result.findings
        assert (finding.grade, finding.message) == (GOOD, Message("signal.steady", encoding=encoding))
        assert result.changes == {}


def test_packed_bits_that_are_spoilt_may_be_changed_for_bytes():
    step = SignalStep(SMALL, "packed", 0.0).after(StepReply("x", 9.0))
    assert step.page.prompt == (Message("signal.offer"), Message("signal.agree"))
    assert step.lit_lamps  # one goes on looking meanwhile
    result = step.after(StepReply("y", 12.0)).result
    assert result.changes == {"lamps.encoding": "byte"}
    assert "byte" in result.log_line
    assert [(each.grade, each.cure) for each in result.findings] == [(WARNING, Message("signal.cure.changed"))]


def test_who_does_not_agree_changes_nothing_and_is_told_what_to_do():
    result = SignalStep(SMALL, "packed", 0.0).after(StepReply("x", 9.0)).after(StepReply("n", 12.0)).result
    assert result.changes == {}
    assert [(each.grade, each.cure) for each in result.findings] == [(FAULT, Message("signal.cure.kept"))]


def test_bytes_that_are_spoilt_are_the_wires_fault():
    result = SignalStep(SMALL, "byte", 0.0).after(StepReply("x", 9.0)).result
    assert result.changes == {}
    assert [(each.grade, each.cause) for each in result.findings] == [(FAULT, Message("signal.cause.wire"))]


def test_a_touch_is_no_answer_and_silence_is_none():
    step = SignalStep(SMALL, "packed", 0.0)
    for at, down in ((0.0, 0), (0.1, 1), (0.5, 0)):
        step.after(Sample((down, *[0] * 15), at))
    step.after(StepTick(3600.0))
    assert step.result is None
    assert step.due > 3600.0


def test_it_takes_the_encoding_that_the_board_has():
    for encoding in ENCODINGS:
        board = replace(SMALL, chain=replace(SMALL.chain, encoding=encoding))
        assert begin_step(board, "signal", 0.0).encoding == encoding


@pytest.mark.parametrize("board", list_shipped())
def test_it_is_offered_for_lamps_on_spi_alone(board):
    profile = load_profile(board, measured=False)
    on_spi = profile.chain.driver == "auto" and profile.chain.data_pin == 10
    assert ("s" in dict(SetupWizard(profile).page.choices)) == on_spi
    if not on_spi:
        with pytest.raises(PondError) as refused:
            begin_step(profile, "signal", 0.0)
        assert refused.value.message == Message("steps.needs_spi", step="signal", board=board)


def test_what_was_agreed_to_is_saved_and_the_next_look_is_at_bytes(tmp_path):
    board = tmp_path / "kitchen.toml"
    text = (BOARDS_FOLDER / "direct-4x4.toml").read_text(encoding="utf-8")
    board.write_text(text.replace("count = 16", 'count = 16\nencoding = "packed"'), encoding="utf-8")
    with sitting(str(board)) as table:
        table.says({"step": "signal"}, {"wait": 1.0}, {"reply": "x"}, {"reply": "y"}, {"wait": 0.2})
        assert table.lead.profile.chain.encoding == "byte"
        assert table.lead.profile.measured_keys == ("lamps.encoding",)
        table.says({"step": "signal"}, {"wait": 1.0})
        assert table.lead.wizard.step.encoding == "byte"
