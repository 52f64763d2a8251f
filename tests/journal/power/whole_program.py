"""Kills of the whole program: `pond headless --journal` plays a game and is killed at every call.

Each output line shows the player a state. After a kill, the restarted game must be in the state of the last line or one
request further, and it must be possible to continue it.
"""

import json
import os
import sys
from itertools import count
from pathlib import Path
from random import Random

from pond_hw.rules import STANDARD, VARIANTS, Position, find_outcome, legal_actions, play
from pond_hw.server.headless import HeadlessGame
from tests.journal.power.campaign import ROOT, Results
from tests.journal.power.check import Bench, read_files, write_files
from tests.journal.power.tracer import Traced

JOURNAL = "games"


def game_requests(seed):
    """Yield the requests of a whole game with undo and redo, and of a few turns of the next."""
    rng = Random(f"whole {seed}")
    pond = rng.choice([STANDARD, VARIANTS["mini"], VARIANTS["small-11"]])
    yield {"command": "new", "variant": pond.name}
    for most in (500, 3):
        position, before, undone = Position.start(pond), [], []
        for _ in range(most):
            if find_outcome(position):
                break
            what = rng.random()
            if before and what < 0.06:
                undone.append(position)
                position = before.pop()
                yield {"command": "undo"}
            elif undone and what < 0.5:
                before.append(position)
                position = undone.pop()
                yield {"command": "redo"}
            else:
                action = rng.choice(legal_actions(position))
                before.append(position)
                position, undone = play(position, action).after, []
                yield {"command": "action", "action": str(action)}
        yield {"command": "new", "variant": pond.name}


def kill_whole_program(seed, folder, every=1):
    """Kill the program at every call, or at every nth one, while it plays in `folder`; n is `every`."""
    results, points, said, reports, root = Results(), [], [], [], Path(folder, "played")
    numbers = count()
    root.mkdir()
    command = [sys.executable, "-m", "pond_hw", "headless", "--journal", str(root / JOURNAL)]
    environment = {**os.environ, "PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "1"}

    def before(*_):
        if next(numbers) % every == 0:
            points.append((len(said), read_files(root)))

    def is_complete(part):
        """Return True if the line is complete. A line may be written in parts."""
        reports.append(part)
        if part.endswith("\n"):
            said.append(json.loads("".join(reports)))
            reports.clear()
        return not reports

    with Traced(command, root, environment, ROOT) as traced:
        traced.run(before, is_complete)
        for options in game_requests(seed):
            traced.send(options)
            traced.run(before, is_complete)
        traced.hang_up()
        traced.run(before)
        assert traced.status == 0, traced.complaint
    nothing = {"position": Position.start(STANDARD).notation_line, "outcome": None, "last": None}
    shown = [nothing, *said[1:]]  # the first line of output is hello
    place = Path(folder, "after")
    place.mkdir()
    bench = Bench(place)
    for lines, files in points:
        results.counts["points"] += 1
        confirmed = max(0, lines - 1)
        if fault := _restart(bench, files, shown[confirmed : confirmed + 2]):
            results.faults.append(f"game {seed}, killed after line {lines}: {fault}")
    results.counts["games"] += 1
    results.counts["lines"] += len(said)
    return results


def _restart(bench, files, allowed):
    """Restart the program on these files and check that it shows one of these states. Return the fault, or None."""
    there = bench.place()
    write_files(there, files)
    game = HeadlessGame(STANDARD, folder=Path(there, JOURNAL))
    try:
        session = game.companion.session
        if session.unsaved_reason:
            return session.unsaved_reason
        lines = [state["position"] for state in allowed]
        if session.game_phase != "resume":
            over = any(state["outcome"] or not state["last"] for state in allowed)
            return None if over else f"nothing is offered, and it stood at {lines}"
        if session.position.notation_line not in lines:
            return f"it stands at {session.position.notation_line}, and stood at {lines}"
        turns = len(session.turns)
        (state,) = game.answer_line(b'{"command":"resume"}')
        action = json.loads(state)["legal"][0]
        (state,) = game.answer_line(json.dumps({"command": "action", "action": action}).encode())
        answer = json.loads(state)
        if len(game.companion.session.turns) != turns + 1 or "unsaved" in answer:
            return f"it cannot be continued: {answer['message']}"
        return None
    finally:
        game.companion.close()
