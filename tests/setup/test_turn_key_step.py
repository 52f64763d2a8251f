"""Tests of the `keys` step."""

import pytest

from pond_hw.board import KeyEvent, TurnKeyEvent
from pond_hw.messages.message import Message
from pond_hw.profile import load_profile
from pond_hw.rules import DARK, LIGHT, PondError
from pond_hw.setup.lamp_positions import cell_lamps
from pond_hw.setup.step import StepReply, StepTick
from pond_hw.setup.step_table import begin_step
from pond_hw.setup.turn_key_step import TIMEOUT_SECONDS, TurnKeyTest
from pond_hw.setup.wizard import SetupWizard
from tests.setup.setup_session import open_session

KEYED = load_profile("usb-hall-4x4")


def asked_key(step):
    return step.page.prompt.arguments["key"].id


def kinds(step):
    return [(finding.grade, finding.kind) for finding in step.result.findings]


def test_correct_turn_keys_are_good():
    step = TurnKeyTest(KEYED, 0.0)
    assert asked_key(step) == "pin_user.key_light"
    step.after(TurnKeyEvent(LIGHT, True, 1.0)).after(TurnKeyEvent(LIGHT, False, 1.1))
    assert asked_key(step) == "pin_user.key_dark"
    step.after(TurnKeyEvent(DARK, True, 2.0))
    assert kinds(step) == [("good", "turn key")] * 2


def test_swapped_keys_are_reported():
    step = TurnKeyTest(KEYED, 0.0).after(TurnKeyEvent(DARK, True, 1.0)).after(TurnKeyEvent(LIGHT, True, 2.0))
    assert kinds(step) == [("fault", "turn key elsewhere")] * 2
    assert step.result.findings[0].message == Message(
        "finding.turn_key_elsewhere", key=Message("pin_user.key_light"), other=Message("pin_user.key_dark")
    )


def test_undo_key_in_place_of_turn_key_is_reported():
    step = TurnKeyTest(KEYED, 0.0).after(KeyEvent(True, 1.0)).after(TurnKeyEvent(DARK, True, 2.0))
    assert kinds(step) == [("fault", "turn key elsewhere"), ("good", "turn key")]


def test_dead_key_is_a_fault():
    step = TurnKeyTest(KEYED, 0.0).after(StepReply("x", 1.0)).after(TurnKeyEvent(DARK, True, 2.0))
    assert kinds(step) == [("fault", "turn key never"), ("good", "turn key")]


def test_unpressed_key_lights_its_row_and_is_skipped():
    step = TurnKeyTest(KEYED, 0.0, is_timed=True)
    assert set(step.lit_lamps) == {lamp for cell in ("a1", "b1", "c1", "d1") for lamp in cell_lamps(KEYED, cell)} | {64}
    step.after(StepTick(TIMEOUT_SECONDS))
    assert set(step.lit_lamps) == {lamp for cell in ("a4", "b4", "c4", "d4") for lamp in cell_lamps(KEYED, cell)} | {65}
    step.after(StepTick(2 * TIMEOUT_SECONDS))
    assert kinds(step) == [("warning", "not examined")] * 2


def test_board_without_turn_keys_omits_turn_key_step():
    with pytest.raises(PondError) as refused:
        begin_step(load_profile("direct-4x4"), "keys", 0.0)
    assert refused.value.message.id == "steps.needs_turn_keys"


def test_typed_lines_press_keys_of_a_simulated_board():
    with open_session("usb-hall-4x4") as led:
        led.send({"step": "keys"}, {"touch": "key_light"}, {"touch": "key_dark"})
        assert [each["kind"] for each in led.results["keys"]["findings"]] == ["turn key"] * 2
        led.send({"reply": "r"}, {"touch": "key_dark"}, {"touch": "key_light"})
        assert [each["kind"] for each in led.results["keys"]["findings"]] == ["turn key elsewhere"] * 2


def test_menu_names_the_step_for_a_new_board():
    assert SetupWizard(load_profile("owner-4x4")).page.prompt.arguments["steps"] == ("4", "6", "9", "7", "8", "k")
    assert SetupWizard(load_profile("hall-4x4")).page.prompt.arguments["steps"] == ("4", "6", "7", "8", "k")
    assert SetupWizard(load_profile("direct-4x4")).page.prompt.arguments["steps"] == ("4", "6", "7", "8")
