"""The conversation between the wood and the rules. Pure: no clock, no thread, no file, no device."""

from pond_hw.session.scene import Hold, Role, Scene, Sight, Wrong
from pond_hw.session.session import (
    Act,
    AgreeDraw,
    BoardIsRight,
    Event,
    Mask,
    NewGame,
    Notice,
    Redo,
    Refused,
    Resign,
    Session,
    SetUp,
    Tick,
    Trouble,
    Undo,
)
from pond_hw.session.telling import tell_choice, tell_outcome, tell_prompt, tell_turn
from pond_hw.session.wood import Wood

__all__ = [
    "Act",
    "AgreeDraw",
    "BoardIsRight",
    "Event",
    "Hold",
    "Mask",
    "NewGame",
    "Notice",
    "Redo",
    "Refused",
    "Resign",
    "Role",
    "Scene",
    "Session",
    "SetUp",
    "Sight",
    "Tick",
    "Trouble",
    "Undo",
    "Wood",
    "Wrong",
    "tell_choice",
    "tell_outcome",
    "tell_prompt",
    "tell_turn",
]
