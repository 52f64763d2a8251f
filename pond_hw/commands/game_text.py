"""One game of a journal in words. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pond_hw.engine import HUMAN
from pond_hw.journal import GameProjection, StoredGame, game_times
from pond_hw.journal.game_list import NumberedGame
from pond_hw.journal.game_records import build_record, count_imported_entries, count_taken_back
from pond_hw.journal.store import initial_projection
from pond_hw.messages.plurals import count_noun
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.rules import Turn
from pond_hw.session import format_outcome


def describe_game(game: NumberedGame) -> Iterator[str]:
    """All that is known of a game that can be read, in lines."""
    kept, story = game.stored, game.stored.projection
    light, dark = (replace_unprintable(name) if name else HUMAN for name in game.names)
    yield f"Game {game.number}: {story.variant}, {light} (light) against {dark} (dark)"
    yield from _describe_circumstances(game)
    yield ""
    yield from map(replace_unprintable, str(build_record(kept)).split("\n"))
    yield from str(story.position).split("\n")
    outcome = story.outcome
    yield (
        format_outcome(outcome, story.position)
        if outcome
        else f"The game goes on; {story.position.to_move} is to move."
    )
    if game.state == "left":
        yield f"It was left; `pond resume {game.number}` has it offered."
    if events := list(_describe_events(kept)):
        yield from ("", "Besides the turns:", *events)
    if kept.fault:
        yield from ("", f"There is more in {kept.file} that cannot be read: {replace_unprintable(kept.fault)}")


def _describe_events(kept: StoredGame) -> Iterator[str]:
    """What happened in a game besides its turns, and when."""
    story = initial_projection(kept.facts)
    for number, (entry, timestamp) in enumerate(kept.entries, 1):
        before, story = story, story.after_entry(entry)
        if entry.kind != "act" and number > count_imported_entries(kept):
            event = _describe_event(entry.kind, entry.value, before, story)
            yield f"  {game_times.format_timestamp(timestamp)}  turn {len(before.turns)}: {event}"


def _describe_event(kind: str, value: str, before: GameProjection, after: GameProjection) -> str:
    match kind:
        case "back":
            return f"{_join_actions(before.turns[len(after.turns) :])} taken back"
        case "again":
            return f"{_join_actions(after.turns[len(before.turns) :])} played again"
        case "end":
            return format_outcome(after.declared_outcome, after.position) if after.declared_outcome else ""
        case "go_on":
            return "that end was taken back"
        case "leave":
            return "the players left it"
        case "resume":
            return "the players came back to it"
    return replace_unprintable(value)


def _join_actions(turns: Sequence[Turn]) -> str:
    return " ".join(str(turn.action) for turn in turns)


def _describe_circumstances(game: NumberedGame) -> Iterator[str]:
    """When, how long, where."""
    kept = game.stored
    if game.start_text:
        yield f"  begun       {game.start_text}{' (the clock may have been wrong)' if game.is_doubtful else ''}"
    seconds = game_times.playing_seconds(kept)
    if seconds is not None:
        yield f"  played for  {game_times.format_playing_time(seconds)}"
    if game.board:
        yield f"  board       {replace_unprintable(game.board)}{', with pieces' if kept.facts.get('pieces') else ''}"
    if game.is_imported:
        yield "  from        a record that was imported"
    if turns := count_taken_back(kept):
        yield f"  taken back  {count_noun(turns, 'turn')}"
