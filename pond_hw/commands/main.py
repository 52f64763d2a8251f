"""The command `pond`. What a command needs is imported when it is asked for: start-up stays light."""

from __future__ import annotations

import argparse
import io
import json
import logging
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from pond_hw import __version__
from pond_hw.commands.parser import CommandParser
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.rules import (
    STANDARD,
    Action,
    PondError,
    Position,
    Record,
    RecordError,
    Variant,
    legal_actions,
    play,
    read_record,
    variant,
)

if TYPE_CHECKING:
    from pond_hw.blackbox import BlackBox
    from pond_hw.engine import Player, Thinks
    from pond_hw.simulator.options import Pieces

DEEPEST = 30
"""No perft this deep ends in a lifetime; a larger number is a slip of the finger."""

FASTEST = 1000
"""How many times as fast as it was a board may be shown again, at the most."""

LONGEST_REST = 3600
"""Seconds that `pond bench` watches a companion at rest, at the most."""

SOLVED_IN = 1000
"""Megabytes that `pond solve` may take, if no number is named."""

LONGEST_NAME = 30
"""Letters of a player's name, at the most."""

PLAY, GAMES, MANY = "Play", "Games that were played", "Many games"
BOARDS, PROGRAMS = "Boards and set-up", "For programs and shells"
"""The groups of commands."""

SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")
"""The shells that `pond completion` knows."""

HELP_ON_COMMANDS = "`pond COMMAND --help` tells more about a command."

PLAYERS = {"play": ("human", "level-2"), "serve": ("human", "human")}
"""Who plays light and dark, if nobody is named."""

LAMPS = 1
"""Lamps in a cell where there is no window, if no number is named."""

FIRST_POND = {3: "3x3/9/5", 4: "standard", 5: "big"}
"""What is played first on a board of so many rows, if nothing is named."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: what stands behind `pond` on the command line.

    Returns:
        The exit code: 0, 1 if `pond doctor` has found a fault, or 2 after a sentence on standard error that says what
        is wrong and what to do.
    """
    _open_what_is_closed()
    _print_what_cannot_be_encoded()
    asked = argparse.Namespace(prints=True)
    try:
        try:
            asked = parser().read(arguments)
            code: int = asked.run(asked) or 0
        finally:
            sys.stdout.flush()
    except PondError as error:
        _complain(f"pond: {error}")
        return 2
    except KeyboardInterrupt:
        _complain("", only_to_people=True)
        return 130
    except BrokenPipeError:  # whoever read our output has gone; there is nobody to say anything to
        _say_no_more(sys.stdout)
        return 1
    except OSError as error:
        if error.filename is not None:
            what = f"{os.fsdecode(error.filename)} cannot be used"
        else:
            what = "The output cannot be written" if asked.prints else "The system refuses what is needed"
        _say_no_more(sys.stdout)
        _complain(f"pond: {what}: {describe_system_error(error)}.")
        return 2
    return code


def _open_what_is_closed() -> None:
    """A standard stream that is closed (`>&-`) is None to Python; give it one that is empty and swallows all."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - open until the end


def _print_what_cannot_be_encoded() -> None:
    """Letters that the output's encoding has not are printed as question marks, and end nothing."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="replace")


def _complain(line: str, *, only_to_people: bool = False) -> None:
    """Print a line on standard error, if anything can be printed there."""
    if not only_to_people or sys.stderr.isatty():
        try:
            print(line, file=sys.stderr, flush=True)
        except OSError:
            _say_no_more(sys.stderr)


