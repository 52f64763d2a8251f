import json
import lzma
import os
import shutil
import stat
from hashlib import sha256
from pathlib import Path

import pytest

from pond_hw.messages.message import PondError
from pond_hw.sd_card.debian_package import read_package
from pond_hw.sd_card.prepared_image import Board, prepare_image
from pond_hw.sd_card.settings import FirstBootSettings, Wifi
from tests.conftest import require
from tests.sd_card.images import TRIXIE, read_boot_files, write_image, write_package

HOST_NAME = FirstBootSettings(host_name="pond")
FIELDS = {
    "name": str,
    "description": str,
    "icon": str,
    "url": str,
    "extract_size": int,
    "extract_sha256": str,
    "image_download_size": int,
    "release_date": str,
    "devices": list,
}
"""Required fields of a system in Imager's list, from its documentation."""


class Card:
    """Image and package in a folder."""

    def __init__(self, folder):
        self.source, self.target = folder / "raspios.img", folder / "out" / "pond.img"
        self.manifest = self.target.with_suffix(".rpi-imager-manifest")
        self.package = folder / "pond.deb"
        self.target.parent.mkdir()
        write_image(self.source)
        write_package(self.package)

    def prepare(self, board=Board("hall-4x4"), settings=FirstBootSettings()):  # noqa: B008 - unchangeable
        prepare_image(self.source, self.target, read_package(self.package), board, settings)

    def refuse(self, message_id, **arguments):
        """Check that the image is refused, and that nothing is left behind."""
        before = self.source.read_bytes()
        with pytest.raises(PondError, match=message_id):
            self.prepare(**arguments)
        assert list(self.target.parent.iterdir()) == []
        assert self.source.read_bytes() == before

    def read(self, *names):
        return read_boot_files(self.target, *names)


@pytest.fixture
def card(tmp_path):
    return Card(tmp_path)


def test_copy_has_package_script_and_start(card):
    before = card.source.read_bytes()
    card.prepare()
    assert card.source.read_bytes() == before
    read = card.read("pond/pond.deb", "pond/first-boot.sh", "vendor-data", *TRIXIE)
    assert read["pond/pond.deb"] == card.package.read_bytes()
    assert b"Installs Pond" in read["pond/first-boot.sh"]
    assert read["vendor-data"].endswith(b"/bin/sh /boot/firmware/pond/first-boot.sh hall-4x4\n")
    assert {name: read[name] for name in TRIXIE} == TRIXIE  # also cloud-init's own files


def test_own_profile_and_page_are_passed_on(card):
    card.prepare(Board("my pond.toml", b"grid = 4\n", page=True))
    read = card.read("pond/my pond.toml", "vendor-data")
    assert read["pond/my pond.toml"] == b"grid = 4\n"
    assert read["vendor-data"].endswith(b"/first-boot.sh '/boot/firmware/pond/my pond.toml' --page\n")


def test_settings_replace_the_files_of_cloud_init(card):
    card.prepare(settings=HOST_NAME)
    files = HOST_NAME.make_files()
    assert card.read(*files) == files


def test_xz_file_is_unpacked(card):
    card.source.write_bytes(lzma.compress(card.source.read_bytes()))
    card.prepare()
    assert card.read("pond/pond.deb")["pond/pond.deb"] == card.package.read_bytes()


def test_damaged_xz_file_is_refused(card):
    packed = lzma.compress(card.source.read_bytes())
    for damaged in (packed[:-40], packed[:300] + b"x" * 40 + packed[340:]):
        card.source.write_bytes(damaged)
        card.refuse("sd_card.damaged")


def test_cut_off_image_is_refused(card):
    card.source.write_bytes(card.source.read_bytes()[: -(1 << 19)])
    card.refuse("sd_card.damaged")


def test_damaged_file_allocation_table_is_refused(card):
    content = bytearray(card.source.read_bytes())
    table = 2049 * 512
    content[table + 4 : table + 7 * 512] = b"\x55" * (7 * 512 - 4)
    card.source.write_bytes(content)
    card.refuse("sd_card.unreadable_partition")


