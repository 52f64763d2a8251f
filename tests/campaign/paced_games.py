"""Whole games with pieces at a fixed pace, played by people who never wait for the board.

    python -m tests.campaign.paced_games                                         the 20 recorded games, every way and pace
    python -m tests.campaign.paced_games --ways tidy --paces 3 --turning no --game 4     one game, with its log
    python -m tests.campaign.paced_games --random 50 --seed 7 --variant mini     other games

All hand movements are planned from the rules before the game (`plan_touches`). A game is right if it ends with the
recorded turns and board and game agree.
"""

import argparse
import json
import subprocess
import sys
from collections import namedtuple
from functools import partial
from itertools import pairwise, product, zip_longest
from math import inf
from pathlib import Path
from random import Random
from statistics import quantiles
from time import perf_counter

from pond_hw.messages.catalogue import get_catalogue
from pond_hw.rules import VARIANTS, Action, Position, find_outcome, legal_actions, parse_record, parse_variant, play
from pond_hw.server.protocol import occupancy_to_json
from pond_hw.session import ClockTick
from tests.campaign.world import end_turn, piece_options, start_session

RECORDED = Path(__file__).parents[1] / "reference" / "perft.json"
PACES = (0.8, 1.5, 3.0, 6.0)
NOTICED_SECONDS = 1.0
"""Seconds that a question or mismatch must last to be counted."""

PATIENCE_SECONDS = 12.0
"""Maximum time from the last touch until board and game agree, in seconds."""

MIN_SWAP_SECONDS = 0.3
"""Minimum time from removing a scored piece to putting the next piece on its cell, in seconds.

A dropout may take nearly as long. In the way `slides` a piece only touches a cell this soon, and the way `together` is
faster on purpose.
"""

PRESS_DELAY = 0.2
"""Seconds from the last touch of a turn to the key press."""

WAYS = {
    "tidy": "scored pieces are taken off one after another before the next action",
    "together": "all of them are taken off at once, after two thirds of the time before the next action",
    "late": "they are taken off during the next turn, once the next piece has landed, unless it needs the cell",
    "very-late": "they are taken off just before the cell is needed, or at the end",
    "overlap": "the next piece is lifted 0.1 s before the last one lands, and lands on time",
    "pairs": "the next piece is lifted 0.1 s before the last one lands, and lands at once; then both rest",
    "slides": "a piece that goes two steps touches the cell between for 0.15 s, if that is free",
    "same-moment": "the last scored piece is lifted within 0.02 s of the next piece's landing",
    "at-once": "an egg lands on a cell 0.3 s after its scored piece was taken off",
    "turn-late": "pieces are turned over while the next person acts",
    "turn-two": "pieces are turned over two at a time",
}


def ways_with(turning, ways=WAYS):
    """Return the ways that make a difference with turned (or unturned) pieces."""
    return [way for way in ways if turning or not way.startswith("turn-")]


BOARDS = {
    "plain": piece_options(turned=False),
    "turned": piece_options(turned=True),
    "owners": piece_options(turned=False, colours=True),
    "turned-owners": piece_options(turned=True, colours=True),
}

Touched = namedtuple("Touched", "at verb cell owner")
"""Hand movement: take a piece off a cell, put one of that owner down, or press the owner's key."""

Played = namedtuple("Played", "fault announced differed wrong asked", defaults=(False, 0))
"""Result of a game.

It has the fault at the end, the numbers of announcements and mismatches, True after a wrong action, and the number of
questions and mismatches that lasted for a second or made people wait.
"""

Plan = namedtuple("Plan", "turn start land slot")
"""Plan of a turn: the times when the piece is lifted and when it lands, and the time available for the turn."""


