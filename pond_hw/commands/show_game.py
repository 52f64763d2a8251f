"""`pond show-game`: show a saved game with its details."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence

from pond_hw.commands.arguments import add_journal_option, add_language_option, read_language
from pond_hw.commands.command_output import draw_position, print_lines
from pond_hw.commands.saved_games import open_journal
from pond_hw.engine.player_name import name_players
from pond_hw.journal import GameProjection, StoredGame, game_times
from pond_hw.journal.game_list import NumberedGame
from pond_hw.journal.game_records import build_record, count_imported_entries, count_taken_back_turns
from pond_hw.journal.stored_game import initial_projection
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message, as_message
from pond_hw.messages.terminal_output import align_columns, find_columns
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.rules import PondError, Record, Turn
from pond_hw.session import describe_end, describe_outcome


def add_arguments(parser: ArgumentParser) -> None:
    help_text = "a number that `pond games` lists, or `last` (the default)"
    parser.add_argument("game", metavar="N", nargs="?", default="last", help=help_text)
    add_journal_option(parser)
    add_language_option(parser)


def run_command(options: Namespace) -> None:
    (game,), language = open_journal(options).find([options.game]), read_language(options)
    if not game.is_readable:
        assert game.stored.fault
        raise PondError(
            Message("game.unreadable_in", number=game.number, file=game.stored.file, reason=game.stored.fault)
        )
    print_lines(*_describe_game(game, language), language=language)


def _describe_game(game: NumberedGame, language: str) -> Iterator[Message | str]:
    """Yield the lines about a readable game."""
    stored_game, projection = game.stored, game.stored.projection
    light, dark = name_players(*game.names)
    yield Message("show_game.heading", number=game.number, variant=projection.variant.name, light=light, dark=dark)
    yield from (f"  {line}" for line in align_columns(_list_circumstances(game), "ll", language=language))
    yield ""
    yield from map(replace_unprintable, _format_record(build_record(stored_game)))
    yield ""
    yield from draw_position(projection.position)
    yield describe_end(projection.position, projection.outcome)
    if game.state == "left":
        yield Message("show_game.left", number=game.number)
    if event_lines := list(_list_events(stored_game, language)):
        yield ""
        yield Message("show_game.events")
        yield from event_lines
    if stored_game.fault:
        yield ""
        yield Message("show_game.more_unreadable", file=stored_game.file, reason=stored_game.fault)


def _format_record(record: Record) -> list[str]:
    """Return the lines of a record. On a terminal, leave the actions on one long line, which is wrapped later."""
    tags, _, actions = str(record).rstrip("\n").partition("\n\n")
    if find_columns(sys.stdout) is not None:
        actions = actions.replace("\n", " ")
    return [*tags.split("\n"), "", *actions.split("\n")]


def _list_events(stored_game: StoredGame, language: str) -> Iterator[str]:
    """Yield the events of a game other than turns, with their times."""
    after, text = initial_projection(stored_game.facts), get_catalogue(language).text
    for entry_number, (journal_entry, entry_timestamp) in enumerate(stored_game.entries, 1):
        before, after = after, after.after_entry(journal_entry)
        if journal_entry.kind != "act" and entry_number > count_imported_entries(stored_game):
            event = _describe_event(journal_entry.kind, journal_entry.value, before, after)
            turn = text(Message("show_game.event", turn=len(before.turns), event=event))
            yield f"  {game_times.format_timestamp(entry_timestamp)}  {turn}"


def _describe_event(entry_kind: str, entry_value: str, before: GameProjection, after: GameProjection) -> Message:
    match entry_kind:
        case "back":
            return Message("show_game.taken_back", actions=_join_actions(before.turns[len(after.turns) :]))
        case "again":
            return Message("show_game.played_again", actions=_join_actions(after.turns[len(before.turns) :]))
        case "go_on":
            return Message("show_game.end_taken_back")
        case "leave":
            return Message("show_game.players_left")
        case "resume":
            return Message("show_game.players_back")
        case "hint":
            return Message("show_game.hint", side=entry_value)
    if after.declared_outcome and entry_kind == "end":
        return describe_outcome(after.declared_outcome, after.position)
    return as_message(replace_unprintable(entry_value))


def _join_actions(turns: Sequence[Turn]) -> str:
    return " ".join(str(turn.action) for turn in turns)


def _list_circumstances(game: NumberedGame) -> Iterator[tuple[Message, Message]]:
    """Yield labels and values for the start, duration, board and source of a game."""
    stored_game = game.stored
    if game.start_text:
        kind = "doubtful_begin" if game.is_doubtful else "begin"
        yield Message("show_game.label.begun"), Message(f"show_game.{kind}", time=game.start_text)
    playing_seconds = game_times.playing_seconds(stored_game)
    if playing_seconds is not None:
        yield Message("show_game.label.played_for"), game_times.describe_playing_time(playing_seconds)
    if game.board:
        kind = "board_with_pieces" if stored_game.facts.get("pieces") else "board"
        yield Message("show_game.label.board"), Message(f"show_game.{kind}", board=replace_unprintable(game.board))
    if game.is_imported:
        yield Message("show_game.label.source"), Message("show_game.imported")
    if turns := count_taken_back_turns(stored_game):
        yield Message("show_game.label.taken_back"), Message("show_game.turns", count=turns)
