"""A tournament as it was asked for on the command line: planned, played, gone on with, shown."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

from pond_hw.commands.command_output import print_note
from pond_hw.commands.many_games import (
    INTERRUPTED,
    GameProgress,
    check_workers,
    open_workers,
    play_games,
    treat_termination_as_ctrl_c,
)
from pond_hw.commands.tournament_text import format_tables
from pond_hw.engine.external_program import ACTION_SECONDS, ExternalEngine, is_external_name
from pond_hw.lab import executor
from pond_hw.lab.game_records import MOST_RECORDS, write_records
from pond_hw.lab.results_file import ResultsFile, read_batches, read_plan
from pond_hw.lab.summary import summarize_tournament
from pond_hw.lab.tournament import TournamentProgress, run_tournament
from pond_hw.lab.tournament_plan import (
    DEFAULT_MEGABYTES,
    DEFAULT_OPENING,
    SequentialTest,
    TournamentPlan,
    check_version,
    make_plan,
)
from pond_hw.messages.plurals import count_noun
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.rules import PondError

ELO0, ELO1 = -10.0, 10.0

PLAN_OPTIONS = (
    *("players", "variant", "games", "until_decided", "elo0", "elo1"),
    *("seed", "opening", "memory", "move_time"),
)
"""What the plan says; who goes on with a file does not say it again."""

FILE_OPTIONS = ("out", "resume", "show")
PLAYING_OPTIONS = ("workers", "cluster", "records")


def play_tournament(options: Namespace) -> int:
    """Play a tournament, go on with one, or show one.

    Args:
        options: what was given on the command line.

    Returns:
        The exit code: 130 if Ctrl-C has stopped it, else 0.

    Raises:
        PondError: it cannot be played as asked.
    """
    _check_files(options)
    _check_playing(options)
    if options.show is not None:
        _print_totals(_read_standing(Path(options.show)), as_object=options.json)
        return 0
    file_name = options.out if options.resume is None else options.resume
    path = None if file_name is None else Path(file_name)
    plan = _make_plan(options) if options.resume is None else _read_plan(Path(options.resume))
    _check_records(options, plan)
    if options.resume is not None:
        _check_resumable(plan, options.resume)
    if plan.external_players and options.cluster is not None:
        raise PondError("A program from outside plays on this machine: leave --cluster out.")
    tournament_progress = TournamentProgress(plan)
    treat_termination_as_ctrl_c()
    is_new = path is None or not path.exists()
    if is_new:
        _try_programs(plan)  # before there is a file

    def play(results_file: ResultsFile | None, progress: GameProgress) -> None:
        if tournament_progress.is_complete:
            return
        if not is_new:
            _try_programs(plan)
        local = options.cluster is None
        with open_workers(options.workers) if local else executor.cluster_executor(options.cluster) as batch_executor:
            run_tournament(tournament_progress, batch_executor, results_file, progress.update)

    if not play_games(tournament_progress, path, f"Go on with: pond tournament --resume {path}", play):
        return INTERRUPTED
    _print_totals(tournament_progress, as_object=options.json)
    if options.records is not None and path:
        records = write_records(tournament_progress, read_batches(path, plan), Path(options.records))
        print_note(f"{count_noun(records, 'game')} written into {options.records}.")
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
    check_workers(options.workers)


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


def _check_resumable(plan: TournamentPlan, file: str) -> None:
    try:
        check_version(plan)
    except PondError as error:
        raise PondError(f"{Path(file)} cannot be gone on with: {error}. `--show` still tells what is in it.") from None


def _make_plan(options: Namespace) -> TournamentPlan:
    """The plan that was asked for on the command line."""
    if len(options.players) < 2:
        raise PondError("A tournament has two players or more: pond tournament random greedy")
    test = None
    if options.until_decided:
        test = SequentialTest(
            ELO0 if options.elo0 is None else options.elo0, ELO1 if options.elo1 is None else options.elo1
        )
    if options.move_time is not None and not any(map(is_external_name, options.players)):
        raise PondError("--move-time goes with a program from outside, such as 'program:python3 mybot.py'.")
    return make_plan(
        options.players,
        [named_variant.name for named_variant in options.variant] or ["standard"],
        game_count=options.games,
        seed=options.seed or 0,
        opening=DEFAULT_OPENING if options.opening is None else options.opening,
        memory=DEFAULT_MEGABYTES if options.memory is None else options.memory,
        test=test,
        records=options.records is not None,
        limit=ACTION_SECONDS if options.move_time is None else options.move_time,
    )


def _read_plan(path: Path) -> TournamentPlan:
    plan = read_plan(path)
    if plan.is_study:
        raise PondError(f"{path} holds a study, and `pond study` with --out {path} goes on with it.")
    return plan


def _read_standing(path: Path) -> TournamentProgress:
    tournament_progress = TournamentProgress(_read_plan(path))
    for piece in read_batches(path, tournament_progress.plan):
        tournament_progress.add_batch(piece)
    return tournament_progress


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
