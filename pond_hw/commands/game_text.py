"""One game of a journal in words. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pond_hw.engine import HUMAN
from pond_hw.journal import Kept, Label, Story, game_times
from pond_hw.journal.game_list import Row
from pond_hw.journal.game_records import brought_in, record_of, taken_back
from pond_hw.journal.store import beginning
from pond_hw.messages.plurals import count_noun
from pond_hw.messages.terminal_text import printable
from pond_hw.rules import Turn
from pond_hw.session import tell_outcome


def game(row: Row) -> Iterator[str]:
    """All that is known of a game that can be read, in lines."""
    kept, story = row.kept, row.kept.story
    light, dark = (printable(name) if name else HUMAN for name in row.names)
    yield f"Game {row.number}: {story.pond}, {light} (light) against {dark} (dark)"
    yield from _facts(row)
    yield ""
    yield from map(printable, str(record_of(kept)).split("\n"))
    yield from str(story.position).split("\n")
    ended = story.outcome
    yield tell_outcome(ended, story.position) if ended else f"The game goes on; {story.position.to_move} is to move."
    if row.state == "left":
        yield f"It was left; `pond resume {row.number}` has it offered."
    if told := list(happened(kept)):
        yield from ("", "Besides the turns:", *told)
    if kept.fault:
        yield from ("", f"There is more in {kept.file} that cannot be read: {printable(kept.fault)}")


def happened(kept: Kept) -> Iterator[str]:
    """What happened in a game besides its turns, and when."""
    story = beginning(kept.facts)
    for n, (entry, label) in enumerate(kept.noted, 1):
        was, story = story, story.after(entry)
        if entry.kind != "act" and n > brought_in(kept):
            yield f"  {_moment(label)}  turn {len(was.turns)}: {_told(entry.kind, entry.value, was, story)}"


def _told(kind: str, value: str, was: Story, now: Story) -> str:
    match kind:
        case "back":
            return f"{_actions(was.turns[len(now.turns) :])} taken back"
        case "again":
            return f"{_actions(now.turns[len(was.turns) :])} played again"
        case "end":
            return tell_outcome(now.ended, now.position) if now.ended else ""
        case "go_on":
            return "that end was taken back"
        case "leave":
            return "the players left it"
        case "resume":
            return "the players came back to it"
    return printable(value)


def _actions(turns: Sequence[Turn]) -> str:
    return " ".join(str(turn.action) for turn in turns)


def _moment(label: Label) -> str:
    at = game_times.told_at(label.wall)
    return game_times.local(at) if at else printable(label.wall)[:16]


def _facts(row: Row) -> Iterator[str]:
    """When, how long, where."""
    kept = row.kept
    if begun := printable(game_times.begun(kept)):
        yield f"  begun       {begun}{' (the clock may have been wrong)' if row.doubtful else ''}"
    passed = game_times.seconds(kept)
    if passed is not None:
        yield f"  played for  {game_times.lasting(passed)}"
    if row.board:
        yield f"  board       {printable(row.board)}{', with pieces' if kept.facts.get('pieces') else ''}"
    if brought_in(kept):
        yield "  from        a record that was imported"
    if back := taken_back(kept):
        yield f"  taken back  {count_noun(back, 'turn')}"
