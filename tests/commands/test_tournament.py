"""`pond tournament`: what it prints, how it is stopped and goes on, and that bad input gets a sentence."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from pond_hw.commands import main
from pond_hw.commands.many_games import format_progress
from pond_hw.commands.tournament import format_tables
from pond_hw.lab.results_file import BatchResult
from pond_hw.lab.summary import summarize_tournament
from pond_hw.lab.tournament import TournamentProgress
from pond_hw.lab.tournament_plan import SequentialTest, make_plan
from tests.conftest import each, lacks

SMALL = ["random", "greedy", "--variant", "3x3/6/3", "--games", "20", "--workers", "1"]
WON, LOST = ["light", "score", 30, 10, 2, 0], ["dark", "score", 40, 2, 10, 0]


@pytest.fixture
def pond(capsys):
    """Runs the command; gives its exit code, what it printed, and what it complained of."""

    def run(*arguments):
        try:
            code = main.main(["tournament", *map(str, arguments)])
        except SystemExit as stop:
            code = stop.code
        out, complaint = capsys.readouterr()
        return code, out, complaint

    return run


def test_a_table_tells_what_it_comes_to(pond):
    code, out, complaint = pond(*SMALL)
    assert (code, complaint) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "20 games on 3x3/6/3; seed 0, an opening of 4 by chance, sides swapped."
    assert lines[2].split() == ["pond", "player", "against", "games", "score", "Elo", "95", "%"]
    score = r"[0-9.]+ %  [+-][0-9]+  [+-][0-9]+ to [+-][0-9]+"
    assert re.fullmatch(rf"1  3x3/6/3  random  greedy {{2,}}20 {{2,}}{score}", lines[3])
    won, drawn, lost, *_ = (int(word) for word in lines[6].split()[1:4])
    assert won + drawn + lost == 20
    assert pond(*SMALL)[1] == out
    assert pond(*SMALL, "--seed", "1")[1] != out


def test_json_tells_the_same(pond):
    told = json.loads(pond(*SMALL, "--json")[1])
    assert told["complete"]
    assert told["reproducible"]
    (match,) = told["matches"]
    assert match["won"] + match["drawn"] + match["lost"] == match["games"] == 20
    assert match["by_score"] + match["eliminations"] + match["repetitions"] + match["too_long"] == 20
    assert told["plan"]["seed"] == 0
    assert [each["name"] for each in told["players"]] == ["random", "greedy"]
    assert told["players"][1]["elo"] == pytest.approx(-match["elo"]["difference"], abs=0.02)


@each("players", [["level-1", "search@n10000", "search@n200000"], ["mcts@n100000", "search@n10000"]])
def test_a_table_fits_80_columns_and_a_winner_of_every_game_has_no_upper_end(players):
    planned = make_plan(players, ["standard", "big-15"], game_count=100_000, test=SequentialTest(-10, 10))
    standing = TournamentProgress(planned)
    for match in range(len(standing.matches)):
        for number in range(60):
            standing.add_batch(BatchResult(match, number, [WON, LOST]))
    lines = format_tables(planned, summarize_tournament(standing))
    assert max(map(len, lines)) <= 80
    assert any(line.endswith(" or more") for line in lines)
    assert f"1: {players[0]} is better; decided after 104 games (LLR +2.99)." in lines
    assert "Not finished: this is what there is so far." not in lines


def test_a_table_of_nothing_is_a_table_too():
    planned = make_plan(
        ["random", "greedy", "mcts@0.2s"], ["standard"], game_count=4, opening=0, test=SequentialTest(0, 5)
    )
    lines = format_tables(planned, summarize_tournament(TournamentProgress(planned)))
    assert lines[0] == "0 games on standard; seed 0, no opening, sides swapped."
    assert lines[1] == "Not finished: this is what there is so far."
    assert "1: not decided between +0 and +5." in lines
    assert lines[-1] == "mcts@0.2s plays by the clock: another run comes out differently."


def test_progress_tells_how_fast_it_is():
    standing = TournamentProgress(make_plan(["random", "greedy"], ["standard"], game_count=1000, pairs=1))
    assert format_progress(standing, 0, 0.0) == "0 of 1000 games"
    for number in range(50):
        standing.add_batch(BatchResult(0, number, [WON, LOST]))
    assert format_progress(standing, 100, 10.0) == "100 of 1000 games, 10 a second"
    assert format_progress(standing, 100, 400.0) == "100 of 1000 games, 0.250 a second"


def test_the_same_command_goes_on_with_its_file_and_so_does_resume(pond, tmp_path):
    file = tmp_path / "games.jsonl"
    whole = pond(*SMALL, "--out", file)[1]
    text = file.read_bytes()
    for command in ([*SMALL, "--out", file], ["--resume", file, "--workers", "1"], ["--show", file]):
        assert pond(*command) == (0, whole, "")
    file.write_bytes(text[: text.index(b"\n") + 9])  # the plan, and a piece that was not finished
    assert pond("--show", file)[1].splitlines()[1].startswith("Not finished")
    assert file.stat().st_size < len(text)
    assert pond("--resume", file, "--workers", "1") == (0, whole, "")
    assert file.read_bytes() == text


def test_records_are_written(pond, tmp_path):
    code, _, said = pond(*SMALL, "--out", tmp_path / "a.jsonl", "--records", tmp_path / "games")
    assert (code, said) == (0, f"pond: 20 games written into {tmp_path / 'games'}.\n")
    assert main.main(["replay", str(tmp_path / "games" / "1-00020.pond")]) == 0


@each(
    "arguments, words",
    [
        ([], "two players or more"),
        (["random"], "two players or more"),
        (["random", "human"], "There is no player 'human'"),
        (["random", "random"], "The player random was named twice"),
        (["random", "greedy", "--variant", "mini", "--variant", "mini"], "The pond mini was named twice"),
        (["random", "greedy", "--variant", "deep"], "There is no variant 'deep'"),
        (["random", "greedy", "--games", "7"], "an even number, not 7"),
        (["random", "greedy", "--games", "0"], "2 to 10000000 games, not 0"),
        (["random", "greedy", "--games", "many"], "not a whole number"),
        (["random", "greedy", "--opening", "-1"], "0 to 40 actions, not -1"),
        (["random", "greedy", "--memory", "0"], "1 to 4096 megabytes, not 0"),
        (["random", "greedy", "--workers", "0"], "1 to 256 workers, not 0"),
        (["random", "greedy", "--elo0", "5"], "go with --until-decided"),
        (["random", "greedy", "--until-decided", "--elo0", "20"], "the smaller one first"),
        (["random", "greedy", "--until-decided", "--elo1", "1e9"], "not a difference in Elo"),
        (["random", "greedy", "--until-decided", "--elo1", "1001"], "within 1000"),
        (["random", "greedy", "--cluster", ""], "needs the address"),
        (["random", "greedy", "--cluster", "x:1", "--workers", "2"], "leave --workers out"),
        (["random", "greedy", "--out", ""], "--out needs the name of a file"),
        (["random", "greedy", "--out", "/nowhere/at/all"], "/nowhere/at/all cannot be written: No such file"),
        (["random", "greedy", "--out", "/"], "/ cannot be written: Is a directory"),
        (["random", "greedy", "--out", "/dev/null"], "no ordinary file"),
        (["random", "greedy", "--out", "a", "--resume", "b"], "--out and --resume each name a file"),
        (["random", "greedy", "--resume", "a"], "players are in the file already"),
        (["--resume", "/nowhere", "--seed", "3"], "--seed is in the file already"),
        (["--resume", "/nowhere", "--variant", "mini"], "--variant is in the file already"),
        (["--resume", "/nowhere"], "There is no file /nowhere"),
        (["--show", "/"], "/ is no ordinary file"),
        (["--show", "a", "--workers", "2"], "--show plays nothing"),
        (["random", "greedy", "--records", "a"], "goes with --out"),
        (["random", "greedy", "--out", "a", "--records", ""], "--records needs the name of a folder"),
        (["random", "greedy", "--out", "a", "--records", "b", "--games", "20000"], "10000 at the most, not 20000"),
        ([f"search@d{n}" for n in range(1, 32)], "30 players at the most"),
    ],
)
def test_bad_input_gets_a_sentence_and_exit_code_2(pond, arguments, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, complaint = pond(*arguments)
    assert (code, out) == (2, "")
    assert words in complaint
    assert "Traceback" not in complaint
    assert list(tmp_path.iterdir()) == []


def test_another_command_does_not_go_on_with_the_file(pond, tmp_path):
    file = tmp_path / "games.jsonl"
    pond(*SMALL, "--out", file)
    code, _, complaint = pond(*SMALL, "--out", file, "--seed", "2")
    assert code == 2
    assert f"{file} holds another tournament (seed: 0 there, 2 here)." in complaint
    code, _, complaint = pond("--resume", file, "--records", tmp_path)
    assert code == 2
    assert "was begun without --records" in complaint


def test_another_version_does_not_go_on_with_the_file_but_tells_what_is_in_it(pond, tmp_path):
    file = tmp_path / "games.jsonl"
    whole = pond(*SMALL, "--out", file)[1]
    file.write_text(re.sub(r'"program":"[^"]*"', '"program":"pond 0.0.1"', file.read_text()))
    code, _, complaint = pond("--resume", file)
    assert code == 2
    assert "cannot be gone on with: pond 0.0.1 began this tournament" in complaint
    assert pond("--show", file) == (0, whole, "")


@pytest.mark.slow
def test_a_cluster_that_is_not_there_is_named(pond):
    try:
        import distributed  # noqa: F401
    except ImportError:
        code, _, complaint = pond("random", "greedy", "--cluster", "127.0.0.1:1")
        assert code == 2
        assert "Dask, which is not installed here" in complaint
        return
    for address in ("nonsense", "foo://a:1", "tcp://a:99999", "a b:1"):
        code, _, complaint = pond("random", "greedy", "--cluster", address)
        assert code == 2
        assert f"{address!r} is no address of a scheduler" in complaint


@pytest.fixture
def begun(tmp_path):
    """A tournament of two workers in a process of its own, as it runs; its file, too."""
    if not hasattr(os, "killpg"):
        lacks("needs process groups: a terminal tells Ctrl-C to all in one")
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


def nobody_is_left(group):
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.slow
def test_ctrl_c_stops_everybody_at_once_and_says_how_to_go_on(begun):
    running, file = begun
    os.killpg(running.pid, signal.SIGINT)
    _, complaint = running.communicate(timeout=30)
    assert running.returncode == 130
    assert complaint.decode().splitlines()[-1].endswith(f"Go on with: pond tournament --resume {file}")
    assert b"Traceback" not in complaint
    assert nobody_is_left(running.pid)


@pytest.mark.long
def test_killed_it_leaves_nobody_behind_and_can_go_on(begun, pond):
    running, file = begun
    running.kill()
    running.wait()
    assert nobody_is_left(running.pid)
    assert pond("--show", file)[0] == 0
