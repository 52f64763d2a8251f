"""Tests of the progress line, on a terminal and elsewhere."""

import re

import pytest

from pond_hw.commands import hardware, main, progress_line
from pond_hw.commands.progress_line import ProgressLine, describe_duration
from pond_hw.messages.message import Message
from tests.clock import Clock
from tests.messages.says import text


class Terminal(list):
    """Fake standard error that is a terminal or not."""

    def __init__(self, is_terminal):
        super().__init__()
        self.isatty = lambda: is_terminal
        self.write = self.append
        self.flush = lambda: None


def visible_line(output):
    """Return the final text of the rewritten line."""
    line = ""
    for chunk in re.findall(r"\r[^\r]*", "".join(output)):
        line = chunk[1:] + line[len(chunk) - 1 :]
    return line.rstrip()


def review_state(done):
    return Message("progress.actions", done=done, total=40)


def time_left(done, percent, seconds):
    rest = Message("duration.seconds", count=seconds)
    return Message("progress.share_and_rest", state=review_state(done), percent=percent, left=rest)


@pytest.fixture
def wide_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def test_terminal_line_is_rewritten_and_cleared(wide_terminal):
    output, clock = Terminal(True), Clock()
    with ProgressLine(output, clock) as progress:
        progress.show_state(review_state(0), 0.0)
        assert visible_line(output) == f"pond: {text(Message('progress.share', state=review_state(0), percent=0))}"
        clock.time = 10.0
        progress.show_state(review_state(10), 0.25)
        assert visible_line(output) == f"pond: {text(time_left(10, 25, 30))}"
        clock.time = 10.1
        progress.show_state(review_state(11), 0.275)  # too soon
        clock.time = 20.0
        progress.show_state("almost", 0.5)
        assert visible_line(output) == "pond: almost, 50 %, 20 s left"
    assert visible_line(output) == ""
    assert "\n" not in "".join(output)


def test_lines_appear_at_intervals_without_a_terminal():
    output, clock = Terminal(False), Clock()
    with ProgressLine(output, clock) as progress:
        for second in range(41):
            clock.time = float(second)
            progress.show_state(review_state(second), second / 40)
    assert "".join(output).splitlines() == [
        f"pond: {text(time_left(10, 25, 30))}",
        f"pond: {text(time_left(20, 50, 20))}",
        f"pond: {text(time_left(30, 75, 10))}",
    ]


def test_earlier_run_does_not_affect_the_estimate():
    output, clock = Terminal(False), Clock()
    progress = ProgressLine(output, clock)
    progress.show_state("80 of 100 games", 0.8)
    clock.time = 100.0
    progress.show_state("90 of 100 games", 0.9)
    assert "".join(output) == "pond: 90 of 100 games, 90 %, 2 min left\n"


def test_new_phase_is_shown_at_once():
    output = Terminal(False)
    progress = ProgressLine(output, Clock())
    progress.show_state("measuring touch to lamp", new=True)
    progress.show_state("measuring rest", new=True)
    assert "".join(output).splitlines() == ["pond: measuring touch to lamp", "pond: measuring rest"]


def test_line_fits_a_narrow_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    output = Terminal(True)
    ProgressLine(output, Clock()).show_state("measuring " + "everything " * 10, 0.5)
    assert len(visible_line(output)) == 39


def test_line_stays_after_ctrl_c(wide_terminal):
    output = Terminal(True)

    def work():
        with ProgressLine(output, Clock()) as progress:
            progress.show_state("half of it", 0.5)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert visible_line(output) == "pond: half of it, 50 %"


def test_write_errors_are_ignored():
    output = Terminal(True)

    def full(text):
        raise OSError(28, "No space left on device")

    output.write = full
    with ProgressLine(output, Clock()) as progress:
        progress.show_state("half of it", 0.5)


def test_duration_has_a_suitable_unit():
    times = [0, 34.4, 99.9, 100, 3600, 86400, 1e6]
    assert [text(describe_duration(seconds)) for seconds in times] == [
        "0 s",
        "34 s",
        "100 s",
        "2 min",
        "60 min",
        "24 h",
        "12 days",
    ]


@pytest.fixture
def no_intervals(monkeypatch):
    """Remove the intervals between updates, so that every update is printed."""
    monkeypatch.setattr(progress_line, "LINE_INTERVALS", (0.0, 0.0))


def shares(err):
    return [int(share) for share in re.findall(r"(\d+) %", err)]


@pytest.mark.slow
def test_solve_shows_progress(capsys, no_intervals):
    assert main.main(["solve", "3x3/2/1"]) == 0
    out, err = capsys.readouterr()
    found = Message("solve.exploring", found=8192, estimate=9268)
    assert f"pond: {text(Message('progress.share', state=found, percent=18))}\n" in err
    assert f"pond: {text(Message('solve.solving', positions=8590))}" in err
    assert shares(err) == sorted(shares(err))
    assert "left" not in out


def test_perft_shows_progress(capsys, no_intervals):
    assert main.main(["perft", "3x3/9/5", "5"]) == 0
    out, err = capsys.readouterr()
    assert out == "25000\n"
    assert shares(err)[:3] == [0, 11, 22]


def test_hardware_build_shows_progress(capsys, monkeypatch, tmp_path, no_intervals):
    from pond_hw.fabrication import build_folder
    from pond_hw.messages.message import Message
    from tests.messages.says import text

    monkeypatch.setattr(hardware, "NEEDED", {})
    monkeypatch.setattr(
        build_folder, "make_files", lambda profile, folder: iter([("netlist.txt", b""), ("stl/lid.stl", b"")])
    )
    assert main.main(["hardware", "build", "direct-4x4", "-o", str(tmp_path / "board")]) == 0
    out, err = capsys.readouterr()
    assert f"pond: {text(Message('build.made', file='stl/lid.stl'))}\n" in err
    folder, guide = str(tmp_path / "board"), str(tmp_path / "board" / "assembly.md")
    assert out == f"{text(Message('build.done', count=2, folder=folder, seconds=0, guide=guide))}\n"


def test_tournament_shows_progress(capsys, no_intervals):
    command = ["tournament", "random", "greedy", "--variant", "3x3/6/3", "--games", "20", "--workers", "1"]
    assert main.main(command) == 0
    out, err = capsys.readouterr()
    assert "pond: 0 of 20 games, 0 %\n" in err
    assert "of 20 games" not in out
