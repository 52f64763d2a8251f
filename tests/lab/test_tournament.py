"""A tournament comes to the same, whoever plays it, however many do, and however often it is stopped."""

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
from tests.conftest import each, lacks
from tests.messages.says import text

QUICK = make_plan(["random", "greedy"], ["3x3/6/3"], game_count=56, seed=4, pairs=5)  # six pieces, the last one smaller
LIGHT_WON, DARK_WON, DRAWN = ([who, "score", 9, 1, 1, 0] for who in ("light", "dark", "draw"))
THREE = make_plan(["greedy", "random", "level-1"], ["3x3/6/3", "3x3/4/3"], game_count=4, memory=1)


def what_it_comes_to(planned, playing=None, path=None):
    """The totals of a tournament, as they are printed, when these hands have played what the file lacks."""
    standing = TournamentProgress(planned)
    with ResultsFile(path, planned) if path else nullcontext() as ledger, playing or local_workers(1) as found:
        for piece in ledger.read_batches() if ledger else ():
            standing.add_batch(piece)
        run_tournament(standing, found, ledger, lambda _: None)
    return json.dumps(summarize_tournament(standing))


@pytest.fixture(scope="module")
def at_one_go():
    return what_it_comes_to(QUICK)


@pytest.mark.slow
def test_one_two_or_three_workers(at_one_go):
    assert what_it_comes_to(QUICK, local_workers(2)) == at_one_go
    assert what_it_comes_to(THREE, local_workers(3)) == what_it_comes_to(THREE)


def test_pieces_in_any_order(at_one_go):
    standing = TournamentProgress(QUICK)
    for number, piece in reversed(list(all_batches(QUICK))):
        standing.add_batch(BatchResult(number, piece, play_batch(QUICK, number, piece)))
        standing.add_batch(BatchResult(number, piece, []))  # counted once
    assert json.dumps(summarize_tournament(standing)) == at_one_go


