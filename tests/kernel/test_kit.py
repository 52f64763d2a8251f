"""Tests of the simulated Pi from outside: set-up, errors if it is missing, and the end of a command."""

import re
import shutil
import subprocess
import sys

import pytest

from tests.building import MissingTool
from tests.conftest import skip_outside_ci
from tests.kernel import __main__ as suite
from tests.kernel import build, pi
from tests.kernel.pi import TIMEOUT_CODE, PiSettings, run, set_up

TREES = build.KIT / "trees"


@pytest.mark.parametrize(
    ("board", "overlays"),
    [
        ("direct-4x4", {"spi0"}),
        ("matrix-5x5", {"spi0"}),
        ("hall-4x4", {"spi0", "i2c-fast"}),
        ("hall-5x5", {"spi0", "spi1-3cs"}),
        ("owner-4x4", {"spi0", "spi1-2cs"}),
        ("neotrellis-4x4", {"i2c"}),
        ("pwm-4x4", set()),
    ],
)
def test_each_board_is_set_up(board, overlays):
    assert set(set_up(board).overlays) == overlays
    assert all((TREES / f"{name}.dts").exists() for name in overlays)


def test_every_device_tree_node_has_a_driver():
    drivers = "".join(file.read_text() for file in (build.KIT / "breadboard").glob("*.c"))
    for tree in TREES.glob("pi*.dts"):
        nodes = set(re.findall(r'compatible = "([^"]+)";', tree.read_text())) - {"simple-bus"}
        assert nodes
        assert [name for name in nodes if f'"{name}"' not in drivers] == []


def test_missing_build_packages_are_named(monkeypatch, capsys):
    monkeypatch.setattr(build.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(build.shutil, "which", lambda tool: None if tool in {"flex", "bison"} else tool)
    monkeypatch.setattr(build, "SOURCES", build.HERE)
    monkeypatch.setattr(build, "HEADERS", {})
    monkeypatch.setattr("sys.argv", ["build"])
    assert build.main() == 2
    assert capsys.readouterr().err == (
        "The simulated Pi needs flex, bison, linux-source-6.12. Install them with: sudo apt-get install "
        "--no-install-recommends flex bison linux-source-6.12\n"
    )


def test_unsupported_machine_is_reported(monkeypatch, capsys):
    monkeypatch.setattr(build.platform, "machine", lambda: "aarch64")
    monkeypatch.setattr("sys.argv", ["build"])
    assert build.main() == 2
    assert capsys.readouterr().err == "The simulated Pi can only be built on a PC with Linux (x86-64).\n"


def test_kit_is_rebuilt_after_changes(monkeypatch, tmp_path):
    shutil.copytree(build.KIT, tmp_path / "kit")
    monkeypatch.setattr(build, "archive", lambda: tmp_path)
    monkeypatch.setattr(build, "HERE", tmp_path)
    monkeypatch.setattr(build, "KIT", tmp_path / "kit")
    folders = []
    for version in ("6.12.1", "6.12.1", "6.12.2"):
        monkeypatch.setattr(build, "version", lambda version=version: version)
        folders.append(build.kit_folder())
    with (tmp_path / "kit/init.c").open("a") as file:
        file.write("\n")
    folders.append(build.kit_folder())
    assert folders[0] == folders[1]
    assert len(set(folders)) == 3


def test_missing_kit_is_reported_with_command(monkeypatch, capsys):
    def raise_missing():
        raise MissingTool("The simulated Pi has not been built. Build it with: make kernel")

    monkeypatch.setattr(suite, "kit", raise_missing)
    monkeypatch.setattr("sys.argv", ["suite"])
    assert suite.main() == 2
    assert capsys.readouterr().err == "The simulated Pi has not been built. Build it with: make kernel\n"


@pytest.fixture
def built():
    try:
        pi.kit()
    except MissingTool as error:
        skip_outside_ci(str(error))


def test_output_and_exit_code_of_command_are_returned(built, tmp_path):
    with (tmp_path / "output").open("wb") as output:
        assert run(["sh", "-c", "echo some output; exit 3"], output=output) == 3
    assert (tmp_path / "output").read_text() == "some output\n"


def test_slow_command_times_out(built):
    assert run(["sleep", "100"], timeout=1) == TIMEOUT_CODE


def test_simulated_pi_ends_with_its_parent(built, tmp_path):
    set_folder = f"pi._memory_folder = lambda: {str(tmp_path)!r}"  # where its leftovers are removed
    # A process that the simulated kernel is about to create may survive it, stopped forever: kill it when none is created.
    command_inside = "sleep 100 & sleep 1; echo up; wait"
    command = f"from tests.kernel import pi; {set_folder}; pi.run(['sh', '-c', {command_inside!r}])"
    starter = subprocess.Popen([sys.executable, "-c", command], cwd=pi.ROOT, stdout=subprocess.PIPE, text=True)
    assert "up\n" in iter(starter.stdout.readline, "")
    starter.kill()
    assert starter.communicate(timeout=30) == ("", None)  # the pipe ends when no process holds it


def test_simulated_hour_passes_quickly(built):
    assert run(["sleep", "3600"], virtual=True, timeout=60) == 0


def devices(tmp_path, **options):
    """Return the names in /dev on a simulated Pi."""
    with (tmp_path / "output").open("wb") as output:
        run(["ls", "-1", "/dev"], output=output, **options)
    return set((tmp_path / "output").read_text().split())


def test_devices_depend_on_pi_settings(built, tmp_path):
    with_buses = devices(tmp_path, settings=PiSettings(("spi0", "i2c")))
    assert {"spidev0.0", "spidev0.1", "i2c-1", "gpiochip0", "mem", "vcio"} <= with_buses
    without_buses = devices(tmp_path, model="pi5-first")
    assert {each for each in without_buses if each.startswith(("spidev", "i2c", "mem"))} == set()
    assert "gpiochip4" in without_buses
