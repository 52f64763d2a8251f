"""The program that thinks beside the board, in a process of its own: `python -m pond_hw.engine.worker`.

It reads questions from standard input and writes answers to standard output, a JSON object a line:

    {"question": 7, "mind": "level-3", "pond": "standard", "start": "...", "actions": ["@b2"], "seed": 5,
     "seconds": null, "least": 0, "ponder": false}
    {"question": 7, "action": "@c3"}

With `"look": {"depth": 60, "nodes": 0, "seconds": 2.0}` instead of a mind it says what there is to know:

    {"question": 8, "actions": ["@c3", ...], "values": [12, ...], "depth": 9, "nodes": 812345, "line": ["@c3", ...]}

With `"judge": {"depth": 60, "nodes": 100000, "seconds": null}` and `"taken": "@b2"` it says what there is to know of
that action, as `analysis.review_to_json` writes it.

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

from pond_hw.engine.analysis import review_move, review_to_json
from pond_hw.engine.engine_names import make_engine
from pond_hw.engine.engines import Engine, EngineGame
from pond_hw.engine.packed import pack_action, unpack_action
from pond_hw.engine.searcher import Searcher, SearchLimits, SearchResult
from pond_hw.rules import Action, Position, Record, Variant, parse_variant, play

_input_lines: SimpleQueue[bytes] = SimpleQueue()


def main() -> None:
    """Answer questions until there are no more to come."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the board, which then ends this too
    with suppress(OSError, AttributeError):
        os.nice(5)  # lamps and fingers come first
    Thread(target=_read_input, daemon=True).start()
    program = _WorkerProgram(float(sys.argv[1]))
    while True:
        question = json.loads(_input_lines.get())
        if "question" in question:
            program.answer_question(question)


def _read_input() -> None:
    for line in sys.stdin.buffer:
        _input_lines.put(line)
    os._exit(0)


def _should_stop() -> bool:
    return not _input_lines.empty()


def _write_answer(answer: Mapping[str, object]) -> None:
    print(json.dumps(answer), flush=True)


class _WorkerProgram:
    def __init__(self, megabytes: float) -> None:
        self._megabytes = megabytes
        self._minds: dict[tuple[str, float | None], Engine] = {}
        self._looker = Searcher(megabytes)

    def answer_question(self, question: Mapping[str, Any]) -> None:
        """Say what is asked for, or that it is not wanted any more."""
        start_instant, question_number = monotonic(), question["question"]
        record = record_from_json(question)
        game, pondering_engine = EngineGame.from_record(record), None
        if "judge" in question:
            taken_action = pack_action(Action.from_notation(question["taken"]), game.variant)
            answer_fields = review_to_json(
                review_move(self._looker, game, taken_action, SearchLimits(**question["judge"]), _should_stop)
            )
        elif "look" in question:
            answer_fields = search_result_to_json(
                self._looker.search_game(game, SearchLimits(**question["look"]), _should_stop), game.variant
            )
        else:
            engine = self._engine_named(question["mind"], question["seconds"])
            pondering_engine = engine if question["ponder"] else None
            action = engine.choose_action(game, Random(question["seed"]), _should_stop)
            answer_fields = {"action": str(unpack_action(action, game.variant))}
            while not _should_stop() and (seconds_left := start_instant + question["least"] - monotonic()) > 0:
                sleep(min(seconds_left, 0.02))
        if _should_stop():
            _write_answer({"question": question_number, "stopped": True})
            return
        _write_answer({"question": question_number, **answer_fields})
        if pondering_engine:
            pondering_engine.ponder(game.after_action(action), _should_stop)

    def _engine_named(self, engine_name: str, think_seconds: float | None) -> Engine:
        if (engine_name, think_seconds) not in self._minds:
            self._minds = {(engine_name, think_seconds): make_engine(engine_name, self._megabytes, think_seconds)}
        return self._minds[engine_name, think_seconds]


def record_from_json(question: Mapping[str, Any]) -> Record:
    """The game that a question tells."""
    variant = parse_variant(question["pond"])
    start = position = Position.from_notation(question["start"], variant)
    turns = []
    for action in question["actions"]:
        turns.append(play(position, Action.from_notation(action)))
        position = turns[-1].after
    return Record(variant, tuple(turns), custom_start=start)


def search_result_to_json(search_result: SearchResult, variant: Variant) -> dict[str, object]:
    """A thought, as answers tell it."""
    return {
        "actions": [str(unpack_action(action, variant)) for action in search_result.actions],
        "values": list(search_result.values),
        "depth": search_result.depth,
        "nodes": search_result.nodes,
        "line": [str(unpack_action(action, variant)) for action in search_result.best_line],
    }


if __name__ == "__main__":
    main()
