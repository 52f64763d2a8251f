"""Tests of the project files: dependencies, locks, make targets and workflows."""

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
import yaml  # comes with the extra `cluster`
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import pond_hw
from tests.conftest import part_of, pytest_terminal_summary, require

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
DEPENDENCIES = [Requirement(line) for line in PROJECT["project"]["dependencies"]]
BUILD_DEPENDENCIES = [Requirement(line) for line in PROJECT["build-system"]["requires"]]

PIS = {"64-bit Pi": ("linux", "aarch64"), "32-bit Pi": ("linux", "armv7l"), "Pi Zero": ("linux", "armv6l")}
OTHERS = {"Linux PC": ("linux", "x86_64"), "Mac": ("darwin", "arm64"), "Windows PC": ("win32", "AMD64")}
MACHINES = PIS | OTHERS
PYTHONS = ["3.11", "3.12", "3.13"]
EXTRAS = [extra for extra in PROJECT["project"]["optional-dependencies"] if extra not in ("test", "dev")]
LOCKS = ["requirements.lock", "requirements-dev.lock", *(f"requirements-{extra}.lock" for extra in EXTRAS)]
TARGETS = {
    "help-all",
    "browser",
    "browser-serve",
    "docs-serve",
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
    "card",
    "test-card",
    "fast",
    "diagnose",
    "hardware",
    "kernel",
    "kicad",
    "carriers",
    "row-boards",
    "soak",
    "power",
    "test-kernel",
}
TARGETS |= {
    "study",
    "cluster",
    "web",
    "link",
    "test-all",
    "test-link",
    "test-home",
    "train",
    "dist",
    "deb",
    "test-deb",
    "test-arm",
    "release",
    "try-release",
}

PACKAGE = re.compile(r"(?P<pin>[a-z0-9-]+==[0-9][a-z0-9.+!]*( ; [^\\]+)?) \\")
HASH = re.compile(r" {4}--hash=(?P<digest>sha256:[0-9a-f]{64})( \\)?")


class LockedPackage(NamedTuple):
    """Package in a lock file: requirement, version and hashes."""

    requirement: Requirement
    version: str
    digests: set[str]


def read_lock(name: str) -> dict[str, LockedPackage]:
    """Return the packages of a lock by name. Fail on any other line."""
    packages: dict[str, LockedPackage] = {}
    latest = None
    for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
        if package := PACKAGE.fullmatch(line):
            requirement = Requirement(package["pin"])
            (pin,) = requirement.specifier
            latest = packages[requirement.name] = LockedPackage(requirement, pin.version, set())
        elif latest and (digest := HASH.fullmatch(line)):
            latest.digests.add(digest["digest"])
        else:
            pytest.fail(f"{name} holds a line that is neither a package nor a hash: {line}")
    return packages


def is_installed_on(requirement: Requirement, machine: str, python: str = "3.11") -> bool:
    """Return True if pip installs this requirement on that machine."""
    platform, processor = MACHINES[machine]
    where = {"sys_platform": platform, "platform_machine": processor}
    version = {"python_version": python, "python_full_version": f"{python}.1"}
    return requirement.marker is None or requirement.marker.evaluate(where | version)


