"""The conversation between the wood and the rules. Pure: no clock, no thread, no file, no device."""

from pond_hw.session.offer import Choice
from pond_hw.session.scene import Hold, Role, Scene, Sight, Wrong
from pond_hw.session.session import (
    Act,
    AgreeDraw,
    BoardIsRight,
    Choose,
    Event,
    Mask,
    NewGame,
    Notice,
    Redo,
    Refused,
    Resign,
    Saving,
    Session,
    SetUp,
    Tick,
    Trouble,
    Undo,
)
from pond_hw.session.telling import tell_choice, tell_outcome, tell_prompt, tell_sets, tell_turn
from pond_hw.session.wood import Wood

__all__ = [
    "Act",
    "AgreeDraw",
    "BoardIsRight",
    "Choice",
    "Choose",
    "Event",
    "Hold",
    "Mask",
    "NewGame",
    "Notice",
    "Redo",
    "Refused",
    "Resign",
    "Role",
    "Saving",
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
    "tell_sets",
    "tell_turn",
]
