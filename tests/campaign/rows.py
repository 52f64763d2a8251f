"""Figures that boards with pieces must reach, one row per kind of people and board; see `--help`.

Each row is played with several seeds in separate processes. With `--base`, the code of another revision plays the same
games for comparison, as far as it supports them.
"""

import argparse
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from random import Random
from shutil import copytree
from tempfile import TemporaryDirectory

from pond_hw.rules import VARIANTS
from tests.campaign.game import play_game
from tests.campaign.oracle import Figures
from tests.campaign.paced_games import BOARDS, plan_rests, plan_touches, play_here, random_games, recorded_games
from tests.campaign.tempo import QuickGame
from tests.campaign.world import has_turn_keys

ROOT = Path(__file__).parents[2]

SEEDS = (11, 59, 137, 829)
"""Seeds that were not used for tuning, unlike 31, 77, 101, 202, 303 and 404."""

FAULTS = ("bounce", "chatter", "dropout", "stuck-on", "stuck-off", "drift", "cross-talk", "chatter,stuck-off")
TEMPI = (0.8, 1.5, 3.0)


@dataclass(frozen=True)
class Row:
    """Row of the table.

    Attributes:
        title: People and board.
        play: Function that plays one game of a seed and returns its figures and failures.
        wanted: Required figures, as text.
        keys: True if turn keys are needed.
        actions_to_a_wrong_game: Minimum number of actions per wrong game, if required.
        asked: Maximum percentage of actions that the board asks about.
        agreed: Minimum fraction of games that end in agreement.
        games: Number of games, played with the first seed only; None to play as many as requested with each seed.
    """

    title: str
    play: object
    wanted: str
    keys: bool = False
    actions_to_a_wrong_game: float | None = None
    asked: float = 100.0
    agreed: float = 0.0
    games: int | None = None

    def is_met(self, figures):
        """Return True if the figures are good enough."""
        one_in = self.actions_to_a_wrong_game
        return (
            (one_in is None or figures.wrong_games * one_in <= figures.intended)
            and 100 * figures.asked <= self.asked * figures.intended
            and figures.agreed + figures.named >= self.agreed * figures.games
        )


def _quick(seed, number, faults=(), tempo=(0.6, 6.0), **options):
    return play_game(seed, number, faults, kind=QuickGame, tempo=tempo, **options)


def _planned(seed, number, touches, *, recorded=False, keys=False, answers=False):
    """Play a game with planned touches on a board without faults."""
    if recorded:
        turns = list(recorded_games())[number]
    else:
        (turns,) = random_games(1, f"{seed} {number}", [list(VARIANTS.values())[number % len(VARIANTS)]])
    played = play_here(turns, touches(turns, f"{seed} {number}"), BOARDS["plain"], keys=keys, answers=answers)
    wrong = int(played.wrong)
    figures = Figures(
        games=1,
        intended=len(turns),
        asked=min(played.asked, len(turns)),
        wrong=wrong,
        wrong_games=wrong,
        agreed=int(not played.fault),
    )
    return figures, [played.fault] if played.fault else []


def _tidy(turns, seed, pace, *, keys=False, even=False):
    return plan_touches(turns, pace, "tidy", turning=False, keys=keys, rng=None if even else Random(seed))


def _rests(turns, seed, seconds):
    return plan_rests(turns, seconds)


def make_rows():
    """Return all rows by name, in the order of the table."""
    plain = {"colours": False, "faces": False}
    rows = {
        "keys-empty": Row(
            "plain, presence, keys, pressed with empty hands, no accidents",
            partial(_quick, **plain, keys=True),
            "0 wrong of 10^6, asked <= 0.5 %",
            keys=True,
            actions_to_a_wrong_game=1e6,
            asked=0.5,
        ),
        "keys-overlap": Row(
            "plain, presence, keys, overlapping hands, accidents, 3 % forgotten",
            partial(_quick, **plain, keys=True, mistakes=True),
            "<= 1 in 5 000, asked <= 1.5 %",
            keys=True,
            actions_to_a_wrong_game=5000,
            asked=1.5,
        ),
        "owner": Row(
            "plain, owner, no keys, 0.6 to 6 s",
            partial(_quick, faces=False, colours=True),
            "<= 1 in 3 000, asked <= 1 %",
            actions_to_a_wrong_game=3000,
            asked=1.0,
        ),
    }
    for pace, right in zip(TEMPI, (28, 30, 30), strict=True):
        rows[f"tidy-{pace:g}"] = Row(
            f"plain, presence, no keys, tidy, {pace:g} s an action",
            partial(_planned, touches=partial(_tidy, pace=pace)),
            f"{right} of 30 games, asked <= 2 %",
            asked=2.0,
            agreed=right / 30,
        )
    rows |= {
        "patient": Row(
            "any, patient with accidents",
            play_game,
            "0 wrong of 10^5, asked <= 0.2 %",
            actions_to_a_wrong_game=1e5,
            asked=0.2,
        ),
        "answers": Row(
            "plain, presence, people wait for each question, 0.35 s after a touch",
            partial(_planned, touches=partial(_rests, seconds=0.35), answers=True),
            "asked <= 2 %",
            asked=2.0,
        ),
        "rests": Row(
            "plain, presence, 1 s of rest after each touch, questions ignored",
            partial(_planned, touches=partial(_rests, seconds=1.0)),
            "100 of 100 games",
            agreed=1.0,
        ),
        "turned": Row(
            "turned, presence, no keys, 0.6 to 6 s",
            partial(_quick, colours=False, faces=True),
            "not worse: 27 of 640 games, asked 4.5 %",
            actions_to_a_wrong_game=630,
            asked=4.5,
        ),
    }
    for keys in (False, True):
        name, title = ("keys-", "keys") if keys else ("", "no keys")
        for pace in (*TEMPI, 6.0):
            rows[f"{name}recorded-{pace:g}"] = Row(
                f"the 20 recorded games, plain, {title}, {pace:g} s an action",
                partial(_planned, recorded=True, keys=keys, touches=partial(_tidy, pace=pace, keys=keys, even=True)),
                "20 of 20 games" if keys else "-",
                keys=keys,
                agreed=float(keys),
                games=20,
            )
        for kinds in FAULTS:
            faults = tuple(kinds.split(","))
            rows[f"{name}{kinds}"] = Row(
                f"{' and '.join(faults)}, plain, {title}, at 0.8, 1.5 and 3 s",
                partial(_faulty, faults=faults, keys=keys, **plain),
                "all in agreement, or the sensor named",
                keys=keys,
                agreed=1.0,
            )
    return rows


