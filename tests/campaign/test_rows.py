"""The table of figures counts what games count, and says what is missed."""

import pytest

from tests.campaign.oracle import Figures
from tests.campaign.rows import ROOT, ROWS, main, play_row, run_row
from tests.campaign.world import has_turn_keys


def test_figures_that_are_not_as_wanted_are_missed():
    row = ROWS["owner"]
    good = Figures(games=4, meant=3000, asked=30, wrong_games=1, agreed=4)
    assert row.is_met(good)
    assert not row.is_met(good + Figures(asked=1))
    assert not row.is_met(good + Figures(wrong_games=1))
    assert not ROWS["rests"].is_met(good + Figures(games=1))
    assert ROWS["chatter"].is_met(good + Figures(games=1, named=1))


@pytest.mark.slow
def test_each_kind_of_row_is_played_and_counted():
    for name in ("owner", "patient", "tidy-3", "answers", "drift", *(["keys-empty"] if has_turn_keys() else [])):
        counted, failing = play_row(ROWS[name], 5, 1)
        assert counted["games"] == 1
        assert counted["meant"] >= 5
        assert counted["agreed"] == 1 - len(failing)


@pytest.mark.slow
def test_another_process_plays_the_same_games():
    figures, failing = run_row(ROOT, "owner", 5, 2)
    counted, told = play_row(ROWS["owner"], 5, 2)
    assert (figures, failing) == (Figures(**counted), told)


@pytest.mark.slow
def test_a_table_of_one_row_is_printed(capsys):
    main(["--only", "recorded-3", "--failing"])
    last = capsys.readouterr().out.splitlines()[2]
    assert last.startswith("the 20 recorded games, plain, no keys, 3 s an action")
    assert " new       20      862 " in last
