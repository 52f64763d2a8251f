"""Error barrier, which keeps the game running when a job raises an exception."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from pathlib import Path

from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message

LOGGER = logging.getLogger("pond")

FAILURE_SHOWN_SECONDS = 3.0
"""Seconds for which the board signals an internal error."""

FORGET_FAILURE_SECONDS = 3600.0
"""Seconds without a failure after which the same failure counts as new."""

FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.25, 8.0
"""Pauses before a failed job is retried. The pause doubles with each failure, up to the maximum."""

_PACKAGE_FOLDER = Path(__file__).parent.parent


class ErrorBarrier:
    """Runs jobs and catches their exceptions. No other code in the thread of the loop catches `Exception`.

    When the same failure repeats, only the first, second, fourth, eighth and so on are logged and reported.

    Args:
        now: clock in seconds.
        report: called with the description of a failure after it has been logged.

    Attributes:
        failure_count: number of failures so far.
        last_failure: message about the last failure, or None.
        trouble: message for the players while the board signals a failure, or None.
        trouble_until: time until which the board signals the failure.
    """

    def __init__(self, now: Callable[[], float], report: Callable[[str], None]) -> None:
        self._now, self._report = now, report
        self.failure_count = 0
        self.last_failure: Message | None = None
        self.trouble: Message | None = None
        self.trouble_until = 0.0
        self._earlier_failures: dict[Message, tuple[int, float]] = {}  # count and last time
        self._retry_pauses: dict[str, tuple[float, float]] = {}  # by job name: end and length of the pause

    def run(self, job: Callable[..., object], *arguments: object) -> bool:
        """Run a job. Return False if it failed, in which case `last_failure` describes the error."""
        try:
            job(*arguments)
        except Exception as error:  # noqa: BLE001 - whatever it is, the game goes on
            self._handle_failure(error)
            return False
        return True

    def run_repeated(self, job: Callable[..., object], *arguments: object) -> None:
        """Run a recurring job, unless it is pausing after a failure."""
        name, now = job.__name__, self._now()
        until, last_seconds = self._retry_pauses.get(name, (now, FIRST_PAUSE_SECONDS / 2))
        if now < until:
            return
        if self.run(job, *arguments):
            self._retry_pauses.pop(name, None)
        else:
            seconds = min(2 * last_seconds, MAX_PAUSE_SECONDS)
            self._retry_pauses[name] = now + seconds, seconds

    @property
    def is_pausing(self) -> bool:
        """True while a failed job is waiting for its next attempt."""
        return bool(self._retry_pauses)

    def _handle_failure(self, error: Exception) -> None:
        now = self._now()
        repeats = self._count_failure(error, now)
        if repeats & (repeats - 1):
            return
        failure = describe_failure(error)
        messages = (failure, Message("failure.repeated", times=repeats)) if repeats > 1 else (failure,)
        failure_text = get_catalogue().text(messages)
        LOGGER.error("%s", failure_text, exc_info=error)
        self.trouble, self.trouble_until = Message("failure.trouble", failure=failure), now + FAILURE_SHOWN_SECONDS
        try:
            self._report(failure_text)
        except Exception:
            LOGGER.exception("The game does not know of it; only the lamps show it.")

    def _count_failure(self, error: Exception, now: float) -> int:
        """Count a failure. Return how many times it has occurred without a long break."""
        failure = self.last_failure = describe_failure(error)
        earlier_count, last_instant = self._earlier_failures.get(failure, (0, now))
        repeats = earlier_count + 1 if now < last_instant + FORGET_FAILURE_SECONDS else 1
        self._earlier_failures[failure] = repeats, now
        self.failure_count += 1
        return repeats


def describe_failure(error: Exception) -> Message:
    """Describe an exception by its class and the file and line of the innermost stack frame in this package."""
    frames = traceback.extract_tb(error.__traceback__)
    own_frames = [frame for frame in frames if _PACKAGE_FOLDER in Path(frame.filename).parents] or frames
    failing_frame = own_frames[-1]
    path = Path(failing_frame.filename)
    file_name = path.relative_to(_PACKAGE_FOLDER).as_posix() if _PACKAGE_FOLDER in path.parents else path.name
    return Message("failure.inside", error=type(error).__name__, file=file_name, line=failing_frame.lineno or 0)