def _say_no_more(stream: TextIO) -> None:
    """Keep the interpreter from writing at its end what could not be written before."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def parser() -> CommandParser:
    """The parser of all commands."""
    groups = (PLAY, GAMES, MANY, BOARDS, PROGRAMS)
    about = "Pond, on a board that lights up."
    commands = CommandParser(groups, prog="pond", description=about, epilog=HELP_ON_COMMANDS)
    version = f"pond {__version__}"
    commands.add_argument("-V", "--version", action="version", version=version, help="print the version and leave")

    def command(group: str, name: str, run: object, told: str) -> argparse.ArgumentParser:
        sub = commands.add_command(name, group, told)
        sub.set_defaults(run=run, prints=run not in (_play, _serve, _dark))
        return sub

    def takes_variant(sub: argparse.ArgumentParser, told: str) -> None:
        sub.add_argument("--variant", metavar="V", type=_variant, help=f"{told}; a name, or NxN/S/T such as 3x3/9/5")

    def takes_start(sub: argparse.ArgumentParser, told: str) -> None:
        sub.add_argument("position", metavar="POSITION|VARIANT", help=told)
        takes_variant(sub, "the pond the position stands in (standard; five rows: big)")

    def takes_position(name: str, run: object, told: str) -> argparse.ArgumentParser:
        sub = command(PROGRAMS, name, run, told)
        takes_start(sub, "a position on one line, in quotes; a variant: its start")
        return sub

    board = command(PLAY, "play", _play, "Play on the lit board in this terminal.")
    takes_variant(board, "the pond to play (standard)")
    _takes_players(board, *PLAYERS["play"])
    _takes_names(board)
    _takes_lamps(board, "as many as the window has room for; 16 with --record")
    served = "play on the board that `pond serve` serves on this machine; PATH: its socket, if it is in no usual place"
    board.add_argument("--connect", metavar="PATH", nargs="?", const="", help=served)
    _takes_pieces(board)
    _takes_record(board)
    _takes_journal(board, "your own state folder")

    serve = command(BOARDS, "serve", _serve, "Serve a board until told to end: a real one, or one that is simulated.")
    _takes_board(serve)
    takes_variant(serve, "the first pond to play (standard; five rows: big)")
    _takes_players(serve, *PLAYERS["serve"])
    _takes_names(serve)
    serve.add_argument("--socket", metavar="PATH", help="where others may join in (in the runtime folder)")
    _takes_record(serve)
    _takes_journal(serve, "the service's state folder, or your own")
    serve.add_argument("--verbose", action="store_true", help="tell more on standard error")

    _takes_board(command(BOARDS, "dark", _dark, "Leave the lamps of a board dark, whatever was left on them."))

    setup = command(BOARDS, "setup", _setup, "Set up a board: find faults, learn wires and lamps, measure sensors.")
    _takes_board(setup)
    setup.add_argument("--step", metavar="STEP", help="begin with this step, such as map or sensors (a menu)")
    setup.add_argument("--cell", metavar="CELL", action="append", default=[], help="for this cell only; several times")
    setup.add_argument("--headless", action="store_true", help="led by JSON lines; docs/protocol.md tells them")
    setup.add_argument("--pretend", action="store_true", help="on a pretended board with this profile")
    wrong = "what is wrong with a pretended board, such as never:b2, swapped:b2:c2, broken:7, colours:RGB"
    setup.add_argument("--flaw", metavar="KIND:...", action="append", default=[], help=wrong)
    setup.add_argument("--seed", metavar="N", type=_whole, default=0, help="the chances of a pretended board (0)")
    _takes_record(setup)

    boards = command(BOARDS, "boards", _boards, "List the boards there are profiles for, or describe one of them.")
    boards.add_argument("board", metavar="PROFILE", nargs="?", help="one of them, or the path of a .toml of your own")

    doctor = command(BOARDS, "doctor", _doctor, "Check everything around the board, and say how to fix what is wrong.")
    _takes_board(doctor, required=False)
    doctor.add_argument("--json", action="store_true", help="one JSON object; docs/doctor.md tells its keys")

    report = command(BOARDS, "report", _report, "Print a text to show when asking for help; it holds nothing personal.")
    _takes_board(report, required=False)
    report.add_argument("-o", metavar="FILE", dest="file", help="write it to a new file")

    bench = command(BOARDS, "bench", _bench, "Measure how fast and how light the companion is on this machine.")
    bench.add_argument("--seconds", metavar="N", type=_whole, default=10, help="how long to watch each rest (10)")

    headless = command(PROGRAMS, "headless", _headless, "Drive a simulated board by JSON lines (docs/protocol.md).")
    takes_variant(headless, "the pond to play first (standard); the board just fits it")
    _takes_lamps(headless, str(LAMPS))
    headless.add_argument("--frames", action="store_true", help="show the lamps after every state")
    _takes_seats(headless, "human", "human")
    headless.add_argument("--seed", metavar="N", type=_whole, help="the chances of faults and programs (0)")
    _takes_pieces(headless)
    _takes_record(headless)
    _takes_journal(headless, "nowhere")

    counting = command(PROGRAMS, "perft", _perft, "Count the legal sequences of exactly DEPTH actions.")
    takes_start(counting, "where to count from; a variant: its start")
    counting.add_argument("depth", metavar="DEPTH", type=_depth, help="how many actions")
    counting.add_argument("--divide", action="store_true", help="count each first action by itself, then all")

    solving = command(MANY, "solve", _solve, "Solve a pond of three rows: who wins, if both sides do their best.")
    solving.add_argument("variant", metavar="VARIANT", type=_variant, help="the pond, such as 3x3/6/3")
    told = "tell about this position of it too, and each action there; several times"
    solving.add_argument("--position", metavar="POSITION", action="append", default=[], help=told)
    allowed = f"megabytes that its tables may take ({SOLVED_IN})"
    solving.add_argument("--memory", metavar="MB", type=_some("megabytes"), default=SOLVED_IN, help=allowed)

    takes_position("legal", _legal, "Print the legal actions, a line each.")
    takes_position("show", _show, "Draw a position.")
    apply = takes_position("apply", _apply, "Play one action and print the turn as JSON.")
    apply.add_argument("action", metavar="ACTION", help="@b2 places an egg, b2b3 moves a piece")

    def takes_record(name: str, run: object, told: str) -> argparse.ArgumentParser:
        sub = command(PLAY, name, run, told)
        kept = "or a kept game: a number that `pond games` lists, or `last`"
        sub.add_argument("record", metavar="FILE.pond", help=f"the record; - reads standard input; {kept}")
        sub.add_argument("--journal", metavar="FOLDER", help="where games are kept (your own state folder)")
        return sub

    replay = takes_record("replay", _replay, "Step through a game in this terminal; elsewhere, print how it ends.")
    replay.add_argument("--text", action="store_true", help="print how it ends, in a terminal too")
    _takes_lamps(replay, "as many as the window has room for")

    analyse = takes_record("analyse", _analyse, "Tell what each action of a game was worth, and where it turned.")
    analyse.add_argument("--depth", metavar="N", type=_ahead, help="look so many actions ahead")
    analyse.add_argument("--deep", action="store_true", help="take minutes, not seconds: as --nodes 100000")
    usual = "look at so many positions for each action (5000, if there is no other bound)"
    analyse.add_argument("--nodes", metavar="N", type=_some("positions"), help=usual)
    long = "look so long at each action; then the same game may be told otherwise next time"
    analyse.add_argument("--seconds", metavar="S", type=_between(0.1, 3600, " of seconds"), help=long)
    analyse.add_argument("--json", action="store_true", help="one JSON object")
    analyse.add_argument("-o", metavar="FILE", dest="to", help="write the record with the values to a new file, too")

    def takes_games(name: str, run: object, told: str, many: str = "") -> argparse.ArgumentParser:
        sub = command(GAMES, name, run, told)
        which = "a number that `pond games` lists, or `last`"
        if many == "1":
            sub.add_argument("game", metavar="N", help=which)
        elif many:
            sub.add_argument("games", metavar="N", nargs=many, help=which)
        sub.add_argument("--journal", metavar="FOLDER", help="where games are kept (your own state folder)")
        return sub

    games = takes_games("games", _games, "List the games that were played, the newest last.")
    takes_variant(games, "only games on this pond")
    games.add_argument("--player", metavar="NAME", help="only games of this player")
    games.add_argument("--unfinished", action="store_true", help="only games that are not over")
    games.add_argument("--last", metavar="N", type=_some("games"), help="only so many, the newest ones")
    games.add_argument("--json", action="store_true", help="one JSON object")

    takes_games("show-game", _show_game, "Show a game: its record, how it stands, what was taken back.", "1")

    export = takes_games("export", _export, "Write games as records (.pond).", "*")
    where = "a new file, or a folder if there are several games (standard output)"
    export.add_argument("-o", metavar="FILE|FOLDER", dest="to", help=where)
    export.add_argument("--all", action="store_true", help="every game")

    brought = takes_games("import", _import, "Put game records among the games that were played.")
    brought.add_argument("records", metavar="FILE.pond", nargs="+", help="a record; - reads standard input")

    takes_games("resume", _resume, "Have a game that was left offered when a board starts next.", "1")

    statistics = takes_games("statistics", _statistics, "Tell what the finished games come to.")
    statistics.add_argument("--by", choices=("player", "variant"), help="a line for each player, or each pond")
    statistics.add_argument("--json", action="store_true", help="one JSON object")

    delete = takes_games("delete-game", _delete_game, "Delete games for good. It asks first.", "+")
    delete.add_argument("--yes", action="store_true", help="do not ask")

    _takes_tournament(command(MANY, "tournament", _tournament, "Have programs play against each other, many games."))

    _takes_study(command(MANY, "study", _study, "Find out whether ponds are fair; one player meets itself."))

    hardware = command(BOARDS, "hardware", _hardware, "Make the files to build a board from: wiring, parts, STL files.")
    hardware.add_argument("what", metavar="build", choices=("build",), help="make all files of a board")
    hardware.add_argument("board", metavar="PROFILE", help="a name that `pond boards` lists, or the path of a .toml")
    hardware.add_argument("-o", metavar="FOLDER", dest="folder", help="where to (hardware/NAME here)")

    completion = command(PROGRAMS, "completion", _completion, "Print the script with which a shell completes `pond`.")
    shells = "bash, zsh, fish, tcsh or powershell; README.md tells where it goes"
    completion.add_argument("shell", metavar="SHELL", choices=SHELLS, help=shells)

    again = command(BOARDS, "replay-board", _replay_board, "Show again what `--record` has kept of a board.")
    again.add_argument("box", metavar="FILE", help="what was recorded")
    fast = "how many times as fast as it was (1)"
    again.add_argument("--speed", metavar="X", type=_between(0.01, FASTEST), default=1.0, help=fast)
    again.add_argument("--text", action="store_true", help="print it all, a line for each thing that happened")
    return commands


def _takes_players(sub: argparse.ArgumentParser, light: str, dark: str) -> None:
    from pond_hw.engine import AS_USUAL

    _takes_seats(sub, light, dark)
    sub.add_argument("--seed", metavar="N", type=_whole, help="the chances of programs (new ones each time)")
    told = "how long a level takes for an action, 0.1 to 3600 (until it is ready, 3 at most)"
    sub.add_argument("--think", metavar="SECONDS", type=_between(0.1, 3600, " of seconds"), help=told)
    told = f"how much memory a level may fill with positions, 1 to 4096 ({AS_USUAL.megabytes:g})"
    sub.add_argument("--memory", metavar="MB", type=_between(1, 4096, " of megabytes"), help=told)
    sub.add_argument("--ponder", action="store_true", help="levels go on thinking while you think")


def _takes_seats(sub: argparse.ArgumentParser, light: str, dark: str) -> None:
    from pond_hw.engine import NAMES

    for side, usual in (("light", light), ("dark", dark)):
        who = f"who plays {side}: human, random, greedy, or level-1 to level-8 ({usual})"
        sub.add_argument(f"--{side}", metavar="PLAYER", choices=NAMES, help=who)


def _takes_tournament(sub: argparse.ArgumentParser) -> None:
    who = "who plays, two or more: random, greedy, level-1 to level-8, or such as search@d6, search@n10000, mcts@0.2s; "
    who += "'program:python3 mybot.py' is a program of your own (docs/bots.md)"
    sub.add_argument("players", metavar="PLAYER", nargs="*", help=who)
    pond = "a pond to play on (standard); may be given several times"
    sub.add_argument("--variant", metavar="V", type=_variant, action="append", default=[], help=pond)
    sub.add_argument("--games", metavar="N", type=_whole, help="games of each two players on each pond (100)")
    until = "stop a match as soon as a sequential test knows who is better; --games is then the most (100000)"
    sub.add_argument("--until-decided", action="store_true", help=until)
    sub.add_argument("--elo0", metavar="X", type=_elo, help="with --until-decided: the Elo of the first is X ... (-10)")
    sub.add_argument("--elo1", metavar="X", type=_elo, help="... or X, which of both is asked (10)")
    sub.add_argument("--seed", metavar="N", type=_whole, help="where all chances come from (0)")
    sub.add_argument("--opening", metavar="K", type=_whole, help="actions by chance at the beginning (4)")
    sub.add_argument("--memory", metavar="MB", type=_whole, help="memory of each player that looks ahead (32)")
    told = "seconds that a program of your own has for an action (10)"
    sub.add_argument("--move-time", metavar="S", type=_between(0.1, 3600, " of seconds"), help=told)
    sub.add_argument("--workers", metavar="N", type=_whole, help="processes that play (one for each core)")
    sub.add_argument("--cluster", metavar="ADDRESS", help="play on a Dask cluster: where its scheduler is")
    sub.add_argument("--out", metavar="FILE", help="keep all games in FILE; if it was begun, go on with it")
    sub.add_argument("--resume", metavar="FILE", help="go on with the tournament in FILE")
    sub.add_argument("--show", metavar="FILE", help="tell what the games in FILE come to so far, and play none")
    records = "write a game record of every game into this folder; with --out, and up to 10000 games"
    sub.add_argument("--records", metavar="FOLDER", help=records)
    sub.add_argument("--json", action="store_true", help="what it comes to as one JSON object")


def _takes_study(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("variants", metavar="VARIANT", type=_variant, nargs="+", help="a pond; several are compared")
    sub.add_argument("--games", metavar="N", type=_whole, help="games on each pond (200)")
    sub.add_argument("--seed", metavar="N", type=_whole, default=0, help="where all chances come from (0)")
    seen = "positions the player looks at each time (20000)"
    sub.add_argument("--nodes", metavar="N", type=_some("positions"), help=seen)
    other = "another player: random, greedy, level-1 to level-8, or such as search@d6, mcts@n1000"
    sub.add_argument("--player", metavar="PLAYER", help=other)
    begun = "actions by chance at the beginning (2): the first egg on each cell in turn, then any"
    sub.add_argument("--opening", metavar="K", type=_whole, help=begun)
    look = "positions to look at for the values of the first eggs (2000000; plain kernel: 50000)"
    sub.add_argument("--look", metavar="N", type=_whole, help=look)
    sub.add_argument("--workers", metavar="N", type=_whole, help="processes that play (one for each core)")
    sub.add_argument("--out", metavar="FILE", help="keep all games in FILE; if it was begun, go on with it")
    sub.add_argument("--plots", metavar="FOLDER", help="draw pictures (PNG) into this folder")
    sub.add_argument("--json", action="store_true", help="what it comes to as one JSON object")


def _takes_names(sub: argparse.ArgumentParser) -> None:
    told = "what the human players are called in `pond games`, such as Ada,Ben; either may be left out (,Ben)"
    sub.add_argument("--names", metavar="LIGHT,DARK", type=_names, help=told)


def _takes_pieces(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--pieces", action="store_true", help="play with pieces that sensors feel, not with buttons")
    sub.add_argument("--colours", action="store_true", help="with --pieces: the sensors tell whose piece it is")
    sub.add_argument("--plain", action="store_true", help="with --pieces: they have no faces to be turned over")
    told = "with --pieces: what goes wrong, such as bounce or stuck-on:b2; may be given several times"
    sub.add_argument("--fault", metavar="KIND[:CELL]", action="append", default=[], help=told)


def _takes_board(sub: argparse.ArgumentParser, *, required: bool = True) -> None:
    told = "the board: a name that `pond boards` lists, or the path of a .toml of your own"
    usual = "" if required else " (the one that the service serves)"
    sub.add_argument("--board", metavar="PROFILE", required=required, help=told + usual)


def _takes_record(sub: argparse.ArgumentParser) -> None:
    told = "keep all that sensors say and lamps show in this new file, for `pond replay-board`"
    sub.add_argument("--record", metavar="FILE", help=told)


def _takes_journal(sub: argparse.ArgumentParser, usual: str) -> None:
    sub.add_argument("--journal", metavar="FOLDER", help=f"where games are kept ({usual})")
    if "nowhere" not in usual:
        sub.add_argument("--unsaved", action="store_true", help="keep no game")


def _folder(asked: argparse.Namespace, *, usual: bool) -> Path | None:
    """Where games are kept; None if nowhere.

    Raises:
        PondError: what was asked for contradicts itself.
    """
    from pond_hw.journal.location import usual_folder

    if getattr(asked, "unsaved", False):
        if asked.journal is not None:
            raise PondError("--journal names where games are kept, and --unsaved keeps none: give one of them.")
        return None
    if asked.journal is not None:
        if not asked.journal:
            raise PondError("--journal needs the name of a folder.")
        folder = Path(asked.journal)
        for there in (folder, *folder.parents):
            if there.is_file() or there.is_char_device():
                raise PondError(f"{there} is not a folder. Name a folder for --journal.")
        return folder
    return usual_folder() if usual else None


def _takes_lamps(sub: argparse.ArgumentParser, usual: str) -> None:
    from pond_hw.lights import LAMPS as POSSIBLE

    possible = [str(lamps) for lamps in POSSIBLE]
    told = f"lamps in a cell: {', '.join(possible)} ({usual})"
    sub.add_argument("--cells", metavar="N", choices=possible, help=told)


def _lamps(asked: argparse.Namespace) -> int | None:
    """How many lamps in a cell were asked for, if anybody did."""
    return int(asked.cells) if asked.cells else None


def _variant(text: str) -> Variant:
    try:
        return variant(text)
    except PondError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _whole(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,12}", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a whole number of at most 12 digits.")
    return int(text)


def _some(what: str) -> Callable[[str], int]:
    """Reads how many of these: one or more."""

    def read(text: str) -> int:
        count = _whole(text)
        if count < 1:
            raise argparse.ArgumentTypeError(f"a number of {what} is 1 or more, not {count}.")
        return count

    return read


def _between(least: float, most: float, of: str = "") -> Callable[[str], float]:
    """Reads a number with up to three decimals."""

    def read(text: str) -> float:
        if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,3})?", text, re.ASCII) or not least <= float(text) <= most:
            raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a number{of} from {least:g} to {most:g}.")
        return float(text)

    return read


def _elo(text: str) -> float:
    if not re.fullmatch(r"-?[0-9]{1,4}(\.[0-9]{1,2})?", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a difference in Elo, such as 10 or -7.5.")
    return float(text)


def _names(text: str) -> tuple[str | None, ...]:
    from pond_hw.engine import NAMES

    names = [name.strip() for name in text.split(",")]
    if len(names) > 2:
        raise argparse.ArgumentTypeError("two names are written with a comma between them, such as Ada,Ben.")
    for name in names:
        if len(name) > LONGEST_NAME or not name.isprintable():
            raise argparse.ArgumentTypeError(f"{name[:20]!r} is not a name of at most {LONGEST_NAME} letters.")
        if name.casefold() in NAMES:
            raise argparse.ArgumentTypeError(f"--light and --dark use the name {name}. Choose another one.")
    return tuple(name or None for name in names)


def _depth(text: str) -> int:
    depth = _whole(text)
    if not 0 <= depth <= DEEPEST:
        raise argparse.ArgumentTypeError(f"a depth is a number of actions from 0 to {DEEPEST}, not {depth}.")
    return depth


def _ahead(text: str) -> int:
    from pond_hw.engine.packed import DEEPEST as FURTHEST

    depth = _whole(text)
    if not 1 <= depth <= FURTHEST:
        raise argparse.ArgumentTypeError(f"a number of actions to look ahead is 1 to {FURTHEST}, not {depth}.")
    return depth


@contextmanager
def _recording(
    asked: argparse.Namespace, command: str, profile: str = "", warn: Callable[[str], None] | None = None
) -> Iterator[BlackBox | None]:
    """A new black box, if one was asked for. If it cannot be kept to the end, `warn` is told; or else it is said then.

    Raises:
        PondError: there cannot be one.
    """
    if asked.record is None:
        yield None
        return
    from pond_hw.blackbox import BlackBox

    said: list[str] = []
    try:
        with closing(BlackBox(Path(asked.record), command, profile, warn or said.append)) as box:
            yield box
    finally:
        for sentence in said:
            print(f"pond: {sentence}", file=sys.stderr)


def _play(asked: argparse.Namespace) -> None:
    from pond_hw import tui

    if asked.connect is None:
        pond, lamps = asked.variant or STANDARD, _lamps(asked)
        players, pieces = _players(asked, *PLAYERS["play"]), _pieces(asked, pond)
        with _recording(asked, "play") as box:
            folder, names = _folder(asked, usual=True), _called(asked, players)
            tui.run(pond, players, lamps, pieces, box, folder, names, _thinks(asked))
        return
    own = "variant light dark names cells seed think memory ponder pieces colours plain fault record journal unsaved"
    named = [f"--{name}" for name in own.split() if getattr(asked, name) not in (None, False, [])]
    if named:
        raise PondError(f"--connect joins in where others play already; {named[0]} goes with a game of your own.")
    _needs_unix("--connect")
    from pond_hw.drivers.run_files import sockets

    tui.connect([Path(asked.connect)] if asked.connect else sockets())


def _players(asked: argparse.Namespace, light: str, dark: str) -> tuple[Player | None, Player | None]:
    """Who plays light and dark; these if nobody is named."""
    from random import SystemRandom

    from pond_hw.engine import player

    seed, thinks = SystemRandom().getrandbits(32) if asked.seed is None else asked.seed, _thinks(asked)
    return player(asked.light or light, seed, thinks), player(asked.dark or dark, seed + 1, thinks)


def _thinks(asked: argparse.Namespace) -> Thinks:
    """What levels may take for their thinking."""
    from pond_hw.engine import AS_USUAL, Thinks

    return Thinks(asked.think, AS_USUAL.megabytes if asked.memory is None else asked.memory, asked.ponder)


def _called(asked: argparse.Namespace, players: tuple[Player | None, Player | None]) -> tuple[str | None, str | None]:
    """What the human players are called.

    Raises:
        PondError: a name was given to a program, or one name to two humans.
    """
    names: tuple[str | None, ...] = asked.names or (None, None)
    if len(names) == 1:
        if players.count(None) != 1:
            raise PondError("--names needs two names with a comma between them here, such as Ada,Ben.")
        names = tuple(None if player else names[0] for player in players)
    for side, player, name in zip(("light", "dark"), players, names, strict=True):
        if player and name:
            raise PondError(f"{side} is played by {player.name}, not by {name}; leave that name out of --names.")
    return names[0], names[1]


def _serve(asked: argparse.Namespace) -> None:
    _needs_unix("pond serve")
    from pond_hw.profile import load
    from pond_hw.server import serve

    logging.basicConfig(format="%(message)s", level=logging.DEBUG if asked.verbose else logging.INFO)
    logging.raiseExceptions = False  # a log that cannot be written stops no game
    profile = load(asked.board)
    pond = asked.variant or variant(FIRST_POND[profile.size])
    path = None if asked.socket is None else Path(asked.socket)
    players = _players(asked, *PLAYERS["serve"])
    with _recording(asked, "serve", profile.name, logging.getLogger("pond").warning) as box:
        names = _called(asked, players)
        folder, thinks = _folder(asked, usual=True), _thinks(asked)
        serve.run(profile, pond, players, path, box, folder, names=names, wanted=asked.board, thinks=thinks)


def _dark(asked: argparse.Namespace) -> None:
    _needs_unix("pond dark")
    from pond_hw.profile import load
    from pond_hw.server import serve

    serve.dark(load(asked.board, measured=False))  # which holds however badly that was edited


def _setup(asked: argparse.Namespace) -> None:
    _needs_unix("pond setup")
    if asked.cell and not asked.step:
        raise PondError("--cell goes with --step.")
    from pond_hw.board import BoardFault
    from pond_hw.drivers.pi_machine import Machine, no_pi
    from pond_hw.profile import load

    profile = load(asked.board, measured=False)
    try:
        _set_up(asked, profile.name)
    except BoardFault as fault:
        instead = f"try it on a simulated board: pond setup --board {shlex.quote(asked.board)} --pretend"
        raise no_pi(profile, Machine(), instead) or fault from None


def _set_up(asked: argparse.Namespace, named: str) -> None:
    if asked.headless:
        if asked.step:
            raise PondError('With --headless a step begins by a line: {"step":"map"}.')
        from pond_hw.server import setup_lines

        with _recording(asked, "setup", named) as box:
            setup_lines.run(asked.board, pretend=asked.pretend, flaws=asked.flaw, seed=asked.seed, box=box)
        return
    from pond_hw.tui import setup_app

    with _recording(asked, "setup", named) as box:
        wrong = asked.flaw
        setup_app.run(asked.board, asked.step, asked.cell, pretend=asked.pretend, flaws=wrong, seed=asked.seed, box=box)


def _boards(asked: argparse.Namespace) -> None:
    from pond_hw.commands import boards

    print("\n".join(boards.about(asked.board) if asked.board else boards.listed()))


def _doctor(asked: argparse.Namespace) -> int:
    from pond_hw.commands.doctor import doctor

    return doctor(asked.board, as_object=asked.json)


def _report(asked: argparse.Namespace) -> None:
    from pond_hw.commands.doctor import write_report

    write_report(asked.board, asked.file)


def _bench(asked: argparse.Namespace) -> None:
    if not 1 <= asked.seconds <= LONGEST_REST:
        raise PondError(f"--seconds is a number from 1 to {LONGEST_REST}, not {asked.seconds}.")
    _needs_unix("pond bench")
    from pond_hw.commands import bench

    bench.run(asked.seconds)


def _needs_unix(what: str) -> None:
    if sys.platform == "win32":
        raise PondError(f"`{what}` needs Linux or macOS; `pond play` plays here.")


def _headless(asked: argparse.Namespace) -> None:
    from pond_hw.engine import HUMAN, simulated_player
    from pond_hw.server import headless

    pond, lamps = asked.variant or STANDARD, _lamps(asked) or LAMPS
    pieces, folder, seed = _pieces(asked, pond), _folder(asked, usual=False), asked.seed or 0
    players = simulated_player(asked.light or HUMAN, seed), simulated_player(asked.dark or HUMAN, seed + 1)
    with _recording(asked, "headless") as box:
        headless.run(pond, lamps, frames=asked.frames, pieces=pieces, box=box, folder=folder, players=players)


def _pieces(asked: argparse.Namespace, pond: Variant) -> Pieces | None:
    """The kind of pieces that was asked for, or None for buttons.

    Raises:
        PondError: what was asked for goes with pieces only, or there is no such fault.
    """
    if not asked.pieces:
        if lacks := [f"--{name}" for name in ("colours", "plain", "fault") if getattr(asked, name)]:
            raise PondError(f"{lacks[0]} goes with --pieces.")
        return None
    from pond_hw.simulator.options import Pieces
    from pond_hw.simulator.sensor_faults import read_fault

    faults = tuple(read_fault(fault, pond.size) for fault in asked.fault)
    return Pieces(faults, asked.colours, asked.plain, asked.seed or 0)


def _position(asked: argparse.Namespace) -> Position:
    """The position that was asked for; that of a variant is its start.

    Raises:
        PondError: there is no such position or variant, or two variants were named.
    """
    if " " in asked.position or "." in asked.position or not asked.position:
        return Position.read(asked.position, asked.variant)
    if asked.variant:
        raise PondError(f"{asked.position} is a variant already; --variant goes with a position.")
    return Position.start(variant(asked.position))


def _perft(asked: argparse.Namespace) -> None:
    from pond_hw.commands.progress import Progress
    from pond_hw.engine.packed import perft

    position = _position(asked)
    if not asked.divide or not asked.depth:
        with Progress() as progress:
            count = perft(position, asked.depth, lambda share: progress.tell("counting", share))
        print(count)
        return
    total = 0
    for action in legal_actions(position):
        count = perft(play(position, action).after, asked.depth - 1)
        print(action, count, flush=True)
        total += count
    print(total)


def _solve(asked: argparse.Namespace) -> None:
    from pond_hw.commands import solve

    solve.run(asked.variant, asked.memory, asked.position)


def _legal(asked: argparse.Namespace) -> None:
    for action in legal_actions(_position(asked)):
        print(action)


def _show(asked: argparse.Namespace) -> None:
    print(_position(asked))


def _apply(asked: argparse.Namespace) -> None:
    from pond_hw.server import protocol

    turn = play(_position(asked), Action.read(asked.action))
    told = {"position": turn.after.line} | protocol.turn(turn) | {"outcome": protocol.outcome(turn.outcome)}
    print(json.dumps(told))


def _replay(asked: argparse.Namespace) -> None:
    from pond_hw.session import tell_outcome

    record = _record(asked)
    if not asked.text and all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        from pond_hw.commands import replay as stepping

        stepping.run(record, _lamps(asked))
        return
    position, ended = record.position, record.outcome
    print(position)
    print(position.line)
    print(tell_outcome(ended, position) if ended else f"The game goes on; {position.to_move} is to move.")


def _analyse(asked: argparse.Namespace) -> None:
    from pond_hw.commands import analyse

    bounds = analyse.limits(asked.depth, asked.nodes, asked.seconds, deep=asked.deep)
    analyse.run(_record(asked), bounds, asked.to, for_program=asked.json)


def _record(asked: argparse.Namespace) -> Record:
    """The record that was asked for: of a file, of standard input, or of a game that was kept.

    Raises:
        PondError: there is none, or its game cannot have been played.
    """
    if re.fullmatch("[0-9]{1,9}|last", asked.record, re.ASCII):
        folder = _shelf(asked)
        from pond_hw.commands import games as commands

        return commands.record(folder, asked.record)
    from pond_hw.commands.record_text import text_of

    try:
        return read_record(text_of(asked.record))
    except RecordError as error:
        raise PondError(f"{asked.record}: {error}") from error


def _shelf(asked: argparse.Namespace) -> Path:
    """The folder whose games are meant.

    Raises:
        PondError: there is none.
    """
    _needs_unix("pond games")  # before anything is imported that others lack
    folder = _folder(asked, usual=True)
    if folder is None:
        raise PondError("No games are kept here ($POND_JOURNAL says off); --journal names a folder.")
    if asked.journal is not None:
        try:
            folder.stat()
        except (FileNotFoundError, NotADirectoryError):
            raise PondError(f"There is no folder {folder}. Name the one where your games are kept.") from None
        except (OSError, ValueError):
            pass  # whoever reads it says what is wrong
    return folder


def _games(asked: argparse.Namespace) -> int:
    folder = _shelf(asked)
    from pond_hw.commands import games as commands

    wanted = {"pond": asked.variant, "player": asked.player, "last": asked.last, "unfinished": asked.unfinished}
    return commands.games(folder, **wanted, for_program=asked.json, usual=asked.journal is None)


def _show_game(asked: argparse.Namespace) -> None:
    folder = _shelf(asked)
    from pond_hw.commands import games as commands

    commands.show(folder, asked.game)


def _export(asked: argparse.Namespace) -> None:
    folder = _shelf(asked)
    from pond_hw.commands import games as commands

    commands.export(folder, asked.games, asked.to, every=asked.all)


def _import(asked: argparse.Namespace) -> int:
    folder = _shelf(asked)
    from pond_hw.commands import games as commands

    return commands.bring_in(folder, asked.records)


def _resume(asked: argparse.Namespace) -> None:
    folder = _shelf(asked)
    from pond_hw.commands import games as commands

    commands.resume(folder, asked.game)


def _statistics(asked: argparse.Namespace) -> int:
    folder = _shelf(asked)
    from pond_hw.commands import games as commands

    return commands.count(folder, asked.by, for_program=asked.json)


def _delete_game(asked: argparse.Namespace) -> int:
    folder = _shelf(asked)
    from pond_hw.commands import games as commands

    return commands.delete(folder, asked.games, sure=asked.yes)


def _tournament(asked: argparse.Namespace) -> int:
    from pond_hw.commands import tournament

    return tournament.run(asked)


def _study(asked: argparse.Namespace) -> int:
    from pond_hw.commands import study

    return study.run(asked)


def _hardware(asked: argparse.Namespace) -> None:
    from pond_hw.commands.hardware import make

    make(asked.board, asked.folder)


def _completion(asked: argparse.Namespace) -> None:
    from pond_hw.commands.completion import script

    print(script(parser(), asked.shell))


def _replay_board(asked: argparse.Namespace) -> None:
    from pond_hw.commands import replay_board as replay

    replay.run(Path(asked.box), asked.speed, text=asked.text)


if __name__ == "__main__":
    sys.exit(main())
