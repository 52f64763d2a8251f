"""`pond web hotspot` with a simulated nmcli."""

import json
import os
import re
import shutil
import stat
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest

from pond_hw.messages.message import Message
from pond_hw.web import hotspot
from tests.conftest import each, require, skip_outside_ci
from tests.messages.says import text
from tests.web import fake_nmcli

if sys.platform == "win32":
    skip_outside_ci("needs a Unix")
require("segno", "it draws the QR code")

from pond_hw.commands.main import main  # noqa: E402

LOCALHOST = ["/etc/NetworkManager/system-connections/home.nmconnection", True]


class Network:
    """A machine's network, as simulated by the fake nmcli."""

    def __init__(self, folder):
        self.state = folder / "bin" / "state.json"
        self.profile = folder / "run" / "NetworkManager" / "pond-hotspot.nmconnection"
        self.state.parent.mkdir()
        program = self.state.with_name("nmcli")
        program.write_text(f"#!{sys.executable} -S\n{Path(fake_nmcli.__file__).read_text()}")
        program.chmod(0o755)
        self.change(
            devices={
                "eth0": ("ethernet", "connected"),
                "wlan0": ("wifi", "connected"),
                "lo": ("loopback", "unmanaged"),
            },
            connections={"home: upstairs": LOCALHOST},
            refuses={},
            asked=[],
        )

    def __getitem__(self, name):
        return json.loads(self.state.read_text())[name]

    def change(self, **changed):
        state = json.loads(self.state.read_text()) if self.state.exists() else {}
        self.state.write_text(json.dumps(state | changed))

    @property
    def is_as_before(self):
        return self["connections"] == {"home: upstairs": LOCALHOST} and not self.profile.exists()


@pytest.fixture
def network(tmp_path, monkeypatch):
    network = Network(tmp_path)
    monkeypatch.setattr(hotspot, "PROFILE_FOLDER", network.profile.parent)
    monkeypatch.setenv("PATH", str(network.state.parent))
    monkeypatch.setenv("LC_ALL", "nl_NL.UTF-8")
    return network


@pytest.fixture
def said(capsys):
    """Return a function that runs the command and returns exit code, output and error message."""

    def say(*words):
        code = main(["web", "hotspot", *words, "--language", "en"])  # whatever NetworkManager's language
        captured = capsys.readouterr()
        return code, captured.out, captured.err.removeprefix("pond: ").rstrip("\n")

    return say


@pytest.mark.slow
def test_hotspot_on_show_and_off_commands(network, said):
    code, out, _ = said("on")
    assert code == 0
    password = re.search(r"Password: (\S+)", out)[1]
    assert re.fullmatch(r"[a-z2-9]{4}(-[a-z2-9]{4}){2}", password)
    assert "http://10.42.0.1:7663/" in out
    assert out.endswith(f"{text(Message('web.hotspot.started'))}\n")
    assert network["connections"]["pond-hotspot"] == [str(network.profile), True]

    code, out, _ = said("show")
    assert (code, password in out) == (0, True)
    assert said("on")[:2] == (0, out)  # already on
    assert said("off") == (0, f"{text(Message('web.hotspot.stopped'))}\n", "")
    assert network.is_as_before
    assert said("show") == said("off") == (0, f"{text(Message('web.hotspot.off'))}\n", "")


@pytest.mark.slow
def test_password_is_new_and_not_on_command_lines(network, said):
    passwords = set()
    for _ in range(3):
        out = said("on")[1]
        passwords.add(re.search(r"Password: (\S+)", out)[1])
        assert stat.S_IMODE(network.profile.stat().st_mode) == 0o600
        said("off")
    assert len(passwords) == 3
    words = " ".join(word for asked in network["asked"] for word in asked)
    assert not [password for password in passwords if password in words]


@pytest.mark.slow
def test_profile_is_an_access_point_without_autoconnect(network, said):
    password = re.search(r"Password: (\S+)", said("on")[1])[1]
    profile = ConfigParser(interpolation=None)
    profile.read(network.profile)
    assert dict(profile["connection"]) == {
        "id": "pond-hotspot",
        "type": "wifi",
        "interface-name": "wlan0",
        "autoconnect": "false",
    }
    assert (profile["wifi"]["mode"], profile["wifi"]["ssid"]) == ("ap", "Pond")
    assert (profile["wifi-security"]["key-mgmt"], profile["wifi-security"]["psk"]) == ("wpa-psk", password)
    assert profile["ipv4"]["method"] == "shared"
    assert Path("/run/NetworkManager/system-connections") != hotspot.PROFILE_FOLDER  # replaced in this test


def test_profile_is_deleted_at_reboot():
    assert Path("/run") in hotspot.PROFILE_FOLDER.parents


