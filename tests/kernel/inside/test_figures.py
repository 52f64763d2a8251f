"""Test of the command that measures latency and load."""

from tests.kernel import figures


def test_every_press_is_answered(board, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["figures", board, "--presses", "3", "--rest", "1"])
    assert figures.main() == 0
    output = capsys.readouterr().out
    assert output.startswith(f"{board}, ")
    assert "without response        0\n" in output
    for text in ("edge to lamp bytes", "at rest", "in play", "wakeups a minute"):
        assert text in output
