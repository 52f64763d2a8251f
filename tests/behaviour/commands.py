"""Cases without a conversation: counts, records, tournaments, journals, profiles, hardware and help."""

import json
import re
from pathlib import Path
from random import Random

from tests.behaviour.case import ROOT, Case, Step, encode_content, start_pond, temporary_folder
from tests.behaviour.games import PONDS, POSITIONS, QUERIES
from tests.behaviour.walks import list_profiles

LINES = Path(__file__).with_name("lines.txt")
"""Command lines, most of them invalid; the first is empty."""

TOURNAMENTS = (
    "random greedy level-1 --games 6 --seed 1 --json",
    "random greedy --games 20 --variant mini --workers 2",
    "level-2 search@d2 --games 4 --variant 3x3/9/5 --opening 2",
    "mcts@n100 random --games 4 --variant mini",
    "search@n300 level-3 --games 2 --variant big --json",
    "random greedy --until-decided --games 200",
    "random level-1 --games 6 --seed 5 --out t.jsonl --records records --variant mini --variant 3x3/4/3",
    "greedy random --until-decided --elo0 0 --elo1 50 --games 60 --json --variant mini --out t.jsonl",
)

STUDIES = (
    "3x3/4/3 mini --games 6 --nodes 100 --look 300",
    "standard --games 4 --player greedy --look 200 --json",
    "mini --games 8 --player level-1 --look 200 --out s.jsonl --seed 4",
    "big 3x3/9/5 --games 4 --player random --look 100 --json",
)

DURATION_MASKS = [r"\d+(\.\d+)? s\b", r"\[stderr\]\n(?:(?!\[exit).*\n)*(?=\[exit 0\])"]
"""Patterns for durations, and for the progress reports of long runs."""

MACHINE_MASKS = [r"(?m)^ok     (?:pond|packages|python|storage|system): .*\n(?: {7}.*\n)*"]
"""Patterns for results of `pond doctor` that depend on the machine."""


def _make_case(group: str, name: str, *lines: str, **more: object) -> Case:
    """Return a case that runs command lines. Words are separated by spaces, except in quotes."""
    steps = [Step([word.strip("'") for word in re.findall(r"'[^']*'|\S+", line)]) for line in lines]
    return Case(group, name, steps, **more)  # type: ignore[arg-type]


def help_cases() -> list[Case]:
    with temporary_folder({}) as folder:
        commands = re.findall(
            r"^  ([a-z-]+)  +\S", start_pond(["--help", "all"], folder).communicate()[0].decode(), re.MULTILINE
        )
    lines = [*LINES.read_text().splitlines(), *(f"{command} --help" for command in commands if command[0] != "-")]
    lines += [f"{command} --no-such-option" for command in commands if command[0] != "-"]
    long = ("tournament ", "study ", "solve ")
    return [
        _make_case("help", f"line-{index:03}", line, masks=DURATION_MASKS if line.startswith(long) else [])
        for index, line in enumerate(lines)
    ]


def counting_cases(records: dict[str, bytes]) -> list[Case]:
    """Return cases for perft, positions, solutions, tournaments, studies, and all commands that read a record."""
    cases = []
    for index, pond in enumerate(PONDS):
        deep = 4 if pond.startswith("3x3") else 3
        lines = [
            f"perft {pond} {deep}",
            f"perft {pond} 2 --divide",
            f"show {pond}",
            f"legal {pond}",
            f"apply {pond} @b2",
        ]
        cases.append(_make_case("counting", f"pond-{index:02}", *lines))
    for index, position in enumerate(POSITIONS):
        ponds = {3: "3x3/9/5", 4: "standard", 5: "big"}
        words = f"'{position}' --variant {ponds.get(position.partition(' ')[0].count('/') + 1, 'mini')}"
        lines = [f"{each} {words}" for each in ("show", "legal", "perft --divide")]
        lines[2] = f"perft {words} 2"
        lines += [f"apply {words} {action}" for action in ("@b1", "b2b3", "@b4", "d1d2", "a1c1")] + [
            f"show '{position}'"
        ]
        cases.append(_make_case("counting", f"position-{index:02}", *lines))
    for index, pond in enumerate(("3x3/1/1", "3x3/2/1", "3x3/2/2", "3x3/3/2")):
        cases.append(_make_case("counting", f"solve-{index}", f"solve {pond}", masks=DURATION_MASKS))
    lines = [
        f"solve 3x3/2/1 --position '{each}'" for each in (".../.e./..E l 1 1 0 0", ".T./.../..e d 1 1 0 0", "... l")
    ]
    cases.append(_make_case("counting", "solve-positions", *lines, masks=DURATION_MASKS))
    for index, line in enumerate(TOURNAMENTS):
        more = (
            [f"tournament {each} t.jsonl" for each in ("--show", "--resume", "--json --show")]
            if "t.jsonl" in line
            else []
        )
        one, kept = "" if "--workers" in line else " --workers 1", ["*.jsonl", "*.pond"]
        cases.append(
            _make_case(
                "counting", f"tournament-{index}", f"tournament {line}{one}", *more, kept=kept, masks=DURATION_MASKS
            )
        )
    for index, line in enumerate(STUDIES):
        cases.append(
            _make_case(
                "counting", f"study-{index}", f"study {line} --workers 1", kept=["*.jsonl"], masks=DURATION_MASKS
            )
        )
    for name, content in records.items():
        lines = ["replay g.pond --text", "analyse g.pond --nodes 60", "analyse g.pond --nodes 30 --json -o more.pond"]
        files = {"g.pond": encode_content(content)}
        cases.append(
            _make_case("counting", f"record-{name}", *lines, files=files, kept=["more.pond"], masks=DURATION_MASKS)
        )
    return cases


