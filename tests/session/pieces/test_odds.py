"""Each number of `Odds` is needed: with another value, the test of another module fails."""

from dataclasses import fields
from functools import partial
from math import inf

import pytest

from pond_hw.session.pieces.odds import ODDS, Odds
from tests.session.pieces import test_interpreter_in_time as at_rest
from tests.session.pieces import test_turn_sequence as quick

SHORT_STOP = partial(at_rest.test_a_slide_may_stop_for_less_than_it_takes_to_settle, 0.01)
NEVER_AT_REST = quick.test_turns_count_while_hands_never_rest
NEXT_EGG = quick.test_whoever_moves_on_confirms_the_egg_that_was_announced_and_both_count_at_once
LIFTED_BEFORE = quick.test_a_piece_is_lifted_a_moment_before_the_other_side_lays_an_egg

STORIES = {
    "moved": (0.0, SHORT_STOP),
    "placed": (0.0, SHORT_STOP),
    "slight": (0.0, quick.test_whoever_moves_the_piece_on_at_once_has_only_corrected_it),
    "coincidence": (
        0.0,
        at_rest.test_a_piece_that_is_lifted_after_another_was_put_where_it_may_go_is_asked_about,
    ),
    "unusual": (0.0, NEXT_EGG),
    "put_back": (0.0, NEXT_EGG),
    "rare": (0.0, quick.test_egg_of_the_other_side_replaces_a_scored_piece_at_once),
    "accident": (0.0, NEVER_AT_REST),
    "accident_limit": (0.0, NEVER_AT_REST),
    "common_limit": (0.0, at_rest.test_a_hand_that_hovers_over_cells_has_not_made_up_its_mind),
    "sure": (inf, NEVER_AT_REST),
    "likely": (inf, LIFTED_BEFORE),
    "max_cost": (0.0, quick.test_egg_of_another_owner_is_no_scored_piece_put_back),
    "max_hypotheses": (2, SHORT_STOP),
    "together_seconds": (inf, NEXT_EGG),
    "slide_seconds": (0.0, LIFTED_BEFORE),
    "dropout_seconds": (0.0, NEVER_AT_REST),
    "seen_seconds": (0.0, quick.test_what_feels_the_same_is_taken_for_what_is_likelier),
    "passing_seconds": (0.0, SHORT_STOP),
    "slip_seconds": (
        inf,
        quick.test_what_is_put_just_where_the_piece_that_scored_was_lifted_is_announced,
    ),
    "carried_seconds": (0.0, LIFTED_BEFORE),
    "slow_seconds": (0.0, quick.test_whoever_moves_the_piece_on_at_once_has_only_corrected_it),
}
"""The value with which a number means nothing, and the story that ends otherwise then."""


@pytest.mark.parametrize("name", [field.name for field in fields(Odds)])
def test_each_number_is_needed_for_a_story(name):
    value, story = STORIES[name]
    needed = getattr(ODDS, name)
    story()
    object.__setattr__(ODDS, name, value)
    try:
        with pytest.raises(AssertionError):
            story()
    finally:
        object.__setattr__(ODDS, name, needed)
