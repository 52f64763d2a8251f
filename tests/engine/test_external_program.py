"""External programs: the bot in docs/bots.md plays for both sides, and faulty bots forfeit only their own games."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pond_hw.commands import main
from pond_hw.engine import external_program
from pond_hw.messages.message import Message
from pond_hw.rules import parse_record
from tests.conftest import each, long_after_first, skip_outside_ci
from tests.messages.says import text
from tests.waiting import wait_for

PAGE = (Path(__file__).parents[2] / "docs" / "bots.md").read_text(encoding="utf-8")

CORRECT_BOT = """
import json, os, sys, time, random
for received in map(json.loads, sys.stdin):
    if received["type"] == "hello":
        rng = random.Random(received["seed"])
    elif not received["outcome"]:
        action = {"command": "action", "action": rng.choice(received["legal"])}
        if len(received["actions"]) >= 6:
            BAD
        print(json.dumps(action), flush=True)
    elif received["outcome"]:
        END
"""
"""Bot that plays correctly for a while, as a base for faulty bots."""


@pytest.fixture
def pond(capfd):
    """Function that runs `pond tournament` and returns its exit code, output and errors."""

    def run(*arguments):
        try:
            code = main.main(["tournament", *map(str, arguments)])
        except SystemExit as stop:
            code = stop.code
        out, complaint = capfd.readouterr()
        return code, out, complaint

    return run


@pytest.fixture
def bot(tmp_path):
    """Write a bot to a file. Return its player name."""

    def write(bad="pass", end="pass", name="bot.py", text=None):
        file = tmp_path / name
        file.write_text(text or CORRECT_BOT.replace("BAD", bad).replace("END", end))
        return f"program:{shlex.join([sys.executable, str(file)])}"

    return write


@pytest.fixture
def documented_bot(tmp_path):
    """The bot in docs/bots.md."""
    [code] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(code.strip().splitlines()) <= 16
    (tmp_path / "bot.py").write_text(code)
    return str(tmp_path / "bot.py")


SMALL = ["--variant", "3x3/6/3", "--games", "4"]


def losses(out):
    """Return the forfeits of the second player in the first match."""
    return json.loads(out)["matches"][0]["forfeits"]["against"]


# The documented bot


@pytest.mark.slow
def test_documented_bot_plays_a_tournament(pond, documented_bot):
    assert "$ pond tournament random 'program:python3 bot.py' --games 20" in PAGE
    code, out, complaint = pond(
        "random", f"program:{sys.executable} {documented_bot}", "--games", "4", "--workers", "1"
    )
    assert (code, complaint) == (0, "")
    assert re.search(r"^1 +standard +random +bot\.py +4 ", out, re.MULTILINE)
    assert "by itself" not in out


@pytest.mark.slow
@pytest.mark.parametrize("dark", long_after_first(["level-1", "level-3", "greedy", "random", "level-5"]))
def test_documented_bot_plays_on_a_board(documented_bot, dark):
    assert "$ python3 bot.py pond headless --dark level-3" in PAGE
    drives = [sys.executable, documented_bot, sys.executable, "-m", "pond_hw", "headless", "--dark", dark]
    ends = [subprocess.run(drives, check=True, capture_output=True, text=True, timeout=120).stdout for _ in range(2)]
    assert re.search("(wins, [0-9]+ to [0-9]+|wins[:!] .*)", ends[0]), ends[0]
    assert ends[0] == ends[1]


def test_documented_messages_match_those_sent_to_a_bot(pond, bot, tmp_path):
    heard = tmp_path / "heard"
    spy = f"""
import json, sys
for line in sys.stdin:
    open({str(heard)!r}, "a").write(line)
    received = json.loads(line)
    if received["type"] == "state" and not received["outcome"]:
        print(json.dumps({{"command": "action", "action": received["legal"][0]}}), flush=True)
