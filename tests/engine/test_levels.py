"""Levels: their errors, oversights and limits."""

from itertools import pairwise
from random import Random

import pytest

from pond_hw.engine.engine_names import BOUNDED_EXAMPLES, TABLE_ENGINES, make_engine
from pond_hw.engine.engines import EngineGame
from pond_hw.engine.levels import ENGINE_LEVELS, choose_for_level, is_frog_jump
from pond_hw.engine.packed import MIN_WIN_VALUE, pack_action, unpack_action
from pond_hw.engine.searcher import Searcher, SearchLimits
from pond_hw.messages.message import Message
from pond_hw.rules import STANDARD, Action, PondError, Position, Record, parse_variant
from tests.messages.says import text

WEAK = [level for level in ENGINE_LEVELS if level.error_deviation]


def set_up(line, pond=STANDARD):
    return EngineGame.from_record(Record(pond, custom_start=Position.from_notation(line, pond)))


def choose(name, game, seed):
    return str(unpack_action(make_engine(name, 1).choose_action(game, Random(seed), bool), game.variant))


def number(text):
    return pack_action(Action.from_notation(text), STANDARD)


@pytest.mark.parametrize("level", WEAK, ids=lambda level: level.name)
def test_recognized_blunders_are_never_taken(level):
    actions, values = [33, 66, 99, 132], [50, 0, 49 - level.worst_loss, -900]
    taken = {choose_for_level(actions, values, level, 4, Random(seed)) for seed in range(400)}
    assert taken <= {33, 66}


@pytest.mark.slow
def test_weaker_levels_err_more_often():
    actions, values = [33, 66, 99], [60, 30, 0]
    missed = {
        level: sum(choose_for_level(actions, values, level, 4, Random(seed)) != 33 for seed in range(2000))
        for level in WEAK
    }
    for weaker, stronger in pairwise(WEAK):  # a level that searches deeper may err more often
        assert missed[weaker] > missed[stronger] or weaker.depth < stronger.depth
    assert missed[WEAK[0]] > 2 * missed[WEAK[-1]] > 0


def test_costly_errors_are_rarer_than_small_ones():
    taken = [choose_for_level([33, 66, 99], [100, 80, 20], WEAK[0], 4, Random(seed)) for seed in range(2000)]
    assert taken.count(33) > taken.count(66) > taken.count(99) > 0


@pytest.mark.parametrize(
    "level", [level for level in ENGINE_LEVELS if level.oversight_rate], ids=lambda level: level.name
)
def test_jump_is_overlooked_unless_it_is_the_only_action(level):
    jump = number("a1c1")
    assert is_frog_jump(jump, 4)
    missed = sum(
        choose_for_level([jump, 33], [100, 100 - level.worst_loss], level, 4, Random(seed)) != jump
        for seed in range(1000)
    )
    assert 0 < missed < 1000
    assert choose_for_level([jump], [100], level, 4, Random(1)) == jump


@pytest.mark.parametrize(
    ("text", "far"), [("a1c1", True), ("a1a3", True), ("a1b1", False), ("a1a2", False), ("@c3", False)]
)
def test_jump_is_two_cells(text, far):
    assert is_frog_jump(number(text), 4) is far
    assert not is_frog_jump(pack_action(Action.from_notation("a1b1"), parse_variant("big")), 5)


@pytest.mark.parametrize("level", ENGINE_LEVELS[2:10], ids=lambda level: level.name)
def test_win_is_taken(level):
    #   4 . . . .      light has nine points; an egg on d1 completes a set of its own
    #   3 . . . E
    #   2 . . t F
    #   1 . . . .
    game = set_up("..../...E/..tF/.... l 2 10 9 2")
    assert {choose(level.name, game, seed) for seed in range(5)} == {"@d1"}


@pytest.mark.parametrize("name", ["level-4", "level-5", "search@d3", "search@n800", "mcts@n200", "random", "greedy"])
def test_same_seed_gives_same_choice(name):
    game = set_up(".t../..F./e..T/T... d 6 6 4 5")
    assert choose(name, game, 7) == choose(name, game, 7)


def test_equal_first_actions_are_chosen_at_random():
    game = EngineGame.from_record(Record())
    assert len({choose("search@d1", game, seed) for seed in range(30)}) > 3


@pytest.mark.parametrize(
    "name",
    [
        *("human", "level-0", "level-13", "search", "search@", "search@0s"),
        *("search@d0", "search@d61"),
        *("search@d02", "search@n01", "search@0.20s", "mcts@00.2s", "mcts@d3", "mcts@n0", "Level-1", "greedy "),
    ],
)
def test_unknown_engine_is_rejected(name):
    with pytest.raises(PondError) as refused:
        make_engine(name)
    arguments = {"names": TABLE_ENGINES, "examples": BOUNDED_EXAMPLES}
    assert refused.value.message == Message("player.unknown_engine", name=name, **arguments)
    assert text(refused.value.message)


def test_search_reports_each_depth_and_ends_when_settled():
    reported = []
    game = set_up("..../...E/..tF/.... l 2 10 9 2")
    thought = Searcher(1).search_game(game, SearchLimits(), on_depth=reported.append)
    assert thought.values[0] >= MIN_WIN_VALUE
    assert thought.depth == 1
    assert [each.depth for each in reported] == [1]
    game = EngineGame.from_record(Record())
    thought = Searcher(1).search_game(game, SearchLimits(depth=4), on_depth=reported.append)
    assert [each.depth for each in reported[1:]] == [1, 2, 3, 4]
    assert thought == reported[-1]


def test_stopped_search_returns_partial_result():
    game = EngineGame.from_record(Record())
    thought = Searcher(1).search_game(game, SearchLimits(), stop=lambda: True)
    assert thought.depth >= 1
    assert thought.actions[0] in game.rules.legal_actions(game.position)


def test_time_limit_is_kept():
    game = EngineGame.from_record(Record())
    looker = Searcher(1)
    thought = looker.search_game(game, SearchLimits(seconds=0.05))
    assert thought.depth < 40
    assert thought.nodes < 10_000_000
