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
GAMES, WALKS, JOURNALS, RECORDS = 300, 104, 24, 12
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


def makers(group: str, folder: Path) -> Sequence[Callable[[], Case]]:
    """What makes the cases of a group; some are made of what came out of others."""
    match group:
        case "headless":
            return [partial(game, number) for number in range(GAMES)]
        case "setup":
            walk = walk_maker()
            return [partial(walk, number) for number in range(WALKS)]
        case "counting":
            played = {path.name[:-7]: load(path.parent, path.name) for path in outcomes(folder / "headless")}
            found = commands.records_in(played)
            some = dict(list(found.items())[:: max(1, len(found) // RECORDS)])
            cases = commands.counting({**commands.given_records(), **some})
        case "journals":
            given = [partial(Case.read, case.text()) for case in commands.given_journals()]
            return [*given, *(partial(journal, number) for number in range(JOURNALS))]
        case "profiles":
            cases = commands.profiles([load(path.parent, path.name) for path in outcomes(folder / "setup")])
        case "help":
            cases = commands.help_cases()
        case _:
            cases = commands.hardware()
    return [partial(Case.read, case.text()) for case in cases]


def outcomes(folder: Path) -> list[Path]:
    """What came out of a group that was recorded."""
    return sorted(folder.glob("*.out.gz"))


def record(folder: Path, groups: Sequence[str], most: int, jobs: int) -> int:
    """Make the cases, run them, and keep what goes in and comes out."""
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
            for case, out in pool.map(one, makers(group, folder)[:most]):
                number += 1
                for name, text in ((f"{group}/{case.name}.in.gz", case.text()), (f"{group}/{case.name}.out.gz", out)):
                    manifest[name] = store(folder, name, text)
            (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")
            print(f"{group}: {number} cases, {monotonic() - begun:.0f} s since the beginning", flush=True)
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
    return f", line {at + 1}" + "".join(
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
    if "hardware" in groups and not can_build():
        print("hardware: skipped, since `make hardware` and graphviz have not been installed here")
        groups.remove("hardware")
    return (record if asked.what == "record" else check)(asked.folder, groups, asked.most, asked.jobs)


if __name__ == "__main__":
    sys.exit(main())
