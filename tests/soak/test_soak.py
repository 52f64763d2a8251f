"""Reproducibility of the soak test."""

import pytest

from tests.soak.evenings import Trace, play_evenings

SHORT = 1 / 80  # of an hour


def trace(folder, seed=1, evenings=2, hours=SHORT, *, jumps=False):
    folder.mkdir()
    seen = Trace()
    turns = sum(evening.turns for evening in play_evenings(folder, seed, evenings, hours, seen, jumps=jumps))
    return str(seen), turns


@pytest.mark.slow
def test_same_seed_gives_same_trace_despite_clock_jumps(tmp_path):
    once, turns = trace(tmp_path / "once")
    assert turns > 5
    assert trace(tmp_path / "again", jumps=True) == (once, turns)
    assert trace(tmp_path / "other", seed=2, evenings=1)[0] != once


@pytest.mark.long
def test_week_of_game_nights_loses_no_game(tmp_path):
    before, found = None, 0
    tmp_path.joinpath("week").mkdir()
    for evening in play_evenings(tmp_path / "week", 7, 14, 0.1, Trace()):
        unfinished = before and before.turns and not before.is_over
        assert evening.found == (before.position.notation_line if unfinished else None)
        found += evening.found is not None
        before = evening.session
        assert before.unsaved_reason is None
    assert found > 5
