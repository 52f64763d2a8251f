import pytest

from pond_hw.messages.message import PondError
from pond_hw.sd_card.debian_package import read_package
from tests.sd_card.images import write_package


def test_release_and_processor_are_read(tmp_path):
    package = read_package(write_package(tmp_path / "any-name"))
    assert (package.release, package.processor) == (13, "arm64")


@pytest.mark.parametrize(
    "control",
    [
        "Package: frog\nVersion: 1.0.0~deb13\nArchitecture: arm64\n",
        "Package: pond\nVersion: 1.0.0\nArchitecture: arm64\n",
        "Package: pond\nVersion: 1.0.0~deb13\n",
        "",
    ],
)
def test_other_package_is_refused(tmp_path, control):
    with pytest.raises(PondError, match="not_our_package"):
        read_package(write_package(tmp_path / "package", control))


def test_damaged_package_is_refused(tmp_path):
    whole = write_package(tmp_path / "package").read_bytes()
    for content in (b"", b"!<arch>\n", whole[:100], whole[:150], whole[:150] + b"x" * 20 + whole[170:], b"zip" + whole):
        (tmp_path / "package").write_bytes(content)
        with pytest.raises(PondError, match="not_our_package"):
            read_package(tmp_path / "package")


def test_cut_off_package_is_refused(tmp_path):
    whole = write_package(tmp_path / "package").read_bytes()
    for size in (-1, -900):
        (tmp_path / "package").write_bytes(whole[:size])
        with pytest.raises(PondError, match="damaged"):
            read_package(tmp_path / "package")


def test_missing_package_is_reported(tmp_path):
    with pytest.raises(PondError, match="cannot_read"):
        read_package(tmp_path / "package")
