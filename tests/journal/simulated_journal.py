"""A journal that writes when the test says so."""

from pond_hw.journal import WriteProgress
from pond_hw.journal.stored_game import format_events


class SimulatedJournal:
    """A journal as the companion knows it.

    Attributes:
        recorded: the entries of each step that was handed in.
        remarks: the remarks that were handed in.
        retry_count: how often writing was to be tried again.
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
        """Report that everything up to a step, by default all, is on disk, or why it is not."""
        self.listener(WriteProgress(len(self.recorded) if step is None else step, trouble))

    def write_remark(self, remark):
        self.remarks.append(remark)

    def retry_writing(self):
        self.retry_count += 1

    def update_facts(self, **facts):
        pass

    def close(self):
        self.is_closed = True
