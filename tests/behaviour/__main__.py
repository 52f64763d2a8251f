"""Command line of `tests.behaviour`. See `--help`."""

import argparse
import gzip
import hashlib
import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from tests.behaviour import commands
from tests.behaviour.case import ROOT, Case, describe_difference
from tests.behaviour.games import game_case, journal_case
from tests.behaviour.transcripts import replay_all
from tests.behaviour.walks import make_walk_factory

GROUPS = ("headless", "setup", "counting", "journals", "profiles", "help", "hardware")
GAMES, WALKS, JOURNALS, RECORDS = 300, 104, 24, 12
MANIFEST = "manifest.json"


def store(folder: Path, name: str, text: str) -> str:
    """Write compressed text to a file, and return its digest."""
    data = gzip.compress(text.encode(errors="surrogateescape"), mtime=0)
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def load(folder: Path, name: str) -> str:
    return gzip.decompress((folder / name).read_bytes()).decode(errors="surrogateescape")


def can_build() -> bool:
    """Return True if the libraries for `pond hardware build` are installed."""
    return all(map(importlib.util.find_spec, ("manifold3d", "schemdraw")))


def case_factories(group: str, folder: Path) -> Sequence[Callable[[], Case]]:
    """Return functions that make the cases of a group. Some groups use the results of others."""
    match group:
        case "headless":
            return [partial(game_case, number) for number in range(GAMES)]
        case "setup":
            walk = make_walk_factory()
            return [partial(walk, number) for number in range(WALKS)]
        case "counting":
            played = {path.name[:-7]: load(path.parent, path.name) for path in recorded_results(folder / "headless")}
            found = commands.find_last_records(played)
            some = dict(list(found.items())[:: max(1, len(found) // RECORDS)])
            cases = commands.counting_cases({**commands.collect_records(), **some})
        case "journals":
            given = [partial(Case.read, case.text()) for case in commands.journal_cases()]
            return [*given, *(partial(journal_case, number) for number in range(JOURNALS))]
        case "profiles":
            cases = commands.profile_cases(
                [load(path.parent, path.name) for path in recorded_results(folder / "setup")]
            )
        case "help":
            cases = commands.help_cases()
        case _:
            cases = commands.hardware_cases()
    return [partial(Case.read, case.text()) for case in cases]


def recorded_results(folder: Path) -> list[Path]:
    """Return the result files of a group."""
    return sorted(folder.glob("*.out.gz"))


def record(folder: Path, groups: Sequence[str], max_cases: int, jobs: int) -> int:
    """Generate the cases, run them, and store the inputs and results."""
    started = monotonic()
    manifest: dict[str, str] = json.loads((folder / MANIFEST).read_text()) if (folder / MANIFEST).exists() else {}
    if already_recorded := sorted({name.partition("/")[0] for name in manifest} & {*groups}):
        print(f"{folder} already contains {', '.join(already_recorded)}.")
        return 2

    def run_case(make: Callable[[], Case]) -> tuple[Case, str]:
        case = make()
        return case, case.run()

    with ThreadPoolExecutor(jobs) as pool:
        for group in groups:
            number = 0
            for case, out in pool.map(run_case, case_factories(group, folder)[:max_cases]):
                number += 1
                for name, text in ((f"{group}/{case.name}.in.gz", case.text()), (f"{group}/{case.name}.out.gz", out)):
                    manifest[name] = store(folder, name, text)
            (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")
            print(f"{group}: {number} cases, {monotonic() - started:.0f} s so far", flush=True)
    return 0


def check(folder: Path, groups: Sequence[str], max_cases: int, jobs: int) -> int:
    """Run the cases again, and report the differences."""
    manifest: dict[str, str] = json.loads((folder / MANIFEST).read_text())
    corrupted = [
        name for name, sha in manifest.items() if hashlib.sha256((folder / name).read_bytes()).hexdigest() != sha
    ]
    if corrupted:
        print(f"These files have changed since they were recorded: {', '.join(corrupted)}")
        return 2
    started, difference_count = monotonic(), 0
    with ThreadPoolExecutor(jobs) as pool:
        for group in groups:
            names = [name for name in manifest if name.startswith(f"{group}/") and name.endswith(".in.gz")][:max_cases]
            new_results = pool.map(lambda name: Case.read(load(folder, name)).run(), names)
            differences = []
            for name, new in zip(names, new_results, strict=True):
                outcome = name.replace(".in.gz", ".out.gz")
                old = load(folder, outcome)
                if old != new:
                    differences.append(f"  {outcome}{describe_difference(old, new)}")
            difference_count += len(differences)
            line = f"{group}: {len(names)} cases, {len(differences)} differ, {monotonic() - started:.0f} s so far"
            print("\n".join([line, *differences]), flush=True)
    return int(difference_count > 0)


def compare(base: str, groups: Sequence[str], max_cases: int, jobs: int) -> int:
    """Record with the code of another commit, then check with the current code."""
    with TemporaryDirectory(prefix="behaviour-base-") as name:
        code, folder = Path(name, "code"), Path(name, "recorded")
        code.mkdir()
        archive = subprocess.run(["git", "archive", base], cwd=ROOT, stdout=subprocess.PIPE, check=False)
        if archive.returncode:
            return 2
        subprocess.run(["tar", "-x", "-C", code], input=archive.stdout, check=True)
        shutil.copytree(Path(__file__).parent, code / "tests" / "behaviour", dirs_exist_ok=True)  # the same cases
        options = [
            "--most",
            str(max_cases),
            "--jobs",
            str(jobs),
            *(word for group in groups for word in ("--only", group)),
        ]
        recorded = subprocess.run(
            [sys.executable, "-m", "tests.behaviour", "record", folder, *options], cwd=code, check=False
        )
        return 2 if recorded.returncode else check(folder, groups, max_cases, jobs)


def main(arguments: Sequence[str] | None = None) -> int:
    """Replay, record, check or compare. Return 1 if anything differs, 2 if that cannot be determined."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.behaviour", description="Compare what Pond prints before and after a change."
    )
    tasks = parser.add_subparsers(dest="task", required=True)
    replaying = tasks.add_parser("replay", help="replay the conversations in transcripts/")
    replaying.add_argument("names", nargs="*", metavar="NAME", help="only these, such as settings")
    replaying.add_argument("--update", action="store_true", help="record them again; then check what changed")
    generated = argparse.ArgumentParser(add_help=False)
    generated.add_argument("--only", action="append", choices=GROUPS, help="only this group; can be repeated (all)")
    generated.add_argument(
        "--most", type=int, default=10**6, metavar="N", help="maximum number of cases per group (all)"
    )
    generated.add_argument("--jobs", type=int, default=2, metavar="N", help="number of cases that run at once (2)")
    for task, description in (
        ("record", "run generated cases, and store inputs and outputs"),
        ("check", "run them again"),
    ):
        added = tasks.add_parser(task, help=description, parents=[generated])
        added.add_argument("folder", type=Path, help="folder for the inputs and outputs")
    comparing = tasks.add_parser(
        "compare", help="run generated cases with another commit and with this code", parents=[generated]
    )
    comparing.add_argument("base", help="the commit, such as main")
    options = parser.parse_args(arguments)
    if options.task == "replay":
        return replay_all(options.names, update=options.update)
    groups = [group for group in GROUPS if group in (options.only or GROUPS)]
    if "hardware" in groups and not can_build():
        print("hardware: skipped, because the libraries of `make hardware` are not installed")
        groups.remove("hardware")
    if options.task == "compare":
        return compare(options.base, groups, options.most, options.jobs)
    return (record if options.task == "record" else check)(options.folder, groups, options.most, options.jobs)


if __name__ == "__main__":
    sys.exit(main())
