"""Process for engines and searches: `python -m pond_hw.engine.worker_process`.

It reads questions from standard input and writes answers to standard output, one per line; see `worker`. Each engine
question also has `"least"`, the minimum time in seconds, and `"ponder"`, which is true to think on after the answer.

Any other line, such as `{"stop": true}`, aborts the current question; the answer is `{"question": 7, "stopped": true}`.
The process exits when its input is closed, so that it cannot outlive its parent.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from time import monotonic, sleep
from typing import Any

from pond_hw.engine.worker import answer_question, ponder_answer

_input_lines: SimpleQueue[bytes] = SimpleQueue()


def main() -> None:
    """Answer questions until standard input is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C and stops this process
    with suppress(OSError, AttributeError):
        os.nice(5)  # lower priority than lamps and sensors
    Thread(target=_read_input, daemon=True).start()
    while True:
        question = json.loads(_input_lines.get())
        if "question" in question:
            _handle_question(question)


def _read_input() -> None:
    for line in sys.stdin.buffer:
        _input_lines.put(line)
    os._exit(0)


def _should_stop() -> bool:
    return not _input_lines.empty()


def _handle_question(question: Mapping[str, Any]) -> None:
    end_instant = monotonic() + question.get("least", 0.0)
    answer = answer_question(question, _should_stop)
    while not _should_stop() and (seconds_left := end_instant - monotonic()) > 0:
        sleep(min(seconds_left, 0.02))
    if is_stopped := _should_stop():
        answer = {"question": question["question"], "stopped": True}
    print(json.dumps(answer), flush=True)
    if question.get("ponder") and not is_stopped:
        ponder_answer(question, answer, _should_stop)


if __name__ == "__main__":
    main()