def plan_actions(turns, pace, way, rng=None):
    """Return the plans of all turns."""
    plans, begin, quick, mean_pace = [], 0.0, False, pace
    for turn in turns:
        pace = mean_pace * (min(2.0, max(0.5, rng.lognormvariate(0.0, 0.35))) if rng else 1.0)
        (source, target), before = turn.action, plans[-1] if plans else None
        gap = min(0.3 * pace, 0.5) if source else 0.0
        scored = [cell for cell, _ in scored_pieces(before.turn)] if before else []
        start, slot, land = begin, (begin, begin + pace), begin + gap
        quick = way == "pairs" and before is not None and not quick and target not in scored
        if way == "at-once" and not source and target in scored:
            land = start = before.slot[0] + 0.6 * pace + MIN_SWAP_SECONDS
            slot = (land, land + pace)
        elif quick:
            start = before.land - 0.1 if source and not looks_taken_back(plans, turn) else before.land + 0.1
            land = max(start + gap, before.land + 0.1)
            slot = (begin - 0.5 * pace, begin + pace)  # both people tidy up in the time of two actions
        elif way == "overlap" and before and source and not looks_taken_back(plans, turn):
            start = before.land - 0.1
        plans.append(Plan(turn, start, land, slot))
        begin = slot[1]
    return plans


def looks_taken_back(plans, turn):
    """Return True if an early lift would look like an undo, because the previous piece is on its old cell."""
    if len(plans) < 2:
        return False
    moved, put = plans[-2].turn.action, plans[-1].turn.action
    return moved.target == turn.action.source and moved.source == put.target


def plan_rests(turns, seconds):
    """Return the touches of tidy people who rest for this many seconds after each of them."""
    touches = plan_touches(turns, 10.0, "tidy", turning=False)
    return [touch._replace(at=round(1.0 + number * seconds, 3)) for number, touch in enumerate(touches)]


def plan_presses(plans, touches):
    """Yield the key presses: after the piece has landed and, in every other turn, after the last removal."""
    for number, plan in enumerate(plans):
        following = plans[number + 1].start if number + 1 < len(plans) else inf
        until = plan.land if number % 2 else max(plan.land, following)
        last = max(touch.at for touch in touches if touch.at <= until)
        yield Touched(max(plan.land + 0.02, min(last + PRESS_DELAY, following - 0.02)), "press", "", plan.turn.side)


def plan_touches(turns, pace, way, *, turning, keys=False, rng=None):
    """Return all hand movements of a game in order.

    Args:
        turns: Turns of the game.
        pace: Seconds per action.
        way: Way of moving the hands.
        turning: True if pieces are turned over.
        keys: True if players press their key after each turn.
        rng: Random number generator for varying times; None for equal times.
    """
    plans, touches = plan_actions(turns, pace, way, rng), []
    standing, end = {}, plans[-1].slot[1]  # time until which a scored piece stays on each cell
    for number, plan in enumerate(plans):
        (source, target), owner = plan.turn.action, plan.turn.before.to_move
        if source:
            touches.append(Touched(plan.start, "take", source, owner))
            between = middle_cell(source, target)
            if way == "slides" and between and between not in plan.turn.before.pieces:
                at = (plan.start + plan.land) / 2
                if standing.get(between, 0.0) < at - 0.1:
                    touches += [Touched(at - 0.07, "drop", between, owner), Touched(at + 0.08, "take", between, owner)]
        touches.append(Touched(plan.land, "drop", target, owner))
        for at, cell, whose in plan_removal(plans, number, pace, way, end):
            touches.append(Touched(at, "take", cell, whose))
            standing[cell] = at
    touches += plan_turning(plans, pace, way) if turning else []
    touches += list(plan_presses(plans, touches)) if keys else []
    return sorted((touch._replace(at=round(touch.at + 1.0, 3)) for touch in touches), key=lambda touch: touch.at)


def plan_removal(plans, number, pace, way, end):
    """Yield the time, cell and owner of each removal after a turn."""
    begin, following = plans[number].slot[0], plans[number + 1] if number + 1 < len(plans) else None

    def needed_at(cell):
        return next((later.land for later in plans[number + 1 :] if later.turn.action.target == cell), inf)

    scored = sorted(scored_pieces(plans[number].turn), key=lambda each: needed_at(each[0]))
    for i, (cell, owner) in enumerate(scored):
        needed = needed_at(cell)
        at = begin + (0.6 + 0.1 * i) * pace
        if way == "together":
            at = plans[number].land + 2 / 3 * pace
        elif way == "late":
            at += pace
        elif way == "very-late":
            at = end + 0.1 * i * pace if needed == inf else needed - max(0.2 * pace, MIN_SWAP_SECONDS)
        elif way == "same-moment" and following and i == len(scored) - 1:
            at = following.land + (0.02 if number % 2 and needed > following.land else -0.02)
        if way not in ("same-moment", "at-once", "together"):
            at = min(at, needed - max(0.1 * pace, MIN_SWAP_SECONDS))
        yield max(at, plans[number].land + 0.05), cell, owner


