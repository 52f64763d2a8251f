"""Tests of the firmware's scripts on machines that they must refuse. Nothing is installed."""

import shutil
import sys
from pathlib import Path

import pytest

from pond_hw.messages.message import Message
from tests.conftest import skip_outside_ci
from tests.firmware.card import FIRMWARE, script
from tests.messages.says import text

if not sys.platform.startswith("linux"):
    skip_outside_ci("needs Linux: the scripts are for a Pi and use its tools")


class SimulatedMachine:
    """Simulated machine for the scripts, without any command that could change the real one."""

    def __init__(self, folder, model="Raspberry Pi 4 Model B Rev 1.4", uid=0, without=(), revision=0):
        self.path, self.machine = folder / "bin", folder / "machine"
        self.path.mkdir()
        tree = self.machine / "proc/device-tree"
        (tree / "system").mkdir(parents=True)
        if model:
            (tree / "model").write_text(f"{model}\0")
        if revision:
            (tree / "system/linux,revision").write_bytes(revision.to_bytes(4, "big"))
        for tool in ("bash", "basename", "cat", "dirname", "env", "mktemp", "readlink", "rm", "sed", "tail", "tr"):
            (self.path / tool).symlink_to(shutil.which(tool))
        (self.path / "python3").symlink_to(Path(sys.executable).resolve())
        for tool, answer in (("id", f"echo {uid}"), ("apt-get", "exit 9"), ("systemctl", "exit 9")):
            if tool not in without:
                (self.path / tool).write_text(f"#!/bin/sh\n{answer}\n")
                (self.path / tool).chmod(0o755)

    def call(self, name, *options):
        return script(name, *options, path=self.path, POND_MACHINE=str(self.machine))


NO_PI = "This is not a Raspberry Pi; to play on a laptop: pond play."
NO_APT = "There is no apt here: use Raspberry Pi OS or another Debian-based system."


@pytest.mark.parametrize(
    ("name", "machine", "sentence"),
    [
        ("pond-board", {"uid": 1000}, f"Run this as root: sudo {FIRMWARE / 'pond-board'}"),
        ("pond-board", {"model": ""}, NO_PI),
        ("pond-board", {"model": "Some other board"}, NO_PI),
        ("pond-board", {"without": ["systemctl"]}, "There is no systemd here: use Raspberry Pi OS."),
        ("install.sh", {"uid": 1000}, f"Run this as root: sudo {FIRMWARE / 'install.sh'}"),
        ("install.sh", {"without": ["apt-get"]}, NO_APT),
    ],
)
def test_unsuitable_machine_is_refused(tmp_path, name, machine, sentence):
    # The board doesn't exist either, so that nothing is set up if this test fails.
    result = SimulatedMachine(tmp_path, **machine).call(name, "none-of-these")
    assert result == (2, f"{name}: {sentence}\n")


@pytest.mark.slow
def test_installer_checks_the_board_before_building(tmp_path):
    result = SimulatedMachine(tmp_path).call("install.sh", "none-of-these")
    assert result.code == 2
    assert "There is no board “none-of-these”" in result.text
    assert "Building" not in result.text


@pytest.mark.slow
def test_dry_run_continues_on_an_unsuitable_machine(tmp_path):
    result = SimulatedMachine(tmp_path, model="", uid=1000, without=["systemctl"]).call(
        "install.sh", "--dry-run", "none-of-these"
    )
    assert result.code == 2
    assert result.text.count("note: ") == 3
    assert "There is no board “none-of-these”" in result.text


@pytest.mark.slow
def test_board_that_the_pi_cannot_drive_is_refused(tmp_path):
    newer = SimulatedMachine(tmp_path, model="Raspberry Pi of another name", revision=0xC04170)
    result = newer.call("pond-board", "--dry-run", "pwm-4x4")
    assert result.code == 2
    assert text(Message("ws281x.no_pi5")) in result.text


def test_old_python_is_refused(tmp_path):
    simulated_machine = SimulatedMachine(tmp_path)
    (simulated_machine.path / "python3").unlink()
    (simulated_machine.path / "python3").write_text("#!/bin/sh\nexit 1\n")
    (simulated_machine.path / "python3").chmod(0o755)
    sentence = "Pond needs Python 3.11 or newer as python3: use Raspberry Pi OS Bookworm or newer."
    assert simulated_machine.call("install.sh") == (2, f"install.sh: {sentence}\n")
