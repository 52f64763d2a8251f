"""`pond tournament`: play many games between programs and print tables of the results."""

from __future__ import annotations

import json
import re
import shlex
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from pond_hw.commands import many_games
from pond_hw.commands.arguments import (
    FileOption,
    add_flag,
    add_list,
    add_number,
    parse_seconds,
    require_unix,
    variant_option,
)
from pond_hw.commands.command_output import print_note
from pond_hw.commands.many_games import (
    WIDTH,
    Results,
    format_interval,
    format_percent,
    format_share,
    format_signed,
    join_sections,
    make_headings,
    wrap_messages,
)
from pond_hw.engine.external_program import FORFEITS, PROGRAM_PREFIX, ExternalEngine, is_external_name
from pond_hw.interrupts import INTERRUPTED
from pond_hw.lab import workers
from pond_hw.lab.resumable_results import read_batches, read_plan
from pond_hw.lab.tournament import MAX_RECORDS, TournamentProgress, summarize_tournament, write_records
from pond_hw.lab.tournament_plan import SequentialTest, TournamentPlan, check_version, make_plan
from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message
from pond_hw.messages.system_errors import explain_system_errors
from pond_hw.messages.terminal_output import align_columns
from pond_hw.rules import PondError

Names = Mapping[str, str]
"""Names for the tables, by full player name."""

ELO0, ELO1 = -10.0, 10.0

PLAN_OPTIONS = (
    *("players", "variant", "games", "until_decided", "elo0", "elo1"),
    *("seed", "opening", "memory", "move_time"),
)
"""Options that define the plan. They can't be combined with an existing file."""

FILE_OPTIONS = ("out", "resume", "show")
PLAYING_OPTIONS = ("workers", "cluster", "records")


def add_arguments(parser: ArgumentParser) -> None:
    help_text = (
        "two or more players: random, greedy, level-1 to level-12, or a search such as search@d6, search@n10000, mcts@0.2s; "
        "'program:python3 mybot.py' is your own program (docs/bots.md)"
    )
    parser.add_argument("players", metavar="PLAYER", nargs="*", help=help_text)
    add_list(parser, "--variant", "V", "a pond to play on (standard); repeatable", type=variant_option)
    add_number(parser, "--games", "games between each pair of players on each pond (100)")
    help_text = "stop a match as soon as a sequential test shows who is better; --games is then the limit (100000)"
    add_flag(parser, "--until-decided", help_text)
    help_text = "with --until-decided: the lower Elo difference to test (-10)"
    add_number(parser, "--elo0", help_text, parse_elo, metavar="X")
    add_number(parser, "--elo1", "with --until-decided: the higher Elo difference to test (10)", parse_elo, metavar="X")
    add_number(parser, "--seed", "seed for all random choices (0)")
    add_number(parser, "--opening", "random actions at the start (4)", metavar="K")
    add_number(parser, "--memory", "megabytes for each player that looks ahead (32)", metavar="MB")
    help_text = "seconds your own program may think about an action (10)"
    add_number(parser, "--move-time", help_text, parse_seconds, metavar="S")
    many_games.add_worker_options(parser)
    parser.add_argument("--out", metavar="FILE", action=FileOption, help=many_games.OUT_HELP)
    parser.add_argument("--resume", metavar="FILE", action=FileOption, help="continue the tournament in FILE")
    parser.add_argument(
        "--show", metavar="FILE", action=FileOption, help="show the results so far in FILE, and play no games"
    )
    help_text = "write a record of each game to this folder; needs --out, and at most 10000 games"
    parser.add_argument("--records", metavar="FOLDER", help=help_text)
    add_flag(parser, "--json", many_games.RESULT_HELP)


def parse_elo(number_text: str) -> float:
    """Parse an Elo difference, for argparse's `type`."""
    if not re.fullmatch(r"-?[0-9]{1,4}(\.[0-9]{1,2})?", number_text, re.ASCII):
        raise ArgumentTypeError(to_english(Message("tournament.not_elo", text=number_text[:20])))
    return float(number_text)


