"""`pond tournament`: many games between programs, and what they come to as a table."""

from __future__ import annotations

import json
import shlex
import sys
from argparse import Namespace
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from pond_hw.commands.engine_games import (
    News,
    aligned,
    beside,
    check_workers,
    end_as_by_ctrl_c,
    from_to,
    percent,
    say,
    say_interrupted,
    signed,
)
from pond_hw.engine.external_program import PREFIX, SECONDS, OutsideMind, is_outside
from pond_hw.lab import executor
from pond_hw.lab.game_records import MOST_RECORDS, write_records
from pond_hw.lab.results_file import Ledger, pieces_in, plan_in
from pond_hw.lab.summary import totals
from pond_hw.lab.tournament import Standing, carry_out
from pond_hw.lab.tournament_plan import MEMORY, OPENING, Plan, Sprt, can_go_on, made
from pond_hw.messages.plurals import count_noun
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.rules import PondError

ELO0, ELO1 = -10.0, 10.0

PLANNED = ("players", "variant", "games", "until_decided", "elo0", "elo1", "seed", "opening", "memory", "move_time")
"""What the plan says; who goes on with a file does not say it again."""


def run(asked: Namespace) -> int:
    """Play a tournament, go on with one, or show one.

    Args:
        asked: what was given on the command line.

    Returns:
        The exit code: 130 if Ctrl-C has stopped it, else 0.

    Raises:
        PondError: it cannot be played as asked.
    """
    _check(asked)
    if asked.show is not None:
        _show(Path(asked.show), for_program=asked.json)
        return 0
    named = asked.out if asked.resume is None else asked.resume
    path = None if named is None else Path(named)
    plan = _plan(asked) if asked.resume is None else _plan_in(Path(asked.resume))
    _check_records(asked, plan)
    if asked.resume is not None:
        try:
            can_go_on(plan)
        except PondError as error:
            raise PondError(f"{path} cannot be gone on with: {error}. `--show` still tells what is in it.") from None
    if plan.outside and asked.cluster is not None:
        raise PondError("A program from outside plays on this machine: leave --cluster out.")
    standing = Standing(plan)
    end_as_by_ctrl_c()
    if begins := path is None or not path.exists():
        _try_out(plan)  # before there is a file
    with Ledger(path, plan) if path else nullcontext() as ledger:
        for piece in ledger.pieces() if ledger else ():
            standing.put(piece)
        news = News(sys.stderr, standing)
        try:
            if not standing.complete:
                if not begins:
                    _try_out(plan)
                here = asked.cluster is None
                with beside(asked.workers) if here else executor.cluster(asked.cluster) as playing:
                    carry_out(standing, playing, ledger, news.told)
        except KeyboardInterrupt:
            say_interrupted(f"stopped after {count_noun(standing.counted, 'game')}. {_how_to_go_on(path)}")
            return 130
        except PondError as error:
            news.over()
            if not news.played(standing):
                raise
            raise PondError(f"{str(error).rstrip('.')}. {_how_to_go_on(path)}") from None
        news.over()
    _tell(standing, for_program=asked.json)
    if asked.records is not None and path:
        many = write_records(standing, pieces_in(path, plan), Path(asked.records))
        say(f"{count_noun(many, 'game')} written into {asked.records}.")
    return 0


def _try_out(plan: Plan) -> None:
    """See to it that programs from outside start and play, at once and not after an hour.

    Raises:
        PondError: one does not.
    """
    for name in plan.outside:
        OutsideMind(name, plan.limit).try_out(plan.matches[0].pond)


def _plan_in(path: Path) -> Plan:
    plan = plan_in(path)
    if plan.alone:
        raise PondError(f"{path} holds a study, and `pond study` with --out {path} goes on with it.")
    return plan


def _show(path: Path, *, for_program: bool) -> None:
    standing = Standing(_plan_in(path))
    for piece in pieces_in(path, standing.plan):
        standing.put(piece)
    _tell(standing, for_program=for_program)


