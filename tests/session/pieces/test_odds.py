"""Check that every value in `Odds` matters: if it is changed, a test in another module fails."""

from dataclasses import fields
from functools import partial
from math import inf

import pytest

from pond_hw.session.pieces.odds import ODDS, Odds
from tests.session.pieces import test_interpreter_in_time as at_rest
from tests.session.pieces import test_turn_sequence as quick

SHORT_STOP = partial(at_rest.test_slide_may_pause_briefly, 0.01)
NEVER_AT_REST = quick.test_turns_count_without_pauses
NEXT_EGG = quick.test_next_action_confirms_announced_egg
LIFTED_BEFORE = quick.test_piece_lifted_before_other_sides_egg_can_move

TESTS = {
    "moved": (0.0, SHORT_STOP),
    "placed": (0.0, SHORT_STOP),
    "slight": (0.0, quick.test_moving_piece_again_immediately_corrects_turn),
    "coincidence": (
        0.0,
        at_rest.test_lift_just_before_egg_on_target_is_announced,
    ),
    "unusual": (0.0, NEXT_EGG),
    "put_back": (0.0, NEXT_EGG),
    "rare": (0.0, quick.test_other_sides_egg_replaces_scored_piece),
    "accident": (0.0, NEVER_AT_REST),
    "accident_limit": (0.0, NEVER_AT_REST),
    "common_limit": (0.0, at_rest.test_hovering_hand_takes_no_turn),
    "certain": (inf, NEVER_AT_REST),
    "likely": (inf, LIFTED_BEFORE),
    "max_cost": (0.0, quick.test_other_sides_egg_is_not_a_returned_piece),
    "max_hypotheses": (2, SHORT_STOP),
    "together_seconds": (inf, NEXT_EGG),
    "slide_seconds": (0.0, LIFTED_BEFORE),
    "dropout_seconds": (0.0, NEVER_AT_REST),
    "seen_seconds": (0.0, quick.test_likelier_of_two_equal_sequences_counts),
    "passing_seconds": (0.0, SHORT_STOP),
    "slip_seconds": (
        inf,
        quick.test_piece_replacing_lifted_scored_piece_is_announced,
    ),
    "carried_seconds": (0.0, LIFTED_BEFORE),
    "slow_seconds": (0.0, quick.test_moving_piece_again_immediately_corrects_turn),
}
"""For each value in `Odds`, a replacement that disables it and the test that then fails."""


@pytest.mark.parametrize("name", [field.name for field in fields(Odds)])
def test_each_odds_value_is_needed(name):
    value, test = TESTS[name]
    needed = getattr(ODDS, name)
    test()
    object.__setattr__(ODDS, name, value)
    try:
        with pytest.raises(AssertionError):
            test()
    finally:
        object.__setattr__(ODDS, name, needed)
