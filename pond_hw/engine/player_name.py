"""Display names of players."""

from __future__ import annotations

from unicodedata import combining

from pond_hw.engine import HUMAN, LEVEL_NAMES, PLAYER_NAMES, REMOTE
from pond_hw.messages.message import Message, as_message
from pond_hw.messages.terminal_text import replace_unprintable

MAX_NAME_LENGTH = 30


def name_player(program: str | None, person: str | None) -> Message:
    """Return the display name of a player: the level of a program, or the name of a person if it is known."""
    name = person if program in (None, "", HUMAN) else program
    if not name:
        return Message("player.human")
    if name == REMOTE:
        return as_message(person) if person and person != REMOTE else Message("player.remote")
    return name_program(name) if name in PLAYER_NAMES else as_message(name)


def name_players(*names: str | None) -> list[Message]:
    return [name_player(None, replace_unprintable(name or "").strip()) for name in names]


def name_program(program: str) -> Message:
    """Return the display name of one of `PLAYER_NAMES`."""
    kind, _, level = program.partition("-")
    if not level:
        return Message(f"player.{kind}")
    level_message = Message("player.level", level=level)
    for name, named_program in LEVEL_NAMES.items():
        if named_program == program:
            return Message("player.named_level", name=Message(f"player.{name}"), level=level_message)
    return level_message


def find_name_fault(name: str) -> Message | None:
    """Return the reason why a person may not use a name, or None if it is allowed."""
    has_only_marks = bool(name) and all(map(combining, name))
    if len(name) > MAX_NAME_LENGTH or not name.isprintable() or has_only_marks:
        return Message("argument.bad_name", name=name[:20], longest=MAX_NAME_LENGTH)
    if name.casefold() in (*PLAYER_NAMES, *LEVEL_NAMES, REMOTE):
        return Message("argument.taken_name", name=name)
    return None
