"""One turn of the kernel is one turn of `rules`: the same actions in one order, the same position, the same end."""

import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import given

from pond_hw.engine.packed import DARK_WINS, DRAWN, LIGHT_WINS, UNDECIDED, to_action, to_bare, to_number, to_position
from pond_hw.rules import DARK, LIGHT, Action, Position, legal_actions, outcome, play, variant
from tests.rules.positions import PONDS, board, positions, random_game

REFERENCE = json.loads((Path(__file__).parents[2] / "reference" / "perft.json").read_text(encoding="utf-8"))


def check(turns, position):
    """All that can be asked about a position, of both."""
    pond = position.pond
    rules, bare = turns.Rules(pond.size, pond.target), to_bare(position)
    legal = legal_actions(position)
    actions = rules.actions(bare)
    assert [to_action(number, pond) for number in actions] == list(legal)
    assert [rules.action(bare, number) for number in range(len(legal))] == actions
    assert rules.action(bare, len(legal)) == -1
    assert rules.count(bare) == len(legal)
    for number, action in zip(actions, legal, strict=True):
        assert to_position(rules.play(bare, number), pond) == play(position, action).after, str(action)
    assert rules.outcome(bare) == ending(position)


def ending(position):
    told = outcome(position)
    return UNDECIDED if told is None else {LIGHT: LIGHT_WINS, DARK: DARK_WINS, None: DRAWN}[told.winner]


def test_in_whatever_position_play_can_come_to(turns):
    @given(positions())
    def agrees(position):
        check(turns, position)

    agrees()


def test_all_through_a_game_on_every_pond(turns):
    for seed, pond in enumerate(PONDS):
        for turn in random_game(seed, pond).turns[seed % 4 :: 4]:
            check(turns, turn.before)
        check(turns, turn.after)


@pytest.mark.long
@pytest.mark.parametrize("pond", PONDS, ids=str)
def test_all_through_many_games(turns, pond):
    for seed in range(60):
        for turn in random_game(seed, pond).turns:
            check(turns, turn.before)
        check(turns, turn.after)


def test_a_whole_game_ends_as_it_did_elsewhere(turns):
    for told in REFERENCE["games"]:
        pond = variant(told["variant"])
        rules = turns.Rules(pond.size, pond.target)
        position = rules.start(pond.spawn)
        for text in told["actions"].split():
            assert rules.outcome(position) == UNDECIDED
            position = rules.play(position, to_number(Action.read(text), pond))
        assert to_position(position, pond).line == told["final"]
        known = {"light": LIGHT_WINS, "dark": DARK_WINS, "draw": DRAWN}
        assert rules.outcome(position) == known[told["result"]], told


@pytest.mark.parametrize(
    ("name", "line", "ends"),
    [
        ("standard", "f.t./..../..F./T.Ee l 0 0 10 10", DRAWN),
        ("standard", "f.t./..../..F./T.Ee l 0 1 10 9", LIGHT_WINS),
        ("standard", "f.t./..../..F./T.Ee d 1 0 9 10", DARK_WINS),
        ("4x4/10/10", "...t/..../..../...E l 0 0 9 9", DARK_WINS),  # light has no other egg
        ("4x4/10/10", "...t/..../..../...E l 0 1 9 8", DARK_WINS),  # dark's would not help
        ("4x4/10/10", "...t/..../..../...E l 1 0 8 9", UNDECIDED),
        ("4x4/10/10", "...t/..../..../...E d 0 0 9 9", UNDECIDED),
        ("4x4/10/10", "...e/..../..../...T d 0 0 9 9", LIGHT_WINS),
        ("4x4/10/10", "...e/..../..../...T d 1 0 8 9", LIGHT_WINS),
        ("4x4/10/10", "...e/..../..../...T d 0 1 9 8", UNDECIDED),
    ],
)
def test_who_has_won(turns, name, line, ends):
    position = Position.read(line, variant(name))
    assert turns.Rules(4, 10).outcome(to_bare(position)) == ends == ending(position)


def test_crossing_sets_leave_together_and_each_piece_counts_once(turns):
    before = board(
        """
        4 . . t .
        3 . . t .
        2 F T . e
        1 . . f .
          a b c d
        """,
        to_move=DARK,
    )
    for action in legal_actions(before):
        check(turns, play(before, action).after)


def test_positions_are_not_changed_by_play(turns):
    rules = turns.Rules(5, 10)
    chance, position, told = Random(3), rules.start(14), []
    while rules.outcome(position) == UNDECIDED:
        told.append((position, tuple(position)))
        position = rules.play(position, chance.choice(rules.actions(position)))
    assert all(one == two for one, two in told)
    assert [rules.count(one) > 0 for one, _ in told] == [True] * len(told)
