"""Tests of the command line of `make release`."""

import pytest

from tests.conftest import require

require("weasyprint", "it writes the guides")
require("littlefs", "it makes the Pico's files")
require("cyclonedx", "it writes the bill of materials")

from tools.release import __main__ as release  # noqa: E402 - it needs them
from tools.release.dates import read_date  # noqa: E402


@pytest.fixture
def refused(tmp_path, capsys, monkeypatch):
    """Return a function that runs the command, which must build nothing, and returns its last sentence."""
    monkeypatch.setattr(release, "read_processor", lambda: "amd64")
    monkeypatch.setattr(release, "EMULATORS", tmp_path)

    (tmp_path / "file").touch()

    def run(*arguments, folder=tmp_path / "dist"):
        with pytest.raises(SystemExit) as stopped:
            release.main([str(folder), *arguments])
        assert stopped.value.code == 2
        assert not (tmp_path / "dist").exists()
        return capsys.readouterr().err.splitlines()[-1]

    return run


def test_unknown_part_is_named(refused):
    assert "there is no debian; choose from python, browser" in refused("pico", "debian")


def test_debian_packages_need_root(refused, monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert "sudo make release" in refused()


def test_missing_emulator_is_named_before_anything_is_built(refused, monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert "no emulator for arm64: sudo apt install qemu-user-static; or add --processor amd64" in refused()


def test_unknown_processor_is_refused(refused):
    assert "invalid choice: 'mips'" in refused("--processor", "mips")


def test_missing_node_is_named_before_anything_is_built(refused, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    assert "needs node and npm" in refused("browser")


def test_file_in_place_of_the_folder_is_refused(refused, tmp_path):
    assert "can't make the folder" in refused("notes", folder=tmp_path / "file")


def test_wrong_date_is_refused(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "monday")
    with pytest.raises(SystemExit, match="SOURCE_DATE_EPOCH must be a number"):
        read_date()


def test_old_downloads_are_replaced_and_other_files_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(release, "PARTS", {})
    monkeypatch.setattr(release, "find_obstacle", lambda *_: None)
    monkeypatch.setattr(release, "build_debs", lambda *_: None)
    for name in ("pond_0.9~deb13_arm64.deb", "pond-0.9-browser.zip", "pond-notes.txt", "pond.img", "my.pond"):
        (tmp_path / name).touch()
    release.main([str(tmp_path)])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["SHA256SUMS", "my.pond", "pond-notes.txt", "pond.img"]


def test_only_named_parts_are_built_and_listed(tmp_path):
    release.main([str(tmp_path), "notes", "pico"])
    (tmp_path / "pond-0.0-browser.zip").write_text("from before")
    release.main([str(tmp_path), "notes"])
    names = [line.split()[1] for line in (tmp_path / "SHA256SUMS").read_text().splitlines()]
    assert names == ["pond-0.0-browser.zip", f"{release.PREFIX}-pico-files.uf2", f"{release.PREFIX}-release-notes.md"]