def plan_turning(plans, pace, way):
    """Yield the touches that turn pieces over in the time left. Other pieces are turned over after a later turn."""
    waiting, most = {}, 2 if way == "turn-two" else 1
    for number, (turn, _, land, (begin, end)) in enumerate(plans):
        scored = dict(scored_pieces(turn))
        waiting |= {change.cell: change.owner for change in turn.developed_pieces}
        waiting = {cell: waiting[cell] for cell in waiting if cell not in (turn.action.source, *scored)}
        at, until = max(begin + (0.6 + 0.1 * len(scored)) * pace, land + 0.1), end
        if way == "turn-late":
            at, until = end + 0.02 * pace, end + 0.6 * pace
        bundles = [list(waiting)[first : first + most] for first in range(0, len(waiting), most)]
        step = min(0.18 * pace, (until - at) / max(1, len(bundles)))
        in_hand = min(0.15 * pace, 0.8 * step, 1.0)
        for bundle in bundles if step > 0.08 * pace else ():
            free = [cell for cell in bundle if is_free(plans[number + 1 : number + 4], cell, at + in_hand)]
            for i, cell in enumerate(free):
                owner = waiting.pop(cell)
                yield Touched(at + 0.01 * i, "take", cell, owner)
                yield Touched(at + 0.01 * i + in_hand, "drop", cell, owner)
            at += step


def is_free(later, cell, until):
    """Return True if the piece neither moves nor scores before that time."""
    return not any(
        (plan.turn.action.source == cell and plan.start < until + 0.05)
        or (plan.land < until + 0.05 and cell in dict(scored_pieces(plan.turn)))
        for plan in later
    )


def scored_pieces(turn):
    """Return the cell and owner of each piece scored in a turn."""
    cells = sorted({cell for line in turn.sets for cell in line})
    return [(cell, turn.pieces_after_develop[cell].owner) for cell in cells]


