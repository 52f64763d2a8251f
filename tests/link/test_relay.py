"""Tests of a linked game over a hostile relay. `python -m tests.link.relay` runs many more schedules."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.link.relay import Schedule, run_schedules


def test_homes_agree_at_rest():
    counts, faults = run_schedules(0, 40)
    assert faults == []
    assert min(counts[kind] for kind in ("turns", "TakeBack", "Resign", "backups restored", "forks answered")) > 0


@pytest.mark.long
def test_homes_agree_at_rest_in_many_schedules():
    counts, faults = run_schedules(1_000, 5_000)
    assert faults == []
    assert counts["schedules"] == 5_000


class RelayMachine(RuleBasedStateMachine):
    """The same events as in the schedules, in an order that Hypothesis chooses and shortens."""

    @initialize(rng=st.randoms(use_true_random=False))
    def begin(self, rng):
        self.schedule = Schedule(rng)
        self.schedule.with_backups = False
        self.schedule.send(1)

    @rule()
    def act(self):
        self.schedule.act()

    @rule()
    def ask(self):
        self.schedule.ask()

    @rule()
    def answer(self):
        self.schedule.answer()

    @rule()
    def choose(self):
        self.schedule.choose()

    @rule()
    def deliver(self):
        self.schedule.deliver()

    @rule()
    def replay(self):
        self.schedule.replay()

    @rule()
    def lose(self):
        self.schedule.lose()

    @rule()
    def damage(self):
        self.schedule.damage()

    @rule()
    def resend(self):
        self.schedule.resend()

    @rule()
    def restart(self):
        self.schedule.restart()

    @rule()
    def restore_backup(self):
        self.schedule.with_backups = True
        self.schedule.restore_backup()

    @invariant()
    def check(self):
        if hasattr(self, "schedule") and not self.schedule.with_backups:
            self.schedule.check()

    def teardown(self):
        if hasattr(self, "schedule"):
            self.schedule.come_to_rest()


TestRelayMachine = RelayMachine.TestCase
TestRelayMachine.settings = settings(max_examples=15, stateful_step_count=30)
