"""The language is the one that was asked for, or that of the system."""

import pytest

from pond_hw import tui
from pond_hw.commands import main, replay
from tests.tui.test_record_app import GAMES


@pytest.fixture
def languages(monkeypatch):
    """The languages in which screens were opened."""
    opened = []
    monkeypatch.setattr(tui, "play_simulated", lambda _pond, _players, _lamps, language, **_: opened.append(language))
    monkeypatch.setattr(tui, "play_connected", lambda _paths, language: opened.append(language))
    monkeypatch.setattr(replay, "_step_through", lambda _record, _lamps, language: opened.append(language))
    for name in ("POND_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    return opened


COMMANDS = (["play", "--unsaved"], ["play", "--connect", "somewhere"])


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_screen_speaks_the_language_that_was_asked_for(languages, monkeypatch, command):
    assert main.main(command) == 0
    monkeypatch.setenv("LANG", "fr_FR.UTF-8")
    assert main.main(command) == 0
    monkeypatch.setenv("POND_LANGUAGE", "de")
    assert main.main(command) == 0
    assert main.main([*command, "--language", "nl"]) == 0
    assert languages == ["en", "fr", "de", "nl"]


def test_a_record_does_too(languages, monkeypatch):
    class Terminal:
        def isatty(self):
            return True

    record = str(GAMES / "mini-patience.pond")
    monkeypatch.setattr(replay, "sys", type("System", (), dict.fromkeys(("stdin", "stdout", "stderr"), Terminal())))
    assert main.main(["replay", record, "--language", "de"]) == 0
    assert languages == ["de"]


def test_a_language_that_is_not_known_is_refused(pond):
    code, out, complaint = pond("play", "--language", "xx")
    assert (code, out) == (2, "")
    assert "en, nl, de" in complaint
