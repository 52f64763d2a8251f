"""Rows of the table of required figures."""

import pytest

from tests.campaign.oracle import Figures
from tests.campaign.rows import ROOT, ROWS, main, play_row, run_row
from tests.campaign.world import has_turn_keys


def test_poor_results_miss_the_target_of_their_row():
    row = ROWS["owner"]
    good = Figures(games=4, intended=3000, asked=30, wrong_games=1, agreed=4)
    assert row.is_met(good)
    assert not row.is_met(good + Figures(asked=1))
    assert not row.is_met(good + Figures(wrong_games=1))
    assert not ROWS["rests"].is_met(good + Figures(games=1))
    assert ROWS["chatter"].is_met(good + Figures(games=1, named=1))


@pytest.mark.slow
def test_every_kind_of_row_is_played():
    for name in ("owner", "patient", "tidy-3", "answers", "drift", *(["keys-empty"] if has_turn_keys() else [])):
        counted, failing = play_row(ROWS[name], 5, 1)
        assert counted["games"] == 1
        assert counted["intended"] >= 5
        assert counted["agreed"] == 1 - len(failing)


@pytest.mark.slow
def test_separate_process_plays_same_games():
    figures, failing = run_row(ROOT, "owner", 5, 2)
    counted, expected_failures = play_row(ROWS["owner"], 5, 2)
    assert (figures, failing) == (Figures(**counted), expected_failures)


@pytest.mark.slow
def test_table_of_one_row_is_printed(capsys):
    main(["--only", "recorded-3", "--failing"])
    last = capsys.readouterr().out.splitlines()[2]
    assert last.startswith("the 20 recorded games, plain, no keys, 3 s an action")
    assert " new       20      862 " in last
