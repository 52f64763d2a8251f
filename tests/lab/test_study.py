"""Studies of one player against itself."""

import json
from pathlib import Path

import pytest

from pond_hw.lab import elo
from pond_hw.lab.openings import OpeningValues, equivalent_cells
from pond_hw.lab.resumable_results import BatchResult, ResultsFile
from pond_hw.lab.study import (
    OutcomeCounts,
    StudyProgress,
    VariantStatistics,
    count_deviation,
    count_mean,
    count_quantile,
    distance_from_even,
    study_to_json,
)
from pond_hw.lab.tournament import run_tournament
from pond_hw.lab.tournament_plan import all_batches, make_plan
from pond_hw.lab.workers import local_workers, play_batch
from pond_hw.messages.message import Message
from pond_hw.rules import PondError, parse_variant
from tests.conftest import each

DOCS = Path(__file__).parents[2] / "docs"

PLAN = make_plan(["greedy"], ["3x3/6/3", "mini"], game_count=32, opening=2, seed=3, pairs=3, records=True)
EMPTY_OPENINGS = [OpeningValues(dict.fromkeys(equivalent_cells(size), 0), 1, 1) for size in (3, 4)]


def study_report(study):
    return json.dumps(study_to_json(study, EMPTY_OPENINGS))


def play_study(plan, count=1):
    study = StudyProgress(plan)
    with local_workers(count) as workers:
        run_tournament(study, workers, None, lambda _: None)
    return study


@pytest.fixture(scope="module")
def study():
    return play_study(PLAN)


@pytest.mark.slow
def test_workers_and_order_do_not_matter(study):
    assert study_report(play_study(PLAN, 2)) == study_report(study)
    other = StudyProgress(PLAN)
    for number, batch in reversed(list(all_batches(PLAN))):
        other.add_batch(BatchResult(number, batch, play_batch(PLAN, number, batch)))
        other.add_batch(BatchResult(number, batch, []))  # counted once
    assert other.is_complete
    assert study_report(other) == study_report(study)
    assert study_report(play_study(PLAN._replace(seed=4))) != study_report(study)


def test_result_does_not_depend_on_other_ponds(study):
    alone = play_study(PLAN._replace(variants=("mini",)))
    assert alone.variant_statistics[0] == study.variant_statistics[1]


def test_openings_use_each_first_egg_in_turn():
    first = [game for batch in range(6) for game in play_batch(PLAN, 1, batch)]
    openings = [game[-1].split()[:2] for game in first]
    cells = [f"@{column}{row}" for row in (1, 2, 3, 4) for column in "abcd"]
    assert [one for one, _ in openings] == 2 * cells
    assert len({tuple(two) for two in openings}) > 28


def test_game_statistics_are_counted():
    statistics = VariantStatistics(parse_variant("3x3/2/1"))
    statistics.add_game(["dark", "elimination", 5, 0, 0, 0, "@a1 @b1 @b3 @c3 a1a2"])
    assert (statistics.outcome_counts, statistics.games_by_ply, statistics.choices_by_ply) == (
        OutcomeCounts(0, 0, 1),
        [1] * 5,
        [9, 8, 8, 6, 3],
    )
    statistics.add_game(["dark", "elimination", 5, 0, 0, 0, "@c1 @b1 @b3 @a3 c1c2"])  # the mirrored game
    statistics.add_game(["draw", "repetition", 2, 0, 0, 0, "@b2 @a1"])
    assert statistics.outcome_counts == OutcomeCounts(0, 1, 2)
    assert statistics.outcomes_from(["a1", "c1"]) == OutcomeCounts(0, 0, 2)
    assert statistics.outcomes_from(["b2"]) == OutcomeCounts(0, 1, 0)
    assert (statistics.games_by_ply, statistics.choices_by_ply) == ([3, 3, 2, 2, 2], [27, 24, 16, 12, 6])
    assert len(statistics.distinct_games) == 2
    assert statistics.length_counts == {5: 2, 2: 1}
    assert statistics.reason_counts == {"elimination": 2, "repetition": 1}


@each(
    "game",
    [
        ["dark", "score", 2, 0, 0, 0, "@a1 @a1"],
        ["dark", "score", 3, 0, 0, 0, "@a1 @b2"],
        ["dark", "score", 2, 1, 0, 0, "@a1 @b2"],
        ["dark", "score", 2, 0, 0, 0, "@a1 b2"],
        ["dark", "score", 0, 0, 0, 0, ""],
    ],
)
def test_impossible_games_are_refused(game):
    statistics = VariantStatistics(parse_variant("3x3/6/3"))
    with pytest.raises(PondError):
        statistics.add_game(game)
    assert not statistics.end_counts