def middle_cell(source, target):
    """Return the cell that a two-step move jumps over, if any."""
    (a, b), (c, d) = (map(ord, cell) for cell in (source, target))
    return chr((a + c) // 2) + chr((b + d) // 2) if abs(a - c) + abs(b - d) == 2 else None


STEP_SECONDS = []
"""Duration of each step of a session in this process."""


class PacedTable:
    """Session on the simulated board of `pond headless`, without lamps, which would take most of the time."""

    def __init__(self, turns, options, log=None, keys=False):
        pond = turns[0].before.variant
        self.t, self.log, self.announced, self.differed, self._was = 0.0, log, 0, 0, (None, False)
        self.intended, self.wrong, self.asked, self._asked_at = [turn.action for turn in turns], False, 0, None
        self.table = options.make_table(pond.size, 1, lambda: self.t)
        self.session = start_session(pond, options, keys=keys)
        self.table.open(self._hear)

    def _hear(self, event):
        before, begun = self.session, perf_counter()
        self.session = self.session.after(event)
        STEP_SECONDS.append(perf_counter() - begun)
        view = self.session.view
        now = (view.occupancy.pending, self.session.game_phase == "differs")
        if before.turns != self.session.turns:
            actions = [turn.action for turn in self.session.turns]
            self.wrong = self.wrong or actions != self.intended[: len(actions)]
        if now != self._was:
            self.asked += self._asked_at is not None and self.t >= self._asked_at + NOTICED_SECONDS
            self._asked_at = self.t if any(now) else None
        self.announced += now[0] not in (None, self._was[0])
        self.differed += now[1] and not self._was[1]
        self._was = now
        if self.log and self.session.messages != before.messages:
            said = get_catalogue().text(self.session.messages)
            self.log(f"{self.t:9.2f}      {self.session.game_phase}, turn {len(self.session.turns)}: {said}")

    @property
    def is_asking(self):
        return any(self._was)

    def wait(self, until):
        while self.session.next_due <= until:
            self.t = max(self.t, self.session.next_due)
            self._hear(ClockTick(self.t))
        self.t = until

    def touch(self, touch):
        self.wait(touch.at)
        if self.log:
            self.log(f"{self.t:9.2f}  {touch.verb} {touch.cell or touch.owner}")
        if touch.verb == "press":
            self._hear(end_turn(self.t, touch.owner))
        elif touch.verb == "take":
            self.table.lift(touch.cell)
            self.table.put_aside()
        else:
            self.table.drop(touch.cell, touch.owner)


def find_fault(actions, turns, phase, facts):
    """Return the fault at the end, or an empty text if there is none.

    The actions must match the record, and board and game must agree.
    """
    intended = [str(turn.action) for turn in turns]
    if actions != intended:
        same = next(i for i, (one, other) in enumerate(zip_longest(actions, intended)) if one != other)
        return f"{len(actions)} actions of {len(intended)}, the first {same} right"
    if phase != ("over" if find_outcome(turns[-1].after) else "act"):
        return f"the phase is {phase}"
    return ", ".join(f"{what} {facts[what]}" for what in ("missing", "extra", "strangers", "about") if facts[what])


def fault_here(session, turns):
    actions, occupancy = [str(turn.action) for turn in session.turns], session.view.occupancy
    return find_fault(actions, turns, session.game_phase, occupancy_to_json(occupancy))


def play_here(turns, touches, options, log=None, *, keys=False, answers=False):
    """Play a game in this process.

    Args:
        turns: Turns of the game.
        touches: Hand movements.
        options: Options of the board.
        log: Function that is called with each line of the log.
        keys: True if a turn counts only after its turn key is pressed.
        answers: True if people wait until each question is settled.
    """
    table, late, waits = PacedTable(turns, options, log, keys), 0.0, 0
    for touch in touches:
        due = late + touch.at
        if answers:
            table.wait(due)
            while table.is_asking and table.t < due + PATIENCE_SECONDS:
                table.wait(table.t + 0.1)
            late += table.t - due
            waits += table.t >= due + NOTICED_SECONDS
        table.touch(touch._replace(at=late + touch.at))
    last = table.t
    while (fault := fault_here(table.session, turns)) and table.t < last + PATIENCE_SECONDS:
        table.wait(table.t + 0.5)
    return Played(fault, table.announced, table.differed, table.wrong, waits if answers else table.asked)


def play_with_command(turns, touches, options, log=None):
    """Play a game with `pond headless`. Announcements between two looks, which are half a second apart, are missed."""
    lines, t = [], 0.0
    for touch in touches:
        while t < touch.at:
            lines.append({"wait": round(min(0.5, touch.at - t), 3)})
            t = round(t + lines[-1]["wait"], 3)
        lines.append({touch.verb: touch.cell} | ({"owner": str(touch.owner)} if touch.verb == "drop" else {}))
    lines += [{"wait": 0.5}] * int(2 * PATIENCE_SECONDS) + [{"ask": "record"}]
    flags = ["--pieces", *["--turned"] * options.turned, *["--colours"] * options.colours]
    command = [sys.executable, "-m", "pond_hw", "headless", "--variant", turns[0].before.variant.name, *flags]
    asked = "".join(f"{json.dumps(line)}\n" for line in lines)
    out = subprocess.run(command, input=asked, capture_output=True, text=True, check=True).stdout
    _, *states, record = map(json.loads, out.splitlines())
    for state in states if log else ():
        log(f"{state['t']:9.2f}  {state['phase']}: {state['message']}")
    actions = [str(turn.action) for turn in parse_record(record["record"]).turns]
    abouts = [None, *((about := state["wood"]["about"]) and about | {"at": None} for state in states)]
    differ = [False, *(state["phase"] == "differs" for state in states)]
    announced = sum(bool(new) and new != old for old, new in pairwise(abouts))
    differed = sum(new and not old for old, new in pairwise(differ))
    return Played(find_fault(actions, turns, states[-1]["phase"], states[-1]["wood"]), announced, differed)


def recorded_games():
    """Yield the turns of each of the 20 recorded games."""
    for game in json.loads(RECORDED.read_text(encoding="utf-8"))["games"]:
        position, turns = Position.start(parse_variant(game["variant"])), []
        for action in game["actions"].split():
            turns.append(play(position, Action.from_notation(action)))
            position = turns[-1].after
        yield turns


def random_games(count, seed, ponds, most=150):
    """Yield the turns of random games in which about every second action scores as much as possible."""
    for number in range(count):
        chance, turns = Random(f"{seed} {number}"), []
        position = Position.start(ponds[number % len(ponds)])
        while find_outcome(position) is None and len(turns) < most:
            choices = [play(position, action) for action in legal_actions(position)]
            chance.shuffle(choices)
            greedy = chance.random() < 0.5
            turns.append(max(choices, key=lambda turn: len(scored_pieces(turn))) if greedy else choices[0])
            position = turns[-1].after
        yield turns


def main(arguments=None):
    """Play the selected games. Return 0 if all are right."""
    asked = _read(arguments)
    ponds = list(VARIANTS.values()) if asked.variant == "all" else [parse_variant(asked.variant)]
    games = list(random_games(asked.random, asked.seed, ponds) if asked.random else recorded_games())
    if asked.game is not None and asked.game not in range(len(games)):
        print(f"There is no game {asked.game}. There are {len(games)}, numbered from 0.")
        return 2
    games = games if asked.game is None else [games[asked.game]]
    here = partial(play_here, keys=asked.keys)
    run, log = play_with_command if asked.process else here, None if asked.game is None else print
    ways, begun, total, right = list(WAYS) if asked.ways == ["all"] else asked.ways, perf_counter(), 0, 0
    for board, turning in product(asked.boards, asked.turning):
        print(f"\n{board}, turning over: {turning}. Right games of {len(games)}, announcements, mismatches")
        print(" " * 12 + "".join(f"{f'{pace:g} s':>22}" for pace in asked.paces))
        for way in ways_with(turning == "yes", ways):
            row = []
            for pace in asked.paces:
                plan = partial(plan_touches, pace=pace, way=way, turning=turning == "yes", keys=asked.keys)
                plans = [plan(turns) for turns in games]
                played = [run(*game, BOARDS[board], log) for game in zip(games, plans, strict=True)]
                row.append([sum(not each.fault for each in played), *map(sum, list(zip(*played, strict=True))[1:])])
                for number, each in enumerate(played):
                    if log or (asked.failing and each.fault):
                        print(f"    {way}, {pace:g} s, game {asked.game or number}: {each.fault or 'right'}")
            print(f"{way:12}" + "".join("{:>8} {:>6} {:>6}".format(*figures) for figures in row), flush=True)
            right, total = right + sum(figures[0] for figures in row), total + len(row) * len(games)
    print(f"\n{right} of {total} right, in {perf_counter() - begun:.0f} s")
    if len(STEP_SECONDS) > 100:
        steps = [1000 * seconds for seconds in quantiles(STEP_SECONDS, n=100)]
        print(f"a step of the session: {steps[49]:.2f} ms p50, {steps[98]:.2f} ms p99, of {len(STEP_SECONDS)}")
    return int(right < total)


def _read(arguments):
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaign.paced_games",
        description="Play whole games with pieces at a fixed pace.",
        epilog="Ways: " + "; ".join(f"{way}: {what}" for way, what in WAYS.items()) + ".",
    )
    add = parser.add_argument
    add("--ways", nargs="+", choices=["all", *WAYS], default=["all"], help="ways of moving the hands (all)")
    add("--paces", nargs="+", type=float, default=PACES, help="seconds per action (0.8 1.5 3 6)")
    add(
        "--turning",
        nargs="+",
        choices=["yes", "no"],
        default=["no", "yes"],
        help="with pieces that are turned over (no yes)",
    )
    add("--boards", nargs="+", choices=BOARDS, default=["plain"], help="kinds of boards (plain)")
    add("--random", type=int, default=0, metavar="N", help="number of random games, instead of the recorded ones")
    add("--seed", type=int, default=1, help="seed of the random games (1)")
    add("--variant", default="all", help="variant of the random games; all: each in turn (all)")
    add("--game", type=int, metavar="N", help="play only this game, numbered from 0, and print its log")
    add("--failing", action="store_true", help="print the fault of each game")
    add("--keys", action="store_true", help="a turn counts only after its turn key is pressed; not with --process")
    add("--process", action="store_true", help="play through `pond headless` (slow)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
