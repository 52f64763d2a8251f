"""`pond tournament`: many games between programs, and what they come to as a table."""

from __future__ import annotations

import json
import re
import shlex
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from pond_hw.commands import many_games
from pond_hw.commands.arguments import add_flag, add_list, add_number, parse_seconds, variant_option
from pond_hw.commands.command_output import print_note
from pond_hw.commands.report_text import (
    WIDTH,
    Results,
    format_interval,
    format_percent,
    format_share,
    format_signed,
    join_sections,
)
from pond_hw.engine.external_program import PROGRAM_PREFIX, ExternalEngine, is_external_name
from pond_hw.lab import executor
from pond_hw.lab.game_records import MOST_RECORDS, write_records
from pond_hw.lab.results_file import read_batches, read_plan
from pond_hw.lab.summary import summarize_tournament
from pond_hw.lab.tournament import TournamentProgress
from pond_hw.lab.tournament_plan import SequentialTest, TournamentPlan, check_version, make_plan
from pond_hw.messages.columns import align_columns
from pond_hw.messages.plurals import count_noun
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.rules import PondError

Names = Mapping[str, str]
"""What players are called in the tables."""

ELO0, ELO1 = -10.0, 10.0

PLAN_OPTIONS = (
    *("players", "variant", "games", "until_decided", "elo0", "elo1"),
    *("seed", "opening", "memory", "move_time"),
)
"""What the plan says; who goes on with a file does not say it again."""

FILE_OPTIONS = ("out", "resume", "show")
PLAYING_OPTIONS = ("workers", "cluster", "records")


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command takes."""
    help_text = (
        "who plays, two or more: random, greedy, level-1 to level-8, or such as search@d6, search@n10000, mcts@0.2s; "
        "'program:python3 mybot.py' is a program of your own (docs/bots.md)"
    )
    parser.add_argument("players", metavar="PLAYER", nargs="*", help=help_text)
    add_list(parser, "--variant", "V", "a pond to play on (standard); may be given several times", type=variant_option)
    add_number(parser, "--games", "games of each two players on each pond (100)")
    help_text = "stop a match as soon as a sequential test knows who is better; --games is then the most (100000)"
    add_flag(parser, "--until-decided", help_text)
    help_text = "with --until-decided: the Elo of the first is X ... (-10)"
    add_number(parser, "--elo0", help_text, parse_elo, metavar="X")
    add_number(parser, "--elo1", "... or X, which of both is asked (10)", parse_elo, metavar="X")
    add_number(parser, "--seed", "where all chances come from (0)")
    add_number(parser, "--opening", "actions by chance at the beginning (4)", metavar="K")
    add_number(parser, "--memory", "memory of each player that looks ahead (32)", metavar="MB")
    help_text = "seconds that a program of your own has for an action (10)"
    add_number(parser, "--move-time", help_text, parse_seconds, metavar="S")
    add_number(parser, "--workers", many_games.WORKERS_HELP)
    parser.add_argument("--cluster", metavar="ADDRESS", help="play on a Dask cluster: where its scheduler is")
    parser.add_argument("--out", metavar="FILE", help=many_games.OUT_HELP)
    parser.add_argument("--resume", metavar="FILE", help="go on with the tournament in FILE")
    parser.add_argument("--show", metavar="FILE", help="tell what the games in FILE come to so far, and play none")
    help_text = "write a game record of every game into this folder; with --out, and up to 10000 games"
    parser.add_argument("--records", metavar="FOLDER", help=help_text)
    add_flag(parser, "--json", many_games.RESULT_HELP)


def parse_elo(number_text: str) -> float:
    """Read a difference in Elo, for argparse's `type`."""
    if not re.fullmatch(r"-?[0-9]{1,4}(\.[0-9]{1,2})?", number_text, re.ASCII):
        raise ArgumentTypeError(f"{number_text[:20]!r} is not a difference in Elo, such as 10 or -7.5.")
    return float(number_text)


def run_command(options: Namespace) -> int:
    """Play a tournament, go on with one, or show one.

    Returns:
        130 if Ctrl-C has stopped it, else 0.

    Raises:
        PondError: it cannot be played as asked.
    """
    _check_files(options)
    _check_playing(options)
    if options.show is not None:
        standing = TournamentProgress(_read_plan(Path(options.show)))
        for batch_result in read_batches(Path(options.show), standing.plan):
            standing.add_batch(batch_result)
        _print_totals(standing, as_object=options.json)
        return 0
    file_name = options.out if options.resume is None else options.resume
    path = None if file_name is None else Path(file_name)
    plan = _make_plan(options) if options.resume is None else _read_plan(Path(options.resume))
    _check_records(options, plan)
    if options.resume is not None:
        try:
            check_version(plan)
        except PondError as error:
            raise PondError(f"{path} cannot be gone on with: {error}. `--show` still tells what is in it.") from None
    if plan.external_players and options.cluster is not None:
        raise PondError("A program from outside plays on this machine: leave --cluster out.")
    many_games.treat_termination_as_ctrl_c()
    is_new = path is None or not path.exists()
    if is_new:
        _try_programs(plan)  # before there is a file

    def open_executor() -> AbstractContextManager[executor.BatchExecutor]:
        if not is_new:
            _try_programs(plan)
        if options.cluster is None:
            return many_games.open_workers(options.workers)
        return executor.cluster_executor(options.cluster)

    standing = TournamentProgress(plan)
    if not many_games.play_games(standing, path, f"Go on with: pond tournament --resume {path}", open_executor):
        return many_games.INTERRUPTED
    _print_totals(standing, as_object=options.json)
    if options.records is not None and path:
        record_count = write_records(standing, read_batches(path, plan), Path(options.records))
        print_note(f"{count_noun(record_count, 'game')} written into {options.records}.")
    return 0


