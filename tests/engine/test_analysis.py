"""What actions were worth, held against games in which everybody can see what was right."""

import json
from functools import cache
from queue import SimpleQueue
from random import Random

import pytest

from pond_hw.engine.analysis import (
    ENOUGH,
    MEGABYTES,
    Fault,
    Judged,
    analysed,
    as_told,
    decided,
    from_told,
    judge,
    left,
    summary,
)
from pond_hw.engine.engines import Game
from pond_hw.engine.packed import SURE, WON, to_number
from pond_hw.engine.searcher import Limits, Looker
from pond_hw.engine.worker_process import Thinker, asked
from pond_hw.rules import (
    DARK,
    LIGHT,
    Action,
    Position,
    Record,
    legal_actions,
    outcome,
    play,
    read_record,
    variant,
)
from tests.conftest import first_now_rest_long

FEW = Limits(nodes=1500)
TINY = variant("3x3/5/2")


def game(start, *actions, pond="standard"):
    """A game from a position, as far as these actions."""
    position = first = Position.read(start, variant(pond))
    turns = []
    for action in actions:
        turns.append(play(position, Action.read(action)))
        position = turns[-1].after
    return Record(variant(pond), tuple(turns), start=first)


def the_last(record, limits=FEW):
    return list(analysed(record, limits))[-1]


def one(value, best_value, side=LIGHT):
    """A judgement that only tells what two actions are worth."""
    return Judged(side, Action.read("@a1"), value, Action.read("@b1"), best_value, 4, (), ())


# Against what everybody can see


ONE_EGG_FROM_TEN = "..../..../e.../EF.. l 3 12 8 0"
"""Light has eight: with an egg on c1 the frog beside it is an egg too, three lie in a row, and light has eleven."""


def test_a_win_in_one_that_was_missed_is_told_with_the_action_that_wins():
    judged = the_last(game(ONE_EGG_FROM_TEN, "@d4"))
    assert (judged.side, str(judged.taken), str(judged.best)) == (LIGHT, "@d4", "@c1")
    assert play(Position.read(ONE_EGG_FROM_TEN), judged.best).outcome.winner is LIGHT
    assert (judged.missed, left(judged.best_value)) == (True, 0)


def test_the_action_that_wins_has_no_fault():
    judged = the_last(game(ONE_EGG_FROM_TEN, "@c1"))
    assert (judged.value, judged.loss, judged.fault, judged.missed) == (WON - 1, 0, Fault.NONE, False)
    assert judged.best == judged.taken


def test_an_action_that_gives_a_set_away_costs_what_the_set_is_worth():
    judged = the_last(game("ef../..../..../E..E l 11 11 0 0", "@b2"))  # which leaves c4 to dark
    assert [str(action) for action in judged.line[:2]] == ["@b2", "@c4"]
    assert judged.fault is Fault.BLUNDER
    assert 200 <= judged.loss < 400
    assert not judged.missed
    assert not judged.thrown


def test_a_lost_game_that_was_level_is_thrown_away():
    judged = the_last(game("ef../..../..../E..E l 4 4 7 7", "@b2"))
    assert (judged.value, judged.thrown, judged.turning) == (2 - WON, True, True)


def test_with_one_legal_action_it_is_looked_ahead_all_the_same():
    record = game("Ete/T.t/eEf l 0 0 6 4", "a2b2", pond="3x3/9/9")
    assert len(legal_actions(record.start_position)) == 1
    judged = the_last(record)
    assert judged.depth > 1
    assert (judged.best, judged.loss) == (judged.taken, 0)


@cache
def forces(position, side, actions):
    """Whether a side wins within so many actions, whatever the other does: by the rules alone, trying everything."""
    ended = outcome(position)
    if ended or not actions:
        return bool(ended) and ended.winner is side
    after = (forces(play(position, action).after, side, actions - 1) for action in legal_actions(position))
    return any(after) if position.to_move is side else all(after)


def at_random(seed, pond=TINY):
    chance, position, turns = Random(seed), Position.start(pond), []
    while legal_actions(position):
        turns.append(play(position, chance.choice(legal_actions(position))))
        position = turns[-1].after
    return Record(pond, tuple(turns))


