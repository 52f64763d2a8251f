"""What a player is called."""

from __future__ import annotations

from pond_hw.engine import HUMAN
from pond_hw.messages.message import Message, as_message


def name_player(program: str | None, person: str | None) -> Message:
    """A player: a program by its name, a person by theirs if it is known."""
    name = person if program in (None, "", HUMAN) else program
    return as_message(name) if name else Message("player.human")
