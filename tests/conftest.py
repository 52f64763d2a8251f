"""What all tests share: positions that are drawn when they differ, tools that may be missing, and how hard we try."""

import gc
import importlib
import importlib.util
import inspect
import os
import shutil
import signal
import socket
import tempfile
from collections import Counter
from contextlib import suppress
from functools import wraps
from itertools import zip_longest
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from pond_hw.commands.main import main
from pond_hw.companion import lamp_display
from pond_hw.lights import draw_scene
from pond_hw.rules import Position

IN_CI = bool(os.environ.get("CI"))

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a job in the background; what we start shall hear Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A terminal with all colours, wherever the tests run.
os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
for _name in ("NO_COLOR", "TEXTUAL_COLOR_SYSTEM"):
    os.environ.pop(_name, None)

# Examples are not kept between runs: a failing one is printed, and belongs in a test of its own.
settings.register_profile("default", max_examples=100 if IN_CI else 10, deadline=None, derandomize=IN_CI, database=None)
settings.register_profile(
    "long",
    max_examples=1500,
    deadline=None,
    derandomize=False,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def need(tool, why):
    """Go on only if this program or Python module is there; say why it is needed.

    On a laptop the test is skipped. In CI everything is installed, so there a missing tool is a failure.
    It may stand in a test, or at the top of a file for all tests in it.
    """
    if not (shutil.which(tool) or _importable(tool)):
        lacks(f"needs {tool}: {why}")


def lacks(reason):
    """Give this test up because the machine has not what it needs: skipped on a laptop, failed in CI."""
    if IN_CI:
        pytest.fail(f"{reason}; in CI it must not be missing", pytrace=False)
    pytest.skip(reason, allow_module_level=True)


def each(names, cases):
    """Ask a test of all these cases as one test; a failure names its case.

    For the many that take no time: to keep a test of its own for each, in every process, takes longer than to ask it.
    A case is told as to `pytest.mark.parametrize`, which is for what takes its time, and where what a fixture made is
    changed. It may stand above a test more than once.
    """
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    cases = list(cases)
    assert cases, "a test that is asked of nothing cannot fail"

    def asked_of_all(test):
        @wraps(test)
        def asked(*itself, **others):
            for case in cases:
                told = dict(zip(names, case if len(names) > 1 else (case,), strict=True))
                try:
                    test(*itself, **told, **others)
                except (Exception, pytest.fail.Exception) as failure:
                    failure.add_note(f"asked of {', '.join(f'{name}={value!r}' for name, value in told.items())}")
                    raise

        seen = inspect.signature(test)
        left = [parameter for name, parameter in seen.parameters.items() if name not in names]
        asked.__signature__ = seen.replace(parameters=left)  # what remains is for fixtures
        return asked

    return asked_of_all


def draw_rarely(monkeypatch, seconds):
    """Draws for the lamps so far apart at the least: where light is not what is looked at, that takes less time."""

    def draw(scene, now, *lamps):
        drawn = draw_scene(scene, now, *lamps)
        return drawn._replace(next_change=max(drawn.next_change, now + seconds))

    monkeypatch.setattr(lamp_display, "FRAME_SECONDS", seconds)
    monkeypatch.setattr(lamp_display, "draw_scene", draw)


def first_now_rest_long(cases, count=1):
    """For `pytest.mark.parametrize`: the first of these cases are asked in every run, the others in the long one.

    For cases that take their time and tell much the same; a case of several values is a plain tuple.
    """
    cases = list(cases)
    values = [case if type(case) is tuple else (case,) for case in cases]  # a pond is one value, though a named tuple
    return cases[:count] + [pytest.param(*each, marks=pytest.mark.long) for each in values[count:]]


def part_of(items, part):
    """`2/3` of them: each third, from the second on; and the others.

    Raises:
        pytest.UsageError: no part is called that.
    """
    first, _, of = part.partition("/")
    if not (first.isdecimal() and of.isdecimal() and 1 <= int(first) <= int(of)):
        raise pytest.UsageError(f"--part {part}: two numbers are wanted, the first not above the second, as in 2/3")
    mine = items[int(first) - 1 :: int(of)]
    return mine, [item for item in items if item not in mine]


def _importable(module):
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def pytest_addoption(parser):
    parser.addoption("--pi", metavar="NAME", help="ask this board on the simulated Pi that this runs on")
    parser.addoption("--part", metavar="K/N", help="of the tests asked for, each Nth only, from the Kth on")


def pytest_configure(config):
    os.environ["POND_BOARDS"] = f"{os.devnull}/none"  # what was measured on this machine's board is no matter of ours
    os.environ["POND_JOURNAL"] = "off"  # nor are the games that were played on it
    settings.load_profile("default")  # before Hypothesis looks at --hypothesis-profile, which therefore still counts


@pytest.hookimpl(trylast=True)  # when the others have left out what is not asked for
def pytest_collection_modifyitems(config, items):
    if part := config.getoption("--part"):
        items[:], left_out = part_of(items, part)
        config.hook.pytest_deselected(items=left_out)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session):
    """Share the work of the first run between two processes.

    Each process imports all tests, and pytest rewrites their asserts, which takes 12 s of processor the first time. One
    process starts from the end, so that each finds half of the tests in the cache that the other has filled.
    """
    config = session.config
    worker = getattr(config, "workerinput", {}).get("workerid", "gw0")
    if worker == "gw1" and config.args == config.getini("testpaths"):
        folder = Path(__file__).parent
        for file in sorted(folder.rglob("test_*.py"), reverse=True):
            with suppress(Exception, pytest.skip.Exception, pytest.fail.Exception):  # the collection reports it
                importlib.import_module(".".join(file.relative_to(folder.parent).with_suffix("").parts))


