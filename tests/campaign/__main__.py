"""Command line of the campaign; see `--help`."""

import argparse
import sys
from time import perf_counter

from pond_hw.simulator.sensor_faults import FAULT_KINDS
from tests.campaign.game import CampaignGame, play_game
from tests.campaign.oracle import MAX_ASKED, MAX_ASKED_QUICK, Band, Figures
from tests.campaign.tempo import BANDS, QuickGame

COMPANION_INTERVAL = 25
"""Interval between games that use the real loop with lamps."""

COMPANION_INTERVAL_QUICK = 200
"""The same interval for quick people. In their games, the loop dominates the run time."""


def main(arguments=None):
    """Run the games. Return 0 on success, 1 after a failure."""
    asked = _read(arguments)
    faults = tuple(filter(None, asked.faults.split(",")))
    if unknown := [kind for kind in faults if kind not in FAULT_KINDS]:
        print(f"There is no fault {unknown[0]!r}. There are {', '.join(FAULT_KINDS)}.")
        return 2
    how = {"faults": faults}
    if asked.tempo:
        how |= {"kind": QuickGame, "tempo": asked.tempo, "mistakes": asked.mistakes, "keys": asked.keys}
    if asked.game is not None:
        return _one(asked.seed, asked.game, how, is_logged=asked.tell)
    begun = perf_counter()
    figures, failing = Figures(), []
    for number in range(asked.first, asked.first + asked.games):
        one, failures = play_game(asked.seed, number, **how, through_companion=_through_companion(number, how))
        figures += one
        failing += [(number, failures)] if failures else []
    print("\n".join(report(figures, failing, asked.seed, faults, perf_counter() - begun)))
    if failing:
        number = failing[0][0]
        print(f"\nLog of game {number}:\n")
        _one(asked.seed, number, how, is_logged=True)
    return int(bool(complaints(figures, failing, faults)))


def report(figures, failing, seed, faults, seconds):
    """Yield the lines of the report."""
    share = figures.asked / figures.intended if figures.intended else 0.0
    noise, hours = ", ".join(faults) or "ordinary noise", figures.simulated / 3600
    yield f"seed {seed}, {noise}; {figures.games} games, {hours:.0f} hours at the table"
    yield f"intended actions          {figures.intended:>9}"
    yield f"understood                {figures.understood:>9}"
    yield f"asked about               {figures.asked:>9}  {100 * share:.2f} %"
    yield f"announced, then counted   {figures.announced:>9}"
    yield f"wrong actions             {figures.wrong:>9}  {figures.wrong_games} games with these or unintended undos"
    yield f"mistakes made             {figures.mistakes:>9}"
    yield f"mistakes repaired         {figures.repaired:>9}"
    yield f"intended undos            {figures.intended_undos:>9}"
    yield f"undone                    {figures.taken_back:>9}  {figures.by_screen} at a screen"
    yield f"unintended undos          {figures.unintended_undos:>9}"
    yield f"immediate second turns    {figures.quick:>9}"
    yield f"games finished            {figures.finished:>9}  of {figures.games}; the others were abandoned"
    yield f"ended in agreement        {figures.agreed:>9}  of {figures.games}; {figures.masked} sensors still masked"
    yield f"excluded as lookalikes    {figures.lookalikes:>9}"
    for kind, count in sorted(figures.kinds.items()):
        yield f"    {kind:<62} {count:>7}"
    yield from by_tempo(figures)
    yield f"{figures.intended / seconds:.0f} actions a second, {seconds:.0f} seconds"
    yield from complaints(figures, failing, faults)


def by_tempo(figures):
    """Yield the lines of a table with a row per tempo; none for patient people."""
    if not figures.bands:
        return
    bands = {name: figures.bands[name] for name in BANDS if name in figures.bands}
    yield (
        "pace         games  actions  s/action  wrong   undos  asked %  waited s/game  no wait %  one at most %"
        "  mismatches/game  agreed"
    )
    for name, band in (*bands.items(), ("in total", sum(bands.values(), Band()))):
        games = band.games
        yield (
            f"{name:11} {games:>6} {band.intended:>8} {band.seconds / max(1, band.gaps):>9.2f} {band.wrong:>6}"
            f" {band.unintended_undos:>7} {100 * band.asked / max(1, band.intended):>8.2f} {band.waited / games:>14.2f}"
            f" {100 * band.without_wait / games:>10.0f} {100 * band.one_wait / games:>14.0f}"
            f" {band.mismatches / games:>16.2f} {band.agreed:>7}"
        )


def complaints(figures, failing, faults):
    """Return the failures as sentences."""
    said = []
    if figures.wrong:
        said.append(f"FAILED: {figures.wrong} wrong actions counted.")
    if figures.unintended_undos:
        said.append(f"FAILED: {figures.unintended_undos} turns were undone unintentionally.")
    if figures.agreed < figures.games:
        said.append(f"FAILED: {figures.games - figures.agreed} games did not end in agreement.")
    most = MAX_ASKED_QUICK if figures.bands else MAX_ASKED
    if not faults and figures.asked > most * figures.intended:
        said.append(f"FAILED: the board asked about more than {100 * most:g} % of the actions.")
    for number, sentences in failing[:20]:
        said.append(f"    game {number}: {' '.join(sentences)}")
    return said


def _read(arguments):
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaign", description="Play games with pieces by simulated people."
    )
    parser.add_argument("--games", type=int, default=100, help="number of games (100)")
    parser.add_argument("--first", type=int, default=0, help="number of the first game (0), to continue a run")
    parser.add_argument("--seed", type=int, default=1, help="random seed (1)")
    parser.add_argument(
        "--faults",
        default="",
        metavar="KIND,...",
        help=f"sensor faults besides ordinary noise: {', '.join(FAULT_KINDS)}",
    )
    parser.add_argument(
        "--tempo",
        type=_tempo,
        metavar="LOW-HIGH",
        help="quick people: seconds per action of the fastest and the slowest",
    )
    parser.add_argument("--mistakes", action="store_true", help="with --tempo: add accidents, which --faults includes")
    parser.add_argument(
        "--keys", action="store_true", help="with --tempo: a turn counts only after its turn key is pressed"
    )
    parser.add_argument("--game", type=int, help="play only this game of the seed")
    parser.add_argument("--tell", action="store_true", help="print the log of that game")
    return parser.parse_args(arguments)


def _tempo(text):
    try:
        low, high = map(float, text.split("-"))
    except ValueError:
        low = high = 0.0
    if not 0.2 <= low <= high:
        raise argparse.ArgumentTypeError(f"{text!r} is not a range of seconds from 0.2 up, such as 0.6-6")
    return low, high


def _one(seed, number, how, *, is_logged):
    log_lines = [] if is_logged else None
    options = (
        {"kind": CampaignGame} | how | {"through_companion": _through_companion(number, how), "log_lines": log_lines}
    )
    campaign_game = options.pop("kind")(seed, number, **options)
    campaign_game.play()
    print("\n".join(log_lines or [f"game {number}: {' '.join(campaign_game.oracle.failures) or 'all is well'}"]))
    return int(bool(campaign_game.oracle.failures))


def _through_companion(number, how):
    every = COMPANION_INTERVAL_QUICK if "tempo" in how else COMPANION_INTERVAL
    return number % every == every - 1


if __name__ == "__main__":
    sys.exit(main())
