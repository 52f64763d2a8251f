"""Removal of personal data from text that will be shared.

It removes names known to this machine (users, hosts, serial numbers) and everything that matches certain patterns: home
folders, email addresses, IP and MAC addresses, host names in home networks, addresses of MQTT brokers, invitations, labelled
secrets, and long strings that look like tokens, serial numbers or identifiers. In case of doubt, a word is removed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

PUBLIC_NAMES = frozenset({"root", "pond", "gpio", "spi", "i2c", "localhost"})
"""Names that are found on every board and are not personal."""

SHORT_NAME_LENGTH, LONG_NAME_LENGTH = 4, 6
"""Minimum lengths for less strict matching of names.

Names shorter than the first length match only whole words with the same case, because of words like `Pi`. Names shorter
than the second length match unless they are part of a longer word. Longer names match anywhere.
"""

TOKEN_LENGTH = 20
"""Minimum length of a token."""


class PrivateNames(NamedTuple):
    """Personal data known to this machine. User names include login names and full names."""

    user_names: tuple[str, ...] = ()
    host_names: tuple[str, ...] = ()
    serial_numbers: tuple[str, ...] = ()
    home_folders: tuple[str, ...] = ()


NO_PRIVATE_NAMES = PrivateNames()


def redact_text(text: str, names: PrivateNames = NO_PRIVATE_NAMES) -> str:
    """Replace personal data with words in angle brackets, and home folders with `~`.

    IPv4 addresses that begin with 0 are kept: they are never assigned, and may be versions such as 0.2.2.0.
    """
    for home in _longest_first(home.rstrip("/") for home in names.home_folders):
        text = re.sub(rf"{re.escape(home)}(?![\w.-])", "~", text)
    text = _HOME_HOST_PATTERN.sub("<host>", _HOME_PATTERN.sub("~", text))
    for word, known in (("<serial>", names.serial_numbers), ("<host>", names.host_names), ("<user>", names.user_names)):
        for name in _longest_first(part for known_name in known for part in (known_name, known_name.split(".")[0])):
            text = _name_pattern(name).sub(word, text)
    for form, word in _SECRET_PATTERNS:
        text = form.sub(word, text)
    text = _TOKEN_PATTERN.sub(lambda found: found[0] if _is_plain(found[0]) else "<secret>", text)
    return _HEX_PATTERN.sub(lambda found: "<id>" if _is_id(found[0]) else found[0], text)


def _longest_first(names: Iterable[str]) -> list[str]:
    secret_names = {name for name in names if name.strip() and name.lower() not in PUBLIC_NAMES}
    return sorted(secret_names, key=lambda name: (-len(name), name))


def _name_pattern(name: str) -> re.Pattern[str]:
    escaped_name = re.escape(name)
    if len(name) < SHORT_NAME_LENGTH:
        return re.compile(rf"(?<![\w-]){escaped_name}(?![\w-])")
    return re.compile(
        escaped_name if len(name) >= LONG_NAME_LENGTH else rf"(?<![^\W\d_]){escaped_name}(?![^\W\d_])", re.IGNORECASE
    )


_HOME_PATTERN = re.compile(r"(?:/home|/Users)/[^/\s:;,'\"<>()]+|[A-Za-z]:\\Users\\[^\\\s]+|(?<![\w/])/root(?![\w-])")

_HOME_HOST_PATTERN = re.compile(r"(?i)\b[\w-]+\.(?:local|localdomain|lan|home|internal|fritz\.box)\b")

_SECRET_PATTERNS = (
    # Invitations to a linked game, and the code of one without its beginning.
    (re.compile(r"(?i)\bpond-(join|watch):\S+"), r"pond-\1:<secret>"),
    (re.compile(r"(?i)(?<![^\W_])[a-z2-7]{4}(?:-[a-z2-7]{4}){7}(?![^\W_])"), "<secret>"),
    (re.compile(r"(?i)\b(mqtts?)://\S+"), r"\1://<address>"),
    (re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*"), "<address>"),
    (
        re.compile(
            r"(?i)\b(pass(?:word|wd|phrase)?|secret|[a-z_]*token|psk|api[_-]?key|authorization)"
            r"(?:[\"']?\s*[=:]\s*)(?:bearer\s+|basic\s+)?[\"']?[^\s\"']+"
        ),
        r"\1=<secret>",
    ),
    (re.compile(r"(?i)\bbearer\s+\S+"), "bearer <secret>"),
    (re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"), "<id>"),
    (re.compile(r"(?:[0-9A-Fa-f]{2}[:-]){5,}[0-9A-Fa-f]{2}|(?:[0-9A-Fa-f]{4}\.){2}[0-9A-Fa-f]{4}"), "<address>"),
    # IPv6: a double colon next to something, or all eight groups. Times of day have neither.
    (
        re.compile(
            r"(?<![G-Zg-z_])(?:(?=[0-9A-Fa-f:]*::)(?=:*[0-9A-Fa-f])[0-9A-Fa-f:]{3,}|(?:[0-9A-Fa-f]{1,4}:){6,}[0-9A-Fa-f:]*)"
            r"(?:(?<=:)\d{1,3}|(?:\.\d{1,3}){3})*(?:%\w+)?"
        ),
        "<address>",
    ),
    (re.compile(r"(?<!\d)(?!0+\.)\d{1,3}(?:\.\d{1,3}){3}(?!\d)"), "<address>"),
)

_TOKEN_PATTERN = re.compile(rf"[A-Za-z0-9_+/=-]{{{TOKEN_LENGTH},}}")
_HEX_PATTERN = re.compile(r"(?<![^\W_])(?:0x)?[0-9A-Fa-f]{8,}(?![^\W_])")

_PLAIN_WORD_PATTERN = re.compile(
    r"[A-Za-z][a-z]{0,14}[0-9]{0,5}[a-z]{0,2}|[A-Z]{1,15}[0-9]{0,5}|[0-9]{1,6}[a-z]{0,3}[0-9]{0,2}|(?:[A-Z][a-z]{2,14}){1,4}|"
)
"""Pattern for plain words in names, paths and settings, such as circuitpython, Pi5, ws281x, 4x4 or 400000."""


def _is_plain(text: str) -> bool:
    """Return True if a long string consists of plain words, such as `adafruit-circuitpython-neopixel`."""
    return all(map(_PLAIN_WORD_PATTERN.fullmatch, re.split("[-_/+=]", text)))


def _is_id(text: str) -> bool:
    """Return True if a string of hexadecimal digits can't be a date or a word."""
    digits = text.removeprefix("0x")
    mixed = not digits.isdecimal() and not digits.isalpha()
    return mixed or len(digits) >= 12