"""
    name = bot(text=spy)
    assert pond(name, "random", *SMALL, "--workers", "1")[0] == 0
    received = [json.loads(line) for line in heard.read_text().splitlines()]
    shown = [json.loads(line.replace(", …", "")) for line in re.findall(r'^    (\{"type".*)$', PAGE, re.MULTILINE)]
    assert received[0].keys() == shown[0].keys()
    assert received[1].keys() == shown[1].keys()
    games = [each for each in received if each["type"] == "hello"][1:]  # the first one is the check
    players = 2 * [{"light": None, "dark": "random"}, {"light": "random", "dark": None}]
    # The last game may end before the bot has read its messages, and without a question to it.
    assert [game["players"] for game in games] == players[: max(3, len(games))]
    assert len({game["seed"] for game in games}) == len(games)
    asked = [each for each in received if each["type"] == "state" and not each["outcome"]]
    assert all(len(state["actions"]) >= 4 for state in asked[1:])
    ends = [each for each in received if each["type"] == "state" and each["outcome"]]
    assert 1 <= len(ends) <= 4  # only games in which it was asked are announced
    assert all(end["legal"] == [] for end in ends)


# Faults of bots


WRONG = [
    ("raise SystemExit", "crashed"),
    ("os.abort()", "crashed"),
    ("print('thinking', flush=True)", "garbage"),
    ("print('[]', flush=True)", "garbage"),
    ("print('[' * 5000, flush=True)", "garbage"),
    ("print('x' * 4000 + '\\\\n', flush=True)", "garbage"),
    ('print(\'{"command": "action", "action": 7}\', flush=True)', "garbage"),
    ("sys.stdout.buffer.write(bytes(range(128, 256)) + b'\\\\n'); sys.stdout.flush()", "garbage"),
    ("action['action'] = 'e5e4'", "illegal"),
    ("action['action'] = '@b2@b2'", "illegal"),
    ("action = {'command': 'resign'}", "resigned"),
]


@pytest.mark.slow
@each("bad, reason", WRONG)
def test_faulty_bot_forfeits_and_tournament_continues(bad, reason, pond, bot):
    code, out, _ = pond("random", bot(bad), "--variant", "3x3/6/3", "--games", "2", "--json", "--workers", "1")
    assert code == 0
    received = json.loads(out)
    assert received["complete"]
    assert not received["reproducible"]
    [match] = received["matches"]
    assert match["forfeits"]["against"].keys() <= {reason}
    assert match["forfeits"]["against"][reason] >= 1
    assert match["won"] >= match["forfeits"]["against"][reason]
    assert match["forfeits"]["player"] == {}


@pytest.mark.slow
@each("bad", ["time.sleep(60)", "print('{', end='', flush=True); time.sleep(60)"])
def test_slow_bot_forfeits(bad, pond, bot):
    few = ["--variant", "3x3/6/3", "--games", "2", "--workers", "1"]
    code, out, _ = pond("random", bot(bad), *few, "--move-time", "0.5", "--json")
    assert code == 0
    assert losses(out).keys() == {"late"}


@pytest.mark.slow
def test_bot_that_never_reads_forfeits(pond, bot):
    deaf = 'import time\nprint(\'{"command":"action","action":"@b2"}\', flush=True)\ntime.sleep(60)'
    only_two = [
        *SMALL[:2],
        "--opening",
        "0",
        "--games",
        "2",
    ]  # from the standard start no game ends before the second question
    code, out, _ = pond("random", bot(text=deaf), *only_two, "--move-time", "0.3", "--json")
    assert code == 0
    assert sum(losses(out).values()) == 2
    assert losses(out).keys() <= {"late", "illegal"}


@pytest.mark.slow
def test_bot_that_exits_is_restarted(pond, bot):
    code, out, _ = pond("random", bot(end="break"), *SMALL, "--json", "--workers", "1")
    assert (code, losses(out)) == (0, {})


@pytest.mark.slow
def test_table_lists_forfeits(pond, bot):
    _, out, _ = pond("random", bot("raise SystemExit", name="weak.py"), *SMALL, "--workers", "1")
    reasons = dict.fromkeys(("late", "illegal", "garbage", "resigned"), 0)
    expected = {
        text(Message("tournament.forfeits", player="weak.py", variant="3x3/6/3", count=count, crashed=count, **reasons))
        for count in (2, 3, 4)
    }
    assert any(sentence in " ".join(out.split()) for sentence in expected)
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.slow
def test_two_bots_play_each_other(pond, bot):
    one, other = bot(name="one.py"), bot("raise SystemExit", name="other.py")
    code, out, _ = pond(one, other, "random", *SMALL, "--workers", "1")
    assert code == 0
    assert "other.py forfeited" in out
    assert "one.py lost" not in out


# Errors at the start


@each(
    "name, message",
    [
        ("program:", Message("program.no_command", name="program:")),
        ("program:'", Message("program.no_command", name="program:'")),
        (
            "program:/nowhere/bot",
            Message("program.cannot_start", command="/nowhere/bot", reason="No such file or directory"),
        ),
        (
            f"program:{sys.executable} nothere.py",
            Message(
                "program.fails_and_says",
                command=f"{sys.executable} nothere.py",
                reason=Message("program.ended"),
                output="|",
            ),
        ),
        (
            f"program:{sys.executable} -c 'print(7)'",
            Message(
                "program.fails",
                command=f"{sys.executable} -c 'print(7)'",
                reason=Message("program.no_command_in_answer", text="7"),
                output="",
            ),
        ),
    ],
)
def test_bot_that_cannot_play_is_reported_first(name, message, pond, tmp_path):
    file = tmp_path / "games.jsonl"
    code, out, complaint = pond("random", name, "--out", file)
    assert (code, out) == (2, "")
    before, _, after = f"pond: {text(message)}\n".partition("|")
    assert complaint.startswith(before)
    assert complaint.endswith(after)
    assert len(complaint.splitlines()) == 1
    assert not file.exists()


@each(
    "arguments, message",
    [
        (["random", "greedy", "--move-time", "3"], Message("tournament.move_time_needs_program")),
        (
            ["random", "program:true", "--cluster", "tcp://127.0.0.1:1"],
            Message("tournament.program_on_cluster"),
        ),
        (["random", "program:true", "program:true"], Message("plan.twice.player", name="program:true")),
        (["random", "program:true", "--move-time", "0"], None),
    ],
)
def test_invalid_arguments_are_reported(arguments, message, pond):
    code, _, complaint = pond(*arguments)
    assert code == 2
    assert complaint == f"pond: {text(message)}\n" if message else "3600" in complaint


def test_study_rejects_bots(capsys):
    assert main.main(["study", "3x3/6/3", "--player", "program:true"]) == 2
    assert capsys.readouterr().err == f"pond: {text(Message('plan.study_of_program'))}\n"


# Files and workers


@pytest.mark.slow
def test_bot_tournament_is_reproducible_and_resumable(pond, bot, tmp_path):
    name = bot()
    files = [tmp_path / f"{number}.jsonl" for number in range(3)]
    for workers, file in zip((1, 2), files, strict=False):
        assert pond("greedy", name, *SMALL, "--workers", workers, "--out", file)[0] == 0
    one, two = (sorted(file.read_text().splitlines()) for file in files[:2])
    assert one == two
    first, second, *_ = files[0].read_text().splitlines(keepends=True)
    assert json.loads(first)["limit"] == 10.0
    files[2].write_text(first + second[:20])
    assert pond("--resume", files[2], "--workers", "1")[0] == 0
    assert sorted(files[2].read_text().splitlines()) == one
    code, _, complaint = pond("greedy", name, *SMALL, "--move-time", "3", "--out", files[0])
    assert code == 2
    assert re.search(r"limit: 10\.0\b.*\b3\.0", complaint)


def test_tournament_file_without_bots_is_unchanged(pond, tmp_path):
    file = tmp_path / "games.jsonl"
    pond("random", "greedy", *SMALL, "--workers", "1", "--out", file)
    assert "limit" not in json.loads(file.read_text().splitlines()[0])
    assert "forfeits" not in pond("--show", file, "--json")[1]


@pytest.mark.slow
def test_records_contain_forfeits(pond, bot, tmp_path):
    folder, file = tmp_path / "records", tmp_path / "games.jsonl"
    name = bot("action['action'] = 'nonsense'")
    assert pond("random", name, *SMALL, "--workers", "1", "--out", file, "--records", folder)[0] == 0
    games = [parse_record(each.read_text()) for each in sorted(folder.iterdir())]
    assert len(games) == 4
    lost = [game for game in games if "Termination" in game.tags]
    assert lost
    for game in lost:
        assert game.tags["Termination"] == "illegal"
        assert game.tags[str(game.outcome.winner).capitalize()] == "random"


# No leftover processes


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def find_survivors(pids, seconds=10):
    """Return the surviving processes. On a busy machine, a killed process takes a while to end."""
    until = time.monotonic() + seconds
    while any(map(alive, pids)) and time.monotonic() < until:
        time.sleep(0.05)
    return [pid for pid in pids if alive(pid)]


@pytest.mark.slow
@pytest.mark.parametrize("workers", long_after_first([2, 1]))
@pytest.mark.parametrize("how", long_after_first([signal.SIGINT, signal.SIGTERM]))
def test_ctrl_c_kills_bots_and_their_children(how, workers, bot, tmp_path):
    if not Path("/proc/self/stat").exists():
        skip_outside_ci("needs /proc to find running processes")
    pids = tmp_path / "pids"
    stubborn = f"""
