"""Two corners held while the board is switched on, and let go, ask for set-up; all else is an ordinary start."""

import pytest

from pond_hw.board import HealthEvent, Sample
from pond_hw.messages.message import as_message
from pond_hw.profile import load_profile
from pond_hw.rules import get_grid
from pond_hw.setup.by_lamps import BLINK, LOOKS, WAITS, CornerGesture
from pond_hw.setup.step import StepTick


def held(*cells, at=0.1, size=4):
    return Sample(tuple(int(cell in cells) for cell in get_grid(size).cells), at)


@pytest.fixture
def look():
    return CornerGesture(load_profile("direct-4x4"), 0.0)


@pytest.mark.parametrize(
    "cells", [(), ("a1",), ("d4",), ("a1", "d1"), ("a1", "d4", "b2"), get_grid(4).cells], ids="+".join
)
def test_the_first_reading_decides_an_ordinary_start(look, cells):
    assert look.after(held(*cells)).asked is False


def test_both_corners_held_blink_and_when_both_are_let_go_set_up_begins(look):
    look = look.after(held("a1", "d4"))
    assert look.asked is None
    lit = look.lit_lamps
    assert len(lit) == 2
    look = look.after(StepTick(look.due))
    assert look.lit_lamps == {}
    look = look.after(StepTick(look.due))
    assert look.lit_lamps == lit
    look = look.after(held("d4", at=1.0))
    assert look.asked is None
    look = look.after(held(at=1.2))
    assert look.asked is True
    assert look.lit_lamps == {}


def test_the_corners_are_those_of_the_board():
    profile = load_profile("matrix-5x5")
    look = CornerGesture(profile, 0.0).after(held("a1", "e5", size=5))
    assert look.asked is None
    assert len(look.lit_lamps) == 2 * profile.chain.lamps_per_cell


def test_who_leans_on_the_corners_gets_an_ordinary_start_after_five_seconds(look):
    look, blinks = look.after(held("a1", "d4")), 0
    while look.asked is None:
        assert look.due - look.at <= BLINK + 1e-6
        look, blinks = look.after(StepTick(look.due)), blinks + 1
    assert look.asked is False
    assert look.at == pytest.approx(0.1 + WAITS)
    assert blinks == pytest.approx(WAITS / BLINK)


def test_another_cell_meanwhile_is_an_ordinary_start(look):
    assert look.after(held("a1", "d4")).after(held("a1", "d4", "c3", at=0.5)).asked is False


def test_a_bounce_of_a_corner_is_still_the_corner(look):
    for at, cells in ((0.1, "a1 d4"), (0.6, "a1"), (0.601, "a1 d4"), (0.602, "d4"), (0.61, "a1 d4")):
        look = look.after(held(*cells.split(), at=at))
    assert look.asked is None


def test_sensors_that_say_nothing_are_not_waited_for(look):
    assert look.due == LOOKS
    assert look.after(StepTick(0.3)).asked is None
    assert look.after(StepTick(LOOKS)).asked is False


def test_sensors_that_are_not_reached_ask_for_nothing(look):
    assert look.after(HealthEvent(as_message("The sensors do not answer."), 0.0)).asked is False


def test_what_was_decided_stays_so(look):
    asked = look.after(held("a1", "d4")).after(held(at=1.0))
    assert asked.after(held("b2", at=2.0)) == asked
    assert asked.due == float("inf")
