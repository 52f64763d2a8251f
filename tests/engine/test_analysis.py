"""Reviews of games with obvious mistakes."""

import json
from functools import cache
from queue import SimpleQueue
from random import Random

import pytest

from pond_hw.engine.analysis import (
    ANALYSIS_MEGABYTES,
    MAX_COUNTED_VALUE,
    Mistake,
    MoveReview,
    actions_to_end,
    find_decision,
    review_from_json,
    review_move,
    review_moves,
    review_to_json,
    summarize_side,
)
from pond_hw.engine.engines import EngineGame
from pond_hw.engine.packed import MIN_WIN_VALUE, WIN_VALUE, pack_action
from pond_hw.engine.searcher import Searcher, SearchLimits
from pond_hw.engine.worker_client import WorkerClient, game_to_json
from pond_hw.rules import (
    DARK,
    LIGHT,
    Action,
    Position,
    Record,
    find_outcome,
    legal_actions,
    parse_record,
    parse_variant,
    play,
)
from tests.conftest import long_after_first

FEW = SearchLimits(nodes=1500)
TINY = parse_variant("3x3/5/2")


def game(start, *actions, pond="standard"):
    """Return a game that starts in a position and has these actions."""
    position = first = Position.from_notation(start, parse_variant(pond))
    turns = []
    for action in actions:
        turns.append(play(position, Action.from_notation(action)))
        position = turns[-1].after
    return Record(parse_variant(pond), tuple(turns), custom_start=first)


def review_last(record, limits=FEW):
    return list(review_moves(record, limits))[-1]


def reviewed(value, best_value, side=LIGHT):
    """Return a review that has only the values of two actions."""
    return MoveReview(side, Action.from_notation("@a1"), value, Action.from_notation("@b1"), best_value, 4, (), ())


# Obvious mistakes


ONE_EGG_FROM_TEN = "..../..../e.../EF.. l 3 12 8 0"
"""Light has eight points. An egg on c1 turns the frog next to it into an egg, and the set of three makes eleven."""


def test_missed_win_in_one_names_winning_action():
    judged = review_last(game(ONE_EGG_FROM_TEN, "@d4"))
    assert (judged.side, str(judged.taken), str(judged.best)) == (LIGHT, "@d4", "@c1")
    assert play(Position.from_notation(ONE_EGG_FROM_TEN), judged.best).outcome.winner is LIGHT
    assert (judged.missed_win, actions_to_end(judged.best_value)) == (True, 0)


def test_winning_action_has_no_fault():
    judged = review_last(game(ONE_EGG_FROM_TEN, "@c1"))
    assert (judged.value, judged.value_loss, judged.mistake_grade, judged.missed_win) == (
        WIN_VALUE - 1,
        0,
        Mistake.NONE,
        False,
    )
    assert judged.best == judged.taken


def test_giving_away_a_set_costs_its_value():
    four_ahead = SearchLimits(depth=4)
    judged = review_last(game("ef../..../..../E..E l 11 11 0 0", "@b2"), four_ahead)  # this leaves c4 to dark
    assert [str(action) for action in judged.line[:2]] == ["@b2", "@c4"]
    assert judged.mistake_grade >= Mistake.MISTAKE
    assert 100 <= judged.value_loss < 400
    assert not judged.missed_win
    assert not judged.threw_away_game


def test_losing_an_even_game_throws_it_away():
    judged = review_last(game("ef../..../..../E..E l 4 4 7 7", "@b2"))
    assert (judged.value, judged.threw_away_game, judged.is_turning_point) == (2 - WIN_VALUE, True, True)


def test_single_legal_action_is_searched():
    record = game("Ete/T.t/eEf l 0 0 6 4", "a2b2", pond="3x3/9/9")
    assert len(legal_actions(record.start_position)) == 1
    judged = review_last(record)
    assert judged.depth > 1
    assert (judged.best, judged.value_loss) == (judged.taken, 0)


@cache
def can_force(position, side, actions):
    """Return True if a side can win within this many actions against every reply, by exhaustive search."""
    ended = find_outcome(position)
    if ended or not actions:
        return bool(ended) and ended.winner is side
    after = (can_force(play(position, action).after, side, actions - 1) for action in legal_actions(position))
    return any(after) if position.to_move is side else all(after)


def at_random(seed, pond=TINY):
    rng, position, turns = Random(seed), Position.start(pond), []
    while legal_actions(position):
        turns.append(play(position, rng.choice(legal_actions(position))))
        position = turns[-1].after
    return Record(pond, tuple(turns))


