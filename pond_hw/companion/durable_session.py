"""Session whose changes become visible only once they are saved to disk."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from math import inf

from pond_hw.journal import RETRY_SECONDS, Journal, WriteProgress
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.session import SavingChanged, Scene, Session

SLOW_WRITE_SECONDS = 3.0
"""Seconds to wait for a slow disk before the game continues unsaved and the players are notified."""

REMARK_INTERVAL_SECONDS = 10.0
"""Minimum interval in seconds between remarks in the journal, so that a loose contact can't fill it."""


class DurableSession:
    """Session of a board and its steps that are not on disk yet.

    New steps are computed from `latest`. Lamps, screens and clients show `adopted`, which is on disk unless its
    `unsaved_reason` is set.

    Args:
        session: initial session.
        journal: open journal, or None if games are not saved. Without a journal, steps are adopted immediately.
        now: clock in seconds.
        on_adopted: called with the old and the new session after each adoption.

    Attributes:
        latest: session after the latest step, even if it is not on disk yet.
        latest_step: number of the latest step passed to the journal.
        adopted: session after the latest step that is on disk.
        scene: scene of `adopted`.
        session_due: time at which `latest` needs its next clock tick.
    """

    def __init__(
        self,
        session: Session,
        journal: Journal | None,
        now: Callable[[], float],
        on_adopted: Callable[[Session, Session], None],
    ) -> None:
        self.journal = journal
        self._now, self._on_adopted = now, on_adopted
        self.latest = self.adopted = session
        self.scene: Scene = session.view.scene
        self.session_due = session.next_due
        self._unwritten: deque[tuple[int, Session, Scene]] = deque()  # each with the step that must be on disk first
        self.latest_step = self._written_step = 0
        self._waiting_since = self._retry_at = 0.0
        self._remarked_at = -inf

    def replace_session(self, session: Session) -> None:
        """Continue with another session of the same game without writing it to disk."""
        self._unwritten.clear()
        self.latest, self.session_due = session, session.next_due
        self._adopt(session, session.view.scene)

    def commit(self, session: Session) -> None:
        """Write the step that led to a session, and adopt the session once the step is on disk.

        The scene is computed first. If that fails, the step is neither written nor adopted.
        """
        before = self.latest
        scene, due = session.view.scene, session.next_due
        step = self.journal.record_step(session) if self.journal else None
        self.latest, self.session_due = session, due
        if step is not None:
            if not self._unwritten:
                self._waiting_since = self._now()
            self.latest_step = step
        if self.adopted.unsaved_reason:
            self._written_step = self.latest_step  # the players already know that the game is not saved
        self._unwritten.append((self.latest_step, session, scene))
        self._adopt_written()
        if session.trouble and session.trouble != before.trouble:
            self.write_remark(get_catalogue().text(session.trouble))

    @property
    def is_waiting(self) -> bool:
        """True while a step is waiting to be written to disk."""
        return bool(self._unwritten)

    def has_adopted(self, step: int) -> bool:
        """Return True if `adopted` includes the step with this number (see `latest_step`)."""
        return not self._unwritten or self._unwritten[0][0] > step

    @property
    def disk_due(self) -> float:
        """Time at which the disk counts as too slow. Infinite while no step is waiting."""
        return self._waiting_since + SLOW_WRITE_SECONDS if self._unwritten else inf

    def handle_progress(self, written: WriteProgress) -> None:
        """Adopt the steps that the journal has written, and report when write errors begin and end."""
        self._written_step = max(self._written_step, written.ticket)
        old_reason = self.latest.unsaved_reason
        try:
            if written.trouble or written.ticket >= self.latest_step:
                self._commit_saving_change(written.trouble)
        finally:
            self._adopt_written()
        if old_reason and not self.latest.unsaved_reason:
            self.write_remark(get_catalogue().text((old_reason, Message("saving.again"))))

    def check_disk(self) -> None:
        """Stop waiting for a disk that is too slow, and retry after write errors."""
        if self.journal is None:
            return
        if self._now() >= self.disk_due:
            self._written_step = self.latest_step
            try:
                self._commit_saving_change(Message("saving.slow"))
            finally:
                self._adopt_written()
        if self.adopted.unsaved_reason and self._now() >= self._retry_at:
            self._retry_at = self._now() + RETRY_SECONDS
            self.journal.retry_writing()

    def write_remark(self, remark: str) -> None:
        """Write a remark to the journal, unless the previous remark is too recent."""
        now = self._now()
        if self.journal and now >= self._remarked_at + REMARK_INTERVAL_SECONDS:
            self._remarked_at = now
            self.journal.write_remark(remark)

    def _commit_saving_change(self, trouble: Message | None) -> None:
        session = self.latest.after(SavingChanged(trouble, self._now()))
        if session is not self.latest:
            self.commit(session)

    def _adopt_written(self) -> None:
        while self._unwritten and self._unwritten[0][0] <= self._written_step:
            self._adopt(*self._unwritten.popleft()[1:])

    def _adopt(self, session: Session, scene: Scene) -> None:
        before, self.adopted, self.scene = self.adopted, session, scene
        self._on_adopted(before, session)
