"""Long work says how far it is: in one line of a terminal, or in a line now and then."""

import re

import pytest

from pond_hw.commands import hardware, main, progress_line
from pond_hw.commands.progress_line import ProgressLine, describe_duration
from pond_hw.messages.message import Message
from tests.clock import Clock
from tests.messages.says import text


class Terminal(list):
    """Standard error that is a terminal, or none."""

    def __init__(self, is_one):
        super().__init__()
        self.isatty = lambda: is_one
        self.write = self.append
        self.flush = lambda: None


def shown(said):
    """What stands in the line of a terminal after all of that."""
    line = ""
    for piece in re.findall(r"\r[^\r]*", "".join(said)):
        line = piece[1:] + line[len(piece) - 1 :]
    return line.rstrip()


def reviewed(done):
    return Message("progress.actions", done=done, total=40)


def left(done, percent, seconds):
    rest = Message("duration.seconds", count=seconds)
    return Message("progress.share_and_rest", state=reviewed(done), percent=percent, left=rest)


@pytest.fixture
def wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def test_on_a_terminal_one_line_is_written_over_and_goes_in_the_end(wide):
    said, clock = Terminal(True), Clock()
    with ProgressLine(said, clock) as far:
        far.show_state(reviewed(0), 0.0)
        assert shown(said) == f"pond: {text(Message('progress.share', state=reviewed(0), percent=0))}"
        clock.time = 10.0
        far.show_state(reviewed(10), 0.25)
        assert shown(said) == f"pond: {text(left(10, 25, 30))}"
        clock.time = 10.1
        far.show_state(reviewed(11), 0.275)  # too soon
        clock.time = 20.0
        far.show_state("almost", 0.5)
        assert shown(said) == "pond: almost, 50 %, 20 s left"
    assert shown(said) == ""
    assert "\n" not in "".join(said)


def test_elsewhere_there_is_a_line_now_and_then():
    said, clock = Terminal(False), Clock()
    with ProgressLine(said, clock) as far:
        for second in range(41):
            clock.time = float(second)
            far.show_state(reviewed(second), second / 40)
    assert "".join(said).splitlines() == [
        f"pond: {text(left(10, 25, 30))}",
        f"pond: {text(left(20, 50, 20))}",
        f"pond: {text(left(30, 75, 10))}",
    ]


def test_what_was_done_in_an_earlier_run_makes_this_one_no_faster():
    said, clock = Terminal(False), Clock()
    far = ProgressLine(said, clock)
    far.show_state("80 of 100 games", 0.8)
    clock.time = 100.0
    far.show_state("90 of 100 games", 0.9)
    assert "".join(said) == "pond: 90 of 100 games, 90 %, 2 min left\n"


def test_a_new_part_is_said_at_once_wherever_it_is():
    said = Terminal(False)
    far = ProgressLine(said, Clock())
    far.show_state("measuring touch to lamp", new=True)
    far.show_state("measuring rest", new=True)
    assert "".join(said).splitlines() == ["pond: measuring touch to lamp", "pond: measuring rest"]


def test_a_narrow_terminal_gets_a_line_that_fits(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    said = Terminal(True)
    ProgressLine(said, Clock()).show_state("measuring " + "everything " * 10, 0.5)
    assert len(shown(said)) == 39


def test_after_ctrl_c_it_stays_to_be_read(wide):
    said = Terminal(True)

    def work():
        with ProgressLine(said, Clock()) as far:
            far.show_state("half of it", 0.5)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert shown(said) == "pond: half of it, 50 %"


def test_nobody_who_can_be_told_is_no_reason_to_stop():
    said = Terminal(True)

    def full(text):
        raise OSError(28, "No space left on device")

    said.write = full
    with ProgressLine(said, Clock()) as far:
        far.show_state("half of it", 0.5)


def test_a_duration_has_the_unit_that_fits():
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
def talkative(monkeypatch):
    """Everything is said as soon as it is known."""
    monkeypatch.setattr(progress_line, "LINE_INTERVALS", (0.0, 0.0))


def shares(complaint):
    return [int(share) for share in re.findall(r"(\d+) %", complaint)]


@pytest.mark.slow
def test_solving_says_how_far_it_is_where_nobody_looks_too(capsys, talkative):
    assert main.main(["solve", "3x3/2/1"]) == 0
    out, complaint = capsys.readouterr()
    found = Message("solve.exploring", found=8192, estimate=9268)
    assert f"pond: {text(Message('progress.share', state=found, percent=18))}\n" in complaint
    assert f"pond: {text(Message('solve.solving', positions=8590))}" in complaint
    assert shares(complaint) == sorted(shares(complaint))
    assert "left" not in out


def test_counting_says_how_far_it_is(capsys, talkative):
    assert main.main(["perft", "3x3/9/5", "5"]) == 0
    out, complaint = capsys.readouterr()
    assert out == "25000\n"
    assert shares(complaint)[:3] == [0, 11, 22]


def test_a_board_being_built_says_which_file_was_made(capsys, monkeypatch, tmp_path, talkative):
    from pond_hw.fabrication import build_folder
    from pond_hw.messages.message import Message
    from tests.messages.says import text

    monkeypatch.setattr(hardware, "NEEDED", {})
    monkeypatch.setattr(
        build_folder, "make_files", lambda profile, folder: iter([("netlist.txt", b""), ("stl/lid.stl", b"")])
    )
    assert main.main(["hardware", "build", "direct-4x4", "-o", str(tmp_path / "board")]) == 0
    out, complaint = capsys.readouterr()
    assert f"pond: {text(Message('build.made', file='stl/lid.stl'))}\n" in complaint
    folder, guide = str(tmp_path / "board"), str(tmp_path / "board" / "assembly.md")
    assert out == f"{text(Message('build.done', count=2, folder=folder, seconds=0, guide=guide))}\n"


def test_games_of_a_tournament_are_counted_on_standard_error_alone(capsys, talkative):
    command = ["tournament", "random", "greedy", "--variant", "3x3/6/3", "--games", "20", "--workers", "1"]
    assert main.main(command) == 0
    out, complaint = capsys.readouterr()
    assert "pond: 0 of 20 games, 0 %\n" in complaint
    assert "of 20 games" not in out
