"""Measure how well set-up finds faults: inject every kind of fault into every cell, and compare the findings.

    python -m tests.setup.fault_injection --boards direct-4x4,hall-5x5 --kinds never,swapped --seed 1 --jobs 2

A fault counts as found if a warning or fault has its kind and its cell, and no other cell has one. Consequences are
allowed: all cells of a dead chip and unexamined other cells, all cells behind a broken chain, both cells of a swap, all
misread cells of a turned board, and the neighbour of a cell with cross-talk.
"""

import argparse
import json
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from time import process_time

from pond_hw.companion import SimulatedClock
from pond_hw.profile import load_profile
from pond_hw.profile.board_profile import ExpanderWiring
from pond_hw.profile.chips import MCP23017, AdcChannel, ExpanderPin
from pond_hw.rules import get_grid
from pond_hw.setup.findings import GOOD, faulty_cells
from pond_hw.setup.lamp_positions import lamp_cell, usable_lamps
from pond_hw.setup.lamp_steps import BreakSearch
from pond_hw.setup.sensor_steps import SensorTest
from pond_hw.setup.step import StepReply
from pond_hw.setup.wiring_inference import TouchAnswers, infer_wiring
from pond_hw.setup.wiring_step import WiringStage, WiringStep
from pond_hw.simulator import board_with_faults
from pond_hw.simulator.board_with_faults import ActualBuild, FaultyBoard, list_flaw_kinds
from tests.setup.simulated_user import SimulatedUser, StepBench

BOARDS = ("direct-4x4", "hall-4x4", "matrix-5x5", "hall-5x5", "digital-5x5", "linear-4x4")
"""Four shipped profiles and two variations, so that every kind of fault is tested on 4x4 and 5x5 boards."""

MIN_CORRECT = 0.99
"""Minimum share of faults that are found correctly if the user makes no slips."""

MAX_FALSE_ALARMS = 0.001
"""Maximum share of cells with a finding on good boards."""

GOOD_SEEDS = 40
"""Number of good boards per profile."""

EXPECTED_KINDS = {
    board_with_faults.STUCK_ON: "stuck on",
    board_with_faults.STUCK_OFF: "stuck off",
    board_with_faults.NEVER: "never",
    board_with_faults.CHATTER: "flapping",
    board_with_faults.BOUNCE: "long bounce",
    board_with_faults.CROSS_TALK: "cross-talk",
    board_with_faults.DRIFT: "drift",
    board_with_faults.NOISE: "noise",
    board_with_faults.REVERSED: "reversed",
    board_with_faults.WEAK: "weak",
    board_with_faults.DEAD_CHIP: "dead chip",
    board_with_faults.NO_DIODE: "missing diode",
}
"""Expected kind of finding for each sensor fault."""

EXPECTED_BUILD_KINDS = {
    "swapped": "swapped",
    "rotated": "rotated",
    "mirrored": "mirrored",
    "serpentine": "serpentine",
    "broken": "broken chain",
    "colours": "colours",
}
"""Expected kind of finding for each fault in wires and lamps."""

HEALTHY = "healthy"

KINDS = (*EXPECTED_KINDS, *EXPECTED_BUILD_KINDS, HEALTHY)


@dataclass(frozen=True)
class Case:
    """A test case.

    Attributes:
        board: name of the profile.
        kind: injected fault, or `healthy`.
        what: cell, turn, number of working lamps, or colour order.
        seed: random seed of the board and the user.
        slip_rate: share of touches that hit the wrong cell.
    """

    board: str
    kind: str
    what: object = None
    seed: int = 0
    slip_rate: float = 0.0


@dataclass(frozen=True)
class CaseResult:
    """Result of a test case.

    Attributes:
        case: the test case.
        right: True if only the injected fault was found.
        kinds: kinds of all warnings and faults.
        others: cells with unexpected findings.
    """

    case: Case
    right: bool
    kinds: tuple[str, ...]
    others: tuple[str, ...]


