"""What the actions of a game were worth, found out beside whoever shows it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue

from pond_hw.engine.analysis import MEGABYTES, Judged, from_told
from pond_hw.engine.searcher import Limits
from pond_hw.engine.worker_process import Answer, Thinker, asked
from pond_hw.rules import Record


class Review:
    """Judges the actions of a game one after the other, in a process of its own. Nothing here waits for it.

    Args:
        record: of the game.
        bounds: how far each position is looked ahead.
        thinker: makes the process.

    Attributes:
        record: of the game.
        judged: what is known of actions, by how many came before.
        failed: whether no process could be had.
    """

    def __init__(
        self, record: Record, bounds: Limits, thinker: Callable[[], Thinker] = lambda: Thinker(MEGABYTES)
    ) -> None:
        self.record = record
        self.judged: dict[int, Judged] = {}
        self.failed = False
        self._bounds, self._make = bounds, thinker
        self._thinker: Thinker | None = None
        self._heard: SimpleQueue[tuple[int, Answer | None]] = SimpleQueue()

    @property
    def running(self) -> bool:
        """Whether there is more to come."""
        return self._thinker is not None

    @property
    def done(self) -> bool:
        """Whether every action is judged."""
        return len(self.judged) == len(self.record.turns)

    def begin(self) -> None:
        """Begin, or go on after `close`."""
        self.failed = False
        if self._thinker is None and not self.done:
            self._thinker = self._make()
            self._ask()

    def hear(self) -> None:
        """Take in what has been found out, and ask about the next action."""
        with suppress(Empty):
            while True:
                n, answer = self._heard.get_nowait()
                if n != len(self.judged) or self._thinker is None:
                    continue  # an answer to a question that was left
                if answer is None:
                    self.failed = True
                    self.close()
                    return
                self.judged[n] = from_told(answer)
                self._ask()

    def close(self) -> None:
        """Leave nothing that thinks; what is known stays."""
        thinker, self._thinker = self._thinker, None
        if thinker:
            thinker.close()

    def _ask(self) -> None:
        record, n = self.record, len(self.judged)
        if self._thinker is None:
            return
        if self.done:
            self.close()
            return
        before = Record(record.pond, record.turns[:n], start=record.start)
        question = {**asked(before), "judge": self._bounds._asdict(), "taken": str(record.turns[n].action)}
        heard = self._heard
        self._thinker.ask(question, lambda answer: heard.put((n, answer)))
