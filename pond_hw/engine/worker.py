"""The program that thinks beside the board, in a process of its own: `python -m pond_hw.engine.worker`.

It reads questions from standard input and writes answers to standard output, a JSON object a line:

    {"question": 7, "mind": "level-3", "pond": "standard", "start": "...", "actions": ["@b2"], "seed": 5,
     "seconds": null, "least": 0, "ponder": false}
    {"question": 7, "action": "@c3"}

With `"look": {"depth": 60, "nodes": 0, "seconds": 2.0}` instead of a mind it says what there is to know:

    {"question": 8, "actions": ["@c3", ...], "values": [12, ...], "depth": 9, "nodes": 812345, "line": ["@c3", ...]}

With `"judge": {"depth": 60, "nodes": 100000, "seconds": null}` and `"taken": "@b2"` it says what there is to know of
that action, as `analysis.as_told` writes it.

Any further line, such as `{"stop": true}`, ends the thought that it is at; `{"question": 7, "stopped": true}` says so.
It ends itself when its input does, whatever it is doing, so that nothing is left behind when the board goes.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from queue import SimpleQueue
from random import Random
from threading import Thread
from time import monotonic, sleep
from typing import Any

from pond_hw.engine.analysis import as_told, judge
from pond_hw.engine.engine_names import mind
from pond_hw.engine.engines import Game, Mind
from pond_hw.engine.packed import to_action, to_number
from pond_hw.engine.searcher import Limits, Looker, Thought
from pond_hw.rules import Action, Position, Record, Variant, play, variant

_lines: SimpleQueue[bytes] = SimpleQueue()


def main() -> None:
    """Answer questions until there are no more to come."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the board, which then ends this too
    with suppress(OSError, AttributeError):
        os.nice(5)  # lamps and fingers come first
    Thread(target=_read, daemon=True).start()
    program = _Program(float(sys.argv[1]))
    while True:
        question = json.loads(_lines.get())
        if "question" in question:
            program.answer(question)


def _read() -> None:
    for line in sys.stdin.buffer:
        _lines.put(line)
    os._exit(0)


def _stop() -> bool:
    return not _lines.empty()


def _say(answer: Mapping[str, object]) -> None:
    print(json.dumps(answer), flush=True)


class _Program:
    def __init__(self, megabytes: float) -> None:
        self._megabytes = megabytes
        self._minds: dict[tuple[str, float | None], Mind] = {}
        self._looker = Looker(megabytes)

    def answer(self, question: Mapping[str, Any]) -> None:
        """Say what is asked for, or that it is not wanted any more."""
        begun, number = monotonic(), question["question"]
        record = record_of(question)
        game, ponders = Game.of(record), None
        if "judge" in question:
            taken = to_number(Action.read(question["taken"]), game.pond)
            said = as_told(judge(self._looker, game, taken, Limits(**question["judge"]), _stop))
        elif "look" in question:
            said = told(self._looker.look(game, Limits(**question["look"]), _stop), game.pond)
        else:
            thinker = self._mind(question["mind"], question["seconds"])
            ponders = thinker if question["ponder"] else None
            action = thinker.choose(game, Random(question["seed"]), _stop)
            said = {"action": str(to_action(action, game.pond))}
            while not _stop() and (left := begun + question["least"] - monotonic()) > 0:
                sleep(min(left, 0.02))
        if _stop():
            _say({"question": number, "stopped": True})
            return
        _say({"question": number, **said})
        if ponders:
            ponders.ponder(game.after(action), _stop)

    def _mind(self, name: str, seconds: float | None) -> Mind:
        if (name, seconds) not in self._minds:
            self._minds = {(name, seconds): mind(name, self._megabytes, seconds)}
        return self._minds[name, seconds]


def record_of(question: Mapping[str, Any]) -> Record:
    """The game that a question tells."""
    pond = variant(question["pond"])
    start = position = Position.read(question["start"], pond)
    turns = []
    for action in question["actions"]:
        turns.append(play(position, Action.read(action)))
        position = turns[-1].after
    return Record(pond, tuple(turns), start=start)


def told(thought: Thought, pond: Variant) -> dict[str, object]:
    """A thought, as answers tell it."""
    return {
        "actions": [str(to_action(action, pond)) for action in thought.actions],
        "values": list(thought.values),
        "depth": thought.depth,
        "nodes": thought.nodes,
        "line": [str(to_action(action, pond)) for action in thought.line],
    }


if __name__ == "__main__":
    main()