def run_command(options: Namespace) -> int:
    """Play a tournament, continue one, or show one. Return 130 after Ctrl-C, else 0."""
    _check_files(options)
    _check_playing(options)
    if options.show is not None:
        progress = TournamentProgress(_read_plan(Path(options.show)))
        for batch_result in read_batches(Path(options.show), progress.plan):
            progress.add_batch(batch_result)
        _print_totals(progress, as_object=options.json)
        return 0
    file_name = options.out if options.resume is None else options.resume
    path = None if file_name is None else Path(file_name)
    plan = _make_plan(options) if options.resume is None else _read_plan(Path(options.resume))
    _check_records(options, plan)
    if options.resume is not None:
        try:
            check_version(plan)
        except PondError as error:
            raise PondError(Message("tournament.cannot_resume", file=str(path), reason=error.message)) from None
    if plan.external_players and options.cluster is not None:
        raise PondError(Message("tournament.program_on_cluster"))
    many_games.treat_termination_as_ctrl_c()
    is_new = path is None or not path.exists()
    if is_new:
        _try_programs(plan)  # Fails before the file is created.

    def open_workers() -> AbstractContextManager[workers.Workers]:
        if not is_new:
            _try_programs(plan)
        return many_games.open_workers(options)

    progress = TournamentProgress(plan)
    if not many_games.play_games(progress, path, Message("tournament.resume", file=str(path)), open_workers):
        return INTERRUPTED
    _print_totals(progress, as_object=options.json)
    if options.records is not None and path:
        record_count = write_records(progress, read_batches(path, plan), Path(options.records))
        print_note(Message("export.written", count=record_count, folder=options.records))
    return 0


def _check_files(options: Namespace) -> None:
    """Check that at most one file is given, and that no plan option is combined with an existing file."""
    files = [name for name in FILE_OPTIONS if getattr(options, name) is not None]
    if len(files) > 1:
        raise PondError(Message("tournament.two_files", options=(f"--{files[0]}", f"--{files[1]}")))
    if options.resume is None and options.show is None:
        if not options.until_decided and (options.elo0 is not None or options.elo1 is not None):
            raise PondError(Message("tournament.elo_needs_test"))
    elif given := [name for name in PLAN_OPTIONS if getattr(options, name) not in (None, False, [])]:
        if given[0] == "players":
            raise PondError(Message("tournament.players_in_file"))
        raise PondError(Message("tournament.option_in_file", option=f"--{given[0].replace('_', '-')}"))


def _check_playing(options: Namespace) -> None:
    given = [option_name for option_name in PLAYING_OPTIONS if getattr(options, option_name) is not None]
    if options.show is not None and given:
        raise PondError(Message("tournament.show_plays_nothing", option=f"--{given[0]}"))
    many_games.check_worker_options(options)


def _check_records(options: Namespace, plan: TournamentPlan) -> None:
    if options.records is None:
        return
    if not options.records:
        raise PondError(Message("option.needs_folder", option="--records"))
    if options.out is None and options.resume is None:
        raise PondError(Message("tournament.records_need_out"))
    if not plan.records:
        raise PondError(Message("tournament.no_records", file=options.resume))
    if (total := plan.games * len(plan.all_matches)) > MAX_RECORDS:
        raise PondError(Message("tournament.too_many_records", most=MAX_RECORDS, games=total))
    with explain_system_errors("file.cannot_write", file=options.records):
        try:
            Path(options.records).mkdir(parents=True, exist_ok=True)  # Fail now, not after the last game.
        except FileExistsError:
            raise PondError(Message("tournament.records_not_folder", folder=options.records)) from None


def _make_plan(options: Namespace) -> TournamentPlan:
    if len(options.players) < 2:
        raise PondError(Message("tournament.needs_two"))
    test = None
    if options.until_decided:
        elo0, elo1 = options.elo0, options.elo1
        test = SequentialTest(ELO0 if elo0 is None else elo0, ELO1 if elo1 is None else elo1)
    if options.move_time is not None and not any(map(is_external_name, options.players)):
        raise PondError(Message("tournament.move_time_needs_program"))
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
        raise PondError(Message("tournament.is_study", file=str(path)))
    return plan


def _try_programs(plan: TournamentPlan) -> None:
    """Check, before the first game, that external programs start and play."""
    if plan.external_players:
        require_unix(PROGRAM_PREFIX)
    for program_name in plan.external_players:
        ExternalEngine(program_name, plan.limit).check_program(plan.all_matches[0].variant)


def _print_totals(tournament_progress: TournamentProgress, *, as_object: bool) -> None:
    results = summarize_tournament(tournament_progress)
    print(json.dumps(results, indent=1) if as_object else "\n".join(format_tables(tournament_progress.plan, results)))


