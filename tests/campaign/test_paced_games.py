"""Plans of hand movements, and games at a fixed pace."""

from itertools import pairwise

import pytest

from pond_hw.rules import VARIANTS, find_outcome
from tests.campaign.paced_games import (
    BOARDS,
    WAYS,
    Played,
    main,
    plan_touches,
    play_here,
    play_with_command,
    random_games,
    recorded_games,
)
from tests.campaign.world import has_turn_keys

RECORDED = list(recorded_games())
OTHERS = list(random_games(len(VARIANTS), 3, list(VARIANTS.values())))


@pytest.mark.parametrize("turning", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_touches_are_possible_and_end_as_recorded(way, turning):
    for turns in (*RECORDED[::4], *OTHERS):
        for pace in (0.6, 3.0):
            standing = {}
            touches = plan_touches(turns, pace, way, turning=turning, keys=True)
            assert [owner for _, verb, _, owner in touches if verb == "press"] == [turn.side for turn in turns]
            for _, verb, cell, owner in touches:
                if verb == "press":
                    continue
                if verb == "take":
                    assert standing.pop(cell) is owner
                else:
                    assert cell not in standing
                    standing[cell] = owner
            assert standing == {cell: piece.owner for cell, piece in turns[-1].after.pieces.items()}


def test_actions_follow_each_other_at_the_given_pace():
    touches = plan_touches(RECORDED[0], 3.0, "tidy", turning=False)
    placed = [touch.at for touch, turn in zip(touches, RECORDED[0], strict=False) if not turn.action.source][:4]
    assert [after - before for before, after in pairwise(placed)] == [3.0, 3.0, 3.0]


def test_random_games_are_reproducible_and_mostly_finished():
    again = random_games(len(VARIANTS), 3, list(VARIANTS.values()))
    assert [[turn.action for turn in turns] for turns in again] == [[turn.action for turn in turns] for turns in OTHERS]
    assert sum(find_outcome(turns[-1].after) is not None for turns in OTHERS) > len(OTHERS) / 2


@pytest.mark.slow
def test_command_agrees_with_session():
    touches = plan_touches(RECORDED[4][:9], 3.0, "tidy", turning=True)
    for board in ("turned", "owners"):
        here, there = (play(RECORDED[4][:9], touches, BOARDS[board]) for play in (play_here, play_with_command))
        assert here.fault == there.fault


@pytest.mark.slow
def test_slow_players_are_understood():
    for board in BOARDS:
        touches = plan_touches(RECORDED[6], 25.0, "tidy", turning=False)
        assert not play_here(RECORDED[6], touches, BOARDS[board]).fault


@pytest.mark.slow
@pytest.mark.skipif(not has_turn_keys(), reason="this code has no turn keys")
@pytest.mark.parametrize("way", ["tidy", "late"])
def test_key_presses_are_understood_at_any_pace(way):
    for pace in (0.8, 6.0):
        touches = plan_touches(RECORDED[6], pace, way, turning=False, keys=True)
        assert play_here(RECORDED[6], touches, BOARDS["plain"], keys=True) == Played("", 0, 0, wrong=False, asked=0)
        unpressed = [touch for touch in touches if touch.verb != "press"]
        assert play_here(RECORDED[6], unpressed, BOARDS["plain"], keys=True).fault.startswith("0 actions of ")


@pytest.mark.slow
def test_table_and_log_are_printed(capsys):
    asked = ["--ways", "tidy", "--paces", "25", "--turning", "no", "--random", "3", "--variant", "mini"]
    assert main(asked) == 0
    assert "\n3 of 3 right, in " in capsys.readouterr().out
    assert main([*asked, "--game", "2"]) == 0
    log_lines = capsys.readouterr().out
    assert "     1.00  drop " in log_lines
    assert "act, turn 1: Light placed an egg on " in log_lines
    assert "tidy, 25 s, game 2: right" in log_lines
