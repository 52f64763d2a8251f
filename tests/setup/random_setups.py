"""Run all set-up steps on boards with up to two faults. A program that reads only the pages acts as the user.

    python -m tests.setup.random_setups --boards hall-5x5 --runs 75 --seed 1 --jobs 2

The program reads `said`, `choices` and `seen` in the JSON lines, and answers with touches, replies and waits, as
described in docs/protocol.md. The findings of each step are compared with the injected faults:

    right    every fault is found at its cell, or its cell is not examined; nothing else is found
    missed   a fault is not found
    false    there is a finding about a sound cell or the whole board
"""

import argparse
import sys
from collections import Counter
from dataclasses import dataclass
from random import Random

from pond_hw.profile import load_profile
from pond_hw.profile.sensor_wires import sensor_chips
from pond_hw.rules import get_grid
from pond_hw.setup.lamp_positions import lamp_cell, usable_lamps
from pond_hw.simulator.board_with_faults import list_flaw_kinds
from tests.setup.fault_injection import run_many
from tests.setup.setup_session import open_session

BOARDS = (
    "direct-4x4", "matrix-5x5", "hall-4x4", "hall-5x5", "neotrellis-4x4", "owner-4x4", "pwm-4x4", "simulated-4x4",
    "simulated-5x5",
)  # fmt: skip
"""All shipped profiles."""

MAX_TRIES = 4
"""Number of touches without a response before the program reports that nothing happens."""

MAX_DARK_LOOKS = 30
"""Number of looks at a dark board, half a second apart, before the program reports that nothing happens."""

EXPECTED_KINDS = {
    "stuck-on": {"stuck on"},
    "stuck-off": {"stuck off", "never", "skipped"},
    "never": {"never"},
    "chatter": {"flapping", "noise", "restless"},
    "bounce": {"long bounce"},
    "cross-talk": {"cross-talk", "not found"},
    "drift": {"drift", "stuck on", "off centre"},
    "noise": {"noise"},
    "reversed": {"reversed"},
    "weak": {"weak"},
    "no-diode": {"missing diode"},
    "dead-chip": {"dead chip"},
    "swapped": {"exchanged", "swapped", "not found"},
    "broken": {"broken chain"},
    "colours": {"colours"},
}
"""Accepted kinds of finding for each fault."""

UNKNOWN = {"not examined", "skipped"}
"""Kinds of finding about cells without a result."""


@dataclass(frozen=True)
class Run:
    """One run of set-up on a board with faults, which are given as for `--flaw`."""

    board: str
    flaws: tuple
    seed: int


