"""Changes of a linked game that concern the other home: it must sign them, too."""

from __future__ import annotations

from dataclasses import dataclass

from pond_hw.link.signatures import make_error
from pond_hw.rules import NotationError, Variant, parse_variant

INVITER, JOINER = 0, 1
"""Numbers of the two homes."""


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Return to an earlier turn. `turn_count` turns of the current game remain."""

    turn_count: int


@dataclass(frozen=True, slots=True)
class Draw:
    """End the game as a draw."""


@dataclass(frozen=True, slots=True)
class NewGame:
    """Begin a new game, also while one is in progress. `light` is the home that plays light."""

    variant: Variant
    light: int


@dataclass(frozen=True, slots=True)
class Resign:
    """Resignation of a home. The other home doesn't have to agree."""

    home: int


Change = TakeBack | Draw | NewGame | Resign


@dataclass(frozen=True, slots=True)
class Decline:
    """Refusal of the other home's request."""

    change: Change


def change_to_json(change: Change | Decline) -> dict[str, object]:
    """Return a change as it is signed and sent."""
    match change:
        case TakeBack(turn_count):
            return {"take back": turn_count}
        case Draw():
            return {"draw": True}
        case NewGame(variant, light):
            return {"new": variant.name, "light": light}
        case Resign(home):
            return {"resign": home}
        case Decline(declined):
            return {"decline": change_to_json(declined)}


def parse_change(value: object) -> Change:
    """Parse a change. Whether the game allows it is checked later.

    Raises:
        LinkError: it is not a change.
    """
    match value:
        case {"take back": int(turn_count), **rest} if not rest and type(turn_count) is int and turn_count >= 0:
            return TakeBack(turn_count)
        case {"draw": True, **rest} if not rest:
            return Draw()
        case {"new": str(name), "light": light, **rest} if not rest:
            return NewGame(parse_known_variant(name), parse_home(light))
        case {"resign": home, **rest} if not rest:
            return Resign(parse_home(home))
    raise make_error("link.unreadable")


def parse_wish(value: object) -> Change | Decline:
    """Parse a change that a home asks for, or its refusal of one."""
    match value:
        case {"decline": declined, **rest} if not rest:
            return Decline(parse_change(declined))
    return parse_change(value)


def parse_home(value: object) -> int:
    """Parse the number of a home."""
    if type(value) is int and value in (INVITER, JOINER):
        return value
    raise make_error("link.unreadable")


def parse_known_variant(name: object) -> Variant:
    """Parse the name of a variant."""
    try:
        return parse_variant(name if isinstance(name, str) else "")
    except NotationError as error:
        raise make_error("link.unreadable") from error
