"""`pond study`: what it says, what it draws, how it is stopped and goes on, and that bad input gets a sentence."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from pond_hw.commands import main, study_plots
from pond_hw.commands import study_text as words
from pond_hw.lab.fairness import StudyProgress, study_to_json
from pond_hw.lab.openings import OpeningValues, equivalent_cells
from pond_hw.lab.results_file import BatchResult
from pond_hw.lab.tournament_plan import make_plan
from tests.conftest import each, lacks, need

SMALL = ["3x3/1/1", "--player", "greedy", "--games", "18", "--look", "2000", "--workers", "1"]


@pytest.fixture(scope="module")
def run():
    """Runs the command; gives its exit code."""

    def run(*arguments):
        try:
            return main.main(["study", *map(str, arguments)])
        except SystemExit as stop:
            return stop.code

    return run


@pytest.fixture
def pond(run, capsys):
    """Runs the command; gives its exit code, what it printed, and what it complained of."""
    return lambda *arguments: (run(*arguments), *capsys.readouterr())


def told_of(*ponds, lights=60, drawn=20, darks=20, values=(0, 12, -3, 30, -45, 7)):
    """A study in which every game was this short one, and light won so many of them."""
    plan = make_plan(["search@n100"], ponds, game_count=100, opening=2, records=True)
    study, worths = StudyProgress(plan), []
    winners = ["light"] * lights + ["draw"] * drawn + ["dark"] * darks
    for match in range(len(ponds)):
        for number in range(50):
            games = [[who, "score", 3, 0, 0, 0, "@b2 @c3 @a3"] for who in winners[2 * number : 2 * number + 2]]
            study.add_batch(BatchResult(match, number, games))
        size = study.variant_statistics[match].variant.size
        worths.append(OpeningValues(dict(zip(equivalent_cells(size), values, strict=False)), 9, 1000))
    return plan, study_to_json(study, worths)


def test_it_says_in_words_who_is_better_off():
    for wins, words_of_it in [
        ((60, 20, 20), "to move first is an advantage."),
        ((20, 20, 60), "to move second is an advantage."),
        ((40, 21, 39), "no advantage of either side is to be seen"),
    ]:
        report = " ".join(words.format_report(*told_of("mini", lights=wins[0], drawn=wins[1], darks=wins[2])))
        assert words_of_it in report
        assert f"light wins {wins[0]}.0 %, dark {wins[2]}.0 %, and {wins[1]}.0 % are drawn" in report
    assert "light's share is 50.5 % (40.9 to 60.1 %), as if it were +3 Elo (-64 to +71) better" in report
    assert "Only 1 of the 100 games differ" in report
    assert "the best first egg is on b1 (worth +0.12)" in report


def test_several_ponds_are_compared_the_fairest_first():
    plan, told = told_of("mini", "standard", lights=55, drawn=20, darks=25)
    told["ponds"][1] = told_of("standard", lights=40, darks=40)[1]["ponds"][0]
    report = words.format_report(plan, told)
    text = " ".join(report)
    assert "standard was the fairest: light's share was 0.0 points from even" in text
    assert "mini is less fair" not in text.replace("whether mini is less fair", "")
    assert "So many games cannot tell whether mini is less fair." in text
    rows = [line.split()[0] for line in report if re.match(r"[a-z]\S+ +100 ", line)]
    assert rows == ["standard", "mini"]
    told["ponds"][0] = told_of("mini", lights=95, drawn=5, darks=0)[1]["ponds"][0]
    assert "mini is less fair: the intervals do not meet." in " ".join(words.format_report(plan, told))


def test_the_board_is_drawn_with_a_value_in_every_cell():
    lines = words.format_report(*told_of("mini"))
    at = lines.index("   +-------+-------+-------+-------+")
    assert lines[at + 1 : at + 3] == [" 4 | 0.00  | +0.12 | +0.12 | 0.00  |", "   |       |       |       |       |"]
    assert lines[at + 4 : at + 6] == [" 3 | +0.12 | -0.03 | -0.03 | +0.12 |", "   |       | 70 %  | 70 %  |       |"]
    assert lines[at + 13].split() == ["a", "b", "c", "d"]


@each("ponds", [["standard"], ["big-15", "small-13", "mini", "4x4/12/10"], ["5x5/25/25"]])
def test_a_report_fits_80_columns(ponds):
    for values in ((0, 12, -3, 30, -45, 7), (19_900, -19_950, 3, 19_999, 0, -12)):
        for wins in ((100, 0, 0), (0, 0, 100), (33, 34, 33)):
            lines = words.format_report(*told_of(*ponds, lights=wins[0], drawn=wins[1], darks=wins[2], values=values))
            assert max(map(len, lines)) <= 80, max(lines, key=len)


def test_a_small_pond_is_solved_besides_and_the_same_seed_tells_the_same(pond):
    code, out, complaint = pond(*SMALL)
    assert (code, complaint) == (0, "")
    text = " ".join(out.split("\n"))
    assert text.startswith("18 games on 3x3/1/1: greedy against itself. Seed 0; the first egg is put on each cell in")
    assert "The pond is solved: with" in text
    assert pond(*SMALL)[1] == out
    told = json.loads(pond(*SMALL, "--json")[1])
    (about,) = told["ponds"]
    assert about["games"] == 18
    assert [egg["value"] for egg in about["first_eggs"]] == [egg["solved"] for egg in about["first_eggs"]]
    assert pond(*SMALL, "--seed", "1", "--json")[1] != json.dumps(told, indent=1) + "\n"


def test_the_same_command_goes_on_with_its_file(pond, tmp_path):
    file = tmp_path / "games.jsonl"
    whole = pond(*SMALL, "--out", file)[1]
    text = file.read_bytes()
    file.write_bytes(text[: text.index(b"\n") + 9])  # the plan, and a piece that was not finished
    assert pond(*SMALL, "--out", file) == (0, whole, "")
    assert file.read_bytes() == text
    code, _, complaint = pond(*SMALL, "--out", file, "--seed", "2")
    assert (code, f"{file} holds another study (seed: 0 there, 2 here)." in complaint) == (2, True)


def test_a_tournament_does_not_take_a_study_for_its_own(run, tmp_path, capsys):
    file = tmp_path / "games.jsonl"
    run(*SMALL, "--out", file)
    for option in ("--show", "--resume"):
        assert main.main(["tournament", option, str(file)]) == 2
        assert f"holds a study, and `pond study` with --out {file} goes on with it" in capsys.readouterr().err
    assert main.main(["tournament", "random", "greedy", "--out", str(file)]) == 2
    assert f"{file} holds a study" in capsys.readouterr().err


def shows_something(folder):
    """Whether the five pictures are there, as wide as they should be, and neither blank nor cut off."""
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
    return True


@pytest.mark.long
def test_pictures_of_several_ponds(tmp_path):
    need("matplotlib", "it draws the pictures")
    assert len(study_plots.draw_plots(told_of("3x3/6/3", "standard", "big")[1], tmp_path)) == 5
    assert shows_something(tmp_path)


@pytest.mark.long
def test_the_command_draws_them(pond, tmp_path):
    need("matplotlib", "it draws the pictures")
    code, _, said = pond(*SMALL, "--plots", tmp_path / "new" / "folder")
    assert code == 0
    assert said.startswith("pond: shares.png, lengths.png, openings.png, choices.png, leads.png drawn in ")
    assert shows_something(tmp_path / "new" / "folder")


def test_without_matplotlib_it_is_said_how_to_come_by_it_before_anything_is_played(pond, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    file = tmp_path / "games.jsonl"
    code, out, complaint = pond(*SMALL, "--out", file, "--plots", tmp_path / "plots")
    assert (code, out) == (2, "")
    assert complaint.startswith("pond: --plots needs Matplotlib, which is not installed here. Install it with: make ")
    assert list(tmp_path.iterdir()) == []
    assert pond(*SMALL)[0] == 0  # the words need nothing


@pytest.mark.slow
@each(
    "arguments, words",
    [
        ([], "Missing: VARIANT."),
        (["deep"], "There is no variant 'deep'"),
        (["mini", "mini"], "The pond mini was named twice"),
        (["mini", "--player", "human"], "There is no player 'human'"),
        (["mini", "--player", "greedy", "--nodes", "5"], "leave out --player or it"),
        (["mini", "--nodes", "0"], "a number of positions is 1 or more, not 0"),
        (["mini", "--nodes", "1234567890"], "There is no player 'search@n1234567890'"),
        (["mini", "--look", "0"], "1 position or more, not 0"),
        (["mini", "--games", "7"], "an even number, not 7"),
        (["mini", "--games", "0"], "A pond has 2 to 10000000 games, not 0"),
        (["mini", "--opening", "41"], "0 to 40 actions, not 41"),
        (["mini", "--workers", "0"], "1 to 256 workers, not 0"),
        (["mini", "--out", ""], "--out needs the name of a file"),
        (["mini", "--plots", ""], "--plots needs the name of a folder"),
        (["mini", "--plots", "/dev/null/there"], "/dev/null/there cannot be a folder"),
        (["mini", "--out", "/"], "/ cannot be written: Is a directory"),
        ([f"3x3/{spawn}/1" for spawn in range(1, 10)], "8 ponds can be compared at the most, not 9"),
    ],
)
def test_bad_input_gets_a_sentence_and_exit_code_2(pond, arguments, words):
    code, out, complaint = pond(*arguments)
    assert (code, out) == (2, "")
    assert words in complaint
    assert "Traceback" not in complaint


@pytest.mark.slow
def test_ctrl_c_stops_it_and_says_how_to_go_on(tmp_path):
    if not hasattr(os, "killpg"):
        lacks("needs process groups: a terminal tells Ctrl-C to all in one")
    file = tmp_path / "games.jsonl"
    command = ["study", "standard", "--player", "random", "--games", "1000000", "--workers", "1", "--out", str(file)]
    running = subprocess.Popen(
        [sys.executable, "-m", "pond_hw", *command], stderr=subprocess.PIPE, start_new_session=True
    )
    until = time.monotonic() + 60
    while not (file.exists() and file.read_bytes().count(b"\n") > 1) and time.monotonic() < until:
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGINT)
    _, complaint = running.communicate(timeout=30)
    assert running.returncode == 130
    assert re.search(rb"stopped after [0-9]+ games\. The same command goes on\.\n$", complaint)
    assert b"Traceback" not in complaint
