"""What has failed in the program: what is said about it, how often, and when it is tried again."""

from __future__ import annotations

import traceback
from pathlib import Path

from pond_hw.messages.message import Message

FAILURE_SHOWN_SECONDS = 3.0
"""How long the board shows trouble after something has failed in the program."""

FORGET_FAILURE_SECONDS = 3600.0
"""A failure that has not come back for so long counts as a new one."""

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.25, 8.0
"""After how many seconds something that failed is tried again; the pause doubles each time."""

_PACKAGE_FOLDER = Path(__file__).parent.parent


class FailureLog:
    """Counts what fails, and how long each job that failed has to wait.

    Attributes:
        failure_count: how many times something has failed.
        last_failure: the message about the last time; None if there was none.
    """

    def __init__(self) -> None:
        self.failure_count = 0
        self.last_failure: Message | None = None
        self._earlier_failures: dict[Message, tuple[int, float]] = {}  # how often, and when last
        self._retry_pauses: dict[str, tuple[float, float]] = {}  # by the name of the job: until when, how many seconds

    def count_failure(self, error: Exception, now: float) -> tuple[Message, ...]:
        """Count an error.

        Returns:
            What to say about it: the first, second, fourth, eighth time at the same place and so on; else nothing.
        """
        failure = self.last_failure = describe_failure(error)
        earlier_count, last_instant = self._earlier_failures.get(failure, (0, now))
        repeats = earlier_count + 1 if now < last_instant + FORGET_FAILURE_SECONDS else 1
        self._earlier_failures[failure] = repeats, now
        self.failure_count += 1
        if repeats & (repeats - 1):
            return ()
        return (failure, Message("failure.repeated", times=repeats)) if repeats > 1 else (failure,)

    @property
    def is_pausing(self) -> bool:
        """Whether a job waits to be tried again."""
        return bool(self._retry_pauses)

    def has_to_wait(self, job: str, now: float) -> bool:
        """Whether a job failed so lately that it is not tried again yet."""
        return job in self._retry_pauses and now < self._retry_pauses[job][0]

    def end_pause(self, job: str) -> None:
        """The job has not failed this time."""
        self._retry_pauses.pop(job, None)

    def prolong_pause(self, job: str, now: float) -> None:
        """The job has failed, once more perhaps: it waits twice as long as the last time."""
        _, last_seconds = self._retry_pauses.get(job, (now, FIRST_PAUSE_SECONDS / 2))
        seconds = min(2 * last_seconds, LONGEST_PAUSE_SECONDS)
        self._retry_pauses[job] = now + seconds, seconds


def describe_failure(error: Exception) -> Message:
    """What has failed, and where: the error's class, the file in this package and the line."""
    frames = traceback.extract_tb(error.__traceback__)
    own_frames = [frame for frame in frames if _PACKAGE_FOLDER in Path(frame.filename).parents] or frames
    failing_frame = own_frames[-1]
    path = Path(failing_frame.filename)
    file_name = path.relative_to(_PACKAGE_FOLDER).as_posix() if _PACKAGE_FOLDER in path.parents else path.name
    return Message("failure.inside", error=type(error).__name__, file=file_name, line=failing_frame.lineno or 0)