def test_mean_lead_includes_finished_games(study):
    for statistics in study.variant_statistics:
        games = statistics.outcome_counts.game_count
        last = sum(lead * count for lead, count in statistics.final_lead_counts.items()) / games
        longest = max(statistics.length_counts)
        assert statistics.mean_lead(0) == 0
        finished_leads = sum(
            lead * count for (length, lead), count in statistics.end_counts.items() if length < longest
        )
        assert statistics.mean_lead(longest - 1) == (finished_leads + statistics.leads_by_ply[longest - 1]) / games
        assert last == pytest.approx(count_mean(statistics.final_lead_counts))


def test_totals_add_up(study):
    for pond in json.loads(study_report(study))["ponds"]:
        wins = [pond[name] for name in ("light_wins", "drawn", "dark_wins")]
        assert sum(each["games"] for each in wins) == pond["games"] == 32
        assert sum(each["share"] for each in wins) == pytest.approx(1, abs=1e-5)
        assert all(each["low"] <= each["share"] <= each["high"] for each in (*wins, pond["light"]))
        assert pond["light"]["share"] == pytest.approx(wins[0]["share"] + wins[1]["share"] / 2, abs=1e-5)
        assert sum(egg["games"] for egg in pond["first_eggs"]) == 32
        assert sum(pond["actions"]["counted"].values()) == sum(pond["final_lead"]["counted"].values()) == 32
        assert sum(pond["reasons"].values()) == 32
        assert [ply["games"] for ply in pond["plies"]] == sorted((ply["games"] for ply in pond["plies"]), reverse=True)
        assert pond["actions"]["shortest"] <= pond["actions"]["mean"] <= pond["actions"]["longest"]


def test_intervals_of_share_and_distance_are_computed():
    assert OutcomeCounts(6, 4, 2).light_share == 8 / 12
    assert OutcomeCounts(6, 4, 2).share_interval == elo.share_interval(8 / 12, 12)
    for points in (OutcomeCounts(60, 0, 40), OutcomeCounts(40, 0, 60)):
        distance, (low, high) = distance_from_even(points)
        assert (distance, low) == (pytest.approx(0.1), pytest.approx(0.0020, abs=1e-3))
        assert high == pytest.approx(0.191, abs=1e-3)
    assert distance_from_even(OutcomeCounts(5, 0, 5))[1].low == 0


def test_means_and_quantiles_are_computed():
    counted = {10: 1, 20: 8, 40: 1}
    assert (count_mean(counted), count_deviation(counted)) == (21, 7)
    assert [count_quantile(counted, share) for share in (0.05, 0.1, 0.5, 0.9, 0.95, 1)] == [10, 10, 20, 20, 40, 40]


def test_study_and_tournament_files_are_separate(tmp_path):
    path = tmp_path / "games.jsonl"
    with ResultsFile(path, PLAN):
        pass
    with pytest.raises(PondError) as refused:
        ResultsFile(path, PLAN._replace(seed=4))
    assert refused.value.message == Message("results.other_study", file=str(path), differences=("seed: 3 / 4",))
    with pytest.raises(PondError) as refused:
        ResultsFile(path, make_plan(["random", "greedy"], ["mini"]))
    assert (refused.value.message.id, refused.value.message.arguments["file"]) == ("results.holds_study", str(path))
    with pytest.raises(PondError) as refused:
        make_plan(["greedy"], ["mini"], game_count=7)
    assert refused.value.message == Message("plan.odd_games.study", games=7)
    with pytest.raises(PondError) as refused:
        make_plan(["greedy", "random"], ["mini"], game_count=7)
    assert refused.value.message == Message("plan.odd_games.tournament", games=7)


def test_impossible_games_are_explained():
    game = ["light", "score", 2, 0, 0, 0, "@a1 @a1"]
    with pytest.raises(PondError) as refused:
        VariantStatistics(parse_variant("mini")).add_game(game)
    assert refused.value.message == Message("lab.illegal_action", variant="mini", action="@a1")
    with pytest.raises(PondError) as refused:
        VariantStatistics(parse_variant("mini")).add_game([*game[:2], 7, *game[3:6], "@a1 @a2"])
    assert refused.value.message == Message("lab.other_result", variant="mini")
