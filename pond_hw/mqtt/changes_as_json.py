"""Changes of a linked game in lines of protocol 1, where they are relative to this home."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pond_hw.link.changes import Change, Draw, NewGame, Resign, TakeBack, parse_known_variant
from pond_hw.link.signatures import make_error


def change_to_line(change: Change, home: int) -> dict[str, Any]:
    """Return a change as the board of a home gets it."""
    match change:
        case TakeBack(turn_count):
            return {"undo": turn_count + 1}
        case Draw():
            return {"draw": True}
        case NewGame(variant, light):
            return {"new": variant.name, "side": "light" if light == home else "dark"}
        case Resign():
            return {"resign": True}


def parse_line_change(value: Mapping[str, Any], home: int) -> Change:
    """Parse a change that people at the board of a home ask for.

    Raises:
        LinkError: it is not a change.
    """
    match value:
        case {"undo": int(turn_number)} if turn_number > 0:
            return TakeBack(turn_number - 1)
        case {"draw": True}:
            return Draw()
        case {"new": str(name), "side": "light" | "dark" as side}:
            return NewGame(parse_known_variant(name), home if side == "light" else 1 - home)
        case {"resign": True}:
            return Resign(home)
    raise make_error("link.unreadable")
