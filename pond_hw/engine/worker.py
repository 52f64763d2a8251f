"""Answers to questions for engines and searches.

A question is a JSON object, and so is its answer:

    {"question": 7, "megabytes": 32, "engine": "level-3", "seconds": null, "seed": "5 1",
     "pond": "standard", "start": "...", "actions": ["@b2"]}
    {"question": 7, "action": "@c3"}

A question with `"look": {"depth": 60, "nodes": 0, "seconds": 2.0}` instead of an engine requests a search result:

    {"question": 8, "actions": ["@c3", ...], "values": [12, ...], "depth": 9, "nodes": 812345, "line": ["@c3", ...]}

A question with `"judge": {"depth": 60, "nodes": 100000, "seconds": null}` and `"taken": "@b2"` requests a review of
that action. The answer has the format of `analysis.review_to_json`.

A question with a number only, such as `{"question": 9}`, is answered with the same object.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from random import Random
from typing import Any

from pond_hw.engine.analysis import play_actions, review_move, review_to_json
from pond_hw.engine.engine_names import make_engine
from pond_hw.engine.engines import Engine, EngineGame
from pond_hw.engine.packed import pack_action, unpack_action, unpack_actions
from pond_hw.engine.searcher import Searcher, SearchLimits
from pond_hw.rules import Action, Position, Record, parse_variant

_make_engine = lru_cache(maxsize=1)(make_engine)  # keeps its table between questions
_make_searcher = lru_cache(maxsize=1)(Searcher)


def answer_line(text: str) -> str:
    """Answer a question, given and returned as JSON. Return when the answer is complete."""
    return json.dumps(answer_question(json.loads(text)))


def answer_question(question: Mapping[str, Any], should_stop: Callable[[], bool] = bool) -> Mapping[str, Any]:
    """Answer a question. If `should_stop` has returned True, the answer is unusable."""
    answer_fields: Mapping[str, object] = {}
    if "judge" in question:
        game = EngineGame.from_record(record_from_json(question))
        taken_action = pack_action(Action.from_notation(question["taken"]), game.variant)
        searcher, search_limits = _make_searcher(question["megabytes"]), SearchLimits(**question["judge"])
        answer_fields = review_to_json(review_move(searcher, game, taken_action, search_limits, should_stop))
    elif "look" in question:
        game = EngineGame.from_record(record_from_json(question))
        searcher, search_limits = _make_searcher(question["megabytes"]), SearchLimits(**question["look"])
        actions, values, depth, nodes, line = searcher.search_game(game, search_limits, should_stop)
        action_texts, line_texts = ([*map(str, unpack_actions(each, game.variant))] for each in (actions, line))
        answer_fields = {"actions": action_texts, "values": values, "depth": depth, "nodes": nodes, "line": line_texts}
    elif "engine" in question:
        game = EngineGame.from_record(record_from_json(question))
        action = _find_engine(question).choose_action(game, Random(question["seed"]), should_stop)
        answer_fields = {"action": str(unpack_action(action, game.variant))}
    return {"question": question["question"], **answer_fields}


def ponder_answer(question: Mapping[str, Any], answer: Mapping[str, Any], should_stop: Callable[[], bool]) -> None:
    """Let the engine think during the opponent's turn, after its answer."""
    game = EngineGame.from_record(record_from_json(question))
    action = pack_action(Action.from_notation(answer["action"]), game.variant)
    _find_engine(question).ponder(game.after_action(action), should_stop)


def record_from_json(question: Mapping[str, Any]) -> Record:
    variant = parse_variant(question["pond"])
    start = Position.from_notation(question["start"], variant)
    turns = play_actions(start, map(Action.from_notation, question["actions"]))
    return Record(variant, tuple(turns), custom_start=start)


def _find_engine(question: Mapping[str, Any]) -> Engine:
    return _make_engine(question["engine"], question["megabytes"], question["seconds"])
