"""Command line of `tests.behaviour`; see `--help`."""

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
from tests.behaviour.case import ROOT, Case, difference
from tests.behaviour.games import game, journal
from tests.behaviour.transcripts import replay_all
from tests.behaviour.walks import walk_maker

GROUPS = ("headless", "setup", "counting", "journals", "profiles", "help", "hardware")
GAMES, WALKS, JOURNALS, RECORDS = 300, 104, 24, 12
MANIFEST = "manifest.json"


def store(folder: Path, name: str, text: str) -> str:
    """Write a text to a file named by its digest, and return the digest."""
    data = gzip.compress(text.encode(errors="surrogateescape"), mtime=0)
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def load(folder: Path, name: str) -> str:
    return gzip.decompress((folder / name).read_bytes()).decode(errors="surrogateescape")


def can_build() -> bool:
    """Return True if the libraries for `pond hardware build` are installed."""
    return all(map(importlib.util.find_spec, ("manifold3d", "wireviz", "schemdraw"))) and bool(shutil.which("dot"))


def case_factories(group: str, folder: Path) -> Sequence[Callable[[], Case]]:
    """Factories of the cases of a group; some use the results of others."""
    match group:
        case "headless":
            return [partial(game, number) for number in range(GAMES)]
        case "setup":
            walk = walk_maker()
            return [partial(walk, number) for number in range(WALKS)]
        case "counting":
            played = {path.name[:-7]: load(path.parent, path.name) for path in recorded_results(folder / "headless")}
            found = commands.records_in(played)
            some = dict(list(found.items())[:: max(1, len(found) // RECORDS)])
            cases = commands.counting_cases({**commands.record_cases(), **some})
        case "journals":
            given = [partial(Case.read, case.text()) for case in commands.journal_cases()]
            return [*given, *(partial(journal, number) for number in range(JOURNALS))]
        case "profiles":
            cases = commands.profiles([load(path.parent, path.name) for path in recorded_results(folder / "setup")])
        case "help":
            cases = commands.help_cases()
        case _:
            cases = commands.hardware()
    return [partial(Case.read, case.text()) for case in cases]


def recorded_results(folder: Path) -> list[Path]:
    """Recorded results of a group."""
    return sorted(folder.glob("*.out.gz"))


def record(folder: Path, groups: Sequence[str], most: int, jobs: int) -> int:
    """Generate the cases, run them, and store inputs and results."""
    begun = monotonic()
    manifest: dict[str, str] = json.loads((folder / MANIFEST).read_text()) if (folder / MANIFEST).exists() else {}
    if there := sorted({name.partition("/")[0] for name in manifest} & {*groups}):
        print(f"{folder} holds {', '.join(there)} already.")
        return 2

    def one(make: Callable[[], Case]) -> tuple[Case, str]:
        case = make()
        return case, case.run()

    with ThreadPoolExecutor(jobs) as pool:
        for group in groups:
            number = 0
            for case, out in pool.map(one, case_factories(group, folder)[:most]):
                number += 1
                for name, text in ((f"{group}/{case.name}.in.gz", case.text()), (f"{group}/{case.name}.out.gz", out)):
                    manifest[name] = store(folder, name, text)
            (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")
            print(f"{group}: {number} cases, {monotonic() - begun:.0f} s since the beginning", flush=True)
    return 0


def check(folder: Path, groups: Sequence[str], most: int, jobs: int) -> int:
    """Run the cases again, and report the differences."""
    manifest: dict[str, str] = json.loads((folder / MANIFEST).read_text())
    corrupted = [
        name for name, sha in manifest.items() if hashlib.sha256((folder / name).read_bytes()).hexdigest() != sha
    ]
    if corrupted:
        print(f"These have been changed since they were recorded: {', '.join(corrupted)}")
        return 2
    begun, differ = monotonic(), 0
    with ThreadPoolExecutor(jobs) as pool:
        for group in groups:
            names = [name for name in manifest if name.startswith(f"{group}/") and name.endswith(".in.gz")][:most]
            news = pool.map(lambda name: Case.read(load(folder, name)).run(), names)
            differences = []
            for name, new in zip(names, news, strict=True):
                outcome = name.replace(".in.gz", ".out.gz")
                old = load(folder, outcome)
                if old != new:
                    differences.append(f"  {outcome}{difference(old, new)}")
            differ += len(differences)
            line = f"{group}: {len(names)} cases, {len(differences)} differ, {monotonic() - begun:.0f} s since the beginning"
            print("\n".join([line, *differences]), flush=True)
    return int(differ > 0)


def compare(base: str, groups: Sequence[str], most: int, jobs: int) -> int:
    """Record with the code of a commit, then check with the current code."""
    with TemporaryDirectory(prefix="behaviour-base-") as name:
        code, folder = Path(name, "code"), Path(name, "recorded")
        code.mkdir()
        archive = subprocess.run(["git", "archive", base], cwd=ROOT, stdout=subprocess.PIPE, check=False)
        if archive.returncode:
            return 2
        subprocess.run(["tar", "-x", "-C", code], input=archive.stdout, check=True)
        shutil.copytree(Path(__file__).parent, code / "tests" / "behaviour", dirs_exist_ok=True)  # the same cases
        options = ["--most", str(most), "--jobs", str(jobs), *(word for group in groups for word in ("--only", group))]
        recorded = subprocess.run(
            [sys.executable, "-m", "tests.behaviour", "record", folder, *options], cwd=code, check=False
        )
        return 2 if recorded.returncode else check(folder, groups, most, jobs)


def main(arguments: Sequence[str] | None = None) -> int:
    """Replay, record, check or compare. Return 1 if anything differs, 2 if this cannot be determined."""
    parser = argparse.ArgumentParser(prog="python -m tests.behaviour", description="Does Pond still do what it did?")
    tasks = parser.add_subparsers(dest="task", required=True)
    replaying = tasks.add_parser("replay", help="hold the conversations in transcripts/ again")
    replaying.add_argument("names", nargs="*", metavar="NAME", help="only these, such as settings")
    replaying.add_argument("--update", action="store_true", help="record them again; then check the difference")
    made_up = argparse.ArgumentParser(add_help=False)
    made_up.add_argument("--only", action="append", choices=GROUPS, help="only this group; can be repeated (all)")
    made_up.add_argument(
        "--most", type=int, default=10**6, metavar="N", help="maximum number of cases of each group (all)"
    )
    made_up.add_argument("--jobs", type=int, default=2, metavar="N", help="cases at once (2)")
    for task, description in (
        ("record", "run generated cases, and store inputs and outputs"),
        ("check", "run them again"),
    ):
        added = tasks.add_parser(task, help=description, parents=[made_up])
        added.add_argument("folder", type=Path, help="folder of the inputs and outputs")
    comparing = tasks.add_parser(
        "compare", help="run generated cases with another commit and with this code", parents=[made_up]
    )
    comparing.add_argument("base", help="the commit, such as main")
    asked = parser.parse_args(arguments)
    if asked.task == "replay":
        return replay_all(asked.names, update=asked.update)
    groups = [group for group in GROUPS if group in (asked.only or GROUPS)]
    if "hardware" in groups and not can_build():
        print("hardware: skipped, since `make hardware` and graphviz have not been installed here")
        groups.remove("hardware")
    if asked.task == "compare":
        return compare(asked.base, groups, asked.most, asked.jobs)
    return (record if asked.task == "record" else check)(asked.folder, groups, asked.most, asked.jobs)


if __name__ == "__main__":
    sys.exit(main())
