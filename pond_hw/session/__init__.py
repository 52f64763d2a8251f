"""The conversation between the wood and the rules. Pure: no clock, no thread, no file, no device."""

from pond_hw.session.scene import Role, Scene, Sight, Wrong
from pond_hw.session.session import (
    Act,
    AgreeDraw,
    Event,
    NewGame,
    Notice,
    Redo,
    Refused,
    Resign,
    Session,
    Trouble,
    Undo,
)
from pond_hw.session.telling import tell_choice, tell_outcome, tell_prompt, tell_turn

__all__ = [
    "Act",
    "AgreeDraw",
    "Event",
    "NewGame",
    "Notice",
    "Redo",
    "Refused",
    "Resign",
    "Role",
    "Scene",
    "Session",
    "Sight",
    "Trouble",
    "Undo",
    "Wrong",
    "tell_choice",
    "tell_outcome",
    "tell_prompt",
    "tell_turn",
]
