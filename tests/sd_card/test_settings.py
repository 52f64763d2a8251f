import json
import subprocess

import pytest

from pond_hw.sd_card.settings import FirstBootSettings, Wifi
from tests.conftest import require

ALL = FirstBootSettings(
    "pond", "ada", "ssh-ed25519 AAAA ada@home", Wifi("lily pad", "a frog jumps", "NL"), "Europe/Amsterdam"
)


def check_with_cloud_init(path):
    command = ["cloud-init", "schema", "--config-file", path]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def load(content):
    return json.loads(content.removeprefix(b"#cloud-config\n"))


def test_no_setting_makes_no_file():
    assert FirstBootSettings().make_files() == {}


def test_user_data_has_all_settings():
    content = ALL.make_files()["user-data"]
    assert content.startswith(b"#cloud-config\n")
    user_data = load(content)
    assert user_data["hostname"] == "pond"
    assert user_data["timezone"] == "Europe/Amsterdam"
    assert user_data["user"]["ssh_authorized_keys"] == ["ssh-ed25519 AAAA ada@home"]
    assert user_data["runcmd"] == [["systemctl", "enable", "--now", "ssh"], ["rfkill", "unblock", "wifi"]]


def test_host_name_alone_changes_nothing_else():
    files = FirstBootSettings(host_name="pond").make_files()
    assert sorted(files) == ["meta-data", "user-data"]
    assert load(files["user-data"]).keys() == {"hostname", "manage_etc_hosts", "manage_resolv_conf"}


def test_wifi_password_is_stored_as_a_key():
    # The example of IEEE 802.11i, annex H.4
    wifi = Wifi("IEEE", "password", "NL")
    assert wifi.access_point == {"password": "f42c6fc52df0ebef9ebb4b90b38a5f902e83fe1b135a70e23aed762e9710a12e"}
    assert b'password"' in (content := FirstBootSettings(wifi=wifi).make_files()["network-config"])
    assert load(content)["network"]["wifis"]["wlan0"]["regulatory-domain"] == "NL"


def test_wifi_name_is_not_escaped():
    files = FirstBootSettings(wifi=Wifi("Kikker 🐸", "a frog jumps", "NL")).make_files()
    assert '"Kikker 🐸"'.encode() in files["network-config"]  # libyaml reads no surrogate pairs


def test_other_settings_make_another_instance():
    ids = {load(FirstBootSettings(host_name=name).make_files()["meta-data"])["instance-id"] for name in ("a", "b", "a")}
    assert len(ids) == 2


@pytest.mark.slow
@pytest.mark.parametrize("settings", [ALL, FirstBootSettings(host_name="pond")], ids=["all", "host name"])
def test_cloud_init_accepts_user_data(settings, tmp_path):
    require("cloud-init", "it knows what a user-data may say")
    path = tmp_path / "user-data"
    path.write_bytes(settings.make_files()["user-data"])
    result = check_with_cloud_init(path)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.slow
def test_cloud_init_detects_a_wrong_setting(tmp_path):
    require("cloud-init", "it knows what a user-data may say")
    path = tmp_path / "user-data"
    path.write_bytes(ALL.make_files()["user-data"].replace(b'"lock_passwd": true', b'"lock_passwd": "perhaps"'))
    assert check_with_cloud_init(path).returncode != 0
