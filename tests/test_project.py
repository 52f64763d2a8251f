"""The files that set the project up: what they promise to a laptop, to a Pi and to each other."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import pond_hw
from tests.conftest import need, part_of, pytest_terminal_summary

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
NEEDED = [Requirement(line) for line in PROJECT["project"]["dependencies"]]
TO_BUILD = [Requirement(line) for line in PROJECT["build-system"]["requires"]]

PIS = {"64-bit Pi": ("linux", "aarch64"), "32-bit Pi": ("linux", "armv7l"), "Pi Zero": ("linux", "armv6l")}
OTHERS = {"Linux PC": ("linux", "x86_64"), "Mac": ("darwin", "arm64"), "Windows PC": ("win32", "AMD64")}
MACHINES = PIS | OTHERS
PYTHONS = ["3.11", "3.12", "3.13"]
EXTRAS = [extra for extra in PROJECT["project"]["optional-dependencies"] if extra not in ("test", "dev")]
LOCKS = ["requirements.lock", "requirements-dev.lock", *(f"requirements-{extra}.lock" for extra in EXTRAS)]
TARGETS = {
    "help-all",
    "play",
    "test",
    "check",
    "test-long",
    "hw",
    "bench",
    "picture",
    "man",
    "lock",
    "clean",
    "docs",
    "messages",
}
TARGETS |= {
    "behaviour",
    "campaign",
    "fast",
    "diagnose",
    "hardware",
    "kernel",
    "kicad",
    "carriers",
    "soak",
    "power",
    "test-kernel",
}
TARGETS |= {"study", "cluster", "web", "train", "dist", "deb", "test-deb", "test-arm"}

PACKAGE = re.compile(r"(?P<pin>[a-z0-9-]+==[0-9][a-z0-9.+!]*( ; [^\\]+)?) \\")
HASH = re.compile(r" {4}--hash=(?P<digest>sha256:[0-9a-f]{64})( \\)?")


class Locked(NamedTuple):
    """One package of a lock: the version, and the digests of the files it may come as."""

    requirement: Requirement
    version: str
    digests: set[str]


def locked(name: str) -> dict[str, Locked]:
    """The packages of a lock by name; any line that is neither a pinned package nor a digest is refused."""
    packages: dict[str, Locked] = {}
    latest = None
    for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
        if package := PACKAGE.fullmatch(line):
            requirement = Requirement(package["pin"])
            (pin,) = requirement.specifier
            latest = packages[requirement.name] = Locked(requirement, pin.version, set())
        elif latest and (digest := HASH.fullmatch(line)):
            latest.digests.add(digest["digest"])
        else:
            pytest.fail(f"{name} holds a line that is neither a package nor a hash: {line}")
    return packages


def wanted(requirement: Requirement, machine: str, python: str = "3.11") -> bool:
    """Whether pip installs this on that machine."""
    platform, processor = MACHINES[machine]
    where = {"sys_platform": platform, "platform_machine": processor}
    version = {"python_version": python, "python_full_version": f"{python}.1"}
    return requirement.marker is None or requirement.marker.evaluate(where | version)


def run(*command: str | Path) -> str:
    """What the command prints; a make that runs these tests hands nothing down to a make started by them."""
    outside = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run(command, cwd=ROOT, env=outside, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_package_itself_says_the_version():
    assert "version" in PROJECT["project"]["dynamic"]
    assert PROJECT["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "pond_hw.__version__"}
    assert Version(pond_hw.__version__) > Version("0")


@pytest.mark.parametrize("machine", PIS)
def test_a_pi_gets_the_lamp_libraries(machine):
    names = {each.name for each in NEEDED if wanted(each, machine)}
    assert {"rpi_ws281x", "adafruit-circuitpython-neopixel", "spidev", "gpiod"} <= names


@pytest.mark.parametrize("machine", OTHERS)
@pytest.mark.parametrize("python", PYTHONS)
def test_a_laptop_gets_nothing_that_needs_a_pi(machine, python):
    assert {each.name for each in NEEDED if wanted(each, machine, python)} == {
        "gpiozero",
        "textual",
        "shtab",
        "pyserial",
    }


def test_lgpio_comes_from_the_system_where_pip_has_no_built_one():
    (lgpio,) = (each for each in NEEDED if each.name == "lgpio")
    assert wanted(lgpio, "64-bit Pi", "3.12")
    assert wanted(lgpio, "32-bit Pi", "3.12")
    assert not wanted(lgpio, "64-bit Pi", "3.13")
    assert not wanted(lgpio, "Pi Zero", "3.11")
    assert "0.0.0.2" not in lgpio.specifier


@pytest.mark.parametrize("python", PYTHONS)
def test_the_libraries_of_real_pins_are_asked_for_on_linux_alone(python):
    extra = [Requirement(line) for line in PROJECT["project"]["optional-dependencies"]["hw"]]
    compiled = {"rpi_ws281x", "spidev", "lgpio", "gpiod"}
    for machine in OTHERS:
        here = {each.name for each in extra if wanted(each, machine, python)}
        assert here == (compiled - ({"lgpio"} if python == "3.13" else set()) if machine == "Linux PC" else set())


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_package_has_hashes_and_no_line_holds_anything_else(lock):
    packages = locked(lock)
    assert packages
    assert [name for name, package in packages.items() if not package.digests] == []


def test_every_extra_has_a_lock_and_there_is_no_other():
    assert sorted(path.name for path in ROOT.glob("*.lock")) == sorted(LOCKS)


def test_the_locks_agree():
    playing, testing = locked("requirements.lock"), locked("requirements-dev.lock")
    for name, package in playing.items():
        assert (testing[name].version, testing[name].digests) == (package.version, package.digests), name
        for where in product(MACHINES, PYTHONS):
            assert wanted(testing[name].requirement, *where) >= wanted(package.requirement, *where), (name, where)
    for extra in EXTRAS:
        for name, package in locked(f"requirements-{extra}.lock").items():
            if extra != "docs" or name in testing:  # what builds the site is not there for the tests
                assert (testing[name].version, testing[name].digests) == (package.version, package.digests), name


def test_the_lock_for_playing_holds_all_that_playing_and_installing_need():
    packages = locked("requirements.lock")
    for each in NEEDED + TO_BUILD:
        package = packages[canonicalize_name(each.name)]
        assert package.version in each.specifier, each
        for where in product(MACHINES, PYTHONS):
            assert wanted(package.requirement, *where) >= wanted(each, *where), (each, where)


def test_the_lock_for_testing_holds_what_the_extras_ask_for():
    packages = locked("requirements-dev.lock")
    extras = PROJECT["project"]["optional-dependencies"]
    for each in map(Requirement, extras["test"] + extras["dev"]):
        assert each.name == "pond-hw" or packages[canonicalize_name(each.name)].version in each.specifier, each


def test_every_dependency_has_a_lower_bound():
    """Each is the lowest version that .ci/run has tested."""
    asked = [*NEEDED, *TO_BUILD]
    for lines in PROJECT["project"]["optional-dependencies"].values():
        asked += [each for each in map(Requirement, lines) if each.name != "pond-hw"]
    assert [each.name for each in asked if ">=" not in {part.operator for part in each.specifier}] == []


def test_locked_uvicorn_is_the_newest_minor_that_is_allowed():
    """Its inner classes may change in any minor version: a higher one is allowed once the tests have passed with it."""
    (uvicorn,) = (
        each for each in map(Requirement, PROJECT["project"]["optional-dependencies"]["web"]) if each.name == "uvicorn"
    )
    locked_version = Version(locked("requirements-web.lock")["uvicorn"].version)
    assert locked_version in uvicorn.specifier
    assert f"{locked_version.major}.{locked_version.minor + 1}" not in uvicorn.specifier


@pytest.mark.parametrize("extra", EXTRAS)
def test_the_lock_of_an_extra_holds_what_it_asks_for(extra):
    packages = locked(f"requirements-{extra}.lock")
    for each in map(Requirement, PROJECT["project"]["optional-dependencies"][extra]):
        assert packages[canonicalize_name(each.name)].version in each.specifier, each
    assert extra != "fast" or "setuptools" in packages  # mypyc builds with it


def menu(*targets):
    need("make", "its menu is what a newcomer reads first")
    lines = run("make", "--no-print-directory", *targets).splitlines()
    assert max(map(len, lines)) <= 80
    rows = [line for line in lines if line.startswith(" ")]
    assert all(re.match(r"  make [a-z -]{12} [^ ]", row) for row in rows), "one column"
    shown = [row.split()[1] for row in rows]
    assert len(set(shown)) == len(shown)
    return set(shown), [line for line in lines if line not in rows]


def test_make_alone_shows_what_players_need():
    assert menu() == ({"play", "test", "web", "docs", "clean", "help-all"}, [])


def test_make_help_all_shows_every_target_in_a_group():
    shown, groups = menu("help-all")
    assert shown == TARGETS
    assert groups == ["Play", "Tests", "Work on it", "Boards and hardware", "Releases"]


@pytest.mark.parametrize(("wanted", "processor"), [([], "arm64"), (["ARCH=armhf"], "armhf")])
def test_every_check_for_a_pi_is_told_its_processor(tmp_path, monkeypatch, wanted, processor):
    need("make", "it hands the processor on")
    monkeypatch.delenv("ARCH", raising=False)
    steps = ["deb", "packages", "wheel", "boot", "first-day"]
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / "Makefile", tmp_path)
    for step in steps:
        (tmp_path / ".ci" / step).write_text('#!/bin/sh\necho "${0##*/} $1 $ARCH"\n')
        (tmp_path / ".ci" / step).chmod(0o755)
    called = run(
        "make", "-C", tmp_path, "-s", "--no-print-directory", "-o", "dist", "test-arm", "DEBIAN=trixie", *wanted
    )
    assert called.splitlines() == [f"{step} trixie {processor}" for step in steps]


def test_github_tests_every_python_with_pinned_actions():
    workflow = (ROOT / ".github/workflows/tests.yml").read_text(encoding="utf-8")
    classifiers = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["project"]["classifiers"]))
    assert re.findall(r'"(3\.\d+)"', workflow) == classifiers == PYTHONS
    actions = re.findall(r"uses: \S+@(\S+)", workflow)
    assert actions
    assert all(re.fullmatch("[0-9a-f]{40}", commit) for commit in actions)


def test_the_readme_names_only_targets_that_exist():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"(?:^|`|\$ | {4})make ([a-z][a-z-]*)(?=$|`| +#| [A-Z_]+=)", readme, re.MULTILINE)
    assert set(commands) <= TARGETS


def test_imports_point_one_way():
    need("importlinter", "it reads the contracts in pyproject.toml")
    run(Path(sys.executable).with_name("lint-imports"), "--no-cache", "--no-logo")


def test_the_parts_of_the_long_tests_are_all_of_them_and_none_is_in_two():
    tests = list(range(100))
    parts = [part_of(tests, f"{number}/3") for number in (1, 2, 3)]
    assert [len(mine) for mine, _ in parts] == [34, 33, 33]
    assert sorted(test for mine, _ in parts for test in mine) == tests
    assert all(sorted(mine + others) == tests for mine, others in parts)


@pytest.mark.parametrize("part", ["4/3", "0/3", "2", "/", "-1/3", "a/b", "1/3/5"])
def test_what_is_no_part_is_refused(part):
    with pytest.raises(pytest.UsageError, match="two numbers are wanted"):
        part_of([1, 2, 3], part)


def test_skipped_tests_are_counted_for_each_reason():
    reports = [SimpleNamespace(longrepr=("file", 1, f"Skipped: needs {tool}")) for tool in ("make", "git", "make")]
    lines = []
    pytest_terminal_summary(SimpleNamespace(getreports={"skipped": reports}.get, write_line=lines.append))
    assert lines == ["", "skipped   2: needs make", "skipped   1: needs git"]
