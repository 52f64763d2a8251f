"""A supply that sags: the Pi's firmware notices, the lamps that it feeds are dimmed, the players are told."""

from __future__ import annotations

import logging
from pathlib import Path

from pond_hw.companion import Companion
from pond_hw.lights.lamp_limits import dimmed
from pond_hw.session import Notice

LOG = logging.getLogger("pond")

LOOK_EVERY = 2.0
"""Seconds; the kernel asks the firmware no more often."""

CALM = 30.0
"""Seconds without an alarm after which the lamps are as bright as ever."""

TOLD_EVERY = 3600.0
"""Seconds; so long nobody needs to be told again."""

SENTENCE = (
    "The power supply is too weak: its voltage has dropped, so the lamps are dimmed. "
    "A stronger supply or a shorter, thicker cable will help."
)


OWN_SENTENCE = (
    "The Pi's power supply is too weak: its voltage has dropped. "
    "A stronger supply or a shorter, thicker cable will help."
)
"""With lamps that have a supply of their own."""


class Power:
    """Looks after the voltage of a Raspberry Pi. On another machine there is nothing to look at.

    Args:
        companion: whose lamps are dimmed and whose players are told.
        root: the folder that holds /sys.
        own_supply: whether the lamps have a supply of their own; dimming them would not help the Pi's.
    """

    def __init__(self, companion: Companion, root: Path = Path("/"), *, own_supply: bool = False) -> None:
        self._companion, self._own_supply = companion, own_supply
        self._bright = companion.limiter
        self._alarm = _alarm(root)
        self._due = 0.0
        self._dimmed_at: float | None = None  # when the last alarm was seen, as long as the lamps are dimmed
        self._told_at: float | None = None

    def look(self, now: float) -> None:
        """Look, if it is time to."""
        if self._alarm is None or now < self._due:
            return
        self._due = now + LOOK_EVERY
        if _rings(self._alarm):
            self._sag(now)
        elif self._dimmed_at is not None and now - self._dimmed_at >= CALM:
            LOG.info("the supply holds: the lamps are as bright as before")
            self._companion.limiter, self._dimmed_at = self._bright, None

    def _sag(self, now: float) -> None:
        if not self._own_supply:
            self._dim(now)
        if self._told_at is None or now - self._told_at >= TOLD_EVERY:
            self._told_at = now
            sentence = OWN_SENTENCE if self._own_supply else SENTENCE
            LOG.warning("%s", sentence)
            self._companion.put(Notice(sentence, now))

    def _dim(self, now: float) -> None:
        if self._dimmed_at is None:
            LOG.warning("the supply's voltage has dropped: the lamps are dimmed")
            self._companion.limiter = dimmed(self._bright, len(self._companion.frame.data) // 3)
        self._dimmed_at = now


def _alarm(root: Path) -> Path | None:
    """The file in which the kernel says that the voltage was too low."""
    for name in sorted(root.glob("sys/class/hwmon/hwmon*/name")):
        if _text(name) == "rpi_volt":
            return name.with_name("in0_lcrit_alarm")
    return None


def _rings(alarm: Path) -> bool:
    return _text(alarm) == "1"


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
