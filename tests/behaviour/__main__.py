"""Recording and checking; `python -m tests.behaviour --help` tells how."""

import argparse
import gzip
import hashlib
import importlib.util
import json
import shutil
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from time import monotonic

from tests.behaviour import commands
from tests.behaviour.case import Case
from tests.behaviour.games import game, journal
from tests.behaviour.walks import walk_maker

GROUPS = ("headless", "setup", "counting", "journals", "profiles", "help", "hardware")
GAMES, WALKS, JOURNALS, RECORDS = 300, 136, 30, 12
MANIFEST = "manifest.json"


def store(folder: Path, name: str, text: str) -> str:
    """Write a text, and give its digest; the same text makes the same file."""
    data = gzip.compress(text.encode(errors="surrogateescape"), mtime=0)
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def load(folder: Path, name: str) -> str:
    return gzip.decompress((folder / name).read_bytes()).decode(errors="surrogateescape")


def can_build() -> bool:
    """Whether the libraries for `pond hardware build` are here."""
    return all(map(importlib.util.find_spec, ("manifold3d", "wireviz", "schemdraw"))) and bool(shutil.which("dot"))


def record(folder: Path, groups: Sequence[str], most: int, jobs: int) -> int:
    """Make the cases, run them, and keep what goes in and comes out."""
    if folder.exists() and any(folder.iterdir()):
        print(f"{folder} is not empty.")
        return 2
    begun, manifest = monotonic(), dict[str, str]()
    outs: dict[str, dict[str, str]] = {group: {} for group in GROUPS}
    with ThreadPoolExecutor(jobs) as pool:

        def run(group: str, makers: Sequence[Callable[[], Case]]) -> None:
            def one(make: Callable[[], Case]) -> tuple[Case, str]:
                case = make()
                return case, case.run()

            for case, out in pool.map(one, makers[:most]):
                manifest[f"{group}/{case.name}.in.gz"] = store(folder, f"{group}/{case.name}.in.gz", case.text())
                manifest[f"{group}/{case.name}.out.gz"] = store(folder, f"{group}/{case.name}.out.gz", out)
                outs[group][case.name] = out
            print(f"{group}: {len(outs[group])} cases, {monotonic() - begun:.0f} s since the beginning", flush=True)

        def ready(cases: Sequence[Case]) -> list[Callable[[], Case]]:
            return [partial(Case.read, case.text()) for case in cases]

        for group in groups:
            match group:
                case "headless":
                    run(group, [partial(game, number) for number in range(GAMES)])
                case "setup":
                    walk = walk_maker()
                    run(group, [partial(walk, number) for number in range(WALKS)])
                case "counting":
                    told = commands.records_in(outs["headless"])
                    some = dict(list(told.items())[:: max(1, len(told) // RECORDS)])
                    run(group, ready(commands.counting({**commands.given_records(), **some})))
                case "journals":
                    kept = [partial(journal, number) for number in range(JOURNALS)]
                    run(group, [*ready(commands.given_journals()), *kept])
                case "profiles":
                    run(group, ready(commands.profiles(list(outs["setup"].values()))))
                case "help":
                    run(group, ready(commands.help_cases()))
                case "hardware" if not can_build():
                    print("hardware: skipped, since `make hardware` and graphviz have not been installed here")
                case "hardware":
                    run(group, ready(commands.hardware()))
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")
    return 0


def difference(old: str, new: str) -> str:
    """The first line that differs, as it was and as it is, around the place where it begins to."""
    before, after = old.splitlines(), new.splitlines()
    at = next(
        (n for n, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]),
        min(len(before), len(after)),
    )
    lines = [text[at] if at < len(text) else "(nothing more)" for text in (before, after)]
    place = next((n for n, pair in enumerate(zip(*lines, strict=False)) if pair[0] != pair[1]), min(map(len, lines)))
    begin = max(0, place - 80)
    return "".join(
        f"\n    {word} {'…' * (begin > 0)}{line[begin : begin + 240]}"
        for word, line in zip(("was", "is "), lines, strict=True)
    )


def check(folder: Path, groups: Sequence[str], most: int, jobs: int) -> int:
    """Run the cases again, and tell what differs."""
    manifest: dict[str, str] = json.loads((folder / MANIFEST).read_text())
    spoilt = [name for name, sha in manifest.items() if hashlib.sha256((folder / name).read_bytes()).hexdigest() != sha]
    if spoilt:
        print(f"These have been changed since they were recorded: {', '.join(spoilt)}")
        return 2
    begun, differ = monotonic(), 0
    with ThreadPoolExecutor(jobs) as pool:
        for group in groups:
            names = [name for name in manifest if name.startswith(f"{group}/") and name.endswith(".in.gz")][:most]
            if group == "hardware" and names and not can_build():
                print("hardware: skipped, since `make hardware` and graphviz have not been installed here")
                continue
            news = pool.map(lambda name: Case.read(load(folder, name)).run(), names)
            told = []
            for name, new in zip(names, news, strict=True):
                outcome = name.replace(".in.gz", ".out.gz")
                old = load(folder, outcome)
                if old != new:
                    told.append(f"  {outcome}{difference(old, new)}")
            differ += len(told)
            line = f"{group}: {len(names)} cases, {len(told)} differ, {monotonic() - begun:.0f} s since the beginning"
            print("\n".join([line, *told]), flush=True)
    return int(differ > 0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Record or check; 1 if anything differs, 2 if that cannot be told."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.behaviour", description="Whether Pond still does what it did."
    )
    parser.add_argument("what", choices=("record", "check"))
    parser.add_argument("folder", type=Path, help="where inputs and outputs are kept")
    parser.add_argument("--only", action="append", choices=GROUPS, help="this group; several times (all)")
    parser.add_argument("--most", type=int, default=10**6, metavar="N", help="so many cases of each group (all)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="cases at once (2)")
    asked = parser.parse_args(arguments)
    groups = [group for group in GROUPS if group in (asked.only or GROUPS)]
    return (record if asked.what == "record" else check)(asked.folder, groups, asked.most, asked.jobs)


if __name__ == "__main__":
    sys.exit(main())
