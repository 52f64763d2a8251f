"""Tournaments: the result does not depend on workers or interruptions."""

import gc
import json
import os
import subprocess
import sys
from concurrent.futures import Future
from contextlib import nullcontext

import pytest

from pond_hw.engine.packed import MAX_GAME_ACTIONS, is_compiled
from pond_hw.lab import elo, tournament_plan, workers
from pond_hw.lab.resumable_results import BatchResult, ResultsFile, read_batches, read_plan
from pond_hw.lab.tally import GameTally
from pond_hw.lab.tournament import TournamentProgress, run_tournament, summarize_tournament, write_records
from pond_hw.lab.tournament_plan import SequentialTest, all_batches, make_plan
from pond_hw.lab.workers import Workers, local_workers, play_batch
from pond_hw.messages.message import Message
from pond_hw.rules import PondError, Record, parse_record, parse_variant
from tests.conftest import each, skip_outside_ci
from tests.messages.says import text

SMALL_PLAN = make_plan(
    ["random", "greedy"], ["3x3/6/3"], game_count=56, seed=4, pairs=5
)  # six batches, the last one smaller
LIGHT_WON, DARK_WON, DRAWN = ([who, "score", 9, 1, 1, 0] for who in ("light", "dark", "draw"))
THREE_PLAYERS = make_plan(["greedy", "random", "level-1"], ["3x3/6/3", "3x3/4/3"], game_count=4, memory=1)


def play_tournament(plan, workers=None, path=None):
    """Play the games that are missing in the file. Return the results as JSON."""
    progress = TournamentProgress(plan)
    with (
        ResultsFile(path, plan) if path else nullcontext() as results_file,
        workers or local_workers(1) as started,
    ):
        for batch in results_file.read_batches() if results_file else ():
            progress.add_batch(batch)
        run_tournament(progress, started, results_file, lambda _: None)
    return json.dumps(summarize_tournament(progress))


@pytest.fixture(scope="module")
def uninterrupted():
    return play_tournament(SMALL_PLAN)


@pytest.mark.slow
def test_number_of_workers_does_not_matter(uninterrupted):
    assert play_tournament(SMALL_PLAN, local_workers(2)) == uninterrupted
    assert play_tournament(THREE_PLAYERS, local_workers(3)) == play_tournament(THREE_PLAYERS)


def test_order_of_batches_does_not_matter(uninterrupted):
    progress = TournamentProgress(SMALL_PLAN)
    for number, batch in reversed(list(all_batches(SMALL_PLAN))):
        progress.add_batch(BatchResult(number, batch, play_batch(SMALL_PLAN, number, batch)))
        progress.add_batch(BatchResult(number, batch, []))  # counted once
    assert json.dumps(summarize_tournament(progress)) == uninterrupted