def _check_files(options: Namespace) -> None:
    """See to it that one file at most is named, and that the plan is not told besides one that is in a file."""
    files = [name for name in FILE_OPTIONS if getattr(options, name) is not None]
    if len(files) > 1:
        raise PondError(f"--{files[0]} and --{files[1]} each name a file: give one of them.")
    if files and not getattr(options, files[0]):
        raise PondError(f"--{files[0]} needs the name of a file.")
    if options.resume is None and options.show is None:
        if not options.until_decided and (options.elo0 is not None or options.elo1 is not None):
            raise PondError("--elo0 and --elo1 go with --until-decided.")
    elif given := [name for name in PLAN_OPTIONS if getattr(options, name) not in (None, False, [])]:
        given_text = "players are" if given[0] == "players" else f"--{given[0].replace('_', '-')} is"
        raise PondError(f"Its {given_text} in the file already; leave that out, or give the whole command with --out.")


def _check_playing(options: Namespace) -> None:
    """See to it that who is to play does not contradict itself."""
    given = [option_name for option_name in PLAYING_OPTIONS if getattr(options, option_name) is not None]
    if options.show is not None and given:
        raise PondError(f"--{given[0]} is for playing, and --show plays nothing.")
    if options.cluster is not None and options.workers is not None:
        raise PondError("A cluster has its own workers: leave --workers out.")
    if options.cluster == "":
        raise PondError("--cluster needs the address of a scheduler, such as tcp://192.168.1.10:8786")
    many_games.check_workers(options.workers)


def _check_records(options: Namespace, plan: TournamentPlan) -> None:
    if options.records is None:
        return
    if not options.records:
        raise PondError("--records needs the name of a folder.")
    if options.out is None and options.resume is None:
        raise PondError("--records goes with --out FILE, in which the games are kept until all are played.")
    if not plan.records:
        raise PondError(f"{options.resume} was begun without --records, so the actions are not in it.")
    if (total := plan.games * len(plan.all_matches)) > MOST_RECORDS:
        raise PondError(f"--records writes a file for each game: {MOST_RECORDS} at the most, not {total}.")
    try:
        Path(options.records).mkdir(parents=True, exist_ok=True)  # now, and not when everything has been played
    except (OSError, ValueError) as error:
        reason_text = "it is no folder" if isinstance(error, FileExistsError) else describe_system_error(error)
        raise PondError(f"{options.records} cannot be written to: {reason_text}.") from None


def _make_plan(options: Namespace) -> TournamentPlan:
    """The plan that was asked for on the command line."""
    if len(options.players) < 2:
        raise PondError("A tournament has two players or more: pond tournament random greedy")
    test = None
    if options.until_decided:
        elo0, elo1 = options.elo0, options.elo1
        test = SequentialTest(ELO0 if elo0 is None else elo0, ELO1 if elo1 is None else elo1)
    if options.move_time is not None and not any(map(is_external_name, options.players)):
        raise PondError("--move-time goes with a program from outside, such as 'program:python3 mybot.py'.")
    return make_plan(
        options.players,
        [variant.name for variant in options.variant] or ["standard"],
        game_count=options.games,
        seed=options.seed,
        opening=options.opening,
        memory=options.memory,
        test=test,
        records=options.records is not None,
        limit=options.move_time,
    )


def _read_plan(path: Path) -> TournamentPlan:
    plan = read_plan(path)
    if plan.is_study:
        raise PondError(f"{path} holds a study, and `pond study` with --out {path} goes on with it.")
    return plan


def _try_programs(plan: TournamentPlan) -> None:
    """See to it that programs from outside start and play, at once and not after an hour.

    Raises:
        PondError: one does not.
    """
    for program_name in plan.external_players:
        ExternalEngine(program_name, plan.limit).check_program(plan.all_matches[0].variant)


def _print_totals(tournament_progress: TournamentProgress, *, as_object: bool) -> None:
    results = summarize_tournament(tournament_progress)
    print(json.dumps(results, indent=1) if as_object else "\n".join(format_tables(tournament_progress.plan, results)))


