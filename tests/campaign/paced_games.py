"""Whole games with pieces at the pace of a real table, played by people who never wait for the board.

    python -m tests.campaign.paced_games                                         the 20 recorded games, every way and pace
    python -m tests.campaign.paced_games --ways tidy --paces 3 --turning no --game 4     one game, told as it went
    python -m tests.campaign.paced_games --random 50 --seed 7 --variant mini     other games

What the hands do is laid down before the first touch, from the rules alone (`plan_touches`); the board is only looked at.
A game is right if in the end its turns are those of the record, and board and game agree.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter, namedtuple
from math import inf
from pathlib import Path
from random import Random
from time import perf_counter

from pond_hw.messages.catalogue import get_catalogue
from pond_hw.rules import VARIANTS, Action, Position, find_outcome, legal_actions, parse_record, parse_variant, play
from pond_hw.server import protocol
from pond_hw.session import ClockTick, Session
from pond_hw.simulator.options import PieceOptions

RECORDED = Path(__file__).parents[1] / "reference" / "perft.json"
PACES = (0.8, 1.5, 3.0, 6.0)
PATIENCE = 12.0
"""Seconds after the last touch until which board and game have to agree."""

WAYS = {
    "tidy": "scored pieces are taken off one after another before the next action",
    "together": "all of them at once, after two thirds of the time: at 3 s an action 2 s later, and 1 s later the next acts",
    "late": "they are taken off during the next turn, once the next piece stands, unless it needs the cell",
    "very-late": "they are taken off just before the cell is needed, or at the end",
    "overlap": "the next piece is lifted 0.1 s before the piece before it lands, and lands in its own time",
    "pairs": "it is lifted as early and lands at once; then both rest",
    "slides": "a piece that goes two steps touches the cell between for 0.15 s, if that is free",
    "same-moment": "the last scored piece leaves within 0.02 s of the next piece's landing",
    "at-once": "an egg lands on a cell as soon as the scored piece has left it",
    "turn-late": "pieces are turned over while the next person acts",
    "turn-two": "pieces are turned over two at a time",
}
TURNING_WAYS = ("turn-late", "turn-two")
"""They are as tidy for those who turn nothing over."""

BOARDS = {
    "plain": PieceOptions(plain=True),
    "faces": PieceOptions(),
    "owners": PieceOptions(plain=True, colours=True),
    "faces-owners": PieceOptions(colours=True),
}

Touched = namedtuple("Touched", "at verb cell owner")
"""A hand takes the piece off a cell, or drops one of that owner: what it held last is not always what it puts down."""

Played = namedtuple("Played", "is_right announced differed fault", defaults=[""])
"""How a game went: how often something was announced, how often board and game differed, and what is wrong in the end."""

Plan = namedtuple("Plan", "turn start land slot")
"""When an action's piece is lifted and lands, and from when to when people have time for it."""


def plan_actions(turns, pace, way):
    """When everybody acts."""
    plans, begin, quick = [], 0.0, False
    for turn in turns:
        (source, target), before = turn.action, plans[-1] if plans else None
        gap = min(0.3 * pace, 0.5) if source else 0.0
        scored = [cell for cell, _ in scored_pieces(before.turn)] if before else []
        start, slot, land = begin, (begin, begin + pace), begin + gap
        quick = way == "pairs" and before is not None and not quick and target not in scored
        if way == "at-once" and not source and target in scored:
            land = start = before.slot[0] + 0.6 * pace + 0.15
            slot = (land, land + pace)
        elif quick:
            start = before.land - 0.1 if source else before.land + 0.1
            land = max(start + gap, before.land + 0.1)
            slot = (begin - 0.5 * pace, begin + pace)  # both tidy in the time that the two of them have
        elif way == "overlap" and before and source:
            start = before.land - 0.1
        plans.append(Plan(turn, start, land, slot))
        begin = slot[1]
    return plans


def plan_touches(turns, pace, way, *, turning):
    """Everything that hands do in a game, in order."""
    plans, touches, standing = plan_actions(turns, pace, way), [], {}
    end = plans[-1].slot[1]
    standing = {}  # until when a scored piece stands on a cell
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
    return sorted((touch._replace(at=round(touch.at + 1.0, 3)) for touch in touches), key=lambda touch: touch.at)


def plan_removal(plans, number, pace, way, end):
    """When each piece that has scored in a turn is taken off, and whose it is."""
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
            at = end + 0.1 * i * pace if needed == inf else needed - 0.2 * pace
        elif way == "same-moment" and following and i == len(scored) - 1:
            at = following.land + (0.02 if number % 2 and needed > following.land else -0.02)
        if way not in ("same-moment", "at-once", "together"):
            at = min(at, needed - 0.1 * pace)
        yield max(at, plans[number].land + 0.05), cell, owner


