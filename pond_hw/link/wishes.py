"""Requests and answers that a home has signed since the last entry."""

from __future__ import annotations

from collections.abc import Mapping

from pond_hw.link.changes import INVITER, JOINER, Change, Decline, Resign, change_to_json, parse_wish
from pond_hw.link.game_log import GameLog
from pond_hw.link.signatures import SIGNATURE_BYTES, decode_bytes, encode_bytes, is_signed, make_error

MAX_WISHES = 16
"""Maximum number of requests and refusals of a home between two entries."""

Wishes = Mapping[Change | Decline, bytes]
"""Signatures of a home, by the change that it asks for or declines."""


def list_changes(wishes: Wishes) -> list[Change]:
    return [wish for wish in wishes if not isinstance(wish, Decline)]


def list_answerable(wishes: Wishes) -> list[Change]:
    return [change for change in list_changes(wishes) if not isinstance(change, Resign)]


def is_possible(log: GameLog, home: int, wish: Change | Decline) -> bool:
    """Return True if this home may ask for this now. A home can't resign for the other."""
    if isinstance(wish, Decline):
        return log.allows(wish.change)
    return log.allows(wish) and (not isinstance(wish, Resign) or wish.home == home)


def select_open(log: GameLog, wishes: tuple[Wishes, Wishes]) -> tuple[Wishes, Wishes]:
    """Return the requests and answers of both homes that have not lapsed."""
    first, second = (
        {
            wish: hand
            for wish, hand in list(wishes[home].items())[:MAX_WISHES]
            if is_possible(log, home, wish) and is_signed(log.keys[home], log.make_wish_digest(wish), hand)
        }
        for home in (INVITER, JOINER)
    )
    return first, second


def merge_wishes(known: Wishes, other: Wishes) -> Wishes:
    """Return the wishes of both, at most `MAX_WISHES`. Known ones come first."""
    return dict(list({**known, **other, **known}.items())[:MAX_WISHES])


def wishes_to_json(wishes: Wishes) -> list[object]:
    return [[change_to_json(wish), encode_bytes(hand)] for wish, hand in wishes.items()]


def parse_wishes(wishes: list[object]) -> Wishes:
    if len(wishes) > MAX_WISHES:
        raise make_error("link.unreadable")
    parsed: dict[Change | Decline, bytes] = {}
    for item in wishes:
        match item:
            case [wish, hand]:
                parsed[parse_wish(wish)] = decode_bytes(hand, SIGNATURE_BYTES)
            case _:
                raise make_error("link.unreadable")
    return parsed
