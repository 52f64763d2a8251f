import re
import subprocess

import pytest

from pond_hw.profile import list_shipped
from tests.conftest import require
from tests.firmware.card import FIRMWARE

TEXT = (FIRMWARE / "user-data").read_text(encoding="utf-8")
SCRIPT = re.sub("^ {6}", "", re.search(r"    - \|\n((?: {6}.*\n)+)", TEXT)[1], flags=re.MULTILINE)


def schema(path):
    command = ["cloud-init", "schema", "--config-file", path]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.slow
def test_cloud_init_accepts_user_data():
    require("cloud-init", "it knows what a user-data may say")
    result = schema(FIRMWARE / "user-data")
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.long
@pytest.mark.parametrize(
    "mistake",
    [
        pytest.param(lambda text: text.replace("packages: [", "packages: {"), marks=pytest.mark.long),
        pytest.param(
            lambda text: text.replace("runcmd:\n  - [systemctl, enable, --now, ssh]", "runcmd: 7\nx_was:"),
            marks=pytest.mark.long,
        ),
        lambda text: text.replace("lock_passwd: true", "lock_passwd: perhaps"),
    ],
    ids=["no yaml", "wrong type", "wrong value"],
)
def test_cloud_init_detects_errors(mistake, tmp_path):
    require("cloud-init", "it knows what a user-data may say")
    path = tmp_path / "user-data"
    path.write_text(mistake(TEXT), encoding="utf-8")
    assert path.read_text(encoding="utf-8") != TEXT
    assert schema(path).returncode != 0


def test_user_data_has_the_cloud_config_header():
    assert TEXT.startswith("#cloud-config\n")


def test_user_data_script_is_valid():
    subprocess.run(["bash", "-n"], input=SCRIPT, text=True, check=True)


def test_user_data_script_passes_shellcheck():
    require("shellcheck", "it reads shell scripts for mistakes")
    command = ["shellcheck", "--shell=bash", "-"]
    result = subprocess.run(command, input=SCRIPT, capture_output=True, text=True, timeout=60, check=False)
    assert (result.returncode, result.stdout) == (0, "")


def test_user_data_calls_pond_board():
    calls = re.findall(
        r"(?:^| )(?:bash \S+/(firmware/raspberry-pi/install\.sh)|(pond-board)) (.*)", SCRIPT, re.MULTILINE
    )
    assert [bool(installer) for installer, _, _ in calls] == [False, True]
    help_text = subprocess.run(["bash", FIRMWARE / "pond-board", "--help"], capture_output=True, text=True, check=True)
    for installer, _, words in calls:
        assert not installer or (FIRMWARE.parents[1] / installer).is_file()
        assert words.startswith('"$board" --user "$player"')
        assert "--user" in help_text.stdout


def test_user_data_board_exists():
    assert re.search(r"^board=(\S+)", SCRIPT, re.MULTILINE)[1] in list_shipped()


def test_user_data_reboots_only_after_success():
    mark = re.search(r"^touch (\S+)\n\Z", SCRIPT, re.MULTILINE)[1]  # the last line, not reached after an error
    assert re.search(r"- -euc$", TEXT, re.MULTILINE)
    assert f"  condition: test -e {mark}\n" in TEXT
