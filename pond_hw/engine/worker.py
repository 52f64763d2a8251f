"""Process for engines and searches: `python -m pond_hw.engine.worker MEGABYTES`.

It reads questions from standard input and writes answers to standard output, one JSON object per line:

    {"question": 7, "engine": "level-3", "pond": "standard", "start": "...", "actions": ["@b2"], "seed": 5,
     "seconds": null, "least": 0, "ponder": false}
    {"question": 7, "action": "@c3"}

A question with `"look": {"depth": 60, "nodes": 0, "seconds": 2.0}` instead of an engine requests a search result:

    {"question": 8, "actions": ["@c3", ...], "values": [12, ...], "depth": 9, "nodes": 812345, "line": ["@c3", ...]}

A question with `"judge": {"depth": 60, "nodes": 100000, "seconds": null}` and `"taken": "@b2"` requests a review of
that action. The answer has the format of `analysis.review_to_json`.

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
from functools import lru_cache
from queue import SimpleQueue
from random import Random
from threading import Thread
from time import monotonic, sleep
from typing import Any

from pond_hw.engine.analysis import play_actions, review_move, review_to_json
from pond_hw.engine.engine_names import make_engine
from pond_hw.engine.engines import EngineGame
from pond_hw.engine.packed import pack_action, unpack_action, unpack_actions
from pond_hw.engine.searcher import Searcher, SearchLimits
from pond_hw.rules import Action, Position, Record, parse_variant

_input_lines: SimpleQueue[bytes] = SimpleQueue()

_make_engine = lru_cache(maxsize=1)(make_engine)  # keeps its table between questions


def main() -> None:
    """Answer questions until standard input is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C and stops this process
    with suppress(OSError, AttributeError):
        os.nice(5)  # lower priority than lamps and sensors
    Thread(target=_read_input, daemon=True).start()
    searcher = Searcher(float(sys.argv[1]))
    while True:
        question = json.loads(_input_lines.get())
        if "question" in question:
            _answer_question(question, searcher)


def _read_input() -> None:
    for line in sys.stdin.buffer:
        _input_lines.put(line)
    os._exit(0)


def _should_stop() -> bool:
    return not _input_lines.empty()


def _answer_question(request: Mapping[str, Any], searcher: Searcher) -> None:
    start_instant, record = monotonic(), record_from_json(request)
    game, pondering_engine = EngineGame.from_record(record), None
    answer_fields: Mapping[str, object]
    if "judge" in request:
        taken_action = pack_action(Action.from_notation(request["taken"]), game.variant)
        search_limits = SearchLimits(**request["judge"])
        answer_fields = review_to_json(review_move(searcher, game, taken_action, search_limits, _should_stop))
    elif "look" in request:
        actions, values, depth, nodes, line = searcher.search_game(game, SearchLimits(**request["look"]), _should_stop)
        action_texts, line_texts = ([*map(str, unpack_actions(each, game.variant))] for each in (actions, line))
        answer_fields = {"actions": action_texts, "values": values, "depth": depth, "nodes": nodes, "line": line_texts}
    else:
        engine = _make_engine(request["engine"], float(sys.argv[1]), request["seconds"])
        pondering_engine = engine if request["ponder"] else None
        action = engine.choose_action(game, Random(request["seed"]), _should_stop)
        answer_fields = {"action": str(unpack_action(action, game.variant))}
        while not _should_stop() and (seconds_left := start_instant + request["least"] - monotonic()) > 0:
            sleep(min(seconds_left, 0.02))
    if is_stopped := _should_stop():
        answer_fields = {"stopped": True}
    print(json.dumps({"question": request["question"], **answer_fields}), flush=True)
    if pondering_engine and not is_stopped:
        pondering_engine.ponder(game.after_action(action), _should_stop)


def record_from_json(request: Mapping[str, Any]) -> Record:
    variant = parse_variant(request["pond"])
    start = Position.from_notation(request["start"], variant)
    turns = play_actions(start, map(Action.from_notation, request["actions"]))
    return Record(variant, tuple(turns), custom_start=start)


if __name__ == "__main__":
    main()
