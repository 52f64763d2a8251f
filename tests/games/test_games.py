"""Whole games, as they are kept in this folder: each is replayed and must end as its Result says.

A game that went wrong on somebody's table belongs here too: put the `.pond` file beside the others.
"""

from pathlib import Path

import pytest

from pond_hw.rules import DARK, LIGHT, Outcome, Reason, outcome, read_record

GAMES = sorted(Path(__file__).parent.glob("*.pond"))


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_a_game_ends_as_its_result_says(path):
    text = path.read_text(encoding="utf-8")
    record = read_record(text)
    assert f'[Result "{record.result}"]' in text
    assert read_record(str(record)) == record
    assert record.turns[0].before == record.start_position
    for turn, following in zip(record.turns, record.turns[1:], strict=False):
        assert turn.after == following.before
        assert outcome(turn.after) is None


def test_there_are_games_of_every_kind_of_ending():
    endings = {read_record(path.read_text(encoding="utf-8")).outcome for path in GAMES}
    assert endings >= {Outcome(LIGHT, Reason.SCORE), Outcome(DARK, Reason.SCORE), Outcome(None, Reason.SCORE)}
    assert any(ending.reason is Reason.ELIMINATION for ending in endings if ending)
