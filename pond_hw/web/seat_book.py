"""Seats of phones, each stored under the hash of a random token known only to that phone."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from secrets import token_urlsafe
from typing import Any, NamedTuple

from pond_hw.durable_files import MAX_STATE_BYTES, read_file, replace_file
from pond_hw.rules import Side

LOG = logging.getLogger("pond")

TOKEN_BYTES = 32
COOKIE_NAME = "pond-seat"

MAX_SEATS = 8

MAX_AGE = timedelta(days=180)
"""Lifetime of a seat."""

_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)
_COOKIE = re.compile(rf"(?:^|;\s*){COOKIE_NAME}=([^;]*)")


class Seat(NamedTuple):
    """The right to play one side or both.

    Attributes:
        number: unique number shown to users.
        sides: sides that the holder may play.
        given_at: time when the seat was given.
    """

    number: int
    sides: tuple[Side, ...]
    given_at: datetime


class SeatBook:
    """All seats, stored in a file. The file need not exist. Invalid entries in it are skipped."""

    def __init__(self, file: Path, now: datetime | None = None) -> None:
        self._file = file
        self._seat_by_hash = _read_seats(file, now or datetime.now(UTC))

    def __iter__(self) -> Iterator[Seat]:
        return iter(sorted(self._seat_by_hash.values()))

    @property
    def is_full(self) -> bool:
        return len(self._seat_by_hash) >= MAX_SEATS

    def find_seat(self, token: str | None) -> Seat | None:
        """Return the valid seat that belongs to a token, or None."""
        seat = self._seat_by_hash.get(_hash_token(token)) if token else None
        return seat if seat and datetime.now(UTC) - seat.given_at < MAX_AGE else None

    def give_seat(self, token: str, sides: tuple[Side, ...], old_token: str | None = None) -> Seat:
        """Give a seat to the holder of a token. It replaces the seat of an old token, if any.

        Raises OSError if the seat cannot be saved. It is then valid until the program ends.
        """
        for replaced in filter(None, (token, old_token)):
            self._seat_by_hash.pop(_hash_token(replaced), None)
        number = 1 + max((seat.number for seat in self), default=0)
        seat = Seat(number, sides, datetime.now(UTC).replace(microsecond=0))
        self._seat_by_hash[_hash_token(token)] = seat
        self._write()
        return seat

    def revoke(self, number: int | None) -> bool:
        """Revoke a seat, or all if `number` is None. Return True if any seat was revoked.

        Raises OSError if the change cannot be saved. The file is then deleted, so that no seat survives a restart.
        """
        remaining_seats = {key: seat for key, seat in self._seat_by_hash.items() if number not in (None, seat.number)}
        has_changed = len(remaining_seats) < len(self._seat_by_hash)
        self._seat_by_hash = remaining_seats
        if has_changed:
            try:
                self._write()
            except OSError:  # a file can be deleted even if the disk is full
                self._file.unlink(missing_ok=True)
                raise
        return has_changed

    def swap_sides(self) -> None:
        """Give each seat for one side the other side.

        Raises OSError if the change cannot be saved. It is then valid until the program ends.
        """
        for key, seat in self._seat_by_hash.items():
            if len(seat.sides) == 1:
                self._seat_by_hash[key] = seat._replace(sides=(seat.sides[0].other_side,))
        self._write()

    def _write(self) -> None:
        seats = [
            {"number": seat.number, "sides": [str(side) for side in seat.sides], "given": seat.given_at.isoformat()}
            | {"token_sha256": key}
            for key, seat in self._seat_by_hash.items()
        ]
        self._file.parent.mkdir(parents=True, exist_ok=True)
        if not self._file.exists():
            self._file.touch(mode=0o600)
        replace_file(self._file, json.dumps({"seats": seats}, indent=1).encode() + b"\n")


def make_token() -> str:
    return token_urlsafe(TOKEN_BYTES)


def find_token(cookie_header: str) -> str | None:
    """Return the token in a Cookie header; None if it is missing or malformed."""
    values = _COOKIE.findall(cookie_header)
    return values[0] if len(values) == 1 and _TOKEN.fullmatch(values[0]) else None


def format_cookie(token: str) -> str:
    """Return the Set-Cookie header for a token. Scripts cannot read the cookie, and other sites cannot make a browser send it."""
    return f"{COOKIE_NAME}={token}; Path=/; Max-Age={int(MAX_AGE.total_seconds())}; HttpOnly; SameSite=Strict"


def _hash_token(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def _read_seats(file: Path, now: datetime) -> dict[str, Seat]:
    try:
        stored = json.loads(read_file(file, MAX_STATE_BYTES))["seats"]
        assert isinstance(stored, list)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AssertionError, RecursionError):
        LOG.warning("Can't read the file of seats, so no phone has a seat: %s", file)
        return {}
    seat_by_hash = {}
    for seat_fields in stored:
        with suppress(KeyError, TypeError, ValueError):
            seat = _parse_seat(seat_fields)
            if now - seat.given_at < MAX_AGE:
                seat_by_hash[str(seat_fields["token_sha256"])] = seat
    return seat_by_hash


def _parse_seat(seat_fields: Mapping[str, Any]) -> Seat:
    side_by_name = {str(side): side for side in Side}
    sides = tuple(side_by_name[name] for name in seat_fields["sides"])
    return Seat(int(seat_fields["number"]), sides, datetime.fromisoformat(seat_fields["given"]))