def profile_of(board):
    """Return a shipped profile or a variation of one."""
    if board == "digital-5x5":
        profile, digital = load_profile("hall-5x5"), load_profile("hall-4x4").sensing
        names = [
            ExpanderPin(address, port, bit) for address in (0x20, 0x21) for port in ("GPA", "GPB") for bit in range(7)
        ]
        wiring = ExpanderWiring(MCP23017, 1, dict(zip(get_grid(5).cells, names, strict=False)))
        return replace(profile, name=board, sensing=_with_wiring(profile.size, digital, wiring))
    if board == "linear-4x4":
        profile, linear = load_profile("hall-4x4"), load_profile("hall-5x5").sensing
        inputs = [AdcChannel(chip, channel) for chip in "AB" for channel in range(8)]
        wiring = replace(
            linear.wiring,
            chips={chip: linear.wiring.chips[chip] for chip in "AB"},
            channels=dict(zip(get_grid(4).cells, inputs, strict=True)),
            rest=dict.fromkeys(get_grid(4).cells, 512),
        )
        return replace(profile, name=board, sensing=_with_wiring(profile.size, linear, wiring))
    return load_profile(board)


def _with_wiring(size, sensing, wiring):
    return replace(
        sensing, wiring=wiring, debounce_by_cell=dict.fromkeys(get_grid(size).cells, sensing.debounce_seconds)
    )


def turns(size):
    """Return all turns by kind, each as a function that maps a column and row in the drawing to the actual ones."""
    last = size - 1
    return {
        "half": ("rotated", lambda x, y: (last - x, last - y)),
        "quarter": ("rotated", lambda x, y: (y, last - x)),
        "back quarter": ("rotated", lambda x, y: (last - y, x)),
        "sides": ("mirrored", lambda x, y: (last - x, y)),
        "top": ("mirrored", lambda x, y: (x, last - y)),
        "diagonal": ("mirrored", lambda x, y: (y, x)),
        "other diagonal": ("mirrored", lambda x, y: (last - y, last - x)),
        "even rows": ("serpentine", lambda x, y: (last - x if y % 2 else x, y)),
        "odd rows": ("serpentine", lambda x, y: (x if y % 2 else last - x, y)),
        "even columns": ("serpentine", lambda x, y: (x, last - y if x % 2 else y)),
        "odd columns": ("serpentine", lambda x, y: (x, y if x % 2 else last - y)),
    }


def cases(boards, kinds, seed, slip_rate=0.0):
    """Yield a case for every kind of fault in every cell of every board."""
    for board in boards:
        profile = profile_of(board)
        cells = get_grid(profile.size).cells
        where = dict.fromkeys(list_flaw_kinds(profile), cells) | {"swapped": cells}
        for name, (kind, _) in turns(profile.size).items():
            where[kind] = (*where.get(kind, ()), name)
        where["broken"] = range(len(usable_lamps(profile)) + 1)
        where["colours"] = ("RGB", "RBG", "GRB", "GBR", "BRG", "BGR")
        where[HEALTHY] = range(GOOD_SEEDS)
        for kind in kinds:
            for number, what in enumerate(where.get(kind, ())):
                yield Case(board, kind, what, Random(f"{seed} {board} {kind} {number}").randrange(10**6), slip_rate)


def run_case(case):
    """Run set-up on a board and evaluate its findings."""
    profile = profile_of(case.board)
    built, flaws, cells, follows = _inject_fault(case, profile)
    clock = SimulatedClock()
    bench = FaultyBoard(profile, clock.now, built, flaws, case.seed)
    if case.kind == "broken":
        findings = _find_break(bench, clock)
    elif case.kind == "colours":
        return _run_colours(case, bench, clock)
    else:
        table = StepBench(bench, clock, SensorTest(profile, 0.0))
        findings = SimulatedUser(table, case.seed, case.slip_rate).run().findings
    bad = [finding for finding in findings if finding.grade != GOOD]
    if case.kind == board_with_faults.DEAD_CHIP:  # the chip's cells cannot be read either
        bad = [finding for finding in bad if finding.kind != "not examined"]
    expected = {**EXPECTED_KINDS, **EXPECTED_BUILD_KINDS}.get(case.kind)
    if case.kind == "broken" and not cells:
        expected = None  # no lamp is behind the last one
    hit = [
        finding
        for finding in bad
        if finding.kind == expected and set(cells) <= set(faulty_cells(finding)) | set(follows)
    ]
    others = [cell for finding in bad for cell in faulty_cells(finding) if cell not in cells + follows]
    right = (bool(hit) if expected else not bad) and not others and {finding.kind for finding in bad} <= {expected}
    if case.kind == "broken" and hit:
        right = right and hit[0].figures["place"] == built.broken_at and set(hit[0].cells) == set(cells)
    kinds = tuple(dict.fromkeys(finding.kind for finding in bad))
    return CaseResult(case, right, kinds, tuple(dict.fromkeys(others)))


