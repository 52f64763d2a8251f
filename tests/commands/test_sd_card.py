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
        ("pond.deb hall-4x4 --wifi pad --wifi-password-file wifi --wifi-country UK", 'The country can\'t be "UK"'),
        (f"pond.deb hall-4x4 --wifi {17 * 'é'} --wifi-password-file wifi --wifi-country NL", "name of the Wi-Fi"),
        ("pond.deb hall-4x4 --wifi a\x01 --wifi-password-file wifi --wifi-country NL", "name of the Wi-Fi"),
        ("pond.deb hall-4x4 --wifi \udcff --wifi-password-file wifi --wifi-country NL", "name of the Wi-Fi"),
        ("pond.deb hall-4x4 --user pond --ssh-key key.pub", "The user can't be"),
        ("pond.deb hall-4x4 --time-zone Europe/Amsterdm", "The time zone can't be"),
        ("pond.deb hall-4x4 -o old.img", "old.img"),
        ("pond.deb hall-4x4 -o .", "must end in .img"),
        ("pond.deb hall-4x4 -o new.rpi-imager-manifest", "must end in .img"),
    ],
)
def test_wrong_option_is_explained_in_one_line(prepare, tmp_path, options, words):
    (tmp_path / "old.img").touch()
    before = sorted(tmp_path.iterdir())
    code, out, err = prepare(*options.split())
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words in err
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("image", ["/", ".", "", "none.img"])
def test_missing_image_is_reported(pond, tmp_path, image):
    write_package(tmp_path / "pond.deb")
    code, _, err = pond("sd-card", image, tmp_path / "pond.deb", "hall-4x4")
    assert (code, err.count("\n")) == (2, 1)
    assert f"Can't read “{image}”" in err


def test_password_is_read_as_it_is(prepare, tmp_path):
    for number, text in enumerate(("a frog jumps", "\ufeffa frog jumps", "a frog jumps ")):
        (tmp_path / "wifi").write_text(f"{text}\r\n", encoding="utf-8")
        options = "pond.deb hall-4x4 --wifi pad --wifi-password-file wifi --wifi-country NL"
        assert prepare(*options.split(), "-o", f"{number}.img")[0] == 0
    plain, marked, spaced = (read_boot_files(tmp_path / f"{n}.img", "network-config") for n in range(3))
    assert plain == marked
    assert plain != spaced


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
