"""Tests of the companion benchmark."""

import pytest

from tools import companion_bench


def test_progress_names_each_measurement(capsys, monkeypatch):
    parts = [
        companion_bench._Measurement("touch to lamp", 20, lambda: ["touch 1"]),
        companion_bench._Measurement("rest", 10, lambda: ["rest 2"]),
    ]
    monkeypatch.setattr(companion_bench, "_list_measurements", lambda seconds: parts)
    companion_bench.main(["--seconds", "10"])
    out, err = capsys.readouterr()
    assert err.splitlines() == [
        "pond: measuring touch to lamp (1 of 2), 30 s left",
        "pond: measuring rest (2 of 2), 10 s left",
    ]
    assert out.splitlines()[-2:] == ["touch 1", "rest 2"]


@pytest.mark.parametrize("seconds", ["0", "3601", "x"])
def test_invalid_seconds_are_rejected(seconds, capsys):
    with pytest.raises(SystemExit) as left:
        companion_bench.main(["--seconds", seconds])
    assert left.value.code == 2
    assert "--seconds" in capsys.readouterr().err
