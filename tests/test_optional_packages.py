"""Tests of the install commands for optional packages, and of the set-up by make."""

import os
import platform
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from pond_hw import optional_packages
from pond_hw.commands import main
from pond_hw.engine.packed import build
from pond_hw.messages.message import Message
from pond_hw.optional_packages import describe_missing_package, format_install_command, format_pip_command
from pond_hw.profile import ProfileError, load_profile
from tests.conftest import require
from tests.messages.says import text

ROOT = Path(__file__).parent.parent


def run_make(folder, *arguments):
    """Return the output of make, without the variables of an outer make."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))}
    command = ["make", "--silent", "--no-print-directory", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def clone(monkeypatch):
    """Simulate a clone after `make play`."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "prefix", str(ROOT / ".venv"))
    monkeypatch.setattr(sys, "base_prefix", "/usr")


@pytest.fixture
def pip_install(monkeypatch, tmp_path):
    """Simulate an installation by pip in a virtual environment."""
    monkeypatch.setattr(optional_packages, "CLONE_FOLDER", tmp_path / "site-packages")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(sys, "executable", "/home/anna/pond/bin/python")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)


def test_make_target_in_a_clone(clone):
    assert format_install_command("study") == "make study"
    assert format_install_command("hardware", "BOARDS=kitchen.toml") == "make hardware BOARDS=kitchen.toml"