def format_tables(plan: TournamentPlan, results: Results) -> list[str]:
    """Return the results of a tournament as lines in 80 columns."""
    names, matches = _shorten_names(plan.players), results["matches"]
    variants = plan.variants if len(plan.variants) < 4 else Message("tournament.ponds", count=len(plan.variants))
    played = Message("tournament.games", count=results["games"], variants=variants)
    sections = [wrap_messages([played, Message("tournament.opening", seed=plan.seed, count=plan.opening)])]
    if not results["complete"]:
        sections[0] += wrap_messages([Message("tournament.unfinished")])
    if len(plan.players) > 2 or len(plan.variants) > 1:
        sections.append(_tabulate_players(results["players"], names))
    sections += [_tabulate_scores(matches, names), _tabulate_games(matches)]
    if test := plan.test:
        verdicts = (_describe_verdict(test, match, names) for match in matches)
        sections.append([f"{number}: {to_english(verdict)}" for number, verdict in enumerate(verdicts, 1)])
    sections += [wrap_messages([forfeits]) for match in matches for forfeits in _describe_forfeits(match, names)]
    if clocked := tuple(plan.timed_players):
        sections.append(wrap_messages([Message("report.by_clock", players=clocked, count=len(clocked))]))
    return join_sections(sections)


def _tabulate_players(players: Sequence[Results], names: Names) -> list[str]:
    rows: list[Sequence[object]] = [make_headings("player", "games", "score", "elo", "interval")]
    for player in sorted(players, key=lambda player: -player["elo"]):
        elo, interval = format_signed(player["elo"]), format_interval(player, format_signed)
        rows.append((names[player["name"]], player["games"], format_percent(player["score"]), elo, interval))
    return align_columns(rows, "lrrrl", WIDTH)


def _tabulate_scores(matches: Sequence[Results], names: Names) -> list[str]:
    """Return a table with the score of each match."""
    headings = make_headings("", "pond", "player", "against", "games", "score", "elo", "interval")
    rows: list[Sequence[object]] = [headings]
    for number, match in enumerate(matches, 1):
        players, score = (names[match["player"]], names[match["against"]]), format_percent(match["score"]["share"])
        difference = format_signed(match["elo"]["difference"]) if match["games"] else ""
        interval = format_interval(match["elo"], format_signed) if match["games"] else ""
        rows.append((number, match["variant"], *players, match["games"], score, difference, interval))
    return align_columns(rows, "rlllrrrl", WIDTH)


def _tabulate_games(matches: Sequence[Results]) -> list[str]:
    """Return a table with the games of each match."""
    headings = make_headings(
        "", "won", "drawn", "lost", "light_share", "actions", "eliminations", "repetitions", "too_long"
    )
    rows: list[Sequence[object]] = [headings]
    for number, match in enumerate(matches, 1):
        share, mean = "", ""
        if match["games"]:
            share, mean = format_share(match["light"]), f"{match['actions']['mean']:.1f}"
        reasons = match["eliminations"], match["repetitions"], match["too_long"]
        rows.append((number, match["won"], match["drawn"], match["lost"], share, mean, *reasons))
    return align_columns(rows, "rrrrlrrrr", WIDTH)


def _shorten_names(names: Sequence[str]) -> dict[str, str]:
    """Return names for the tables. An external program gets the last word of its command if that is unique."""
    short = {name: name for name in names}
    for name in filter(is_external_name, names):
        command_words = " ".join(shlex.split(name.removeprefix(PROGRAM_PREFIX))).split()
        short[name] = Path(command_words[-1]).name[:20] if command_words else name
    return {name: word if word and list(short.values()).count(word) == 1 else name for name, word in short.items()}


def _describe_forfeits(match: Results, names: Names) -> Iterator[Message]:
    """Describe the games in a match that external programs forfeited."""
    for player, counts in match.get("forfeits", {}).items():
        if counts:
            reasons = {reason: counts.get(reason, 0) for reason in FORFEITS}
            who = {"player": names[match[player]], "variant": match["variant"]}
            yield Message("tournament.forfeits", **who, count=sum(counts.values()), **reasons)


def _describe_verdict(test: SequentialTest, match: Results, names: Names) -> Message:
    """Describe the result of the sequential test for a match."""
    verdict = match["test"]
    if not verdict:
        return Message("tournament.undecided", elo0=test.elo0, elo1=test.elo1)
    decided = {"count": verdict["games"], "likelihood": verdict["likelihood"]}
    if test.elo0 == -test.elo1:
        return Message(
            "tournament.better", player=names[match["player" if verdict["better"] else "against"]], **decided
        )
    elo, other_elo = (test.elo1, test.elo0) if verdict["better"] else (test.elo0, test.elo1)
    return Message("tournament.rather", player=names[match["player"]], elo=elo, other=other_elo, **decided)
