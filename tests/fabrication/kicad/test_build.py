"""Messages shown when KiCad is missing."""

import pytest

from tests.fabrication.kicad import build, cli


@pytest.fixture
def kicad_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(build, "CACHE_FOLDER", tmp_path)
    monkeypatch.setattr("sys.argv", ["build"])
    monkeypatch.setenv("PATH", "")


def test_missing_tool_is_named_with_install_command(kicad_missing, monkeypatch, capsys):
    monkeypatch.setattr(build, "KEYS", "/missing")
    assert build.main() == 2
    packages = ("debootstrap", "debian-archive-keyring")
    words = f"{' and '.join(packages)}: sudo apt-get install {' '.join(packages)}"
    assert capsys.readouterr().err == f"KiCad's Debian is made with {words}\n"


def test_build_without_root_is_refused(kicad_missing, monkeypatch, capsys):
    monkeypatch.setattr(build, "_needs", dict)
    monkeypatch.setattr(build.os, "geteuid", lambda: 1000)
    assert build.main() == 2
    assert capsys.readouterr().err == "To make KiCad's Debian takes root, as debootstrap does: sudo make kicad\n"


def test_changed_recipe_uses_another_folder(monkeypatch):
    before = build.place()
    monkeypatch.setattr(build, "LEFT_OUT", ("doc/*",))
    assert build.place() != before


@pytest.mark.parametrize("in_ci", [False, True])
def test_missing_kicad_skips_test_with_instructions(in_ci, kicad_missing, monkeypatch):
    monkeypatch.setattr("tests.conftest.IN_CI", in_ci)
    outcome = pytest.fail.Exception if in_ci else pytest.skip.Exception
    with pytest.raises(outcome, match="sudo make kicad"):
        cli.errors("")
