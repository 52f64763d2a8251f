"""What is said where KiCad cannot be had."""

import pytest

from tests.fabrication.kicad import build, judge


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """No folder with KiCad, and none on this machine."""
    monkeypatch.setattr(build, "KEPT", tmp_path)
    monkeypatch.setattr("sys.argv", ["build"])
    monkeypatch.setenv("PATH", "")


def test_what_is_missing_is_named_with_the_command_that_brings_it(nowhere, monkeypatch, capsys):
    monkeypatch.setattr(build, "KEYS", "/nowhere")
    assert build.main() == 2
    packages = ("debootstrap", "debian-archive-keyring")
    words = f"{' and '.join(packages)}: sudo apt-get install {' '.join(packages)}"
    assert capsys.readouterr().err == f"KiCad's Debian is made with {words}\n"


def test_who_is_not_root_is_told_so(nowhere, monkeypatch, capsys):
    monkeypatch.setattr(build, "_needs", dict)
    monkeypatch.setattr(build.os, "geteuid", lambda: 1000)
    assert build.main() == 2
    assert capsys.readouterr().err == "To make KiCad's Debian takes root, as debootstrap does: sudo make kicad\n"


def test_another_recipe_is_another_folder(monkeypatch):
    before = build.place()
    monkeypatch.setattr(build, "LEFT_OUT", ("doc/*",))
    assert build.place() != before


@pytest.mark.parametrize("in_ci", [False, True])
def test_without_kicad_a_test_is_given_up_with_what_to_do(in_ci, nowhere, monkeypatch):
    monkeypatch.setattr("tests.conftest.IN_CI", in_ci)
    outcome = pytest.fail.Exception if in_ci else pytest.skip.Exception
    with pytest.raises(outcome, match="sudo make kicad"):
        judge.errors("")
