"""Tests of `pond study`."""

import gc
import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from pond_hw.commands import main, study_plots, study_text
from pond_hw.engine.engine_names import BOUNDED_EXAMPLES, TABLE_ENGINES
from pond_hw.lab.openings import OpeningValues, equivalent_cells
from pond_hw.lab.resumable_results import BatchResult
from pond_hw.lab.study import StudyProgress, study_to_json
from pond_hw.lab.tournament_plan import make_plan
from pond_hw.messages.message import Message
from pond_hw.optional_packages import format_install_command
from pond_hw.rules import VARIANTS
from tests.conftest import each, require, skip_outside_ci
from tests.messages.says import assert_refused, text

SMALL = ["3x3/1/1", "--player", "greedy", "--games", "18", "--look", "2000", "--workers", "1"]


@pytest.fixture(scope="module")
def run():
    """Function that runs the command and returns its exit code."""

    def run(*arguments):
        try:
            return main.main(["study", *map(str, arguments)])
        except SystemExit as stop:
            return stop.code

    return run


@pytest.fixture
def pond(run, capsys):
    """Function that runs the command and returns its exit code, output and errors."""
    return lambda *arguments: (run(*arguments), *capsys.readouterr())


def make_results(*ponds, lights=60, drawn=20, darks=20, values=(0, 12, -3, 30, -45, 7)):
    """Return the plan and results of a study of one short game, with these numbers of wins and draws."""
    plan = make_plan(["search@n100"], ponds, game_count=100, opening=2, records=True)
    study, opening_values = StudyProgress(plan), []
    winners = ["light"] * lights + ["draw"] * drawn + ["dark"] * darks
    for match in range(len(ponds)):
        for number in range(50):
            games = [[who, "score", 3, 0, 0, 0, "@b2 @c3 @a3"] for who in winners[2 * number : 2 * number + 2]]
            study.add_batch(BatchResult(match, number, games))
        size = study.variant_statistics[match].variant.size
        opening_values.append(OpeningValues(dict(zip(equivalent_cells(size), values, strict=False)), 9, 1000))
    return plan, study_to_json(study, opening_values)


def test_verdict_is_put_into_words():
    for wins, verdict in [
        ((60, 20, 20), Message("study.first_is_better")),
        ((20, 20, 60), Message("study.second_is_better")),
        ((40, 21, 39), Message("study.neither_is_better", most=10.1)),
    ]:
        report = " ".join(study_text.format_report(*make_results("mini", lights=wins[0], drawn=wins[1], darks=wins[2])))
        assert text(verdict) in report
        light, drawn, dark = (f"{games}.0 %" for games in wins)
        assert text(Message("study.who_wins", light=light, dark=dark, drawn=drawn)) in report
    share = {"share": "50.5 %", "interval": "40.9 to 60.1 %", "elo": "+3", "elo_interval": "-64 to +71"}
    assert text(Message("study.share", **share)) in report
    assert text(Message("study.few_different", count=1, games=100)) in report
    assert text(Message("study.best_egg", count=9, cells=("b1",), worth="+0.12")) in report
    reasons = {"score": "100 %", "elimination": "0 %", "repetition": "0 %", "too_long": "0 %"}
    assert text(Message("study.reasons", **reasons)) in report


def test_fairest_pond_comes_first():
    plan, results = make_results("mini", "standard", lights=55, drawn=20, darks=25)
    results["ponds"][1] = make_results("standard", lights=40, darks=40)[1]["ponds"][0]
    report = study_text.format_report(plan, results)
    distance = results["ponds"][1]["from_even"]
    assert distance["share"] == 0.0
    fairest = Message("study.fairest", variant="standard", points=0.0, most=100 * distance["high"])
    assert text(fairest, Message("study.maybe_less_fair", variants=("mini",), count=1)) in " ".join(report)
    assert text(Message("study.less_fair", variants=("mini",), count=1)) not in " ".join(report)
    rows = [line.split()[0] for line in report if re.match(r"[a-z]\S+ +100 ", line)]
    assert rows == ["standard", "mini"]
    results["ponds"][0] = make_results("mini", lights=95, drawn=5, darks=0)[1]["ponds"][0]
    report = " ".join(study_text.format_report(plan, results))
    assert text(Message("study.less_fair", variants=("mini",), count=1)) in report