def _check(asked: Namespace) -> None:
    """See to it that what was asked for does not contradict itself."""
    files = [name for name in ("out", "resume", "show") if getattr(asked, name) is not None]
    if len(files) > 1:
        raise PondError(f"--{files[0]} and --{files[1]} each name a file: give one of them.")
    if files and not getattr(asked, files[0]):
        raise PondError(f"--{files[0]} needs the name of a file.")
    given = [name for name in PLANNED if getattr(asked, name) not in (None, False, [])]
    if asked.resume is not None or asked.show is not None:
        if given:
            what = "players are" if given[0] == "players" else f"--{given[0].replace('_', '-')} is"
            raise PondError(f"Its {what} in the file already; leave that out, or give the whole command with --out.")
    elif not asked.until_decided and (asked.elo0 is not None or asked.elo1 is not None):
        raise PondError("--elo0 and --elo1 go with --until-decided.")
    playing = [name for name in ("workers", "cluster", "records") if getattr(asked, name) is not None]
    if asked.show is not None and playing:
        raise PondError(f"--{playing[0]} is for playing, and --show plays nothing.")
    if asked.cluster is not None and asked.workers is not None:
        raise PondError("A cluster has its own workers: leave --workers out.")
    if asked.cluster == "":
        raise PondError("--cluster needs the address of a scheduler, such as tcp://192.168.1.10:8786")
    check_workers(asked.workers)


def _check_records(asked: Namespace, plan: Plan) -> None:
    if asked.records is None:
        return
    if not asked.records:
        raise PondError("--records needs the name of a folder.")
    if asked.out is None and asked.resume is None:
        raise PondError("--records goes with --out FILE, in which the games are kept until all are played.")
    if not plan.records:
        raise PondError(f"{asked.resume} was begun without --records, so the actions are not in it.")
    if (many := plan.games * len(plan.matches)) > MOST_RECORDS:
        raise PondError(f"--records writes a file for each game: {MOST_RECORDS} at the most, not {many}.")
    try:
        Path(asked.records).mkdir(parents=True, exist_ok=True)  # now, and not when everything has been played
    except (OSError, ValueError) as error:
        why = "it is no folder" if isinstance(error, FileExistsError) else describe_system_error(error)
        raise PondError(f"{asked.records} cannot be written to: {why}.") from None


def _plan(asked: Namespace) -> Plan:
    """The plan that was asked for on the command line."""
    if len(asked.players) < 2:
        raise PondError("A tournament has two players or more: pond tournament random greedy")
    test = None
    if asked.until_decided:
        test = Sprt(ELO0 if asked.elo0 is None else asked.elo0, ELO1 if asked.elo1 is None else asked.elo1)
    if asked.move_time is not None and not any(map(is_outside, asked.players)):
        raise PondError("--move-time goes with a program from outside, such as 'program:python3 mybot.py'.")
    return made(
        asked.players,
        [pond.name for pond in asked.variant] or ["standard"],
        games=asked.games,
        seed=asked.seed or 0,
        opening=OPENING if asked.opening is None else asked.opening,
        memory=MEMORY if asked.memory is None else asked.memory,
        test=test,
        records=asked.records is not None,
        limit=SECONDS if asked.move_time is None else asked.move_time,
    )


def _how_to_go_on(path: Path | None) -> str:
    if path:
        return f"Go on with: pond tournament --resume {path}"
    return "Nothing was kept; with --out FILE it could go on."


def _tell(standing: Standing, *, for_program: bool) -> None:
    told = totals(standing)
    print(json.dumps(told, indent=1) if for_program else "\n".join(table(standing.plan, told)))


