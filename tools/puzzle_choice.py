"""Choose and grade the shipped puzzles, and measure which levels solve them.

    python -m tools.puzzle_choice found.jsonl --out pond_hw/puzzles/puzzles.jsonl

The same input gives the same choice. After changing the levels, measure the shipped puzzles again:

    python -m tools.puzzle_choice --measure pond_hw/puzzles/puzzles.jsonl
"""

from __future__ import annotations

import argparse
import json
import sys
from bisect import bisect
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from pond_hw.engine.engines import EngineGame
from pond_hw.engine.levels import ENGINE_LEVELS, LevelEngine
from pond_hw.engine.packed import pack_action, pack_position, packed_rules
from pond_hw.engine.prover import Prover
from pond_hw.puzzles.puzzle import Puzzle, puzzle_from_json
from pond_hw.puzzles.solving import judge_action
from pond_hw.rules import Action, Position, legal_actions, parse_variant

GRADE_DEPTHS = (3, 4, 6)
"""Minimum search depths for grades 3, 4 and 5. Shallower puzzles with tempting wrong actions get grade 2."""

MAX_PER_GRADE = 90
"""Maximum number of puzzles per grade."""

MAX_PER_KIND = 45
"""Maximum number of puzzles per grade and kind."""

MAX_PER_VARIANT = 24
"""Maximum number of puzzles per grade and variant."""

MAX_PER_GAME = 2
"""Maximum number of puzzles from one game, because positions in the same game are similar."""

TRIES = (20, 20, 20, 20, 10, 10, 10, 10, 6, 6, 2, 1)
"""Number of attempts for each level. Stronger levels need fewer because they are less random."""

ENGINE_SECONDS = 3600.0
"""Time limit in seconds. It is never reached, so results do not depend on the clock."""


def grade_puzzle(depth: int, tempting: int) -> int:
    """Return the grade of a puzzle, 1 to 5, from its search depth and the number of tempting wrong actions.

    If there are no tempting actions, the answer looks best by far, and the grade is 1.
    """
    return 2 + bisect(GRADE_DEPTHS, depth) if tempting else 1


def choose_puzzles(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the puzzles to ship with their grades, easiest first."""
    Random("choice").shuffle(found)
    counts, chosen = Counter[tuple[Any, ...]](), list[dict[str, Any]]()
    # The deepest puzzles are the rarest, so prefer them if a game has several.
    for each in sorted(found, key=lambda each: -each["depth"]):
        grade = grade_puzzle(each["depth"], each["tempting"])
        limits = {
            (grade,): MAX_PER_GRADE,
            (grade, each["kind"]): MAX_PER_KIND,
            (grade, each["variant"], ""): MAX_PER_VARIANT,
            (each["game"], "", ""): MAX_PER_GAME,
        }
        if all(counts[key] < limit for key, limit in limits.items()):
            counts.update(limits.keys())
            chosen.append(each | {"grade": grade})
    kinds = ("score", "win", "save", "only")
    return sorted(
        chosen, key=lambda each: (each["grade"], kinds.index(each["kind"]), each["actions"], each["position"])
    )


def measure_levels(puzzle: dict[str, Any]) -> list[int]:
    """Return the percentage of correct answers for each level, weakest first."""
    variant = parse_variant(puzzle["variant"])
    position = pack_position(Position.from_notation(puzzle["position"], variant))
    answer = pack_action(Action.from_notation(puzzle["answer"]), variant)
    game, shares = EngineGame(variant, packed_rules(variant), position, ()), list[int]()
    for level, tries in zip(ENGINE_LEVELS, TRIES, strict=True):
        engine = LevelEngine(level, 16, ENGINE_SECONDS)
        rng = Random(f"{level.name} {puzzle['position']}")
        correct_count = sum(engine.choose_action(game, rng, bool) == answer for _ in range(tries))
        shares.append(round(100 * correct_count / tries))
    return shares


def find_refutations(puzzle: Puzzle) -> str:
    """Return the replies that refute wrong actions, in the format of `ExerciseStep`."""
    prover, position = Prover(puzzle.variant), puzzle.position
    answers = {
        action: judge_action(prover, puzzle, position, action, puzzle.actions).reply
        for action in legal_actions(position)
        if action != puzzle.answer
    }
    return " ".join(f"{action}:{answer}" for action, answer in answers.items() if answer)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tools.puzzle_choice", description="Choose and grade the shipped puzzles."
    )
    parser.add_argument("found", type=Path, help="the output of puzzle_finder; with --measure, the shipped puzzles")
    parser.add_argument("--out", type=Path, help="the file to write")
    parser.add_argument(
        "--measure", action="store_true", help="only measure the levels again, and update the input file"
    )
    options = parser.parse_args()
    if not options.measure and options.out is None:
        parser.error("Name a file to write: --out FILE.")
    puzzles = [json.loads(line) for line in options.found.read_text(encoding="utf-8").splitlines()]
    if not options.measure:
        puzzles = choose_puzzles(puzzles)
    for count, puzzle in enumerate(puzzles, start=1):
        puzzle["levels"] = measure_levels(puzzle)
        if count % 20 == 0:
            print(count, "of", len(puzzles), file=sys.stderr, flush=True)
    if not options.measure:
        # If the strongest level does not play the answer, scoring may not be the best action.
        puzzles = [puzzle for puzzle in puzzles if puzzle["levels"][-1] or puzzle["kind"] != "score"]
        puzzles = [{"number": number} | puzzle for number, puzzle in enumerate(puzzles, start=1)]
    for puzzle in puzzles:
        puzzle["refutations"] = find_refutations(puzzle_from_json(puzzle))
    lines = (json.dumps({key: value for key, value in puzzle.items() if key != "game"}) for puzzle in puzzles)
    (options.found if options.measure else options.out).write_text(
        "".join(f"{line}\n" for line in lines), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
