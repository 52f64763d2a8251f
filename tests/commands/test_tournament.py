"""Tests of `pond tournament`."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from functools import partial

import pytest

from pond_hw.commands import main
from pond_hw.commands.tournament import format_tables
from pond_hw.engine.engine_names import BOUNDED_EXAMPLES, TABLE_ENGINES
from pond_hw.lab.resumable_results import BatchResult
from pond_hw.lab.tournament import TournamentProgress, summarize_tournament
from pond_hw.lab.tournament_plan import OWN_VERSION, SequentialTest, make_plan
from pond_hw.messages.message import Message
from pond_hw.optional_packages import format_install_command
from pond_hw.rules import VARIANTS
from tests.conftest import each, skip_outside_ci
from tests.messages.says import assert_refused, text

SMALL = ["random", "greedy", "--variant", "3x3/6/3", "--games", "20", "--workers", "1"]
WON, LOST = ["light", "score", 30, 10, 2, 0], ["dark", "score", 40, 2, 10, 0]


@pytest.fixture
def pond(pond):
    """Function that runs `pond tournament`."""
    return partial(pond, "tournament")


def heading(games, variants, *, opening):
    played = Message("tournament.games", count=games, variants=variants)
    return text(played, Message("tournament.opening", seed=0, count=opening))


def test_result_tables_are_printed(pond):
    code, out, err = pond(*SMALL)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == heading(20, ("3x3/6/3",), opening=4)
    assert lines[2].split() == ["pond", "player", "against", "games", "score", "Elo", "95", "%"]
    score = r"[0-9.]+ %  [+-][0-9]+  [+-][0-9]+ to [+-][0-9]+"
    assert re.fullmatch(rf"1  3x3/6/3  random  greedy {{2,}}20 {{2,}}{score}", lines[3])
    won, drawn, lost, *_ = (int(word) for word in lines[6].split()[1:4])
    assert won + drawn + lost == 20
    assert pond(*SMALL)[1] == out
    assert pond(*SMALL, "--seed", "1")[1] != out


def test_results_are_printed_as_json(pond):
    results = json.loads(pond(*SMALL, "--json")[1])
    assert results["complete"]
    assert results["reproducible"]
    (match,) = results["matches"]
    assert match["won"] + match["drawn"] + match["lost"] == match["games"] == 20
    assert match["by_score"] + match["eliminations"] + match["repetitions"] + match["too_long"] == 20
    assert results["plan"]["seed"] == 0
    assert [each["name"] for each in results["players"]] == ["random", "greedy"]
    assert results["players"][1]["elo"] == pytest.approx(-match["elo"]["difference"], abs=0.02)


@each("players", [["level-1", "search@n10000", "search@n200000"], ["mcts@n100000", "search@n10000"]])
def test_tables_fit_80_columns(players):
    plan = make_plan(players, ["standard", "big-15"], game_count=100_000, test=SequentialTest(-10, 10))
    progress = TournamentProgress(plan)
    for match in range(len(progress.matches)):
        for number in range(60):
            progress.add_batch(BatchResult(match, number, [WON, LOST]))
    lines = format_tables(plan, summarize_tournament(progress))
    assert max(map(len, lines)) <= 80
    assert any(line.endswith(" or more") for line in lines)
    better = Message("tournament.better", player=players[0], count=104, likelihood=2.99)
    assert f"1: {text(better)}" in lines
    assert UNFINISHED not in lines


UNFINISHED = text(Message("tournament.unfinished"))


def test_verdict_and_forfeits_are_described():
    plan = make_plan(["random", "program:bot"], ["standard"], game_count=4, test=SequentialTest(0, 5))
    progress = TournamentProgress(plan)
    progress.add_batch(BatchResult(0, 0, [["light", "late", 30, 10, 2, 0], ["dark", "crashed", 40, 2, 10, 0]]))
    results = summarize_tournament(progress)
    lines = format_tables(plan, results)
    reasons = {"crashed": 1, "late": 1, "illegal": 0, "garbage": 0, "resigned": 0}
    assert text(Message("tournament.forfeits", player="bot", variant="standard", count=2, **reasons)) in " ".join(lines)
    results["matches"][0]["test"] = {"better": False, "likelihood": -3.0, "games": 80}
    rather = Message("tournament.rather", player="random", elo=0, other=5, count=80, likelihood=-3.0)
    assert f"1: {text(rather)}" in format_tables(plan, results)


def test_tables_can_be_printed_without_games():
    plan = make_plan(
        ["random", "greedy", "mcts@0.2s"], ["standard"], game_count=4, opening=0, test=SequentialTest(0, 5)
    )
    lines = format_tables(plan, summarize_tournament(TournamentProgress(plan)))
    assert lines[0] == heading(0, ("standard",), opening=0)
    assert lines[1] == UNFINISHED
    assert f"1: {text(Message('tournament.undecided', elo0=0, elo1=5))}" in lines
    assert lines[-1] == text(Message("report.by_clock", players=("mcts@0.2s",), count=1))


def test_repeated_command_or_resume_continues_the_file(pond, tmp_path):
    file = tmp_path / "games.jsonl"
    complete = pond(*SMALL, "--out", file)[1]
    content = file.read_bytes()
    for command in ([*SMALL, "--out", file], ["--resume", file, "--workers", "1"], ["--show", file]):
        assert pond(*command) == (0, complete, "")
    file.write_bytes(content[: content.index(b"\n") + 9])  # the plan and part of a batch
    assert pond("--show", file)[1].splitlines()[1] == UNFINISHED
    assert file.stat().st_size < len(content)
    assert pond("--resume", file, "--workers", "1") == (0, complete, "")
    assert file.read_bytes() == content


def test_records_are_written(pond, tmp_path):
    code, _, err = pond(*SMALL, "--out", tmp_path / "a.jsonl", "--records", tmp_path / "games")
    assert (code, err) == (
        0,
        f"pond: {text(Message('export.written', count=20, folder=str(tmp_path / 'games')))}\n",
    )
    assert main.main(["replay", str(tmp_path / "games" / "1-00020.pond")]) == 0


def no_player(name):
    return Message("player.unknown_engine", name=name, names=TABLE_ENGINES, examples=BOUNDED_EXAMPLES)


def in_range(field, lowest, highest, found):
    return Message(f"plan.range.{field}", lowest=lowest, highest=highest, found=found)


def wrong_test(elo0, elo1):
    return Message("plan.wrong_test", most=1000, elo0=elo0, elo1=elo1)


def cannot_write(file, reason):
    return Message("file.cannot_write", file=file, reason=reason)


@each(
    "arguments, expected",
    [
        ([], Message("tournament.needs_two")),
        (["random"], Message("tournament.needs_two")),
        (["random", "human"], no_player("human")),
        (["random", "random"], Message("plan.twice.player", name="random")),
        (["random", "greedy", "--variant", "mini", "--variant", "mini"], Message("plan.twice.pond", name="mini")),
        (
            ["random", "greedy", "--variant", "deep"],
            text(Message("variant.unknown", name="deep", names=tuple(VARIANTS))),
        ),
        (["random", "greedy", "--games", "7"], Message("plan.odd_games.tournament", games=7)),
        (["random", "greedy", "--games", "0"], in_range("games_of_tournament", 2, 10_000_000, 0)),
        (["random", "greedy", "--games", "many"], "not a whole number"),
        (["random", "greedy", "--opening", "-1"], in_range("opening", 0, 40, -1)),
        (["random", "greedy", "--memory", "0"], in_range("memory", 1, 4096, 0)),
        (["random", "greedy", "--workers", "0"], Message("many.wrong_workers", most=256, workers=0)),
        (["random", "greedy", "--elo0", "5"], Message("tournament.elo_needs_test")),
        (["random", "greedy", "--until-decided", "--elo0", "20"], wrong_test(20.0, 10.0)),
        (["random", "greedy", "--until-decided", "--elo1", "1e9"], text(Message("tournament.not_elo", text="1e9"))),
        (["random", "greedy", "--until-decided", "--elo1", "1001"], wrong_test(-10.0, 1001.0)),
        (["random", "greedy", "--cluster", ""], Message("many.needs_address")),
        (["random", "greedy", "--cluster", "x:1", "--workers", "2"], Message("many.workers_of_cluster")),
        (["random", "greedy", "--move-time", "2"], Message("tournament.move_time_needs_program")),
        (["random", "program:x", "--cluster", "x:1"], Message("tournament.program_on_cluster")),
        (["random", "program:"], Message("program.no_command", name="program:")),
        (["random", "greedy", "--out", ""], Message("option.needs_file", option="--out")),
        (
            ["random", "greedy", "--out", "/nowhere/at/all"],
            cannot_write("/nowhere/at/all", "No such file or directory"),
        ),
        (["random", "greedy", "--out", "/"], cannot_write("/", "Is a directory")),
        (["random", "greedy", "--out", "/dev/null"], Message("results.not_a_file", file="/dev/null")),
        (
            ["random", "greedy", "--out", "a", "--resume", "b"],
            Message("tournament.two_files", options=("--out", "--resume")),
        ),
        (["random", "greedy", "--resume", "a"], Message("tournament.players_in_file")),
        (["--resume", "/nowhere", "--seed", "3"], Message("tournament.option_in_file", option="--seed")),
        (["--resume", "/nowhere", "--variant", "mini"], Message("tournament.option_in_file", option="--variant")),
        (["--resume", "/nowhere"], Message("results.no_file", file="/nowhere")),
        (["--show", "/"], Message("results.not_a_file", file="/")),
        (["--show", "a", "--workers", "2"], Message("tournament.show_plays_nothing", option="--workers")),
        (["random", "greedy", "--records", "a"], Message("tournament.records_need_out")),
        (["random", "greedy", "--out", "a", "--records", ""], Message("option.needs_folder", option="--records")),
        (
            ["random", "greedy", "--out", "a", "--records", "/dev/null"],
            Message("tournament.records_not_folder", folder="/dev/null"),
        ),
        (
            ["random", "greedy", "--out", "a", "--records", "b", "--games", "20000"],
            Message("tournament.too_many_records", most=10_000, games=20_000),
        ),
        ([f"search@d{n}" for n in range(1, 32)], Message("plan.too_many_players", most=30, players=31)),
    ],
)
def test_bad_input_exits_with_code_2(pond, arguments, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert_refused(pond(*arguments), expected)
    assert list(tmp_path.iterdir()) == []


def test_different_settings_are_refused(pond, tmp_path):
    file = tmp_path / "games.jsonl"
    pond(*SMALL, "--out", file)
    another = Message("results.other_tournament", file=str(file), differences=("seed: 0 / 2",))
    assert pond(*SMALL, "--out", file, "--seed", "2") == (2, "", f"pond: {text(another)}\n")
    no_records = Message("tournament.no_records", file=str(file))
    assert pond("--resume", file, "--records", tmp_path) == (2, "", f"pond: {text(no_records)}\n")


def test_file_from_another_version_can_only_be_shown(pond, tmp_path):
    file = tmp_path / "games.jsonl"
    complete = pond(*SMALL, "--out", file)[1]
    file.write_text(re.sub(r'"program":"[^"]*"', '"program":"pond 0.0.1"', file.read_text()))
    reason = Message("plan.other_version.tournament", theirs="pond 0.0.1", ours=OWN_VERSION)
    cannot_resume = Message("tournament.cannot_resume", file=str(file), reason=reason)
    assert pond("--resume", file) == (2, "", f"pond: {text(cannot_resume)}\n")
    assert pond("--show", file) == (0, complete, "")


@pytest.mark.slow
def test_missing_cluster_is_reported(pond):
    try:
        import distributed  # noqa: F401
    except ImportError:
        code, _, err = pond("random", "greedy", "--cluster", "127.0.0.1:1")
        assert code == 2
        assert text(Message("cluster.needs_dask", command=format_install_command("cluster"))) in err
        return
    for address in ("nonsense", "foo://a:1", "tcp://a:99999", "a b:1"):
        code, _, err = pond("random", "greedy", "--cluster", address)
        assert code == 2
        assert text(Message("cluster.wrong_address", address=address)) in err


@pytest.fixture
def running_tournament(tmp_path):
    """A running tournament with two workers, and its results file."""
    if not hasattr(os, "killpg"):
        skip_outside_ci("needs process groups: a terminal tells Ctrl-C to all in one")
    file = tmp_path / "games.jsonl"
    command = ["tournament", "random", "greedy", "--games", "1000000", "--workers", "2", "--out", str(file)]
    running = subprocess.Popen(
        [sys.executable, "-m", "pond_hw", *command], stderr=subprocess.PIPE, start_new_session=True
    )
    until = time.monotonic() + 60
    while not (file.exists() and file.read_bytes().count(b"\n") > 3) and time.monotonic() < until:
        time.sleep(0.05)
    yield running, file
    if running.poll() is None:
        running.kill()
        running.wait()
    running.stderr.close()


def wait_for_process_group_end(group):
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.slow
def test_ctrl_c_stops_all_processes(running_tournament):
    running, file = running_tournament
    os.killpg(running.pid, signal.SIGINT)
    _, err = running.communicate(timeout=30)
    assert running.returncode == 130
    assert err.decode().splitlines()[-1].endswith(text(Message("tournament.resume", file=str(file))))
    assert b"Traceback" not in err
    assert wait_for_process_group_end(running.pid)


@pytest.mark.long
def test_killed_tournament_leaves_no_workers(running_tournament, pond):
    running, file = running_tournament
    running.kill()
    running.wait()
    assert wait_for_process_group_end(running.pid)
    assert pond("--show", file)[0] == 0