def run(*command: str | Path) -> str:
    """Return the output of a command, without the variables of an outer make."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))}
    completed = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    return completed.stdout


def test_version_comes_from_the_package():
    assert "version" in PROJECT["project"]["dynamic"]
    assert PROJECT["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "pond_hw.__version__"}
    assert Version(pond_hw.__version__) > Version("0")


@pytest.mark.parametrize("machine", PIS)
def test_dependencies_on_a_pi(machine):
    names = {each.name for each in DEPENDENCIES if is_installed_on(each, machine)}
    assert {"rpi_ws281x", "adafruit-circuitpython-neopixel", "spidev", "gpiod"} <= names


@pytest.mark.parametrize("machine", OTHERS)
@pytest.mark.parametrize("python", PYTHONS)
def test_dependencies_on_a_laptop(machine, python):
    assert {each.name for each in DEPENDENCIES if is_installed_on(each, machine, python)} == {
        "gpiozero",
        "textual",
        "shtab",
        "pyserial",
    }


def test_lgpio_is_required_only_where_a_wheel_exists():
    (lgpio,) = (each for each in DEPENDENCIES if each.name == "lgpio")
    assert is_installed_on(lgpio, "64-bit Pi", "3.12")
    assert is_installed_on(lgpio, "32-bit Pi", "3.12")
    assert not is_installed_on(lgpio, "64-bit Pi", "3.13")
    assert not is_installed_on(lgpio, "Pi Zero", "3.11")
    assert "0.0.0.2" not in lgpio.specifier


@pytest.mark.parametrize("python", PYTHONS)
def test_hw_extra_is_for_linux_only(python):
    extra = [Requirement(line) for line in PROJECT["project"]["optional-dependencies"]["hw"]]
    compiled = {"rpi_ws281x", "spidev", "lgpio", "gpiod"}
    for machine in OTHERS:
        here = {each.name for each in extra if is_installed_on(each, machine, python)}
        assert here == (compiled - ({"lgpio"} if python == "3.13" else set()) if machine == "Linux PC" else set())


@pytest.mark.parametrize("lock", LOCKS)
def test_locked_packages_have_hashes(lock):
    packages = read_lock(lock)
    assert packages
    assert [name for name, package in packages.items() if not package.digests] == []


def test_every_extra_has_a_lock():
    assert sorted(path.name for path in ROOT.glob("*.lock")) == sorted(LOCKS)


def test_locks_agree_on_versions():
    playing, testing = read_lock("requirements.lock"), read_lock("requirements-dev.lock")
    for name, package in playing.items():
        assert (testing[name].version, testing[name].digests) == (package.version, package.digests), name
        for where in product(MACHINES, PYTHONS):
            assert is_installed_on(testing[name].requirement, *where) >= is_installed_on(package.requirement, *where), (
                name,
                where,
            )
    for extra in EXTRAS:
        for name, package in read_lock(f"requirements-{extra}.lock").items():
            if extra not in ("docs", "release") or name in testing:  # for tests that need them, CI installs both
                assert (testing[name].version, testing[name].digests) == (package.version, package.digests), name


def test_lock_for_playing_is_complete():
    packages = read_lock("requirements.lock")
    for each in DEPENDENCIES + BUILD_DEPENDENCIES:
        package = packages[canonicalize_name(each.name)]
        assert package.version in each.specifier, each
        for where in product(MACHINES, PYTHONS):
            assert is_installed_on(package.requirement, *where) >= is_installed_on(each, *where), (each, where)


def test_lock_for_testing_is_complete():
    packages = read_lock("requirements-dev.lock")
    extras = PROJECT["project"]["optional-dependencies"]
    for each in map(Requirement, extras["test"] + extras["dev"]):
        assert each.name == "pond-hw" or packages[canonicalize_name(each.name)].version in each.specifier, each


def test_every_dependency_has_a_lower_bound():
    """The bound is the lowest version tested by .ci/run."""
    requirements = [*DEPENDENCIES, *BUILD_DEPENDENCIES]
    for lines in PROJECT["project"]["optional-dependencies"].values():
        requirements += [each for each in map(Requirement, lines) if each.name != "pond-hw"]
    assert [each.name for each in requirements if ">=" not in {part.operator for part in each.specifier}] == []


def test_locked_uvicorn_is_the_newest_allowed():
    """Pond uses uvicorn's internals, so each new minor version must be tested first."""
    (uvicorn,) = (
        each for each in map(Requirement, PROJECT["project"]["optional-dependencies"]["web"]) if each.name == "uvicorn"
    )
    locked_version = Version(read_lock("requirements-web.lock")["uvicorn"].version)
    assert locked_version in uvicorn.specifier
    assert f"{locked_version.major}.{locked_version.minor + 1}" not in uvicorn.specifier


@pytest.mark.parametrize("extra", EXTRAS)
def test_lock_of_each_extra_is_complete(extra):
    packages = read_lock(f"requirements-{extra}.lock")
    for each in map(Requirement, PROJECT["project"]["optional-dependencies"][extra]):
        assert packages[canonicalize_name(each.name)].version in each.specifier, each
    assert extra != "fast" or "setuptools" in packages  # mypyc builds with it