@pytest.mark.slow
@pytest.mark.parametrize("seed", long_after_first(range(40)))
def test_forced_win_holds_against_every_reply(seed):
    record = at_random(seed)
    sure = 0
    for turn, judged in zip(record.turns, review_moves(record, FEW), strict=True):
        better = play(turn.before, judged.best).after
        for after, value in ((turn.after, judged.value), (better, judged.best_value)):
            winner = judged.side if value > 0 else judged.side.other_side
            if abs(value) >= MIN_WIN_VALUE and actions_to_end(value) <= 4:
                sure += 1
                assert can_force(after, winner, actions_to_end(value)), f"{after}\n{winner} in {actions_to_end(value)}"
        if can_force(turn.before, judged.side, 1):
            assert judged.best_value == WIN_VALUE - 1
            assert judged.missed_win == (judged.value < MIN_WIN_VALUE)
    can_force.cache_clear()
    assert sure


# Grades and turning points


def test_faults_are_classified_by_what_they_give_away():
    given = {
        0: Mistake.NONE,
        49: Mistake.NONE,
        50: Mistake.SLIP,
        99: Mistake.SLIP,
        100: Mistake.MISTAKE,
        200: Mistake.BLUNDER,
    }
    assert {loss: reviewed(-loss, 0).mistake_grade for loss in given} == given


def test_decided_game_is_not_thrown_away_again():
    assert reviewed(WIN_VALUE - 9, WIN_VALUE - 3).mistake_grade is Mistake.NONE  # slower, but it still wins
    assert reviewed(5 - WIN_VALUE, 9 - WIN_VALUE).mistake_grade is Mistake.NONE
    assert reviewed(MAX_COUNTED_VALUE + 10, MAX_COUNTED_VALUE + 300).value_loss == 0
    missed = reviewed(MAX_COUNTED_VALUE + 300, WIN_VALUE - 3)
    assert (missed.value_loss, missed.missed_win, missed.mistake_grade, missed.is_turning_point) == (
        0,
        True,
        Mistake.SLIP,
        False,
    )


def test_turning_point_is_mistake_that_changes_standing():
    assert reviewed(-30, 120).is_turning_point  # ahead, and now level
    assert reviewed(3 - WIN_VALUE, 0).is_turning_point
    assert reviewed(0, WIN_VALUE - 3).is_turning_point
    assert not reviewed(90, 250).is_turning_point  # ahead before and after
    assert not reviewed(60, 90).is_turning_point  # no mistake


def test_game_is_decided_when_winner_keeps_the_win():
    sure, lost = WIN_VALUE - 3, 3 - WIN_VALUE
    assert find_decision([]) is None
    assert find_decision([reviewed(10, 10)]) is None
    assert find_decision(
        [
            reviewed(sure, sure),
            reviewed(0, 0, DARK),
            reviewed(sure, sure),
            reviewed(lost, lost, DARK),
        ]
    ) == (3, LIGHT)
    assert find_decision([reviewed(lost, 0), reviewed(sure, sure, DARK)]) == (1, DARK)


def test_side_summary_counts_mistakes():
    judged = [
        reviewed(0, 0),
        reviewed(-60, 0, DARK),
        reviewed(-120, 0),
        reviewed(-300, WIN_VALUE - 2),
    ]
    light, dark = (summarize_side(judged, side) for side in (LIGHT, DARK))
    assert (light.actions, light.best_count, light.missed_wins) == (3, 1, 1)
    assert light.mean_loss == (0 + 120 + 800) / 3
    assert light.mistake_counts == {Mistake.SLIP: 0, Mistake.MISTAKE: 1, Mistake.BLUNDER: 1}
    assert dark == (1, 60, 0, {Mistake.SLIP: 1, Mistake.MISTAKE: 0, Mistake.BLUNDER: 0}, 0)


# Reproducibility


@pytest.mark.slow
def test_review_does_not_depend_on_earlier_reviews():
    record = at_random(5, parse_variant("4x4/6/3"))
    judged = list(review_moves(record, FEW))
    before = Record(record.variant, record.turns[:-2])
    alone = EngineGame.from_record(before)
    taken = pack_action(record.turns[-2].action, record.variant)
    assert review_move(Searcher(ANALYSIS_MEGABYTES), alone, taken, FEW) == judged[-2]


@pytest.mark.slow
def test_worker_gives_the_same_review():
    record = parse_record("1. @b2 @c3 2. @b3 @c2")
    before = Record(record.variant, record.turns[:-1])
    heard, thinker = SimpleQueue(), WorkerClient(ANALYSIS_MEGABYTES)
    thinker.ask_question(
        {**game_to_json(before), "judge": FEW._asdict(), "taken": str(record.turns[-1].action)}, heard.put
    )
    try:
        described = heard.get(timeout=30)
    finally:
        thinker.close()
    assert review_from_json(described) == review_last(record)


@pytest.mark.slow
def test_review_json_round_trips():
    judged = review_last(parse_record("1. @b2 @c3 2. @b3"))
    assert review_from_json(json.loads(json.dumps(review_to_json(judged)))) == judged


def test_stop_ends_the_reviews():
    assert list(review_moves(parse_record("1. @b2 @c3"), SearchLimits(nodes=10_000_000), lambda: True)) == []
