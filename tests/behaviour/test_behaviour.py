"""Test of the comparison itself on two games."""

import json
from pathlib import Path

import pytest

from tests.behaviour.__main__ import MANIFEST, load, main, store


@pytest.mark.slow
def test_record_is_reproducible_and_differences_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "kept"
    games = ["--only", "headless", "--most", "2"]
    assert main(["record", str(folder), *games]) == 0
    assert main(["check", str(folder), *games]) == 0
    assert "headless: 2 cases, 0 differ" in capsys.readouterr().out
    outcome = "headless/game-001.out.gz"
    changed = load(folder, outcome).replace('"to_move":"light"', '"to_move":"nobody"', 1)
    store(folder, outcome, changed)
    assert main(["check", str(folder), *games]) == 2
    assert outcome in capsys.readouterr().out
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest[outcome] = store(folder, outcome, changed)
    (folder / MANIFEST).write_text(json.dumps(manifest))
    assert main(["check", str(folder), *games]) == 1
    output = capsys.readouterr().out
    assert "headless: 2 cases, 1 differ" in output
    assert '"to_move":"nobody"' in output
    assert '"to_move":"light"' in output