def pytest_collection_finish():
    gc.freeze()  # all that was imported stays; a driver that has rubbish looked for need not have it searched each time


def pytest_terminal_summary(terminalreporter):
    """Count the skipped tests, a line for each reason."""
    reports = terminalreporter.getreports("skipped")
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in reports)
    if reasons:
        terminalreporter.write_line("")
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"skipped {count:3}: {reason}")


def pytest_assertrepr_compare(op, left, right):
    """Draw the positions that an assertion found to differ, side by side: pytest shows only so many lines."""
    if op != "==" or not (isinstance(left, Position) or isinstance(right, Position)):
        return None
    rows = zip_longest(_drawn(left), _drawn(right), fillvalue="")
    return [f"{_named(left)} == {_named(right)}", *(f"{one:36}{two}" for one, two in rows)]


def _named(thing):
    return thing.notation_line if isinstance(thing, Position) else repr(thing)


def _drawn(thing):
    return str(thing).splitlines() if isinstance(thing, Position) else []


@pytest.fixture
def pond(capsys):
    """Runs the command; gives its exit code, what it printed, and what it complained of."""

    def run(*arguments):
        try:
            code = main(list(map(str, arguments)))
        except SystemExit as stop:
            code = stop.code
        out, complaint = capsys.readouterr()
        return code, out, complaint

    return run


@pytest.fixture
def folder():
    """A folder whose name is short: the path of a socket has room for a hundred letters."""
    with tempfile.TemporaryDirectory(prefix="pond") as place:
        yield Path(place)


@pytest.fixture
def ear(folder):
    """The socket at which systemd listens."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(str(folder / "notify"))
        heard.settimeout(20)
        yield heard


@pytest.fixture
def serve(folder):
    """Serves boards, and stops in the end."""
    served = []

    def begin(pond="standard", **how):
        from tests.server.served import Served

        served.append(Served(folder, pond, **how))
        return served[-1]

    yield begin
    for each in served:
        each.close()


@pytest.fixture
def served(serve):
    """A standard pond on a simulated board, served."""
    return serve()