def plan_turning(plans, pace, way):
    """The developed pieces are turned over in the time that is left; those that do not fit in, after a later turn."""
    waiting, most = {}, 2 if way == "turn-two" else 1
    for number, (turn, _, land, (begin, end)) in enumerate(plans):
        gone = {turn.action.source, *(cell for cell, _ in scored_pieces(turn))}
        waiting |= {change.cell: change.owner for change in turn.developed_pieces}
        waiting = {cell: owner for cell, owner in waiting.items() if cell not in gone}
        at = max(begin + (0.6 + 0.1 * len(gone - {None, turn.action.source})) * pace, land + 0.1)
        if way == "turn-late":
            at, end = end + 0.02 * pace, end + 0.6 * pace
        cells = list(waiting)
        step = min(0.18 * pace, (end - at) / max(1, -(-len(cells) // most)))
        for first in range(0, len(cells), most):
            until = at + min(0.15 * pace, 0.8 * step)
            free = [
                cell for cell in cells[first : first + most] if is_free(plans[number + 1 : number + 4], cell, until)
            ]
            if step < 0.08 * pace or until > end:
                break
            for i, cell in enumerate(free):
                owner = waiting.pop(cell)
                yield Touched(at + 0.01 * i, "take", cell, owner)
                yield Touched(until + 0.01 * i, "drop", cell, owner)
            at += step


def is_free(later, cell, until):
    """Whether nobody moves this piece, and it does not score, before that instant."""
    return not any(
        (plan.turn.action.source == cell and plan.start < until + 0.05)
        or (plan.land < until + 0.05 and cell in dict(scored_pieces(plan.turn)))
        for plan in later
    )


def scored_pieces(turn):
    """Where something scored in a turn, and whose it was."""
    return [
        (cell, turn.pieces_after_develop[cell].owner) for cell in sorted({cell for line in turn.sets for cell in line})
    ]


def middle_cell(source, target):
    """The cell that a move of two steps goes over, or None."""
    (a, b), (c, d) = (map(ord, cell) for cell in (source, target))
    return chr((a + c) // 2) + chr((b + d) // 2) if abs(a - c) + abs(b - d) == 2 else None


class Table:
    """The simulated board of `pond headless` and the session that feels it, without lamps, which take most of the time."""

    def __init__(self, pond, options, tell=None):
        self.t, self.tell, self.announced, self.differed, self._was = 0.0, tell, 0, 0, (None, False)
        self.table = options.make_table(pond.size, 1, lambda: self.t)
        self.session = Session.start_game(pond, wood=options.initial_board_state())
        self.table.open(self._hear)

    def _hear(self, event):
        said, turns = self.session.messages, self.session.turns
        self.session = session = self.session.after(event)
        reading = session.board_state.dialogue
        now = (reading.confirm_window and reading.interpretation, session.game_phase == "differs")
        self.announced += now[0] is not None and now[0] != self._was[0]
        self.differed += now[1] and not self._was[1]
        self._was = now
        if self.tell and (session.messages != said or session.turns != turns):
            self.tell(
                f"{self.t:9.2f}      {session.game_phase}, turn {len(session.turns)}: {get_catalogue().text(session.messages)}"
            )

    def wait(self, until):
        while self.session.next_due <= until:
            self.t = max(self.t, self.session.next_due)
            self._hear(ClockTick(self.t))
        self.t = until

    def touch(self, touch):
        self.wait(touch.at)
        if self.tell:
            self.tell(f"{self.t:9.2f}  {touch.verb} {touch.cell}")
        if touch.verb == "take":
            self.table.lift(touch.cell)
            self.table.put_aside()
        else:
            self.table.drop(touch.cell, touch.owner)

    def fault(self, turns):
        """What is wrong with the game as it stands; nothing if all is well."""
        actions = [str(turn.action) for turn in self.session.turns]
        wood = protocol.occupancy_to_json(self.session.view.occupancy)
        return find_fault(actions, turns, self.session.game_phase, wood)


def find_fault(actions, turns, phase, wood):
    """What is wrong in the end; nothing if the actions are those of the record, and board and game agree."""
    meant = [str(turn.action) for turn in turns]
    if actions != meant:
        same = next((i for i, pair in enumerate(zip(actions, meant, strict=False)) if pair[0] != pair[1]), None)
        same = min(len(actions), len(meant)) if same is None else same
        return f"{len(actions)} of {len(meant)} actions, other ones from number {same + 1}"
    if phase != ("over" if find_outcome(turns[-1].after) else "act"):
        return f"the phase is {phase}"
    return ", ".join(f"{what} {wood[what]}" for what in ("missing", "extra", "strangers", "about") if wood[what])


def play_here(turns, touches, options, tell=None):
    """Play a game in this process."""
    table = Table(turns[0].before.variant, options, tell)
    for touch in touches:
        table.touch(touch)
    last = table.t
    while (fault := table.fault(turns)) and table.t < last + PATIENCE:
        table.wait(table.t + 0.5)
    return Played(not fault, table.announced, table.differed, fault)


def play_in_process(turns, touches, options, tell=None):
    """Play a game with the command itself; what is announced and over between two looks, half a second apart, is missed."""
    lines, t = [], 0.0
    for touch in touches:
        while t < touch.at:
            lines.append({"wait": round(min(0.5, touch.at - t), 3)})
            t = round(t + lines[-1]["wait"], 3)
        owner = {"owner": str(touch.owner)} if touch.verb == "drop" else {}
        lines.append({touch.verb: touch.cell, **owner})
    lines += [{"wait": 0.5}] * int(2 * PATIENCE) + [{"ask": "record"}]
    flags = ["--pieces", *["--plain"] * options.plain, *["--colours"] * options.colours]
    command = [sys.executable, "-m", "pond_hw", "headless", "--variant", turns[0].before.variant.name, *flags]
    asked = "".join(json.dumps(line) + "\n" for line in lines)
    out = subprocess.run(command, input=asked, capture_output=True, text=True, check=True).stdout
    answers = [json.loads(line) for line in out.splitlines()]
    if errors := [answer["message"] for answer in answers if answer["type"] == "error"]:
        raise AssertionError(errors[0])
    states = [answer for answer in answers if answer["type"] == "state"]
    for state in states if tell else ():
        tell(f"{state['t']:9.2f}  {state['phase']}: {state['message']}")
    actions = [str(turn.action) for turn in parse_record(answers[-1]["record"]).turns]
    abouts = [json.dumps(state["wood"]["about"]) for state in states]
    differing = [state["phase"] == "differs" for state in states]
    fault = find_fault(actions, turns, states[-1]["phase"], states[-1]["wood"])
    announced = sum(new not in ("null", old) for old, new in zip(["null", *abouts], abouts, strict=False))
    differed = sum(new and not old for old, new in zip([False, *differing], differing, strict=False))
    return Played(not fault, announced, differed, fault)


def recorded_games():
    """The turns of the 20 recorded games."""
    for game in json.loads(RECORDED.read_text(encoding="utf-8"))["games"]:
        yield take_turns(parse_variant(game["variant"]), map(Action.from_notation, game["actions"].split()))


def take_turns(pond, actions):
    position, turns = Position.start(pond), []
    for action in actions:
        turns.append(play(position, action))
        position = turns[-1].after
    return turns


def random_games(count, seed, ponds, most=150):
    """Games of people who take what scores most every other time, and else anything."""
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
    """Play what is asked for; 0 if all games were right."""
    asked = _read(arguments)
    ponds = list(VARIANTS.values()) if asked.variant == "all" else [parse_variant(asked.variant)]
    games = list(random_games(asked.random, asked.seed, ponds) if asked.random else recorded_games())
    numbers = range(len(games)) if asked.game is None else [asked.game]
    ways, begun, total, actions = list(WAYS) if asked.ways == ["all"] else asked.ways, perf_counter(), Counter(), 0
    run, tell = play_in_process if asked.process else play_here, None if asked.game is None else print
    for board in asked.boards:
        for turning in [each == "yes" for each in asked.turning]:
            print(
                f"\n{board}, {'turned over' if turning else 'never turned over'}: games right of {len(numbers)}, "
                "announcements and mismatches on the way"
            )
            print(" " * 12 + "".join(f"{f'{pace:g} s':>22}" for pace in asked.paces))
            for way in ways:
                if way in TURNING_WAYS and not turning:
                    continue
                cells = []
                for pace in asked.paces:
                    all_played = []
                    for number in numbers:
                        touches = plan_touches(games[number], pace, way, turning=turning)
                        all_played.append(run(games[number], touches, BOARDS[board], tell))
                        actions += len(games[number])
                        if asked.failing and all_played[-1].fault:
                            print(f"    {way}, {pace:g} s, game {number}: {all_played[-1].fault}")
                    right, announced, differed = (sum(column) for column in list(zip(*all_played, strict=True))[:3])
                    total += Counter(right=right, games=len(numbers))
                    cells.append(f"{right:>6} {announced:>7} {differed:>7}")
                print(f"{way:12}" + "".join(f"{cell:>22}" for cell in cells), flush=True)
    seconds = perf_counter() - begun
    print(f"\n{total['right']} of {total['games']} right; {actions} actions in {seconds:.0f} s")
    return int(total["right"] < total["games"])


def _read(arguments):
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaign.paced_games",
        description=__doc__.split("\n")[0],
        epilog="ways: " + "; ".join(f"{way}: {what}" for way, what in WAYS.items()),
    )
    parser.add_argument("--ways", nargs="+", choices=["all", *WAYS], default=["all"], help="how hands act (all)")
    parser.add_argument("--paces", nargs="+", type=float, default=PACES, help="seconds an action (0.8 1.5 3 6)")
    parser.add_argument("--turning", nargs="+", choices=["yes", "no"], default=["no", "yes"], help="(no yes)")
    parser.add_argument("--boards", nargs="+", choices=BOARDS, default=["plain"], help="kinds of boards (plain)")
    parser.add_argument(
        "--random", type=int, default=0, metavar="N", help="so many random games, not the recorded ones"
    )
    parser.add_argument("--seed", type=int, default=1, help="what their chances begin from (1)")
    parser.add_argument("--variant", default="all", help="their variant; all: each in turn (all)")
    parser.add_argument("--game", type=int, metavar="N", help="only this game, from 0, told as it goes")
    parser.add_argument("--failing", action="store_true", help="say what is wrong with each game that is not right")
    parser.add_argument("--process", action="store_true", help="start the command itself: slow")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