def test_make_works_from_another_folder(clone, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert shlex.split(format_install_command("study")) == ["make", "-C", str(ROOT), "study"]


def test_other_virtual_environment_is_named(clone, monkeypatch):
    monkeypatch.setattr(sys, "prefix", "/home/anna/my env")
    assert shlex.split(format_install_command("study")) == ["make", "study", "VENV=/home/anna/my env"]


@pytest.mark.parametrize("extra", ["fast", "hardware", "study", "cluster"])
def test_make_target_and_lock_of_each_extra(extra):
    require("make", "it installs what is optional")
    steps = run_make(ROOT, "-n", extra, "VENV=/nowhere")
    assert (
        f'tools/install-packages "python3" "/nowhere" requirements-{extra}.lock /nowhere/.ready-for-{extra} ' in steps
    )


def test_pip_command_outside_a_clone(pip_install):
    assert format_install_command("cluster") == "/home/anna/pond/bin/python -m pip install 'distributed>=2024.8'"
    assert format_install_command("study") == "/home/anna/pond/bin/python -m pip install 'matplotlib>=3.9'"
    assert "'schemdraw<0.24,>=0.23'" in format_install_command("hardware")


def test_sudo_is_suggested_if_only_root_may_write(pip_install, monkeypatch):
    monkeypatch.setattr("os.access", lambda *_: False)
    assert format_pip_command("distributed") == "sudo /home/anna/pond/bin/python -m pip install distributed"


def test_debian_package_install_command(monkeypatch):
    monkeypatch.setattr(sys, "prefix", "/usr/lib/pond")
    added = "sudo python3 -m pip install --target /usr/local/lib/pond 'matplotlib>=3.9'"
    assert format_pip_command("matplotlib>=3.9") == added
    rules = (ROOT / "firmware/raspberry-pi/debian/rules").read_text(encoding="utf-8")
    assert "echo /usr/local/lib/pond >$(LIB)/lib/" in rules  # on the search path of the program


def test_system_pip_is_used_for_environment_without_pip(pip_install, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert format_pip_command("distributed") == "python3 -m pip --python /home/anna/pond/bin/python install distributed"


def test_missing_driver_package_message(pip_install):
    command = "/home/anna/pond/bin/python -m pip install 'adafruit-circuitpython-neopixel>=6.4'"
    message = describe_missing_package("neopixel", "adafruit-circuitpython-neopixel>=6.4")
    assert message == Message("install.missing_package", module="neopixel", command=command)


@pytest.mark.parametrize("arguments", [["hardware", "build"], ["hardware", "build", "-o", "there"]])
def test_unknown_board_is_reported_before_missing_packages(arguments, monkeypatch, capsys):
    monkeypatch.setattr("pond_hw.commands.hardware.find_spec", lambda module: None)
    assert main.main([*arguments, "nowhere"]) == 2
    with pytest.raises(ProfileError) as refused:
        load_profile("nowhere")
    assert capsys.readouterr().err == f"pond: {text(refused.value.message)}\n"


def test_missing_schemdraw_suggests_make_hardware(clone, monkeypatch, capsys):
    monkeypatch.setattr("pond_hw.commands.hardware.find_spec", lambda module: None if module == "schemdraw" else module)
    assert main.main(["hardware", "build", "direct-4x4"]) == 2
    assert capsys.readouterr().err == "pond: These files need schemdraw. Run: make hardware BOARDS=direct-4x4\n"


def test_file_names_are_quoted_for_make(clone, monkeypatch, capsys, tmp_path):
    require("make", "it is what the advice calls")
    monkeypatch.setattr("pond_hw.commands.hardware.find_spec", lambda module: None)
    profile_path = tmp_path / "my kitchen's.toml"
    profile_path.write_text((ROOT / "pond_hw/boards/direct-4x4.toml").read_text(encoding="utf-8"), encoding="utf-8")
    assert main.main(["hardware", "build", str(profile_path), "-o", str(tmp_path / "a folder")]) == 2
    line = capsys.readouterr().err.partition("Run: make ")[2]
    recipe = 'for board in $(BOARDS); do printf "%s|" "$$board" $(ARGS); done'
    (tmp_path / "Makefile").write_text(f"hardware:\n\t@{recipe}\n")
    assert run_make(tmp_path, *shlex.split(line)).split("|") == [
        str(profile_path),
        "-o",
        str(tmp_path / "a folder"),
        "",
    ]


def test_missing_compiler_names_system_packages(monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    assert build.missing_compiler() == (
        "There is no C compiler (no-such-compiler); on Debian: sudo apt install gcc libc6-dev python3-dev."
    )


# Output of `make` during set-up


PYTHON = """\
#!/bin/sh
echo "$*" >>"${{0%/bin/python}}/calls"
case "$*" in
*" install "*) {pip} ;;
esac
exit 0
"""
"""Fake Python of a virtual environment that downloads nothing."""


def run_set_up(folder, pip):
    (folder / "bin").mkdir()
    (folder / "pyvenv.cfg").touch()
    (folder / "bin/python").write_text(PYTHON.format(pip=pip))
    (folder / "bin/python").chmod(0o755)
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder)}
    command = ["make", "--no-print-directory", f"{folder}/.ready-to-play", f"VENV={folder}", f"PYTHON={sys.executable}"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_make_says_what_it_sets_up(tmp_path):
    require("make", "it sets up")
    completed = run_set_up(tmp_path, "echo Collecting textual==8.2; echo '  Downloading textual'")
    assert (completed.returncode, completed.stdout.count("\n")) == (0, 1)
    pins = [line for line in (ROOT / "requirements.lock").read_text().splitlines() if "==" in line]
    is_pi = platform.machine() in ("aarch64", "armv7l", "armv6l")
    count = sum(is_pi or "platform_machine" not in pin for pin in pins)  # the other packages are for a Pi
    assert completed.stdout.startswith(f"setting up {tmp_path}: about {count} packages to download, usually ")
    assert (tmp_path / ".ready-to-play").exists()
    assert (tmp_path / "set-up.log").read_text().startswith("Collecting textual==8.2\n  Downloading textual\n")


def test_packages_are_installed_with_hashes(tmp_path):
    require("make", "it sets up")
    run_set_up(tmp_path, "")
    *_, packages, project = (tmp_path / "calls").read_text().splitlines()
    assert packages.startswith("-m pip install ")
    assert packages.endswith(" --require-hashes -r requirements.lock")
    assert project.endswith(" --no-deps --no-build-isolation -e .")


def test_old_python_has_a_message(tmp_path):
    require("make", "it sets up")
    old = tmp_path / "python3.10"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    completed = subprocess.run(
        [ROOT / "tools/install-packages", old, tmp_path / "venv", "requirements.lock", tmp_path / "stamp", "a while"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (completed.returncode, completed.stdout) == (
        1,
        f"Pond needs Python 3.11 or newer as {old}; name another one with: make PYTHON=python3.12\n",
    )


def test_other_folder_is_not_changed(tmp_path):
    (tmp_path / "letter.txt").touch()
    completed = subprocess.run(
        [ROOT / "tools/install-packages", sys.executable, tmp_path, "requirements.lock", tmp_path / "stamp", "a while"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (completed.returncode, [path.name for path in tmp_path.iterdir()]) == (1, ["letter.txt"])
    assert completed.stdout.startswith(f"{tmp_path} is there but is not a virtual environment; ")


@pytest.mark.slow
def test_install_packages_script_passes_shellcheck():
    require("shellcheck", "it reads shell scripts for mistakes")
    checked = subprocess.run(
        ["shellcheck", "tools/install-packages"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stdout) == (0, "")


REFUSED = "WARNING: Retrying (Retry(total=4)) after connection broken by NameResolutionError"


@pytest.mark.parametrize("error_line", [REFUSED, "ERROR: Could not find a version of click==8 (from versions: none)"])
def test_missing_network_is_explained(tmp_path, error_line):
    require("make", "it sets up")
    completed = run_set_up(tmp_path, f"echo '{error_line}'; exit 1")
    assert completed.returncode == 2
    assert "No network? Pond's packages are downloaded once" in completed.stdout
    assert error_line not in completed.stdout
    assert not (tmp_path / ".ready-to-play").exists()


def test_other_pip_errors_are_shown(tmp_path):
    require("make", "it sets up")
    completed = run_set_up(tmp_path, "echo 'ERROR: the hash is wrong'; exit 1")
    assert completed.returncode == 2
    assert "ERROR: the hash is wrong" in completed.stdout
    assert "No network?" not in completed.stdout