def collect_records() -> dict[str, bytes]:
    """Return the records in the tests' folders, intact and damaged."""
    found = {path.stem: path.read_bytes() for path in sorted((ROOT / "tests").rglob("games/*.pond"))}
    for name, content in list(found.items()):
        found[f"{name}-damaged"] = damage(content.decode(), Random(name)).encode()
    return found


def damage(text: str, rng: Random) -> str:
    """Return a text with one change: a line removed or doubled, a word removed, or a character replaced."""
    lines = text.splitlines(keepends=True)
    places = [index for index, line in enumerate(lines) if line.strip() and not line.startswith("#")]
    index = rng.choice(places)
    line = lines[index]
    match rng.choice([0, 1, 2, 2, 3, 3, 3, 4, 4]):
        case 0:
            lines[index] = ""
        case 1:
            lines[index] = line + line
        case 2:
            lines[index] = line.replace(rng.choice(line.split()), "", 1)
        case 3 if numbers := list(re.finditer(r"\d+", line)):
            number = rng.choice(numbers)
            lines[index] = line[: number.start()] + rng.choice(["-1", "0", "3", "99", "1e9"]) + line[number.end() :]
        case _:
            place = rng.randrange(len(line))
            lines[index] = line[:place] + rng.choice("xeET@=.\"'[]9") + line[place + 1 :]
    return "".join(lines)


def journal_cases() -> list[Case]:
    """Return cases for the journals in the tests' folders, with all queries about their games."""
    databases = sorted(path for path in (ROOT / "tests").rglob("format-*/*.db"))
    cases = []
    for index, path in enumerate(databases):
        files = {f"games/journal-1.db{end}": path.with_name(path.name + end) for end in ("", "-wal")}
        held = {name: encode_content(each.read_bytes()) for name, each in files.items() if each.exists()}
        steps = [
            Step([*arguments, "--journal", "games"])
            for arguments in (*QUERIES, ["show-game", "2"], ["replay", "2", "--text"])
        ]
        name = f"given-{index}-{path.stem}"
        cases.append(Case("journals", name, steps, held, kept=["*.pond"]))
    return cases


def profile_cases(setup_outputs: list[str]) -> list[Case]:
    """Return cases for built-in and damaged profiles, and for profiles saved by set-up."""
    texts = {path.name: path.read_text() for path in sorted(ROOT.glob("pond*/**/boards/*.toml"))}
    cases = [_make_case("profiles", f"ship-{name}", f"boards {name}") for name in list_profiles()]
    for index in range(12 * len(texts)):
        name, rng = sorted(texts)[index % len(texts)], Random(f"profile {index}")
        files = {name: encode_content(damage(texts[name], rng).encode())}
        line = f"setup --headless --pretend --board {name}"
        cases.append(_make_case("profiles", f"damaged-{index:03}", f"boards {name}", line, files=files))
    written = r"(?ms)^=== \S+?/([\w-]+\.measured\.toml)\n(.*?)(?====|\[stderr|\[exit|\$ pond)"
    saved = re.findall(written, "".join(setup_outputs))
    for index, (name, text) in enumerate(saved[:30]):
        was = text.replace("<now>", "2026-05-04T19:00:00+00:00")
        content = damage(was, Random(f"measured {index}")) if index % 2 else was
        board = name.partition(".")[0]
        files = {f"home/.local/state/pond/boards/{name}": encode_content(content.encode())}
        lines = [f"boards {board}", f"setup --headless --board {board}", f"doctor --board {board}"]
        cases.append(_make_case("profiles", f"measured-{index:02}-{board}", *lines, files=files, masks=MACHINE_MASKS))
    return cases


def hardware_cases() -> list[Case]:
    """Return cases that build the hardware files of each board."""
    built = [name for name in list_profiles() if not name.startswith(("simulated", "pwm"))]
    lines = [(name, f"hardware build {name} -o built") for name in built]
    return [_make_case("hardware", name, line, kept=["built/**/*"], masks=DURATION_MASKS) for name, line in lines]


def find_last_records(outputs: dict[str, str]) -> dict[str, bytes]:
    """Return the last record that each of these games sent."""
    found = {}
    for name, text in outputs.items():
        if arguments := re.findall(r'^\{"type":"record".*?"record":("(?:[^"\\]|\\.)*")', text, re.MULTILINE):
            found[name] = json.loads(arguments[-1]).encode()
    return found
