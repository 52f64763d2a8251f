"""Tests that sessions become visible only when they are on disk or marked as unsaved."""

import pytest

from pond_hw.companion.durable_session import REMARK_INTERVAL_SECONDS, SLOW_WRITE_SECONDS, DurableSession
from pond_hw.journal import RETRY_SECONDS, WriteProgress
from pond_hw.messages.message import Message
from pond_hw.rules import STANDARD, Action
from pond_hw.session import AskHint, Session, TakeAction, TroubleChanged
from tests.journal.simulated_journal import SimulatedJournal
from tests.messages.says import text

FULL, SLOW = Message("saving.disk_full"), Message("saving.slow")


class Steps(DurableSession):
    """A durable session with a simulated journal and clock. Stores the sessions that have been adopted."""

    def __init__(self, journal):
        self.time, self.adoptions = 0.0, []
        super().__init__(
            Session.start_game(STANDARD), journal, lambda: self.time, lambda *pair: self.adoptions.append(pair)
        )

    def act(self, *actions):
        for action in actions:
            self.commit(self.latest.after(TakeAction(Action.from_notation(action), self.time)))

    def write(self, step, trouble=None):
        """Report that the journal has written all steps up to a given one."""
        self.handle_progress(WriteProgress(step, trouble))

    @property
    def played(self):
        return [str(turn.action) for turn in self.adopted.turns]


@pytest.fixture
def journal():
    return SimulatedJournal()


@pytest.fixture
def steps(journal):
    return Steps(journal)


def test_step_without_journal_is_adopted_at_once():
    steps = Steps(None)
    steps.act("@b2")
    steps.check_disk()
    steps.write_remark("nothing")
    assert (steps.played, steps.latest is steps.adopted, steps.is_waiting) == (["@b2"], True, False)


def test_step_is_adopted_once_it_is_on_disk(steps):
    start, scene = steps.adopted, steps.scene
    steps.act("@b2")
    assert (steps.adopted, steps.scene, steps.adoptions) == (start, scene, [])
    assert (len(steps.latest.turns), steps.is_waiting) == (1, True)
    steps.write(1)
    assert (steps.played, steps.is_waiting) == (["@b2"], False)
    assert (steps.scene, steps.adoptions) == (steps.latest.view.scene, [(start, steps.latest)])


def test_steps_are_adopted_up_to_last_written_step(steps):
    steps.act("@b2", "@b3", "@d4")
    assert steps.latest_step == 3
    steps.write(2)
    assert steps.played == ["@b2", "@b3"]
    assert [steps.has_adopted(step) for step in (1, 2, 3)] == [True, True, False]
    steps.write(3)
    assert (steps.played, steps.has_adopted(3)) == (["@b2", "@b3", "@d4"], True)


def test_older_journal_report_is_ignored(steps):
    steps.act("@b2", "@b3")
    steps.write(2)
    steps.write(1)
    steps.commit(steps.latest.after(AskHint(0.0)))
    assert steps.adopted.hint, "a hint request needs no journal entry"


def test_step_without_entries_waits_for_the_previous_step(steps, journal):
    steps.act("@b2")
    steps.commit(steps.latest.after(AskHint(0.0)))
    assert (len(journal.recorded), steps.adopted.hint) == (1, None)
    steps.write(1)
    assert steps.adopted.hint


def test_step_with_failing_scene_is_dropped(steps, journal, monkeypatch):
    computed = steps.latest.after(TakeAction(Action.from_notation("@b2"), 0.0))
    before = steps.latest
    with monkeypatch.context() as patch:
        patch.setattr(type(computed.view), "scene", property(lambda _: 1 / 0))
        with pytest.raises(ZeroDivisionError):
            steps.commit(computed)
    assert (steps.latest, steps.adopted, journal.recorded, steps.is_waiting) == (before, before, [], False)


def test_step_refused_by_journal_is_not_played(steps, journal, monkeypatch):
    before = steps.latest
    monkeypatch.setattr(journal, "record_step", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        steps.act("@b2")
    assert (steps.latest, steps.adopted) == (before, before)


def test_game_stops_waiting_for_slow_disk(steps):
    steps.time = 5.0
    steps.act("@b2")
    assert steps.disk_due == 5.0 + SLOW_WRITE_SECONDS
    steps.time = steps.disk_due - 0.01
    steps.check_disk()
    assert steps.played == []
    steps.time = 5.0 + SLOW_WRITE_SECONDS
    steps.check_disk()
    assert (steps.played, steps.adopted.unsaved_reason) == (["@b2"], SLOW)
    steps.act("@b3")
    assert (steps.played, steps.is_waiting) == (["@b2", "@b3"], False), (
        "the players already know that the game is not saved"
    )
    steps.write(1)
    assert steps.adopted.unsaved_reason == SLOW, "the second step is not on disk yet"
    steps.write(2)
    assert steps.adopted.unsaved_reason is None


def test_slow_disk_timer_starts_at_oldest_step(steps):
    steps.act("@b2")
    steps.time = 2.0
    steps.act("@b3")
    assert steps.disk_due == SLOW_WRITE_SECONDS
    steps.write(2)
    assert steps.disk_due == float("inf")


def test_failing_disk_is_retried_every_second(steps, journal):
    steps.act("@b2")
    steps.write(1, FULL)
    assert (steps.played, steps.adopted.unsaved_reason) == (["@b2"], FULL)
    for _ in range(3):
        steps.check_disk()
        assert journal.retry_count == 1
    steps.time += RETRY_SECONDS
    steps.check_disk()
    assert journal.retry_count == 2


def test_save_failure_and_recovery_add_remarks(steps, journal):
    steps.act("@b2")
    steps.write(1, FULL)
    assert journal.remarks == []
    steps.write(1)
    assert journal.remarks == [text(FULL, Message("saving.again"))]


def test_remarks_about_board_trouble_are_limited(steps, journal):
    trouble = Message("sensors.lost", reason=Message("i2c.hangs", bus=1))
    for _ in range(3):
        for change in (trouble, None):
            steps.commit(steps.latest.after(TroubleChanged(change, steps.time)))
    assert journal.remarks == [text(trouble)]
    steps.time += REMARK_INTERVAL_SECONDS
    steps.commit(steps.latest.after(TroubleChanged(trouble, steps.time)))
    assert journal.remarks == [text(trouble)] * 2


def test_replaced_session_drops_waiting_steps(steps):
    steps.act("@b2")
    other = Session.start_game(STANDARD).after(TakeAction(Action.from_notation("@d4"), 0.0))
    steps.replace_session(other)
    assert (steps.latest, steps.played, steps.is_waiting) == (other, ["@d4"], False)
    steps.write(1)
    assert steps.played == ["@d4"]