@pytest.mark.slow
def test_interrupted_tournament_gives_the_same_result(uninterrupted, tmp_path):
    complete = tmp_path / "whole.jsonl"
    play_tournament(SMALL_PLAN, path=complete)
    text = complete.read_bytes()
    lines = text.splitlines(keepends=True)
    assert len(lines) == 7
    ends = [sum(map(len, lines[:n])) for n in range(8)]
    torn_ends = [
        end + more for end, line in zip(ends, lines, strict=False) for more in (1, len(line) // 2, len(line) - 1)
    ]
    for end in [*ends, *torn_ends]:
        stopped = tmp_path / "stopped.jsonl"
        stopped.write_bytes(text[:end])
        assert play_tournament(SMALL_PLAN, path=stopped) == uninterrupted, end
        assert sorted(stopped.read_bytes().splitlines()) == sorted(text.splitlines())


def test_seed_opening_and_pond_change_the_games():
    one = play_batch(SMALL_PLAN, 0, 0)
    assert play_batch(SMALL_PLAN, 0, 0) == one
    assert play_batch(SMALL_PLAN, 0, 1) != one
    others = [SMALL_PLAN._replace(seed=5), SMALL_PLAN._replace(opening=2), SMALL_PLAN._replace(variants=("3x3/7/3",))]
    assert all(play_batch(other, 0, 0) != one for other in others)


def test_pairs_share_an_opening_with_swapped_sides():
    plan = make_plan(["greedy", "random"], ["standard"], game_count=40, opening=6, records=True)
    games = play_batch(plan, 0, 0)
    openings = [game[-1].split()[:6] for game in games]
    assert openings[::2] == openings[1::2]
    assert len({tuple(each) for each in openings}) == 20
    assert games[0][-1] != games[1][-1]
    winners = [game[0] for game in games]  # greedy plays light in every other game, and wins nearly all
    assert winners[::2].count("light") > 15
    assert winners[1::2].count("dark") > 15


def test_reused_engines_play_the_same():
    plan = make_plan(["level-1", "search@n300"], ["3x3/6/3"], game_count=8, memory=1)
    alone = [play_batch(plan, 0, batch) for batch in range(4)]
    assert [play_batch(plan, 0, batch) for batch in (3, 1, 0, 2)] == [alone[n] for n in (3, 1, 0, 2)]


def test_levels_ignore_the_clock(monkeypatch):
    plan = make_plan(["level-2", "random"], ["standard"], game_count=2, memory=1)
    one = play_batch(plan, 0, 0)
    ticks = iter(range(0, 10**9, 60))
    monkeypatch.setattr("pond_hw.engine.searcher.monotonic", lambda: next(ticks))  # a very slow machine
    assert play_batch(plan._replace(seed=0), 0, 0) == one


def test_games_are_counted_by_player_and_reason():
    games = [
        ["light", "score", 40, 10, 3, 0],  # the first player has light
        ["light", "elimination", 21, 0, 0, 1],  # ... and dark
        ["draw", "repetition", 60, 2, 2, 1],
        ["dark", "score", 35, 4, 10, 0],
        ["dark", "score", 30, 4, 10, 0],
        ["draw", "too long", 1000, 5, 5, 1],
    ]
    tally = GameTally()
    tally.add_games(games)
    assert tally.pair_counts == [0, 1, 1, 1, 0]
    assert (tally.games_won, tally.games_drawn, tally.games_lost) == (2, 2, 2)
    assert tally.winners == {"light": 2, "dark": 2, "draw": 2}
    assert tally.reasons == {"score": 3, "elimination": 1, "repetition": 1, "too long": 1}
    assert (tally.total_actions, tally.shortest, tally.longest, tally.repeated_games) == (1186, 21, 1000, 3)
    parts = GameTally()
    for part in (games[4:], games[:4]):
        parts.add_games(part)
    assert parts == tally
    assert tally.longest < MAX_GAME_ACTIONS


def test_shares_of_first_player_and_light_are_computed():
    progress = TournamentProgress(make_plan(["random", "greedy"], ["standard"], game_count=8))
    progress.add_batch(BatchResult(0, 0, [["light", "score", 30, 10, 0, 0], ["light", "score", 30, 10, 0, 0]] * 3
                              + [["light", "score", 30, 10, 0, 0], ["draw", "score", 30, 10, 10, 0]]))  # fmt: skip
    results = summarize_tournament(progress)["matches"][0]
    assert results["light"]["share"] == 7.5 / 8
    assert results["score"]["share"] == 4.5 / 8
    assert results["pairs"] == [0, 0, 3, 1, 0]
    assert results["light"]["low"] == pytest.approx(0.5977, abs=1e-3)  # Wilson's interval of 7.5 of 8


PAIRS = {0: (DARK_WON, LIGHT_WON), 2: (LIGHT_WON, LIGHT_WON), 3: (LIGHT_WON, DRAWN), 4: (LIGHT_WON, DARK_WON)}
"""Results of a pair by the first player's half points."""


def play_pairs(points, test):
    """Return a match whose pairs give the first player these half points."""
    progress = TournamentProgress(
        make_plan(["level-1", "level-2"], ["standard"], game_count=2 * len(points), test=test)
    )
    for number, each_points in enumerate(points):
        progress.add_batch(BatchResult(0, number, PAIRS[each_points]))
    return progress


@each(
    "points, test, better, games",
    [
        ([4] * 80, SequentialTest(-10, 10), True, 104),  # 2.936 after 51 pairs, 2.994 after 52
        ([0] * 80, SequentialTest(-10, 10), False, 104),
        ([2] * 150, SequentialTest(-10, 10), None, 300),
        ([4, 0] * 75, SequentialTest(-10, 10), None, 300),
        ([0] * 80, SequentialTest(0, 20), False, 100),
        ([3] * 150, SequentialTest(0, 20), True, 106),
    ],
)
def test_sequential_test_decides(points, test, better, games):
    progress = play_pairs(points, test)
    verdict = progress.verdicts[0]
    assert (verdict and verdict.accepts_elo1) is better
    assert progress.counted_games == games
    assert progress.is_complete
    if verdict:
        assert abs(verdict.likelihood) >= 2.944
        counted = progress.tallies[0].pair_counts
        before = [n - (n == max(counted)) for n in counted]
        assert abs(elo.log_likelihood_ratio(before, *test)) < 2.945  # not decided one pair earlier


def test_only_games_before_the_decision_count():
    plan = make_plan(["level-1", "level-2"], ["standard"], game_count=400, test=SequentialTest(-10, 10))
    won = [LIGHT_WON, DARK_WON]
    progress = TournamentProgress(plan)
    for number in [*range(100, 200), *range(1, 100)]:
        progress.add_batch(BatchResult(0, number, won))
    assert (progress.counted_games, progress.verdicts) == (0, [None])
    progress.add_batch(BatchResult(0, 0, won[::-1]))
    assert progress.verdicts[0]
    assert json.dumps(summarize_tournament(progress)) == json.dumps(
        summarize_tournament(replay_counted_pairs(plan, won, progress))
    )
    assert not progress.is_counted(BatchResult(0, 150, won))
    assert progress.is_counted(BatchResult(0, 0, won))


def replay_counted_pairs(plan, won, before):
    """Return the progress after the counted batches, in order."""
    progress = TournamentProgress(plan)
    for number in range(before.counted_games // 2):
        progress.add_batch(BatchResult(0, number, won if number else won[::-1]))
    return progress


@pytest.mark.slow
def test_decision_does_not_depend_on_workers(tmp_path):
    plan = make_plan(
        ["random", "greedy", "level-1"], ["3x3/6/3"], game_count=400, test=SequentialTest(-30, 30), pairs=5, memory=1
    )
    alone = play_tournament(plan)
    assert json.loads(alone)["games"] < 1200
    assert play_tournament(plan, local_workers(2), tmp_path / "two.jsonl") == alone
    assert play_tournament(plan, path=tmp_path / "two.jsonl") == alone


def test_other_plan_is_refused(tmp_path):
    path = tmp_path / "games.jsonl"
    with ResultsFile(path, SMALL_PLAN):
        pass
    for other, *differences in [
        (SMALL_PLAN._replace(seed=5), "seed: 4 / 5"),
        (SMALL_PLAN._replace(games=60, opening=2), "games: 56 / 60", "opening: 4 / 2"),
        (SMALL_PLAN._replace(players=("greedy", "random")), "players: random greedy / greedy random"),
        (SMALL_PLAN._replace(test=SequentialTest(-10, 10)), "test: - / elo0 -10 elo1 10"),
        (SMALL_PLAN._replace(program="pond 99"), f"program: {SMALL_PLAN.program} / pond 99"),
    ]:
        with pytest.raises(PondError) as refused:
            ResultsFile(path, other)
        another = Message("results.other_tournament", file=str(path), differences=tuple(differences))
        assert refused.value.message == another
        assert text(another)
    with pytest.raises(PondError) as refused:
        ResultsFile(path, make_plan(["random"], ["mini"]))
    assert refused.value.message.id == "results.holds_tournament"
    assert read_plan(path) == SMALL_PLAN


def test_file_in_use_is_refused(tmp_path):
    pytest.importorskip("fcntl")
    path = tmp_path / "games.jsonl"
    with ResultsFile(path, SMALL_PLAN), pytest.raises(PondError) as refused:
        ResultsFile(path, SMALL_PLAN)
    assert refused.value.message == Message("results.in_use", file=str(path))
    with ResultsFile(path, SMALL_PLAN):
        assert list(read_batches(path, SMALL_PLAN)) == []  # reading needs no lock


@each(
    "line",
    [
        "nonsense",
        "[]",
        '{"match":0,"piece":0}',
        '{"match":1,"piece":0,"games":[]}',
        '{"match":0,"piece":6,"games":[]}',
        '{"match":0,"piece":true,"games":[]}',
        '{"match":0,"piece":0,"games":[["light","score",9,1,1,0]]}',
        json.dumps({"match": 0, "piece": 5, "games": [LIGHT_WON] * 5 + [["me", "score", 9, 1, 1, 0]]}),
        json.dumps({"match": 0, "piece": 5, "games": [LIGHT_WON] * 5 + [[[], {}, 9, 1, 1, 0]]}),
        json.dumps({"match": 0, "piece": 5, "games": [LIGHT_WON] * 5 + [["light", "score", 9, 1, -1, 0]]}),
        json.dumps({"match": 0, "piece": 5, "games": [LIGHT_WON] * 5 + [[*LIGHT_WON, "@a1"]]}),
    ],
)
def test_damaged_line_is_named(line, tmp_path):
    path = tmp_path / "games.jsonl"
    path.unlink(missing_ok=True)
    with ResultsFile(path, SMALL_PLAN) as results_file:
        results_file.write_batch(BatchResult(0, 1, play_batch(SMALL_PLAN, 0, 1)))
        with path.open("a") as file:
            file.write(line + "\n")
        with pytest.raises(PondError) as refused:
            list(results_file.read_batches())
        assert refused.value.message == Message("results.damaged_line", line=3, file=str(path))


@each(
    "content, reason",
    [
        *((content, None) for content in ("", "{}\n", "a game\n", "[" * 9999)),
        ('{"players":[1,2],"form":1}\n', Message("plan.none")),
        ('{"players":["random"],"form":7}\n', Message("plan.wrong_format", format="7", known_format=1)),
    ],
)
def test_other_files_are_not_changed(content, reason, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text(content)
    no_results = Message("results.not_results", file=str(path))
    why = Message("results.cannot_continue", file=str(path), reason=reason) if reason else no_results
    with pytest.raises(PondError) as refused:
        read_plan(path)
    assert refused.value.message == why
    assert text(why)
    if content:
        with pytest.raises(PondError) as refused:
            ResultsFile(path, SMALL_PLAN)
        assert refused.value.message == why
        assert path.read_text() == content


def test_records_can_be_replayed(tmp_path):
    plan = make_plan(["random", "greedy"], ["3x3/6/3", "mini"], game_count=6, records=True)
    path, folder = tmp_path / "games.jsonl", tmp_path / "records"
    play_tournament(plan, path=path)
    progress = TournamentProgress(plan)
    for batch in read_batches(path, plan):
        progress.add_batch(batch)
    assert write_records(progress, read_batches(path, plan), folder) == 12
    assert write_records(progress, read_batches(path, plan), folder) == 0
    records = [parse_record(file.read_text()) for file in sorted(folder.glob("*.pond"))]
    assert [record.variant.name for record in records] == ["3x3/6/3"] * 6 + ["mini"] * 6
    assert [record.tags["Light"] for record in records] == ["random", "greedy"] * 6
    games = [game for batch in sorted(read_batches(path, plan)) for game in batch.game_rows]
    for record, (winner, reason, actions, light, dark, *_) in zip(records, games, strict=True):
        assert isinstance(record, Record)
        assert record.outcome
        assert str("draw" if record.outcome.winner is None else record.outcome.winner) == winner
        assert (record.outcome.reason.value, len(record.turns)) == (reason, actions)
        assert record.position.scored == (light, dark)


def test_worker_of_another_version_is_refused(monkeypatch):
    with pytest.raises(PondError) as refused:
        play_batch(SMALL_PLAN._replace(program="pond 0.0"), 0, 0)
    assert refused.value.message == CANNOT_PLAY


CANNOT_PLAY = Message(
    "lab.worker_cannot_play",
    reason=Message("plan.other_version.tournament", theirs="pond 0.0", ours=tournament_plan.OWN_VERSION),
)


def test_plain_and_compiled_kernel_agree():
    if not is_compiled():
        skip_outside_ci("needs the compiled kernel, built from this source: make fast")
    plan = make_plan(["level-4", "search@n300"], ["mini"], game_count=2)
    script = "import json, sys; from pond_hw.lab import tournament_plan, workers; "
    script += "print(workers.play_batch(tournament_plan.parse_plan(json.loads(sys.argv[1])), 0, 0))"
    environment = {**os.environ, "POND_KERNEL": "plain"}
    command = [sys.executable, "-c", script, json.dumps(plan.to_json())]
    completed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert completed.stdout == f"{play_batch(plan, 0, 0)}\n"


def test_dead_worker_is_reported(monkeypatch):
    from concurrent.futures.process import BrokenProcessPool

    def play(*arguments):
        future = Future()
        future.set_exception(BrokenProcessPool())
        return future

    with pytest.raises(PondError) as refused:
        run_tournament(TournamentProgress(SMALL_PLAN), Workers(play, lambda: 1), None, lambda _: None)
    assert refused.value.message == Message("lab.process_died")


# Dask warns about its own resources at exit.
@pytest.mark.long
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::DeprecationWarning")
def test_cluster_gives_the_same_result(uninterrupted, tmp_path):
    try:
        from distributed import LocalCluster
    except ImportError:
        skip_outside_ci("needs distributed: a Dask cluster plays here")
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, protocol="tcp://", dashboard_address=None
    ) as cluster:
        address = cluster.scheduler_address
        assert play_tournament(SMALL_PLAN, workers.cluster_workers(address), tmp_path / "games.jsonl") == uninterrupted
        openings = tmp_path / "begun.jsonl"
        openings.write_bytes(b"".join((tmp_path / "games.jsonl").read_bytes().splitlines(keepends=True)[:3]))
        assert play_tournament(SMALL_PLAN, workers.cluster_workers(address), openings) == uninterrupted
        with pytest.raises(PondError) as refused:
            play_tournament(SMALL_PLAN._replace(program="pond 0.0"), workers.cluster_workers(address))
        assert refused.value.message == CANNOT_PLAY
    gc.collect()


def test_batches_cover_all_games():
    for plan in (SMALL_PLAN, THREE_PLAYERS, make_plan(["random", "greedy"], ["standard"], game_count=100_000)):
        for number, match in enumerate(plan.all_matches):
            pairs = [pair for n, batch in all_batches(plan) if n == number for pair in plan.pair_numbers(match, batch)]
            assert pairs == list(range(plan.games // 2))
    assert [match.players for match in THREE_PLAYERS.all_matches][:3] == [
        ("greedy", "random"),
        ("greedy", "level-1"),
        ("random", "level-1"),
    ]
    assert THREE_PLAYERS.all_matches[3].variant == parse_variant("3x3/4/3")
    assert tournament_plan.parse_plan(json.loads(json.dumps(THREE_PLAYERS.to_json()))) == THREE_PLAYERS