def format_tables(plan: TournamentPlan, results: Results) -> list[str]:
    """What a tournament comes to, in lines of 80 columns."""
    names, matches = _shorten_names(plan.players), results["matches"]
    variants = ", ".join(plan.variants) if len(plan.variants) < 4 else f"{len(plan.variants)} ponds"
    opening = f"an opening of {plan.opening} by chance" if plan.opening else "no opening"
    games_text = f"{count_noun(results['games'], 'game')} on {variants}"
    sections = [[f"{games_text}; seed {plan.seed}, {opening}, sides swapped."]]
    if not results["complete"]:
        sections[0].append("Not finished: this is what there is so far.")
    if len(plan.players) > 2 or len(plan.variants) > 1:
        sections.append(_tabulate_players(results["players"], names))
    sections += [_tabulate_scores(matches, names), _tabulate_games(matches)]
    if test := plan.test:
        sections.append([_describe_verdict(test, number, match, names) for number, match in enumerate(matches, 1)])
    sections.append([text_line for match in matches for text_line in _describe_forfeits(match, names)])
    if clocked := plan.clocked_players:
        verb_text = "plays" if len(clocked) == 1 else "play"
        sections.append([f"{' and '.join(clocked)} {verb_text} by the clock: another run comes out differently."])
    return join_sections(sections)


def _tabulate_players(players: Sequence[Results], names: Names) -> list[str]:
    rows = [("player", "games", "score", "Elo", "95 %")]
    for player in sorted(players, key=lambda player: -player["elo"]):
        elo, interval = format_signed(player["elo"]), format_interval(player, format_signed)
        rows.append((names[player["name"]], player["games"], format_percent(player["score"]), elo, interval))
    return align_columns(rows, "lrrrl", WIDTH)


def _tabulate_scores(matches: Sequence[Results], names: Names) -> list[str]:
    """A line for each match: who scored how much."""
    rows: list[Sequence[object]] = [("", "pond", "player", "against", "games", "score", "Elo", "95 %")]
    for number, match in enumerate(matches, 1):
        players, score = (names[match["player"]], names[match["against"]]), format_percent(match["score"]["share"])
        difference = format_signed(match["elo"]["difference"]) if match["games"] else ""
        interval = format_interval(match["elo"], format_signed) if match["games"] else ""
        rows.append((number, match["variant"], *players, match["games"], score, difference, interval))
    return align_columns(rows, "rlllrrrl", WIDTH)


def _tabulate_games(matches: Sequence[Results]) -> list[str]:
    """A line for each match: how its games went."""
    headings = ("", "won", "drawn", "lost", "light's share, 95 %", "actions", "elim.", "rep.", "too long")
    rows: list[Sequence[object]] = [headings]
    for number, match in enumerate(matches, 1):
        share, mean = "", ""
        if match["games"]:
            share, mean = format_share(match["light"]), f"{match['actions']['mean']:.1f}"
        reasons = match["eliminations"], match["repetitions"], match["too_long"]
        rows.append((number, match["won"], match["drawn"], match["lost"], share, mean, *reasons))
    return align_columns(rows, "rrrrlrrrr", WIDTH)


def _shorten_names(names: Sequence[str]) -> dict[str, str]:
    """The names for a table: of a program from outside the last word of its command, if that tells it apart."""
    short = {name: name for name in names}
    for name in filter(is_external_name, names):
        command_words = " ".join(shlex.split(name.removeprefix(PROGRAM_PREFIX))).split()
        short[name] = Path(command_words[-1]).name[:20] if command_words else name
    return {name: word if word and list(short.values()).count(word) == 1 else name for name, word in short.items()}


def _describe_forfeits(match: Results, names: Names) -> Iterator[str]:
    """What programs from outside have lost by themselves in a match."""
    for player, reason_counts in match.get("forfeits", {}).items():
        if reason_counts:
            games_text = count_noun(sum(reason_counts.values()), "game")
            reasons_text = ", ".join(f"{forfeit_count} {reason}" for reason, forfeit_count in reason_counts.items())
            yield f"{names[match[player]]} lost {games_text} on {match['variant']} by itself: {reasons_text}."


def _describe_verdict(test: SequentialTest, match_number: int, match: Results, names: Names) -> str:
    """What the test says about a match."""
    verdict = match["test"]
    if not verdict:
        return f"{match_number}: not decided between {test.elo0:+g} and {test.elo1:+g}."
    if test.elo0 == -test.elo1:
        better = names[match["player" if verdict["better"] else "against"]]
        answer = f"{match_number}: {better} is better"
    else:
        elo, other_elo = (test.elo1, test.elo0) if verdict["better"] else (test.elo0, test.elo1)
        answer = f"{match_number}: {names[match['player']]} is rather {elo:+g} than {other_elo:+g}"
    return f"{answer}; decided after {count_noun(verdict['games'], 'game')} (LLR {verdict['likelihood']:+.2f})."