class PageReader:
    """Program that reads pages and answers them."""

    def __init__(self, table):
        self.table = table

    @property
    def page(self):
        return self.table.page

    @property
    def lit(self):
        """Bright cells, with the colour of their brightest lamp."""
        shown = {cell: max(lamps, key=max) for cell, lamps in self.page["seen"].items() if len(cell) == len("a1")}
        return {cell: lamp for cell, lamp in shown.items() if max(lamp) >= 8}

    @property
    def question(self):
        """Message id of the question on the page."""
        return self.prompt["id"]

    @property
    def prompt(self):
        return next(iter(self.page["said"]["asks"]), {"id": "", "arguments": {}})

    @property
    def keys(self):
        return [choice["key"] for choice in self.page["choices"]]

    def send(self, *lines):
        self.table.send(*lines)

    def run_step(self, step, max_seconds=2000):
        """Run a step and return its findings, or None if the step was left."""
        self.send({"step": step})
        begin, tried = self.page["t"], []
        while self.page["step"] == step:
            if self.page["t"] > begin + max_seconds or self.question == "map_walk.wait_for_sensors":
                self.send({"reply": "q"})
                return None
            before = self.page["asks"], self.page["done"], tuple(self.lit)
            tried = [*tried, before] if before in tried else [before]
            getattr(self, step)(len(tried) > (MAX_TRIES if self.lit or step != "map" else MAX_DARK_LOOKS))
        return self.table.results[step]["findings"]

    def touch(self, *cells, owner="light", seconds=0.25):
        for cell in cells:
            self.send({"press": cell, "owner": owner}, {"wait": 0.05})
        self.send({"wait": seconds})
        for cell in cells:
            self.send({"release": cell})
        self.send({"wait": 0.3})

    def named(self):
        """Return the cells that the page names."""
        given = self.prompt["arguments"]
        return given.get("cells", (given["cell"],) if "cell" in given else ())

    def reply_or_wait(self, key, is_stuck):
        self.send({"reply": key} if is_stuck and key in self.keys else {"wait": 0.5})

    # Steps

    def break_(self, _):
        self.send({"wait": 0.3})
        lit = any(max(lamp) for lamps in self.page["seen"].values() for lamp in lamps)
        if "y" in self.keys:
            self.send({"reply": "y" if lit else "n"})

    def map(self, is_stuck):
        question, lit = self.question, self.lit
        if {"y", "n"} <= {*self.keys}:
            self.send({"reply": "y"})
        elif is_stuck and "s" in self.keys:
            self.send({"reply": "s"})
        elif question.startswith("colour."):
            channel = ("red", "green", "blue").index(question.rpartition(".")[2])
            self.touch(max(lit, key=lambda cell: lit[cell][channel])) if lit else self.reply_or_wait("s", is_stuck)
        elif question in ("map_touch.lit", "map_put.lit"):
            self.touch(next(iter(lit))) if len(lit) == 1 else self.reply_or_wait("s", is_stuck)
        elif named := self.named():
            self.touch(named[0])
        else:
            self.send({"wait": 0.5})

    def sensors(self, is_stuck):
        if not self.named():
            self.send({"wait": 1.0})
        elif is_stuck:
            self.send({"reply": "x" if "x" in self.keys else "n"})
        elif self.question == "sensor_walk.hold":
            self.touch(*self.named(), seconds=0.6)
        else:
            self.touch(self.named()[0])

    def calibrate(self, is_stuck):
        question = self.question
        if "y" in self.keys:
            self.send({"reply": "y"})
        elif not self.named():
            self.send({"wait": 1.0})
        elif is_stuck:
            self.send({"reply": "x"})
        elif question == "calibrate.take_off":
            self.send({"wait": 0.5})
        else:
            self.touch(self.named()[0], owner=question.removeprefix("calibrate.put."), seconds=0.8)


setattr(PageReader, "break", PageReader.break_)


def random_flaws(profile, rng):
    """Return up to two faults in different cells."""
    cells, found, used = get_grid(profile.size).cells, [], set()
    for _ in range(rng.choice((0, 1, 1, 2, 2))):
        whole = ["swapped", "broken"] + ["colours"] * (
            profile.chain.driver != "neotrellis"
        )  # it has only one colour order
        kind = rng.choice([*list_flaw_kinds(profile), *whole])
        free = [cell for cell in cells if cell not in used]
        if kind == "swapped":
            some = rng.sample(free, 2)
        elif kind == "broken":
            some = [str(rng.choice(usable_lamps(profile)))]
        elif kind == "colours":
            some = ["".join(rng.sample("RGB", 3))]
        else:
            some = [rng.choice(free)]
        if kind not in [each.partition(":")[0] for each in found]:
            found.append(":".join((kind, *some)))
            used |= {*some}
    return tuple(found)


def runs(boards, number, seed):
    """Yield `number` runs for each board."""
    for board in boards:
        profile = load_profile(board)
        for each in range(number):
            rng = Random(f"{seed} {board} {each}")
            yield Run(board, random_flaws(profile, rng), rng.randrange(10**6))


def run_setup(run):
    """Run all steps and return their findings."""
    found = {}
    with open_session(run.board, *run.flaws, seed=run.seed) as table:
        program, steps = PageReader(table), table.messages[0]["steps"]
        for step in ("break", "map", "sensors", "calibrate"):
            if step not in steps:
                continue
            findings = program.run_step(step)
            if findings is not None:
                found[step] = findings
            if table.page["step"] == "found":
                table.send({"reply": "q"})
            if step == "break" and any(each["kind"] == "broken chain" for each in findings or ()):
                break  # it must be fixed first
    return found


