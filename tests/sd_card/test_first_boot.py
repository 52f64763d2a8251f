"""The script that a prepared card runs at each start, with stand-ins for the commands that it calls."""

import re
import subprocess
from importlib.resources import files

import pytest

from pond_hw.sd_card.prepared_image import FIRST_START
from tests.conftest import require

SCRIPT = files("pond_hw.sd_card").joinpath("first-boot.sh")
COMMANDS = ("apt-get", "dpkg", "dpkg-query", "getent", "mkdir", "pond-board", "sync", "systemctl", "timeout", "touch")
START = FIRST_START.format(boot="/boot/firmware", command="/boot/firmware/pond/first-boot.sh hall-4x4")


@pytest.fixture
def run(tmp_path):
    """Run the script. Commands whose words begin with one of `failing` fail."""
    log = tmp_path / "log"

    def run_script(*arguments, failing=(), user="ada", status=""):
        log.write_text("")
        for name in COMMANDS:
            tests = "".join(f'case "{name} $*" in "{words}"*) exit 1 ;; esac\n' for words in failing)
            answers = {"getent": user and f"{user}:x:1000:1000::/home/{user}:/bin/sh", "dpkg-query": status}
            answer = f"echo {answers[name]}\n" if answers.get(name) else ""
            (tmp_path / name).write_text(f'#!/bin/sh\necho "{name} $*" >>{log}\n{answer}{tests}')
            (tmp_path / name).chmod(0o755)
        path = f"{tmp_path}:/usr/bin:/bin"
        command = ["/bin/sh", str(SCRIPT), *arguments]
        done = subprocess.run(command, env={"PATH": path}, capture_output=True, text=True, timeout=60, check=False)
        commands = log.read_text().splitlines()
        return done.returncode, [command for command in commands if not command.startswith("dpkg-query")]

    return run_script


def test_first_start_installs_and_starts_again(run):
    code, commands = run("hall-4x4")
    assert code == 0
    assert commands == [
        "timeout 600 cloud-init status --wait",
        "dpkg --configure -a",
        f"dpkg --install {SCRIPT.parent}/pond.deb",
        "getent passwd 1000",
        "pond-board hall-4x4 --user ada",
        "sync ",
        "mkdir -p /var/lib/pond-first-boot",
        "touch /var/lib/pond-first-boot/done",
        "sync ",
        "systemctl reboot",
    ]


@pytest.mark.parametrize(("status", "is_needed"), [("installed", False), ("half-configured", True), ("unpacked", True)])
def test_finished_installation_is_not_repeated(run, status, is_needed):
    code, commands = run("hall-4x4", status=status)
    assert code == 0
    assert (f"dpkg --install {SCRIPT.parent}/pond.deb" in commands) == is_needed


def test_page_is_enabled_on_request(run):
    assert "systemctl enable pond-web" in run("hall-4x4", "--page")[1]


def test_board_without_a_user_is_set_up(run):
    assert "pond-board hall-4x4" in run("hall-4x4", user="", failing=["getent"])[1]


def test_missing_packages_come_from_the_network(run):
    code, commands = run("hall-4x4", failing=["dpkg --install", "dpkg --configure"])
    assert code == 0
    at = commands.index("apt-get -qq update")
    assert commands[at + 1] == "apt-get -qq -y --fix-broken install"
    assert commands[-1] == "systemctl reboot"


@pytest.mark.parametrize(
    "failing", [["dpkg --install", "apt-get -qq update"], ["dpkg --install", "apt-get -qq -y"], ["pond-board"]]
)
def test_failure_leaves_the_rest_for_the_next_start(run, failing):
    code, commands = run("hall-4x4", failing=failing)
    assert code != 0  # so systemd tries again
    assert not [command for command in commands if command.startswith(("touch", "systemctl"))]


def test_scripts_pass_shellcheck(tmp_path):
    require("shellcheck", "it reads shell scripts for mistakes")
    (tmp_path / "start").write_text(START.removeprefix("#cloud-boothook\n"))
    command = ["shellcheck", str(SCRIPT), str(tmp_path / "start")]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (result.returncode, result.stdout) == (0, "")


def test_start_ends_once_pond_is_installed():
    assert START.startswith("#cloud-boothook\n#!/bin/sh\n")
    marker = re.search(r"^touch \$state/(\S+)$", SCRIPT.read_text(), re.MULTILINE)[1]
    state = re.search(r"^state=(\S+)$", SCRIPT.read_text(), re.MULTILINE)[1]
    assert f"[ ! -e {state}/{marker} ] || exit 0\n" in START
