"""`pond cards`: play the card game Pond, or keep its score."""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from random import SystemRandom
from shlex import quote
from typing import TYPE_CHECKING

from pond_hw.commands import arguments
from pond_hw.commands.command_output import check_new_file, print_lines, print_note, save_new_file
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message, PondError
from pond_hw.messages.system_errors import explain_system_errors
from pond_hw.messages.terminal_output import align_columns
from pond_hw.messages.terminal_text import replace_unprintable

if TYPE_CHECKING:
    from pond_hw.cards.board import CardBoard
    from pond_hw.cards.rules import Rules
    from pond_hw.cards.rules.record import CardRecord
    from pond_hw.cards.saved_games import SavedCardGame
    from pond_hw.cards.session import CardSession
    from pond_hw.journal.other_games import OtherGame, OtherGameJournal

SUBCOMMANDS = ("play", "score", "games", "show")

SUBCOMMAND_OPTIONS = {
    "play": {"players", "names", "seats", "seed", "rule", "dealer", "load", "out", "jsonl", "resume", "board"},
    "score": {"players", "names", "rule", "dealer", "new", "board"},
    "games": {"json"},
    "show": {"game", "json", "out"},
}
"""Options of each subcommand, in addition to --journal and --language."""

DEFAULT_SEATS = {2: "human,strong", 4: "human,strong,strong,strong"}

MAX_NAME_LENGTH = 20


def add_arguments(parser: ArgumentParser) -> None:
    help_text = "play: play in this terminal; score: keep the score of a game with real cards; games: list games; show: print one"
    parser.add_argument("what", metavar="|".join(SUBCOMMANDS), choices=SUBCOMMANDS, help=help_text)
    help_text = "show: a number that `pond cards games` lists, or last (last)"
    parser.add_argument("game", metavar="N", nargs="?", help=help_text)
    help_text = "2 players, or 4 in two partnerships (2)"
    arguments.add_number(parser, "--players", help_text, metavar=None, choices=(2, 4))
    help_text = "names of the people, clockwise by seat, such as Ada,Ben; you can leave one out (,Ben)"
    parser.add_argument("--names", metavar="NAMES", help=help_text)
    help_text = "play: players by seat: human, random, sensible or strong (human,strong)"
    parser.add_argument("--seats", metavar="PLAYERS", help=help_text)
    arguments.add_number(
        parser, "--seed", "play: random seed for the deals and the computer players (a new one each time)"
    )
    help_text = "a house rule, such as poison=game (docs/card-game.md); repeatable"
    arguments.add_list(parser, "--rule", "NAME=VALUE", help_text)
    arguments.add_number(parser, "--dealer", "the seat that deals first, 1 to 4 (1)")
    help_text = "play: continue the game in a record"
    parser.add_argument("--load", metavar="FILE", action=arguments.FileOption, help=help_text)
    help_text = "play: write the record to this file; show: write to this file instead of printing"
    parser.add_argument("-o", metavar="FILE", dest="out", action=arguments.FileOption, help=help_text)
    arguments.add_flag(parser, "--resume", "play: continue your last game")
    arguments.add_flag(parser, "--jsonl", "play: use JSON lines, for programs (docs/card-game.md)")
    arguments.add_flag(parser, "--new", "score: begin a new score, even if the last one is not finished")
    help_text = "also show the game on a lit board: a name that `pond boards` lists, or your own .toml"
    parser.add_argument("--board", metavar="PROFILE", help=help_text)
    arguments.add_flag(parser, "--json", "games, show: print one JSON object")
    arguments.add_saving_options(parser, "your state folder")
    arguments.add_language_option(parser)


def run_command(options: Namespace) -> None:
    """Run `pond cards`.

    Raises:
        PondError: the options conflict, or the command failed.
    """
    all_options = sorted(set.union(*SUBCOMMAND_OPTIONS.values()) - SUBCOMMAND_OPTIONS[options.what])
    if misplaced := [name for name in all_options if getattr(options, name) not in (None, False, [])]:
        name = {"game": "N", "out": "-o"}.get(misplaced[0], f"--{misplaced[0]}")
        raise PondError(Message("cards.option_misplaced", option=name, what=options.what))
    match options.what:
        case "play":
            _play(options)
        case "score":
            _keep_score(options)
        case "games":
            _list_games(options)
        case "show":
            _show_game(options)


