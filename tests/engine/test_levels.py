"""Eight opponents: what they see, what they miss, and what they never do."""

from random import Random

import pytest

from pond_hw.engine.engine_names import mind
from pond_hw.engine.engines import Game
from pond_hw.engine.levels import LEVELS, chosen, jumps
from pond_hw.engine.packed import SURE, to_action, to_number
from pond_hw.engine.searcher import Limits, Looker
from pond_hw.rules import STANDARD, Action, PondError, Position, Record, variant

WEAK = [level for level in LEVELS if level.misjudges]


def set_up(line, pond=STANDARD):
    return Game.of(Record(pond, start=Position.read(line, pond)))


def choose(name, game, seed):
    return str(to_action(mind(name, 1).choose(game, Random(seed), bool), game.pond))


def number(text):
    return to_number(Action.read(text), STANDARD)


@pytest.mark.parametrize("level", WEAK, ids=lambda level: level.name)
def test_nobody_takes_what_is_seen_to_be_bad(level):
    actions, values = [33, 66, 99, 132], [50, 0, 49 - level.worst, -900]
    taken = {chosen(actions, values, level, 4, Random(seed)) for seed in range(400)}
    assert taken <= {33, 66}


def test_the_weaker_a_level_the_more_often_it_errs():
    actions, values = [33, 66, 99], [60, 30, 0]
    missed = [sum(chosen(actions, values, level, 4, Random(seed)) != 33 for seed in range(2000)) for level in WEAK]
    assert missed == sorted(missed, reverse=True)
    assert missed[0] > 2 * missed[-1] > 0


def test_what_costs_much_is_misjudged_less_often_than_what_costs_little():
    taken = [chosen([33, 66, 99], [100, 80, 20], WEAK[0], 4, Random(seed)) for seed in range(2000)]
    assert taken.count(33) > taken.count(66) > taken.count(99) > 0


@pytest.mark.parametrize("level", [level for level in LEVELS if level.overlooks], ids=lambda level: level.name)
def test_a_jump_is_overlooked_now_and_then_but_never_the_only_action(level):
    jump = number("a1c1")
    assert jumps(jump, 4)
    missed = sum(chosen([jump, 33], [100, 100 - level.worst], level, 4, Random(seed)) != jump for seed in range(1000))
    assert 0 < missed < 1000
    assert chosen([jump], [100], level, 4, Random(1)) == jump


@pytest.mark.parametrize(
    ("text", "far"), [("a1c1", True), ("a1a3", True), ("a1b1", False), ("a1a2", False), ("@c3", False)]
)
def test_a_jump_is_two_cells(text, far):
    assert jumps(number(text), 4) is far
    assert not jumps(to_number(Action.read("a1b1"), variant("big")), 5)


@pytest.mark.parametrize("level", LEVELS[2:6], ids=lambda level: level.name)
def test_a_win_is_taken(level):
    #   4 . . . .      light has nine; an egg on d1 makes three of its own of a kind
    #   3 . . . E
    #   2 . . t F
    #   1 . . . .
    game = set_up("..../...E/..tF/.... l 2 10 9 2")
    assert {choose(level.name, game, seed) for seed in range(5)} == {"@d1"}


@pytest.mark.parametrize("name", ["level-4", "level-5", "search@d3", "search@n800", "mcts@n200", "random", "greedy"])
def test_the_same_chances_the_same_choice(name):
    game = set_up(".t../..F./e..T/T... d 6 6 4 5")
    assert choose(name, game, 7) == choose(name, game, 7)


def test_of_equally_good_beginnings_any_is_chosen():
    game = Game.of(Record())
    assert len({choose("search@d1", game, seed) for seed in range(30)}) > 3


@pytest.mark.parametrize(
    "name",
    [
        *("human", "level-0", "level-9", "search", "search@", "search@0s"),
        *("search@d0", "search@d61"),
        *("search@d02", "search@n01", "search@0.20s", "mcts@00.2s", "mcts@d3", "mcts@n0", "Level-1", "greedy "),
    ],
)
def test_nobody_else_has_a_name(name):
    with pytest.raises(PondError, match=r"There is no player .*; there are random, greedy, level-1, .*mcts@n1000"):
        mind(name)


def test_looking_ahead_tells_each_depth_and_ends_when_the_matter_is_settled():
    told = []
    game = set_up("..../...E/..tF/.... l 2 10 9 2")
    thought = Looker(1).look(game, Limits(), told=told.append)
    assert thought.values[0] >= SURE
    assert thought.depth == 1
    assert [each.depth for each in told] == [1]
    game = Game.of(Record())
    thought = Looker(1).look(game, Limits(depth=4), told=told.append)
    assert [each.depth for each in told[1:]] == [1, 2, 3, 4]
    assert thought == told[-1]


def test_somebody_who_stops_it_gets_what_was_found_until_then():
    game = Game.of(Record())
    thought = Looker(1).look(game, Limits(), stop=lambda: True)
    assert thought.depth >= 1
    assert thought.actions[0] in game.rules.actions(game.position)


def test_a_time_is_kept():
    game = Game.of(Record())
    looker = Looker(1)
    thought = looker.look(game, Limits(seconds=0.05))
    assert thought.depth < 40
    assert thought.nodes < 10_000_000
