"""Tests that replay the recorded conversations."""

import re
from pathlib import Path

import pytest

from tests.behaviour import transcripts
from tests.behaviour.transcripts import find_difference, find_transcripts, replay_all


def _served_last(path: Path) -> object:
    return pytest.param(path, id=path.stem, marks=[pytest.mark.slow] * path.stem.startswith("served"))


@pytest.mark.parametrize("path", [_served_last(path) for path in find_transcripts()])
def test_conversation_matches_its_transcript(path: Path) -> None:
    assert find_difference(path) == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        (r'("to_move":"light"),("legal":\[.*?\])', r"\2,\1"),  # as JSON, these would be equal
        (r'("title":"[^"]*"),("title_said":\[.*?\]\]?)', r"\2,\1"),
        (r'("lamps":1),("variants":\[.*?\])', r"\2,\1"),
        (r'("undone":\[\]),("selected":null)', r"\2,\1"),
        (r'\n< \{"type":"error".*', ""),
    ],
)
def test_changed_field_order_and_missing_errors_are_detected(
    was: str, becomes: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    [path] = [path for path in find_transcripts() if path.stem == "exercises"]
    changed = re.sub(was, becomes, path.read_text(), count=1)
    assert changed != path.read_text()
    (tmp_path / path.name).write_text(changed)
    monkeypatch.setattr(transcripts, "TRANSCRIPTS", tmp_path)
    assert replay_all() == 1
    assert "exercises.txt, line" in capsys.readouterr().out
    assert replay_all(update=True) == 0
    assert (tmp_path / path.name).read_text() == path.read_text()