def test_qr_text_needs_no_escaping():
    assert not set(hotspot.PASSWORD_CHARACTERS + hotspot.NETWORK_NAME) & set('\\;,":')
    assert hotspot.Hotspot("abcd-efgh-2345").qr_text == "WIFI:T:WPA;S:Pond;P:abcd-efgh-2345;;"


@pytest.mark.slow
def test_password_is_shown_before_the_switch(network, said):
    network.change(refuses={"connection up": "fails"})
    code, out, err = said("on")
    assert code == 2
    assert "Password: " in out
    reason = "Connection activation failed: IP configuration could not be reserved"
    assert err == text(Message("web.hotspot.refused", reason=reason))
    assert network.is_as_before


@pytest.mark.slow
def test_show_without_permission_hides_the_password(network, said):
    said("on")
    network.profile.unlink()  # as if it were unreadable
    assert said("show") == (0, f"{text(Message('web.hotspot.on_secret', network='Pond'))}\n", "")


@pytest.mark.slow
def test_profile_left_by_a_crash_is_replaced(network, said):
    said("on")
    path, _ = network["connections"]["pond-hotspot"]
    network.change(connections={"home: upstairs": LOCALHOST, "pond-hotspot": [path, False]})
    before = network.profile.read_text()
    assert said("on")[0] == 0
    assert network.profile.read_text() != before
    said("off")
    network.profile.write_text("half a profile")  # unknown to NetworkManager
    assert said("on")[0] == 0


@pytest.mark.slow
@each(
    "refusal, message",
    [
        (("", "not running"), Message("web.hotspot.not_running")),
        (("connection load", "not privileged"), Message("web.hotspot.needs_root")),
        (("connection up", "not allowed"), Message("web.hotspot.needs_root")),
        (("connection up", "says nothing"), Message("web.hotspot.refused", reason="nmcli 1")),
    ],
)
def test_network_manager_refusal_is_reported(network, said, refusal, message):
    network.change(refuses=dict([refusal]))
    code, _, err = said("on")
    assert (code, err) == (2, text(message))
    assert network.is_as_before


@pytest.mark.slow
@each(
    "devices, message",
    [
        ({"eth0": ("ethernet", "connected")}, Message("web.hotspot.no_wifi")),
        ({"wlan0": ("wifi", "unavailable")}, Message("web.hotspot.wifi_off", device="wlan0")),
        ({"wlan0": ("wifi", "unmanaged")}, Message("web.hotspot.wifi_off", device="wlan0")),
        ({"p2p-dev-wlan0": ("wifi-p2p", "disconnected")}, Message("web.hotspot.no_wifi")),
    ],
)
def test_machine_without_usable_wifi_is_reported(network, said, devices, message):
    network.change(devices=devices)
    assert said("on") == (2, "", text(message))
    assert network.is_as_before


@pytest.mark.slow
def test_second_adapter_is_used_if_first_is_off(network, said):
    network.change(devices={"wlan0": ("wifi", "unavailable"), "wlan1": ("wifi", "disconnected")})
    assert said("on")[0] == 0
    assert "interface-name=wlan1\n" in network.profile.read_text()


@pytest.mark.slow
def test_rejected_profile_is_reported_and_removed(network, said, monkeypatch):
    monkeypatch.setattr(hotspot, "PROFILE", "[connection]\nid={connection}\n")
    assert said("on") == (2, "", text(Message("web.hotspot.not_taken")))
    assert network.is_as_before


def test_missing_nmcli_is_reported(network, said):
    network.state.with_name("nmcli").unlink()
    for action in ("on", "off", "show"):
        assert said(action) == (2, "", text(Message("web.hotspot.no_nmcli")))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may do anything")
def test_missing_root_is_reported(network, said):
    network.profile.parent.parent.mkdir(parents=True)
    network.profile.parent.parent.chmod(0o500)
    assert said("on") == (2, "", text(Message("web.hotspot.needs_root")))


def test_folder_permission_error_is_reported(network, said, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError

    monkeypatch.setattr(Path, "mkdir", refuse)
    assert said("on") == (2, "", text(Message("web.hotspot.needs_root")))
    assert network.is_as_before


@each(
    "words, message",
    [
        ([], Message("web.hotspot.which")),
        (["onn"], Message("web.hotspot.which")),
        (["on", "--spectators"], Message("web.page_only", option="--spectators", what="hotspot")),
        (["on", "--port", "80"], Message("web.page_only", option="--port", what="hotspot")),
    ],
)
def test_invalid_arguments_are_reported(network, said, words, message):
    assert said(*words) == (2, "", text(message))
    assert network["asked"] == []


def test_fake_nmcli_is_only_found_in_its_folder(network):
    assert shutil.which("nmcli") == str(network.state.with_name("nmcli"))
