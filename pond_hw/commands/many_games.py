"""Code shared by tournaments and studies: workers, progress, interruption and report text."""

from __future__ import annotations

import signal
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from textwrap import wrap
from threading import current_thread, main_thread
from time import monotonic
from typing import Any

from pond_hw.commands.arguments import add_number
from pond_hw.commands.command_output import print_note
from pond_hw.commands.progress_line import ProgressLine
from pond_hw.lab import workers
from pond_hw.lab.resumable_results import ResultsFile
from pond_hw.lab.tournament import TournamentProgress, run_tournament
from pond_hw.messages.catalogue import get_catalogue, to_english
from pond_hw.messages.message import Message
from pond_hw.rules import PondError

MAX_WORKERS = 256

WIDTH = 80
"""Width of a report in columns."""

Results = Mapping[str, Any]
"""JSON results of a study or a tournament, or a part of them."""

OUT_HELP = "save all games in FILE; if it already has games, continue it"
RESULT_HELP = "print the result as one JSON object"


def add_worker_options(parser: ArgumentParser) -> None:
    add_number(parser, "--workers", "number of processes (one per core)")
    parser.add_argument("--cluster", metavar="ADDRESS", help="play on a Dask cluster: the address of its scheduler")


def check_worker_options(options: Namespace) -> None:
    worker_count = options.workers
    if options.cluster is not None and worker_count is not None:
        raise PondError(Message("many.workers_of_cluster"))
    if options.cluster == "":
        raise PondError(Message("many.needs_address"))
    if worker_count is not None and not 1 <= worker_count <= MAX_WORKERS:
        raise PondError(Message("many.wrong_workers", most=MAX_WORKERS, workers=worker_count))


def treat_termination_as_ctrl_c() -> None:
    """Handle SIGTERM like Ctrl-C, so that the games are kept and the user learns how to continue."""
    if current_thread() is main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)


def open_workers(options: Namespace) -> AbstractContextManager[workers.Workers]:
    """Open the cluster or local worker processes. By default, open one worker per core."""
    if options.cluster is not None:
        return workers.cluster_workers(options.cluster)
    return workers.local_workers(options.workers or min(MAX_WORKERS, workers.count_cores()))


def describe_progress(tournament_progress: TournamentProgress, game_count: int, seconds: float) -> Message:
    """Describe the progress of a tournament, including the rate of this run if it has played any games."""
    progress = Message(
        f"many.progress.{'at_most' if tournament_progress.plan.test else 'of'}",
        played=tournament_progress.counted_games,
        total=tournament_progress.total_games,
    )
    if not game_count or not seconds:
        return progress
    rate = game_count / seconds
    return Message("many.rate", progress=progress, rate=round(rate, 0 if rate >= 10 else 1 if rate >= 1 else 3))


def play_games(
    tournament_progress: TournamentProgress,
    path: Path | None,
    resume_advice: Message,
    open_workers: Callable[[], AbstractContextManager[workers.Workers]],
    on_complete: Callable[[], None] = lambda: None,
) -> bool:
    """Play the remaining games. If there is a file, continue from its games and save the new ones.

    Args:
        tournament_progress: progress so far, which is updated.
        path: results file, or None.
        resume_advice: advice printed after an interruption if there is a file.
        open_workers: function that opens the workers; called only if games remain.
        on_complete: function called after the last game. Ctrl-C interrupts it too.

    Return False if Ctrl-C stopped the games, after printing a note. Raise PondError if the games can't continue.
    """
    advice = resume_advice if path else Message("many.nothing_kept")
    with ResultsFile(path, tournament_progress.plan) if path else nullcontext() as results_file:
        for batch_result in results_file.read_batches() if results_file else ():
            tournament_progress.add_batch(batch_result)
        progress, begin_instant, played_before = ProgressLine(), monotonic(), tournament_progress.played

        def show_progress(tournament_progress: TournamentProgress) -> None:
            state = describe_progress(
                tournament_progress, tournament_progress.played - played_before, monotonic() - begin_instant
            )
            progress.show_state(state, tournament_progress.counted_games / tournament_progress.total_games)

        show_progress(tournament_progress)
        try:
            if not tournament_progress.is_complete:
                with open_workers() as batch_workers:
                    run_tournament(tournament_progress, batch_workers, results_file, show_progress)
            progress.clear_line()
            on_complete()
        except KeyboardInterrupt:
            if sys.stderr.isatty():
                print(file=sys.stderr)  # The terminal has printed ^C on this line.
            print_note(Message("many.stopped", count=tournament_progress.counted_games, advice=advice))
            return False
        except PondError as error:
            progress.clear_line()
            if tournament_progress.played == played_before:
                raise
            raise PondError(Message("many.failed", reason=error.message, advice=advice)) from None
    return True


# Results in 80 columns


def make_headings(*columns: str) -> list[Message | str]:
    """Return the table headings, from the messages `column.NAME`. An empty name gives an empty heading."""
    return [Message(f"column.{column}") if column else "" for column in columns]


def wrap_messages(messages: Iterable[Message]) -> list[str]:
    """Wrap messages into one paragraph in English."""
    return wrap(get_catalogue().text(messages), WIDTH)


def join_sections(sections: Iterable[Sequence[str]]) -> list[str]:
    """Join the non-empty sections, with an empty line between them."""
    return [text_line for section in sections if section for text_line in ("", *section)][1:]


def format_percent(share: float | None) -> str:
    """Format a share as a percentage; None gives an empty string."""
    return "" if share is None else f"{100 * share:.1f} %"


def format_signed(signed_value: float) -> str:
    """Format a number as a rounded integer with its sign."""
    return f"{signed_value:+.0f}" if abs(signed_value) >= 0.5 else "0"


def format_interval(interval_ends: Results, format_end: Callable[[Any], str] = format_percent) -> str:
    """Format an interval. An end that is None is open."""
    low_end, high_end = interval_ends["low"], interval_ends["high"]
    if low_end is None and high_end is None:
        return ""
    if high_end is None:
        return to_english(Message("report.or_more", low=format_end(low_end)))
    if low_end is None:
        return to_english(Message("report.or_less", high=format_end(high_end)))
    return to_english(Message("report.interval", low=format_end(low_end).removesuffix(" %"), high=format_end(high_end)))


def format_share(share_result: Results) -> str:
    return f"{format_percent(share_result['share'])}  {format_interval(share_result)}"