def judge_run(run):
    """Run set-up. Return the run, the verdict (`right`, `missed` or `false`) and all wrong findings."""
    profile, found = load_profile(run.board), run_setup(run)
    results = [(step, each) for step, all_ in found.items() for each in all_ if each["grade"] != "good"]
    injected = [(flaw.split(":")[0], flaw.split(":")[1:]) for flaw in run.flaws]
    unknown = {cell for _, each in results if each["kind"] == "not examined" for cell in each["cells"]}
    ended = "broken chain" in [each["kind"] for _, each in results]
    missed, allowed = [], set()
    for kind, where in injected:
        if kind == "colours" and where[0] == profile.chain.colour_order:
            continue
        if kind == "dead-chip":
            allowed |= next({*cells} for cells in sensor_chips(profile).values() if where[0] in cells)
        elif kind == "broken":
            dark = [position for position in usable_lamps(profile) if position >= int(where[0])]
            allowed |= {lamp_cell(profile, position) for position in dark}
        allowed |= {*where}
        hits = [
            each for _, each in results
            if each["kind"] in EXPECTED_KINDS[kind] and ({*where} & {*each["cells"]} or kind in ("broken", "colours"))
        ]  # fmt: skip
        if not hits and not {*where} <= unknown and not (ended and kind != "broken"):
            missed.append(f"{kind}:{':'.join(where)}")
    kinds = set().union(*(EXPECTED_KINDS[kind] for kind, _ in injected)) if injected else set()
    false = [
        f"{step} {each['kind']} {' '.join(each['cells']) or '(board)'}: {each['told']}" for step, each in results
        if each["kind"] not in UNKNOWN
        and ({*each["cells"][:1]} - allowed or (not each["cells"] and each["kind"] not in kinds - {"not found"}))
    ]  # fmt: skip
    if any(kind == "reversed" for kind, _ in injected):
        false = [each for each in false if " poles " not in each]
    return run, "false" if false else "missed" if missed else "right", [*false, *missed]


def table(results):
    """Yield a row of verdicts for each board and number of faults."""
    yield f"{'board':<16} {'faults':>6} {'runs':>5} {'right':>6} {'missed':>7} {'false':>6}"
    for board in dict.fromkeys(run.board for run, *_ in results):
        for number in range(3):
            counts = Counter(verdict for run, verdict, _ in results if run.board == board and len(run.flaws) == number)
            if total := counts.total():
                figures = f"{counts['right']:>6} {counts['missed']:>7} {counts['false']:>6}"
                yield f"{board:<16} {number:>6} {total:>5} {figures}"


def main(arguments=None):
    """Run set-up on all boards. Return 0 unless a healthy board has a finding."""
    parser = argparse.ArgumentParser(prog="python -m tests.setup.random_setups", description=__doc__.partition("\n")[0])
    parser.add_argument("--boards", type=lambda text: tuple(text.split(",")), default=BOARDS, metavar="NAME,...")
    parser.add_argument("--runs", type=int, default=75, help="runs of each board (75)")
    parser.add_argument("--seed", type=int, default=1, help="random seed (1)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    parser.add_argument("--tell", type=int, default=20, help="wrong runs to print (20)")
    asked = parser.parse_args(arguments)
    results = list(run_many(judge_run, list(runs(asked.boards, asked.runs, asked.seed)), asked.jobs))
    print("\n".join(table(results)))
    for run, verdict, wrong in [each for each in results if each[1] != "right"][: asked.tell]:
        print(f"  {verdict} {run.board} {' '.join(run.flaws)}, seed {run.seed}: {'; '.join(wrong)}")
    return int(any(verdict == "false" for run, verdict, _ in results if not run.flaws))


if __name__ == "__main__":
    sys.exit(main())
