"""Run all tests and campaigns once, and record the results: `make test-all`.

That takes about a day on two cores. As in CI, a test that lacks a tool fails instead of being skipped. A check that has passed
on this commit is not run again, so an interrupted run can go on. The results are in build/all-checks/, with the output of each
check.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "build" / "all-checks"
RESULTS = FOLDER / "results.jsonl"

CHECKS = {
    "tools": "make hw fast kernel kicad docs",
    "packages for the tests of releases": "make release ARGS='pico sbom'",
    "style, types and fast tests": "make check",
    **{f"long tests, part {part} of 8": f"make test-long PYTEST_ARGS='--part {part}/8'" for part in range(1, 9)},
    "two more solved ponds": "make test-long POND_EVERY_POND=1 PYTEST_ARGS=tests/engine/packed/test_solver.py",
    **{f"simulated Pi, part {part} of 3": f"make test-kernel ARGS='--part {part}/3'" for part in range(1, 4)},
    "power cuts": "make power STATES=100000",
    "two homes": "make test-link SCHEDULES=100000",
    "Home Assistant": "make test-home",
    "faults in set-up": "make diagnose EVENINGS=1000",
    "a month of evenings": "make soak",
    "people with pieces": "make campaign GAMES=400",
    "downloads": "make release try-release",
    "Debian package, Bookworm": "make dist card deb test-deb DEBIAN=bookworm",
    "Debian package, Trixie": "make dist card deb test-deb DEBIAN=trixie",
    "prepared card": "make test-card",
    "on ARM, Bookworm": "make test-arm DEBIAN=bookworm",
    "on ARM, Trixie": "make test-arm DEBIAN=trixie",
}
"""Command of each check, by its name."""


def read_commit() -> str:
    return subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()


def read_results() -> list[dict[str, object]]:
    return [json.loads(line) for line in RESULTS.read_text("utf-8").splitlines()] if RESULTS.exists() else []


def run_check(name: str, command: str) -> bool:
    """Run a command, and record its result. Return whether it succeeded."""
    log, begun = FOLDER / f"{name}.log", monotonic()
    print(f"{name}: {command}", flush=True)
    with log.open("w", encoding="utf-8") as output:
        code = subprocess.run(
            shlex.split(command), cwd=ROOT, env=os.environ | {"CI": "true"}, stdout=output, stderr=output, check=False
        ).returncode
    lines = [line for line in log.read_text("utf-8", "replace").splitlines() if line.strip()]
    result = {
        "check": name,
        "command": command,
        "commit": read_commit(),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "minutes": round((monotonic() - begun) / 60),
        "code": code,
        "last_line": lines[-1].strip("= ") if lines else "",
    }
    with RESULTS.open("a", encoding="utf-8") as results:
        results.write(json.dumps(result) + "\n")
    print(f"  {'passed' if code == 0 else 'FAILED'} after {result['minutes']} min: {result['last_line']}", flush=True)
    return code == 0


def format_table(results: list[dict[str, object]]) -> str:
    """Return the last result of each check as a Markdown table."""
    last = {result["check"]: result for result in results}
    lines = ["| check | command | commit | date | min | result |", "|---|---|---|---|---:|---|"]
    for name, command in CHECKS.items():
        if result := last.get(name):
            outcome = ("" if result["code"] == 0 else "**failed:** ") + str(result["last_line"])
            cells = [name, f"`{command}`", result["commit"], result["date"], result["minutes"], outcome]
        else:
            cells = [name, f"`{command}`", "", "", "", "not run"]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def main() -> int:
    """Run the chosen checks. Return 1 if one has failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.all_checks", description="Run all tests and campaigns once.")
    parser.add_argument("--only", nargs="+", choices=CHECKS, metavar="CHECK", help="run only these checks")
    parser.add_argument("--table", action="store_true", help="print the results as a Markdown table, and run nothing")
    options = parser.parse_args()
    if options.table:
        print(format_table(read_results()))
        return 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    commit = read_commit()
    passed = {result["check"] for result in read_results() if result["commit"] == commit and result["code"] == 0}
    outcomes = [run_check(name, CHECKS[name]) for name in options.only or CHECKS if name not in passed]
    return 0 if all(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
