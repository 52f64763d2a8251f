"""`pond study`: is a pond fair? One player against itself, many games, told in words, tables and pictures.

`words` is pure, `pictures` draws with Matplotlib; here is what plays and prints.
"""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path

from pond_hw.commands.engine_games import News, beside, check_workers, end_as_by_ctrl_c, say, say_interrupted
from pond_hw.commands.progress import Progress
from pond_hw.commands.solve import SIZE, about_so_many
from pond_hw.commands.study_text import text
from pond_hw.engine.packed import compiled
from pond_hw.engine.searcher import MEGABYTES
from pond_hw.lab.fairness import Study, as_object
from pond_hw.lab.openings import Worth, solved, valued
from pond_hw.lab.results_file import Ledger
from pond_hw.lab.tournament import carry_out
from pond_hw.lab.tournament_plan import Plan, made
from pond_hw.messages.plurals import count_noun
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.rules import Cell, PondError, Variant

__all__ = ["run"]

GAMES = 200
"""Games on each pond, unless somebody says otherwise."""

MOST_PONDS = 8
"""More of them no picture holds."""

NODES = 20_000
"""Positions that the player looks at for each action: a game takes less than a second then, if compiled."""

LOOK = (50_000, 2_000_000)
"""Positions that are looked at for the values of the first actions, plain and compiled: some seconds."""

OPENING = 2
"""Actions by chance at the beginning: one of each side, so that neither has the better of it."""

SOLVED = (20_000, 1_500_000)
"""Ponds with no more positions than so many are solved besides, plain and compiled: some seconds."""


def run(asked: Namespace) -> int:
    """Study ponds, or go on with it.

    Args:
        asked: what was given on the command line.

    Returns:
        The exit code: 130 if Ctrl-C has stopped it, else 0.

    Raises:
        PondError: it cannot be done as asked.
    """
    plan = _plan(asked)
    look = LOOK[compiled()] if asked.look is None else asked.look
    folder = None if asked.plots is None else _folder(asked.plots)
    path = None if asked.out is None else Path(asked.out)
    study = Study(plan)
    with Ledger(path, plan) if path else nullcontext() as ledger:
        for piece in ledger.pieces() if ledger else ():
            study.put(piece)
        news = News(sys.stderr, study)
        end_as_by_ctrl_c()
        try:
            if not study.complete:
                with beside(asked.workers) as playing:
                    carry_out(study, playing, ledger, news.told)
            news.over()
            worths, truths = _openings(study, look)
        except KeyboardInterrupt:
            say_interrupted(f"stopped after {count_noun(study.counted, 'game')}. {_how_to_go_on(path)}")
            return 130
        except PondError as error:
            news.over()
            if not news.played(study):
                raise
            raise PondError(f"{str(error).rstrip('.')}. {_how_to_go_on(path)}") from None
    told = as_object(study, worths, truths)
    print(json.dumps(told, indent=1) if asked.json else "\n".join(text(plan, told)), flush=True)
    if folder:
        from pond_hw.commands import study_plots

        names = study_plots.draw(told, folder)
        say(f"{', '.join(names)} drawn in {folder}.")
    return 0


def _plan(asked: Namespace) -> Plan:
    """The plan that was asked for on the command line."""
    check_workers(asked.workers)
    if asked.player is not None and asked.nodes is not None:
        raise PondError("--nodes is for the usual player, which looks at so many positions; leave out --player or it.")
    if asked.out == "":
        raise PondError("--out needs the name of a file.")
    if asked.look is not None and asked.look < 1:
        raise PondError(f"The first actions are looked at with 1 position or more, not {asked.look}.")
    if len(asked.variants) > MOST_PONDS:
        raise PondError(f"{MOST_PONDS} ponds can be compared at the most, not {len(asked.variants)}.")
    player = asked.player or f"search@n{NODES if asked.nodes is None else asked.nodes}"
    return made(
        [player],
        [pond.name for pond in asked.variants],
        games=GAMES if asked.games is None else asked.games,
        seed=asked.seed,
        opening=OPENING if asked.opening is None else asked.opening,
        records=True,
    )


def _folder(name: str) -> Path:
    """A folder for pictures; before hours of games it is known that they can be drawn there.

    Raises:
        PondError: they cannot.
    """
    if not name:
        raise PondError("--plots needs the name of a folder.")
    from pond_hw.commands import study_plots

    study_plots.check()
    folder = Path(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise PondError(f"{name} cannot be a folder: {describe_system_error(error)}.") from None
    return folder


def _openings(study: Study, look: int) -> tuple[list[Worth], list[Mapping[Cell, int] | None]]:
    """What the first actions are worth on each pond, and what they are really worth where that can be known."""
    worths, truths = list[Worth](), list[Mapping[Cell, int] | None]()
    with Progress() as progress:
        for number, seen in enumerate(study.seen):

            def told(words: str = f"the first actions on {seen.pond} are looked at", done: int = number) -> bool:
                progress.tell(words, done / len(study.seen) if done else None)
                return False  # nobody wants it to stop

            worths.append(valued(seen.pond, look, MEGABYTES, told))
            truths.append(solved(seen.pond) if _small(seen.pond) else None)
    return worths, truths


def _small(pond: Variant) -> bool:
    """Whether a pond is solved in no time."""
    return pond.size == SIZE and about_so_many(pond) <= SOLVED[compiled()]


def _how_to_go_on(path: Path | None) -> str:
    return "The same command goes on." if path else "Nothing was kept; with --out FILE it could go on."