# Play


def _play(options: Namespace) -> None:
    from pond_hw.cards.saved_games import PLAY, format_event, make_facts

    if options.out:
        check_new_file(options.out)
    if options.jsonl:
        from pond_hw.cards import headless

        if misplaced := [name for name in ("board", "resume", "journal") if getattr(options, name)]:
            raise PondError(Message("cards.not_with_jsonl", option=f"--{misplaced[0]}"))
        if options.seed is None:
            options.seed = 0
        session = _choose_game(options)
        try:
            headless.run(headless.CardHeadless(session, options.language or "en"))
        finally:
            _write_record(options, session)
        return
    from pond_hw.cards.screens.app import CardApp
    from pond_hw.cards.screens.play import play_cards
    from pond_hw.tui.terminal import require_terminal

    require_terminal("pond cards play --jsonl")
    with _open_journal(options) as journal:
        saved = _find_unfinished(journal, is_score=False) if options.resume else None
        if options.resume and saved is None:
            raise PondError(Message("cards.nothing_to_resume"))
        if saved:
            _refuse_new_game_options(options)
        session = saved.session if saved else _choose_game(options)
        if saved:
            journal.resume_game(saved.uid)
        else:
            game, seats = session.game, session.seats
            journal.begin_game(make_facts(PLAY, game.rules, game.first_dealer, session.names, seats, session.seed))
            for event in game.events:
                journal.add_entry(format_event(event))
        with _open_board(options) as board:
            app: CardApp = play_cards(session, arguments.read_language(options), board, journal)
        app.leave_terminal(f"pond cards play --resume{_journal_option(options)}")
        _write_record(options, session)


def _write_record(options: Namespace, session: CardSession) -> None:
    if options.out:
        save_new_file(options.out, str(session.record))


def _choose_game(options: Namespace) -> CardSession:
    """Return a new game, or the game in the record given with `--load`."""
    from pond_hw.cards.session import HUMAN, CardSession

    seed = SystemRandom().getrandbits(32) if options.seed is None else options.seed
    if options.load:
        if misplaced := [name for name in ("players", "dealer", "rule") if getattr(options, name)]:
            raise PondError(Message("cards.record_has_it", option=f"--{misplaced[0]}"))
        record = _load_record(options.load)
        game, names = record.game, record.names
        rules, dealer, events = game.rules, game.first_dealer, game.events
    else:
        rules, dealer = _choose_rules(options)
        names, events = (), ()
    seats = _split_list(options.seats or DEFAULT_SEATS[rules.seats], rules, "--seats")
    if options.names is not None:
        names = _choose_names(options, rules)
    people = tuple(name if who == HUMAN else "" for who, name in zip(seats, names or ("",) * rules.seats, strict=True))
    return CardSession(rules, seats, seed, dealer, people, events)


def _refuse_new_game_options(options: Namespace) -> None:
    for name in ("players", "names", "seats", "seed", "rule", "dealer", "load"):
        if getattr(options, name) not in (None, []):
            raise PondError(Message("cards.resume_has_it", option=f"--{name}"))


def _load_record(file_name: str) -> CardRecord:
    from pond_hw.cards.rules.record import parse_record

    with explain_system_errors("file.cannot_read", file=file_name):
        data = Path(file_name).read_bytes()
    try:
        return parse_record(data.decode())
    except UnicodeDecodeError:
        raise PondError(Message("file.not_utf8", file=file_name)) from None
    except PondError as error:
        raise PondError(Message("file.bad_record", file=file_name, reason=error.message)) from None


