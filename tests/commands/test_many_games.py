"""Tests of the progress messages and report text shared by tournaments and studies."""

import pytest

from pond_hw.commands.many_games import describe_progress, format_interval, format_percent, format_signed
from pond_hw.lab.resumable_results import BatchResult
from pond_hw.lab.tournament import TournamentProgress
from pond_hw.lab.tournament_plan import SequentialTest, make_plan
from pond_hw.messages.message import Message


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0.25, 0.5, ["25.0", "50.0 %"]), (0.25, None, ["25.0 %"]), (None, 0.5, ["50.0 %"]), (None, None, [])],
)
def test_format_interval_with_missing_ends(low, high, expected):
    interval = format_interval({"low": low, "high": high})
    assert all(each in interval for each in expected)
    assert interval.count("%") == bool(expected)


def test_format_missing_and_zero_numbers():
    assert [format_percent(None), format_signed(0.4), format_signed(-12.3)] == ["", "0", "-12"]


def test_progress_shows_the_rate():
    tournament_progress = TournamentProgress(make_plan(["random", "greedy"], ["standard"], game_count=1000, pairs=1))
    assert describe_progress(tournament_progress, 0, 0.0) == Message("many.progress.of", played=0, total=1000)
    won, lost = ["light", "score", 30, 10, 2, 0], ["dark", "score", 40, 2, 10, 0]
    for number in range(50):
        tournament_progress.add_batch(BatchResult(0, number, [won, lost]))
    progress = Message("many.progress.of", played=100, total=1000)
    assert describe_progress(tournament_progress, 100, 10.0) == Message("many.rate", progress=progress, rate=10)
    assert describe_progress(tournament_progress, 100, 400.0) == Message("many.rate", progress=progress, rate=0.25)
    tested = make_plan(["random", "greedy"], ["standard"], game_count=1000, test=SequentialTest(0, 5))
    at_most = Message("many.progress.at_most", played=0, total=1000)
    assert describe_progress(TournamentProgress(tested), 0, 0.0) == at_most
