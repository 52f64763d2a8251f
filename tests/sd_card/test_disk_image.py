import subprocess

import pytest

from pond_hw.messages.message import PondError
from pond_hw.sd_card.disk_image import find_fat_partition, is_complete, open_boot_partition
from tests.conftest import require
from tests.sd_card.images import FAT_BYTES, FIRST_SECTOR, TRIXIE, read_boot_files, write_image

SECTORS = (FIRST_SECTOR, FAT_BYTES // 512)


def find_in(path):
    with path.open("rb") as image:
        return find_fat_partition(image)


@pytest.mark.parametrize("table", ["mbr", "gpt"])
def test_boot_partition_is_found(tmp_path, table):
    assert find_in(write_image(tmp_path / "image", table=table)) == SECTORS


def test_image_without_partition_table_has_no_boot_partition(tmp_path):
    assert find_in(write_image(tmp_path / "image", table="none")) is None


@pytest.mark.parametrize("size", [0, 511, 512, 5000])
def test_cut_off_image_has_no_boot_partition(tmp_path, size):
    for table in ("mbr", "gpt"):
        path = write_image(tmp_path / table, table=table)
        path.write_bytes(path.read_bytes()[:size])
        assert find_in(path) is None


@pytest.mark.parametrize("table", ["mbr", "gpt"])
def test_image_without_its_end_is_not_complete(tmp_path, table):
    path = write_image(tmp_path / "image", table=table)
    for size, complete in ((None, True), (FIRST_SECTOR * 512 + FAT_BYTES - 512, False)):
        path.write_bytes(path.read_bytes()[:size])
        with path.open("rb") as image:
            assert is_complete(image) == complete


def test_wrong_size_in_a_partition_table_is_ignored(tmp_path):
    path = write_image(tmp_path / "image", table="gpt")
    content = bytearray(path.read_bytes())
    content[596:600] = b"\xff" * 4
    path.write_bytes(content)
    assert find_in(path) is None


def test_written_files_can_be_read(tmp_path):
    path = write_image(tmp_path / "image")
    long = bytes(range(256)) * 900
    with path.open("r+b") as image, open_boot_partition(image, SECTORS) as partition:
        assert partition.has("user-data")
        assert not partition.has("vendor-data")
        partition.write("pond/a long name.deb", long)
        partition.write("user-data", b"new")
    assert read_boot_files(path, "pond/a long name.deb", "user-data", "issue.txt", "none") == {
        "pond/a long name.deb": long,
        "user-data": b"new",
        "issue.txt": TRIXIE["issue.txt"],
        "none": b"",
    }


def test_file_that_does_not_fit_is_refused(tmp_path):
    path = write_image(tmp_path / "image")
    with (
        path.open("r+b") as image,
        open_boot_partition(image, SECTORS) as partition,
        pytest.raises(PondError, match="partition_full"),
    ):
        partition.write("large", bytes(FAT_BYTES))


def test_fsck_finds_no_fault_after_writing(tmp_path):
    require("fsck.vfat", "it checks FAT file systems")
    path = write_image(tmp_path / "image")
    with path.open("r+b") as image, open_boot_partition(image, SECTORS) as partition:
        partition.write("pond/pond.deb", bytes(300_000))
        partition.write("user-data", bytes(7000))
    partition_file = tmp_path / "partition"
    partition_file.write_bytes(path.read_bytes()[FIRST_SECTOR * 512 :][:FAT_BYTES])
    result = subprocess.run(
        ["fsck.vfat", "-n", partition_file], capture_output=True, text=True, timeout=60, check=False
    )
    assert result.returncode == 0, result.stdout
