"""What has failed in the program: how it is told, how often, and when it is tried again."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import NamedTuple

FAILURE_SHOWN_SECONDS = 3.0
"""How long the board shows trouble after something has failed in the program."""

FORGET_FAILURE_SECONDS = 3600.0
"""A failure that has not come back for so long counts as a new one."""

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.25, 8.0
"""After how many seconds something that failed is tried again; the pause doubles each time."""

_PACKAGE_FOLDER = Path(__file__).parent.parent


class _RetryPause(NamedTuple):
    """Something that failed is not tried again before an instant."""

    until: float
    seconds: float


class _FailureCount(NamedTuple):
    """How often something has failed at the same place, and when last."""

    failure_count: int
    last_instant: float


class FailureLog:
    """Counts what fails, and how long each job that failed has to wait.

    Attributes:
        failure_count: how many times something has failed.
        last_failure: the sentence about the last time; "" if there was none.
    """

    def __init__(self) -> None:
        self.failure_count, self.last_failure = 0, ""
        self._failure_counts: dict[str, _FailureCount] = {}  # by what was said of it
        self._retry_pauses: dict[str, _RetryPause] = {}  # by the name of the job

    def count_failure(self, error: Exception, now: float) -> str | None:
        """Count an error.

        Returns:
            What is to be told of it: the first, second, fourth, eighth time at the same place and so on; else None.
        """
        sentence = self.last_failure = format_failure(error)
        earlier = self._failure_counts.get(sentence)
        repeats = earlier.failure_count + 1 if earlier and now < earlier.last_instant + FORGET_FAILURE_SECONDS else 1
        self._failure_counts[sentence] = _FailureCount(repeats, now)
        self.failure_count += 1
        if repeats & (repeats - 1):
            return None
        return f"{sentence} It has happened {repeats} times." if repeats > 1 else sentence

    @property
    def is_pausing(self) -> bool:
        """Whether a job waits to be tried again."""
        return bool(self._retry_pauses)

    def has_to_wait(self, job: str, now: float) -> bool:
        """Whether a job failed so lately that it is not tried again yet."""
        return job in self._retry_pauses and now < self._retry_pauses[job].until

    def end_pause(self, job: str) -> None:
        """The job has not failed this time."""
        self._retry_pauses.pop(job, None)

    def prolong_pause(self, job: str, now: float) -> None:
        """The job has failed, once more perhaps: it waits twice as long as the last time."""
        pause = self._retry_pauses.get(job)
        seconds = min(2 * pause.seconds, LONGEST_PAUSE_SECONDS) if pause else FIRST_PAUSE_SECONDS
        self._retry_pauses[job] = _RetryPause(now + seconds, seconds)


def format_failure(error: Exception) -> str:
    """A sentence that says what has failed and where: `... (KeyError in session/occupancy_messages.py, line 148).`."""
    frames = traceback.extract_tb(error.__traceback__)
    own_frames = [frame for frame in frames if _PACKAGE_FOLDER in Path(frame.filename).parents] or frames
    failing_frame = own_frames[-1]
    path = Path(failing_frame.filename)
    file_name = path.relative_to(_PACKAGE_FOLDER).as_posix() if _PACKAGE_FOLDER in path.parents else path.name
    return f"Something went wrong inside Pond ({type(error).__name__} in {file_name}, line {failing_frame.lineno})."
