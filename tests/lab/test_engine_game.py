"""One game between two programs: it is the game of the rulebook, and it comes to an end."""

from random import Random

import pytest

from pond_hw.engine.engines import GreedyEngine, RandomEngine
from pond_hw.engine.packed import packed_rules, unpack_action
from pond_hw.lab import engine_game
from pond_hw.lab.engine_game import REPETITION, TOO_LONG, GameRunner
from pond_hw.rules import EndReason, Position, find_outcome, parse_variant, play
from tests.conftest import each

PONDS = ["standard", "big", "3x3/6/3", "3x3/9/1"]


class GoesBack:
    """Goes back to where it came from whenever it can, and else does anything."""

    name, quick = "goes-back", True

    def __init__(self):
        self.last = None

    def choose_action(self, game, chance, stop):
        actions = game.rules.legal_actions(game.position)
        back = [action for action in actions if self.last == (action & 31, action >> 5) and action % 33]
        taken = back[0] if back else chance.choice([a for a in actions if a % 33] or actions)
        self.last = taken >> 5, taken & 31
        return taken

    def ponder(self, game, stop):
        pass


def on_paper(pond, game):
    """The positions of a game, as the rules have it."""
    positions = [Position.start(parse_variant(pond))]
    for number in game.actions:
        positions.append(play(positions[-1], unpack_action(number, parse_variant(pond))).after)
    return positions


@each("pond", PONDS)
def test_a_game_ends_as_the_rules_say(pond):
    table = GameRunner(parse_variant(pond))
    for seed in range(15):
        chance = Random(seed)
        game = table.play_game(RandomEngine(), GreedyEngine(), table.random_opening(4, chance), chance)
        last = on_paper(pond, game)[-1]
        assert game.length == len(game.actions)
        assert (game.light, game.dark) == last.scored
        ended = find_outcome(last)
        assert game.winner == ("draw" if ended.winner is None else str(ended.winner))
        assert game.reason == ("score" if ended.reason is EndReason.SCORE else "elimination")


@each("pond", PONDS)
def test_an_opening_leaves_a_game_to_be_played(pond):
    rules, table = packed_rules(parse_variant(pond)), GameRunner(parse_variant(pond))
    for seed in range(30):
        position = rules.start_position(parse_variant(pond).spawn)
        opening = table.random_opening(12, Random(seed))
        for action in opening:
            assert action in rules.legal_actions(position)
            position = rules.play_action(position, action)
        assert rules.count_actions(position)
        assert len(opening) == 12 or "3x3" in pond
    assert len({tuple(table.random_opening(4, Random(seed))) for seed in range(30)}) > 10
    assert table.random_opening(0, Random(1)) == []


def test_at_the_third_occurrence_of_a_position_programs_agree_to_a_draw():
    table, found = GameRunner(parse_variant("big")), 0
    for seed in range(40):
        game = table.play_game(GoesBack(), GoesBack(), [], Random(seed))
        positions = on_paper("big", game)
        often = max(map(positions.count, positions))
        assert (game.reason == REPETITION) == (often == 3)
        assert game.had_repetition == (often > 1)
        if game.reason == REPETITION:
            assert game.winner == "draw"
            assert positions.count(positions[-1]) == 3
            found += 1
    assert found


def test_a_game_that_will_not_end_is_a_draw(monkeypatch):
    monkeypatch.setattr(engine_game, "MAX_ACTIONS", 10)
    game = GameRunner(parse_variant("standard")).play_game(RandomEngine(), RandomEngine(), [], Random(1))
    assert game[:3] == ("draw", TOO_LONG, 10)


def test_the_same_chances_the_same_game():
    table = GameRunner(parse_variant("standard"))
    one, same, other = (table.play_game(RandomEngine(), GreedyEngine(), [], Random(seed)) for seed in (1, 1, 2))
    assert one == same
    assert one != other


@pytest.mark.parametrize("side", [0, 1])
def test_who_has_light_moves_first(side):
    asked = []

    class Watched(RandomEngine):
        def choose_action(self, game, chance, stop):
            asked.append(game.position[6])
            return super().choose_action(game, chance, stop)

    sides = [RandomEngine(), Watched()] if side else [Watched(), RandomEngine()]
    GameRunner(parse_variant("standard")).play_game(*sides, [], Random(1))
    assert set(asked) == {side}