@pytest.mark.slow
def test_what_was_stopped_anywhere_goes_on_to_the_same(at_one_go, tmp_path):
    whole = tmp_path / "whole.jsonl"
    what_it_comes_to(QUICK, path=whole)
    text = whole.read_bytes()
    lines = text.splitlines(keepends=True)
    assert len(lines) == 7
    ends = [sum(map(len, lines[:n])) for n in range(8)]
    torn = [end + more for end, line in zip(ends, lines, strict=False) for more in (1, len(line) // 2, len(line) - 1)]
    for end in [*ends, *torn]:
        stopped = tmp_path / "stopped.jsonl"
        stopped.write_bytes(text[:end])
        assert what_it_comes_to(QUICK, path=stopped) == at_one_go, end
        assert sorted(stopped.read_bytes().splitlines()) == sorted(text.splitlines())


def test_a_piece_of_another_seed_opening_or_pond_is_another():
    one = play_batch(QUICK, 0, 0)
    assert play_batch(QUICK, 0, 0) == one
    assert play_batch(QUICK, 0, 1) != one
    others = [QUICK._replace(seed=5), QUICK._replace(opening=2), QUICK._replace(variants=("3x3/7/3",))]
    assert all(play_batch(other, 0, 0) != one for other in others)


def test_a_pair_begins_with_the_same_opening_and_swapped_sides():
    planned = make_plan(["greedy", "random"], ["standard"], game_count=40, opening=6, records=True)
    games = play_batch(planned, 0, 0)
    begun = [game[-1].split()[:6] for game in games]
    assert begun[::2] == begun[1::2]
    assert len({tuple(each) for each in begun}) == 20
    assert games[0][-1] != games[1][-1]
    winners = [game[0] for game in games]  # greedy has light in every other game, and wins nearly all
    assert winners[::2].count("light") > 15
    assert winners[1::2].count("dark") > 15


def test_minds_that_are_kept_change_nothing():
    planned = make_plan(["level-1", "search@n300"], ["3x3/6/3"], game_count=8, memory=1)
    alone = [play_batch(planned, 0, piece) for piece in range(4)]
    assert [play_batch(planned, 0, piece) for piece in (3, 1, 0, 2)] == [alone[n] for n in (3, 1, 0, 2)]


def test_a_level_does_not_look_at_the_clock_here(monkeypatch):
    planned = make_plan(["level-2", "random"], ["standard"], game_count=2, memory=1)
    one = play_batch(planned, 0, 0)
    ticks = iter(range(0, 10**9, 60))
    monkeypatch.setattr("pond_hw.engine.searcher.monotonic", lambda: next(ticks))  # a machine that is terribly slow
    assert play_batch(planned._replace(seed=0), 0, 0) == one


def test_games_are_counted_as_they_went():
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


def test_the_first_player_and_light_have_their_shares():
    standing = TournamentProgress(make_plan(["random", "greedy"], ["standard"], game_count=8))
    standing.add_batch(BatchResult(0, 0, [["light", "score", 30, 10, 0, 0], ["light", "score", 30, 10, 0, 0]] * 3
                              + [["light", "score", 30, 10, 0, 0], ["draw", "score", 30, 10, 10, 0]]))  # fmt: skip
    told = summarize_tournament(standing)["matches"][0]
    assert told["light"]["share"] == 7.5 / 8
    assert told["score"]["share"] == 4.5 / 8
    assert told["pairs"] == [0, 0, 3, 1, 0]
    assert told["light"]["low"] == pytest.approx(0.5977, abs=1e-3)  # Wilson's, of 7.5 among 8


PAIRS = {0: (DARK_WON, LIGHT_WON), 2: (LIGHT_WON, LIGHT_WON), 3: (LIGHT_WON, DRAWN), 4: (LIGHT_WON, DARK_WON)}
"""Pairs that bring the first player so many half points."""


def decided_by(points, test):
    """A match whose pairs bring the first player these half points, one piece after the other."""
    standing = TournamentProgress(
        make_plan(["level-1", "level-2"], ["standard"], game_count=2 * len(points), test=test)
    )
    for number, each_points in enumerate(points):
        standing.add_batch(BatchResult(0, number, PAIRS[each_points]))
    return standing


@each(
    "points, test, better, games",
    [
        ([4] * 80, SequentialTest(-10, 10), True, 104),  # 51 pairs bring 2.936, the 52nd 2.994
        ([0] * 80, SequentialTest(-10, 10), False, 104),
        ([2] * 150, SequentialTest(-10, 10), None, 300),
        ([4, 0] * 75, SequentialTest(-10, 10), None, 300),
        ([0] * 80, SequentialTest(0, 20), False, 100),
        ([3] * 150, SequentialTest(0, 20), True, 106),
    ],
)
def test_the_test_decides(points, test, better, games):
    standing = decided_by(points, test)
    verdict = standing.verdicts[0]
    assert (verdict and verdict.accepts_elo1) is better
    assert standing.counted_games == games
    assert standing.is_complete
    if verdict:
        assert abs(verdict.likelihood) >= 2.944
        counted = standing.tallies[0].pair_counts
        before = [n - (n == max(counted)) for n in counted]
        assert abs(elo.log_likelihood_ratio(before, *test)) < 2.945  # and a pair earlier it was not decided


def test_what_comes_after_a_decision_does_not_count_and_what_comes_before_is_waited_for():
    planned = make_plan(["level-1", "level-2"], ["standard"], game_count=400, test=SequentialTest(-10, 10))
    won = [LIGHT_WON, DARK_WON]
    standing = TournamentProgress(planned)
    for number in [*range(100, 200), *range(1, 100)]:
        standing.add_batch(BatchResult(0, number, won))
    assert (standing.counted_games, standing.verdicts) == (0, [None])
    standing.add_batch(BatchResult(0, 0, won[::-1]))
    assert standing.verdicts[0]
    assert json.dumps(summarize_tournament(standing)) == json.dumps(
        summarize_tournament(decided_again(planned, won, standing))
    )
    assert not standing.is_counted(BatchResult(0, 150, won))
    assert standing.is_counted(BatchResult(0, 0, won))


def decided_again(planned, won, before):
    """The same pieces in order, as far as they count."""
    standing = TournamentProgress(planned)
    for number in range(before.counted_games // 2):
        standing.add_batch(BatchResult(0, number, won if number else won[::-1]))
    return standing


@pytest.mark.slow
def test_a_tournament_until_decided_is_the_same_with_any_number_of_workers(tmp_path):
    planned = make_plan(
        ["random", "greedy", "level-1"], ["3x3/6/3"], game_count=400, test=SequentialTest(-30, 30), pairs=5, memory=1
    )
    alone = what_it_comes_to(planned)
    assert json.loads(alone)["games"] < 1200
    assert what_it_comes_to(planned, local_workers(2), tmp_path / "two.jsonl") == alone
    assert what_it_comes_to(planned, path=tmp_path / "two.jsonl") == alone


def test_another_plan_does_not_go_into_the_same_file(tmp_path):
    path = tmp_path / "games.jsonl"
    with ResultsFile(path, QUICK):
        pass
    for other, *differences in [
        (QUICK._replace(seed=5), "seed: 4 / 5"),
        (QUICK._replace(games=60, opening=2), "games: 56 / 60", "opening: 4 / 2"),
        (QUICK._replace(players=("greedy", "random")), "players: random greedy / greedy random"),
        (QUICK._replace(test=SequentialTest(-10, 10)), "test: - / elo0 -10 elo1 10"),
        (QUICK._replace(program="pond 99"), f"program: {QUICK.program} / pond 99"),
    ]:
        with pytest.raises(PondError) as refused:
            ResultsFile(path, other)
        another = Message("results.other_tournament", file=str(path), differences=tuple(differences))
        assert refused.value.message == another
        assert text(another)
    with pytest.raises(PondError) as refused:
        ResultsFile(path, make_plan(["random"], ["mini"]))
    assert refused.value.message.id == "results.holds_tournament"
    assert read_plan(path) == QUICK


def test_two_do_not_write_the_same_file(tmp_path):
    pytest.importorskip("fcntl")
    path = tmp_path / "games.jsonl"
    with ResultsFile(path, QUICK), pytest.raises(PondError) as refused:
        ResultsFile(path, QUICK)
    assert refused.value.message == Message("results.in_use", file=str(path))
    with ResultsFile(path, QUICK):
        assert list(read_batches(path, QUICK)) == []  # to look on does no harm


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
def test_a_line_that_was_damaged_is_named(line, tmp_path):
    path = tmp_path / "games.jsonl"
    path.unlink(missing_ok=True)
    with ResultsFile(path, QUICK) as ledger:
        ledger.write_batch(BatchResult(0, 1, play_batch(QUICK, 0, 1)))
        with path.open("a") as file:
            file.write(line + "\n")
        with pytest.raises(PondError) as refused:
            list(ledger.read_batches())
        assert refused.value.message == Message("results.damaged_line", line=3, file=str(path))


@each(
    "notes, reason",
    [
        *((notes, None) for notes in ("", "{}\n", "a game\n", "[" * 9999)),
        ('{"players":[1,2],"form":1}\n', Message("plan.none")),
        ('{"players":["random"],"form":7}\n', Message("plan.wrong_format", format="7", known_format=1)),
    ],
)
def test_a_file_of_something_else_is_left_alone(notes, reason, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text(notes)
    no_results = Message("results.not_results", file=str(path))
    why = Message("results.cannot_continue", file=str(path), reason=reason) if reason else no_results
    with pytest.raises(PondError) as refused:
        read_plan(path)
    assert refused.value.message == why
    assert text(why)
    if notes:
        with pytest.raises(PondError) as refused:
            ResultsFile(path, QUICK)
        assert refused.value.message == why
        assert path.read_text() == notes


def test_records_are_games_that_replay(tmp_path):
    planned = make_plan(["random", "greedy"], ["3x3/6/3", "mini"], game_count=6, records=True)
    path, folder = tmp_path / "games.jsonl", tmp_path / "records"
    what_it_comes_to(planned, path=path)
    standing = TournamentProgress(planned)
    for piece in read_batches(path, planned):
        standing.add_batch(piece)
    assert write_records(standing, read_batches(path, planned), folder) == 12
    assert write_records(standing, read_batches(path, planned), folder) == 0
    records = [parse_record(file.read_text()) for file in sorted(folder.glob("*.pond"))]
    assert [record.variant.name for record in records] == ["3x3/6/3"] * 6 + ["mini"] * 6
    assert [record.tags["Light"] for record in records] == ["random", "greedy"] * 6
    kept = [game for piece in sorted(read_batches(path, planned)) for game in piece.game_rows]
    for record, (winner, reason, actions, light, dark, *_) in zip(records, kept, strict=True):
        assert isinstance(record, Record)
        assert record.outcome
        assert str("draw" if record.outcome.winner is None else record.outcome.winner) == winner
        assert (record.outcome.reason.value, len(record.turns)) == (reason, actions)
        assert record.position.scored == (light, dark)


def test_whoever_plays_otherwise_is_not_let_in(monkeypatch):
    with pytest.raises(PondError) as refused:
        play_batch(QUICK._replace(program="pond 0.0"), 0, 0)
    assert refused.value.message == CANNOT_PLAY


CANNOT_PLAY = Message(
    "lab.worker_cannot_play",
    reason=Message("plan.other_version.tournament", theirs="pond 0.0", ours=tournament_plan.OWN_VERSION),
)


def test_the_plain_kernel_comes_to_the_same_as_the_compiled_one():
    if not is_compiled():
        lacks("needs the compiled kernel, of this very source: make fast")
    planned = make_plan(["level-4", "search@n300"], ["mini"], game_count=2)
    ask = "import json, sys; from pond_hw.lab import tournament_plan, workers; "
    ask += "print(workers.play_batch(tournament_plan.parse_plan(json.loads(sys.argv[1])), 0, 0))"
    plainly = {**os.environ, "POND_KERNEL": "plain"}
    command = [sys.executable, "-c", ask, json.dumps(planned.to_json())]
    said = subprocess.run(command, env=plainly, capture_output=True, text=True, check=True)
    assert said.stdout == f"{play_batch(planned, 0, 0)}\n"


def test_a_worker_that_dies_is_told_of(monkeypatch):
    from concurrent.futures.process import BrokenProcessPool

    def play(*asked):
        future = Future()
        future.set_exception(BrokenProcessPool())
        return future

    with pytest.raises(PondError) as refused:
        run_tournament(TournamentProgress(QUICK), Workers(play, lambda: 1), None, lambda _: None)
    assert refused.value.message == Message("lab.process_died")


# What Dask leaves lying about when it ends is not ours to tell, whenever the interpreter comes across it.
@pytest.mark.long
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::DeprecationWarning")
def test_on_a_cluster_it_comes_to_the_same(at_one_go, tmp_path):
    try:
        from distributed import LocalCluster
    except ImportError:
        lacks("needs distributed: a Dask cluster plays here")
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, protocol="tcp://", dashboard_address=None
    ) as cluster:
        address = cluster.scheduler_address
        assert what_it_comes_to(QUICK, workers.cluster_workers(address), tmp_path / "games.jsonl") == at_one_go
        begun = tmp_path / "begun.jsonl"
        begun.write_bytes(b"".join((tmp_path / "games.jsonl").read_bytes().splitlines(keepends=True)[:3]))
        assert what_it_comes_to(QUICK, workers.cluster_workers(address), begun) == at_one_go
        with pytest.raises(PondError) as refused:
            what_it_comes_to(QUICK._replace(program="pond 0.0"), workers.cluster_workers(address))
        assert refused.value.message == CANNOT_PLAY
    gc.collect()


def test_the_plan_cuts_all_games_into_pieces():
    for planned in (QUICK, THREE, make_plan(["random", "greedy"], ["standard"], game_count=100_000)):
        for number, match in enumerate(planned.all_matches):
            pairs = [
                pair for n, piece in all_batches(planned) if n == number for pair in planned.pair_numbers(match, piece)
            ]
            assert pairs == list(range(planned.games // 2))
    assert [match.players for match in THREE.all_matches][:3] == [
        ("greedy", "random"),
        ("greedy", "level-1"),
        ("random", "level-1"),
    ]
    assert THREE.all_matches[3].variant == parse_variant("3x3/4/3")
    assert tournament_plan.parse_plan(json.loads(json.dumps(THREE.to_json()))) == THREE