@pytest.mark.parametrize("seed", first_now_rest_long(range(40)))
def test_what_is_called_a_sure_win_is_one_whatever_is_tried(seed):
    record = at_random(seed)
    sure = 0
    for turn, judged in zip(record.turns, analysed(record, FEW), strict=True):
        better = play(turn.before, judged.best).after
        for after, value in ((turn.after, judged.value), (better, judged.best_value)):
            winner = judged.side if value > 0 else judged.side.other
            if abs(value) >= SURE and left(value) <= 4:
                sure += 1
                assert forces(after, winner, left(value)), f"{after}\n{winner} in {left(value)}"
        if forces(turn.before, judged.side, 1):
            assert judged.best_value == WON - 1
            assert judged.missed == (judged.value < SURE)
    forces.cache_clear()
    assert sure


# How bad, and where the game turned


def test_faults_are_named_by_what_they_give_away():
    given = {0: Fault.NONE, 49: Fault.NONE, 50: Fault.SLIP, 99: Fault.SLIP, 100: Fault.MISTAKE, 200: Fault.BLUNDER}
    assert {loss: one(-loss, 0).fault for loss in given} == given


def test_what_is_won_or_lost_already_is_not_given_away_again():
    assert one(WON - 9, WON - 3).fault is Fault.NONE  # it takes longer, and wins
    assert one(5 - WON, 9 - WON).fault is Fault.NONE
    assert one(ENOUGH + 10, ENOUGH + 300).loss == 0
    missed = one(ENOUGH + 300, WON - 3)
    assert (missed.loss, missed.missed, missed.fault, missed.turning) == (0, True, Fault.SLIP, False)


def test_a_turning_point_is_a_mistake_after_which_one_stands_worse_in_kind():
    assert one(-30, 120).turning  # ahead, and now level
    assert one(3 - WON, 0).turning
    assert one(0, WON - 3).turning
    assert not one(90, 250).turning  # ahead before and after
    assert not one(60, 90).turning  # no mistake


def test_the_game_is_decided_where_the_winner_never_lets_it_go_again():
    sure, lost = WON - 3, 3 - WON
    assert decided([]) is None
    assert decided([one(10, 10)]) is None
    assert decided([one(sure, sure), one(0, 0, DARK), one(sure, sure), one(lost, lost, DARK)]) == (3, LIGHT)
    assert decided([one(lost, 0), one(sure, sure, DARK)]) == (1, DARK)


def test_a_side_is_summed_up():
    judged = [one(0, 0), one(-60, 0, DARK), one(-120, 0), one(-300, WON - 2)]
    light, dark = (summary(judged, side) for side in (LIGHT, DARK))
    assert (light.actions, light.best, light.missed) == (3, 1, 1)
    assert light.loss == (0 + 120 + 800) / 3
    assert light.faults == {Fault.SLIP: 0, Fault.MISTAKE: 1, Fault.BLUNDER: 1}
    assert dark == (1, 60, 0, {Fault.SLIP: 1, Fault.MISTAKE: 0, Fault.BLUNDER: 0}, 0)


# The same everywhere


@pytest.mark.slow
def test_a_judgement_is_the_same_whatever_was_looked_at_before():
    record = at_random(5, variant("4x4/6/3"))
    judged = list(analysed(record, FEW))
    before = Record(record.pond, record.turns[:-2])
    alone = Game.of(before)
    taken = to_number(record.turns[-2].action, record.pond)
    assert judge(Looker(MEGABYTES), alone, taken, FEW) == judged[-2]


def test_the_process_that_thinks_says_the_same():
    record = read_record("1. @b2 @c3 2. @b3 @c2")
    before = Record(record.pond, record.turns[:-1])
    heard, thinker = SimpleQueue(), Thinker(MEGABYTES)
    thinker.ask({**asked(before), "judge": FEW._asdict(), "taken": str(record.turns[-1].action)}, heard.put)
    try:
        told = heard.get(timeout=30)
    finally:
        thinker.close()
    assert from_told(told) == the_last(record)


def test_what_is_told_is_understood_again():
    judged = the_last(read_record("1. @b2 @c3 2. @b3"))
    assert from_told(json.loads(json.dumps(as_told(judged)))) == judged


def test_whoever_says_stop_gets_no_more():
    assert list(analysed(read_record("1. @b2 @c3"), Limits(nodes=10_000_000), lambda: True)) == []
