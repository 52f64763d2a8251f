"""A journal that writes when the test says so."""

from pond_hw.journal import WriteProgress
from pond_hw.journal.stored_game import format_events


class SimulatedJournal:
    """Simulated journal with the interface that the companion uses.

    Attributes:
        recorded: entries of each recorded step.
        remarks: remarks that were recorded.
        retry_count: number of retries.
        is_closed: True after `close`.
    """

    unfinished_game = trouble = None

    def __init__(self):
        self.recorded, self.remarks = [], []
        self.retry_count = 0
        self.is_closed = False

    def set_listener(self, listener):
        self.listener = listener

    def add_resume_prompt(self, session, now):
        return session

    def record_step(self, session):
        if not session.game_events:
            return None
        self.recorded.append(tuple(format_events(session.game_events)))
        return len(self.recorded)

    def report(self, step=None, trouble=None):
        """Report that all steps up to this one, by default all, are on disk, or why they are not."""
        self.listener(WriteProgress(len(self.recorded) if step is None else step, trouble))

    def write_remark(self, remark):
        self.remarks.append(remark)

    def retry_writing(self):
        self.retry_count += 1

    def update_facts(self, **facts):
        pass

    def close(self):
        self.is_closed = True