def test_board_drawing_has_a_value_in_every_cell():
    lines = study_text.format_report(*make_results("mini"))
    at = lines.index("   +-------+-------+-------+-------+")
    assert lines[at + 1 : at + 3] == [" 4 | 0.00  | +0.12 | +0.12 | 0.00  |", "   |       |       |       |       |"]
    assert lines[at + 4 : at + 6] == [" 3 | +0.12 | -0.03 | -0.03 | +0.12 |", "   |       | 70 %  | 70 %  |       |"]
    assert lines[at + 13].split() == ["a", "b", "c", "d"]


@pytest.mark.slow
@each("ponds", [["standard"], ["big-15", "small-13", "mini", "4x4/12/10"], ["5x5/25/25"]])
def test_report_fits_80_columns(ponds):
    for values in ((0, 12, -3, 30, -45, 7), (19_900, -19_950, 3, 19_999, 0, -12)):
        for wins in ((100, 0, 0), (0, 0, 100), (33, 34, 33)):
            lines = study_text.format_report(
                *make_results(*ponds, lights=wins[0], drawn=wins[1], darks=wins[2], values=values)
            )
            assert max(map(len, lines)) <= 80, max(lines, key=len)


@pytest.mark.slow
def test_small_pond_is_also_solved(pond):
    code, out, err = pond(*SMALL)
    assert (code, err) == (0, "")
    heading = Message("study.heading", games=18, variants=("3x3/1/1",), player="greedy", seed=0)
    report = " ".join(out.split("\n"))
    assert report.startswith(text(heading, Message("study.opening", count=1)))
    assert text(Message("study.solved.loses", cells=("a1", "b1", "b2"), count=2)) in report
    assert pond(*SMALL)[1] == out
    results = json.loads(pond(*SMALL, "--json")[1])
    (about,) = results["ponds"]
    assert about["games"] == 18
    assert [egg["value"] for egg in about["first_eggs"]] == [egg["solved"] for egg in about["first_eggs"]]
    assert pond(*SMALL, "--seed", "1", "--json")[1] != json.dumps(results, indent=1) + "\n"


def test_same_command_continues_the_file(pond, tmp_path):
    file = tmp_path / "games.jsonl"
    complete = pond(*SMALL, "--out", file)[1]
    content = file.read_bytes()
    file.write_bytes(content[: content.index(b"\n") + 9])  # the plan and part of a batch
    assert pond(*SMALL, "--out", file) == (0, complete, "")
    assert file.read_bytes() == content
    another = Message("results.other_study", file=str(file), differences=("seed: 0 / 2",))
    assert pond(*SMALL, "--out", file, "--seed", "2") == (2, "", f"pond: {text(another)}\n")


def test_tournament_refuses_a_study_file(run, tmp_path, capsys):
    file = tmp_path / "games.jsonl"
    run(*SMALL, "--out", file)
    for option in ("--show", "--resume"):
        assert main.main(["tournament", option, str(file)]) == 2
        assert capsys.readouterr().err == f"pond: {text(Message('tournament.is_study', file=str(file)))}\n"
    assert main.main(["tournament", "random", "greedy", "--out", str(file)]) == 2
    holds_study = Message("results.holds_study", file=str(file), differences=("",))
    assert text(holds_study).partition("(")[0] in capsys.readouterr().err


def assert_plots_are_drawn(folder):
    """Check the size of the five plots, and that they are neither blank nor cut off."""
    from PIL import Image

    files = list(folder.iterdir())
    assert {file.name for file in files} == {f"{name}.png" for name in study_plots.PLOT_FUNCTIONS}
    for file in files:
        with Image.open(file) as picture:
            assert picture.width == 800
            assert 300 <= picture.height <= 1100
            seen = picture.convert("RGB")
            shades = seen.getcolors(1 << 24)
            assert len(shades) > 20
            assert max(shades)[0] < 0.98 * seen.width * seen.height
            edge = [seen.getpixel((x, y)) for x in (0, 799) for y in range(seen.height)]
            assert set(edge) == {(255, 255, 255)}, file.name


@pytest.mark.long
def test_several_ponds_are_plotted(tmp_path):
    require("matplotlib", "it draws the pictures")
    assert len(study_plots.draw_plots(make_results("3x3/6/3", "standard", "big")[1], tmp_path)) == 5
    assert_plots_are_drawn(tmp_path)


@pytest.mark.long
def test_command_draws_plots(pond, tmp_path):
    require("matplotlib", "it draws the pictures")
    code, _, err = pond(*SMALL, "--plots", tmp_path / "new" / "folder")
    assert code == 0
    files = tuple(f"{name}.png" for name in ("shares", "lengths", "openings", "choices", "leads"))
    assert err == f"pond: {text(Message('study.plots_drawn', files=files, folder=str(tmp_path / 'new' / 'folder')))}\n"
    assert_plots_are_drawn(tmp_path / "new" / "folder")