def _inject_fault(case, profile):
    """Return the actual build, the faulty sensors, the cells that must be reported, and other cells that may be reported."""
    cells, built = get_grid(profile.size).cells, ActualBuild.from_profile(profile)
    if case.kind == HEALTHY:
        return built, {}, (), ()
    if case.kind == "swapped":
        other = Random(f"other {case.seed}").choice([cell for cell in cells if cell != case.what])
        inputs = {**built.inputs, case.what: built.inputs[other], other: built.inputs[case.what]}
        return replace(built, inputs=inputs), {}, (case.what, other), ()
    if case.kind in ("rotated", "mirrored", "serpentine"):
        to, size = turns(profile.size)[case.what][1], profile.size
        positions = [to(number % size, number // size) for number in range(size * size)]
        inputs = {cell: y * size + x for cell, (x, y) in zip(cells, positions, strict=True)}
        misread = tuple(cell for number, cell in enumerate(cells) if inputs[cell] != number)
        return replace(built, inputs=inputs), {}, misread, ()
    if case.kind == "broken":
        positions = usable_lamps(profile)
        dark = tuple(dict.fromkeys(lamp_cell(profile, position) for position in positions[case.what :]))
        broken_at = positions[case.what] if case.what < len(positions) else None
        return replace(built, broken_at=broken_at), {}, tuple(cell for cell in dark if cell in cells), ()
    if case.kind == "colours":
        return replace(built, colours=case.what), {}, (), ()
    chip_cells = ()
    if case.kind == board_with_faults.DEAD_CHIP:
        wiring = profile.sensing.wiring
        chips = {cell: at.address for cell, at in wiring.pins.items()} if isinstance(wiring, ExpanderWiring) else {
            cell: at.chip for cell, at in wiring.channels.items()
        }  # fmt: skip
        chip_cells = tuple(cell for cell in cells if chips[cell] == chips[case.what])
    return built, {case.what: case.kind}, (case.what,), chip_cells


def _find_break(bench, clock):
    """Run the `break` step, and answer yes whenever a lamp is lit."""
    table = StepBench(bench, clock, BreakSearch(bench.profile))
    while not table.step.result:
        table.advance(0.3)
        if table.bright():
            bench.press("a1")
            table.advance(0.3)
            bench.release("a1")
            table.advance(0.3)
        else:
            table.runner.put(StepReply("n", clock.now()))
            table.runner.run_once()
    return table.step.result.findings


def _run_colours(case, bench, clock):
    """Run the `map` step, starting with its colour questions."""
    profile, answers = bench.profile, TouchAnswers()
    cells = get_grid(profile.size).cells
    while (question := infer_wiring(profile, answers).question) is not None:  # answer as if the board were as drawn
        drawn = lamp_cell(profile, question) if isinstance(question, int) else question
        answers = answers.add_answer(question, cells.index(drawn))
    table = StepBench(bench, clock, WiringStep(profile, 0.0, answers=answers))
    table.advance(0.2)
    while table.step.stage is WiringStage.COLOURS:
        wanted = "red", "green", "blue"
        channel = len(table.step.naming.named)
        seen = [
            cell for cell in table.cells if max(bench.seen_lamps(cell)[0]) == bench.seen_lamps(cell)[0][channel] > 0
        ]
        assert len(seen) == 1, (wanted[channel], seen)
        bench.press(seen[0])
        table.advance(0.25)
        bench.release(seen[0])
        table.advance(0.3)
    found = table.step.colours
    wrong = found != profile.chain.colour_order
    return CaseResult(case, found == case.what, ("colours",) if wrong else (), ())


def run_many(function, cases, jobs):
    """Yield the results of all cases in order."""
    if jobs < 2:
        yield from map(function, cases)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(function, cases, chunksize=8)


def table(results):
    """Yield a row for each injected kind, with the kinds of findings."""
    injected = dict.fromkeys(each.case.kind for each in results)
    yield f"{'injected':<12} {'runs':>6} {'right':>8}  found"
    for kind in injected:
        same_kind = [each for each in results if each.case.kind == kind]
        right = sum(each.right for each in same_kind)
        counts = Counter(word for each in same_kind for word in each.kinds or ("good",))
        words = ", ".join(f"{word} {count}" for word, count in counts.most_common())
        yield f"{kind:<12} {len(same_kind):>6} {100 * right / len(same_kind):>7.2f}%  {words}"


def rates(results):
    """Return the share of faults that were found correctly, and the share of cells with a finding on good boards."""
    ill = [each for each in results if each.case.kind != HEALTHY]
    healthy = [each for each in results if each.case.kind == HEALTHY]
    cells = sum(profile_of(each.case.board).size ** 2 for each in healthy)
    alarms = sum(max(len(each.others), bool(each.kinds)) for each in healthy)
    right = sum(each.right for each in ill)
    return right / len(ill) if ill else 1.0, alarms / cells if cells else 0.0


def main(arguments=None):
    """Run the cases and return 0 if the rates are good enough."""
    asked = _read(arguments)
    begun = process_time()
    results = list(run_many(run_case, list(cases(asked.boards, asked.kinds, asked.seed, asked.slip_rate)), asked.jobs))
    right, false = rates(results)
    lines = [
        *table(results),
        f"right {100 * right:.3f} %, false alarms {100 * false:.3f} % of cells, {len(results)} runs",
    ]
    wrong = [each for each in results if not each.right]
    for each in wrong[: asked.tell]:
        case, found = each.case, ", ".join((*each.kinds, *each.others)) or "good"
        lines.append(f"  {case.board} {case.kind} {case.what}, seed {case.seed}: {found}")
    print("\n".join(lines))
    print(f"{process_time() - begun:.0f} CPU seconds in this process", file=sys.stderr)
    if asked.record:
        record = {
            "seed": asked.seed,
            "slip_rate": asked.slip_rate,
            "runs": len(results),
            "right": right,
            "false": false,
        }
        Path(asked.record).write_text("\n".join([*lines, json.dumps(record), ""]), encoding="utf-8")
    return int(not asked.slip_rate and (right < MIN_CORRECT or false > MAX_FALSE_ALARMS))


def _read(arguments):
    parser = argparse.ArgumentParser(
        prog="python -m tests.setup.fault_injection", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--boards", type=_among(BOARDS), default=BOARDS, metavar="NAME,...", help=", ".join(BOARDS))
    parser.add_argument("--kinds", type=_among(KINDS), default=KINDS, metavar="KIND,...", help=", ".join(KINDS))
    parser.add_argument("--seed", type=int, default=1, help="random seed (1)")
    parser.add_argument("--slip-rate", type=float, default=0.0, help="share of touches that hit another cell (0)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    parser.add_argument("--tell", type=int, default=10, help="wrong runs to print (10)")
    parser.add_argument("--record", metavar="FILE", help="also write the output to a file")
    return parser.parse_args(arguments)


def _among(names):
    def read(text):
        chosen = tuple(text.split(","))
        if strange := [each for each in chosen if each not in names]:
            raise argparse.ArgumentTypeError(f"unknown name {strange[0]!r}; choose from {', '.join(names)}")
        return chosen

    return read


if __name__ == "__main__":
    sys.exit(main())