def _choose_rules(options: Namespace) -> tuple[Rules, int]:
    from pond_hw.cards.rules.options import parse_options

    rules = parse_options(options.players or 2, options.rule)
    dealer = 1 if options.dealer is None else options.dealer
    if not 1 <= dealer <= rules.seats:
        raise PondError(Message("cards.wrong_dealer", number=dealer, seats=rules.seats))
    return rules, dealer - 1


def _split_list(text: str, rules: Rules, option: str) -> tuple[str, ...]:
    parts = tuple(part.strip() for part in text.split(","))
    if len(parts) != rules.seats:
        raise PondError(Message("cards.wrong_list", option=option, count=len(parts), seats=rules.seats))
    return parts


def _choose_names(options: Namespace, rules: Rules) -> tuple[str, ...]:
    from pond_hw.engine.player_name import find_name_fault

    if options.names is None:
        return ("",) * rules.seats
    names = options.names.split(",")
    names = _split_list(",".join([*names, *[""] * (rules.seats - len(names))]), rules, "--names")
    for name in filter(None, names):
        if fault := find_name_fault(name):
            raise PondError(fault)
        if '"' in name or len(name) > MAX_NAME_LENGTH:
            raise PondError(Message("cards.wrong_name", name=name[:MAX_NAME_LENGTH], most=MAX_NAME_LENGTH))
    return names


# Score


def _keep_score(options: Namespace) -> None:
    from pond_hw.cards.rules.score_sheet import ScoreSheet
    from pond_hw.cards.saved_games import SCORE, make_facts
    from pond_hw.cards.screens.score import keep_score
    from pond_hw.tui.terminal import require_terminal

    rules, dealer = _choose_rules(options)
    names = _choose_names(options, rules)
    require_terminal("pond cards show")
    with _open_journal(options) as journal:
        asks_for_new = options.new or any((options.players, options.names, options.rule, options.dealer))
        saved = None if asks_for_new else _find_unfinished(journal, is_score=True)
        if saved and saved.sheet:
            journal.resume_game(saved.uid)
            sheet, names, entries = saved.sheet, saved.names, saved.entries
        else:
            journal.begin_game(make_facts(SCORE, rules, dealer, names))
            sheet, entries = ScoreSheet(rules, dealer), ()
        with _open_board(options) as board:
            app = keep_score(sheet, names, entries, arguments.read_language(options), board, journal)
        app.leave_terminal(f"pond cards score{_journal_option(options)}")


# Saved games


@contextmanager
def _open_journal(options: Namespace) -> Iterator[OtherGameJournal]:
    """Open the journal of card games, and print its notices."""
    from pond_hw.cards.saved_games import cards_folder
    from pond_hw.journal.other_games import OtherGameJournal

    folder = cards_folder(arguments.choose_journal(options))
    journal = OtherGameJournal(None if os.name == "nt" else folder)
    for notice in (*journal.file_notices, *filter(None, [journal.trouble])):
        print_note(notice)
    with closing(journal):
        yield journal


def _journal_option(options: Namespace) -> str:
    """Return the `--journal` option as given, for use in a suggested command."""
    return f" --journal {quote(options.journal)}" if options.journal else ""


@contextmanager
def _open_board(options: Namespace) -> Iterator[CardBoard | None]:
    """Open the board given with `--board`, if any."""
    if options.board is None:
        yield None
        return
    from time import monotonic

    from pond_hw.cards.board import open_card_board
    from pond_hw.profile import load_profile

    with closing(open_card_board(load_profile(options.board), monotonic)) as board:
        yield board


def _find_unfinished(journal: OtherGameJournal, *, is_score: bool) -> SavedCardGame | None:
    """Return the last game of this kind if it has started and is not over, else None."""
    from pond_hw.cards.saved_games import SavedCardGame

    for number, game in reversed(list(enumerate(journal.games, 1))):
        try:
            saved = SavedCardGame(number, game)
        except PondError:
            continue
        if saved.is_score == is_score and saved.entries:
            return None if saved.is_over else saved
    return None