def test_missing_matplotlib_is_reported_first(pond, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    file = tmp_path / "games.jsonl"
    needs = Message("plots.needs_matplotlib", command=format_install_command("study"))
    assert_refused(pond(*SMALL, "--out", file, "--plots", tmp_path / "plots"), needs)
    assert list(tmp_path.iterdir()) == []
    assert pond(*SMALL)[0] == 0  # the report does not need Matplotlib


def no_player(name):
    return Message("player.unknown_engine", name=name, names=TABLE_ENGINES, examples=BOUNDED_EXAMPLES)


@pytest.mark.slow
@each(
    "arguments, expected",
    [
        ([], "Missing: VARIANT."),
        (["deep"], text(Message("variant.unknown", name="deep", names=tuple(VARIANTS)))),
        (["mini", "mini"], Message("plan.twice.pond", name="mini")),
        (["mini", "--player", "human"], no_player("human")),
        (["mini", "--player", "greedy", "--nodes", "5"], Message("study.nodes_or_player")),
        (["mini", "--cluster", ""], Message("many.needs_address")),
        (["mini", "--cluster", "x:1", "--workers", "2"], Message("many.workers_of_cluster")),
        (["mini", "--nodes", "0"], "the number of positions must be 1 or more, not 0"),
        (["mini", "--nodes", "1234567890"], no_player("search@n1234567890")),
        (["mini", "--look", "0"], Message("study.wrong_look", look=0)),
        (["mini", "--games", "7"], Message("plan.odd_games.study", games=7)),
        (
            ["mini", "--games", "0"],
            Message("plan.range.games_of_study", lowest=2, highest=10_000_000, found=0),
        ),
        (["mini", "--opening", "41"], Message("plan.range.opening", lowest=0, highest=40, found=41)),
        (["mini", "--workers", "0"], Message("many.wrong_workers", most=256, workers=0)),
        (["mini", "--out", ""], Message("option.needs_file", option="--out")),
        (["mini", "--plots", ""], Message("option.needs_folder", option="--plots")),
        (
            ["mini", "--plots", "/dev/null/there"],
            Message("folder.cannot_make", folder="/dev/null/there", reason="Not a directory"),
        ),
        (["mini", "--out", "/"], Message("file.cannot_write", file="/", reason="Is a directory")),
        ([f"3x3/{spawn}/1" for spawn in range(1, 10)], Message("study.too_many_ponds", most=8, ponds=9)),
    ],
)
def test_bad_input_exits_with_code_2(pond, arguments, expected):
    assert_refused(pond(*arguments), expected)


@pytest.mark.slow
def test_ctrl_c_prints_how_to_continue(tmp_path):
    if not hasattr(os, "killpg"):
        skip_outside_ci("needs process groups: a terminal tells Ctrl-C to all in one")
    file = tmp_path / "games.jsonl"
    command = ["study", "standard", "--player", "random", "--games", "1000000", "--workers", "1", "--out", str(file)]
    running = subprocess.Popen(
        [sys.executable, "-m", "pond_hw", *command], stderr=subprocess.PIPE, start_new_session=True
    )
    until = time.monotonic() + 60
    while not (file.exists() and file.read_bytes().count(b"\n") > 1) and time.monotonic() < until:
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGINT)
    _, err = running.communicate(timeout=30)
    assert running.returncode == 130
    last = err.decode().splitlines()[-1]
    games = int(re.search(r"[0-9]+", last)[0])
    assert last == f"pond: {text(Message('many.stopped', count=games, advice=Message('study.resume')))}"
    assert b"Traceback" not in err


# Dask warns about its own resources at exit.
@pytest.mark.long
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::DeprecationWarning")
def test_cluster_gives_the_same_study_results(pond):
    try:
        from distributed import LocalCluster
    except ImportError:
        skip_outside_ci("needs distributed: a Dask cluster plays here")
    asked = ["3x3/4/3", "--games", "20", "--nodes", "50", "--look", "50", "--json"]
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, protocol="tcp://", dashboard_address=None
    ) as cluster:
        code, far, _ = pond(*asked, "--cluster", cluster.scheduler_address)
    assert (code, json.loads(far)) == (0, json.loads(pond(*asked, "--workers", "1")[1]))
    gc.collect()