@pytest.mark.parametrize("mark", [b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd"])
def test_other_compressed_file_is_refused(card, mark):
    card.source.write_bytes(mark + bytes(1000))
    card.refuse("sd_card.compressed")


@pytest.mark.parametrize("content", [b"", b"text", bytes(1 << 20), lzma.compress(bytes(1 << 20))])
def test_other_file_is_refused(card, content):
    card.source.write_bytes(content)
    card.refuse("sd_card.not_an_image")


def test_damaged_boot_partition_is_refused(card):
    content = bytearray(card.source.read_bytes())
    content[2048 * 512 + 11 : 2048 * 512 + 30] = bytes(19)
    card.source.write_bytes(content)
    card.refuse("sd_card.unreadable_partition")


@pytest.mark.parametrize(
    ("missing", "message_id"),
    [
        ("config.txt", "sd_card.not_raspberry_pi_os"),
        ("cmdline.txt", "sd_card.not_raspberry_pi_os"),
        ("user-data", "sd_card.no_cloud_init"),
        ("meta-data", "sd_card.no_cloud_init"),
    ],
)
def test_other_system_is_refused(card, missing, message_id):
    write_image(card.source, {name: content for name, content in TRIXIE.items() if name != missing})
    card.refuse(message_id)


def test_prepared_image_is_refused(card):
    card.prepare()
    shutil.copy(card.target, card.source)
    for path in card.target.parent.iterdir():
        path.unlink()
    card.refuse("sd_card.already_prepared")


def test_vendor_data_of_others_is_refused(card):
    write_image(card.source, TRIXIE | {"vendor-data": b"#cloud-config\n"})
    card.refuse("sd_card.already_prepared")


def test_settings_of_others_are_kept(card):
    write_image(card.source, TRIXIE | {"user-data": b"#cloud-config\n# a comment\nhostname: frog\n"})
    card.refuse("sd_card.has_settings", settings=HOST_NAME)
    card.prepare()
    assert b"hostname: frog" in card.read("user-data")["user-data"]


def test_package_for_another_release_is_refused(card):
    write_package(card.package, "Package: pond\nVersion: 1.0.0~deb12\nArchitecture: arm64\n")
    card.refuse("sd_card.other_release")


def test_package_for_another_processor_is_refused(card):
    write_package(card.package, "Package: pond\nVersion: 1.0.0~deb13\nArchitecture: armhf\n")
    card.refuse("sd_card.other_processor")
    write_image(card.source, TRIXIE | {"kernel7.img": b"32 bits"})
    card.prepare()


def test_package_larger_than_the_partition_is_refused(card):
    write_package(card.package, size=5 << 20)
    card.refuse("sd_card.partition_full")


def test_full_disk_is_refused(card, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(100, 100, 100))
    card.refuse("sd_card.disk_full")


def test_missing_image_is_reported(card):
    card.source.unlink()
    with pytest.raises(PondError, match=r"file\.cannot_read"):
        card.prepare()


def test_interrupted_copy_leaves_no_file(card, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(shutil, "copyfileobj", interrupt)
    with pytest.raises(KeyboardInterrupt):
        card.prepare()
    assert list(card.target.parent.iterdir()) == []


def load_system(card):
    [system] = json.loads(card.manifest.read_text())["os_list"]
    return system


def test_other_files_beside_the_image_are_kept(card):
    download = card.target.with_name("pond.img.part")
    shutil.copy(card.source, download)
    card.source = download
    card.prepare()
    assert sorted(card.target.parent.iterdir()) == [card.target, download, card.manifest]


def test_image_may_be_private(card):
    card.prepare(settings=FirstBootSettings(wifi=Wifi("pad", "a frog jumps", "NL")))
    assert stat.filemode(card.target.stat().st_mode) == "-rw-------"


def test_manifest_describes_the_image(card):
    card.prepare()
    system = load_system(card)
    content = card.target.read_bytes()
    assert system["url"] == card.target.as_uri()
    assert system["extract_sha256"] == sha256(content).hexdigest()
    assert system["extract_size"] == system["image_download_size"] == len(content)
    assert system["architecture"] == "armv8"
    assert "pi4-64bit" in system["devices"]
    assert {name: type(system.get(name)) for name in FIELDS} == FIELDS


def test_imager_asks_for_settings_only_if_there_are_none(card):
    card.prepare()
    assert load_system(card)["init_format"] == "cloudinit-rpi"
    card.prepare(settings=HOST_NAME)
    assert load_system(card)["init_format"] == "none"


def test_manifest_follows_the_schema_of_imager(card):
    require("jsonschema", "it checks JSON files")
    schema_file = os.environ.get("IMAGER_SCHEMA")
    if not schema_file:
        pytest.skip("needs IMAGER_SCHEMA: doc/json-schema/os-list-schema.json of raspberrypi/rpi-imager")
    import jsonschema

    schema = json.loads(Path(schema_file).read_text(encoding="utf-8"))
    for settings in (FirstBootSettings(), HOST_NAME):
        card.prepare(settings=settings)
        jsonschema.validate(json.loads(card.manifest.read_text()), schema)
