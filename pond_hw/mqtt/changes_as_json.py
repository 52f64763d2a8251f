"""Changes of a linked game in lines of protocol 1, where they are relative to this home."""

from __future__ import annotations

from typing import Any

from pond_hw.link.changes import Change, Draw, NewGame, Resign, TakeBack
from pond_hw.rules import DARK, LIGHT
from pond_hw.server.parse_requests import parse_change
from pond_hw.server.protocol import change_to_json
from pond_hw.session import DrawChange, NewGameChange, ResignChange, TakeBackChange


def change_to_line(change: Change, home: int) -> dict[str, Any]:
    """Return a change as the board of a home gets it."""
    match change:
        case TakeBack(turn_count):
            return change_to_json(TakeBackChange(turn_count + 1))
        case NewGame(variant, light):
            return change_to_json(NewGameChange(variant, LIGHT if light == home else DARK))
        case Draw():
            return change_to_json(DrawChange())
        case Resign():
            return change_to_json(ResignChange())


def parse_line_change(value: object, home: int) -> Change:
    """Parse a change that people at the board of a home ask for.

    Raises:
        PondError: it is not a change.
    """
    match parse_change(value):
        case TakeBackChange(turn):
            return TakeBack(turn - 1)
        case NewGameChange(variant, side):
            return NewGame(variant, home if side is LIGHT else 1 - home)
        case DrawChange():
            return Draw()
        case ResignChange():
            return Resign(home)
