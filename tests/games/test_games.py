"""Tests that replay every game in this folder and compare its end with its Result.

To add a game that went wrong, put its `.pond` file here.
"""

from pathlib import Path

import pytest

from pond_hw.rules import DARK, LIGHT, EndReason, Outcome, find_outcome, parse_record

GAMES = sorted(Path(__file__).parent.glob("*.pond"))


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_game_ends_as_its_result_says(path):
    text = path.read_text(encoding="utf-8")
    record = parse_record(text)
    assert f'[Result "{record.result_text}"]' in text
    assert parse_record(str(record)) == record
    assert record.turns[0].before == record.start_position
    for turn, following in zip(record.turns, record.turns[1:], strict=False):
        assert turn.after == following.before
        assert find_outcome(turn.after) is None


def test_every_kind_of_ending_occurs():
    endings = {parse_record(path.read_text(encoding="utf-8")).outcome for path in GAMES}
    assert endings >= {Outcome(LIGHT, EndReason.SCORE), Outcome(DARK, EndReason.SCORE), Outcome(None, EndReason.SCORE)}
    assert any(ending.reason is EndReason.ELIMINATION for ending in endings if ending)