import os, signal, subprocess, sys, time
for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(each, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
if os.path.exists({str(pids)!r}):
    open({str(pids)!r}, "a").write(f"{{os.getpid()}} {{child.pid}}\\n")
    time.sleep(600)
open({str(pids)!r}, "w").close()
print('{{"command":"action","action":"@b2"}}', flush=True)
time.sleep(600)
"""
    command = ["tournament", "random", bot(text=stubborn), "--workers", str(workers), "--move-time", "500"]
    running = subprocess.Popen(
        [sys.executable, "-m", "pond_hw", *command], stderr=subprocess.PIPE, start_new_session=True
    )
    until = time.monotonic() + 60
    while not (pids.exists() and pids.read_text().endswith("\n")) and time.monotonic() < until:
        time.sleep(0.05)
    started = [int(pid) for pid in pids.read_text().split()]
    assert started
    os.killpg(running.pid, how)
    _, complaint = running.communicate(timeout=30)
    assert running.returncode == 130
    assert b"Traceback" not in complaint
    assert not find_survivors(started)


ENDED_WHILE_IT_STARTS = """
import sys, time
from threading import Event, Thread
from pond_hw.engine import external_program
from pond_hw.lab.workers import _exit_worker

started, start_process = Event(), external_program.start_process
def start_slowly(*arguments):
    process = start_process(*arguments)
    print(process.pid, flush=True)
    started.set()
    time.sleep(1)
    return process

external_program.start_process = start_slowly
Thread(target=lambda: (started.wait(), _exit_worker())).start()
external_program.ExternalEngine(sys.argv[1])._start_program()
time.sleep(60)
"""


@pytest.mark.slow
@each("inherits_environment", [True, False])
def test_bot_child_in_separate_session_does_not_hang_tournament(inherits_environment, pond, bot, tmp_path):
    if not Path("/proc/self/environ").exists():
        skip_outside_ci("needs /proc to find leftover processes")
    pids = tmp_path / "pids"
    environment = "" if inherits_environment else ", env={}"
    start = f"child = __import__('subprocess').Popen(['sleep', '600'], start_new_session=True{environment})"
    bad = f"{start}; open({str(pids)!r}, 'a').write(f'{{child.pid}} '); time.sleep(600)"
    options = ["--variant", "3x3/6/3", "--games", "2", "--workers", "1", "--move-time", "0.5", "--json"]
    code, out, _ = pond("random", bot(bad), *options)
    children = [int(pid) for pid in pids.read_text().split()]
    survivors = find_survivors(children, 10 if inherits_environment else 0)
    for pid in survivors:
        os.kill(pid, signal.SIGKILL)
    assert code == 0
    assert losses(out).keys() == {"late"}
    assert children
    assert not (survivors and inherits_environment)  # a process that hides its environment can't be found


@pytest.mark.slow
def test_worker_exit_during_bot_start_leaves_no_process(bot):
    if not Path("/proc/self/stat").exists():
        skip_outside_ci("needs /proc to find running processes")
    command = [sys.executable, "-c", ENDED_WHILE_IT_STARTS, bot(text="import time; time.sleep(600)")]
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=30, check=False)
    wait_for(lambda: not alive(int(ended.stdout)))


def test_no_bot_survives_a_tournament_in_this_process(pond, bot):
    pond("random", bot(), *SMALL, "--workers", "1")
    assert not external_program._running_programs