def read_menu(*targets):
    require("make", "its menu is what a newcomer reads first")
    lines = run("make", "--no-print-directory", *targets).splitlines()
    assert max(map(len, lines)) <= 80
    rows = [line for line in lines if line.startswith(" ")]
    assert all(re.match(r"  make [a-z -]{13} [^ ]", row) for row in rows), "one column"
    shown = [row.split()[1] for row in rows]
    assert len(set(shown)) == len(shown)
    return set(shown), [line for line in lines if line not in rows]


def test_make_shows_targets_for_players():
    assert read_menu() == ({"play", "test", "web", "docs", "clean", "help-all"}, [])


def test_make_help_all_shows_every_target():
    shown, groups = read_menu("help-all")
    assert shown == TARGETS
    assert groups == ["Play", "Tests", "Development", "Boards and hardware", "Releases"]


@pytest.mark.parametrize(("is_installed_on", "processor"), [([], "arm64"), (["ARCH=armhf"], "armhf")])
def test_pi_checks_get_the_processor(tmp_path, monkeypatch, is_installed_on, processor):
    require("make", "it hands the processor on")
    monkeypatch.delenv("ARCH", raising=False)
    steps = ["deb", "packages", "wheel", "boot", "first-day"]
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / "Makefile", tmp_path)
    for step in steps:
        (tmp_path / ".ci" / step).write_text('#!/bin/sh\necho "${0##*/} $1 $ARCH"\n')
        (tmp_path / ".ci" / step).chmod(0o755)
    called = run(
        "make",
        "-C",
        tmp_path,
        "-s",
        "--no-print-directory",
        *("-o", "dist", "-o", ".venv/.ready-for-card"),
        "test-arm",
        "DEBIAN=trixie",
        *is_installed_on,
    )
    assert called.splitlines() == [f"{step} trixie {processor}" for step in steps]


def test_github_workflow_uses_all_pythons():
    workflow = (ROOT / ".github/workflows/tests.yml").read_text(encoding="utf-8")
    classifiers = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["project"]["classifiers"]))
    assert re.findall(r'"(3\.\d+)"', workflow) == classifiers == PYTHONS


@pytest.mark.parametrize("file", sorted((ROOT / ".github/workflows").iterdir()), ids=lambda file: file.name)
def test_github_workflow_is_valid(file):
    """A workflow may only read the project, pins its actions, and names files and make targets that exist."""
    text = file.read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert job.keys() >= {"runs-on", "timeout-minutes", "steps"}
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step), step
            assert "run" in step or re.fullmatch(r"\S+@[0-9a-f]{40}", step["uses"])
    assert [
        path
        for path in re.findall(r"\b(?:tests|tools)/[\w./]+|requirements\S*lock", text)
        if not (ROOT / path).exists()
    ] == []
    assert set(re.findall(r"run: make ([a-z-]+)", text)) <= TARGETS


def test_make_targets_in_readme_exist():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"(?:^|`|\$ | {4})make ([a-z][a-z-]*)(?=$|`| +#| [A-Z_]+=)", readme, re.MULTILINE)
    assert set(commands) <= TARGETS


def test_import_contracts():
    require("importlinter", "it reads the contracts in pyproject.toml")
    run(Path(sys.executable).with_name("lint-imports"), "--no-cache", "--no-logo")


def test_parts_cover_each_test_exactly_once():
    tests = list(range(100))
    parts = [part_of(tests, f"{number}/3") for number in (1, 2, 3)]
    assert [len(mine) for mine, _ in parts] == [34, 33, 33]
    assert sorted(test for mine, _ in parts for test in mine) == tests
    assert all(sorted(mine + others) == tests for mine, others in parts)


@pytest.mark.parametrize("part", ["4/3", "0/3", "2", "/", "-1/3", "a/b", "1/3/5"])
def test_invalid_part_is_refused(part):
    with pytest.raises(pytest.UsageError, match="expected K/N with 1 <= K <= N"):
        part_of([1, 2, 3], part)


def test_skipped_tests_are_counted_by_reason():
    reports = [SimpleNamespace(longrepr=("file", 1, f"Skipped: needs {tool}")) for tool in ("make", "git", "make")]
    lines = []
    pytest_terminal_summary(SimpleNamespace(getreports={"skipped": reports}.get, write_line=lines.append))
    assert lines == ["", "skipped   2: needs make", "skipped   1: needs git"]
