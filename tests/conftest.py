"""Fixtures and options of all tests."""

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

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in a background job; our programs must react to Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)

# All tests use a terminal with full colour support.
os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
for _name in ("NO_COLOR", "TEXTUAL_COLOR_SYSTEM"):
    os.environ.pop(_name, None)

# Examples are not saved between runs. A failing one is printed, and belongs in a test of its own.
settings.register_profile("default", max_examples=100 if IN_CI else 10, deadline=None, derandomize=IN_CI, database=None)
settings.register_profile(
    "long",
    max_examples=1500,
    deadline=None,
    derandomize=False,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def require(tool, why):
    """Skip the test, or all tests of the file, if a program or Python module is missing. In CI, fail instead."""
    if not (shutil.which(tool) or _importable(tool)):
        skip_outside_ci(f"needs {tool}: {why}")


def skip_outside_ci(reason):
    """Skip the test because this machine lacks something. In CI, fail instead."""
    if IN_CI:
        pytest.fail(f"{reason}; this must not happen in CI", pytrace=False)
    pytest.skip(reason, allow_module_level=True)


def each(names, cases):
    """Run a test on all cases as a single test. A failure names its case.

    This is faster than `pytest.mark.parametrize` for many quick cases, and takes the same arguments. Use parametrize if
    a case is slow or changes a fixture. The decorator can be applied repeatedly.
    """
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    cases = list(cases)
    assert cases, "a test without cases cannot fail"

    def decorate(test):
        @wraps(test)
        def run_all(*itself, **others):
            for case in cases:
                arguments = dict(zip(names, case if len(names) > 1 else (case,), strict=True))
                try:
                    test(*itself, **arguments, **others)
                except (Exception, pytest.fail.Exception) as failure:
                    failure.add_note(f"with {', '.join(f'{name}={value!r}' for name, value in arguments.items())}")
                    raise

        seen = inspect.signature(test)
        left = [parameter for name, parameter in seen.parameters.items() if name not in names]
        run_all.__signature__ = seen.replace(parameters=left)  # the remaining ones are fixtures
        return run_all

    return decorate


def limit_frame_rate(monkeypatch, seconds):
    """Set a minimum number of seconds between frames. This speeds up tests that don't look at the lamps."""

    def draw(scene, now, *lamps):
        drawn = draw_scene(scene, now, *lamps)
        return drawn._replace(next_change=max(drawn.next_change, now + seconds))

    monkeypatch.setattr(lamp_display, "FRAME_SECONDS", seconds)
    monkeypatch.setattr(lamp_display, "draw_scene", draw)


def long_after_first(cases, count=1):
    """Mark the cases after the first `count` as long, for `pytest.mark.parametrize`.

    Use this for slow, similar cases. A case with several values must be a plain tuple.
    """
    cases = list(cases)
    # A variant is a single value, although it is a named tuple.
    values = [case if type(case) is tuple else (case,) for case in cases]
    return cases[:count] + [pytest.param(*case_values, marks=pytest.mark.long) for case_values in values[count:]]


def part_of(items, part):
    """Split items into a part and the rest. Part `2/3` is every third item, from the second on.

    Raises:
        pytest.UsageError: The part is invalid.
    """
    first, _, of = part.partition("/")
    if not (first.isdecimal() and of.isdecimal() and 1 <= int(first) <= int(of)):
        raise pytest.UsageError(f"--part {part}: expected K/N with 1 <= K <= N, such as 2/3")
    mine = items[int(first) - 1 :: int(of)]
    return mine, [item for item in items if item not in mine]


def _importable(module):
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def pytest_addoption(parser):
    parser.addoption("--pi", metavar="NAME", help="board to test on this simulated Pi")
    parser.addoption("--part", metavar="K/N", help="run only every Nth of the selected tests, from the Kth on")


def pytest_configure(config):
    os.environ["POND_BOARDS"] = (
        f"{os.devnull}/none"  # ignore the calibration and the saved games of this machine's board
    )
    os.environ["POND_JOURNAL"] = "off"
    settings.load_profile("default")  # --hypothesis-profile overrides this later


@pytest.hookimpl(trylast=True)  # after all other deselection
def pytest_collection_modifyitems(config, items):
    if part := config.getoption("--part"):
        items[:], left_out = part_of(items, part)
        config.hook.pytest_deselected(items=left_out)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session):
    """Share the work of a first run between two processes.

    Each process imports all tests, and pytest rewrites their asserts, which takes 12 s of CPU time. One process starts
    from the end, so that each finds half of the tests in the cache.
    """
    config = session.config
    worker = getattr(config, "workerinput", {}).get("workerid", "gw0")
    if worker == "gw1" and config.args == config.getini("testpaths"):
        folder = Path(__file__).parent
        for file in sorted(folder.rglob("test_*.py"), reverse=True):
            with suppress(Exception, pytest.skip.Exception, pytest.fail.Exception):  # the collection reports it
                importlib.import_module(".".join(file.relative_to(folder.parent).with_suffix("").parts))


def pytest_collection_finish():
    gc.freeze()  # imported objects stay; tests that force a garbage collection need not search them


def pytest_terminal_summary(terminalreporter):
    """Print the number of skipped tests for each reason."""
    reports = terminalreporter.getreports("skipped")
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in reports)
    if reasons:
        terminalreporter.write_line("")
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"skipped {count:3}: {reason}")


def pytest_assertrepr_compare(op, left, right):
    """Draw unequal positions side by side, because pytest would abbreviate them."""
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
    """Return a function that runs the `pond` command and returns its exit code, stdout and stderr."""

    def run(*arguments):
        try:
            code = main(list(map(str, arguments)))
        except SystemExit as stop:
            code = stop.code
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def folder():
    """Yield a folder with a short path. The path of a Unix socket may have only about 100 characters."""
    with tempfile.TemporaryDirectory(prefix="pond") as place:
        yield Path(place)


@pytest.fixture
def notify_socket(folder):
    """Yield the notification socket of a simulated systemd."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(folder / "notify"))
        listener.settimeout(20)
        yield listener


@pytest.fixture
def serve(folder):
    """Return a function that starts boards. They are stopped after the test."""
    served = []

    def begin(pond="standard", **options):
        from tests.server.served import Served

        served.append(Served(folder, pond, **options))
        return served[-1]

    yield begin
    for each in served:
        each.close()


@pytest.fixture
def served(serve):
    """Return a running standard board."""
    return serve()
