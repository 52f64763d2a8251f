"""`pond show-game`: all that is known of a game."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence

from pond_hw.commands.command_output import print_lines
from pond_hw.commands.kept_games import add_game_argument, open_journal
from pond_hw.engine import HUMAN
from pond_hw.journal import GameProjection, StoredGame, game_times
from pond_hw.journal.game_list import NumberedGame
from pond_hw.journal.game_records import build_record, count_imported_entries, count_taken_back
from pond_hw.journal.stored_game import initial_projection
from pond_hw.messages.plurals import count_noun
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.rules import PondError, Turn
from pond_hw.session import describe_outcome

add_arguments = add_game_argument


def run_command(options: Namespace) -> None:
    """Show a game."""
    (game,) = open_journal(options).find([options.game])
    if not game.is_readable:
        raise PondError(f"Game {game.number}, in {game.stored.file}, cannot be read: {game.stored.fault}.")
    print_lines(*_describe_game(game))


def _describe_game(game: NumberedGame) -> Iterator[str]:
    """All that is known of a game that can be read, in lines."""
    kept, game_story = game.stored, game.stored.projection
    light_name, dark_name = (replace_unprintable(name) if name else HUMAN for name in game.names)
    yield f"Game {game.number}: {game_story.variant}, {light_name} (light) against {dark_name} (dark)"
    yield from _describe_circumstances(game)
    yield ""
    yield from map(replace_unprintable, str(build_record(kept)).split("\n"))
    yield from str(game_story.position).split("\n")
    if game_story.outcome:
        yield str(describe_outcome(game_story.outcome, game_story.position))
    else:
        yield f"The game goes on; {game_story.position.to_move} is to move."
    if game.state == "left":
        yield f"It was left; `pond resume {game.number}` has it offered."
    if event_lines := list(_describe_events(kept)):
        yield from ("", "Besides the turns:", *event_lines)
    if kept.fault:
        yield from ("", f"There is more in {kept.file} that cannot be read: {replace_unprintable(kept.fault)}")


def _describe_events(stored_game: StoredGame) -> Iterator[str]:
    """What happened in a game besides its turns, and when."""
    game_story = initial_projection(stored_game.facts)
    for entry_number, (journal_entry, entry_timestamp) in enumerate(stored_game.entries, 1):
        story_before, game_story = game_story, game_story.after_entry(journal_entry)
        if journal_entry.kind != "act" and entry_number > count_imported_entries(stored_game):
            event = _describe_event(journal_entry.kind, journal_entry.value, story_before, game_story)
            yield f"  {game_times.format_timestamp(entry_timestamp)}  turn {len(story_before.turns)}: {event}"


def _describe_event(entry_kind: str, entry_value: str, story_before: GameProjection, after: GameProjection) -> str:
    match entry_kind:
        case "back":
            return f"{_join_actions(story_before.turns[len(after.turns) :])} taken back"
        case "again":
            return f"{_join_actions(after.turns[len(story_before.turns) :])} played again"
        case "end":
            return str(describe_outcome(after.declared_outcome, after.position)) if after.declared_outcome else ""
        case "go_on":
            return "that end was taken back"
        case "leave":
            return "the players left it"
        case "resume":
            return "the players came back to it"
    return replace_unprintable(entry_value)


def _join_actions(turns: Sequence[Turn]) -> str:
    return " ".join(str(turn.action) for turn in turns)


def _describe_circumstances(game: NumberedGame) -> Iterator[str]:
    """When, how long, where."""
    stored_game, pieces = game.stored, ", with pieces" if game.stored.facts.get("pieces") else ""
    if game.start_text:
        yield f"  begun       {game.start_text}{' (the clock may have been wrong)' if game.is_doubtful else ''}"
    playing_seconds = game_times.playing_seconds(stored_game)
    if playing_seconds is not None:
        yield f"  played for  {game_times.format_playing_time(playing_seconds)}"
    if game.board:
        yield f"  board       {replace_unprintable(game.board)}{pieces}"
    if game.is_imported:
        yield "  from        a record that was imported"
    if turns := count_taken_back(stored_game):
        yield f"  taken back  {count_noun(turns, 'turn')}"
