"""The kernel and `pond_hw.rules` agree on legal actions and their order, positions and outcomes."""

import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import given

from pond_hw.engine.packed import (
    DARK_WINS,
    DRAWN,
    LIGHT_WINS,
    UNDECIDED,
    pack_action,
    pack_position,
    unpack_action,
    unpack_position,
)
from pond_hw.rules import DARK, LIGHT, Action, Position, find_outcome, legal_actions, parse_variant, play
from tests.rules.positions import PONDS, board, positions, random_game

REFERENCE = json.loads((Path(__file__).parents[2] / "reference" / "perft.json").read_text(encoding="utf-8"))


def check(turns, position):
    """Compare all results of the kernel and the rules for a position."""
    pond = position.variant
    rules, bare = turns.PackedRules(pond.size, pond.target), pack_position(position)
    legal = legal_actions(position)
    actions = rules.legal_actions(bare)
    assert [unpack_action(number, pond) for number in actions] == list(legal)
    assert [rules.nth_action(bare, number) for number in range(len(legal))] == actions
    assert rules.nth_action(bare, len(legal)) == -1
    assert rules.count_actions(bare) == len(legal)
    for number, action in zip(actions, legal, strict=True):
        assert unpack_position(rules.play_action(bare, number), pond) == play(position, action).after, str(action)
    assert rules.outcome(bare) == ending(position)


def ending(position):
    expected = find_outcome(position)
    return UNDECIDED if expected is None else {LIGHT: LIGHT_WINS, DARK: DARK_WINS, None: DRAWN}[expected.winner]


def test_reachable_positions_match_the_rules(turns):
    @given(positions())
    def agrees(position):
        check(turns, position)

    agrees()


def test_games_on_every_pond_match_the_rules(turns):
    for seed, pond in enumerate(PONDS):
        for turn in random_game(seed, pond).turns[seed % 4 :: 4]:
            check(turns, turn.before)
        check(turns, turn.after)


@pytest.mark.long
@pytest.mark.parametrize("pond", PONDS, ids=str)
def test_many_games_match_the_rules(turns, pond):
    for seed in range(60):
        for turn in random_game(seed, pond).turns:
            check(turns, turn.before)
        check(turns, turn.after)


def test_whole_game_matches_reference(turns):
    for expected in REFERENCE["games"]:
        pond = parse_variant(expected["variant"])
        rules = turns.PackedRules(pond.size, pond.target)
        position = rules.start_position(pond.spawn)
        for text in expected["actions"].split():
            assert rules.outcome(position) == UNDECIDED
            position = rules.play_action(position, pack_action(Action.from_notation(text), pond))
        assert unpack_position(position, pond).notation_line == expected["final"]
        known = {"light": LIGHT_WINS, "dark": DARK_WINS, "draw": DRAWN}
        assert rules.outcome(position) == known[expected["result"]], expected


@pytest.mark.parametrize(
    ("name", "line", "ends"),
    [
        ("standard", "f.t./..../..F./T.Ee l 0 0 10 10", DRAWN),
        ("standard", "f.t./..../..F./T.Ee l 0 1 10 9", LIGHT_WINS),
        ("standard", "f.t./..../..F./T.Ee d 1 0 9 10", DARK_WINS),
        ("4x4/10/10", "...t/..../..../...E l 0 0 9 9", DARK_WINS),  # light has no other egg
        ("4x4/10/10", "...t/..../..../...E l 0 1 9 8", DARK_WINS),  # dark's egg would not help
        ("4x4/10/10", "...t/..../..../...E l 1 0 8 9", UNDECIDED),
        ("4x4/10/10", "...t/..../..../...E d 0 0 9 9", UNDECIDED),
        ("4x4/10/10", "...e/..../..../...T d 0 0 9 9", LIGHT_WINS),
        ("4x4/10/10", "...e/..../..../...T d 1 0 8 9", LIGHT_WINS),
        ("4x4/10/10", "...e/..../..../...T d 0 1 9 8", UNDECIDED),
    ],
)
def test_outcomes_match_the_rules(turns, name, line, ends):
    position = Position.from_notation(line, parse_variant(name))
    assert turns.PackedRules(4, 10).outcome(pack_position(position)) == ends == ending(position)


def test_crossing_sets_count_each_piece_once(turns):
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


@pytest.mark.parametrize("pond", PONDS, ids=str)
def test_scoring_targets_match_played_actions(turns, pond):
    rules, rng, found = turns.PackedRules(pond.size, pond.target), Random(1), set()
    for _ in range(5):
        position = rules.start_position(pond.spawn)
        while rules.outcome(position) == UNDECIDED:
            light, dark, eggs, tadpoles, _, scored, _ = position
            targets = rules.scoring_targets(eggs, tadpoles, (light | dark) ^ eggs ^ tadpoles)
            actions = rules.legal_actions(position)
            for action in actions:
                source, target = divmod(action, 32)
                symbol = 0 if source == target else 1 if tadpoles >> source & 1 else 2
                marked = bool(targets[symbol] >> target & 1)
                scores = rules.play_action(position, action)[5] != scored
                assert marked or not scores, (position, action)
                assert scores or not marked or symbol, (position, action)  # a marked cell always scores for an egg
                found.add((symbol, marked, scores))
            position = rules.play_action(position, rng.choice(actions))
    assert {(symbol, True, True) for symbol in range(3)} < found


def test_positions_are_not_changed_by_play(turns):
    rules = turns.PackedRules(5, 10)
    rng, position, expected = Random(3), rules.start_position(14), []
    while rules.outcome(position) == UNDECIDED:
        expected.append((position, tuple(position)))
        position = rules.play_action(position, rng.choice(rules.legal_actions(position)))
    assert all(one == two for one, two in expected)
    assert [rules.count_actions(one) > 0 for one, _ in expected] == [True] * len(expected)
