"""What a player is called."""

from __future__ import annotations

from pond_hw.engine import HUMAN, PLAYER_NAMES
from pond_hw.messages.message import Message, as_message

LONGEST_NAME = 30
"""Letters of what a person is called, at the most."""


def name_player(program: str | None, person: str | None) -> Message:
    """A player: a program by its name, a person by theirs if it is known."""
    name = person if program in (None, "", HUMAN) else program
    return as_message(name) if name else Message("player.human")


def find_name_fault(name: str) -> Message | None:
    """Why a person can't be called that; None if they can."""
    if len(name) > LONGEST_NAME or not name.isprintable():
        return Message("argument.bad_name", name=repr(name[:20]), longest=LONGEST_NAME)
    if name.casefold() in PLAYER_NAMES:
        return Message("argument.taken_name", name=name)
    return None