def _open_games(options: Namespace) -> list[SavedCardGame]:
    """Read the card games in the journal.

    Raises:
        PondError: there is no journal, or it cannot be read.
    """
    from pond_hw.cards.saved_games import cards_folder
    from pond_hw.journal.other_games import read_other_games

    folder = cards_folder(arguments.choose_journal(options))
    if folder is None:
        raise PondError(Message("journal.off"))
    with explain_system_errors("file.cannot_read", file=str(folder)):
        games, notices = read_other_games(folder)
    for notice in notices:
        print_note(notice)
    return [saved for saved in read_games(enumerate(games, 1)) if saved.entries]


def read_games(numbered_games: Iterable[tuple[int, OtherGame]]) -> list[SavedCardGame]:
    """Parse saved games. Print a message for each one that cannot be read."""
    from pond_hw.cards.saved_games import SavedCardGame

    saved_games = []
    for number, game in numbered_games:
        try:
            saved_games.append(SavedCardGame(number, game))
        except PondError as error:
            print_note(error.message)
    return saved_games


def _list_games(options: Namespace) -> None:
    games, language = _open_games(options), arguments.read_language(options)
    if options.json:
        print(json.dumps({"form": 1, "games": list(map(_game_to_json, games))}, indent=1))
        return
    if not games:
        print_lines(Message("cards.games.none"), language=language)
        return
    print_lines(*format_table(games, language))


def format_table(games: Sequence[SavedCardGame], language: str = "en") -> list[str]:
    """Format card games as a table with one line per game."""
    columns = ("number", "begun", "kind", "players", "rounds", "points", "state")
    text = get_catalogue(language).text
    rows: list[tuple[object, ...]] = [tuple(Message(f"cards.column.{column}") for column in columns)]
    for saved in games:
        names = _names_of(saved) if saved.is_score else saved.session.shown_names
        players = [text(name) if isinstance(name, Message) else name or "-" for name in names]
        state = "finished" if saved.is_over else "unfinished"
        kind = Message(f"cards.kind.{'score' if saved.is_score else 'play'}")
        points = "{} : {}".format(*saved.totals)
        begun = saved.begun[:16].replace("T", " ")
        players_text = replace_unprintable(", ".join(players))
        rows.append((saved.number, begun, kind, players_text, saved.rounds, points, Message(f"cards.state.{state}")))
    return align_columns(rows, "rlllrrl", language=language)


def _names_of(saved: SavedCardGame) -> tuple[str, ...]:
    return (saved.names or ("",) * saved.rules.seats) if saved.is_score else saved.session.seat_names


def _game_to_json(saved: SavedCardGame) -> dict[str, object]:
    from pond_hw.cards.sheet_text import sheet_to_json

    result: dict[str, object] = {
        "number": saved.number,
        "uid": saved.uid,
        "kind": "score" if saved.is_score else "play",
        "begun": saved.begun,
        "players": list(_names_of(saved)),
        "rules": list(saved.rules.changed_options),
        "over": saved.is_over,
        "totals": list(saved.totals),
    }
    return result | (sheet_to_json(saved.sheet) if saved.sheet else {"record": str(saved.record)})


def _show_game(options: Namespace) -> None:
    from pond_hw.cards.sheet_text import format_sheet

    games, language = _open_games(options), arguments.read_language(options)
    wanted = options.game or "last"
    if not games:
        raise PondError(Message("cards.games.none"))
    found = [saved for saved in games if str(saved.number) == wanted] if wanted != "last" else games[-1:]
    if not found:
        raise PondError(Message("cards.no_such_game", name=wanted[:20]))
    saved = found[0]
    if options.json:
        lines = json.dumps(_game_to_json(saved), indent=1).splitlines()
    elif saved.sheet:
        lines = format_sheet(saved.sheet, _names_of(saved), language)
    else:
        lines = str(saved.record).splitlines()
    if options.out:
        save_new_file(options.out, "\n".join(lines) + "\n")
        print_lines(Message("file.written", file=options.out), language=language)
    else:
        print_lines(*lines, language=language)
