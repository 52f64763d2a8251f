"""Tests of `pond sd-card`."""

import json

import pytest

from pond_hw.commands import sd_card
from tests.conftest import each
from tests.firmware.card import board_file
from tests.sd_card.images import read_boot_files, write_image, write_package

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA ada@home"


@pytest.fixture
def prepare(pond, tmp_path, monkeypatch):
    """Run `pond sd-card` on a fresh image in the current folder."""
    monkeypatch.chdir(tmp_path)
    write_image(tmp_path / "raspios.img")
    write_package(tmp_path / "pond.deb")
    for name, text in (("key.pub", KEY), ("key", "-----BEGIN OPENSSH PRIVATE KEY-----"), ("wifi", "a frog jumps")):
        (tmp_path / name).write_text(f"{text}\n")
    return lambda *options: pond("sd-card", "raspios.img", *options)


def test_image_is_written_beside_the_original(prepare, tmp_path):
    code, out, err = prepare("pond.deb", "hall-4x4")
    assert (code, err) == (0, "")
    assert "raspios-pond.img is ready. Open raspios-pond.rpi-imager-manifest with Raspberry Pi Imager" in out
    assert "first-boot.sh hall-4x4\n" in read_vendor_data(tmp_path / "raspios-pond.img")


def read_vendor_data(path):
    return read_boot_files(path, "vendor-data")["vendor-data"].decode()


def test_own_profile_is_put_into_the_image(prepare, tmp_path):
    board_file(tmp_path, "kitchen")
    assert prepare("pond.deb", tmp_path / "kitchen.toml", "--page", "-o", "new.img")[0] == 0
    assert "first-boot.sh /boot/firmware/pond/kitchen.toml --page\n" in read_vendor_data(tmp_path / "new.img")


def test_all_settings_are_put_into_the_image(prepare, tmp_path):
    options = "--host-name lily --user ada --ssh-key key.pub --wifi-password-file wifi --wifi-country NL"
    zone = ("--wifi", "lily pad", "--time-zone", "Europe/Amsterdam")
    code, out, _ = prepare("pond.deb", "hall-4x4", *options.split(), *zone)
    assert code == 0
    assert "contains the key of your Wi-Fi" in out
    files = read_boot_files(tmp_path / "raspios-pond.img", "user-data", "network-config")
    user_data = json.loads(files["user-data"].removeprefix(b"#cloud-config\n"))
    assert (user_data["hostname"], user_data["timezone"]) == ("lily", "Europe/Amsterdam")
    assert user_data["user"]["ssh_authorized_keys"] == [KEY]
    assert b"lily pad" in files["network-config"]
    assert b"a frog jumps" not in files["network-config"]


@each(
    "options, words",
    [
        ("pond.deb no-such-board", "There is no board"),
        ("pond.deb no-such.toml", "no-such.toml"),
        ("none.deb hall-4x4", "Can't read “none.deb”"),
        ("pond.deb hall-4x4 --user ada", "--user needs --ssh-key too."),
        ("pond.deb hall-4x4 --ssh-key key.pub", "--ssh-key needs --user too."),
        ("pond.deb hall-4x4 --wifi pad --wifi-country NL", "--wifi needs --wifi-password-file too."),
        ("pond.deb hall-4x4 --user root --ssh-key key.pub", "The user can't be"),
        ("pond.deb hall-4x4 --user ada --ssh-key key", "doesn't contain a public key"),
        ("pond.deb hall-4x4 --host-name a_b", 'The host name can\'t be "a_b"'),
        ("pond.deb hall-4x4 --time-zone 2", "The time zone can't be"),
        ("pond.deb hall-4x4 --wifi pad --wifi-password-file wifi --wifi-country nl", 'The country can\'t be "nl"'),
        ("pond.deb hall-4x4 -o no/such.img", "no folder"),
        ("pond.deb hall-4x4 -o pond.deb", "pond.deb"),
    ],
)
def test_wrong_option_is_explained_in_one_line(prepare, tmp_path, options, words):
    before = sorted(tmp_path.iterdir())
    code, out, err = prepare(*options.split())
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words in err
    assert sorted(tmp_path.iterdir()) == before


def test_broken_profile_is_refused(prepare, tmp_path):
    board_file(tmp_path, "kitchen").write_text("grid = 4\n")
    code, _, err = prepare("pond.deb", tmp_path / "kitchen.toml")
    assert code == 2
    assert "kitchen.toml" in err


def test_missing_library_is_reported(prepare, monkeypatch):
    monkeypatch.setattr(sd_card, "find_spec", lambda _: None)
    code, _, err = prepare("pond.deb", "hall-4x4")
    assert code == 2
    assert "needs the package fatfs-ng" in err