def _faulty(seed, number, faults, **options):
    pace = TEMPI[number % len(TEMPI)]
    return _quick(seed, number, faults, tempo=(pace, pace), **options)


ROWS = make_rows()


def play_row(row, seed, games):
    """Play a row's games with one seed. Return the figures as JSON, and the failures."""
    figures, failing = Figures(), []
    for number in range(games):
        one, failures = row.play(seed, number)
        figures += one
        failing += [f"seed {seed}, game {number}: {' '.join(failures)}"] if failures else []
    names = ("games", "intended", "asked", "wrong", "wrong_games", "agreed", "named")
    return {name: value for name, value in asdict(figures).items() if name in names}, failing


def run_row(code, name, seed, games):
    """Play a row's games with the code in a folder, in another process. Return None if the code does not support them."""
    asked = ["--only", name, "--seed", str(seed), "--games", str(games), "--json"]
    command = [sys.executable, "-m", "tests.campaign.rows", *asked]
    answer = json.loads(subprocess.run(command, cwd=code, check=True, stdout=subprocess.PIPE, text=True).stdout)
    return answer and (Figures(**answer[0]), answer[1])


def print_rows(codes, names, seeds, games, jobs, log):
    """Play and print the rows. Return the number of rows that the current code fails."""
    missed = 0
    print(f"seeds {', '.join(map(str, seeds))}; a game is wrong after its first unintended action")
    print(f"{'':72} {'code':6} games  actions  asked %  wrong  games wrong  agreed  required")
    with ThreadPoolExecutor(jobs) as pool:
        running = {}
        for name in names:
            row = ROWS[name]
            for seed in seeds[:1] if row.games else seeds:
                for code, folder in codes.items():
                    job = pool.submit(run_row, folder, name, seed, row.games or games)
                    running.setdefault((name, code), []).append(job)
        for (name, code), jobs_of_row in running.items():
            row, answers = ROWS[name], [job.result() for job in jobs_of_row]
            if None in answers:
                print(f"{row.title:72} {code:6} cannot be played: this code has no turn keys")
                missed += code == "new"
                continue
            figures = sum((answer[0] for answer in answers), Figures())
            is_met = row.is_met(figures)
            missed += code == "new" and not is_met
            named = f" + {figures.named} named" if figures.named else ""
            print(
                f"{row.title:72} {code:6} {figures.games:>5} {figures.intended:>8} "
                f"{100 * figures.asked / figures.intended:>8.2f} {figures.wrong:>6} {figures.wrong_games:>12} "
                f"{figures.agreed:>7}{named}  {row.wanted}{'' if is_met else ': MISSED'}",
                flush=True,
            )
            for line in [line for answer in answers for line in answer[1]] if log else ():
                print(f"    {line}")
    return missed


def main(arguments=None):
    """Play the selected rows. Return 0 if all figures are good enough."""
    asked = _read(arguments)
    if asked.json:
        (name,), (seed,) = asked.only, asked.seed
        row = ROWS[name]
        print(json.dumps(None if row.keys and not has_turn_keys() else play_row(row, seed, asked.games)))
        return 0
    names = [name for name in ROWS if not asked.only or name in asked.only]
    if not asked.base:
        return int(print_rows({"new": ROOT}, names, asked.seed, asked.games, asked.jobs, asked.failing) > 0)
    with TemporaryDirectory(prefix="campaign-base-") as folder:
        archive = subprocess.run(["git", "archive", asked.base], cwd=ROOT, stdout=subprocess.PIPE, check=False)
        if archive.returncode:
            return 2
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        copytree(Path(__file__).parent, Path(folder, "tests", "campaign"), dirs_exist_ok=True)  # the same people
        codes = {"old": Path(folder), "new": ROOT}
        return int(print_rows(codes, names, asked.seed, asked.games, asked.jobs, asked.failing) > 0)


def _read(arguments):
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaign.rows",
        description="Play games and compare the figures with the required ones.",
        epilog=f"Rows: {', '.join(ROWS)}.",
    )
    parser.add_argument("--only", nargs="+", choices=ROWS, metavar="ROW", help="play only these rows (all)")
    parser.add_argument(
        "--seed", nargs="+", type=int, default=SEEDS, help="random seeds, whose figures are added (11 59 137 829)"
    )
    parser.add_argument("--games", type=int, default=40, help="games with each seed (40)")
    parser.add_argument("--base", metavar="REVISION", help="also play the games with the code of this revision")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes (1)")
    parser.add_argument("--failing", action="store_true", help="print the failures of each game")
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
