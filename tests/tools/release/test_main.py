"""Tests of the command line of `make release`."""

import pytest

from tests.conftest import require

require("weasyprint", "it writes the guides")
require("littlefs", "it makes the Pico's files")
require("cyclonedx", "it writes the bill of materials")

from tools.release import __main__ as release  # noqa: E402 - it needs them


@pytest.fixture
def refused(tmp_path, capsys, monkeypatch):
    """Return a function that runs the command, which must build nothing, and returns its last sentence."""
    monkeypatch.setattr(release, "read_processor", lambda: "amd64")
    monkeypatch.setattr(release, "EMULATORS", tmp_path)

    def run(*arguments):
        with pytest.raises(SystemExit) as stopped:
            release.main([str(tmp_path / "dist"), *arguments])
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


def test_only_named_parts_are_built_and_listed(tmp_path):
    release.main([str(tmp_path), "notes", "pico"])
    (tmp_path / "pond-0.0.zip").write_text("from before")
    release.main([str(tmp_path), "notes"])
    names = [line.split()[1] for line in (tmp_path / "SHA256SUMS").read_text().splitlines()]
    assert names == ["pond-0.0.zip", f"{release.PREFIX}-pico-files.uf2", f"{release.PREFIX}-release-notes.md"]