def table(plan: Plan, told: dict[str, Any]) -> list[str]:
    """What a tournament comes to, for 80 columns."""
    ponds = ", ".join(plan.variants) if len(plan.variants) < 4 else f"{len(plan.variants)} ponds"
    opening = f"an opening of {plan.opening} by chance" if plan.opening else "no opening"
    lines = [f"{count_noun(told['games'], 'game')} on {ponds}; seed {plan.seed}, {opening}, sides swapped."]
    if not told["complete"]:
        lines.append("Not finished: this is what there is so far.")
    lines.append("")
    matches, rows, short = told["matches"], list[Sequence[str]](), _short(plan.players)
    if len(plan.players) > 2 or len(plan.variants) > 1:
        rows = [("player", "games", "score", "Elo", "95 %")]
        for each in sorted(told["players"], key=lambda each: -each["elo"]):
            games, score = str(each["games"]), percent(each["score"])
            rows.append((short[each["name"]], games, score, signed(each["elo"]), from_to(each, signed)))
        lines += [*aligned(rows, "lrrrl"), ""]
    rows = [("", "pond", "player", "against", "games", "score", "Elo", "95 %")]
    for number, each in enumerate(matches, 1):
        names = each["variant"], short[each["player"]], short[each["against"]]
        elo = each["elo"]
        rows.append(
            (str(number), *names, str(each["games"]), percent(each["score"]["share"]))
            + ((signed(elo["difference"]), from_to(elo, signed)) if each["games"] else ("", ""))
        )
    lines += [*aligned(rows, "rlllrrrl"), ""]
    rows = [("", "won", "drawn", "lost", "light's share, 95 %", "actions", "elim.", "rep.", "too long")]
    for number, each in enumerate(matches, 1):
        light, actions = each["light"], each["actions"]
        share = f"{percent(light['share'])}  {from_to(light, percent)}" if each["games"] else ""
        mean = "" if actions["mean"] is None else f"{actions['mean']:.1f}"
        counts = (str(each[name]) for name in ("eliminations", "repetitions", "too_long"))
        rows.append((str(number), *(str(each[name]) for name in ("won", "drawn", "lost")), share, mean, *counts))
    lines += aligned(rows, "rrrrlrrrr")
    if plan.test:
        lines += ["", *(_verdict(plan.test, number, each, short) for number, each in enumerate(matches, 1))]
    lost = [_lost(each, which, short) for each in matches for which in each.get("forfeits", ())]
    if any(lost):
        lines += ["", *filter(None, lost)]
    if plan.by_the_clock:
        clock = " and ".join(plan.by_the_clock)
        play = "plays" if len(plan.by_the_clock) == 1 else "play"
        lines += ["", f"{clock} {play} by the clock: another run comes out differently."]
    return lines


def _short(names: Sequence[str]) -> dict[str, str]:
    """The names for a table: of a program from outside the last word of its command, if that tells it apart."""
    last = {name: _program(name) if is_outside(name) else name for name in names}
    return {name: word if word and list(last.values()).count(word) == 1 else name for name, word in last.items()}


def _program(name: str) -> str:
    words = " ".join(shlex.split(name.removeprefix(PREFIX))).split()
    return Path(words[-1]).name[:20] if words else name


def _lost(match: dict[str, Any], which: str, short: dict[str, str]) -> str:
    """What a program from outside has lost by itself in a match; nothing if nothing."""
    lost = match["forfeits"][which]
    if not lost:
        return ""
    why = ", ".join(f"{many} {reason}" for reason, many in lost.items())
    return (
        f"{short[match[which]]} lost {count_noun(sum(lost.values()), 'game')} on {match['variant']} by itself: {why}."
    )


def _verdict(test: Sprt, number: int, match: dict[str, Any], short: dict[str, str]) -> str:
    """What the test says about a match."""
    decided = match["test"]
    if not decided:
        return f"{number}: not decided between {test.elo0:+g} and {test.elo1:+g}."
    elo = test.elo1 if decided["better"] else test.elo0
    told = f"{number}: {short[match['player']]} is rather {elo:+g} than {test.elo0 + test.elo1 - elo:+g}"
    if test.elo0 == -test.elo1:
        told = f"{number}: {short[match['player' if decided['better'] else 'against']]} is better"
    return f"{told}; decided after {count_noun(decided['games'], 'game')} (LLR {decided['likelihood']:+.2f})."
